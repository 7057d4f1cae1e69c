"""An artifact's table against the reference: header, keys, rows, numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from eval_tiers.submissions import codes
from eval_tiers.submissions.csv_rows import TableFault, delimiter_of, iter_rows
from eval_tiers.submissions.failures import Failures
from eval_tiers.submissions.inspection import Check
from eval_tiers.submissions.numbers import NumberFault, is_near, shown
from eval_tiers.submissions.reference import (
    Expectation,
    ReferenceTable,
    header_fault,
    key_getter,
    parser_of,
    row_length,
    say_key,
)
from eval_tiers.submissions.task import ArtifactSpec

_ROWS_PAST_END: Final = 100
_CELLS_PAST_END: Final = 1_000


def check_table(
    chunks: Iterable[bytes], spec: ArtifactSpec, reference: ReferenceTable
) -> tuple[Failures, int]:
    """Hold an artifact's bytes against the reference; return what failed, and the rows read.

    Every row has to have all cells and a key of the reference that no other row has; every numeric
    cell has to be a finite number, whole where that is asked for, and near enough to the
    reference's and to what was recomputed. With another header nothing else is looked at. The table
    is read no farther than 100 rows past the number that is asked for, or a row with 1,000 cells
    too many. Memory is bounded by the reference, not by the artifact.

    Parameters
    ----------
    chunks : iterable of bytes
    spec : ArtifactSpec
        One with a header.
    reference : ReferenceTable
    """
    failures = Failures()
    table = _Table(spec, reference, failures)
    rows_n = 0
    most = len(reference.keys) + _ROWS_PAST_END
    widest = len(spec.header) + _CELLS_PAST_END
    try:
        rows = iter_rows(chunks, delimiter_of(spec.path))
        fault = header_fault(next(rows, (1, []))[1], spec.header)
        if fault is not None:
            failures.add(Check(codes.HEADER_MISMATCH, spec.path, fault, 1))
            return failures, 0
        for line, cells in rows:
            rows_n += 1
            table.check_row(line, cells)
            if len(cells) > widest:
                return failures, rows_n
            if rows_n > most:
                asked = len(reference.keys)
                told = f"there are more than {most:,} rows; {asked:,} are asked for"
                failures.add(Check(codes.ROW_COUNT, spec.path, told, line))
                return failures, rows_n
    except TableFault as error:
        failures.add(Check(error.code, spec.path, error.message, error.line, error.column))
        return failures, rows_n
    table.check_end(rows_n)
    return failures, rows_n


class _Table:
    """The checks of one table's rows."""

    def __init__(self, spec: ArtifactSpec, reference: ReferenceTable, failures: Failures) -> None:
        self.path = spec.path
        self.width = len(spec.header)
        self.keys = reference.keys
        self.failures = failures
        self.seen = bytearray(len(reference.keys))
        places = {name: place for place, name in enumerate(spec.header)}
        self.key_of = key_getter([places[name] for name in spec.key])
        self.numeric = [
            (column.name, places[column.name], parser_of(column),
             [item for item in reference.expectations if item.column == column.name])
            for column in spec.numeric
        ]  # fmt: skip
        self.texts = [(name, places[name], cells) for name, cells in reference.texts.items()]

    def check_row(self, line: int, cells: list[str]) -> None:
        """Check one row."""
        if len(cells) != self.width:
            self._fail(codes.ROW_LENGTH, line, None, row_length, len(cells), self.width)
            return
        key = self.key_of(cells)
        row = self.keys.get(key)
        if row is None:
            self._fail(codes.UNEXPECTED_KEY, line, None, _say_unexpected, key)
        elif self.seen[row]:
            self._fail(codes.DUPLICATE_KEY, line, None, _say_twice, key)
        else:
            self.seen[row] = 1
        for name, place, parse, expectations in self.numeric:
            cell = cells[place]
            try:
                value = parse(cell)
            except NumberFault as error:
                self._fail(error.code, line, name, str, error.message)
                continue
            if row is not None:
                for expected in expectations:
                    if value != expected.values[row]:
                        self._check_number(value, cell, expected, row, line)
        if row is not None:
            for name, place, wanted in self.texts:
                if cells[place] != wanted[row]:
                    self._fail(
                        codes.TEXT_MISMATCH, line, name, _say_text, cells[place], wanted[row]
                    )

    def _check_number(
        self, value: float, cell: str, expected: Expectation, row: int, line: int
    ) -> None:
        """Check a number that is not the very one that is expected."""
        wanted = expected.values[row]
        if (
            wanted is None
            or isinstance(value, int)
            or not is_near(value, cell, wanted, expected.tolerance)
        ):
            self._fail(expected.code, line, expected.column, _say_far, cell, wanted, expected)

    def check_end(self, rows_n: int) -> None:
        """Check what only the whole table shows."""
        if rows_n != len(self.seen):
            self._fail(codes.ROW_COUNT, None, None, _say_rows, rows_n, len(self.seen))
        if 0 in self.seen:
            for key, row in self.keys.items():
                if not self.seen[row]:
                    self._fail(codes.MISSING_KEY, None, None, _say_absent, key)

    def _fail(
        self,
        code: str,
        line: int | None,
        column: str | None,
        say: Callable[..., str],
        *facts: object,
    ) -> None:
        """Note a failed check; its message is put into words only where it is kept."""
        if self.failures.keeps(code):
            self.failures.add(Check(code, self.path, say(*facts), line, column))
        else:
            self.failures.total += 1


def _say_unexpected(key: tuple[str, ...]) -> str:
    return f"the key {say_key(key)} is not in the reference"


def _say_twice(key: tuple[str, ...]) -> str:
    return f"the key {say_key(key)} is there twice"


def _say_absent(key: tuple[str, ...]) -> str:
    return f"no row has the key {say_key(key)}"


def _say_text(found: str, wanted: str) -> str:
    return f"{shown(found)} is not {shown(wanted)}"


def _say_rows(found: int, wanted: int) -> str:
    return f"there are {found:,} rows; {wanted:,} are asked for"


def _say_far(cell: str, wanted: float | None, expected: Expectation) -> str:
    if wanted is None:
        return f"{expected.origin} gives no number here"
    limits = expected.tolerance
    if not limits.rel and not limits.abs:
        return f"{shown(cell)} is not {wanted!r}, {expected.origin}"
    return (
        f"{shown(cell)} is too far from {wanted!r}, {expected.origin} "
        f"(rel {limits.rel:g}, abs {limits.abs:g})"
    )
