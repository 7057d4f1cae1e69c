"""What repeats and controls say of an examiner: hand-worked shares, and what is left out."""

from __future__ import annotations

from typing import Any

import pytest
from statsmodels.stats.proportion import proportion_confint

from eval_tiers.io.rubric_export import RubricExport
from eval_tiers.pipeline.rubrics.judged import Judged, JudgedExport
from eval_tiers.pipeline.rubrics.planned import Subject, plan_parts
from eval_tiers.pipeline.rubrics.reliability import control_figures, repeat_figures
from eval_tiers.rescue.settling import Outcome
from eval_tiers.rubrics.asked import WHOLE, Entry
from eval_tiers.rubrics.tasks import parse_task
from eval_tiers.rubrics.tokens import Ruler
from tests.rubric_rows import task

YES, NO = Outcome("Satisfied"), Outcome("Not Satisfied")
ENTRY = Entry("c", "r", 0, WHOLE, 1, 1, 0)


def judged(*outcomes: Outcome) -> Judged:
    return Judged([ENTRY], outcomes[0], list(outcomes))


def figures(
    cases: list[Outcome], planted: list[Outcome], removed: list[Outcome], weight: float = 1.0
) -> dict[str, Any]:
    """One rubric a task, so that every row stands for itself."""
    n = max(len(cases), len(planted), len(removed))
    tasks = [{"sample_id": f"r{i}", "rubrics": [{"weight": weight}]} for i in range(n)]
    controls = [
        {"kind": kind, "sample_id": f"r{i}", "rubric_index": 0, "entries": [ENTRY]}
        for kind, found in (("planted", planted), ("removed", removed))
        for i in range(len(found))
    ]
    export = RubricExport(
        None, [], {"tasks": tasks, "settings": {"seed": 0}}, controls  # type: ignore[arg-type]
    )  # fmt: skip
    found = JudgedExport(
        {(f"r{i}", 0): judged(one) for i, one in enumerate(cases)},
        [judged(one) for one in (*planted, *removed)],
    )
    return control_figures(export, found)


def test_the_corrected_share_of_the_specification() -> None:
    # sensitivity .85, specificity .80, 144 of 200 Satisfied: (.72 + .8 - 1) / .65 = .8
    found = figures([YES] * 144 + [NO] * 56, [YES] * 85 + [NO] * 15, [NO] * 80 + [YES] * 20)["all"]
    assert found["sensitivity"]["rate"] == pytest.approx(0.85)
    assert found["specificity"]["rate"] == pytest.approx(0.80)
    assert found["naive_share"]["Satisfied"]["share"] == pytest.approx(0.72)
    share = found["share"]["Satisfied"]
    assert share["share"] == pytest.approx(0.8)
    assert (round(share["low"], 2), round(share["high"], 2)) == (0.67, 0.94)


def test_intervals_are_wilsons() -> None:
    found = figures([YES], [YES] * 17 + [NO] * 3, [NO] * 20)["all"]
    low, high = proportion_confint(17, 20, method="wilson")
    assert found["sensitivity"] == {
        "rate": 0.85, "n": 20, "low": pytest.approx(low), "high": pytest.approx(high),
    }  # fmt: skip
    assert found["specificity"]["high"] == 1


def test_under_thirty_of_either_nothing_is_corrected() -> None:
    found = figures([YES] * 10, [YES] * 30, [NO] * 29)["all"]
    assert found["share"] is None and found["refusal"]["code"] == "few-controls"
    assert figures([YES] * 10, [YES] * 30, [NO] * 30)["all"]["share"] is not None


def test_penalties_are_judged_by_their_own_controls() -> None:
    found = figures([YES] * 10, [YES] * 30, [NO] * 30, weight=-2.0)
    assert found["penalty"]["share"]["Satisfied"]["share"] == 1
    assert found["positive"]["sensitivity"]["n"] == 0
    assert found["positive"]["sensitivity"]["rate"] is None


def test_what_is_owed_is_left_out_and_what_has_no_verdict_is_not_satisfied() -> None:
    owed, unread = Outcome(None, "missing"), Outcome(None, "no_json")
    found = figures([YES, owed, unread], [YES, owed, unread], [unread, owed])["all"]
    assert found["sensitivity"]["rate"] == 0.5 and found["sensitivity"]["n"] == 2
    assert found["specificity"]["rate"] == 1
    assert found["observed"] == {"Satisfied": 1, "Not Satisfied": 0, "no_verdict": 1}


def test_partly_satisfied_counts_as_not_satisfied_here() -> None:
    partly = Outcome("Partially Satisfied")
    found = figures([partly, YES], [partly, YES], [partly])["all"]
    assert (found["sensitivity"]["rate"], found["specificity"]["rate"]) == (0.5, 1)


def test_no_controls_no_figures() -> None:
    assert figures([YES], [], []) == {"n": {"planted": 0, "removed": 0}}


def test_repeats_that_flip() -> None:
    found = JudgedExport({("a", 0): judged(YES, YES, NO), ("b", 0): judged(YES, YES, YES)})
    figures = repeat_figures(found)
    assert (figures["repeated_n"], figures["flip_rate"]) == (2, 0.5)
    assert figures["repeat_agreement"] == pytest.approx((1 / 3 + 1) / 2)


def test_a_control_of_another_text_has_another_id() -> None:
    """An export of more controls may give a number to another kind: old replies aren't its own."""
    asked = parse_task(task("r1", [5]))[0]
    ids = [
        plan_parts([Subject(asked, (0,), text, number)], Ruler(100), 1, "00")[0]
        .entries[0]
        .custom_id
        for text, number in (("planted", 0), ("removed", 0), ("planted", 0))
    ]
    assert ids[0] == ids[2] != ids[1]
