"""The grader's table of an artifact: rows by key, and what their cells have to be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Final

from eval_tiers.submissions import codes
from eval_tiers.submissions.csv_rows import TableFault, delimiter_of, iter_rows
from eval_tiers.submissions.numbers import NumberFault, parse_number, parse_whole, shown
from eval_tiers.submissions.task import ArtifactSpec, NumericColumn, Tolerance

Key = tuple[str, ...]

_COLUMNS_SHOWN: Final = 8


@dataclass(frozen=True, slots=True)
class Expectation:
    """What the cells of a numeric column have to be, row by row of the reference.

    Attributes
    ----------
    column : str
    values : sequence of float or None
        None where no number is to be had: the cell then fails.
    tolerance : Tolerance
    code : str
        What a failing cell is called.
    origin : str
        Where the numbers come from, for messages.
    """

    column: str
    values: Sequence[float | None]
    tolerance: Tolerance
    code: str
    origin: str


@dataclass(frozen=True, slots=True)
class ReferenceTable:
    """The grader's table: rows by key, and what their cells have to be.

    Attributes
    ----------
    keys : dict
        Number of the row, from 0, by key.
    expectations : tuple of Expectation
    texts : dict
        Cells of the columns that have to be exact, by column.
    """

    keys: dict[Key, int]
    expectations: tuple[Expectation, ...] = ()
    texts: dict[str, list[str]] = field(default_factory=dict)


def build_reference(chunks: Iterable[bytes], spec: ArtifactSpec) -> ReferenceTable:
    """Read the reference table of an artifact.

    Raises
    ------
    TableFault
        It can't be read, or would not pass itself: another header, a row too short, a key twice, a
        cell that is no finite number, another number of rows than the task asks for.
    """
    rows = iter_rows(chunks, delimiter_of(spec.path))
    fault = header_fault(next(rows, (1, []))[1], spec.header)
    if fault is not None:
        raise TableFault(codes.HEADER_MISMATCH, fault, 1)
    keys: dict[Key, int] = {}
    numbers: dict[str, list[float | None]] = {column.name: [] for column in spec.numeric}
    texts: dict[str, list[str]] = {name: [] for name in spec.exact}
    places = {name: place for place, name in enumerate(spec.header)}
    key_of = key_getter([places[name] for name in spec.key])
    numeric = [
        (column.name, places[column.name], parser_of(column), numbers[column.name])
        for column in spec.numeric
    ]
    exact = [(places[name], found) for name, found in texts.items()]
    width = len(spec.header)
    for line, cells in rows:
        if len(cells) != width:
            raise TableFault(codes.ROW_LENGTH, row_length(len(cells), width), line)
        key = key_of(cells)
        if key in keys:
            raise TableFault(codes.DUPLICATE_KEY, f"the key {say_key(key)} is there twice", line)
        keys[key] = len(keys)
        for name, place, parse, values in numeric:
            try:
                values.append(parse(cells[place]))
            except NumberFault as error:
                raise TableFault(error.code, error.message, line, name) from error
        for place, found in exact:
            found.append(cells[place])
    if spec.rows is not None and len(keys) != spec.rows:
        told = f"the reference has {len(keys):,} rows; the task asks for {spec.rows:,}"
        raise TableFault(codes.ROW_COUNT, told)
    expectations = tuple(
        Expectation(column.name, numbers[column.name], column.tolerance,
                    codes.OUT_OF_TOLERANCE, "the reference")
        for column in spec.numeric
    )  # fmt: skip
    return ReferenceTable(keys, expectations, texts)


def key_getter(places: Sequence[int]) -> Callable[[list[str]], Key]:
    """Return what takes the key out of a row's cells."""
    if len(places) == 1:
        place = places[0]
        return lambda cells: (cells[place],)
    return itemgetter(*places)


def header_fault(found: Sequence[str], wanted: Sequence[str]) -> str | None:
    """Return how a header differs from the one that is asked for; None if it doesn't.

    Examples
    --------
    >>> header_fault(["gene", "log2fc", "n"], ["gene", "n", "log2fc"])
    "the columns are in another order: 'gene', 'n', 'log2fc' is asked for"
    """
    if list(found) == list(wanted):
        return None
    if not found:
        return "the file has no header: it is empty"
    if sorted(found) == sorted(wanted):
        return f"the columns are in another order: {_names(wanted)} is asked for"
    present, asked = set(found), set(wanted)
    lacking = [name for name in wanted if name not in present]
    extra = [name for name in found if name not in asked]
    told = [f"{len(found):,} columns where {len(wanted):,} are asked for"]
    told += [f"lacking {_names(lacking)}"] if lacking else []
    told += [f"unknown {_names(extra)}"] if extra else []
    if not lacking and not extra:
        told.append("one is there twice")
    return "; ".join(told)


def say_key(key: Key) -> str:
    """Return a key for a message."""
    return ", ".join(shown(cell) for cell in key)


def _names(names: Sequence[str]) -> str:
    text = ", ".join(shown(name) for name in names[:_COLUMNS_SHOWN])
    more = len(names) - _COLUMNS_SHOWN
    return text if more <= 0 else f"{text} and {more:,} more"


def row_length(cells_n: int, wanted_n: int) -> str:
    """Return how a row's length differs."""
    return f"the row has {cells_n:,} cells; the header has {wanted_n:,}"


def parser_of(column: NumericColumn) -> Callable[[str], float]:
    """Return what reads a cell of the column: an int where whole numbers are asked for."""
    return parse_whole if column.integer else parse_number
