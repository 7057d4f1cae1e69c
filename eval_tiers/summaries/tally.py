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

UNIT: Final = 10**9
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
    """

    slices: dict[tuple[str, str], Tally] = field(default_factory=dict)
    groups: dict[str, dict[str, Group]] = field(default_factory=dict)
    rollouts: dict[tuple[int, int], int] = field(default_factory=dict)

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


class MeasureTable:
    """Measures of a batch, one row of integers each, to be summed by slice."""

    def __init__(self, n: int, item: NDArray[np.int32]) -> None:
        self.n = n
        self.units = item_units(item)
        self.names: list[str] = []
        self.rows: list[Int64Array] = []
        self.binned: dict[str, tuple[Int64Array, Int64Array]] = {}
        self._totals: Tally | None = None

    def count(self, name: str, values: NDArray[np.generic]) -> None:
        """Add a measure of whole numbers, or of true and false; summed as it is."""
        self.names.append(name)
        self.rows.append(np.asarray(values).astype(np.int64))

    def share(self, name: str, values: NDArray[np.bool_]) -> None:
        """Add a measure of true and false, weighted by item (``<name>_w`` in 1e-9 units)."""
        self.names.append(f"{name}_w")
        self.rows.append(np.asarray(values).astype(np.int64) * self.units)

    def real(self, name: str, values: NDArray[np.float64], binned: bool = False) -> None:
        """Add a measure of real numbers with nan for null: weight, sum and sum of squares."""
        known = ~np.isnan(values)
        weight = np.where(known, self.units, 0)
        filled = np.where(known, values, 0.0)
        self.names += [f"{name}_w", f"{name}_sum", f"{name}_square_sum"]
        self.rows += [weight, _rounded(filled * weight), _rounded(filled * filled * weight)]
        if binned:
            self.binned[name] = (
                np.flatnonzero(known),
                np.rint(np.clip(values[known], 0, 1) * (BINS - 1)).astype(np.int64),
            )

    def total(self, name: str, values: NDArray[np.float64]) -> None:
        """Add a measure of real numbers that is only summed (``<name>_sum``)."""
        self.names.append(f"{name}_sum")
        self.rows.append(_rounded(values * UNIT))

    def totals(self) -> Tally:
        """Return the tally of the whole batch."""
        if self._totals is None:
            sums = {name: int(row.sum()) for name, row in zip(self.names, self.rows, strict=True)}
            bins = {
                name: np.bincount(found, minlength=BINS) for name, (_, found) in self.binned.items()
            }
            self._totals = Tally(sums, bins)
        return self._totals

    def add_by(self, tallies: Tallies, dimension: str, values: Sequence[str | None]) -> None:
        """Add the batch to the slices of one dimension; null values are the slice ``""``."""
        distinct = sorted({value or "" for value in set(values)})
        if len(distinct) <= 1:
            for value in distinct:
                tallies.slice(dimension, value).add(self.totals())
            return
        codes_of: dict[str | None, int] = {value: code for code, value in enumerate(distinct)}
        codes_of[None] = codes_of.get("", 0)
        codes = np.fromiter(map(codes_of.__getitem__, values), np.int64, self.n)
        order = np.argsort(codes, kind="stable")
        starts = np.searchsorted(codes[order], np.arange(len(distinct)))
        sums = [tallies.slice(dimension, value).sums for value in distinct]
        for name, row in zip(self.names, self.rows, strict=True):
            if not row.any():
                parts: Iterable[int] = [0] * len(sums)
            else:
                parts = np.add.reduceat(row[order], starts).tolist()
            for into, total in zip(sums, parts, strict=True):
                into[name] = into.get(name, 0) + total
        for name, (rows, bins) in self.binned.items():
            for code, value in enumerate(distinct):
                _add_bins(tallies.slice(dimension, value), name, bins[codes[rows] == code])


def item_units(item: NDArray[np.int32]) -> Int64Array:
    """Return each row's weight in 1e-9 units: the rows of an item share one, to the last unit.

    Parameters
    ----------
    item : int32[n]
        Number of the item that a row belongs to; rows of one item are neighbours.
    """
    if len(item) == 0:
        return np.empty(0, np.int64)
    first = np.flatnonzero(np.diff(item, prepend=item[0] - 1) != 0)
    size = np.diff(np.append(first, len(item)))
    rank = np.arange(len(item)) - np.repeat(first, size)
    share, rest = np.divmod(UNIT, size)
    return np.repeat(share, size) + (rank < np.repeat(rest, size))


def _rounded(values: NDArray[np.float64]) -> Int64Array:
    return np.rint(values).astype(np.int64)


def _add_bins(tally: Tally, name: str, bins: Int64Array) -> None:
    counts = np.bincount(bins, minlength=BINS)
    mine = tally.bins.get(name)
    tally.bins[name] = counts if mine is None else mine + counts


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
