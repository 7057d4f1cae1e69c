"""Rows of JSON Lines files (or of one JSON array): found, read one by one, and their faults.

A file is gone through once to note where each row lies and what its id hashes to; rows are then
read where they lie, in any order, without holding the file in memory.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO

import numpy as np
import orjson
from numpy.typing import NDArray

from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.formats.base import RecordFault
from eval_tiers.io.sources import UTF8_BOM, compression_of, iter_chunks, refuse_utf16, require_file

_READ_BYTES = 1 << 23


@dataclass(slots=True)
class RowTable:
    """Where the rows of a file lie; blank lines are no rows.

    Attributes
    ----------
    path : str
        The file as the user named it.
    data_path : str
        A plain file with its decompressed bytes (itself, or a copy in the run's scratch folder).
    offset, length, line : int64[n]
        Byte range of each row in the decompressed file, and its first physical line, from 1.
    identity : tuple of int
        Device, inode and size of the plain file when its rows were found.
    """

    path: str
    data_path: str
    offset: NDArray[np.int64]
    length: NDArray[np.int64]
    line: NDArray[np.int64]
    identity: tuple[int, int, int] = (0, 0, 0)

    def __len__(self) -> int:
        return len(self.offset)

    def where(self, row: int, field: str | None = None, sample: str | None = None) -> SourceRef:
        """Return the place of a row, for a message."""
        return SourceRef(self.path, int(self.line[row]), field, sample)


@dataclass(slots=True)
class RowBlock:
    """Rows that lie one after the other: byte offsets, lines, raw bytes."""

    offset: NDArray[np.int64]
    line: NDArray[np.int64]
    raw: list[bytes]


def locate_rows(path: Path, scratch: Path) -> Iterator[RowBlock]:
    """Yield the rows of a file that aren't blank, some MB at a time.

    Parameters
    ----------
    path : Path
        Plain, gzip or zstd; JSON Lines, or one JSON array of records.
    scratch : Path
        Folder for the decompressed copy (see `data_path_of`).

    Raises
    ------
    BadInputError
        UTF-16, a compressed file that is cut off or damaged, a broken JSON array.
    MissingResourceError
        No such file, or it can't be read.
    """
    require_file(path)
    copy = _open_copy(path, scratch)
    try:
        yield from _split_rows(path, copy)
    finally:
        if copy is not None:
            copy.close()


def iter_rows(path: Path, scratch: Path) -> Iterator[tuple[int, bytes]]:
    """Yield (line, raw bytes) of each row that isn't blank; raises as `locate_rows`."""
    for block in locate_rows(path, scratch):
        yield from zip(block.line.tolist(), block.raw, strict=True)


def data_path_of(path: Path, scratch: Path) -> Path:
    """Return where the decompressed bytes of ``path`` lie once `locate_rows` has run over it."""
    if compression_of(path) is None:
        return path
    resolved = str(path.resolve()).encode("utf-8", "surrogateescape")
    return scratch / f"{hash(resolved) & 0xFFFFFFFFFFFFFFFF:016x}.rows"


def _open_copy(path: Path, scratch: Path) -> IO[bytes] | None:
    target = data_path_of(path, scratch)
    return None if target == path else open(target, "wb")


def _split_rows(path: Path, copy: IO[bytes] | None) -> Iterator[RowBlock]:
    offset, line, carry, first = 0, 1, b"", True
    separator = b"\n"
    for chunk in iter_chunks(path, _READ_BYTES):
        if copy is not None:
            copy.write(chunk)
        if first:
            first = False
            refuse_utf16(chunk[:400], str(path))
            if chunk.startswith(UTF8_BOM):
                chunk = chunk[len(UTF8_BOM) :]
                offset = len(UTF8_BOM)
            if chunk.lstrip()[:1] == b"[":
                yield _array_rows(path, copy, chunk, offset)
                return
            if b"\n" not in chunk and b"\r" in chunk:
                separator = b"\r"
        lines = (carry + chunk).split(separator)
        carry = lines.pop()
        if lines:
            yield _block(offset, line, lines)
        offset += sum(map(len, lines)) + len(lines)
        line += len(lines)
    if carry:
        yield _block(offset, line, [carry])


def _block(offset: int, line: int, lines: list[bytes]) -> RowBlock:
    """Return lines that lie one after the other as rows, without the blank ones."""
    length = np.fromiter(map(len, lines), np.int64, len(lines))
    offsets = offset + np.concatenate([[0], np.cumsum(length[:-1] + 1)])
    numbers = np.arange(line, line + len(lines))
    shortest = int(length.min())
    if shortest <= 2:  # too short for an object: maybe blank
        keep = np.fromiter((bool(raw.strip()) for raw in lines), np.bool_, len(lines))
        if not keep.all():
            kept = np.flatnonzero(keep)
            return RowBlock(offsets[kept], numbers[kept], [lines[i] for i in kept.tolist()])
    elif any(map(bytes.isspace, lines)):
        kept = np.flatnonzero([not raw.isspace() for raw in lines])
        return RowBlock(offsets[kept], numbers[kept], [lines[i] for i in kept.tolist()])
    return RowBlock(offsets, numbers, lines)


def _array_rows(path: Path, copy: IO[bytes] | None, head: bytes, offset: int) -> RowBlock:
    """Return the records of one JSON array, each with its byte offset and first line."""
    data = b"".join(iter_chunks(path, _READ_BYTES))[offset:]
    if copy is not None:
        copy.write(data[len(head) :])
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadInputError(
            Problem("not-utf8", f"the file is not UTF-8: {error}", SourceRef(str(path)))
        ) from error
    decoder = json.JSONDecoder()
    position, line, byte = text.index("[") + 1, 1, 0
    counted = 0
    offsets: list[int] = []
    numbers: list[int] = []
    rows: list[bytes] = []

    def bad(message: str, line: int | None = None) -> BadInputError:
        at = SourceRef(str(path), line or text.count("\n", 0, position) + 1)
        return BadInputError(
            Problem("bad-json-array", message, at, "write JSON Lines: one record a line")
        )

    while True:
        position = _skip_space(text, position)
        if position >= len(text):
            raise bad("the JSON array is not closed (cut off?)")
        if text[position] == "]":
            if text[position + 1 :].strip():
                raise bad("there is more after the JSON array")
            return RowBlock(np.array(offsets, np.int64), np.array(numbers, np.int64), rows)
        try:
            _, end = decoder.raw_decode(text, position)
        except json.JSONDecodeError as error:
            line += text.count("\n", counted, error.pos)
            raise bad(f"not a JSON array of records: {error.msg}", line) from error
        except RecursionError as error:
            raise bad("not a JSON array of records: nested too deep") from error
        line += text.count("\n", counted, position)
        byte += len(text[counted:position].encode("utf-8", "surrogatepass"))
        counted = position
        offsets.append(offset + byte)
        numbers.append(line)
        rows.append(text[position:end].encode("utf-8", "surrogatepass"))
        position = _skip_space(text, end)
        if text[position : position + 1] == ",":
            position += 1
        elif text[position : position + 1] != "]":
            raise bad("a comma or the end of the array is missing")


def _skip_space(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\r\n":
        position += 1
    return position


class RowTableBuilder:
    """Collects the places of rows, 24 bytes a row."""

    def __init__(self) -> None:
        self._parts: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]] = []

    def add(self, block: RowBlock) -> None:
        """Note the rows of a block."""
        length = np.fromiter(map(len, block.raw), np.int64, len(block.raw))
        self._parts.append((block.offset, length, block.line))

    def build(self, path: Path, scratch: Path) -> RowTable:
        """Return the table."""
        offset, length, line = (
            (
                np.concatenate(columns) if columns else np.empty(0, np.int64)
                for columns in (list(part) for part in zip(*self._parts, strict=True))
            )
            if self._parts
            else (np.empty(0, np.int64),) * 3
        )
        data_path = data_path_of(path, scratch)
        identity = _identity(os.stat(data_path))
        return RowTable(str(path), str(data_path), offset, length, line, identity)


def may_repeat_key(raw: bytes, keys: Collection[str]) -> bool:
    """Whether a row that parsed to these keys may give one of them twice; quick, seldom wrong.

    Parsers keep the last of two values. Where a row holds as many colons after quotes as keys,
    none was lost; else each key is looked for, and escapes, which may hide one.
    """
    if raw.count(b'":') == len(keys) and b'" :' not in raw[:200]:
        return False
    return b"\\u00" in raw or any(
        raw.count(f'"{key}"'.encode("utf-8", "surrogatepass")) > 1 for key in keys
    )


def parse_row(raw: bytes, strict: bool = False) -> dict[str, object]:
    """Parse one row as a JSON object.

    Parameters
    ----------
    raw : bytes
        The row.
    strict : bool
        Whether to look for a key that is given twice.

    Raises
    ------
    RecordFault
        Not UTF-8, not JSON, not an object, or a key given twice.
    """
    try:
        record = orjson.loads(raw)
    except orjson.JSONDecodeError:
        record = _parse_slowly(raw)
    else:
        if strict and type(record) is dict and may_repeat_key(raw, record):
            _parse_slowly(raw)
    if not isinstance(record, dict):
        raise RecordFault("not-an-object", f"the row is a JSON {_json_type(record)}, not an object")
    return record


def _parse_slowly(raw: bytes) -> object:
    """Parse with the standard library: takes NaN and lone surrogates, refuses repeated keys."""

    def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) != len(pairs):
            seen: set[str] = set()
            twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            raise RecordFault("repeated-key", f"the key '{twice}' is given twice", twice)
        return found

    try:
        return json.loads(raw.decode("utf-8"), object_pairs_hook=once)
    except UnicodeDecodeError as error:
        raise RecordFault(
            "not-utf8",
            f"not UTF-8: byte 0x{raw[error.start]:02x} at column {error.start + 1}",
            fix="save the file as UTF-8",
        ) from error
    except json.JSONDecodeError as error:
        message = f"not JSON: {error.msg.removesuffix(' at')} at column {error.colno}"
        raise RecordFault("bad-json", message, fix=_json_hint(raw)) from error
    except (ValueError, RecursionError) as error:
        message = "nested too deep" if isinstance(error, RecursionError) else str(error)
        raise RecordFault("bad-json", f"not JSON that can be read: {message}") from error


def _json_hint(raw: bytes) -> str | None:
    if b"\x00" in raw:
        return "the row holds NUL bytes: the file is damaged or not text"
    stripped = raw.strip()
    if stripped in (b"{", b"[") or not stripped.endswith((b"}", b"]")):
        return "one JSON object a line, whole; is the line cut off, or spread over several?"
    return None


def _json_type(value: object) -> str:
    if isinstance(value, list):
        return "array"
    if isinstance(value, str):
        return "string"
    if value is None:
        return "null"
    return "truth value" if isinstance(value, bool) else "number"


def _identity(found: os.stat_result) -> tuple[int, int, int]:
    return found.st_dev, found.st_ino, found.st_size


@lru_cache(maxsize=64)
def _descriptor(data_path: str, process: int, device: int, inode: int) -> int:
    return os.open(data_path, os.O_RDONLY)


def _open_unchanged(table: RowTable) -> int:
    """Return a descriptor of the file whose rows were found; raise when it is another by now."""
    descriptor = _descriptor(table.data_path, os.getpid(), *table.identity[:2])
    if _identity(os.fstat(descriptor)) != table.identity:
        raise BadInputError(
            Problem(
                "file-changed",
                "the file was changed while it was read",
                SourceRef(table.path),
                "let the job that writes it finish, then run again",
            )
        )
    return descriptor


def read_rows(table: RowTable, rows: NDArray[np.int64]) -> list[bytes]:
    """Return the raw bytes of rows, in the order asked for; neighbours are read in one go."""
    if len(rows) == 0:
        return []
    descriptor = _open_unchanged(table)
    offset, length = table.offset[rows].tolist(), table.length[rows].tolist()
    first, last = offset[0], offset[-1] + length[-1]
    span = last - first
    if len(rows) > 1 and bool(np.all(np.diff(rows) == 1)) and span <= 1 << 26:
        data = os.pread(descriptor, span, first)
        return [
            data[at - first : at - first + size] for at, size in zip(offset, length, strict=True)
        ]
    return [os.pread(descriptor, size, at) for at, size in zip(offset, length, strict=True)]
