"""What is left wrong when only the answers of highest confidence are kept."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

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
