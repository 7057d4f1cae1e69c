"""Sums by cluster, so that intervals can be worked out from tallies.

Kept as whole numbers, as all tallies are: adding in any order gives the same numbers to the last
digit. Memory is bounded: past `MOST_CELLS` cells the clusters of a slice are put together by a
hash of their names into `GROUPS` groups. Groups of whole clusters are as independent of each
other as clusters are; the interval is only a little less exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

UNIT: Final = 10**9
MOST_CELLS: Final = 32_768
GROUPS: Final = 512
_BLOCK: Final = 2_048  # rows at a time, so that what is gathered stays small
BETWEEN: Final = "\x1f"  # the two names of an intersection

Int64Array = NDArray[np.int64]
Floats = NDArray[np.float64]
Cell = tuple[str, str]
Names = str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ClusterCodes:
    """Which cluster each row of a batch belongs to.

    Attributes
    ----------
    name : str
        Of the clustering: a field, or two with ``+`` between them.
    clusters : list of str
    codes : int64[n]
        Into `clusters`.
    """

    name: str
    clusters: list[str]
    codes: Int64Array


def cluster_codes(
    name: str,
    clusters: Sequence[str],
    codes: NDArray[np.integer],
    item: Callable[[int], str],
) -> ClusterCodes:
    """Return the clusters of a batch, without those that it doesn't have.

    Parameters
    ----------
    name : str
    clusters : sequence of str
    codes : int[n]
        Into `clusters`; -1: the row has no cluster, its item is one of its own.
    item : callable
        Name of a row's item.
    """
    known, place = np.unique(codes, return_inverse=True)
    if len(known) == 0 or known[0] >= 0:
        return ClusterCodes(name, [clusters[code] for code in known.tolist()], place)
    names = [clusters[code] for code in known[1:].tolist()]
    place = place - 1
    own: dict[str, int] = {}
    for row in np.flatnonzero(place < 0).tolist():
        place[row] = len(names) + own.setdefault(f"\x00{item(row)}", len(own))
    return ClusterCodes(name, names + list(own), place)


def intersections(first: ClusterCodes, second: ClusterCodes) -> ClusterCodes:
    """Return the clusters of rows that share both clusters."""
    pairs = first.codes * len(second.clusters) + second.codes
    known, place = np.unique(pairs, return_inverse=True)
    ones, others = np.divmod(known, max(1, len(second.clusters)))
    names = [
        f"{first.clusters[one]}{BETWEEN}{second.clusters[other]}"
        for one, other in zip(ones.tolist(), others.tolist(), strict=True)
    ]
    return ClusterCodes(f"{first.name}+{second.name}", names, place)


@dataclass(slots=True)
class ClusterSums:
    """Sums of measures by slice and cluster, of one dimension of slices.

    Attributes
    ----------
    cells : dict of (slice, cluster) to int
        Row of the table.
    columns : dict of str to int
        Measure to column of the table.
    table : int64[at least n_cells, n_columns]
    grouped : bool
        Whether clusters were put together.
    shared : bool
        Whether others hold the same table, so that it has to be copied before it is changed.
    """

    cells: dict[Cell, int] = field(default_factory=dict)
    columns: dict[str, int] = field(default_factory=dict)
    table: Int64Array = field(default_factory=lambda: np.zeros((0, 0), np.int64))
    grouped: bool = False
    shared: bool = False

    def add(self, other: ClusterSums) -> None:
        """Add other sums to these; the other's table is left as it is."""
        if not self.cells and (other.grouped or not self.grouped):
            self.cells, self.columns = dict(other.cells), dict(other.columns)
            self.table, self.grouped = other.table, other.grouped
            self.shared = other.shared = True
        else:
            self._add(other)
        if not self.grouped and len(self.cells) > MOST_CELLS:
            self._group()

    def _add(self, other: ClusterSums) -> None:
        if other.grouped and not self.grouped:
            self._group()
        found: Iterable[Cell] = other.cells
        if self.grouped and not other.grouped:
            found = [(value, _group_of(name)) for value, name in other.cells]
        place, column = self.cells.setdefault, self.columns.setdefault
        rows = [place(cell, len(self.cells)) for cell in found]
        columns = [column(name, len(self.columns)) for name in other.columns]
        self._make_room()
        added = other.table[: len(other.cells)]
        if self.grouped and not other.grouped:
            np.add.at(self.table, np.ix_(rows, columns), added)
        elif len(columns) == self.table.shape[1] and columns == list(range(len(columns))):
            for first in range(0, len(rows), _BLOCK):  # as nearly always; far faster
                self.table[rows[first : first + _BLOCK]] += added[first : first + _BLOCK]
        else:
            self.table[np.ix_(rows, columns)] += added

    def _make_room(self) -> None:
        rows, columns = self.table.shape
        if rows >= len(self.cells) and columns >= len(self.columns):
            if self.shared:
                self.table, self.shared = self.table.copy(), False
            return
        larger = np.zeros(
            (max(rows, 2 * len(self.cells)), max(columns, len(self.columns))), np.int64
        )
        larger[:rows, :columns] = self.table
        self.table, self.shared = larger, False

    def _group(self) -> None:
        whole = ClusterSums(self.cells, self.columns, self.table)
        self.cells, self.columns = {}, {}
        self.table, self.grouped, self.shared = np.zeros((0, 0), np.int64), True, False
        self._add(whole)

    def by_slice(self) -> dict[str, SliceClusters]:
        """Return the clusters of every slice, in the order of their names."""
        rows: dict[str, list[int]] = {}
        for (value, _), row in sorted(self.cells.items()):
            rows.setdefault(value, []).append(row)
        return {value: SliceClusters(self, np.array(found)) for value, found in rows.items()}


@dataclass(slots=True)
class SliceClusters:
    """Sums of one slice by cluster.

    Attributes
    ----------
    sums : ClusterSums
    rows : int64[n_clusters]
        Of the table, in a fixed order.
    """

    sums: ClusterSums
    rows: Int64Array
    _measures: Int64Array | None = None

    def column(self, names: Names) -> Floats:
        """Return a measure of each cluster, 0 where it was never tallied.

        Parameters
        ----------
        names : str or tuple of str
            Of several, the sum; one with a ``-`` before it is taken off.
        """
        if self._measures is None:
            self._measures = np.take(self.sums.table.T, self.rows, axis=1)
        total = np.zeros(len(self.rows))
        for name in (names,) if isinstance(names, str) else names:
            place = self.sums.columns.get(name.removeprefix("-"))
            if place is not None:
                found = self._measures[place] / unit_of(name)
                total += -found if name[0] == "-" else found
        return total


def unit_of(name: str) -> int:
    """Return what one stands for in a tally: 1e9 where it is kept in 1e-9 units."""
    return UNIT if name.endswith(("_w", "_sum")) else 1


def _group_of(name: str) -> str:
    return f"{crc32(name.encode('utf-8', 'surrogatepass')) % GROUPS}"
