"""PPI++ against ppi-python and by hand.

Of ppi-python: its default alpha is .1, and it drops `alternative` where lam is None.
"""

from __future__ import annotations

import numpy as np
import pytest

from eval_tiers.metrics.intervals import wilson_interval
from eval_tiers.metrics.prediction_powered import prediction_powered_mean


def simulated(seed: int, n: int, rest: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.random(n + rest) < 0.4
    verdict = np.where(truth, rng.random(n + rest) < 0.8, rng.random(n + rest) < 0.3).astype(float)
    return truth[:n].astype(float), verdict[:n], verdict[n:]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("n", "rest"), [(40, 300), (150, 100)])
def test_ppi_python_agrees(seed: int, n: int, rest: int) -> None:
    from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

    labels, verdicts, others = simulated(seed, n, rest)
    found = prediction_powered_mean(labels, verdicts, others)
    assert found is not None and found.interval is not None
    assert found.mean == pytest.approx(
        ppi_mean_pointestimate(labels, verdicts, others).item(), abs=1e-12
    )
    low, high = ppi_mean_ci(labels, verdicts, others, alpha=0.05)
    # Ours has the correction n/(n-1) of the variance.
    half = (high.item() - low.item()) / 2 * (n / (n - 1)) ** 0.5
    assert found.interval == pytest.approx((found.mean - half, found.mean + half), abs=1e-12)


def test_the_weight_by_hand() -> None:
    # cov(Y, f) = 1/8; var(f) over all 12 = 5/12 * 7/12 * 12/11 = 35/132; 1 + n/N = 1.5.
    found = prediction_powered_mean([1, 0, 1, 0], [1, 0, 1, 1], [1, 1, 0, 0, 0, 0, 0, 0])
    assert found is not None
    assert found.weight_of_judge == pytest.approx(1 / 8 * 132 / 35 / 1.5)
    assert found.mean == pytest.approx(0.5 + found.weight_of_judge * (0.25 - 0.75))


def test_a_useless_or_contrary_judge_has_no_weight() -> None:
    labels, verdicts, others = [1, 0, 1, 0] * 10, [1, 1, 0, 0] * 10, [1, 0] * 50
    found = prediction_powered_mean(labels, verdicts, others)
    assert found is not None and found.weight_of_judge == 0
    assert found.mean == pytest.approx(0.5)
    contrary = prediction_powered_mean(labels, [1 - y for y in labels], others)
    assert contrary is not None and contrary.weight_of_judge == 0
    constant = prediction_powered_mean(labels, [1] * 40, [1] * 100)
    assert constant is not None and constant.mean == pytest.approx(0.5)


def test_labels_that_are_all_the_same_are_not_certain() -> None:
    found = prediction_powered_mean([0] * 30, [0] * 15 + [1] * 15, [0, 1] * 40)
    assert found is not None and found.mean == 0
    assert found.interval == pytest.approx(wilson_interval(0, 30))


def test_without_labels_or_without_a_rest() -> None:
    assert prediction_powered_mean([], [], [1, 0]) is None
    alone = prediction_powered_mean([1, 0, 1, 1] * 10, [1, 1, 1, 0] * 10, [])
    assert alone is not None and alone.mean == pytest.approx(0.75)
    assert alone.weight_of_judge == 0
    one = prediction_powered_mean([1], [1], [1, 0])
    assert one is not None and one.interval is None


def test_clusters_widen_the_interval_and_a_single_one_gives_none() -> None:
    labels, verdicts, others = simulated(3, 100, 200)
    order = np.lexsort((verdicts, labels))
    labels, verdicts = labels[order], verdicts[order]
    alone = prediction_powered_mean(labels, verdicts, others)
    names = [i // 2 for i in range(100)]
    paired = prediction_powered_mean(labels, verdicts, others, clusters=names)
    assert alone is not None and paired is not None
    assert alone.interval is not None and paired.interval is not None
    assert paired.mean == alone.mean and paired.cluster_n == 50
    assert np.ptp(paired.interval) > 1.2 * np.ptp(alone.interval)
    single = prediction_powered_mean(labels, verdicts, others, clusters=["a"] * 100)
    assert single is not None and single.interval is None


def test_a_cluster_may_hold_labelled_and_other_rows() -> None:
    labels, verdicts, others = simulated(4, 60, 60)
    names = [f"p{i}" for i in range(60)]
    shared = prediction_powered_mean(labels, verdicts, others, clusters=names, other_clusters=names)
    apart = prediction_powered_mean(labels, verdicts, others, clusters=names)
    assert shared is not None and apart is not None and shared.interval != apart.interval
    # A name is a name, not the number of a row.
    numbers = prediction_powered_mean(labels, verdicts, others, clusters=list(range(60)))
    assert numbers is not None and numbers.interval == pytest.approx(apart.interval)


def test_equal_chances_are_no_weights() -> None:
    labels, verdicts, others = simulated(5, 60, 200)
    plain = prediction_powered_mean(labels, verdicts, others)
    weighted = prediction_powered_mean(labels, verdicts, others, inclusion=[0.2] * 60)
    assert plain is not None and weighted is not None
    assert weighted.mean == pytest.approx(plain.mean)
    assert weighted.interval == pytest.approx(plain.interval)


def test_unequal_chances_are_weighed() -> None:
    # One stratum is all right, the other all wrong; the second is drawn four times as often.
    labels, verdicts = [1] * 10 + [0] * 40, [1] * 25 + [0] * 25
    found = prediction_powered_mean(labels, verdicts, [], inclusion=[0.1] * 10 + [0.4] * 40)
    assert found is not None and found.mean == pytest.approx(0.5)


def test_unequal_chances_cover() -> None:
    rng = np.random.default_rng(0)
    hits, errors = 0, []
    for _ in range(400):
        truth = rng.random(600) < 0.3
        verdict = np.where(truth, rng.random(600) < 0.85, rng.random(600) < 0.4)
        chance = np.where(verdict, 0.3, 0.12)
        drawn = rng.random(600) < chance
        found = prediction_powered_mean(
            truth[drawn], verdict[drawn], verdict[~drawn], inclusion=chance[drawn]
        )
        assert found is not None and found.interval is not None
        hits += found.interval[0] <= 0.3 <= found.interval[1]
        errors.append(found.mean - 0.3)
    assert abs(np.mean(errors)) < 0.006
    assert 0.92 <= hits / 400 <= 0.98
