"""Figures of the confusion matrix: scikit-learn on random data, numbers by hand."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from eval_tiers.metrics.classification import classification, pass_at_k, two_step

NONE = 3
rows = st.lists(st.tuples(st.integers(0, 2), st.integers(0, NONE)), min_size=1, max_size=40)


def confusion(pairs: list[tuple[int, int]]) -> np.ndarray:
    """Gold by predicted, no prediction last."""
    matrix = np.zeros((3, 4), np.int64)
    for gold, predicted in pairs:
        matrix[gold, predicted] += 1
    return matrix


@given(rows)
def test_scikit_learn_agrees(pairs: list[tuple[int, int]]) -> None:
    found = classification(confusion(pairs))
    gold, predicted = (list(column) for column in zip(*pairs, strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        options = {"labels": [0, 1, 2], "zero_division": 0}
        precision, recall, f1, support = metrics.precision_recall_fscore_support(
            gold, predicted, **options
        )
        macro = metrics.f1_score(gold, predicted, average="macro", **options)
        weighted = metrics.f1_score(gold, predicted, average="weighted", **options)
        balanced = metrics.balanced_accuracy_score(gold, predicted)
    assert found.accuracy == pytest.approx(metrics.accuracy_score(gold, predicted))
    assert found.balanced_accuracy == pytest.approx(balanced)
    assert found.f1_macro == pytest.approx(macro)
    assert found.f1_weighted == pytest.approx(weighted)
    present = sorted(set(gold))
    assert found.f1_macro_present == pytest.approx(np.mean(f1[present]))
    for code, figures in enumerate(found.classes):
        assert figures.f1 == pytest.approx(f1[code])
        assert figures.support == support[code]
        assert figures.recall == (pytest.approx(recall[code]) if code in gold else None)
        assert figures.precision == (pytest.approx(precision[code]) if code in predicted else None)


def test_worked_example_of_tier_1() -> None:
    pairs = [(0, 0), (0, 1), (1, 1), (1, NONE), (2, 2), (2, 0)]
    found = classification(confusion(pairs))
    assert found.accuracy == found.balanced_accuracy == 0.5
    assert [figures.f1 for figures in found.classes] == pytest.approx([0.5, 0.5, 2 / 3])
    assert found.f1_macro == found.f1_weighted == pytest.approx(0.5556, abs=5e-5)


def test_a_class_absent_on_both_sides_counts_zero_in_macro_only() -> None:
    found = classification([[3, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]])
    assert found.f1_macro == pytest.approx(2 / 3)
    assert found.f1_macro_present == found.balanced_accuracy == found.f1_weighted == 1.0
    assert (found.classes[2].f1, found.classes[2].precision, found.classes[2].recall) == (
        0,
        None,
        None,
    )


def test_no_predictions_at_all() -> None:
    found = classification([[0, 0, 0, 4], [0, 0, 0, 1], [0, 0, 0, 0]])
    assert (found.accuracy, found.balanced_accuracy, found.f1_macro, found.f1_weighted) == (
        0,
        0,
        0,
        0,
    )


def test_nothing_scored_is_null() -> None:
    found = classification(np.zeros((3, 4)))
    assert found.accuracy is found.balanced_accuracy is found.f1_macro is found.f1_weighted is None
    assert found.f1_macro_present is None


def test_two_step_by_hand() -> None:
    #           up down unchanged none
    matrix = [[5, 2, 1, 1], [1, 3, 0, 2], [2, 0, 4, 1]]
    found = two_step(matrix, 2)
    assert found["changed_accuracy"] == pytest.approx((5 + 2 + 1 + 3 + 4) / 22)
    assert found["direction_accuracy"] == pytest.approx(8 / 11)
    assert found["opposite_direction_rate"] == pytest.approx(3 / 15)
    assert set(two_step(np.zeros((3, 4)), 2).values()) == {None}


@given(
    st.lists(st.integers(1, 6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
             min_size=1, max_size=8),
    st.integers(1, 7),
)  # fmt: skip
def test_pass_at_k_by_brute_force(items: list[tuple[int, int]], k: int) -> None:
    """The share of draws of k of the n rollouts that hold a right one."""
    from itertools import combinations

    shares = []
    for right, n in items:
        if n < k:
            continue
        answers = [True] * right + [False] * (n - right)
        draws = list(combinations(answers, k))
        shares.append(sum(any(draw) for draw in draws) / len(draws))
    found = pass_at_k([right for right, _ in items], [n for _, n in items], k)
    assert found == (pytest.approx(sum(shares) / len(shares)) if shares else None)


@pytest.mark.parametrize(
    ("right", "whole", "per_cent"),
    [
        (16_436, 39_830, 41.3),
        (16_436 + 18_058 + 3_411, 39_830, 95.2),
        (18_058 + 3_411, 39_830, 53.9),
    ],
)
def test_published_shares(right: int, whole: int, per_cent: float) -> None:
    found = classification([[right, 0, 0, whole - right], [0] * 4, [0] * 4])
    assert found.accuracy is not None
    assert round(100 * found.accuracy, 1) == per_cent


def test_published_sums() -> None:
    """ANSWER_BUG and ALTERNATE are the soft ones; with the right answers they are effective."""
    soft = 18_058 + 3_411
    assert soft == 21_469
    assert 16_436 + soft == 37_905


def test_pass_at_k_does_not_depend_on_the_order_of_items() -> None:
    import random

    rng = random.Random(0)
    items = [(right, n) for n in (3, 5, 7) for right in range(n + 1) for _ in range(5 + right)]
    found = set()
    for _ in range(100):
        rng.shuffle(items)
        found.add(pass_at_k([right for right, _ in items], [n for _, n in items], 2))
    assert len(found) == 1
