"""What is left wrong when only the answers of highest confidence are kept."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eval_tiers.metrics.cluster_sums import cluster_count, on_grid, one_way
from eval_tiers.metrics.clustered import cluster_variance
from eval_tiers.metrics.quantiles import cluster_quantile

Floats = NDArray[np.float64]

POINTS = 50


@dataclass(frozen=True, slots=True)
class RiskPoint:
    """Answers of at least this confidence: their number, share of all, and share wrong."""

    confidence: float
    n: int
    coverage: float
    risk: float


@dataclass(frozen=True, slots=True)
class RiskCoverage:
    """The risk-coverage curve.

    Attributes
    ----------
    n : int
    aurc : float or None
        Mean over k of the share wrong of the k most confident answers; 0 best. Confidence that
        says nothing gives about `risk`.
    risk : float or None
        Share wrong of all.
    points : tuple of RiskPoint
        At distinct confidences, from the highest; at most 50, evenly spread over the coverage.
    """

    n: int
    aurc: float | None
    risk: float | None
    points: tuple[RiskPoint, ...]


def risk_coverage(confidence: ArrayLike, right: ArrayLike, point_n: int = POINTS) -> RiskCoverage:
    """Order answers by confidence and follow the share that is wrong.

    Answers of one confidence have no order among themselves: their errors are spread evenly over
    their places, so that the order of rows changes nothing.

    Parameters
    ----------
    confidence : float[n]
        Not nan.
    right : bool[n]
    point_n : int
        Most points, at least 1.

    References
    ----------
    Geifman and El-Yaniv 2017, arXiv:1705.08500; Geifman et al. 2019, arXiv:1805.08206.

    Examples
    --------
    >>> found = risk_coverage([0.9, 0.8, 0.8], [True, False, True])
    >>> round(found.aurc, 4), [(point.n, round(point.risk, 3)) for point in found.points]
    (0.1944, [(1, 0.0), (3, 0.333)])
    """
    score: NDArray[np.float64] = np.asarray(confidence, np.float64)
    n = len(score)
    if n == 0:
        return RiskCoverage(0, None, None, ())
    levels, place = np.unique(-score, return_inverse=True)
    size = np.bincount(place)
    wrong = np.bincount(place[~np.asarray(right, np.bool_)], minlength=len(levels))
    last, wrongs = np.cumsum(size), np.cumsum(wrong)
    level_of = np.repeat(np.arange(len(levels)), size)
    k = np.arange(1, n + 1)
    within = k - (last - size)[level_of]
    expected = (wrongs - wrong)[level_of] + within * (wrong / size)[level_of]
    wanted = np.arange(1, point_n + 1) / point_n * n
    chosen = np.unique(np.searchsorted(last, np.ceil(wanted)))
    points = tuple(
        RiskPoint(
            float(-levels[level]),
            int(last[level]),
            float(last[level] / n),
            float(wrongs[level] / last[level]),
        )
        for level in chosen.tolist()
    )
    return RiskCoverage(n, float(np.mean(expected / k)), float(wrongs[-1] / n), points)


def aurc_interval(
    confidence: ArrayLike, right: ArrayLike, clusters: ArrayLike
) -> tuple[float, float] | None:
    """Return the 95 % interval of the area under the risk-coverage curve.

    By the delta method: what each row moves the area by, to first order, its sums by cluster with
    C/(C-1) correction; Student's t under 30 clusters.

    Parameters
    ----------
    confidence : float[n]
        Not nan.
    right : bool[n]
    clusters : int[n]
        Which rows belong together.

    Returns
    -------
    (low, high) or None
        Cut off at 0 and 1. None with fewer than two clusters, and where nothing varies: all is
        right, or all wrong.

    Examples
    --------
    >>> low, high = aurc_interval([0.9, 0.8, 0.7, 0.6], [True, True, False, True], range(4))
    >>> round(low, 3), round(high, 3)
    (0.0, 0.684)
    """
    score: Floats = np.asarray(confidence, np.float64)
    groups = one_way(clusters).codes
    cluster_n = cluster_count(groups)
    wrong = ~np.asarray(right, np.bool_)
    if cluster_n < 2 or wrong.all() or not wrong.any():
        return None
    (moved,) = on_grid(_aurc_influence(score, wrong))
    sums = np.sort(np.bincount(groups, weights=moved)[np.bincount(groups) > 0]) / len(score)
    half = cluster_quantile(cluster_n) * (cluster_variance(sums, cluster_n) or 0.0) ** 0.5
    area = risk_coverage(score, ~wrong).aurc or 0.0
    return max(0.0, area - half), min(1.0, area + half)


def _aurc_influence(score: Floats, wrong: NDArray[np.bool_]) -> Floats:
    """Return the influence of each row on the area; adds up to 0.

    With the rows of one confidence as a level of mass p and wrong mass e, F and E the masses down
    to a level, the area is the sum over levels of e + a L, where L = ln(F / F before) and
    a = E before - e / p F before (0 for the first level). These are its derivatives by p and e.
    """
    levels, place = np.unique(-score, return_inverse=True)
    n, k = len(score), len(levels)
    p = np.bincount(place, minlength=k) / n
    e = np.bincount(place[wrong], minlength=k) / n
    mass, wrongs = np.cumsum(p), np.cumsum(e)
    before, rate = np.concatenate([[0.0], mass[:-1]]), e / p
    log: Floats = np.zeros(k)
    log[1:] = np.log(mass[1:] / before[1:])
    a = (wrongs - e) - rate * before
    a[0] = 0.0
    step: Floats = np.zeros(k)
    step[1:] = a[1:] * (1 / mass[1:] - 1 / before[1:]) - rate[1:] * log[1:]
    later = np.cumsum(step[::-1])[::-1] - step
    by_mass = rate * before / p * log + a / mass + later
    by_wrong = 1 - before / p * log - np.log(mass)
    found = by_mass[place] + np.where(wrong, by_wrong[place], 0.0)
    centred: Floats = found - (p @ by_mass + e @ by_wrong)
    return centred
