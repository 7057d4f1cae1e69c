"""Faults to put into an artifact's table, each with the code that it has to be found by."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from eval_tiers.submissions import codes
from eval_tiers.submissions.csv_rows import CELL_CHARACTERS, delimiter_of, iter_rows
from eval_tiers.submissions.numbers import NumberFault, parse_number, parse_whole
from eval_tiers.submissions.reference import ReferenceTable, key_getter
from eval_tiers.submissions.task import ArtifactSpec, NumericColumn, Tolerance

ROWS: Final = 200
"""Rows at the beginning of a table that faults are put into."""
COLUMNS: Final = 20
"""Numeric columns, exact columns and rules of a table that are tried."""
_CELLS: Final = 20_000
_FRESH: Final = "not-in-the-reference"
_OF_VALUES: Final = (codes.OUT_OF_TOLERANCE, codes.RECOMPUTATION_MISMATCH, codes.TEXT_MISMATCH)
_FARTHER: Final = 3.0  # tolerances: the oracle itself may be off by one

Rows = list[list[str]]


@dataclass(frozen=True, slots=True)
class TableMutation:
    """A table that was right, with one fault.

    Attributes
    ----------
    name : str
        What was done to it, such as ``dropped column``.
    code : str
        A key of `eval_tiers.submissions.codes.CODES`: what has to be found.
    column : str or None
        The column that it has to be found in; None: any.
    data : bytes or None
        The spoilt file; None where it can't be made of this table.
    reason : str or None
        Why it can't be made.
    """

    name: str
    code: str
    column: str | None = None
    data: bytes | None = None
    reason: str | None = None


def first_rows(
    chunks: Iterable[bytes], spec: ArtifactSpec, reference: ReferenceTable
) -> tuple[bytes, ReferenceTable]:
    """Return the beginning of a table that passes, and the reference's rows of these keys.

    Faults are put into this part, so that a long table takes no longer than a short one.

    Raises
    ------
    TableFault
        The table can't be read.
    """
    table = _Table(spec, list(_first(chunks, spec)))
    key_of = key_getter([table.places[name] for name in spec.key])
    keys = [key_of(cells) for cells in table.rows]
    places = [reference.keys[key] for key in keys]
    kept = replace(
        reference,
        keys={key: number for number, key in enumerate(keys)},
        expectations=tuple(
            replace(one, values=[one.values[place] for place in places])
            for one in reference.expectations
        ),
        texts={name: [cells[place] for place in places] for name, cells in reference.texts.items()},
    )
    return table.render([table.header, *table.rows]), kept


def _first(chunks: Iterable[bytes], spec: ArtifactSpec) -> Iterator[list[str]]:
    """Yield the header and some rows, of a bounded number of cells."""
    most = max(2, min(ROWS, _CELLS // len(spec.header)))
    for number, (_, cells) in enumerate(iter_rows(chunks, delimiter_of(spec.path))):
        if number > most:
            return
        yield cells


def mutate_table(data: bytes, spec: ArtifactSpec) -> Iterator[TableMutation]:
    """Yield every mutation of a table that passes its checks, and those that can't be made.

    Parameters
    ----------
    data : bytes
        The oracle's file.
    spec : ArtifactSpec
        One with a header.

    Raises
    ------
    TableFault
        The table can't be read.

    Examples
    --------
    >>> spec = ArtifactSpec("a.csv", ("gene", "n"), ("gene",), None, (NumericColumn("n", True),))
    >>> found = {one.name: one for one in mutate_table(b"gene,n\\nA,1\\nB,2\\n", spec)}
    >>> found["short row"].data
    b'gene,n\\nA\\nB,2\\n'
    >>> found["number off"].data, found["text changed"].reason
    (b'gene,n\\nA,2\\nB,2\\n', 'no column has to be exact')
    """
    rows = [cells for _, cells in iter_rows([data], delimiter_of(spec.path))]
    table = _Table(spec, rows)
    yield from _of_form(table)
    yield from _of_rows(table)
    yield from _of_numbers(table)
    for name in spec.exact[:COLUMNS]:
        yield table.cell("text changed", codes.TEXT_MISMATCH, name, lambda cell: f"{cell}~")
    if not spec.exact:
        yield TableMutation("text changed", codes.TEXT_MISMATCH, reason="no column has to be exact")
    yield from _of_bytes(table)


class _Table:
    """The oracle's table, and copies of it with a fault."""

    def __init__(self, spec: ArtifactSpec, rows: Rows) -> None:
        self.spec = spec
        self.header, *self.rows = rows
        self.places = {name: place for place, name in enumerate(self.header)}
        self.key_place = self.places[spec.key[0]]

    def made(
        self, name: str, code: str, rows: Iterable[Sequence[str]], header: Sequence[str] = ()
    ) -> TableMutation:
        """Return a mutation with these rows."""
        return TableMutation(name, code, data=self.render([header or self.header, *rows]))

    def changed(
        self, name: str, code: str, change: Callable[[list[str]], list[str]], least: int = 1
    ) -> TableMutation:
        """Return a mutation whose first row is changed; the table needs so many rows."""
        if len(self.rows) < least:
            told = "the table has no rows" if not self.rows else "the table has one row only"
            return TableMutation(name, code, reason=told)
        return self.made(name, code, [change(list(self.rows[0])), *self.rows[1:]])

    def cell(
        self, name: str, code: str, column: str, change: Callable[[str], str], row: int = 0
    ) -> TableMutation:
        """Return a mutation with one cell changed, to be found in its column."""
        if not self.rows:
            return TableMutation(name, code, column, reason="the table has no rows")
        if code in _OF_VALUES and column in self.spec.key:
            return TableMutation(name, code, column, reason="the column is of the key")
        place = self.places[column]
        cells = list(self.rows[row])
        cells[place] = change(cells[place])
        data = self.render([self.header, *self.rows[:row], cells, *self.rows[row + 1 :]])
        return TableMutation(name, code, column, data)

    def render(self, rows: Iterable[Sequence[str]]) -> bytes:
        """Return rows as a file."""
        text = io.StringIO()
        delimiter = delimiter_of(self.spec.path)
        csv.writer(text, lineterminator="\n", delimiter=delimiter).writerows(rows)
        return text.getvalue().encode()


def _of_form(table: _Table) -> Iterator[TableMutation]:
    header = table.header
    code = codes.HEADER_MISMATCH
    if len(header) < 2:
        for name in ("dropped column", "reordered header"):
            yield TableMutation(name, code, reason="the table has one column only")
    else:
        cut = [cells[:-1] for cells in table.rows]
        yield table.made("dropped column", code, cut, header[:-1])
        yield table.made("reordered header", code, table.rows, header[::-1])
    wider = [[*cells, "0"] for cells in table.rows]
    yield table.made("added column", code, wider, [*header, "added"])


def _of_rows(table: _Table) -> Iterator[TableMutation]:
    place = table.key_place

    def fresh(cells: list[str]) -> list[str]:
        return [*cells[:place], _FRESH, *cells[place + 1 :]]

    if table.rows:
        yield table.made("extra row", codes.ROW_COUNT, [*table.rows, fresh(table.rows[0])])
        yield table.made("dropped row", codes.MISSING_KEY, table.rows[1:])
    else:
        for name, code in (("extra row", codes.ROW_COUNT), ("dropped row", codes.MISSING_KEY)):
            yield TableMutation(name, code, reason="the table has no rows")
    yield table.changed("unknown key", codes.UNEXPECTED_KEY, fresh)
    if len(table.header) > 1:
        yield table.changed("short row", codes.ROW_LENGTH, lambda cells: cells[:-1])
    else:
        yield TableMutation("short row", codes.ROW_LENGTH, reason="the table has one column only")
    yield table.changed("long row", codes.ROW_LENGTH, lambda cells: [*cells, "0"])
    yield table.changed("duplicate key", codes.DUPLICATE_KEY, lambda _: table.rows[1], least=2)


def _of_numbers(table: _Table) -> Iterator[TableMutation]:
    numeric = table.spec.numeric[:COLUMNS]
    none = "no column is numeric"
    for name, code, cell in (
        ("nan", codes.NOT_FINITE, "nan"),
        ("inf", codes.NOT_FINITE, "inf"),
        ("word for a number", codes.NOT_A_NUMBER, "many"),
    ):
        for column in numeric:
            yield table.cell(name, code, column.name, lambda _, cell=cell: cell)  # type: ignore[misc]
        if not numeric:
            yield TableMutation(name, code, reason=none)
    whole = [column for column in numeric if column.integer]
    for column in whole:
        yield table.cell("fraction", codes.NOT_INTEGER, column.name, lambda _: "0.5")
    if not whole:
        yield TableMutation("fraction", codes.NOT_INTEGER, reason="no column is of whole numbers")
    for column in numeric:
        yield _number_off(table, "number off", codes.OUT_OF_TOLERANCE, column, column.tolerance)
        yield _sign_turned(table, column)
    if not numeric:
        for name in ("number off", "sign turned"):
            yield TableMutation(name, codes.OUT_OF_TOLERANCE, reason=none)
    name, code = "off the observations", codes.RECOMPUTATION_MISMATCH
    by_name = {column.name: column for column in table.spec.numeric}
    for rule in table.spec.recompute[:COLUMNS]:
        yield _number_off(table, name, code, by_name[rule.column], rule.tolerance)
    if not table.spec.recompute:
        yield TableMutation(name, code, reason="the task has no rule for this file")


def _number_off(
    table: _Table, name: str, code: str, column: NumericColumn, tolerance: Tolerance
) -> TableMutation:
    """Return the first number moved away by three tolerances, or by one where it is whole."""
    if not table.rows:
        return TableMutation(name, code, column.name, reason="the table has no rows")
    value = _value(table.rows[0][table.places[column.name]], column)
    if column.integer:
        moved = repr(int(value) + 1)
    else:
        step = max(_FARTHER * tolerance.abs, _FARTHER * tolerance.rel * abs(value))
        number = value + math.copysign(max(step, 1e-9 * abs(value), 1e-12), value)
        if not math.isfinite(number):
            told = "a number beyond the tolerance has no place in a float"
            return TableMutation(name, code, column.name, reason=told)
        moved = repr(number)
    return table.cell(name, code, column.name, lambda _: moved)


def _sign_turned(table: _Table, column: NumericColumn) -> TableMutation:
    """Return the column's largest number with the other sign: no tolerance may let that pass."""
    name, code = "sign turned", codes.OUT_OF_TOLERANCE
    place = table.places[column.name]
    values = [_value(cells[place], column) for cells in table.rows]
    if not any(values):
        return TableMutation(name, code, column.name, reason="the column holds nothing but zeros")
    row = max(range(len(values)), key=lambda number: abs(values[number]))
    return table.cell(name, code, column.name, lambda _: repr(-values[row]), row)


def _value(cell: str, column: NumericColumn) -> float:
    try:
        return parse_whole(cell) if column.integer else parse_number(cell)
    except NumberFault:  # the oracle's own fault, which is told of it
        return 0


def _of_bytes(table: _Table) -> Iterator[TableMutation]:
    data = table.render([table.header, *table.rows])
    yield TableMutation("bytes that are no UTF-8", codes.NOT_UTF8, data=data + b"\xff\n")
    yield TableMutation("NUL byte", codes.NUL_BYTE, data=data + b"\0\n")
    yield TableMutation("quote without an end", codes.MALFORMED_CSV, data=data + b'"A\n')
    wide = ["A" * (CELL_CHARACTERS + 1), *[""] * (len(table.header) - 1)]
    yield table.made("cell too long", codes.TOO_WIDE, [*table.rows, wide])
