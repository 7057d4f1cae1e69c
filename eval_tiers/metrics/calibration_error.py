"""The interval of the calibration error: a bootstrap over clusters, for it has no closed form."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eval_tiers.metrics.calibration import BINS
from eval_tiers.metrics.cluster_sums import cluster_count, on_grid, one_way
from eval_tiers.metrics.intervals import wilson_interval

Floats = NDArray[np.float64]

DRAWS: Final = 1_000
MOST_CLUSTERS: Final = 10_000
_BLOCK: Final = 50  # draws at a time: their weights take 4 MB
_NORMAL: Final = 1.959963984540054


def calibration_error_interval(
    probabilities: ArrayLike,
    right: ArrayLike,
    clusters: ArrayLike,
    bin_n: int = BINS,
    draws: int = DRAWS,
    seed: int = 0,
) -> tuple[float, float] | None:
    """Return the 95 % interval of the expected calibration error.

    Clusters are drawn with replacement, more than 10,000 put together by their order before. The
    error is too large by chance, and that of a draw once more, so that its quantiles would miss a
    small true error every time. The low end is 0 where the error seen is one that chance makes of
    none (95 % quantile of the draws about the sums seen), else the seen error less what the upper
    draws are above it; the high end is the larger of what the lower draws are below it and 1.96
    standard deviations, above the seen error.

    Parameters
    ----------
    probabilities : float[n]
        Within 0 and 1; not nan.
    right : bool[n]
    clusters : int[n]
        Which rows belong together.
    bin_n, draws, seed : int

    Returns
    -------
    (low, high) or None
        Cut off at 0 and 1. None with fewer than two clusters; Wilson's of the error over n where
        no draw differs, as where all answers are right and sure.

    References
    ----------
    Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 13.

    Examples
    --------
    >>> calibration_error_interval([0.9, 0.9], [True, False], [1, 1]) is None
    True
    """
    p: Floats = np.asarray(probabilities, np.float64)
    codes = one_way(clusters).codes
    if cluster_count(codes) < 2:
        return None
    off, size = _sums(p, np.asarray(right, np.float64), codes, bin_n)
    seen = off.sum(axis=0)
    n = len(p)
    error = float(np.abs(seen).sum()) / n
    rng = np.random.default_rng(seed)
    errors, about = [], []
    for _ in range(0, draws, _BLOCK):
        weights = rng.multinomial(len(off), np.full(len(off), 1 / len(off)), size=_BLOCK)
        drawn = weights @ off
        errors.append(np.abs(drawn).sum(axis=1) / (weights @ size))
        about.append(np.abs(drawn - seen).sum(axis=1) / n)
    found = np.concatenate(errors)
    if float(np.ptp(found)) <= 1e-12:  # no draw differs: an interval of no width would be false
        return wilson_interval(error * n, n)
    low, high = np.quantile(found, [0.025, 0.975])
    by_chance = float(np.quantile(np.concatenate(about), 0.95))
    least = 0.0 if error <= by_chance else max(0.0, 2 * error - float(high))
    most = max(2 * error - float(low), error + _NORMAL * float(found.std()))
    return min(least, error), min(1.0, max(error, most))


def _sums(p: Floats, right: Floats, codes: NDArray[np.int64], bin_n: int) -> tuple[Floats, Floats]:
    """Return by cluster: probability less outcome of each bin, and the number of rows."""
    place = np.clip(
        np.searchsorted(np.arange(bin_n + 1) / bin_n, p, side="right") - 1, 0, bin_n - 1
    )
    _, dense = np.unique(codes, return_inverse=True)
    count = int(dense.max()) + 1
    if count > MOST_CLUSTERS:
        dense = dense * MOST_CLUSTERS // count
        count = MOST_CLUSTERS
    (change,) = on_grid(p - right)
    off = np.bincount(dense * bin_n + place, weights=change, minlength=count * bin_n)
    size = np.bincount(dense, minlength=count)
    return np.asarray(off, np.float64).reshape(count, bin_n), np.asarray(size, np.float64)
