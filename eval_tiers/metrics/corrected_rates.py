"""Corrected shares of several truths with intervals from a bootstrap over clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eval_tiers.metrics.judge_correction import Refusal, multinomial_shares, smallest_singular_value

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Interval = tuple[float, float]

DRAWS = 2_000
_BLOCK = 1_000_000
_PSEUDO_CONTROLS = 1.0


@dataclass(frozen=True, slots=True)
class CorrectedRates:
    """What verdicts on cases say of the truths behind them.

    Attributes
    ----------
    shares : tuple of float or None
        Of each truth among the cases: at least 0, adding up to 1.
    unclipped : tuple of float or None
        The same without the bound at 0 (weighted least squares); they add up to 1.
    intervals : tuple of (low, high), or None
        95 %, each within 0 and 1 and around its share; None with fewer than two clusters of cases
        or of controls of a truth.
    refusal : Refusal or None
        Why there are no shares.
    singular_value : float or None
        The smallest of the confusion matrix.
    cluster_n, draw_n : int
        Clusters drawn from, and draws that could be used.
    unlike_controls : bool
        The verdicts on the cases can't be a mix of those on the controls, beyond chance: some
        interval without the bounds lies wholly outside 0 and 1.
    """

    shares: tuple[float, ...] | None
    unclipped: tuple[float, ...] | None
    intervals: tuple[Interval, ...] | None
    refusal: Refusal | None
    singular_value: float | None
    cluster_n: int
    draw_n: int
    unlike_controls: bool = False


def corrected_rates(
    control_truths: ArrayLike,
    control_verdicts: ArrayLike,
    control_clusters: Sequence[object],
    case_verdicts: ArrayLike,
    case_clusters: Sequence[object],
    *,
    truth_n: int,
    verdict_n: int,
    truths: Sequence[str] | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> CorrectedRates:
    """Estimate the shares of the truths among cases, with 95 % intervals.

    The shares are `multinomial_shares`. For the intervals clusters are drawn with replacement, each
    with all its controls and cases, and the shares are worked out again without the bound at 0, by
    least squares weighted with the fitted verdict shares: percentiles of estimates that are cut
    off at 0 cover too rarely where a truth is rare. The percentiles are moved by the distance from
    that estimate to the share, then held within 0 and 1. In the draws (not in the shares) each
    truth has one more control, spread over the verdicts, because a verdict that none of 100
    controls got is rare but not impossible.

    Parameters
    ----------
    control_truths, control_verdicts : int[m]
        Of each control: row and column of the confusion matrix.
    control_clusters : sequence of m
        What controls and cases that aren't independent share.
    case_verdicts : int[n]
    case_clusters : sequence of n
    truth_n, verdict_n : int
        Size of the confusion matrix; the last verdict may be "none".
    truths : sequence of str, optional
        Names of the truths, for the reason of a refusal.
    draws, seed : int
        The order of controls and cases doesn't matter.
    """
    truth: Counts = np.asarray(control_truths, np.int64)
    verdict: Counts = np.asarray(control_verdicts, np.int64)
    of_case: Counts = np.asarray(case_verdicts, np.int64)
    cells = truth_n * verdict_n
    confusion = np.bincount(truth * verdict_n + verdict, minlength=cells).reshape(truth_n, -1)
    observed = np.bincount(of_case, minlength=verdict_n)
    named = np.array([str(name) for name in (*control_clusters, *case_clusters)], dtype=np.str_)
    _, cluster = np.unique(named, return_inverse=True)
    cluster_n = int(cluster.max()) + 1 if len(cluster) else 0
    singular = smallest_singular_value(confusion)
    shares, reason = multinomial_shares(confusion, observed, truths)
    if shares is None:
        return CorrectedRates(None, None, None, reason, singular, cluster_n, 0)
    used = confusion.max(axis=0) > 0
    rows = confusion / confusion.sum(axis=1, keepdims=True)
    kept = observed[used]
    weight = 1 / np.maximum(np.array(shares) @ rows, 1 / kept.sum())[used]
    unclipped = _unbounded(rows[None][..., used], (kept / kept.sum())[None], weight)[0]
    of_controls, of_cases = cluster[: len(truth)], cluster[len(truth) :]
    spread = [of_cases, *(of_controls[truth == row] for row in range(truth_n))]
    intervals, draw_n, unlike = None, 0, False
    if min(len(np.unique(group)) for group in spread) >= 2:
        places = np.concatenate([truth * verdict_n + verdict, cells + of_case])
        drawn = _draw(places, cluster, truth_n, verdict_n, used, draws, seed)
        of_draw = drawn[:, :cells].reshape(-1, truth_n, verdict_n)[..., used]
        seen = drawn[:, cells:][:, used]
        whole, all_seen = of_draw.sum(axis=2, keepdims=True), seen.sum(axis=1, keepdims=True)
        good = (whole.min(axis=(1, 2)) > 0) & (all_seen[:, 0] > 0)
        draw_n = int(good.sum())
        estimates = _unbounded(of_draw[good] / whole[good], seen[good] / all_seen[good], weight)
        low, high = np.quantile(estimates, (0.025, 0.975), axis=0)
        unlike = bool(((high < 0) | (low > 1)).any())
        # Around the shares: an interval that ends below 0 would leave nothing between 0 and 0.
        low, high = low + (shares - unclipped), high + (shares - unclipped)
        intervals = tuple(
            (float(min(share, max(0.0, bottom))), float(max(share, min(1.0, top))))
            for share, bottom, top in zip(shares, low, high, strict=True)
        )
    return CorrectedRates(
        shares,
        tuple(float(x) for x in unclipped),
        intervals,
        None,
        singular,
        cluster_n,
        draw_n,
        unlike,
    )


def _unbounded(rows: Floats, observed: Floats, weight: Floats) -> Floats:
    """Return shares that add up to 1 and fit best by weighted least squares; draws by truths."""
    n, k, _ = rows.shape
    system = np.zeros((n, k + 1, k + 1))
    weighted = rows * weight
    system[:, :k, :k] = weighted @ rows.transpose(0, 2, 1)
    system[:, k, :k] = system[:, :k, k] = 1
    right = np.ones((n, k + 1, 1))
    right[:, :k] = weighted @ observed[..., None]
    try:
        found: Floats = np.linalg.solve(system, right)
    except np.linalg.LinAlgError:  # two truths of a draw happen to have the same row
        found = np.linalg.pinv(system, hermitian=True) @ right
    return found[:, :k, 0]


def _draw(
    places: Counts,
    cluster: Counts,
    truth_n: int,
    verdict_n: int,
    used: NDArray[np.bool_],
    draws: int,
    seed: int,
) -> Floats:
    """Draw clusters with replacement; return counts by draw and place.

    Places are the cells of the confusion matrix, then the verdicts on cases. Clusters with the
    same counts are drawn as one kind: fast, and the order of rows doesn't matter.
    """
    cells, cluster_n = truth_n * verdict_n, int(cluster.max()) + 1
    width = cells + verdict_n
    table = np.bincount(cluster * width + places, minlength=cluster_n * width)
    kinds, often = np.unique(table.reshape(cluster_n, width), axis=0, return_counts=True)
    pseudo = np.eye(cells, width, dtype=np.int64)[np.tile(used, truth_n)]
    chance = np.concatenate([often, np.full(len(pseudo), _PSEUDO_CONTROLS / used.sum())])
    kinds = np.concatenate([kinds, pseudo]).astype(np.float64)  # exact, and faster to multiply
    rng = np.random.default_rng(seed)
    block = max(1, _BLOCK // len(kinds))
    drawn = [
        rng.multinomial(cluster_n, chance / chance.sum(), size=min(block, draws - start)) @ kinds
        for start in range(0, draws, block)
    ]
    counts: Floats = np.concatenate(drawn)
    return counts
