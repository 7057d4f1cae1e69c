"""Lines of a benchmark file in one pass, with the hash of its bytes."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.formats.base import RecordFault
from eval_tiers.io.rows import iter_rows, parse_row
from eval_tiers.io.sources import (
    UTF8_BOM,
    compression_of,
    iter_chunks,
    refuse_utf16,
    require_file,
)

_CHUNK: Final = 1 << 23
_ARRAY: Final = re.compile(rb"\s*\[\s*\{")
_SPACED_KEY: Final = re.compile(rb'"\s+:')


@dataclass(slots=True)
class LineReader:
    """Reads the lines of a file that aren't blank, and notes how it was written.

    Attributes
    ----------
    path : Path
    sha256 : str
        Of the bytes; of the decompressed ones where the file is compressed. Set at the end.
    notes : list of (code, message)
        A BOM, Windows line ends, blank lines, compression.
    is_array : bool
        The file is one JSON array; its records are read.
    """

    path: Path
    sha256: str = ""
    notes: list[tuple[str, str]] = field(default_factory=list)
    is_array: bool = False

    def rows(self) -> Iterator[tuple[int, bytes]]:
        """Yield (line, raw bytes) of each line that isn't blank.

        Raises
        ------
        MissingResourceError
            The file isn't there or can't be read.
        BadInputError
            It is no text (packed, UTF-16, NUL bytes), cut off, damaged, or holds nothing.
        """
        require_file(self.path)
        kind = compression_of(self.path)
        if kind is not None:
            self.notes.append(("compressed", f"{kind}: the sha256 is of what is packed in it"))
        array = self._array_rows()
        seen = False
        for line, raw in self._lines():
            seen = True
            if array is None:
                yield line, raw
        if not seen:
            raise BadInputError(
                Problem("empty-file", "the file holds nothing", SourceRef(str(self.path)),
                        "get the file again")
            )  # fmt: skip
        if array is not None:
            self.is_array = True
            yield from array

    def _array_rows(self) -> list[tuple[int, bytes]] | None:
        """Return the records of a file that is one JSON array, None for any other."""
        head = next(iter_chunks(self.path, 1 << 16), b"").removeprefix(UTF8_BOM)
        if not _ARRAY.match(head):
            return None
        try:
            return list(iter_rows(self.path, None))
        except BadInputError:
            return None

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        digest = hashlib.sha256()
        separator, carry, line, blank_n, windows_n = b"\n", b"", 1, 0, 0
        first = True
        for chunk in iter_chunks(self.path, _CHUNK):
            digest.update(chunk)
            if first:
                first = False
                refuse_utf16(chunk[:400], str(self.path))
                if chunk.startswith(UTF8_BOM):
                    self.notes.append(("bom", "the file begins with a byte order mark"))
                    chunk = chunk.removeprefix(UTF8_BOM)
                if b"\n" not in chunk and b"\r" in chunk:
                    separator = b"\r"
                    self.notes.append(("cr", "the lines end in CR, as on old Macs"))
            parts = (carry + chunk).split(separator)
            carry = parts.pop()
            for raw in parts:
                windows_n += raw.endswith(b"\r")
                if raw.strip():
                    yield line, raw
                else:
                    blank_n += 1
                line += 1
        if carry.strip():
            yield line, carry
        if windows_n:
            self.notes.append(("crlf", f"{windows_n:,} lines end in CRLF, as on Windows"))
        if blank_n:
            self.notes.append(("blank_line", f"{blank_n:,} blank lines are passed over"))
        self.sha256 = digest.hexdigest()


def parse_line(raw: bytes) -> dict[str, Any]:
    """Parse a line as a JSON object in which no object gives a key twice.

    Raises
    ------
    RecordFault
        With a code of the rules: bad_json, not_utf8, not_an_object, repeated_key.
    """
    try:
        record = parse_row(raw)
        if raw.count(b'":') != _key_n(record) or _SPACED_KEY.search(raw):
            json.loads(raw.decode("utf-8"), object_pairs_hook=_once)
    except RecordFault as fault:
        code = fault.code.replace("-", "_")
        raise RecordFault(code, fault.message, fault.field, fault.fix) from None
    except (ValueError, RecursionError):
        pass  # parsed once already: too deep for the second reading
    return record


def _key_n(value: object) -> int:
    """Return how many keys there are in a JSON value, at any depth."""
    count, left = 0, [value]
    while left:
        part = left.pop()
        if isinstance(part, dict):
            count += len(part)
            left.extend(part.values())
        elif isinstance(part, list):
            left.extend(part)
    return count


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise RecordFault("repeated_key", f"the key '{key[:40]}' is given twice", key)
        found[key] = value
    return found
