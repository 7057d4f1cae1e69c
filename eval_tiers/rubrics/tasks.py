"""Tasks whose reports are judged: a prompt, what it is about, its rubrics with their weights."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import SourceRef
from eval_tiers.formats.base import RecordFault
from eval_tiers.rubrics.row_fields import sample_id_of

LEVELS: Final = {
    "conceptual_breadth": ("Simple", "Moderate", "Complex"),
    "logical_nesting": ("Simple", "Intermediate", "Complex"),
    "exploration": ("Low", "Medium", "High"),
}
"""Difficulty labels by field, in their order."""

MAX_WEIGHT: Final = 1e9
MIN_WEIGHT: Final = 1e-9
"""Nearest to 0 that a weight may be which isn't 0: a score is a ratio of weights."""
_FIX_TASK: Final = "give each task prompt, sample_id and a list of rubrics"


@dataclass(frozen=True, slots=True)
class Rubric:
    """One criterion. A negative weight is a penalty; the axis is free text, "" for none."""

    criterion: str
    weight: float
    axis: str


@dataclass(frozen=True, slots=True)
class RubricTask:
    """One task of ``processed_data.jsonl``.

    Attributes
    ----------
    sample_id, prompt : str
    domain, conceptual_breadth, logical_nesting, exploration : str
        As written; a label of `LEVELS` in its own spelling; "" where absent.
    rubrics : tuple of Rubric
        At least one; a rubric's place is its ``rubric_index``.
    line : int
        First physical line, from 1; 0 where unknown.
    """

    sample_id: str
    prompt: str
    domain: str
    conceptual_breadth: str
    logical_nesting: str
    exploration: str
    rubrics: tuple[Rubric, ...]
    line: int

    @property
    def positive_weight(self) -> float:
        """Sum of the positive weights: what compliance is a share of."""
        return math.fsum(rubric.weight for rubric in self.rubrics if rubric.weight > 0)


def parse_task(
    record: Mapping[str, Any], ref: SourceRef = SourceRef()
) -> tuple[RubricTask, list[Finding]]:
    """Parse one task.

    Parameters
    ----------
    record : mapping
    ref : SourceRef
        File and line of the record.

    Returns
    -------
    task : RubricTask
    findings : list of Finding
        Warnings: a weight of 0 or outside 1 to 5, an unknown difficulty label, no axis, two
        rubrics with one text, no positive weight.

    Raises
    ------
    RecordFault
        It can't be used: a field is missing or of the wrong kind.

    Examples
    --------
    >>> task, findings = parse_task({"prompt": "Report.", "sample_id": "r1", "domain": "Biology",
    ...     "conceptual_breadth": "Simple", "logical_nesting": "Simple", "exploration": "Low",
    ...     "rubrics": [{"criterion": "Names OSD-47", "weight": 9, "axis": "Evidence"}]})
    >>> task.rubrics[0].weight, [finding.code for finding in findings]
    (9.0, ['odd-weight'])
    """
    sample_id = sample_id_of(record, "task", _FIX_TASK)
    ref = replace(ref, sample=sample_id)
    prompt = record.get("prompt")
    if not isinstance(prompt, str) or not prompt.strip():
        raise RecordFault("no-prompt", "the prompt is missing, empty or no text", "prompt",
                          _FIX_TASK)  # fmt: skip
    listed = record.get("rubrics")
    if not isinstance(listed, list) or not listed:
        raise RecordFault("no-rubrics", "rubrics is no list, or an empty one", "rubrics",
                          "list at least one {criterion, weight, axis}")  # fmt: skip
    findings: list[Finding] = []
    rubrics = tuple(_rubric(one, place, ref, findings) for place, one in enumerate(listed))
    levels = {name: _level(record.get(name), name, ref, findings) for name in LEVELS}
    task = RubricTask(
        sample_id,
        prompt,
        _text(record.get("domain"), "domain"),
        levels["conceptual_breadth"],
        levels["logical_nesting"],
        levels["exploration"],
        rubrics,
        ref.line or 0,
    )
    findings += _check_rubrics(task, ref)
    return task, findings


def _rubric(record: object, place: int, ref: SourceRef, findings: list[Finding]) -> Rubric:
    field = f"rubrics[{place}]"
    if not isinstance(record, dict):
        raise RecordFault("bad-rubric", f"rubric {place} is no object", field,
                          "write {criterion, weight, axis}")  # fmt: skip
    criterion, weight = record.get("criterion"), record.get("weight")
    if not isinstance(criterion, str) or not criterion.strip():
        raise RecordFault("no-criterion", f"rubric {place} has no criterion", f"{field}.criterion",
                          "say what the report has to do")  # fmt: skip
    field_of_weight = f"{field}.weight"
    if isinstance(weight, bool) or not isinstance(weight, (int, float)):
        raise RecordFault("bad-weight", f"the weight {str(weight)[:40]!r} is no number",
                          field_of_weight, "write a number without quotes")  # fmt: skip
    try:
        number = float(weight)
    except OverflowError:
        number = math.inf
    if number and not MIN_WEIGHT <= abs(number) <= MAX_WEIGHT:
        message = f"the weight of rubric {place} is not finite, or too large or too small"
        raise RecordFault("bad-weight", message,
                          field_of_weight, "write a number, 1 to 5 or -5 to -1")  # fmt: skip
    if not 1 <= abs(number) <= 5:
        message = f"the weight {number:g} of rubric {place} is not within 1 to 5 or -5 to -1"
        findings.append(
            Finding("odd-weight", message, replace(ref, field=field_of_weight),
                    fix="check it; it counts as it is")
        )  # fmt: skip
    axis = _text(record.get("axis"), f"{field}.axis")
    if not axis:
        message = f"rubric {place} has no axis"
        findings.append(Finding("unknown-axis", message, replace(ref, field=f"{field}.axis"),
                                fix="name the axis; it is counted under none"))  # fmt: skip
    return Rubric(criterion, number, axis)


def _check_rubrics(task: RubricTask, ref: SourceRef) -> list[Finding]:
    findings = []
    counts = Counter(_words(rubric.criterion) for rubric in task.rubrics)
    for text, n in counts.items():
        if n > 1:
            places = [i for i, one in enumerate(task.rubrics) if _words(one.criterion) == text]
            message = f"rubrics {', '.join(map(str, places))} have the same text"
            fix = "make them differ; without rubric_index, rows are told apart by their order alone"
            findings.append(
                Finding("repeated-criterion", message, replace(ref, field="rubrics"), fix=fix)
            )
    if not task.positive_weight:
        message = "no rubric has a positive weight: the task can have no compliance score"
        findings.append(Finding("no-positive-weight", message, replace(ref, field="rubrics")))
    return findings


def _level(value: object, name: str, ref: SourceRef, findings: list[Finding]) -> str:
    text = _text(value, name)
    known = next((one for one in LEVELS[name] if one.casefold() == text.casefold()), None)
    if known is not None:
        return known
    said = f"{text!r} is" if text else "the label is missing:"
    message = f"{name}: {said} not one of {', '.join(LEVELS[name])}"
    findings.append(Finding("unknown-level", message, replace(ref, field=name)))
    return text


def _text(value: object, field: str) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise RecordFault("not-text", f"{field} is no text", field, "write it in quotes")
    return value.strip()


def _words(text: str) -> str:
    return " ".join(text.split())
