"""Intervals of means over rows that are not independent of each other."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eval_tiers.metrics.intervals import Z_95

_FEW_CLUSTERS = 30
# Student's t at .975 with 1 to 28 degrees of freedom: importing SciPy for them takes longer than
# scoring a small benchmark.
_T_95 = (
    12.706204736174694, 4.302652729749462, 3.1824463052837078, 2.7764451051977934,
    2.5705818356363146, 2.4469118511449786, 2.364624251592784, 2.306004135204166,
    2.262157162798205, 2.228138851986274, 2.200985160091639, 2.1788128296672284,
    2.1603686564627913, 2.144786687917804, 2.131449545559776, 2.1199052992212546,
    2.1098155778333156, 2.1009220402410382, 2.0930240544083087, 2.085963447265864,
    2.0796138447276795, 2.0738730679040254, 2.0686576104190486, 2.0638985616280245,
    2.0595385527532972, 2.0555294386428735, 2.0518305164802846, 2.0484071417952454,
)  # fmt: skip


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
    quantile = Z_95
    if cluster_n < _FEW_CLUSTERS:
        quantile = _T_95[cluster_n - 2]
    half = quantile * math.sqrt(variance)
    return mean - half, mean + half
