"""Comparison of two runs on arrays: worked numbers, ranking of flips, Holm's families, gates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from eval_tiers.exceptions import UsageError
from eval_tiers.metrics.cluster_sums import one_way
from eval_tiers.summaries.comparison import (
    NO_LABEL,
    ComparedRows,
    Side,
    adjust,
    compare_rows,
)
from eval_tiers.summaries.flip_ranking import rank_flips
from eval_tiers.summaries.gates import check_gate, parse_gate

LABELS = ("CORRECT", "CORRECT_SIGN_FLIP", "WRONG_NO_PATH", "PARSE_FAIL", NO_LABEL)
NAN = float("nan")


def side(labels: str, evidence: list[float] | None = None) -> Side:
    """A run by the first letters of its labels: C, S (right), N, P (wrong), 0 for none (right)."""
    codes = np.array(["CSNP0".index(letter) for letter in labels], np.int64)
    right = np.isin(codes, (0, 1, 4)).astype(float)
    measures = {"accuracy": right, "edge_f1": np.array(evidence or [0.0] * len(labels))}
    return Side(measures, codes, codes != 3)


def rows(first: Side, second: Side, **more: Any) -> ComparedRows:
    n = len(first.label)
    order = np.arange(n)
    return ComparedRows(first, second, LABELS, order, one_way(order), evidence="edge_f1", **more)


def test_worked_numbers() -> None:
    found = compare_rows(rows(side("CCCSNNPP0C"), side("CNNSCNCP0P")))
    assert found["mcnemar"] == {
        "both_right_n": 3, "right_to_wrong_n": 3, "wrong_to_right_n": 2, "both_wrong_n": 2,
        "p": 1.0, "p_holm": None,
    }  # fmt: skip
    accuracy = found["measures"]["accuracy"]
    assert (accuracy["first"], accuracy["second"]) == (0.6, 0.5)
    assert accuracy["difference"] == pytest.approx(-0.1)
    labels = found["labels"]
    assert labels["names"] == list(LABELS)
    assert labels["matrix"]["CORRECT"] == {
        "CORRECT": 1, "CORRECT_SIGN_FLIP": 0, "WRONG_NO_PATH": 2, "PARSE_FAIL": 1, NO_LABEL: 0,
    }  # fmt: skip
    assert labels["moved_n"] == 5
    # C-N: 2 and 1, C-P: 1 and 1.
    assert labels["bowker"]["statistic"] == pytest.approx(1 / 3)
    assert labels["bowker"]["df"] == 2


def test_slices_of_one_value_are_left_out() -> None:
    codes = np.array([0, 0, 1, -1])
    found = compare_rows(
        rows(side("CCNN"), side("CNCN"),
             slices={"split": (["a", "b"], codes), "pert_type": (["x"], np.zeros(4, np.int64))})
    )  # fmt: skip
    assert [(part["dimension"], part["value"], part["n"]) for part in found["slices"]] == [
        ("split", None, 1), ("split", "a", 2), ("split", "b", 1),
    ]  # fmt: skip


def test_nothing_in_common() -> None:
    found = [compare_rows(rows(side(""), side("")))]
    adjust(found)
    accuracy = found[0]["measures"]["accuracy"]
    assert accuracy["difference"] is None and accuracy["null_reason"] == "no_pair"
    assert found[0]["mcnemar"]["p"] is None and found[0]["labels"]["bowker"]["p"] is None
    assert found[0]["difference_shown"] is None
    assert found[0]["minimum_detectable_effect_null_reason"] == "no_pair"
    assert len(rank_flips(rows(side(""), side("")))) == 0


def test_items_of_many_answers_weigh_no_more() -> None:
    first, second = side("CCCN"), side("NNNN")
    compared = rows(first, second)
    item = np.array([0, 0, 0, 1])
    by_row = compare_rows(ComparedRows(first, second, LABELS, item, one_way(item)))
    by_item = compare_rows(ComparedRows(first, second, LABELS, item, one_way(item), by_item=True))
    assert compared.by_item is False
    assert by_row["measures"]["accuracy"]["difference"] == -0.75
    assert by_item["measures"]["accuracy"]["difference"] == -0.5
    assert (by_item["measures"]["accuracy"]["difference_n"], by_item["item_n"]) == (2, 2)


def test_pairs_of_trap_and_control() -> None:
    # Pair 0 right in both runs, pair 1 loses its control, pair 2 has no control.
    first, second = side("CCCCC"), side("CCCNC")
    found = compare_rows(
        rows(first, second, pair=np.array([0, 0, 1, 1, 2]),
             trap=np.array([True, False, True, False, True]))
    )  # fmt: skip
    measure = found["measures"]["paired_directional_robustness"]
    assert (measure["first"], measure["second"], measure["difference_n"]) == (1, 0.5, 2)


def test_flips_are_ranked_by_kind_in_turn_and_evidence() -> None:
    #              0    1    2    3    4    5    6    7
    first = side("CCCNSPCC", [1.0, 0.2, NAN, 0.0, 0.5, 0.0, 1.0, 0.0])
    second = side("NNNCNCCP", [0.1, 1.0, 0.0, 0.1, 0.5, 1.0, 1.0, 1.0])
    # C-N: rows 0 (.9), 1 (.8), 2 (null); N-C: 3; S-N: 4; unread: 5, 7; row 6 is no flip.
    assert rank_flips(rows(first, second)).tolist() == [0, 4, 3, 1, 2, 7, 5]


def test_a_flip_of_the_same_evidence_keeps_the_benchmarks_order() -> None:
    assert rank_flips(rows(side("CCC"), side("NNN"))).tolist() == [0, 1, 2]


def test_holm_goes_over_runs_and_over_slices() -> None:
    strong, weak = rows(side("C" * 8), side("N" * 8)), rows(side("CC"), side("CN"))
    found = [compare_rows(one) for one in (strong, weak, weak)]
    parts = [compare_rows(strong), compare_rows(weak)]
    found[0]["slices"] = parts
    adjust(found)
    p = 2 / 2**8
    assert found[0]["mcnemar"]["p_holm"] == pytest.approx(3 * p)
    assert parts[0]["mcnemar"]["p_holm"] == pytest.approx(2 * p)
    assert found[0]["difference_shown"] is True and found[1]["difference_shown"] is False


def test_one_cluster_says_nothing() -> None:
    first, second = side("C" * 9), side("N" * 9)
    zeros = np.zeros(9, np.int64)
    found = [compare_rows(ComparedRows(first, second, LABELS, np.arange(9), one_way(zeros)))]
    adjust(found)
    accuracy = found[0]["measures"]["accuracy"]
    assert accuracy["difference"] == -1 and accuracy["difference_low"] is None
    assert accuracy["null_reason"] == "one_cluster"
    assert found[0]["difference_shown"] is None


MEASURES = {
    "accuracy": {"difference": -0.01, "difference_low": -0.03, "difference_high": 0.01,
                 "null_reason": None},
    "edge_f1": {"difference": 0.0, "difference_low": None, "difference_high": None,
                "null_reason": "no_variation"},
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "by_interval", "passed"),
    [
        ("accuracy -0.01", False, True), ("accuracy -.0099", False, False),
        ("accuracy -0.03", True, True), ("accuracy -0.02", True, False),
        ("accuracy +0", False, True), ("accuracy +0", True, False),
        (" accuracy   - 0.05 ", False, True), ("edge_f1 -0", False, True),
        ("edge_f1 -1", True, False), ("accuracy \u22120.01", False, True),
    ],
)  # fmt: skip
def test_gates(text: str, by_interval: bool, passed: bool) -> None:
    found = check_gate(parse_gate(text), MEASURES, by_interval)
    assert found["passed"] is passed
    assert (found["value"] is None) == (found["reason"] is not None)


@pytest.mark.parametrize("text", ["", "accuracy", "accuracy 0.01", "accuracy -x", "accuracy -1e-2",
                                  "-0.01", "accuracy -0.01 -0.02", "accuracy -nan",
                                  "accuracy -5", "accuracy +1.01", "accuracy -1%",
                                  "accuracy -\u0661", "accuracy=-0.01"])  # fmt: skip
def test_what_is_no_gate(text: str) -> None:
    with pytest.raises(UsageError, match="bad-gate"):
        parse_gate(text)


def test_an_unknown_measure_is_told_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match="accuracy, edge_f1"):
        check_gate(parse_gate("acuracy -0.01"), MEASURES, False)


def test_any_measure_may_be_the_one_that_is_tested() -> None:
    """Verdicts of two systems on the criteria of four tasks: no benchmark, no error labels."""
    scores = np.array([[1, 1, 1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 0, 1, 1]], float)
    sides = [Side({"satisfied": one}, (1 - one).astype(int), np.ones(8, bool)) for one in scores]
    compared = ComparedRows(
        sides[0], sides[1], ("Satisfied", "Not Satisfied"), np.arange(8),
        one_way(np.arange(8) // 2), {"axis": (["style", "facts"], np.arange(8) % 2)},
        primary="satisfied", shares=frozenset({"satisfied"}),
    )  # fmt: skip
    found = [compare_rows(compared)]
    adjust(found, "satisfied")
    assert found[0]["measures"]["satisfied"]["difference"] == -5 / 8
    assert (found[0]["mcnemar"]["right_to_wrong_n"], found[0]["cluster_n"]) == (6, 4)
    assert found[0]["labels"]["matrix"]["Satisfied"] == {"Satisfied": 1, "Not Satisfied": 6}
    assert [part["value"] for part in found[0]["slices"]] == ["style", "facts"]
    assert all(part["difference_shown"] is False for part in found[0]["slices"])
    assert sorted(rank_flips(compared).tolist()) == [0, 1, 2, 3, 4, 5, 7]
