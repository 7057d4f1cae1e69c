"""Rows of JSON, one a line or in one array: found, read one by one, and their faults.

A file is gone through once to note where each row lies and what its id hashes to; rows are then
read where they lie, in any order, without holding the file in memory.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.io.json_members import iter_members
from eval_tiers.io.json_rows import may_repeat_key, parse_row
from eval_tiers.io.sources import UTF8_BOM, compression_of, iter_chunks, refuse_utf16, require_file
from eval_tiers.io.text_lines import decode_text, line_end_of

__all__ = [
    "RowBlock", "RowTable", "RowTableBuilder", "data_path_of", "iter_rows", "locate_rows",
    "may_repeat_key", "parse_row", "read_rows",
]  # fmt: skip

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
    rewritten : bool
        The file was of another shape and was rewritten row by row: `offset` and `length` are
        places in the copy, not in the file that the user named. `line` is a line of that file.
    """

    path: str
    data_path: str
    offset: NDArray[np.int64]
    length: NDArray[np.int64]
    line: NDArray[np.int64]
    identity: tuple[int, int, int] = (0, 0, 0)
    rewritten: bool = False

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


def locate_rows(path: Path, scratch: Path | None) -> Iterator[RowBlock]:
    """Yield the rows of a file that aren't blank, some MB at a time.

    Parameters
    ----------
    path : Path
        Plain, gzip or zstd; JSON Lines, or one JSON array of records.
    scratch : Path or None
        Folder for the decompressed copy (see `data_path_of`); None: keep none.

    Raises
    ------
    BadInputError
        UTF-16, a compressed file that is cut off or damaged, a broken JSON array.
    MissingResourceError
        No such file, or it can't be read.
    """
    require_file(path)
    copy = None if scratch is None else _open_copy(path, scratch)
    try:
        yield from _split_rows(path, copy)
    finally:
        if copy is not None:
            copy.close()


def iter_rows(path: Path, scratch: Path | None) -> Iterator[tuple[int, bytes]]:
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
            separator = line_end_of(chunk)
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
    text = decode_text(data, str(path))
    byte, counted = 0, 0
    offsets: list[int] = []
    numbers: list[int] = []
    rows: list[bytes] = []
    for member in iter_members(text, str(path)):
        byte += len(text[counted : member.start].encode("utf-8", "surrogatepass"))
        counted = member.start
        offsets.append(offset + byte)
        numbers.append(member.line)
        rows.append(text[member.start : member.end].encode("utf-8", "surrogatepass"))
    return RowBlock(np.array(offsets, np.int64), np.array(numbers, np.int64), rows)


class RowTableBuilder:
    """Collects the places of rows, 24 bytes a row."""

    def __init__(self) -> None:
        self._parts: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]] = []

    def add(self, block: RowBlock) -> None:
        """Note the rows of a block."""
        length = np.fromiter(map(len, block.raw), np.int64, len(block.raw))
        self._parts.append((block.offset, length, block.line))

    def build(self, path: Path, scratch: Path, rewritten: Path | None = None) -> RowTable:
        """Return the table; the rows lie in ``rewritten`` if given."""
        offset, length, line = (
            (
                np.concatenate(columns) if columns else np.empty(0, np.int64)
                for columns in (list(part) for part in zip(*self._parts, strict=True))
            )
            if self._parts
            else (np.empty(0, np.int64),) * 3
        )
        data_path = rewritten or data_path_of(path, scratch)
        identity = _identity(os.stat(data_path))
        places = (offset, length, line)
        return RowTable(str(path), str(data_path), *places, identity, rewritten is not None)


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
