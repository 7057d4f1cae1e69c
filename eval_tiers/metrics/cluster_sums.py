"""Variances of means over clustered rows, from sums that no order of rows changes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eval_tiers.metrics.clustered import cluster_variance, two_way_variance

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Flags = NDArray[np.bool_]

_EXACT_BITS: Final = 51  # of the 53 of a float; two for a difference and the last rounding
_SPARE: Final = 1_024


@dataclass(frozen=True, slots=True)
class Clustering:
    """Which rows belong together, in one way or in two.

    Attributes
    ----------
    codes : int[n]
        Not negative.
    other, both : int[n] or None
        The second way, and the clusters that share both; None for one way.
    """

    codes: Codes
    other: Codes | None = None
    both: Codes | None = None

    def of(self, chosen: Flags | Codes) -> Clustering:
        """Return some of the rows."""
        return Clustering(
            self.codes[chosen],
            None if self.other is None else self.other[chosen],
            None if self.both is None else self.both[chosen],
        )

    @property
    def cluster_n(self) -> int:
        """Number of clusters; of two ways the smaller number."""
        ways = [self.codes] if self.other is None else [self.codes, self.other]
        return min(cluster_count(way) for way in ways)


def one_way(clusters: ArrayLike) -> Clustering:
    """Return clusters of one kind.

    Parameters
    ----------
    clusters : int[n]
        Equal where rows belong together.
    """
    return Clustering(_small(clusters))


def two_way(first: ArrayLike, second: ArrayLike) -> Clustering:
    """Return rows that depend on each other by either of two kinds of clusters.

    Examples
    --------
    >>> two_way([0, 0, 1, 1], [5, 6, 7, 7]).cluster_n  # the smaller of two and three
    2
    """
    one, other = _small(first), _small(second)
    width = int(other.max(initial=0)) + 1
    return Clustering(one, other, _small(one * width + other))


def cluster_count(codes: Codes) -> int:
    """Return how many clusters there are."""
    return int(np.count_nonzero(np.bincount(codes))) if len(codes) else 0


def _small(clusters: ArrayLike) -> Codes:
    """Return codes from 0 that are not much larger than the number of rows."""
    codes = np.asarray(clusters)
    if codes.size == 0:
        return np.zeros(0, np.int64)
    if (
        np.issubdtype(codes.dtype, np.integer)
        and codes.min() >= 0
        and codes.max() < 4 * len(codes) + _SPARE
    ):
        return codes.astype(np.int64, copy=False)
    return np.asarray(np.unique(codes, return_inverse=True)[1], np.int64)


def on_grid(*columns: Floats) -> tuple[Floats, ...]:
    """Return numbers rounded to a power of two so small that sums of all of them are exact.

    Shares of 0 and 1 stay what they are; of a million numbers up to 1 the grid is 2e-10, of a
    thousand 4e-13.

    Parameters
    ----------
    *columns : float[n]
        Finite.
    """
    n = max(len(column) for column in columns)
    most = max((float(np.abs(column).max(initial=0.0)) for column in columns), default=0.0)
    if n == 0 or most == 0:
        return columns
    bits = _EXACT_BITS - math.ceil(math.log2(n)) - math.frexp(most)[1]
    return tuple(np.ldexp(np.rint(np.ldexp(column, bits)), -bits) for column in columns)


def mean_variance(values: Floats, clusters: Clustering) -> float | None:
    """Return the cluster-robust variance of a mean; None with fewer than two clusters.

    C/(C-1) times the sum of the squared sums of residuals by cluster, over n squared. In two ways:
    the variances by either, less that by both, each with its correction; where that is negative
    the larger of the two.

    Parameters
    ----------
    values : float[n]
        As `on_grid` returns them, or the order of rows changes the last digits.
    clusters : Clustering

    References
    ----------
    Cameron, Gelbach and Miller 2011, doi:10.1198/jbes.2010.07136.

    Examples
    --------
    >>> mean_variance(np.array([1.0, 1, 0, 0]), one_way([0, 0, 1, 1]))
    0.25
    """
    first = _of_way(values, clusters.codes)
    if clusters.other is None or clusters.both is None:
        return first
    second, shared = _of_way(values, clusters.other), _of_way(values, clusters.both)
    return two_way_variance(first, second, shared)


def _of_way(values: Floats, codes: Codes) -> float | None:
    n = len(values)
    counts = np.bincount(codes)
    sums = np.bincount(codes, weights=values)
    there = counts > 0
    moved = np.sort((sums[there] - float(values.sum()) / n * counts[there]) / n)
    return cluster_variance(moved, len(moved))
