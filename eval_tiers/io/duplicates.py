"""Ids that are given twice: duplicates in gold, rollouts or duplicates in predictions."""

from __future__ import annotations

import numpy as np

from eval_tiers.exceptions import Problem
from eval_tiers.formats.base import BenchmarkFormat, RecordFault
from eval_tiers.io.indexing import HAS_ID, Int64Array, ProblemList, RowSide
from eval_tiers.io.rows import RowTable, parse_row, read_rows


def unique_gold(
    gold: RowSide, benchmark: BenchmarkFormat, problems: ProblemList, duplicates: str
) -> tuple[Int64Array, int]:
    """Return the gold rows to score; ids given twice are problems or, by choice, dropped."""
    order = np.flatnonzero(gold.state == HAS_ID)
    order = order[np.argsort(gold.hashes[order], kind="stable")]
    again = np.flatnonzero(np.diff(gold.hashes[order]) == 0)
    if len(again) == 0:
        return np.arange(len(gold.table)), 0
    lost: list[int] = []
    for place in again.tolist():
        first, second = int(order[place]), int(order[place + 1])
        ids = [_row_id(gold.table, row, benchmark) for row in (first, second)]
        if ids[0] != ids[1]:
            continue
        if duplicates == "error":
            fix = "keep one, or go on with --duplicates first (or last)"
            problems.add(_duplicate(gold.table, first, second, ids[1], fix))
        lost.append(first if duplicates == "last" else second)
    keep = np.ones(len(gold.table), np.bool_)
    keep[lost] = False
    return np.flatnonzero(keep), len(set(lost))


def _row_id(table: RowTable, row: int, benchmark: BenchmarkFormat) -> str | None:
    try:
        return benchmark.id_of(parse_row(read_rows(table, np.array([row]))[0]))
    except RecordFault:
        return None


def _duplicate(
    table: RowTable,
    first: int,
    second: int,
    sample_id: str | None,
    fix: str = "give each answer its own 'rollout', or go on with --duplicates first (or last)",
) -> Problem:
    lines = f"lines {int(table.line[first])} and {int(table.line[second])}"
    return Problem(
        "duplicate-id",
        f"the id '{sample_id}' is given twice: {lines}",
        table.where(second, None, sample_id),
        fix,
    )


def rollouts_of(
    table: RowTable,
    rows: Int64Array,
    benchmark: BenchmarkFormat,
    problems: ProblemList,
    duplicates: str,
) -> tuple[list[int], int]:
    """Sort the rows of one id by rollout; return those to score and how many were dropped."""
    by_rollout: dict[str | None, int] = {}
    unreadable: list[int] = []
    dropped = 0
    for row, raw in zip(rows.tolist(), read_rows(table, rows), strict=True):
        try:
            parsed = benchmark.parse_prediction(parse_row(raw))
        except RecordFault:
            unreadable.append(row)
            continue
        earlier = by_rollout.get(parsed.rollout)
        if earlier is None:
            by_rollout[parsed.rollout] = row
            continue
        dropped += 1
        if duplicates == "error":
            problems.add(_duplicate(table, earlier, row, parsed.sample_id))
        elif duplicates == "last":
            by_rollout[parsed.rollout] = row
    if not by_rollout:
        return unreadable[:1], len(unreadable) - 1
    ordered = sorted(by_rollout.items(), key=lambda item: _rollout_key(item[0]))
    return [row for _, row in ordered], dropped + len(unreadable)


def _rollout_key(rollout: str | None) -> tuple[int, int, str]:
    if rollout is None:
        return (0, 0, "")
    is_number = rollout.isdecimal() and len(rollout) < 19
    return (1, int(rollout), "") if is_number else (2, 0, rollout)
