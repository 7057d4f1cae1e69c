"""Calibration against scikit-learn and a slow reading."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss

from eval_tiers.metrics.calibration import calibration, multiclass_brier


@pytest.mark.parametrize("seed", range(5))
def test_oracles_agree(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p = np.round(rng.random(60), 1 + seed % 2)  # many on the edges of bins
    right = rng.random(60) < p
    found = calibration(p, right)
    assert found.brier == pytest.approx(brier_score_loss(right, p))
    error, n = 0.0, 0
    for place, one in enumerate(found.bins):
        last = place == len(found.bins) - 1
        rows = [
            i for i in range(60) if one.low <= p[i] and (p[i] < one.high or (last and p[i] <= 1))
        ]
        assert one.n == len(rows)
        n += len(rows)
        if rows:
            assert one.mean_probability == pytest.approx(np.mean(p[rows]))
            assert one.right_rate == pytest.approx(np.mean(right[rows]))
            error += len(rows) / 60 * abs(np.mean(p[rows]) - np.mean(right[rows]))
    assert n == 60
    assert found.expected_calibration_error == pytest.approx(error)


def test_edges_of_bins() -> None:
    found = calibration([0, 0.3, 1], [False, True, True])
    assert [one.n for one in found.bins] == [1, 0, 0, 1, 0, 0, 0, 0, 0, 1]


def test_missing_and_nothing() -> None:
    found = calibration([math.nan, 0.5], [True, True])
    assert (found.n, found.missing_n, found.brier) == (1, 1, 0.25)
    empty = calibration([], [])
    assert empty.n == 0 and empty.brier is None and empty.expected_calibration_error is None
    assert len(empty.bins) == 10 and empty.bins[0].mean_probability is None


@pytest.mark.parametrize("value", [1.01, -0.2, math.inf])
def test_no_probability(value: float) -> None:
    with pytest.raises(ValueError, match="outside 0 and 1"):
        calibration([value], [True])


def test_all_verdicts() -> None:
    # .09 + .04 + .01, and .01 + .64 + .81
    assert multiclass_brier([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1]], [0, 2]) == pytest.approx(0.8)
    assert multiclass_brier([[0, 0, 1]], [0]) == 2
    assert multiclass_brier([], []) is None
