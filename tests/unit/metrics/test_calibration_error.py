"""Intervals of the calibration error and of the area under the risk-coverage curve."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from eval_tiers.metrics.calibration import calibration
from eval_tiers.metrics.calibration_error import MOST_CLUSTERS, calibration_error_interval
from eval_tiers.metrics.selective import aurc_interval, risk_coverage

Arrays = tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.int64]]


def drawn(rng: np.random.Generator, n: int, cluster_n: int, too_sure: float) -> Arrays:
    p = rng.uniform(0.3, 1, n)
    return p, rng.random(n) < p - too_sure, rng.integers(0, cluster_n, n)


@pytest.mark.parametrize("too_sure", [0.0, 0.03, 0.1])
def test_simulated_coverage_of_the_calibration_error(too_sure: float) -> None:
    """The true error is what the model is too sure by, in every bin; 0 for a calibrated one."""
    rng = np.random.default_rng(7)
    hit = 0
    for _ in range(300):
        found = calibration_error_interval(*drawn(rng, 600, 120, too_sure), draws=300)
        assert found is not None
        hit += found[0] <= too_sure <= found[1]
    assert 0.90 <= hit / 300 <= 0.99


def test_it_holds_the_error_and_no_order_or_name_changes_it() -> None:
    rng = np.random.default_rng(1)
    p, right, clusters = drawn(rng, 500, 40, 0.2)
    wanted = calibration_error_interval(p, right, clusters)
    assert wanted is not None
    error = calibration(p, right).expected_calibration_error
    assert error is not None and 0 < wanted[0] < error < wanted[1] < 1
    at = rng.permutation(500)
    assert calibration_error_interval(p[at], right[at], clusters[at]) == wanted
    assert calibration_error_interval(p, right, clusters, seed=1) != wanted


def test_clusters_of_many_rows_widen_it() -> None:
    rng = np.random.default_rng(2)
    p, right, _ = drawn(rng, 60, 60, 0.2)
    alone = calibration_error_interval(p, right, range(60))
    copies = calibration_error_interval(np.repeat(p, 9), np.repeat(right, 9), np.arange(540) // 9)
    assert alone is not None and copies is not None
    assert copies == pytest.approx(alone)  # nine copies of a row say no more than one


def test_more_clusters_than_are_drawn() -> None:
    rng = np.random.default_rng(3)
    n = 2 * MOST_CLUSTERS + 3
    p, right, _ = drawn(rng, n, n, 0.05)
    found = calibration_error_interval(p, right, range(n), draws=100)
    assert found is not None and found[0] < 0.05 < found[1] and found[1] - found[0] < 0.03


def test_nothing_to_draw() -> None:
    assert calibration_error_interval([], [], []) is None
    assert calibration_error_interval([0.5, 0.5], [True, False], [3, 3]) is None
    assert calibration_error_interval([1.0, 1.0], [True, True], [0, 1]) == (
        pytest.approx((0, 0.658), abs=1e-3)
    )
    assert aurc_interval([], [], []) is None
    assert aurc_interval([0.5, 0.6], [True, False], [3, 3]) is None
    for right in (True, False):
        assert aurc_interval([0.5, 0.6], [right, right], [0, 1]) is None


@pytest.mark.parametrize("levels", [0, 5, 1])
def test_delta_method_agrees_with_a_bootstrap_over_clusters(levels: int) -> None:
    rng = np.random.default_rng(11)
    n = 500
    score = rng.random(n)
    right = rng.random(n) < 0.3 + 0.6 * score
    score = np.ceil(score * levels) if levels else score
    clusters = np.arange(n) // 5
    areas = []
    for _ in range(600):
        rows = (rng.integers(0, 100, 100)[:, None] * 5 + np.arange(5)).ravel()
        areas.append(risk_coverage(score[rows], right[rows]).aurc or 0.0)
    found = aurc_interval(score, right, clusters)
    assert found is not None
    assert (found[1] - found[0]) / (2 * 1.96) == pytest.approx(np.std(areas), rel=0.12)


def test_simulated_coverage_of_the_area() -> None:
    rng = np.random.default_rng(5)

    def some(n: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        score = rng.random(n)
        return score, rng.random(n) < 0.3 + 0.6 * score

    true = risk_coverage(*some(2_000_000)).aurc
    assert true is not None
    hit = 0
    for _ in range(400):
        found = aurc_interval(*some(300), np.arange(300))
        assert found is not None
        hit += found[0] <= true <= found[1]
    assert 0.92 <= hit / 400 <= 0.98


def test_the_order_of_rows_changes_no_digit_of_the_area() -> None:
    rng = np.random.default_rng(6)
    score, right = np.round(rng.random(400), 1), rng.random(400) < 0.6
    clusters = rng.integers(0, 50, 400)
    at = rng.permutation(400)
    assert aurc_interval(score, right, clusters) == aurc_interval(
        score[at], right[at], clusters[at]
    )


def test_all_sure_and_right_keeps_an_interval_with_a_width() -> None:
    """By hand: no error in 30 rows is Wilson's [0, .114]."""
    found = calibration_error_interval(np.ones(30), np.ones(30, np.bool_), np.arange(30))
    assert found == pytest.approx((0, 0.114), abs=5e-4)
