"""Agreement against statsmodels and scikit-learn, and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa

from eval_tiers.metrics.agreement import cohen_kappa


@pytest.mark.parametrize("seed", range(8))
def test_oracles_agree(seed: int) -> None:
    rng = np.random.default_rng(seed)
    names = np.array(["ALTERNATE", "ANSWER_BUG", "CHAIN_BUG", "none"])[: 2 + seed % 3]
    first = rng.choice(names, 80)
    second = np.where(rng.random(80) < 0.6, first, rng.choice(names, 80))
    found = cohen_kappa(list(first), list(second))
    assert found.kappa == pytest.approx(cohen_kappa_score(first, second))
    table = np.array([[((first == a) & (second == b)).sum() for b in names] for a in names])
    oracle = cohens_kappa(table)
    assert found.kappa == pytest.approx(oracle.kappa)
    assert found.interval == pytest.approx((oracle.kappa_low, oracle.kappa_upp), abs=1e-9)
    assert found.raw == pytest.approx(np.mean(first == second))


def test_high_agreement_with_low_kappa_shows_why() -> None:
    # 90 % agreement, 5 % prevalence: kappa is below 0.
    first = ["no"] * 90 + ["yes"] * 5 + ["no"] * 5
    second = ["no"] * 95 + ["yes"] * 5
    found = cohen_kappa(first, second)
    assert found.raw == 0.9
    assert found.kappa is not None and found.kappa == pytest.approx((0.9 - 0.905) / 0.095)
    yes = found.categories["yes"]
    assert (yes.first_rate, yes.second_rate) == (0.05, 0.05)
    assert yes.missed_rate == 1 and yes.false_rate == pytest.approx(5 / 95)


def test_undefined() -> None:
    one = cohen_kappa(["yes"] * 5, ["yes"] * 5)
    assert one.kappa is None and one.interval is None and one.raw == 1
    assert one.categories["yes"].missed_rate == 0 and one.categories["yes"].false_rate is None
    empty = cohen_kappa([], [])
    assert empty.n == 0 and empty.raw is None and empty.kappa is None
    apart = cohen_kappa(["yes"] * 4, ["no"] * 4)
    assert apart.kappa == 0 and apart.categories["no"].missed_rate is None
    with pytest.raises(ValueError, match="zip"):
        cohen_kappa(["yes"], [])


def test_perfect_agreement() -> None:
    found = cohen_kappa(["a", "b", "a"], ["a", "b", "a"])
    assert found.kappa == 1 and found.interval is None  # it would have no width
    assert found.raw_interval == pytest.approx((0.438, 1), abs=1e-3)
