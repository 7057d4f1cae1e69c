"""Figures with what they rest on and how sure they are: n, and intervals of 95 %.

Beside a figure stand ``<name>_n``; ``<name>_low`` and ``<name>_high``, which take items for
independent of each other; and ``<name>_clustered_low`` and ``<name>_clustered_high``, which don't.
What can't be told is None.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from eval_tiers.domain.clusterings import fields_of
from eval_tiers.metrics.clustered import (
    Floats,
    cluster_variance,
    interval_of_variance,
    ratio_influence,
    two_way_variance,
)
from eval_tiers.metrics.intervals import mean_interval, wilson_interval
from eval_tiers.metrics.quantiles import median_ranks
from eval_tiers.summaries.cluster_sums import Names, SliceClusters, unit_of
from eval_tiers.summaries.tally import BINS, Sides, Tally

Figures = dict[str, object]
Interval = tuple[float, float] | None
Influence = Callable[[SliceClusters], Floats]

ENDS: Final = ("_low", "_high", "_clustered_low", "_clustered_high")
BESIDE: Final = ("", "_n", *ENDS)
"""What stands beside a figure, and the figure."""

INTERVAL_NOTES: Final = {
    "level": 0.95,
    "low, high": "items independent of each other: Wilson's of rates, normal of means, delta "
    "method of averages over labels, order statistics of medians",
    "clustered_low, clustered_high": "cluster-robust standard error; Student's t under 30 clusters",
    "shown": "in terminal and report: the clustered interval, where it is null the other one",
    "null": "clustered: fewer than two clusters, clusters that don't differ, rates where no two "
    "items share a cluster, medians (no closed form), --cluster none; expected shares and lifts of "
    "pairs have no other than the clustered one; constants have none",
}
"""What the intervals of a summary are, and why one is null."""

_NO_SPREAD = 1e-9


@dataclass(frozen=True, slots=True)
class SliceSums:
    """A slice: its tally, and the same by cluster; no clusters where rows count as independent."""

    tally: Tally
    sides: Sides = ()

    def total(self, names: Names) -> float:
        """Return a sum of measures; of one with a ``-`` before it, less it."""
        if isinstance(names, str):
            names = (names,)
        total = 0.0
        for name in names:
            value = self.tally.sums.get(name.removeprefix("-"), 0) / unit_of(name)
            total += -value if name[0] == "-" else value
        return total

    def clustered(self, value: float | None, influence: Influence, whole: Names) -> Interval:
        """Return the clustered interval of a figure.

        Parameters
        ----------
        value : float or None
        influence : callable
            What each cluster moves the figure by, from its sums.
        whole : str or tuple of str
            Measure that is not 0 for clusters that the figure rests on.
        """
        if value is None or not self.sides:
            return None
        variances, cluster_n = [], []
        for side in self.sides:
            n = int((side.column(whole) > 0).sum())
            variances.append(cluster_variance(influence(side), n) if n > 1 else None)
            cluster_n.append(n)
        if len(variances) == 1:
            return interval_of_variance(value, variances[0], cluster_n[0])
        first, second, both = variances
        variance = two_way_variance(first, second, both)
        return interval_of_variance(value, variance, min(cluster_n[:2]))

    def clustered_ratio(self, part: Names, whole: Names) -> Interval:
        """Return the clustered interval of a ratio of two sums."""
        total = self.total(whole)
        if total <= 0 or not self.sides:
            return None
        return self.clustered(
            self.total(part) / total,
            lambda side: ratio_influence(side.column(part), side.column(whole)),
            whole,
        )

    def clustered_share(self, part: Names, whole: Names) -> Interval:
        """Return the clustered interval of a rate; None where no two items share a cluster.

        Then items are independent, and Wilson's interval is the better one.
        """
        if len(self.sides) == 1:
            alone = int((self.sides[0].column(whole) > 0).sum())
            if alone >= self.total(whole) * (1 - 1e-9):
                return None
        return self.clustered_ratio(part, whole)


def add_rate(figures: Figures, name: str, part: float, whole: float) -> None:
    """Add a rate with its n and Wilson interval; all None for an empty whole."""
    figures[name] = part / whole if whole > 0 else None
    figures[f"{name}_n"] = whole_number(whole)
    add_interval(figures, name, wilson_interval(min(part, whole), whole))


def add_share(figures: Figures, name: str, sums: SliceSums, part: Names, whole: Names) -> None:
    """Add a rate of two measures with its n, Wilson's and its clustered interval."""
    add_rate(figures, name, sums.total(part), sums.total(whole))
    add_clustered(figures, name, sums.clustered_share(part, whole))


def add_shares(
    figures: Figures, name: str, sums: SliceSums, parts: Mapping[str, Names], whole: Names
) -> None:
    """Add rates of one whole by name: each of rate, low, high and so on is a dict."""
    rates: dict[str, Figures] = {part: {} for part in parts}
    for part, measure in parts.items():
        add_share(rates[part], "rate", sums, measure, whole)
    add_by_name(figures, name, rates)
    figures[f"{name}_n"] = whole_number(sums.total(whole))


def add_by_name(figures: Figures, name: str, rates: Mapping[str, Figures]) -> None:
    """Add rates and their intervals as dicts of names, out of figures called ``rate``."""
    for end in ("", *ENDS):
        figures[f"{name}{end}"] = {part: found[f"rate{end}"] for part, found in rates.items()}


def add_mean(
    figures: Figures, name: str, sums: SliceSums, measure: str, least: float = 0.0
) -> None:
    """Add the mean of a measure from ``least`` to 1 with its n and intervals.

    The plain interval is the normal one; where values don't differ, Wilson's, as of a share.
    """
    tally = sums.tally
    part, whole = f"{measure}_sum", f"{measure}_w"
    n, total = tally.real(whole), tally.real(part)
    mean = tally.mean(measure)
    figures[name] = mean
    figures[f"{name}_n"] = whole_number(n)
    interval = mean_interval(total, tally.real(f"{measure}_square_sum"), n)
    if interval is not None and interval[1] - interval[0] <= _NO_SPREAD:
        interval = without_spread(mean, n)
    add_interval(figures, name, cut_off(interval, least))
    add_clustered(figures, name, sums.clustered_ratio(part, whole), least)


def add_mean_interval(figures: Figures, name: str, sums: SliceSums, measure: str) -> None:
    """Add the intervals alone of a mean, beside a value that is there."""
    found: Figures = {}
    add_mean(found, name, sums, measure)
    figures |= {f"{name}{end}": found[f"{name}{end}"] for end in ENDS}


def beside(figures: Mapping[str, object], name: str) -> Figures:
    """Return a figure and what stands beside it; the figure alone is None where it is missing."""
    found = {f"{name}{end}": figures.get(f"{name}{end}") for end in BESIDE}
    return {key: value for key, value in found.items() if key == name or key in figures}


def clustered_of_rows(
    values: ArrayLike, clusters: Sequence[ArrayLike], rate: bool = False
) -> Interval:
    """Return the clustered interval of a mean of values that are at hand.

    Parameters
    ----------
    values : float[n]
    clusters : sequence of arrays or of sequences of str
        Clusters of the values: none, under one clustering, or under two and their intersections.
    rate : bool
        None where no two values share a cluster, as `SliceSums.clustered_share`.
    """
    x: Floats = np.asarray(values, np.float64)
    if not clusters or not len(x):
        return None
    variances, cluster_n = [], []
    for names in clusters:
        distinct, place = np.unique(np.asarray(names), return_inverse=True)
        moved = np.bincount(place, weights=x - x.mean()) / len(x)
        variances.append(cluster_variance(moved, len(distinct)))
        cluster_n.append(len(distinct))
    if rate and len(clusters) == 1 and cluster_n[0] == len(x):
        return None
    variance = variances[0] if len(variances) == 1 else two_way_variance(*variances)
    return interval_of_variance(float(x.mean()), variance, min(cluster_n[:2]))


def cluster_figures(clustering: str, sums: SliceSums) -> Figures:
    """Return what rows were taken together by, and how many clusters there are."""
    found: Figures = {"field": clustering}
    names = [field for field in fields_of(clustering) if "+" not in field]
    found["n"] = min((len(side.rows) for side in sums.sides[: len(names)]), default=None)
    found["n_by_field"] = {
        name: len(side.rows) for name, side in zip(names, sums.sides, strict=False)
    }
    found["grouped"] = any(side.sums.grouped for side in sums.sides)
    return found


def without_spread(value: float | None, n: float) -> Interval:
    """Return Wilson's interval of a value from 0 to 1, which is wider than that of any spread."""
    if value is None or not 0 <= value <= 1:
        return None
    return wilson_interval(value * n, n)


def add_median(figures: Figures, name: str, tally: Tally, measure: str) -> None:
    """Add the median of a binned measure, n, and the interval between two of its values.

    There is no closed form by cluster: rows count as independent.
    """
    figures[name] = tally.median(measure)
    counts = tally.bins.get(measure)
    n = 0 if counts is None else int(counts.sum())
    figures[f"{name}_n"] = n
    ranks = median_ranks(n)
    interval = None
    if counts is not None and ranks is not None:
        running = counts.cumsum()
        low, high = (int(running.searchsorted(rank)) / (BINS - 1) for rank in ranks)
        interval = (low, high)
    add_interval(figures, name, interval)


def add_interval(figures: Figures, name: str, interval: Interval) -> None:
    """Add the ends of an interval."""
    figures[f"{name}_low"] = None if interval is None else interval[0]
    figures[f"{name}_high"] = None if interval is None else interval[1]


def add_clustered(
    figures: Figures, name: str, interval: Interval, least: float = 0.0, most: float = 1.0
) -> None:
    """Add the ends of a clustered interval, cut off where the figure ends."""
    add_interval(figures, f"{name}_clustered", cut_off(interval, least, most))


def cut_off(interval: Interval, least: float = 0.0, most: float = 1.0) -> Interval:
    """Return an interval as far as the figure goes."""
    return None if interval is None else (max(least, interval[0]), min(most, interval[1]))


def whole_number(value: float) -> float | int:
    """Return an int where the value is one to 1e-6 (weights of rollouts aren't exact)."""
    nearest = round(value)
    return nearest if abs(value - nearest) < 1e-6 else value


def odds(share: float) -> float | None:
    """Return the odds of a share, None for a sure one.

    Examples
    --------
    >>> odds(0.75), odds(1.0)
    (3.0, None)
    """
    return share / (1 - share) if share < 1 and not math.isclose(share, 1.0) else None
