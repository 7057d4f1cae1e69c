"""Intervals of means over rows that are not independent of each other."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eval_tiers.metrics.quantiles import cluster_quantile


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
    x: NDArray[np.float64] = np.asarray(values, np.float64)
    _, place = np.unique(np.asarray(clusters), return_inverse=True)
    cluster_n = int(place.max()) + 1 if len(x) else 0
    if cluster_n < 2:
        return None
    mean = float(x.mean())
    sums = np.bincount(place, weights=x - mean)
    variance = cluster_n / (cluster_n - 1) * float(sums @ sums) / len(x) ** 2
    half = cluster_quantile(cluster_n) * math.sqrt(variance)
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
    x: NDArray[np.float64] = np.asarray(values, np.float64)
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
