"""Reads ``processed_data.jsonl``: tasks with their rubrics."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import (
    MAX_PROBLEMS_SHOWN,
    BadInputError,
    Problem,
    SourceRef,
)
from eval_tiers.formats.base import RecordFault
from eval_tiers.io.rows import iter_rows, parse_row
from eval_tiers.rubrics.tasks import RubricTask, parse_task

_NEAR: Final = 0.85
_FEW_AXES: Final = 500  # of more, nearly alike spellings aren't looked for: it would take too long


def read_tasks(path: Path, strict: bool = True) -> tuple[list[RubricTask], list[Finding]]:
    """Read all tasks of a file.

    Parameters
    ----------
    path : Path
        JSON Lines or one JSON array; plain, gzip or zstd.
    strict : bool
        Whether a row that can't be used, or a sample_id that is there twice, is an error. Else it
        is a finding of level ``error``, and the row (of two with one id the later) is left out.

    Returns
    -------
    tasks : list of RubricTask
        In the order of the file.
    findings : list of Finding
        In the order of the file.

    Raises
    ------
    MissingResourceError
        No such file, or it can't be read.
    BadInputError
        There is no task in it; or, if ``strict``, any that can't be used.
    """
    tasks: list[RubricTask] = []
    findings: list[Finding] = []
    line_of: dict[str, int] = {}
    for line, raw in iter_rows(path, None):
        where = SourceRef(str(path), line)
        try:
            task, found = parse_task(parse_row(raw, strict=True), where)
        except RecordFault as fault:
            findings.append(
                Finding(fault.code, fault.message, replace(where, field=fault.field), "error",
                        fault.fix)
            )  # fmt: skip
            continue
        findings += found
        if task.sample_id in line_of:
            message = f"the sample_id is there twice, first in line {line_of[task.sample_id]}"
            twice = replace(where, field="sample_id", sample=task.sample_id)
            findings.append(
                Finding(
                    "duplicate-sample", message, twice, "error", "give each task an id of its own"
                )
            )
            continue
        line_of[task.sample_id] = line
        tasks.append(task)
    errors = [finding for finding in findings if finding.level == "error"]
    if errors and strict:
        shown = [
            Problem(one.code, one.message, one.where, one.fix)
            for one in errors[:MAX_PROBLEMS_SHOWN]
        ]
        raise BadInputError(shown, len(errors))
    if not tasks and not errors:
        raise BadInputError(
            Problem("empty-file", "the file holds no task", SourceRef(str(path)),
                    "name a processed_data.jsonl: one task a line")
        )  # fmt: skip
    return tasks, findings + check_axes(tasks, str(path))


def check_axes(tasks: Sequence[RubricTask], path: str) -> list[Finding]:
    """Warn of an axis that is used once and is spelled nearly as another one.

    Axes are free text, so that none is wrong by itself. Two that differ only in case, blanks or
    punctuation are warned of however often they are used.
    """
    counts: Counter[str] = Counter()
    first: dict[str, RubricTask] = {}
    for task in tasks:
        for rubric in task.rubrics:
            if rubric.axis:
                counts[rubric.axis] += 1
                first.setdefault(rubric.axis, task)
    ranked = sorted(counts, key=lambda axis: (-counts[axis], axis))
    folded = {axis: "".join(filter(str.isalnum, axis.casefold())) for axis in ranked}
    commonest: dict[str, str] = {}
    findings = []
    for place, axis in enumerate(ranked):
        near: str | None = commonest.setdefault(folded[axis], axis)
        if near == axis:
            near = None
            if counts[axis] == 1 and len(ranked) <= _FEW_AXES:
                others = (one for one in ranked[:place] if _alike(folded[one], folded[axis]))
                near = next(others, None)
        if near is not None:
            task = first[axis]
            message = f"the axis {axis[:60]!r} is spelled nearly as {near[:60]!r}"
            where = SourceRef(path, task.line, "axis", task.sample_id)
            fix = "write both the same way if they are one; else they are counted apart"
            findings.append(Finding("unknown-axis", message, where, fix=fix))
    return findings


def _alike(one: str, other: str) -> bool:
    matcher = difflib.SequenceMatcher(None, one, other, autojunk=False)
    return matcher.real_quick_ratio() >= _NEAR and matcher.ratio() >= _NEAR
