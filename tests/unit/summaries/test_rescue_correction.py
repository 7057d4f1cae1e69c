"""Corrected figures of one kind of question, as merge writes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from eval_tiers.metrics.judge_correction import lang_reiczigel, multinomial_shares
from eval_tiers.summaries.rescue_correction import kind_correction
from eval_tiers.summaries.rescue_judged import NO_VERDICT, Judged

THREE = ("ANSWER_BUG", "ALTERNATE", "CHAIN_BUG")
TWO = ("YES", "NO")
CONFUSION = {
    "ANSWER_BUG": {"ANSWER_BUG": 80, "ALTERNATE": 10, "CHAIN_BUG": 8, None: 2},
    "ALTERNATE": {"ANSWER_BUG": 20, "ALTERNATE": 65, "CHAIN_BUG": 12, None: 3},
    "CHAIN_BUG": {"ANSWER_BUG": 25, "ALTERNATE": 10, "CHAIN_BUG": 60, None: 5},
}
OBSERVED = {"ANSWER_BUG": 206, "ALTERNATE": 84, "CHAIN_BUG": 98, None: 12}
YES_NO = {"YES": {"YES": 85, "NO": 13, None: 2}, "NO": {"YES": 20, "NO": 80}}


def controls(
    confusion: Mapping[str, Mapping[str | None, int]], size: int = 1, **more: Any
) -> list[Judged]:
    flat = [
        (truth, verdict)
        for truth, row in confusion.items()
        for verdict, n in row.items()
        for _ in range(n)
    ]
    return [Judged(v, f"c{i // size}", truth=t, **more) for i, (t, v) in enumerate(flat)]


def cases(observed: Mapping[str | None, int], size: int = 1) -> list[Judged]:
    flat = [verdict for verdict, n in observed.items() for _ in range(n)]
    return [Judged(verdict, f"h{i // size}") for i, verdict in enumerate(flat)]


def correct(*arguments: Any, **more: Any) -> dict[str, Any]:
    found = kind_correction(*arguments, **more)
    json.dumps(found, allow_nan=False)  # strict JSON
    return found


def test_three_verdicts() -> None:
    found = correct(THREE, controls(CONFUSION), cases(OBSERVED))
    assert found["method"] == "multinomial" and found["refusal"] is None
    assert found["confusion"]["CHAIN_BUG"] == {
        "ANSWER_BUG": 25, "ALTERNATE": 10, "CHAIN_BUG": 60, NO_VERDICT: 5,
    }  # fmt: skip
    assert found["observed"] == {
        "ANSWER_BUG": 206, "ALTERNATE": 84, "CHAIN_BUG": 98, NO_VERDICT: 12,
    }  # fmt: skip
    assert found["control_n"] == dict.fromkeys(THREE, 100) and found["observed_n"] == 400
    matrix = [list(row.values()) for row in CONFUSION.values()]
    shares, _ = multinomial_shares(matrix, list(OBSERVED.values()))
    assert [found["share"][truth]["share"] for truth in THREE] == list(shares or ())
    for truth in THREE:
        one = found["share"][truth]
        assert 0 <= one["low"] < one["share"] < one["high"] <= 1
    assert found["naive_share"]["ANSWER_BUG"]["share"] == 206 / 400
    assert found["notes"] == [] and found["unlike_controls"] is False


def test_a_verdict_of_no_truth_counts_as_none() -> None:
    judged = [*cases(OBSERVED), Judged("MAYBE", "x")]
    assert correct(THREE, controls(CONFUSION), judged)["observed"][NO_VERDICT] == 13
    stray = [*controls(CONFUSION), Judged("YES", "x", truth="YES")]
    assert correct(THREE, stray, cases(OBSERVED))["control_n"] == dict.fromkeys(THREE, 100)


def test_two_verdicts() -> None:
    found = correct(TWO, controls(YES_NO), cases({"YES": 144, "NO": 50, None: 6}))
    assert found["method"] == "rogan_gladen"
    assert (found["sensitivity_rate"], found["specificity_rate"]) == (0.85, 0.8)
    yes, no = found["share"]["YES"], found["share"]["NO"]
    assert yes["share"] == pytest.approx(0.8) and no["share"] == pytest.approx(0.2)
    assert (yes["low"], yes["high"]) == pytest.approx(lang_reiczigel(144, 200, 85, 100, 80, 100))
    assert (no["low"], no["high"]) == pytest.approx((1 - yes["high"], 1 - yes["low"]))


def test_two_verdicts_at_the_edge_keep_the_unclipped_value() -> None:
    found = correct(TWO, controls(YES_NO), cases({"YES": 36, "NO": 164}))
    yes = found["share"]["YES"]
    assert yes["share"] == 0 and yes["unclipped"] == pytest.approx(-0.02 / 0.65)
    assert yes["low"] == 0 < yes["high"] and not found["unlike_controls"]


def test_clusters_widen_and_a_single_one_gives_no_interval() -> None:
    for truths, confusion, observed in (
        (THREE, CONFUSION, OBSERVED),
        (TWO, YES_NO, {"YES": 144, "NO": 56}),
    ):
        widths = []
        for size in (1, 8):
            one = correct(truths, controls(confusion, size), cases(observed, size))["share"]
            widths.append(one[truths[0]]["high"] - one[truths[0]]["low"])
        assert widths[1] > 1.5 * widths[0]
        single = correct(truths, controls(confusion, 1000), cases(observed, 1000))
        assert single["share"][truths[0]]["low"] is None
        assert single["share"][truths[0]]["share"] is not None
        assert not single["unlike_controls"]
        assert any("clusters" in note for note in single["notes"])


@pytest.mark.parametrize(
    ("truths", "confusion", "observed", "code"),
    [
        (THREE, {**CONFUSION, "ALTERNATE": {"ALTERNATE": 29}}, OBSERVED, "few-controls"),
        (THREE, {**CONFUSION, "CHAIN_BUG": CONFUSION["ANSWER_BUG"]}, OBSERVED, "near-singular"),
        (THREE, CONFUSION, {}, "no-cases"),
        (THREE, {}, OBSERVED, "few-controls"),
        (TWO, {"YES": {"YES": 60, "NO": 40}, "NO": {"YES": 50, "NO": 50}}, {"YES": 9}, "near-chance"),
        (TWO, {"YES": {"YES": 29}, "NO": {"NO": 80}}, {"YES": 9}, "few-controls"),
    ],
)  # fmt: skip
def test_refusals(truths: tuple[str, ...], confusion: Any, observed: Any, code: str) -> None:
    found = correct(truths, controls(confusion), cases(observed))
    assert found["method"] is None and found["share"] is None
    assert found["refusal"]["code"] == code
    for row in found["if_worse"]:
        assert row["share"] is None and row["low"] is None and row["high"] is None


def test_the_verdicts_of_lenient_and_of_worse_examiners() -> None:
    found = correct(THREE, controls(CONFUSION), cases(OBSERVED))
    five, ten = found["if_worse"]
    assert (five["worse_points"], ten["worse_points"]) == (5, 10)
    for row in (five, ten):
        assert sum(row["share"].values()) == pytest.approx(1)
        for truth in THREE:
            assert row["low"][truth] <= row["share"][truth] <= row["high"][truth]
        assert row["undefined_n"] == 0
    assert ten["high"]["ANSWER_BUG"] > five["high"]["ANSWER_BUG"]
    assert ten["low"]["ANSWER_BUG"] < found["share"]["ANSWER_BUG"]["share"]
    # By hand: (.72 + .75 - 1) / (.80 + .75 - 1)
    two = correct(TWO, controls(YES_NO), cases({"YES": 144, "NO": 56}))["if_worse"][0]
    assert two["share"]["YES"] == pytest.approx(0.47 / 0.55)
    # Sensitivity alone worse: .52 / .60; specificity alone: .47 / .60.
    assert two["high"]["YES"] == pytest.approx(0.52 / 0.60)
    assert two["low"]["YES"] == pytest.approx(0.47 / 0.60)


def test_a_worse_examiner_may_be_past_correction() -> None:
    weak = {"YES": {"YES": 65, "NO": 35}, "NO": {"YES": 40, "NO": 60}}  # Youden .25
    five, ten = correct(TWO, controls(weak), cases({"YES": 50, "NO": 50}))["if_worse"]
    assert five["share"] is None and five["undefined_n"] == 1  # .15; one alone .20
    assert ten["share"] is None and ten["undefined_n"] == 3 and ten["low"] is None


def test_exactly_30_controls_can_get_worse() -> None:
    exact = {truth: {truth: 29, None: 1} for truth in THREE}
    found = correct(THREE, controls(exact), cases(OBSERVED))
    assert found["if_worse"][0]["undefined_n"] == 0


def test_verdicts_unlike_the_controls_are_noted() -> None:
    three = correct(THREE, controls(CONFUSION), cases({"ANSWER_BUG": 10, "CHAIN_BUG": 390}))
    two = correct(TWO, controls(YES_NO), cases({"YES": 2, "NO": 198}))
    for found in (three, two):
        assert found["unlike_controls"] and "don't stand for" in found["notes"][0]
    assert two["share"]["YES"]["low"] is None


def labelled(n: int, inclusion: float | None = None) -> list[Judged]:
    """Return 300 cases, the first n labelled: a fifth of them not what the verdict says."""
    made = []
    for i in range(300):
        verdict = THREE[i % 3]
        truth = (verdict if i % 5 else "CHAIN_BUG") if i < n else None
        made.append(Judged(verdict, f"h{i}", truth=truth, inclusion=inclusion if truth else None))
    return made


def test_labels_by_people_replace_the_controls() -> None:
    found = correct(THREE, controls(CONFUSION), labelled(100, 1 / 3))
    assert found["method"] == "prediction_powered"
    assert found["labels"]["label_n"] == 100
    assert found["if_worse"] == []  # the controls' error rates play no part
    # Exactly what people found, as verdicts are spread alike: 27 of 100, and 27 more of 200.
    assert found["share"]["ANSWER_BUG"]["share"] == pytest.approx(0.27, abs=0.01)
    assert found["share"]["ANSWER_BUG"]["weight_of_judge"] > 0.4
    assert found["share_by_controls"]["ANSWER_BUG"]["share"] < 0.27
    agreement = found["labels"]["agreement"]
    assert agreement["raw"] == pytest.approx(0.87, abs=0.02) and agreement["kappa"] > 0.7
    assert correct(THREE, [], labelled(100))["method"] == "prediction_powered"


def test_labels_that_cannot_be_used() -> None:
    few = correct(THREE, controls(CONFUSION), labelled(9))
    assert few["method"] == "multinomial" and few["labels"]["refusal"]["code"] == "few-labels"
    some = labelled(60, 0.2)
    some[0] = Judged("ANSWER_BUG", "h0", truth="ANSWER_BUG")
    missing = correct(THREE, controls(CONFUSION), some)
    assert missing["method"] == "multinomial"
    assert missing["labels"]["refusal"]["code"] == "inclusion-missing"


def test_calibration_on_the_controls() -> None:
    sure = [
        *controls({"ANSWER_BUG": {"ANSWER_BUG": 8, "CHAIN_BUG": 2}}, confidence=0.9,
                  verdict_prob={"ANSWER_BUG": 0.5, "ALTERNATE": 0.2, "CHAIN_BUG": 0.3}),
        Judged(None, "x", truth="ALTERNATE", confidence=0.9),
        Judged("ALTERNATE", "y", truth="ALTERNATE", confidence=7.0),
    ]  # fmt: skip
    found = correct(THREE, sure, [])["calibration"]
    claimed, given = found["confidence"], found["verdict_prob"]
    assert (claimed["n"], claimed["missing_n"], given["n"]) == (10, 2, 10)
    assert claimed["brier"] == pytest.approx(0.8 * 0.01 + 0.2 * 0.81)
    assert claimed["expected_calibration_error"] == pytest.approx(0.1)
    # 8 rows say .5 and are right, 2 say .3 and are not.
    assert given["brier"] == pytest.approx(0.8 * 0.25 + 0.2 * 0.09)
    assert given["brier_all_verdicts"] == pytest.approx(0.25 + 0.04 + 0.09)


def test_the_seed_is_all_that_is_random() -> None:
    one = kind_correction(THREE, controls(CONFUSION), cases(OBSERVED), seed=3)
    assert one == kind_correction(THREE, controls(CONFUSION)[::-1], cases(OBSERVED)[::-1], seed=3)
