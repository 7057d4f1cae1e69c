"""Two systems on the same rubrics: paired, by hand and by independent oracles."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from eval_tiers.rubrics.scored_rows import ScoredRow, parse_pair
from eval_tiers.summaries.rubric_comparison import (
    MatchedRubrics,
    compare_matched,
    finish,
    rank_matched,
)

VERDICTS = {"S": "Satisfied", "N": "Not Satisfied", "P": "Partially Satisfied"}
SCORES = {"S": 1.0, "N": 0.0, "P": 0.5}


def judged(
    sample_id: str, weights: list[float | None], letters: str, **more: Any
) -> list[ScoredRow]:
    """Rubrics of one sample; ``-`` is unscored."""
    return [
        parse_pair(
            {"sample_id": sample_id, "rubric_index": i, "rubric_title": f"c{i}", "axis": "A",
             "weight": weight, "score": SCORES.get(letter), "verdict": VERDICTS.get(letter),
             "state": "scored" if letter in SCORES else "failed", **more}
        )
        for i, (weight, letter) in enumerate(zip(weights, letters, strict=True))
    ]  # fmt: skip


def compared(
    first: list[ScoredRow], second: list[ScoredRow], *scores: dict[str, float | None], **more: Any
) -> dict[str, Any]:
    given = (scores[0], scores[1]) if scores else ({}, {})
    found = compare_matched(MatchedRubrics(first, second, given, **more))
    finish([found])
    return found


def test_by_hand() -> None:
    weights: list[float | None] = [5, 4, -4]
    found = compared(
        judged("r1", weights, "SNS") + judged("r2", weights, "SSN"),
        judged("r1", weights, "SSN") + judged("r2", weights, "SNN"),
        {"r1": 1 / 9, "r2": 1.0}, {"r1": 1.0, "r2": 5 / 9},
    )  # fmt: skip
    assert (found["pair_n"], found["n"], found["sample_n"]) == (6, 6, 2)
    failures = found["measures"]["failure_rate"]
    # r1: the second criterion and the penalty fail in the first alone; r2: one in the second alone
    assert (failures["first"], failures["second"]) == pytest.approx((2 / 6, 1 / 6))
    assert failures["difference"] == pytest.approx(-1 / 6)
    cells = failures["mcnemar"]
    assert (cells["first_only_n"], cells["second_only_n"], cells["p"]) == (2, 1, 1.0)
    satisfied = found["measures"]["satisfied_rate"]
    # a penalty that is satisfied no more is a loss here and a gain there
    assert (satisfied["first"], satisfied["second"]) == pytest.approx((4 / 6, 3 / 6))
    assert satisfied["mcnemar"]["first_only_n"] == 2
    compliance = found["measures"]["compliance"]
    assert compliance["difference"] == pytest.approx(((1 - 1 / 9) + (5 / 9 - 1)) / 2)
    assert found["agreement"]["raw"] == 0.5
    assert found["verdicts"]["matrix"]["Satisfied"] == {"Satisfied": 2, "Not Satisfied": 2}


def test_unscored_is_in_the_matrix_and_in_no_number() -> None:
    weights: list[float | None] = [1, 1, 1, 1]
    found = compared(
        judged("r1", weights, "SS-N"), judged("r1", weights, "S-SS"), {"r1": None}, {"r1": None}
    )
    assert (found["pair_n"], found["n"]) == (4, 2)
    assert found["measures"]["satisfied_rate"]["first"] == 0.5
    assert found["measures"]["failure_rate"]["mcnemar"]["first_only_n"] == 1
    matrix = found["verdicts"]["matrix"]
    assert (matrix["Satisfied"]["unscored"], matrix["unscored"]["Satisfied"]) == (1, 1)
    assert found["verdicts"]["moved_n"] == 1
    assert found["verdicts"]["bowker"]["df"] == 1  # N to S alone
    compliance = found["measures"]["compliance"]
    assert (compliance["difference"], compliance["left_out_n"]) == (None, 1)
    assert compliance["difference_shown"] is None


def test_weights_of_zero_or_unknown_are_no_failures() -> None:
    found = compared(judged("r1", [0, None, 2], "NNN"), judged("r1", [0, None, 2], "SSS"))
    assert found["measures"]["satisfied_rate"]["difference_n"] == 3
    assert found["measures"]["failure_rate"]["difference_n"] == 1
    assert found["measures"]["failure_rate"]["null_reason"] == "one_cluster"


def test_partial_satisfaction() -> None:
    found = compared(judged("r1", [2, -2], "PP"), judged("r1", [2, -2], "SN"))
    failures = found["measures"]["failure_rate"]
    assert (failures["first"], failures["second"]) == (0.5, 0.0)
    assert set(found["verdicts"]["matrix"]["Partially Satisfied"]) == {
        "Satisfied", "Partially Satisfied", "Not Satisfied",
    }  # fmt: skip
    # binarized, a partial verdict is none
    rows = [replace(row, score=0.0) for row in judged("r1", [2, -2], "PP")]
    assert {row.outcome for row in rows} == {"Not Satisfied"}


def test_nothing_in_common() -> None:
    found = compared([], [])
    assert found["measures"]["failure_rate"]["mcnemar"]["p"] is None
    assert found["agreement"] == {"same_n": 0, "raw": None, "kappa": None}
    assert found["slices"] == []


def test_flips_are_ranked_by_kind_then_by_weight() -> None:
    first = judged("r1", [1, 5, 3, 2, 4], "NNNSS")
    second = judged("r1", [1, 5, 3, 2, 4], "SSSNS")
    assert rank_matched(MatchedRubrics(first, second, ({}, {}))) == [1, 3, 2, 0]


def test_slices_of_samples_and_of_axes() -> None:
    first = judged("r1", [1, 1], "NN") + judged("r2", [1, 1], "SS", axis="B")
    second = judged("r1", [1, 1], "SS") + judged("r2", [1, 1], "SS", axis="B")
    found = compared(
        first, second, {"r1": 0.0, "r2": 1.0}, {"r1": 1.0, "r2": 1.0},
        spreads={"domain": {"r1": "Bio", "r2": None}, "exploration": {"r1": "Low", "r2": "Low"}},
    )  # fmt: skip
    by = {(part["dimension"], part["value"]): part for part in found["slices"]}
    assert list(by) == [("axis", "A"), ("axis", "B"), ("domain", "(unknown)"), ("domain", "Bio")]
    assert by["axis", "A"]["measures"]["failure_rate"]["difference"] == -1.0
    assert "compliance" not in by["axis", "A"]["measures"]
    assert by["domain", "Bio"]["measures"]["compliance"]["difference"] == 1.0
    assert by["domain", "(unknown)"]["measures"]["compliance"]["difference"] == 0.0


def test_against_oracles() -> None:
    contingency = pytest.importorskip("statsmodels.stats.contingency_tables")
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(4)
    sides: tuple[list[ScoredRow], list[ScoredRow]] = ([], [])
    scores: tuple[dict[str, float | None], dict[str, float | None]] = ({}, {})
    for i in range(40):
        for side, score, rate in zip(sides, scores, (0.55, 0.7), strict=True):
            letters = "".join("SPN"[k] for k in rng.choice(3, 6, p=[rate, 0.1, 0.9 - rate]))
            rows = judged(f"r{i}", [1] * 6, letters)
            rows = [replace(row, axis="ABC"[place // 2]) for place, row in enumerate(rows)]
            side += rows
            score[f"r{i}"] = float(np.mean([row.score or 0.0 for row in rows]))
    found = compared(*sides, *scores)
    a, b = (np.array([row.score for row in side], float) for side in sides)

    def mcnemar(chosen: Any) -> float:
        x, y = a[chosen] == 1, b[chosen] == 1
        table = [[np.sum((x == i) & (y == j)) for j in (True, False)] for i in (True, False)]
        return float(contingency.mcnemar(table, exact=True).pvalue)

    whole = np.ones(len(a), bool)
    satisfied = found["measures"]["satisfied_rate"]
    assert satisfied["mcnemar"]["p"] == pytest.approx(mcnemar(whole))
    low, high = stats.norm.interval(
        0.95, np.mean(b - a), stats.sem((b - a).reshape(40, 6).mean(axis=1))
    )
    # six rubrics a report: the clustered error is that of the reports' means
    assert satisfied["difference_low"] == pytest.approx(low)
    assert found["measures"]["compliance"]["difference_high"] == pytest.approx(high)
    axes = np.array([row.axis for row in sides[0]])
    p = [mcnemar(axes == axis) for axis in "ABC"]
    parts = [part["measures"]["satisfied_rate"]["mcnemar"] for part in found["slices"]]
    assert [one["p"] for one in parts] == pytest.approx(p)
    assert [one["p_holm"] for one in parts] == pytest.approx(
        list(multitest.multipletests(p, method="holm")[1])
    )
    outcomes = [[row.outcome for row in side] for side in sides]
    assert found["agreement"]["kappa"] == pytest.approx(metrics.cohen_kappa_score(*outcomes))
    names = found["verdicts"]["names"]
    table = [[found["verdicts"]["matrix"][x][y] for y in names] for x in names]
    oracle = contingency.SquareTable(np.array(table, float), shift_zeros=False).symmetry()
    assert found["verdicts"]["bowker"]["p"] == pytest.approx(oracle.pvalue)
