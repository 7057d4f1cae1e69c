"""Sums over clusters: two-way variance against statsmodels, and no digit moved by the order."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.sandwich_covariance import cov_cluster_2groups

from eval_tiers.metrics.cluster_sums import mean_variance, on_grid, one_way, two_way
from eval_tiers.metrics.paired import paired_difference


@pytest.mark.parametrize("seed", range(8))
def test_two_ways_agree_with_statsmodels(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 300
    first, second = rng.integers(0, 12 + seed, n), rng.integers(0, 25, n)
    change = rng.normal(size=20)[first % 20] + rng.normal(size=25)[second] + rng.normal(size=n)
    fitted = OLS(change, np.ones(n)).fit()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        both, *_ = cov_cluster_2groups(fitted, first, second, use_correction=True)
        # statsmodels multiplies each part by (n-1)/(n-1) times C/(C-1): one regressor, no more.
    found = mean_variance(change, two_way(first, second))
    assert found == pytest.approx(float(both[0, 0]))
    difference = paired_difference(np.zeros(n), change, two_way(first, second))
    assert difference.standard_error == pytest.approx(float(both[0, 0]) ** 0.5)
    assert difference.cluster_n == min(len(np.unique(first)), 25)


def test_two_ways_by_hand() -> None:
    values = np.array([1.0, 1, 0, 0])
    # By {12}{34}: 2/1 * (1 + 1)/16 = .25. By {13}{24}: 0. By both, rows alone: 4/3 * 1/16.
    assert mean_variance(values, two_way([0, 0, 1, 1], [0, 1, 0, 1])) == pytest.approx(
        0.25 - 4 / 3 / 16
    )


def test_a_negative_variance_is_the_larger_of_the_two() -> None:
    values = np.array([1.0, 0, 0, 1])
    assert mean_variance(values, two_way([0, 0, 1, 1], [0, 1, 0, 1])) == 0


def test_one_cluster_either_way_is_none() -> None:
    values = np.array([1.0, 0, 1])
    assert mean_variance(values, one_way([4, 4, 4])) is None
    assert mean_variance(values, two_way([0, 0, 0], [0, 1, 2])) is None
    found = paired_difference([0, 0, 0], values, two_way([0, 1, 2], [7, 7, 7]))
    assert found.interval is None and found.reason == "one_cluster"


def test_two_equal_ways_are_one() -> None:
    rng = np.random.default_rng(5)
    values, codes = rng.random(50), rng.integers(0, 9, 50)
    assert mean_variance(values, two_way(codes, codes + 3)) == pytest.approx(
        mean_variance(values, one_way(codes))
    )


@pytest.mark.parametrize("scale", [1.0, 1e-7, 1e6])
def test_order_of_rows_and_names_of_clusters_change_no_digit(scale: float) -> None:
    rng = np.random.default_rng(3)
    n = 5_000
    first, second = rng.random(n) * scale, rng.random(n) * scale
    one, other = rng.integers(0, 300, n), rng.integers(0, 40, n)
    first[rng.random(n) < 0.1] = np.nan
    wanted = paired_difference(first, second, two_way(one, other))
    for _ in range(5):
        at = rng.permutation(n)
        names, others = rng.permutation(300), rng.permutation(40)
        again = paired_difference(
            first[at], second[at], two_way(names[one[at]] * 11 - 7, others[other[at]])
        )
        assert again == wanted


def test_the_grid_is_finer_than_what_is_shown_and_keeps_shares() -> None:
    rng = np.random.default_rng(4)
    values = rng.random(1_000_000)
    (found,) = on_grid(values)
    assert np.abs(found - values).max() < 1e-9
    assert found.sum() == found[::-1].sum() == np.sort(found).sum()
    shares = np.array([0.0, 1, 1])
    assert on_grid(shares)[0].tolist() == [0, 1, 1]
    assert on_grid(np.zeros(2), np.zeros(2))[1].tolist() == [0, 0]
    assert on_grid(np.zeros(0))[0].tolist() == []
