"""Two raters, models or runs on the same items: differences and tests that use the pairing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eval_tiers.metrics.cluster_sums import Clustering, mean_variance, on_grid, one_way
from eval_tiers.metrics.intervals import wilson_interval
from eval_tiers.metrics.quantiles import FEW_CLUSTERS, cluster_quantile

ALPHA: Final = 0.05
POWER: Final = 0.8
_NO_WIDTH: Final = 1e-12  # of a standard error: what is left is rounding
Floats = NDArray[np.float64]
Interval = tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The mean of two on the same items, and how they differ (second minus first).

    Attributes
    ----------
    n : int
        Items on which both have a value.
    left_out_n : int
        Items on which one of them has none.
    cluster_n : int
        Of two ways the smaller number.
    first, second, difference : float or None
        None for n = 0.
    first_interval, second_interval : (low, high) or None
        95 % of each mean by itself: clustered; Wilson's where clusters can't tell.
    interval : (low, high) or None
        95 % of the difference.
    standard_error : float or None
        Cluster-robust; None with fewer than two clusters.
    reason : str or None
        Why there is no interval: ``no_pair``, ``one_cluster``, ``no_variation``.
    """

    n: int
    left_out_n: int
    cluster_n: int
    first: float | None
    second: float | None
    difference: float | None
    first_interval: Interval
    second_interval: Interval
    interval: Interval
    standard_error: float | None
    reason: str | None


def paired_difference(
    first: ArrayLike,
    second: ArrayLike,
    clusters: ArrayLike | Clustering,
    of_shares: bool = False,
) -> PairedDifference:
    """Compare two means on the same items, whose differences are clustered.

    The standard error is that of `eval_tiers.metrics.cluster_sums.mean_variance` over the
    differences; the quantile is Student's with C-1 degrees of freedom under 30 clusters, else
    normal. Where all clusters differ by the same the interval would have no width, and says
    nothing: there is none; of shares it is then as wide as Wilson's interval of 0 in so many
    clusters. The order of rows changes no digit.

    Parameters
    ----------
    first, second : float[n]
        nan: no value; such items are left out of both means.
    clusters : int[n] or Clustering
        Which items belong together, in one way or in two.
    of_shares : bool
        All values are 0 or 1 (or shares of answers): differences lie between -1 and 1.

    References
    ----------
    Miller 2024, arXiv:2411.00640, section 4.2.

    Examples
    --------
    >>> found = paired_difference([1, 0, 1, 1], [1, 1, 1, 1], [0, 1, 2, 3])
    >>> found.difference, round(found.interval[1], 3)
    (0.25, 1.046)
    >>> found = paired_difference([1] * 30, [1] * 30, range(30), of_shares=True)
    >>> [round(end, 3) for end in found.interval]
    [-0.114, 0.114]
    """
    x, y = np.asarray(first, np.float64), np.asarray(second, np.float64)
    ways = clusters if isinstance(clusters, Clustering) else one_way(clusters)
    both = ~(np.isnan(x) | np.isnan(y))
    left_out_n = int(np.count_nonzero(~both))
    if left_out_n:
        ways, x, y = ways.of(both), x[both], y[both]
    n = len(x)
    if n == 0:
        nothing = (None,) * 7
        return PairedDifference(0, left_out_n, 0, *nothing, "no_pair")
    x, y = on_grid(x, y)
    change, cluster_n = y - x, ways.cluster_n
    mean = float(change.sum()) / n
    alone = [_of_one(side, ways, of_shares) for side in (x, y)]
    means = float(x.sum()) / n, float(y.sum()) / n
    known = n, left_out_n, cluster_n, *means, mean, alone[0], alone[1]
    variance = mean_variance(change, ways)
    if variance is None:
        return PairedDifference(*known, None, None, "one_cluster")
    error = math.sqrt(variance)
    half = cluster_quantile(cluster_n) * error
    interval = mean - half, mean + half
    if error <= _NO_WIDTH:
        if not of_shares:
            return PairedDifference(*known, None, 0.0, "no_variation")
        room = _wilson_room(cluster_n)
        interval = mean - room, mean + room
    if of_shares:
        interval = max(-1.0, interval[0]), min(1.0, interval[1])
    return PairedDifference(*known, interval, error, None)


def _of_one(values: Floats, ways: Clustering, of_shares: bool) -> Interval:
    """Return the interval of one of the means: clustered, as a run by itself shows it.

    Where clusters can't tell (one alone, or none differs; of shares: no two items share one) it is
    Wilson's of the value over n; None of means in one cluster.
    """
    n, cluster_n = len(values), ways.cluster_n
    mean, variance = float(values.sum()) / n, mean_variance(values, ways)
    alone = of_shares and ways.other is None and cluster_n == n
    if variance is not None and math.sqrt(variance) > _NO_WIDTH and not alone:
        half = cluster_quantile(cluster_n) * math.sqrt(variance)
        low, high = mean - half, mean + half
        return (max(0.0, low), min(1.0, high)) if of_shares else (low, high)
    if (variance is None and not of_shares) or not 0 <= mean <= 1:
        return None
    return wilson_interval(mean * n, n)


def _wilson_room(n: int) -> float:
    found = wilson_interval(0, n)
    return 1.0 if found is None else found[1]


def mcnemar_exact(first_only: int, second_only: int) -> float:
    """Return the two-sided p of McNemar's exact test: as many turned one way as the other.

    Parameters
    ----------
    first_only, second_only : int
        Discordant pairs: right in the first alone, right in the second alone. Without any, p = 1.

    References
    ----------
    McNemar 1947, doi:10.1007/BF02295996.

    Examples
    --------
    >>> mcnemar_exact(0, 0), mcnemar_exact(0, 6), mcnemar_exact(3, 3)
    (1.0, 0.03125, 1.0)
    """
    from scipy.special import bdtr

    n = first_only + second_only
    if n == 0:
        return 1.0
    return min(1.0, 2 * float(bdtr(min(first_only, second_only), n, 0.5)))


@dataclass(frozen=True, slots=True)
class Symmetry:
    """Bowker's test.

    Attributes
    ----------
    statistic : float
        Chi-square.
    df : int
        Pairs of labels between which anything moved.
    p : float
        1 where nothing moved.
    """

    statistic: float
    df: int
    p: float


def bowker_symmetry(counts: ArrayLike) -> Symmetry:
    """Test that as many items move from label i to label j as from j to i, for all i and j.

    The chi-square is an approximation: read p with care where few items moved. Pairs of labels
    between which nothing moved add neither to the statistic nor to its degrees of freedom.

    Parameters
    ----------
    counts : int[k, k]
        Label in the first, label in the second.

    References
    ----------
    Bowker 1948, doi:10.1080/01621459.1948.10483284.

    Examples
    --------
    >>> found = bowker_symmetry([[5, 8], [2, 5]])
    >>> found.statistic, found.df, round(found.p, 4)
    (3.6, 1, 0.0578)
    >>> bowker_symmetry([[5, 0], [0, 5]]).p
    1.0
    """
    from scipy.special import chdtrc

    table: Floats = np.asarray(counts, np.float64)
    rows, columns = np.triu_indices(len(table), 1)
    there, back = table[rows, columns], table[columns, rows]
    moved = there + back > 0
    df = int(np.count_nonzero(moved))
    if df == 0:
        return Symmetry(0.0, 0, 1.0)
    there, back = there[moved], back[moved]
    statistic = float(((there - back) ** 2 / (there + back)).sum())
    return Symmetry(statistic, df, float(chdtrc(df, statistic)))


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return p values adjusted for their number by Holm's method, in their order.

    Parameters
    ----------
    p_values : sequence of float or None
        None: not tested; stays None and counts for nothing.

    References
    ----------
    Holm 1979, https://www.jstor.org/stable/4615733.

    Examples
    --------
    >>> holm([0.01, None, 0.04, 0.03])
    [0.03, None, 0.06, 0.06]
    """
    tested = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, place) in enumerate(tested):
        highest = max(highest, min(1.0, (len(tested) - rank) * p))
        adjusted[place] = highest
    return adjusted


def fewest_discordant() -> int:
    """Return the fewest discordant pairs, all one way, that the exact test calls a difference.

    Examples
    --------
    >>> fewest_discordant()
    6
    """
    return 1 + math.ceil(-math.log2(ALPHA))


def minimum_detectable_effect(found: PairedDifference, of_shares: bool = False) -> float | None:
    """Return the smallest true difference that would be found four times out of five.

    The two-sided 5 % quantile plus the 80 % quantile, times the standard error of the difference
    that was seen; Student's under 30 clusters. Of shares at least what six discordant pairs make,
    all one way: with fewer the exact test finds nothing; and where all clusters differ by the same
    at least half the width of their interval.

    Parameters
    ----------
    found : PairedDifference
    of_shares : bool

    Returns
    -------
    float or None
        None where nothing could be found: one cluster, fewer than six pairs (of shares), no
        variation (of means).

    References
    ----------
    Miller 2024, arXiv:2411.00640, section 5.

    Examples
    --------
    >>> same = paired_difference([1] * 60, [1] * 60, range(60), of_shares=True)
    >>> minimum_detectable_effect(same, of_shares=True)
    0.1
    """
    from scipy.special import ndtri, stdtrit

    error, clusters = found.standard_error, found.cluster_n
    if error is None:
        return None
    of_power = stdtrit(clusters - 1, POWER) if clusters < FEW_CLUSTERS else ndtri(POWER)
    effect = (cluster_quantile(clusters) + float(of_power)) * error
    if not of_shares:
        return effect or None
    if error <= _NO_WIDTH:  # none seen is not none there: as far as the interval goes
        effect = _wilson_room(clusters)
    effect = max(effect, fewest_discordant() / found.n)
    return effect if effect <= 1 else None
