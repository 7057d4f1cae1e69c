"""Compliance: the worked numbers, and what becomes of rubrics without a score."""

from __future__ import annotations

import math

import pytest

from eval_tiers.rubrics.costs import token_cost
from eval_tiers.rubrics.coverage import build_coverage, expected_of_tasks
from eval_tiers.rubrics.scores import POLICIES, Compliance, compliance, sample_compliance
from eval_tiers.rubrics.tasks import parse_task
from tests.rubric_rows import given, row, rows, task


def scores(weights: list[float], letters: str, **options: bool) -> dict[str, float | None]:
    """The sample's score by policy; ``-`` is a rubric without a row."""
    expected = expected_of_tasks([parse_task(task("r1", weights))[0]])
    records = [one for one, letter in zip(rows("r1", letters, weights), letters, strict=True)
               if letter != "-"]  # fmt: skip
    coverage = build_coverage([given(one) for one in records], expected, True, **options)
    return {policy: sample_compliance(coverage.pairs["r1"], policy).value for policy in POLICIES}


def same(value: float | None) -> dict[str, float | None]:
    return dict.fromkeys(POLICIES, value)


@pytest.mark.parametrize(
    ("weights", "letters", "value"),
    [([5, 4, -4], "SSN", 1.0), ([5, 4, -4], "SSS", 5 / 9), ([5, 4, -4], "NNS", -4 / 9),
     ([1, -4], "NS", -4.0), ([5, 4, -4], "NNN", 0.0), ([-4, -1], "SN", None),
     ([0, 0], "SS", None), ([2, 0], "SN", 1.0)],
)  # fmt: skip
def test_worked_scores(weights: list[float], letters: str, value: float | None) -> None:
    assert scores(weights, letters) == same(pytest.approx(value) if value else value)


def test_three_valued_verdicts() -> None:
    assert scores([5, 5, -4], "PSP", ternary=True) == same(pytest.approx(0.55))
    assert scores([5, 5, -4], "PSP", binarize=True) == same(0.5)
    # without either, they are no verdicts
    assert scores([5, 5, -4], "PSP")["strict"] is None


def test_policies_by_hand() -> None:
    # 5 satisfied, 3 failed, penalty -4 not satisfied
    assert scores([5, 3, -4], "SFN") == {"strict": None, "exclude": 1.0, "zero": 0.625}
    # a failed penalty: zero takes it for not satisfied, which raises the score from .111 to .556
    assert scores([5, 4, -4], "SNF")["zero"] == pytest.approx(5 / 9)
    assert scores([5, 4, -4], "SNS")["zero"] == pytest.approx(1 / 9)
    # all positive ones unscored
    assert scores([5, -4], "FN") == {"strict": None, "exclude": None, "zero": 0.0}
    assert scores([5, 4], "FF") == {"strict": None, "exclude": None, "zero": 0.0}
    # a missing row is unscored as a failed one is; a sample without any row has no score at all
    assert scores([5, 3, -4], "S-N") == {"strict": None, "exclude": 1.0, "zero": 0.625}
    assert scores([5, 3, -4], "---") == same(None)


def test_reasons() -> None:
    expected = expected_of_tasks([parse_task(task("r1", [5, -1]))[0]])
    nothing = build_coverage([], expected, True).pairs["r1"]
    assert sample_compliance(nothing, "zero").reason.startswith("missing")
    one = build_coverage([given(row("r1", 1, "N", -1))], expected, True).pairs["r1"]
    assert sample_compliance(one, "strict").reason == "1 of 2 rubrics without a score"
    assert sample_compliance(one, "exclude").reason == "no scored rubric has a positive weight"


def test_clipped() -> None:
    assert [Compliance(x).clipped for x in (-0.4, 0.0, 0.7, None)] == [0.0, 0.0, 0.7, None]


def test_no_negative_zero() -> None:
    value = compliance([5, -4], [0, 0])
    assert value == 0
    assert math.copysign(1, value or 0.0) == 1


def test_the_cost_of_tokens() -> None:
    assert token_cost(2_392, 2_175, 1.25, 10) == pytest.approx(0.02474)
