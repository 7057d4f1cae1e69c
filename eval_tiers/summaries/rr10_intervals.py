"""Intervals of figures over items at hand: RR-10's, by whatever items are taken together."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from eval_tiers.metrics.clustered import ratio_influence
from eval_tiers.metrics.intervals import mean_interval, wilson_interval
from eval_tiers.summaries.interval_figures import (
    Figures,
    Interval,
    add_by_name,
    add_clustered,
    add_interval,
    clustered_of_rows,
    cut_off,
    without_spread,
)

Floats = NDArray[np.float64]


def add_share(
    figures: Figures, name: str, values: Floats, cluster: NDArray[np.int64] | None
) -> None:
    """Add the mean of shares with n, Wilson interval and clustered interval."""
    n = len(values)
    total = float(values.sum())
    figures[name] = total / n if n else None
    figures[f"{name}_n"] = n
    add_interval(figures, name, wilson_interval(min(total, n), n))
    add_clustered(figures, name, _clustered(values, cluster, rate=True))


def _clustered(values: Floats, cluster: NDArray[np.int64] | None, rate: bool = False) -> Interval:
    return None if cluster is None else clustered_of_rows(values, [cluster], rate)


def _shifted(interval: Interval, by: float) -> Interval:
    return None if interval is None else (interval[0] + by, interval[1] + by)


def add_linear(
    figures: Figures,
    name: str,
    value: float | None,
    moved: Floats,
    cluster: NDArray[np.int64] | None,
) -> None:
    """Add the intervals of a figure whose error is that of a mean of what its items move.

    Parameters
    ----------
    value : float or None
        The figure, from 0 to 1.
    moved : float[n]
        What each item adds, up to a constant.
    """
    n = len(moved)
    found, clustered = None, None
    if value is not None and n > 1:
        centre = value - float(moved.mean())
        found = _shifted(clustered_of_rows(moved, [np.arange(n)]), centre)
        found = found or without_spread(value, n)
        clustered = _shifted(_clustered(moved, cluster), centre)
    add_interval(figures, name, cut_off(found))
    add_clustered(figures, name, clustered)


def add_item_mean(
    figures: Figures, name: str, values: Floats, cluster: NDArray[np.int64] | None
) -> None:
    """Add the mean of values from 0 to 1 over items, its n and intervals."""
    n = len(values)
    figures[name] = float(values.mean()) if n else None
    figures[f"{name}_n"] = n
    found = mean_interval(float(values.sum()), float((values * values).sum()), n)
    if found is not None and values.min() == values.max():  # no spread is no certainty
        found = wilson_interval(float(values.sum()), n)
    add_interval(figures, name, cut_off(found))
    add_clustered(figures, name, _clustered(values, cluster))


def _add_ratio(
    figures: Figures, name: str, part: Floats, whole: Floats, cluster: NDArray[np.int64] | None
) -> None:
    """Add the ratio of two sums over items."""
    total, n = float(part.sum()), float(whole.sum())
    figures[name] = total / n if n else None
    add_interval(figures, name, wilson_interval(min(total, n), n))
    clustered = None
    if n:
        influence = ratio_influence(part, whole) * len(part)
        clustered = _shifted(_clustered(influence, cluster), total / n)
    add_clustered(figures, name, clustered)


def add_ratios(
    figures: Figures,
    name: str,
    parts: Mapping[str, Floats],
    whole: Floats,
    cluster: NDArray[np.int64] | None,
) -> None:
    """Add ratios of sums over items by name, and their intervals."""
    rates: dict[str, Figures] = {part: {} for part in parts}
    for part, values in parts.items():
        _add_ratio(rates[part], "rate", values, whole, cluster)
    add_by_name(figures, name, rates)
    figures[f"{name}_n"] = int(whole.sum())
