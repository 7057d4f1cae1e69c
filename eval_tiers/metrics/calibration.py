"""Whether a claimed probability is what it says: Brier score and calibration error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

BINS = 10


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """Rows whose probability lies in [low, high), the last bin with its end.

    ``mean_probability`` and ``right_rate`` are None for an empty bin.
    """

    low: float
    high: float
    n: int
    mean_probability: float | None
    right_rate: float | None


@dataclass(frozen=True, slots=True)
class Calibration:
    """Figures of calibration; None where nothing was claimed.

    Attributes
    ----------
    n, missing_n : int
        Rows with a probability, and without.
    brier : float or None
        Mean squared difference between probability and outcome: 0 best, .25 for always .5.
    expected_calibration_error : float or None
        Mean over rows of the distance between mean probability and right share of their bin.
    mean_probability, right_rate : float or None
    bins : tuple of CalibrationBin
        Of equal width from 0 to 1.
    """

    n: int
    missing_n: int
    brier: float | None
    expected_calibration_error: float | None
    mean_probability: float | None
    right_rate: float | None
    bins: tuple[CalibrationBin, ...]


def calibration(probabilities: ArrayLike, right: ArrayLike, bin_n: int = BINS) -> Calibration:
    """Hold claimed probabilities of being right against whether it was right.

    Parameters
    ----------
    probabilities : float[n]
        Within 0 and 1; nan where none was claimed (left out, counted).
    right : bool[n]
    bin_n : int
        Bins of equal width. The calibration error depends on it, and is too large by chance
        where bins hold few rows: read it with their counts.

    Raises
    ------
    ValueError
        For a probability outside 0 and 1.

    References
    ----------
    Brier 1950, doi:10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2; Guo et al. 2017,
    arXiv:1706.04599.

    Examples
    --------
    >>> found = calibration([0.9, 0.9, 0.6, float("nan")], [True, False, True, True])
    >>> found.n, round(found.brier, 4), round(found.expected_calibration_error, 4)
    (3, 0.3267, 0.4)
    """
    p: Floats = np.asarray(probabilities, np.float64)
    y: Floats = np.asarray(right, np.float64)
    known = ~np.isnan(p)
    missing_n = int((~known).sum())
    p, y = p[known], y[known]
    if ((p < 0) | (p > 1)).any():
        raise ValueError("a probability lies outside 0 and 1")
    edges = np.arange(bin_n + 1) / bin_n
    place = np.clip(np.searchsorted(edges, p, side="right") - 1, 0, bin_n - 1)
    n = np.bincount(place, minlength=bin_n)
    sums, rights = np.bincount(place, p, bin_n), np.bincount(place, y, bin_n)
    bins = tuple(
        CalibrationBin(
            float(edges[i]),
            float(edges[i + 1]),
            int(n[i]),
            float(sums[i] / n[i]) if n[i] else None,
            float(rights[i] / n[i]) if n[i] else None,
        )
        for i in range(bin_n)
    )
    if len(p) == 0:
        return Calibration(0, missing_n, None, None, None, None, bins)
    return Calibration(
        len(p),
        missing_n,
        float(np.mean((p - y) ** 2)),
        float(np.abs(sums - rights).sum()) / len(p),
        float(p.mean()),
        float(y.mean()),
        bins,
    )


def multiclass_brier(probabilities: ArrayLike, truths: ArrayLike) -> float | None:
    """Return the mean over rows of the summed squared differences to the truth; 0 best, 2 worst.

    Parameters
    ----------
    probabilities : (n, k) array
    truths : int[n]
        Column of each row's truth.

    Examples
    --------
    >>> round(multiclass_brier([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1]], [0, 2]), 4)
    0.8
    """
    p: Floats = np.asarray(probabilities, np.float64)
    if p.size == 0:
        return None
    wanted = np.zeros_like(p)
    wanted[np.arange(len(p)), np.asarray(truths, np.intp)] = 1
    return float(((p - wanted) ** 2).sum(axis=1).mean())
