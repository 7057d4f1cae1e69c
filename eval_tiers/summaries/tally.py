"""What is counted of every batch, so that batches, shards and processes add up.

Sums are integers (1e-9 units for real values), medians are read off fixed bins: adding tallies in
any order gives the same numbers to the last digit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from eval_tiers.summaries.cluster_sums import UNIT, ClusterSums, SliceClusters

BINS: Final = 10_001

Int64Array = NDArray[np.int64]
Group = tuple[int, int]


@dataclass(slots=True)
class Tally:
    """Sums of one slice.

    Attributes
    ----------
    sums : dict of str to int
        By measure. Names that end in ``_w`` and ``_sum`` are in 1e-9 units.
    bins : dict of str to int64[10001]
        Counts of values in [0, 1] by ``round(value * 10000)``.
    """

    sums: dict[str, int] = field(default_factory=dict)
    bins: dict[str, Int64Array] = field(default_factory=dict)

    def add(self, other: Tally) -> None:
        """Add another tally to this one."""
        for name, value in other.sums.items():
            self.sums[name] = self.sums.get(name, 0) + value
        for name, counts in other.bins.items():
            mine = self.bins.get(name)
            self.bins[name] = counts.copy() if mine is None else mine + counts

    def count(self, name: str) -> int:
        """Return a sum of integers, 0 when nothing was counted."""
        return self.sums.get(name, 0)

    def real(self, name: str) -> float:
        """Return a sum that is kept in 1e-9 units."""
        return self.sums.get(name, 0) / UNIT

    def mean(self, name: str) -> float | None:
        """Return the weighted mean of a measure, None where it is always null."""
        weight = self.sums.get(f"{name}_w", 0)
        return self.sums.get(f"{name}_sum", 0) / weight if weight else None

    def median(self, name: str) -> float | None:
        """Return the median of a measure to 1e-4, None where it is always null."""
        counts = self.bins.get(name)
        if counts is None:
            return None
        total = int(counts.sum())
        if total == 0:
            return None
        running = np.cumsum(counts)
        low = int(np.searchsorted(running, (total + 1) // 2))
        high = int(np.searchsorted(running, total // 2 + 1))
        return (low + high) / 2 / (BINS - 1)


@dataclass(slots=True)
class Tallies:
    """Tallies of a run by slice, and what is kept by name.

    Attributes
    ----------
    slices : dict of (dimension, value) to Tally
        ``("all", "")`` is the whole run.
    groups : dict of dimension to dict of name to (weight, right), in 1e-9 units
        Rows and right answers by perturbation and by readout gene.
    rollouts : dict of (right, n) to int
        Items by number of right answers and of rollouts.
    clusters : dict of (dimension, clustering) to ClusterSums
        Sums by cluster, for intervals.
    """

    slices: dict[tuple[str, str], Tally] = field(default_factory=dict)
    groups: dict[str, dict[str, Group]] = field(default_factory=dict)
    rollouts: dict[tuple[int, int], int] = field(default_factory=dict)
    clusters: dict[tuple[str, str], ClusterSums] = field(default_factory=dict)

    def slice(self, dimension: str, value: str = "") -> Tally:
        """Return a slice's tally, made when it is new."""
        key = (dimension, value)
        if key not in self.slices:
            self.slices[key] = Tally()
        return self.slices[key]

    def add(self, other: Tallies) -> None:
        """Add another run's tallies to these."""
        for (dimension, value), tally in other.slices.items():
            self.slice(dimension, value).add(tally)
        for dimension, names in other.groups.items():
            mine = self.groups.setdefault(dimension, {})
            _add_names(mine, names)
        for key, items in other.rollouts.items():
            self.rollouts[key] = self.rollouts.get(key, 0) + items
        for where, sums in other.clusters.items():
            self.clusters.setdefault(where, ClusterSums()).add(sums)

    def clusters_of(self, dimension: str, names: Sequence[str]) -> dict[str, Sides]:
        """Return the clusters of every slice of a dimension, under each of the clusterings."""
        found: dict[str, Sides] = {}
        for name in names:
            sums = self.clusters.get((dimension, name), ClusterSums())
            for value, one in sums.by_slice().items():
                found[value] = (*found.get(value, ()), one)
        return found


Sides = tuple[SliceClusters, ...]
"""A slice by cluster: one clustering, or two and their intersections."""


def add_groups(
    tallies: Tallies, dimension: str, names: list[str], codes: NDArray[np.int32],
    units: Int64Array, right: NDArray[np.bool_],
) -> None:  # fmt: skip
    """Add rows and right answers by name (a code of -1 is left out)."""
    known = codes >= 0
    used, units = codes[known], units[known]
    # Sums of whole numbers below 2**53: exact in float64.
    total = np.bincount(used, weights=units, minlength=len(names))
    correct = np.bincount(used, weights=np.where(right[known], units, 0), minlength=len(names))
    present = np.flatnonzero(total)
    kept = tallies.groups.setdefault(dimension, {})
    found = zip(
        map(names.__getitem__, present.tolist()),
        zip(
            total[present].astype(np.int64).tolist(),
            correct[present].astype(np.int64).tolist(),
            strict=True,
        ),
        strict=True,
    )
    if kept:
        _add_names(kept, dict(found))
    else:
        kept.update(found)


def _add_names(kept: dict[str, Group], names: dict[str, Group]) -> None:
    """Add groups by name."""
    get = kept.get
    for name, group in names.items():
        before = get(name)
        kept[name] = group if before is None else (before[0] + group[0], before[1] + group[1])


def merged(parts: Iterable[Tallies]) -> Tallies:
    """Return the sum of tallies."""
    result = Tallies()
    for part in parts:
        result.add(part)
    return result
