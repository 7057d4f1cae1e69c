"""PPI++: a mean from few labels by people and many verdicts by a judge."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eval_tiers.metrics.intervals import wilson_interval
from eval_tiers.metrics.quantiles import cluster_quantile

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PredictionPoweredMean:
    """A mean and what it rests on.

    Attributes
    ----------
    mean : float
        Not cut off at 0 and 1.
    interval : (low, high) or None
        95 %, within 0 and 1; None with fewer than two clusters of labels.
    weight_of_judge : float
        The tuning parameter, 0 (labels alone) to 1.
    label_n, other_n, cluster_n : int
        Labelled rows, rows with a verdict alone, clusters of labelled rows.
    """

    mean: float
    interval: tuple[float, float] | None
    weight_of_judge: float
    label_n: int
    other_n: int
    cluster_n: int


def prediction_powered_mean(
    labels: ArrayLike,
    verdicts: ArrayLike,
    other_verdicts: ArrayLike,
    *,
    inclusion: ArrayLike | None = None,
    clusters: Sequence[object] | None = None,
    other_clusters: Sequence[object] | None = None,
) -> PredictionPoweredMean | None:
    """Estimate the share of rows with a property, by labels of a random sample and by verdicts.

    The mean label plus ``weight_of_judge`` times the difference between the mean verdict on the
    rest and on the labelled rows. The weight is the one of least variance,
    cov(label, verdict) / ((1 + n/N) var(verdict)), within 0 and 1. Labels that were drawn with
    unequal chances are weighted with the inverse (as in a regression estimator of survey
    sampling, which is the same for equal chances).

    The interval is normal, from influences added up by cluster with the correction C/(C-1), C the
    clusters of labelled rows; Student's under 30 of them. Where the labels are all the same it is
    Wilson's interval of the labels alone: a variance of 0 would claim certainty.

    Parameters
    ----------
    labels : float[n]
        0 or 1, by people.
    verdicts : float[n]
        0 or 1, by the judge, on the same rows.
    other_verdicts : float[N]
        By the judge, on rows without a label.
    inclusion : float[n], optional
        Chance with which each labelled row was drawn, above 0; the same for all when None.
    clusters, other_clusters : sequences of n and N, optional
        Which rows belong together; each row by itself when None.

    Returns
    -------
    PredictionPoweredMean or None
        None without labels.

    References
    ----------
    Angelopoulos, Duchi & Zrnic 2023, arXiv:2311.01453.

    Examples
    --------
    >>> found = prediction_powered_mean([1, 0, 1, 0], [1, 0, 1, 1], [1, 1, 0, 0, 0, 0, 0, 0])
    >>> round(found.mean, 4), round(found.weight_of_judge, 4)
    (0.3429, 0.3143)
    """
    y: Floats = np.asarray(labels, np.float64)
    f: Floats = np.asarray(verdicts, np.float64)
    rest: Floats = np.asarray(other_verdicts, np.float64)
    n, rest_n = len(y), len(rest)
    if n == 0:
        return None
    chance: Floats = np.ones(n) if inclusion is None else np.asarray(inclusion, np.float64)
    weight = (1 / chance) / float((1 / chance).sum())
    everything = np.concatenate([f, rest])
    slope = _slope(y, f, weight, everything, rest_n)
    overall = float(everything.mean())
    residual = y - slope * f
    centre = float(weight @ residual)
    mean = slope * overall + centre
    place, cluster_n = _places(n, rest_n, clusters, other_clusters)
    own = weight * (residual - centre) + slope * (f - overall) / len(everything)
    others = slope * (rest - overall) / len(everything)
    influence = np.concatenate([own - own.mean(), others - others.mean() if rest_n else others])
    interval = None
    if cluster_n >= 2:
        if np.ptp(y) == 0:
            interval = wilson_interval(float(y.sum()), n)
        else:
            sums = np.bincount(place, weights=influence)
            half = cluster_quantile(cluster_n) * math.sqrt(
                cluster_n / (cluster_n - 1) * float(sums @ sums)
            )
            interval = max(0.0, mean - half), min(1.0, mean + half)
    of_judge = slope * rest_n / len(everything)
    return PredictionPoweredMean(mean, interval, of_judge, n, rest_n, cluster_n)


def _slope(y: Floats, f: Floats, weight: Floats, everything: Floats, rest_n: int) -> float:
    """Return the weight of the judge times (1 + n/N): the slope of labels on verdicts."""
    if rest_n == 0 or np.ptp(everything) == 0:
        return 0.0
    covariance = float(weight @ ((y - weight @ y) * (f - weight @ f)))
    slope = covariance / float(everything.var(ddof=1))
    return min(max(slope, 0.0), len(everything) / rest_n)


def _places(
    n: int,
    rest_n: int,
    clusters: Sequence[object] | None,
    other_clusters: Sequence[object] | None,
) -> tuple[NDArray[np.intp], int]:
    """Return the cluster of each row, labelled ones first, and how many hold a label."""
    names = [("row", str(i)) for i in range(n)] if clusters is None else _named(clusters)
    names += (
        [("other row", str(i)) for i in range(rest_n)]
        if other_clusters is None
        else _named(other_clusters)
    )
    numbers: dict[tuple[str, str], int] = {}
    place = np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.intp)
    return place, len(np.unique(place[:n]))


def _named(clusters: Sequence[object]) -> list[tuple[str, str]]:
    return [("cluster", str(name)) for name in clusters]
