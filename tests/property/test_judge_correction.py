"""Laws of corrected shares, whatever the verdicts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from eval_tiers.metrics.corrected_rates import corrected_rates
from eval_tiers.metrics.judge_correction import (
    lang_reiczigel,
    multinomial_shares,
    rogan_gladen,
    worse,
)
from eval_tiers.metrics.mixture_shares import mixture_shares
from eval_tiers.metrics.prediction_powered import prediction_powered_mean

counts = st.lists(st.integers(0, 60), min_size=4, max_size=4)
matrices = st.lists(counts, min_size=3, max_size=3)


@given(matrices, counts)
def test_shares_are_shares_or_there_is_a_reason(
    confusion: list[list[int]], observed: list[int]
) -> None:
    shares, reason = multinomial_shares(confusion, observed)
    assert (shares is None) is (reason is not None)
    if shares is not None:
        assert min(shares) >= 0 and sum(shares) == pytest.approx(1, abs=1e-8)


@given(matrices, counts)
def test_nothing_is_likelier(confusion: list[list[int]], observed: list[int]) -> None:
    rows = np.array(confusion, float)
    assume((rows.sum(axis=1) > 0).all())
    rows /= rows.sum(axis=1, keepdims=True)
    seen = np.where(rows.max(axis=0) > 0, observed, 0)
    assume(seen.sum() > 0)
    shares = mixture_shares(rows, observed)
    mix = shares @ rows
    ratio = np.divide(seen / seen.sum(), mix, out=np.zeros(4), where=seen > 0)
    # Moving weight to any truth gains nothing: the condition of a maximum of a concave function.
    assert (rows @ ratio).max() <= 1 + 1e-6


@given(matrices, counts, st.permutations(range(3)), st.permutations(range(4)))
def test_names_of_truths_and_verdicts_do_not_matter(
    confusion: list[list[int]], observed: list[int], truths: list[int], verdicts: list[int]
) -> None:
    found, _ = multinomial_shares(confusion, observed)
    mixed, _ = multinomial_shares(
        np.array(confusion)[truths][:, verdicts], np.array(observed)[verdicts]
    )
    assert (found is None) is (mixed is None)
    if found is not None:
        assert mixed == pytest.approx(np.array(found)[truths], abs=1e-5)


@given(matrices, counts, st.integers(0, 3), st.integers(1, 4))
def test_intervals_hold_their_share(
    confusion: list[list[int]], observed: list[int], seed: int, size: int
) -> None:
    truth = np.repeat(np.arange(3), [sum(row) for row in confusion])
    verdict = np.concatenate([np.repeat(np.arange(4), row) for row in confusion])
    case = np.repeat(np.arange(4), observed)
    found = corrected_rates(
        truth, verdict, [f"c{i // size}" for i in range(len(truth))],
        case, [f"h{i // size}" for i in range(len(case))],
        truth_n=3, verdict_n=4, draws=50, seed=seed,
    )  # fmt: skip
    assert (found.shares is None) is (found.refusal is not None)
    if found.intervals is not None:
        for share, (low, high) in zip(found.shares or (), found.intervals, strict=True):
            assert 0 <= low <= share <= high <= 1


@given(
    st.integers(0, 50), st.integers(0, 50), st.integers(0, 50),
    st.integers(1, 50), st.integers(1, 50), st.integers(1, 50),
)  # fmt: skip
def test_two_verdicts_stay_within_0_and_1(
    p: int, hit: int, miss: int, n: int, hit_n: int, miss_n: int
) -> None:
    p, hit, miss = min(p, n), min(hit, hit_n), min(miss, miss_n)
    rate = rogan_gladen(p, n, hit / hit_n, miss / miss_n)
    bounds = lang_reiczigel(p, n, hit, hit_n, miss, miss_n)
    if rate is None:
        assert bounds is None
    else:
        assert 0 <= rate.rate <= 1
        assert bounds is None or 0 <= bounds[0] <= bounds[1] <= 1


@given(
    st.lists(st.lists(st.integers(1, 60), min_size=4, max_size=4), min_size=3, max_size=3),
    st.floats(0, 1),
)
def test_worse_keeps_rows_distributions(confusion: list[list[int]], points: float) -> None:
    rows = np.array(confusion, float)
    rows /= rows.sum(axis=1, keepdims=True)
    found = worse(rows, points)
    assert found.sum(axis=1) == pytest.approx(np.ones(3)) and found.min() >= -1e-12
    assert (np.diag(found) <= np.diag(rows) + 1e-12).all()


@given(
    st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 5)), max_size=40),
    st.lists(st.booleans(), max_size=40),
)
def test_prediction_powered_intervals(
    labelled: list[tuple[bool, bool, int]], others: list[bool]
) -> None:
    labels = [one[0] for one in labelled]
    verdicts = [one[1] for one in labelled]
    clusters = [one[2] for one in labelled]
    found = prediction_powered_mean(labels, verdicts, others, clusters=clusters)
    assert (found is None) is (not labelled)
    if found is not None:
        assert 0 <= found.weight_of_judge <= 1
        assert found.interval is None or 0 <= found.interval[0] <= found.interval[1] <= 1
        assert (found.interval is None) is (len(set(clusters)) < 2)
