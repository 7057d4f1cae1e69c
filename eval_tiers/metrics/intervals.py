"""Intervals for rates."""

from __future__ import annotations

import math
from typing import Final

Z_95: Final = 1.959963984540054


def wilson_interval(successes: float, n: float, z: float = Z_95) -> tuple[float, float] | None:
    """Return the Wilson score interval of a rate, or None when ``n`` is 0.

    Parameters
    ----------
    successes : float
        From 0 to ``n``; fractional where items are means over rollouts.
    n : float
        Trials.
    z : float
        Normal quantile; the default gives 95 %.

    References
    ----------
    Wilson 1927, doi:10.1080/01621459.1927.10502953.

    Examples
    --------
    >>> low, high = wilson_interval(0, 30)
    >>> round(low, 3), round(high, 3)
    (0.0, 0.114)
    """
    if n <= 0:
        return None
    rate = successes / n
    denominator = 1 + z * z / n
    centre = (rate + z * z / (2 * n)) / denominator
    half = z * math.sqrt(max(0.0, rate * (1 - rate) / n + z * z / (4 * n * n))) / denominator
    low = 0.0 if successes <= 0 else max(0.0, centre - half)
    high = 1.0 if successes >= n else min(1.0, centre + half)
    return low, high


def mean_interval(
    total: float, total_of_squares: float, n: float, z: float = Z_95
) -> tuple[float, float] | None:
    """Return the normal interval of a mean from its sums, or None with fewer than 2 values.

    Parameters
    ----------
    total, total_of_squares : float
        Sum of the values and of their squares.
    n : float
        Number of values.
    """
    if n < 2:
        return None
    mean = total / n
    variance = max(0.0, (total_of_squares - n * mean * mean) / (n - 1))
    half = z * math.sqrt(variance / n)
    return mean - half, mean + half
