"""Bootstrap intervals of corrected shares."""

from __future__ import annotations

import numpy as np
import pytest

from eval_tiers.metrics.corrected_rates import CorrectedRates, corrected_rates

CONFUSION = ((80, 10, 8, 2), (20, 65, 12, 3), (25, 10, 60, 5))
OBSERVED = (206, 84, 98, 12)


def rates(
    confusion: tuple[tuple[int, ...], ...] = CONFUSION,
    observed: tuple[int, ...] = OBSERVED,
    size: int = 1,
    order: int | None = None,
    seed: int = 0,
    draws: int = 2_000,
) -> CorrectedRates:
    """Correct counts; rows in clusters of ``size`` neighbours, shuffled when an order is given."""
    truth = np.repeat(np.arange(len(confusion)), [sum(row) for row in confusion])
    verdict = np.concatenate([np.repeat(np.arange(len(row)), row) for row in confusion])
    case = np.repeat(np.arange(len(observed)), observed)
    controls = [f"c{i // size}" for i in range(len(truth))]
    cases = [f"h{i // size}" for i in range(len(case))]
    if order is not None:
        rng = np.random.default_rng(order)
        mixed = rng.permutation(len(truth))
        truth, verdict, controls = truth[mixed], verdict[mixed], [controls[i] for i in mixed]
        mixed = rng.permutation(len(case))
        case, cases = case[mixed], [cases[i] for i in mixed]
    return corrected_rates(
        truth, verdict, controls, case, cases,
        truth_n=len(confusion), verdict_n=len(observed), draws=draws, seed=seed,
    )  # fmt: skip


def test_shares_and_intervals() -> None:
    found = rates()
    assert found.shares == pytest.approx((0.5, 0.2, 0.3), abs=0.01)
    assert found.unclipped == pytest.approx(found.shares, abs=0.01)
    assert found.intervals is not None and found.draw_n == 2_000 and found.cluster_n == 700
    for share, (low, high) in zip(found.shares or (), found.intervals, strict=True):
        assert 0 <= low < share < high <= 1
        assert 0.1 < high - low < 0.35


def test_the_width_is_that_of_the_delta_method() -> None:
    # With many controls and cases: covariance of a linear inverse, errors of both samples.
    confusion = tuple(tuple(40 * cell for cell in row) for row in ((80, 20), (30, 70)))
    # Two truths through the general code: it has no rule of its own for two.
    found = rates(confusion, (2_200, 1_800))
    assert found.shares is not None and found.intervals is not None
    theta, youden = 0.5, 0.5
    variance = (
        0.55 * 0.45 / 4_000 + theta**2 * 0.8 * 0.2 / 4_000 + theta**2 * 0.3 * 0.7 / 4_000
    ) / youden**2
    low, high = found.intervals[0]
    assert high - low == pytest.approx(2 * 1.96 * variance**0.5, rel=0.06)


def test_order_and_seed() -> None:
    assert rates(order=1) == rates(order=2) == rates()
    other = rates(seed=1)
    assert other.shares == rates().shares and other.intervals != rates().intervals


def test_clusters_of_equal_verdicts_widen_the_interval() -> None:
    alone, together = rates(), rates(size=10)
    assert alone.intervals is not None and together.intervals is not None
    assert together.shares == alone.shares
    for (low, high), (wide_low, wide_high) in zip(alone.intervals, together.intervals, strict=True):
        assert wide_high - wide_low > 1.5 * (high - low)


def test_controls_and_cases_that_share_a_perturbation_are_drawn_together() -> None:
    truth = np.tile(np.repeat(np.arange(3), 10), 8)
    verdict = truth.copy()
    verdict[::7] = 3
    cluster = [f"p{i // 30}" for i in range(len(truth))]
    found = corrected_rates(
        truth, verdict, cluster, [0, 1, 2] * 40, [f"p{i // 15}" for i in range(120)],
        truth_n=3, verdict_n=4,
    )  # fmt: skip
    assert found.cluster_n == 8


def test_a_single_cluster_gives_no_interval() -> None:
    found = rates(size=10_000)
    assert found.shares is not None and found.intervals is None and found.draw_n == 0


def test_verdicts_that_no_control_got_say_nothing() -> None:
    confusion = tuple((*row[:2], row[2] + row[3], 0) for row in CONFUSION)
    with_none = rates(confusion, (206, 84, 98, 12))
    without = rates(confusion, (206, 84, 98, 0))
    assert with_none.shares == without.shares


def test_refusals_give_no_numbers() -> None:
    found = rates(((20, 5, 4, 0), *CONFUSION[1:]))
    assert found.shares is None and found.intervals is None and found.unclipped is None
    assert found.refusal is not None and found.refusal.code == "few-controls"
    assert rates(observed=(0, 0, 0, 0)).refusal is not None


def test_rare_truths_end_at_0_and_keep_the_unbounded_value() -> None:
    # About what the third truth alone would give: 100, 40, 240, 20.
    found = rates(observed=(95, 42, 243, 20))
    assert found.shares is not None and found.shares[0] == 0
    assert found.unclipped is not None and found.unclipped[0] < 0
    assert sum(found.unclipped) == pytest.approx(1)
    assert found.intervals is not None
    assert found.intervals[0][0] == 0 and 0.05 < found.intervals[0][1] < 0.3
    assert not found.unlike_controls


def test_verdicts_that_no_mix_of_truths_gives_are_told() -> None:
    found = rates(observed=(20, 40, 320, 20))
    assert found.unlike_controls
    assert found.intervals is not None and found.intervals[0][1] > 0.03


def test_a_perfect_examiner_is_not_taken_for_infallible() -> None:
    found = rates(((50, 0, 0, 0), (0, 50, 0, 0), (0, 0, 50, 0)), (0, 0, 400, 0))
    assert found.shares == (0, 0, 1) and found.intervals is not None
    # No answer bug among 400, but 1 in 50 of them might be called something else.
    assert found.intervals[2][0] < 1
