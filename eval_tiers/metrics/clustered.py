"""Intervals of means and ratios over rows that are not independent of each other."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eval_tiers.metrics.quantiles import cluster_quantile

Floats = NDArray[np.float64]

_NO_SPREAD = 1e-24
"""A variance below is that of rounding."""


def ratio_influence(part: ArrayLike, whole: ArrayLike) -> Floats:
    """Return what each cluster moves the ratio of two sums by, to first order.

    Parameters
    ----------
    part, whole : float[n_clusters]
        Sums of each cluster; those of ``whole`` must not add up to 0.

    Returns
    -------
    float[n_clusters]
        Adds up to 0.

    Examples
    --------
    >>> ratio_influence([2, 0], [2, 2]).tolist()
    [0.25, -0.25]
    """
    x: Floats = np.asarray(part, np.float64)
    n: Floats = np.asarray(whole, np.float64)
    total = float(n.sum())
    found: Floats = (x - float(x.sum()) / total * n) / total
    return found


def cluster_variance(influence: ArrayLike, cluster_n: int) -> float | None:
    """Return the cluster-robust variance of a figure: C/(C-1) times the sum of squares.

    Parameters
    ----------
    influence : float[...]
        As `ratio_influence`; entries of 0 add nothing.
    cluster_n : int
        Clusters that the figure rests on.

    Returns
    -------
    float or None
        None with fewer than two clusters.
    """
    if cluster_n < 2:
        return None
    moved: Floats = np.asarray(influence, np.float64)
    return cluster_n / (cluster_n - 1) * float((moved * moved).sum())


def two_way_variance(first: float | None, second: float | None, both: float | None) -> float | None:
    """Return the variance of a figure whose rows are clustered in two ways at once.

    Parameters
    ----------
    first, second : float or None
        Variance by one clustering and by the other.
    both : float or None
        Variance by their intersections. None stands for one intersection: then there is one
        cluster either way.

    Returns
    -------
    float or None
        ``first + second - both``, each with its own correction; where that is negative, the
        larger of the one-way variances. None where one of the two is.

    References
    ----------
    Cameron, Gelbach and Miller 2011, doi:10.1198/jbes.2010.07136.

    Examples
    --------
    >>> two_way_variance(3.0, 2.0, 1.0), two_way_variance(3.0, 2.0, 6.0)
    (4.0, 3.0)
    """
    if first is None or second is None or both is None:
        return None
    variance = first + second - both
    return variance if variance > 0 else max(first, second)


def interval_of_variance(
    value: float, variance: float | None, cluster_n: int
) -> tuple[float, float] | None:
    """Return the 95 % interval of a figure, Student's with C-1 degrees of freedom under 30.

    Returns
    -------
    (low, high) or None
        None without a variance, and where it is 0: clusters that don't differ say nothing of how
        far they could.
    """
    if variance is None or variance <= _NO_SPREAD:
        return None
    half = cluster_quantile(cluster_n) * math.sqrt(variance)
    return value - half, value + half


def clustered_interval(values: ArrayLike, clusters: ArrayLike) -> tuple[float, float] | None:
    """Return the 95 % interval of a mean with cluster-robust standard error.

    The variance is C/(C-1) times the sum of the squared sums of residuals by cluster, over n
    squared; the quantile is Student's with C-1 degrees of freedom under 30 clusters, else normal.

    Parameters
    ----------
    values : float[n]
    clusters : int[n]
        Which rows belong together.

    Returns
    -------
    (low, high) or None
        Not cut off at 0 and 1. None with fewer than two clusters.

    References
    ----------
    Miller 2024, arXiv:2411.00640, section 2.2.

    Examples
    --------
    >>> low, high = clustered_interval([1, 1, 0, 0], [0, 0, 1, 1])
    >>> round(low, 3), round(high, 3)
    (-5.853, 6.853)
    """
    x: Floats = np.asarray(values, np.float64)
    _, place = np.unique(np.asarray(clusters), return_inverse=True)
    cluster_n = int(place.max()) + 1 if len(x) else 0
    if cluster_n < 2:
        return None
    mean = float(x.mean())
    variance = cluster_variance(np.bincount(place, weights=x - mean) / len(x), cluster_n)
    half = cluster_quantile(cluster_n) * math.sqrt(variance or 0.0)
    return mean - half, mean + half


def effective_n(values: ArrayLike, clusters: ArrayLike) -> float | None:
    """Return how many independent rows a share over clustered rows is worth.

    The number of rows over the design effect: the variance of the mean as in
    `clustered_interval` over that of independent rows; never more than the number of rows. Where
    all values are the same nothing is known of the effect: the number of rows.

    Returns
    -------
    float or None
        None with fewer than two clusters.

    Examples
    --------
    >>> round(effective_n([1, 1, 0, 0], [0, 0, 1, 1]), 3)  # two clusters, each of one mind
    1.333
    >>> effective_n([1, 0, 1, 0], [0, 0, 1, 1]), effective_n([1, 0, 1, 0], [0, 1, 2, 3])
    (4.0, 4.0)
    """
    x: Floats = np.asarray(values, np.float64)
    _, place = np.unique(np.asarray(clusters), return_inverse=True)
    n, cluster_n = len(x), int(place.max()) + 1 if len(x) else 0
    if cluster_n < 2:
        return None
    residual = x - x.mean()
    independent = float(residual @ residual) / (n * (n - 1))
    sums = np.bincount(place, weights=residual)
    clustered = cluster_n / (cluster_n - 1) * float(sums @ sums) / n**2
    if independent <= 0 or clustered <= independent * (1 + 1e-12):
        return float(n)
    return n * independent / clustered
