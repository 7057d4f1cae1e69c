"""Which verdict belongs to which rubric of which sample; what is missing, extra or twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import SourceRef
from eval_tiers.formats.base import RecordFault
from eval_tiers.rubrics.pairs import (
    AMBIGUOUS,
    CONFLICT,
    FAILED,
    MISSING,
    REJECTED,
    SCORED,
    STATES,
    Coverage,
    Expected,
    Pair,
    count_states,
    name_of,
    row_place,
    words_of,
)
from eval_tiers.rubrics.placing import Placed, add_extra, place_by_index, place_by_title
from eval_tiers.rubrics.results import GivenRow, verdict_score
from eval_tiers.rubrics.tasks import RubricTask

__all__ = [
    "AMBIGUOUS", "CONFLICT", "FAILED", "MISSING", "REJECTED", "SCORED", "STATES", "Coverage",
    "Expected", "Pair", "build_coverage", "count_states", "expected_of_rows", "expected_of_tasks",
]  # fmt: skip


def expected_of_tasks(tasks: Sequence[RubricTask]) -> dict[str, list[Expected]]:
    """Return what the data expects, by sample."""
    return {
        task.sample_id: [
            Expected(task.sample_id, place, one.criterion, one.weight, one.axis, task.domain)
            for place, one in enumerate(task.rubrics)
        ]
        for task in tasks
    }


def expected_of_rows(rows: Sequence[GivenRow]) -> dict[str, list[Expected]]:
    """Return what rows hold, by sample, where there is no data to say what they should.

    Rows without ``rubric_index`` are told apart by their titles. Of one title in one file, rows of
    the same content are one; others are as many rubrics.
    """
    titles: dict[str, dict[int, set[str]]] = {}
    loose: dict[str, dict[str, dict[str | None, set[bytes]]]] = {}
    for given in rows:
        row, title = given.row, words_of(given.row.rubric_title)
        if row.rubric_index is None:
            files = loose.setdefault(row.sample_id, {}).setdefault(title, {})
            files.setdefault(given.where.path, set()).add(given.digest)
        else:
            titles.setdefault(row.sample_id, {}).setdefault(row.rubric_index, set()).add(title)
    found: dict[str, list[Expected]] = {}
    for sample_id in sorted({*titles, *loose}):
        by_index = titles.get(sample_id, {})
        expected = [
            Expected(sample_id, index, next(iter(said)) if len(said) == 1 else None)
            for index, said in sorted(by_index.items())
        ]
        indexed = {title for said in by_index.values() for title in said}
        for title, files in sorted(loose.get(sample_id, {}).items()):
            if title not in indexed:
                n = max(map(len, files.values()))
                expected += [Expected(sample_id, None, title)] * n
        found[sample_id] = expected
    return found


def build_coverage(
    rows: Sequence[GivenRow],
    expected: Mapping[str, Sequence[Expected]],
    is_known: bool,
    ternary: bool = False,
    binarize: bool = False,
) -> Coverage:
    """Give each row to the rubric that it is of, and each rubric its verdict.

    Parameters
    ----------
    rows : sequence of GivenRow
        In the order of the files: rubrics of one text and without ``rubric_index`` are told apart
        by it, within a file, and only where a file has a row for each of them.
    expected : mapping of str to sequence of Expected
        By sample.
    is_known : bool
        Whether ``expected`` is what the data says.
    ternary, binarize : bool
        See `verdict_score`.

    Notes
    -----
    Rows of one pair that say the same count once; where they differ, the pair is unscored. A row
    without success gives way to one with a verdict. A rejected row is listed and says nothing.
    """
    coverage = Coverage(is_known)
    placed: Placed = {}
    unclear: dict[tuple[str, int], int] = {}
    groups: dict[tuple[str | None, str, str], list[GivenRow]] = {}
    for given in rows:
        if given.row.sample_id not in expected:
            add_extra(coverage, given, "no task has this sample_id")
        elif given.row.rubric_index is None:
            key = given.where.path, given.row.sample_id, words_of(given.row.rubric_title)
            groups.setdefault(key, []).append(given)
        else:
            place_by_index(coverage, given, expected[given.row.sample_id], placed)
    for (_, sample_id, title), group in groups.items():
        place_by_title(coverage, group, title, expected[sample_id], placed, unclear)
    for sample_id, listed in expected.items():
        coverage.pairs[sample_id] = [
            _pair_of(
                coverage, one, placed.get((sample_id, place), []),
                unclear.get((sample_id, place), 0), ternary, binarize,
            )
            for place, one in enumerate(listed)
        ]  # fmt: skip
    return coverage


def _pair_of(
    coverage: Coverage,
    expected: Expected,
    rows: list[GivenRow],
    unclear_n: int,
    ternary: bool,
    binarize: bool,
) -> Pair:
    scored: list[tuple[str, float]] = []
    faults: list[RecordFault] = []
    failed: list[GivenRow] = []
    for given in rows:
        fault = given.fault
        if fault is None and not given.row.success:
            failed.append(given)
            continue
        if fault is None:
            try:
                scored.append((given.row.verdict, verdict_score(given.row, ternary, binarize)))
            except RecordFault as found:
                fault = found
        if fault is not None:
            faults.append(fault)
            where = replace(given.where, field=fault.field, sample=expected.sample_id)
            message = f"{name_of(expected)}: {fault.message}"
            coverage.rejected.append(Finding(fault.code, message, where, fix=fault.fix))
    expected = _completed(coverage, expected, rows)
    verdicts = sorted({verdict for verdict, _ in scored})
    if len(scored) > 1 or (not scored and len(failed) > 1) or (scored and failed):
        _add_duplicate(coverage, expected, rows, scored, failed)
    state, reason = SCORED, ""
    if unclear_n:
        state, reason = AMBIGUOUS, "rubrics of one text, and another number of rows"
    elif len(verdicts) > 1:
        state, reason = CONFLICT, f"rows say {' and '.join(verdicts)}"
    elif not scored and faults:
        state, reason = REJECTED, sorted(fault.message for fault in faults)[0]
    elif not scored and failed:
        said = sorted(given.row.reasoning or given.row.verdict for given in failed)[0]
        state, reason = FAILED, "success is false" + (f": {said[:120]}" if said else "")
    elif not scored:
        state, reason = MISSING, "no row"
    if state != SCORED:
        return Pair(expected, state, None, None, reason, tuple(rows))
    return Pair(expected, state, verdicts[0], scored[0][1], "", tuple(rows))


def _add_duplicate(
    coverage: Coverage,
    expected: Expected,
    rows: Sequence[GivenRow],
    scored: Sequence[tuple[str, float]],
    failed: Sequence[GivenRow],
) -> None:
    verdicts = sorted({verdict for verdict, _ in scored})
    lines = ", ".join(str(given.where.line) for given in sorted(rows, key=row_place))
    if len(verdicts) > 1:
        code, end = "conflicting-rows", f"they say {' and '.join(verdicts)}: unscored"
    elif len(scored) > 1:
        code, end = "duplicate-row", "they say the same: counted once"
    elif scored:
        code, end = "retried-row", f"{len(failed)} without success, one with a verdict: it counts"
    else:
        code, end = "duplicate-row", "none has success"
    where = replace(min(rows, key=row_place).where, sample=expected.sample_id)
    message = f"{name_of(expected)}: {len(rows)} rows, lines {lines}; {end}"
    fix = "name the file that counts" if len(verdicts) > 1 else None
    coverage.duplicates.append(Finding(code, message, where, fix=fix))


def _completed(coverage: Coverage, expected: Expected, rows: Sequence[GivenRow]) -> Expected:
    """Return what is expected with weight, axis and domain; list weights that differ."""
    weights = sorted({given.row.weight for given in rows if given.row.weight is not None})
    if expected.weight is None:
        if len(weights) > 1:
            found = " and ".join(f"{weight:g}" for weight in weights)
            message = f"{name_of(expected)}: rows give the weights {found}; it is unknown"
            _add_note(coverage, "weights-differ", message, expected, rows, "give --data")
        weight = weights[0] if len(weights) == 1 else None
        return replace(
            expected,
            weight=weight,
            axis=expected.axis if expected.axis is not None else _only(rows, "axis"),
            domain=expected.domain if expected.domain is not None else _only(rows, "domain"),
        )
    others = [weight for weight in weights if weight != expected.weight]
    if others:
        found = " and ".join(f"{weight:g}" for weight in others)
        message = (
            f"{name_of(expected)}: the row's weight is {found}, the data's {expected.weight:g}, "
            "which counts"
        )
        _add_note(coverage, "weight-not-of-data", message, expected, rows, None)
    return expected


def _only(rows: Sequence[GivenRow], name: str) -> str | None:
    said = {getattr(given.row, name) for given in rows} - {None}
    return said.pop() if len(said) == 1 else None


def _add_note(
    coverage: Coverage,
    code: str,
    message: str,
    expected: Expected,
    rows: Sequence[GivenRow],
    fix: str | None,
) -> None:
    where = min(rows, key=row_place).where
    where = SourceRef(where.path, where.line, "weight", expected.sample_id)
    coverage.notes.append(Finding(code, message, where, fix=fix))
