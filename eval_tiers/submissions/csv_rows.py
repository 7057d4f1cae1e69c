"""Rows of a CSV file out of its bytes, in bounded memory, whatever the bytes are."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import StringIO
from typing import Final

from eval_tiers.submissions.codes import MALFORMED_CSV, NOT_UTF8, NUL_BYTE, TOO_WIDE

LINE_BYTES: Final = 4_000_000
CELL_CHARACTERS: Final = 131_072
BLANK_LINES: Final = 100
_BOM: Final = b"\xef\xbb\xbf"


@dataclass
class TableFault(Exception):
    """Why a table can't be read any farther."""

    code: str
    message: str
    line: int | None = None
    column: str | None = None


def delimiter_of(path: str) -> str:
    """Return what stands between the cells of a file of this name: a tab in a .tsv."""
    return "\t" if path.casefold().endswith(".tsv") else ","


def iter_rows(chunks: Iterable[bytes], delimiter: str = ",") -> Iterator[tuple[int, list[str]]]:
    """Yield (last physical line, cells) of each row, the header first.

    Parameters
    ----------
    chunks : iterable of bytes
        A file, piece by piece: UTF-8, with or without a BOM, lines ending in LF or CRLF, cells
        quoted with ``"`` where they need it. Cells are data, whatever they begin with.
    delimiter : str
        What stands between cells.

    Notes
    -----
    Blank lines at the end are ignored, up to 100; elsewhere they are rows without cells. No more is
    held than a row.

    Raises
    ------
    TableFault
        ``not_utf8``, ``nul_byte``, ``malformed_csv``, or ``too_wide``: a row of more than
        4,000,000 bytes or a cell of more than 131,072 characters.

    Examples
    --------
    >>> list(iter_rows([b'gene,n\\r\\n"A,B"', b',3\\r\\n']))
    [(1, ['gene', 'n']), (2, ['A,B', '3'])]
    """
    csv.field_size_limit(CELL_CHARACTERS)
    lines = _Lines(chunks)
    reader = csv.reader(lines, strict=True, delimiter=delimiter)
    blank: list[int] = []  # lines that may turn out to be the last
    blank_n = 0
    try:
        for cells in reader:
            lines.row_bytes = 0
            if not cells:
                blank_n += 1
                if blank_n <= BLANK_LINES:
                    blank.append(reader.line_num)
                    continue
            else:
                blank_n = 0
            for line in blank:
                yield line, []
            blank.clear()
            yield reader.line_num, cells
    except csv.Error as error:
        code = TOO_WIDE if "field limit" in str(error) else MALFORMED_CSV
        raise TableFault(code, _say(str(error)), reader.line_num) from error


def _say(error: str) -> str:
    if "field limit" in error:
        return f"a cell is longer than {CELL_CHARACTERS:,} characters, or a quote never ends"
    if "new-line character" in error:
        return "a carriage return stands outside quotes: lines end in LF or CRLF"
    if "unexpected end of data" in error:
        return "a quote is opened and never closed"
    return f"it is no CSV: {error}"


class _Lines:
    """Decoded lines with their ends, one at a time.

    Attributes
    ----------
    row_bytes : int
        Bytes since the reader began a row, which may be of many lines; the reader's to set to 0.
    """

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self.row_bytes = 0
        self._found = self._split(chunks)

    def __iter__(self) -> Iterator[str]:
        return self._found

    def _split(self, chunks: Iterable[bytes]) -> Iterator[str]:
        carry, before, first = b"", 0, True
        for chunk in chunks:
            carry = carry + chunk if carry else chunk
            if first and len(carry) >= len(_BOM):
                carry, first = carry.removeprefix(_BOM), False
            end = carry.rfind(b"\n") + 1
            if end:
                block, carry = carry[:end], carry[end:]
                lines = StringIO(_decoded(block, before), newline="\n")
                if not self.row_bytes and b'"' not in block and len(block) <= LINE_BYTES:
                    before += block.count(b"\n")
                    yield from lines  # each line is a row, and none too long
                else:
                    for line in lines:
                        before += 1
                        self._count(len(line), before)
                        yield line
            if len(carry) > LINE_BYTES:
                raise _too_long(before + 1)
        carry = carry.removeprefix(_BOM) if first else carry
        if carry:
            self._count(len(carry), before + 1)
            yield _decoded(carry, before)

    def _count(self, size: int, line: int) -> None:
        self.row_bytes += size
        if self.row_bytes > LINE_BYTES:
            raise _too_long(line)


def _too_long(line: int) -> TableFault:
    return TableFault(TOO_WIDE, f"a row is longer than {LINE_BYTES:,} bytes", line)


def _decoded(block: bytes, before: int) -> str:
    """Return the text of some lines; ``before`` is how many come before them."""
    nul = block.find(b"\0")
    try:
        text = block.decode("utf-8")
    except UnicodeDecodeError as error:
        if 0 <= nul < error.start:
            raise _nul(block, nul, before) from None
        line = before + block.count(b"\n", 0, error.start) + 1
        message = f"byte 0x{block[error.start]:02x} is no UTF-8"
        raise TableFault(NOT_UTF8, message, line) from None
    if nul >= 0:
        raise _nul(block, nul, before)
    return text


def _nul(block: bytes, position: int, before: int) -> TableFault:
    line = before + block.count(b"\n", 0, position) + 1
    return TableFault(NUL_BYTE, "there is a NUL byte: it is damaged, or no text", line)
