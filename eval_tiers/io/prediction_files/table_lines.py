"""Rows of cells out of the physical lines of a table, each with its line and what is wrong."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.io.text_lines import iter_lines

MOST_IN_A_ROW: Final = 1 << 26
"""Bytes after which a quote counts as never closed."""


class TableReader:
    """Goes through a table once, a row at a time.

    Yields (first physical line, cells, fault) of each row; a blank line is a row without cells. A
    row with a fault has to be left out, its cells aren't to be trusted.

    Parameters
    ----------
    path : Path
        Plain or compressed, UTF-8.
    line_end : bytes
        What ends a line.
    delimiter : str
        One character.
    has_sep_line : bool
        Leave out the first line that isn't blank.

    Raises
    ------
    BadInputError
        A quote is never closed, or as `eval_tiers.io.sources.iter_chunks`.
    """

    def __init__(self, path: Path, line_end: bytes, delimiter: str, has_sep_line: bool) -> None:
        self._path, self._delimiter, self._line_end = path, delimiter, line_end
        self._skip_one = has_sep_line
        self._number = 0
        self._taken: list[str] = []  # lines of the row at hand
        self._size = 0
        self._fault: str | None = None

    def __iter__(self) -> Iterator[tuple[int, list[str], str | None]]:
        limit = csv.field_size_limit(1 << 30)
        try:
            yield from self._rows()
        finally:
            csv.field_size_limit(limit)

    def _rows(self) -> Iterator[tuple[int, list[str], str | None]]:
        reader = csv.reader(self._lines(), delimiter=self._delimiter, skipinitialspace=True)
        while True:
            self._taken.clear()
            self._size, self._fault = 0, None
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                cells, self._fault = [], f"not a row of a table: {_reason(error)}"
            yield self._first, cells, self._fault

    @property
    def _first(self) -> int:
        """Line on which the row at hand begins."""
        return self._number - len(self._taken) + 1

    def _lines(self) -> Iterator[str]:
        for raw in iter_lines(self._path, self._line_end):
            self._number += 1
            if self._skip_one and raw.strip():
                self._skip_one = False
                continue
            self._taken.append(self._text(raw))
            self._size += len(raw)
            if len(self._taken) > 1 and self._size > MOST_IN_A_ROW:
                raise self._unclosed(f"is not closed within {MOST_IN_A_ROW >> 20} MB")
            yield self._taken[-1]
        if self._taken:  # the reader asks for more in the middle of a row
            raise self._unclosed("is never closed")

    def _text(self, raw: bytes) -> str:
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError as error:
            self._fault = (
                f"not UTF-8: byte 0x{raw[error.start]:02x} at column {error.start + 1} "
                f"of line {self._number}"
            )
            return raw.decode("utf-8", "replace")

    def _unclosed(self, how: str) -> BadInputError:
        quoted = re.compile(
            rf'(?:^|{re.escape(self._delimiter)}) *"[^"]*(?:""[^"]*)*("|\Z)'  # a quoted cell
        )
        text = "".join(self._taken)
        opened = next((found.start() for found in quoted.finditer(text) if not found[1]), 0)
        line = self._first + text.count(self._line_end.decode("ascii"), 0, opened)
        return BadInputError(
            Problem(
                "unclosed-quote",
                f"a quote that opens here {how}: what follows is no row of its own",
                SourceRef(str(self._path), line),
                'close it; a quote inside a quoted cell is written twice ("")',
            )
        )


def _reason(error: csv.Error) -> str:
    if "new-line character" in str(error):
        return "a line break (CR) outside quotes"
    return str(error)
