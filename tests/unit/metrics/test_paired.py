"""Paired tests against statsmodels and SciPy, by hand, and by simulated coverage and power."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.contingency_tables import SquareTable, mcnemar
from statsmodels.stats.multitest import multipletests

from eval_tiers.metrics.paired import (
    bowker_symmetry,
    fewest_discordant,
    holm,
    mcnemar_exact,
    minimum_detectable_effect,
    paired_difference,
)

REPETITIONS = 1_500


@pytest.mark.parametrize("seed", range(20))
def test_mcnemar_agrees_with_statsmodels(seed: int) -> None:
    b, c = (int(n) for n in np.random.default_rng(seed).integers(0, [4, 60] if seed % 2 else 9, 2))
    if b + c:
        oracle = mcnemar([[5, b], [c, 7]], exact=True).pvalue
        assert mcnemar_exact(b, c) == pytest.approx(oracle, rel=1e-9)
    assert mcnemar_exact(b, c) == mcnemar_exact(c, b)


def test_mcnemar_by_hand() -> None:
    assert mcnemar_exact(0, 0) == 1
    assert mcnemar_exact(1, 1) == 1
    assert mcnemar_exact(0, 5) == pytest.approx(2 / 32)
    assert mcnemar_exact(1, 7) == pytest.approx(2 * 9 / 256)
    assert mcnemar_exact(1_000_000, 1_000_000) == pytest.approx(1)
    fewest = fewest_discordant()
    assert mcnemar_exact(0, fewest) <= 0.05 < mcnemar_exact(0, fewest - 1)


@pytest.mark.parametrize("seed", range(10))
def test_bowker_agrees_with_statsmodels(seed: int) -> None:
    k = 2 + seed % 5
    table = np.random.default_rng(seed).integers(1, 30, (k, k))
    oracle = SquareTable(table, shift_zeros=False).symmetry()
    found = bowker_symmetry(table)
    assert (found.statistic, found.df) == (pytest.approx(oracle.statistic), oracle.df)
    assert found.p == pytest.approx(oracle.pvalue, rel=1e-9, abs=1e-15)
    assert bowker_symmetry(table.T).p == pytest.approx(found.p)


def test_labels_that_nothing_has_change_nothing_in_bowker() -> None:
    table = np.array([[4, 9, 2], [3, 5, 1], [6, 8, 7]])
    wide = np.zeros((11, 11), int)
    wide[np.ix_([1, 4, 9], [1, 4, 9])] = table
    assert bowker_symmetry(wide) == bowker_symmetry(table)
    assert bowker_symmetry(np.zeros((0, 0))).p == 1
    assert bowker_symmetry([[5]]).p == 1
    assert bowker_symmetry(np.diag([3, 4, 5])) == bowker_symmetry([[5]])


@pytest.mark.parametrize("seed", range(10))
def test_holm_agrees_with_statsmodels(seed: int) -> None:
    p = np.random.default_rng(seed).random(1 + seed) ** 3
    assert holm(list(p)) == pytest.approx(multipletests(p, method="holm")[1])
    with_gaps = [None, *map(float, p), None]
    assert holm(with_gaps) == [None, *holm(list(map(float, p))), None]


def test_holm_of_nothing() -> None:
    assert holm([]) == [] and holm([None]) == [None] and holm([0.2]) == [0.2]
    assert holm([0.5, 0.5, 0.5]) == [1, 1, 1]


@pytest.mark.parametrize("seed", range(10))
def test_interval_agrees_with_a_regression_of_clustered_errors(seed: int) -> None:
    rng = np.random.default_rng(seed)
    clusters = rng.integers(0, 8 + 10 * seed, 200)
    first, second = (rng.random(200) < 0.6), (rng.random(200) < 0.5)
    change = second.astype(float) - first
    fitted = OLS(change, np.ones(200)).fit(cov_type="cluster", cov_kwds={"groups": clusters})
    found = paired_difference(first, second, clusters, of_shares=True)
    assert found.difference == pytest.approx(fitted.params[0])
    assert found.standard_error == pytest.approx(fitted.bse[0])
    count = len(np.unique(clusters))
    quantile = stats.t.ppf(0.975, count - 1) if count < 30 else stats.norm.ppf(0.975)
    assert found.interval is not None
    assert found.interval[1] - change.mean() == pytest.approx(quantile * fitted.bse[0])


@pytest.mark.parametrize("of_shares", [True, False])
def test_each_mean_has_the_interval_of_a_regression(of_shares: bool) -> None:
    rng = np.random.default_rng(3)
    clusters = rng.integers(0, 40, 200)
    first, second = rng.random((2, 200))
    if of_shares:
        first, second = (first < 0.4) * 1.0, (second < 0.6) * 1.0
    found = paired_difference(first, second, clusters, of_shares)
    for values, interval in ((first, found.first_interval), (second, found.second_interval)):
        fitted = OLS(values, np.ones(200)).fit(cov_type="cluster", cov_kwds={"groups": clusters})
        assert interval == pytest.approx(fitted.conf_int()[0], abs=1e-6)


def test_means_without_spread_have_wilson_s_interval_and_shares_alone_too() -> None:
    """By hand: 0 of 30 is [0, .114], of a share and of a mean that is 0 in all rows."""
    clusters = np.repeat(np.arange(10), 3)
    for of_shares in (True, False):
        found = paired_difference(np.zeros(30), np.full(30, 0.5), clusters, of_shares)
        assert found.first_interval == pytest.approx((0, 0.114), abs=5e-4)
    halves = np.arange(30) % 2
    found = paired_difference(halves, halves, np.arange(30), of_shares=True)
    assert found.first_interval == pytest.approx((0.3315, 0.6685), abs=5e-4)
    one = paired_difference([0.2, 0.4], [0.1, 0.3], [7, 7])
    assert one.first_interval is None


def test_rows_on_their_own_give_the_paired_t_test() -> None:
    rng = np.random.default_rng(1)
    first, second = rng.random(20), rng.random(20)
    oracle = stats.ttest_rel(second, first).confidence_interval()
    found = paired_difference(first, second, np.arange(20))
    assert found.interval == pytest.approx((oracle.low, oracle.high))
    assert found.reason is None and found.left_out_n == 0


def test_order_of_rows_changes_nothing() -> None:
    rng = np.random.default_rng(2)
    first, second, clusters = rng.random(300) < 0.4, rng.random(300) < 0.5, rng.integers(0, 40, 300)
    found = paired_difference(first, second, clusters)
    at = rng.permutation(300)
    again = paired_difference(first[at], second[at], clusters[at] * 7 - 3)
    assert again.difference == pytest.approx(found.difference, abs=1e-15)
    assert again.interval == pytest.approx(found.interval, abs=1e-14)


def test_undefined_values_are_left_out_of_both() -> None:
    nan = float("nan")
    found = paired_difference([1, nan, 0, 1], [0, 1, nan, 1], [0, 1, 2, 3])
    assert (found.n, found.left_out_n, found.cluster_n) == (2, 2, 2)
    assert (found.first, found.second, found.difference) == (1, 0.5, -0.5)


def test_edges() -> None:
    none = paired_difference([], [], [])
    assert (none.n, none.difference, none.interval, none.reason) == (0, None, None, "no_pair")
    assert minimum_detectable_effect(none, of_shares=True) is None
    one = paired_difference([1, 0], [0, 0], [5, 5], of_shares=True)
    assert one.difference == -0.5 and one.interval is None and one.reason == "one_cluster"
    assert minimum_detectable_effect(one, of_shares=True) is None
    same = paired_difference([0.5, 0.5], [0.5, 0.5], [0, 1])
    assert same.interval is None and same.reason == "no_variation"
    assert minimum_detectable_effect(same) is None
    all_turned = paired_difference([0] * 40, [1] * 40, range(40), of_shares=True)
    assert all_turned.interval is not None
    assert 0.9 < all_turned.interval[0] < 1 == all_turned.interval[1]
    # A trap that falls and a control that rises in every pair: no variation, and no certainty.
    swapped = paired_difference([1, 0] * 5, [0, 1] * 5, np.repeat(range(5), 2), of_shares=True)
    assert swapped.difference == 0 and swapped.interval is not None
    assert swapped.interval[1] == pytest.approx(stats.norm.ppf(0.975) ** 2 / (5 + 1.959964**2))


def test_effect_is_no_smaller_than_the_exact_test_can_find() -> None:
    same = paired_difference([1] * 5, [1] * 5, range(5), of_shares=True)
    assert minimum_detectable_effect(same, of_shares=True) is None  # 6 of 5
    same = paired_difference([1] * 600, [1] * 600, range(600), of_shares=True)
    assert minimum_detectable_effect(same, of_shares=True) == pytest.approx(0.01)


def test_effect_without_variation_is_no_smaller_than_the_interval_says() -> None:
    """60 rows in 10 clusters, none of them discordant: Wilson's of 0 in 10 ends at .278, 6/n is .1."""
    same = paired_difference(np.ones(60), np.ones(60), np.repeat(np.arange(10), 6), of_shares=True)
    assert same.interval is not None
    assert minimum_detectable_effect(same, of_shares=True) == same.interval[1]
    assert same.interval[1] == pytest.approx(0.278, abs=5e-4)


def test_simulated_coverage_of_the_clustered_difference() -> None:
    """Nominal 95 %: 93 to 97 % where both answers of a cluster share their luck."""
    rng = np.random.default_rng(20)
    for cluster_n, size in ((12, 20), (60, 5)):
        clusters = np.repeat(np.arange(cluster_n), size)
        covered = 0
        for _ in range(REPETITIONS):
            luck = rng.normal(0, 0.2, (2, cluster_n)).repeat(size, axis=1)
            first, second = rng.random((2, cluster_n * size)) < np.clip(
                np.array([[0.5], [0.6]]) + luck, 0, 1
            )
            found = paired_difference(first, second, clusters, of_shares=True)
            # Clipped luck is symmetric around .5 but not around .6: the truth is computed.
            assert found.interval is not None
            covered += found.interval[0] <= TRUTH <= found.interval[1]
        assert 0.93 <= covered / REPETITIONS <= 0.97, cluster_n


def _clipped_mean(centre: float, spread: float) -> float:
    """E[clip(N(centre, spread), 0, 1)]."""
    z = (np.array([0, 1]) - centre) / spread
    inside = centre * np.diff(stats.norm.cdf(z)) - spread * np.diff(stats.norm.pdf(z))
    return float(inside[0] + stats.norm.sf(z[1]))


TRUTH = _clipped_mean(0.6, 0.2) - _clipped_mean(0.5, 0.2)


def test_simulated_power_at_the_detectable_effect() -> None:
    rng = np.random.default_rng(21)
    for n in (15, 80):
        spread = 0.3
        effect = (_quantile(n, 0.975) + _quantile(n, 0.8)) * spread / np.sqrt(n)
        found_n, effects = 0, []
        for _ in range(REPETITIONS):
            first = rng.normal(0, 1, n)
            found = paired_difference(first, first + rng.normal(effect, spread, n), np.arange(n))
            assert found.interval is not None
            found_n += not found.interval[0] <= 0 <= found.interval[1]
            effects.append(minimum_detectable_effect(found))
        assert 0.77 <= found_n / REPETITIONS <= 0.83, n
        assert np.mean(effects) == pytest.approx(effect, rel=0.03)


def _quantile(n: int, p: float) -> float:
    return float(stats.t.ppf(p, n - 1) if n < 30 else stats.norm.ppf(p))
