"""What a column has to be by the grader's observations."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from eval_tiers.submissions.codes import (
    DUPLICATE_KEY,
    HEADER_MISMATCH,
    NOT_FINITE,
    RECOMPUTATION_MISMATCH,
    ROW_LENGTH,
)
from eval_tiers.submissions.csv_rows import TableFault, delimiter_of, iter_rows
from eval_tiers.submissions.numbers import NumberFault, parse_number
from eval_tiers.submissions.reference import Expectation, Key, ReferenceTable, say_key
from eval_tiers.submissions.task import ArtifactSpec, Recomputation, ReduceName


def recompute(
    chunks: Iterable[bytes], rule: Recomputation, spec: ArtifactSpec, reference: ReferenceTable
) -> Expectation:
    """Return what the rule says of each row of the reference.

    Means and sums are rounded once, at the end. Without observations of a key a count is 0 and
    everything else has no number.

    Parameters
    ----------
    chunks : iterable of bytes
        The observations, or the table with key and column.
    rule : Recomputation
    spec : ArtifactSpec
    reference : ReferenceTable

    Raises
    ------
    TableFault
        The file can't be read, lacks a column, or a cell that is needed is no finite number.
    """
    if rule.table is not None:
        found, origin = _looked_up(chunks, rule, spec), f"by {rule.table}"
        absent: float | None = None
    else:
        found, origin = _grouped(chunks, rule), _say(rule)
        absent = 0 if rule.function == "count" else None
    values = [found.get(key, absent) for key in reference.keys]
    return Expectation(rule.column, values, rule.tolerance, RECOMPUTATION_MISMATCH, origin)


def with_expectations(
    reference: ReferenceTable, expectations: Sequence[Expectation]
) -> ReferenceTable:
    """Return the reference with more to hold the numbers against."""
    return replace(reference, expectations=(*reference.expectations, *expectations))


def _say(rule: Recomputation) -> str:
    of = f" of '{rule.value}'" if rule.value else ""
    return f"the {rule.function}{of} in {rule.source}"


def _looked_up(
    chunks: Iterable[bytes], rule: Recomputation, spec: ArtifactSpec
) -> dict[Key, float]:
    found: dict[Key, float] = {}
    for line, key, cell in _cells(chunks, rule.path, spec.key, rule.column):
        if key in found:
            raise TableFault(DUPLICATE_KEY, f"the key {say_key(key)} is there twice", line)
        found[key] = _number(cell, line, rule.column)
    return found


def _grouped(chunks: Iterable[bytes], rule: Recomputation) -> dict[Key, float]:
    rows = _cells(chunks, rule.path, rule.group_by, rule.value)
    if rule.function == "count":
        counts: dict[Key, float] = {}
        for _, key, cell in rows:
            counts[key] = counts.get(key, 0) + (rule.value is None or bool(cell.strip()))
        return counts
    groups: dict[Key, array[float]] = {}
    for line, key, cell in rows:
        groups.setdefault(key, array("d")).append(_number(cell, line, rule.value))
    return {key: _reduced(rule.function, values) for key, values in groups.items()}


def _reduced(function: ReduceName | None, values: array[float]) -> float:
    if function == "min":
        return min(values)
    if function == "max":
        return max(values)
    try:
        total = math.fsum(values)
    except OverflowError as error:
        raise TableFault(NOT_FINITE, f"the {function} is too large for a number") from error
    return total / len(values) if function == "mean" else total


def _cells(
    chunks: Iterable[bytes], path: str, key: Sequence[str], value: str | None
) -> Iterator[tuple[int, Key, str]]:
    """Yield line, key and the value's cell (empty without one) of each row."""
    rows = iter_rows(chunks, delimiter_of(path))
    header = next(rows, (1, []))[1]
    for name in (*key, *([value] if value is not None else [])):
        if header.count(name) != 1:
            told = "lacks" if name not in header else "has twice"
            raise TableFault(HEADER_MISMATCH, f"the header {told} the column '{name}'", 1, name)
    places = [header.index(name) for name in key]
    place = None if value is None else header.index(value)
    for line, cells in rows:
        if len(cells) != len(header):
            told = f"the row has {len(cells):,} cells; the header has {len(header):,}"
            raise TableFault(ROW_LENGTH, told, line)
        yield line, tuple([cells[at] for at in places]), "" if place is None else cells[place]


def _number(cell: str, line: int, column: str | None) -> float:
    try:
        return parse_number(cell)
    except NumberFault as error:
        raise TableFault(error.code, error.message, line, column) from error
