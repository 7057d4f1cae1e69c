"""Quantiles for intervals over clusters."""

from __future__ import annotations

from typing import Final

from eval_tiers.metrics.intervals import Z_95

FEW_CLUSTERS: Final = 30
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
