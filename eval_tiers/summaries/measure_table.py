"""Measures of a batch, one row of integers each, summed by slice and by cluster."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from eval_tiers.domain.taxonomy import EDGE_STATUSES
from eval_tiers.summaries.cluster_sums import UNIT, ClusterCodes, ClusterSums
from eval_tiers.summaries.tally import BINS, Int64Array, Tallies, Tally

PAIR_COUNTS: Final = frozenset(
    {"predicted_pair_n", "predicted_pair_in_kg_n", "predicted_pair_known_n", "off_path_edge_n",
     "shortcut_open_n", "shortcut_seen_n", *(f"edge_status_{name}_n" for name in EDGE_STATUSES)}
)  # fmt: skip
"""Counts that a rate is made of, so that they are kept by cluster."""


class MeasureTable:
    """Measures of a batch, one row of integers each, to be summed by slice."""

    def __init__(self, n: int, item: NDArray[np.int32]) -> None:
        self.n = n
        self.units = item_units(item)
        self.names: list[str] = []
        self.rows: list[Int64Array] = []
        self.binned: dict[str, tuple[Int64Array, Int64Array]] = {}
        self._totals: Tally | None = None
        self._by_cluster: dict[str, tuple[list[str], Int64Array]] = {}

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

    def add_clusters(
        self,
        tallies: Tallies,
        clusters: ClusterCodes,
        dimension: str,
        values: str | Sequence[str | None] = "",
    ) -> None:
        """Add the batch by slice and cluster; one value stands for all rows."""
        into = tallies.clusters.setdefault((dimension, clusters.name), ClusterSums())
        distinct = [values] if isinstance(values, str) else sorted({one or "" for one in values})
        if len(distinct) <= 1:
            value = distinct[0] if distinct else ""
            if clusters.name not in self._by_cluster:
                self._by_cluster[clusters.name] = self._sums_by(clusters.codes)
            names, table = self._by_cluster[clusters.name]
            cells = {(value, name): row for row, name in enumerate(clusters.clusters)}
        else:
            place = {value: code for code, value in enumerate(distinct)}
            n = len(clusters.clusters)
            codes = np.fromiter((place[one or ""] for one in values), np.int64, self.n)
            keys, rows = np.unique(codes * n + clusters.codes, return_inverse=True)
            names, table = self._sums_by(rows)
            cells = {
                (distinct[key // n], clusters.clusters[key % n]): row
                for row, key in enumerate(keys.tolist())
            }
        into.add(ClusterSums(cells, {name: column for column, name in enumerate(names)}, table))

    def _sums_by(self, codes: Int64Array) -> tuple[list[str], Int64Array]:
        """Return the measures that rates are made of, summed by code; codes leave no gap."""
        order = np.argsort(codes, kind="stable")
        ordered = codes[order]
        starts = np.flatnonzero(np.diff(ordered, prepend=-1))
        kept = [
            (name, row)
            for name, row in zip(self.names, self.rows, strict=True)
            if name in PAIR_COUNTS
            or (name.endswith(("_w", "_sum")) and not name.endswith("_square_sum"))
        ]
        table = np.zeros((len(starts), len(kept)), np.int64)
        for column, (_, row) in enumerate(kept if len(starts) else ()):
            table[:, column] = np.add.reduceat(row[order], starts)
        return [name for name, _ in kept], table


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
