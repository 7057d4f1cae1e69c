"""Tasks: what is read, warned of and refused."""

from __future__ import annotations

import math
from typing import Any

import pytest

from eval_tiers.exceptions import SourceRef
from eval_tiers.formats.base import RecordFault
from eval_tiers.io.rubric_tasks import check_axes
from eval_tiers.rubrics.tasks import parse_task
from tests.rubric_rows import task


def codes(record: dict[str, Any]) -> list[str]:
    return [finding.code for finding in parse_task(record, SourceRef("data.jsonl", 3))[1]]


def rubric(**changes: Any) -> dict[str, Any]:
    return {"criterion": "names OSD-47", "weight": 5, "axis": "Evidence", **changes}


def test_a_sound_task() -> None:
    found, findings = parse_task(task("r1", [5, 4.5, -4]), SourceRef("data.jsonl", 3))
    assert findings == []
    assert [one.weight for one in found.rubrics] == [5.0, 4.5, -4.0]
    assert (found.sample_id, found.line, found.exploration) == ("r1", 3, "High")
    assert found.positive_weight == 9.5


def test_ids_of_numbers_are_texts() -> None:
    assert parse_task(task("x", [1], sample_id=17))[0].sample_id == "17"


@pytest.mark.parametrize("weight", [0, 0.5, -0.5, 5.5, -6, 100])
def test_odd_weights_are_warned_of_and_kept(weight: float) -> None:
    found, findings = parse_task(task("r1", [1, weight]))
    assert [finding.code for finding in findings] == ["odd-weight"]
    assert found.rubrics[1].weight == weight


@pytest.mark.parametrize("weight", [1, 5, -1, -5, 2.5])
def test_weights_within_one_and_five_are_not(weight: float) -> None:
    assert codes(task("r1", [1, weight])) == []


@pytest.mark.parametrize(
    "weight", ["5", None, True, [5], math.nan, math.inf, -math.inf, 10**400, 1e300, 1e-300]
)
def test_weights_that_are_no_numbers_are_refused(weight: Any) -> None:
    with pytest.raises(RecordFault) as found:
        parse_task(task("r1", [1], rubrics=[rubric(weight=weight)]))
    assert found.value.code == "bad-weight"
    assert found.value.field == "rubrics[0].weight"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"prompt": "  "}, "no-prompt"),
        ({"prompt": None}, "no-prompt"),
        ({"prompt": ["x"]}, "no-prompt"),
        ({"sample_id": None}, "no-sample-id"),
        ({"sample_id": " "}, "no-sample-id"),
        ({"sample_id": True}, "bad-id"),
        ({"sample_id": 1.5}, "bad-id"),
        ({"rubrics": []}, "no-rubrics"),
        ({"rubrics": "c0"}, "no-rubrics"),
        ({"rubrics": ["c0"]}, "bad-rubric"),
        ({"rubrics": [rubric(criterion="")]}, "no-criterion"),
        ({"rubrics": [rubric(criterion=3)]}, "no-criterion"),
        ({"rubrics": [rubric(axis=3)]}, "not-text"),
        ({"domain": ["Biology"]}, "not-text"),
    ],
)
def test_what_cannot_be_used_is_refused(changes: dict[str, Any], code: str) -> None:
    with pytest.raises(RecordFault) as found:
        parse_task(task("r1", [1], **changes))
    assert found.value.code == code


def test_difficulty_labels() -> None:
    found, findings = parse_task(task("r1", [1], conceptual_breadth="moderate", exploration="Huge"))
    assert found.conceptual_breadth == "Moderate"
    assert [(finding.code, finding.where.field) for finding in findings] == [
        ("unknown-level", "exploration")
    ]
    # "Moderate" is of breadth, "Intermediate" of nesting: not the other way round
    assert codes(task("r1", [1], conceptual_breadth="Intermediate")) == ["unknown-level"]
    assert codes(task("r1", [1], logical_nesting="Moderate")) == ["unknown-level"]
    missing = task("r1", [1])
    del missing["exploration"]
    assert codes(missing) == ["unknown-level"]


def test_rubrics_with_one_text_no_axis_no_positive_weight() -> None:
    twice = [rubric(), rubric(criterion=" names  OSD-47 ", weight=-1)]
    assert codes(task("r1", [], rubrics=twice)) == ["repeated-criterion"]
    assert codes(task("r1", [], rubrics=[rubric(axis=" ")])) == ["unknown-axis"]
    assert codes(task("r1", [-4, -1])) == ["no-positive-weight"]


def test_axes_spelled_nearly_alike() -> None:
    def tasks(*axes: str) -> list[Any]:
        return [parse_task(task("r1", [], rubrics=[rubric(criterion=axis, axis=axis)]))[0]
                for axis in axes]  # fmt: skip

    assert check_axes(tasks("Evidence", "Evidence", "Clarity"), "d") == []
    # "Evidance": used once, one letter off; "evidence": case alone, however often it is used
    for odd in ("Evidance", "evidence", "Evi-dence"):
        found = check_axes(tasks("Evidence", "Evidence", "Evidence", odd), "d")
        assert [finding.code for finding in found] == ["unknown-axis"], odd
        assert odd in found[0].message
    assert check_axes(tasks("Evidence", "Evidence", "evidence", "evidence"), "d") != []
    # used twice: maybe an axis of its own
    assert check_axes(tasks("Evidence", "Evidence", "Evidance", "Evidance"), "d") == []
