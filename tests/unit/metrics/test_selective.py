"""The risk-coverage curve: hand-worked numbers, and every order of ties."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from eval_tiers.metrics.selective import risk_coverage


def test_by_hand() -> None:
    found = risk_coverage([0.9, 0.7, 0.8, 0.6], [True, False, True, False])
    assert found.aurc == pytest.approx((0 + 0 + 1 / 3 + 1 / 2) / 4)
    assert found.risk == 0.5
    assert [(point.confidence, point.n, point.coverage, point.risk) for point in found.points] == [
        (0.9, 1, 0.25, 0.0), (0.8, 2, 0.5, 0.0), (0.7, 3, 0.75, 1 / 3), (0.6, 4, 1.0, 0.5),
    ]  # fmt: skip


def test_nothing_has_no_area() -> None:
    found = risk_coverage([], [])
    assert (found.n, found.aurc, found.risk, found.points) == (0, None, None, ())


def test_one_confidence_for_all_says_nothing() -> None:
    found = risk_coverage([0.5] * 5, [True, False, False, True, True])
    assert found.aurc == pytest.approx(found.risk)
    assert [point.n for point in found.points] == [5]


@pytest.mark.parametrize("seed", range(5))
def test_ties_are_the_mean_of_all_their_orders(seed: int) -> None:
    rng = np.random.default_rng(seed)
    confidence, right = rng.integers(0, 3, 6) / 2, rng.random(6) < 0.5
    areas = []
    for order in permutations(range(6)):
        chosen = np.array(order)
        if (np.diff(confidence[chosen]) > 0).any():
            continue
        wrong = np.cumsum(~right[chosen])
        areas.append(np.mean(wrong / np.arange(1, 7)))
    assert risk_coverage(confidence, right).aurc == pytest.approx(np.mean(areas))


@pytest.mark.parametrize("seed", range(5))
def test_order_of_rows_changes_no_digit_and_the_curve_ends_at_all(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 1000
    confidence, right = rng.random(n), rng.random(n) < 0.6
    found, order = risk_coverage(confidence, right), rng.permutation(n)
    assert risk_coverage(confidence[order], right[order]) == found
    assert len(found.points) == 50
    assert found.points[-1].coverage == 1
    assert found.points[-1].risk == found.risk == pytest.approx(1 - right.mean())
