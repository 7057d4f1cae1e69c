"""Quantiles for intervals: over clusters, and of a median."""

from __future__ import annotations

import math
from typing import Final

from eval_tiers.metrics.intervals import Z_95

FEW_CLUSTERS: Final = 30
_MANY_VALUES: Final = 200
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


def cluster_quantile(cluster_n: int) -> float:
    """Return the two-sided 95 % quantile: Student's under 30 clusters, else normal.

    Parameters
    ----------
    cluster_n : int
        At least 2; Student's t has one degree of freedom less.

    Examples
    --------
    >>> round(cluster_quantile(5), 3), round(cluster_quantile(30), 3)
    (2.776, 1.96)
    """
    return _T_95[cluster_n - 2] if cluster_n < FEW_CLUSTERS else Z_95


def median_ranks(n: int) -> tuple[int, int] | None:
    """Return the ranks of two values between which the median lies with 95 %, counted from 1.

    By the binomial distribution; from 200 values on by its normal approximation.

    Parameters
    ----------
    n : int
        Independent values.

    Returns
    -------
    (low, high) or None
        None with fewer than 6 values: even the least and the largest are too near.

    References
    ----------
    Conover 1999, Practical nonparametric statistics, section 3.2.

    Examples
    --------
    >>> median_ranks(5), median_ranks(6), median_ranks(10), median_ranks(1000)
    (None, (1, 6), (2, 9), (469, 532))
    """
    if n >= _MANY_VALUES:
        below = math.floor((n - Z_95 * math.sqrt(n)) / 2)
        return below, n + 1 - below
    below, tail = 0, 0
    while below < n:
        tail += math.comb(n, below)
        if tail > 0.025 * 2**n:
            break
        below += 1
    return (below, n + 1 - below) if below else None
