"""Intervals against statsmodels and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint
from statsmodels.stats.weightstats import DescrStatsW

from eval_tiers.metrics.intervals import Z_95, mean_interval, wilson_interval

REPETITIONS = 1_500


@given(st.integers(1, 50_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_statsmodels_agrees(case: tuple[int, int]) -> None:
    found = wilson_interval(*case)
    assert found is not None
    assert found == pytest.approx(proportion_confint(*case, method="wilson"), abs=1e-12)
    low, high = found
    assert 0 <= low <= case[0] / case[1] <= high <= 1


@pytest.mark.parametrize(
    ("case", "low", "high"),
    [((0, 30), 0.0, 0.114), ((30, 30), 0.886, 1.0), ((16_436, 39_830), 0.4078, 0.4175),
     ((1, 1), 0.207, 1.0)],
)  # fmt: skip
def test_by_hand(case: tuple[int, int], low: float, high: float) -> None:
    found = wilson_interval(*case)
    assert found == pytest.approx((low, high), abs=5e-4)


@pytest.mark.parametrize(("rate", "n"), [(0.5, 40), (0.2, 100), (0.9, 300), (0.05, 200)])
def test_simulated_coverage(rate: float, n: int) -> None:
    """Nominal 95 %: 93 to 97 % of seeded repetitions hold the true rate."""
    rights = np.random.default_rng(5).binomial(n, rate, REPETITIONS)
    covered = 0
    for right in rights.tolist():
        found = wilson_interval(right, n)
        assert found is not None
        covered += found[0] <= rate <= found[1]
    assert 0.93 <= covered / REPETITIONS <= 0.97


def test_of_nothing() -> None:
    assert wilson_interval(0, 0) is None
    assert mean_interval(0, 0, 0) is None
    assert mean_interval(0.5, 0.25, 1) is None


@given(st.lists(st.floats(0, 1), min_size=2, max_size=30))
def test_mean_interval_is_the_normal_one(values: list[float]) -> None:
    array = np.array(values)
    found = mean_interval(float(array.sum()), float((array**2).sum()), len(values))
    assert found == pytest.approx(DescrStatsW(array).zconfint_mean(0.05), abs=1e-7)


def test_z_is_the_normal_quantile() -> None:
    from scipy.stats import norm

    assert norm.ppf(0.975) == pytest.approx(Z_95, abs=1e-14)
