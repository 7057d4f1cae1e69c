"""The signed graph that edges are looked up in: sorted keys, bit masks, two adjacency lists."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from eval_tiers.domain.findings import Finding
from eval_tiers.kg.coded import BoolArray, Int32Array
from eval_tiers.kg.edges import EdgeTable, ReadCounts
from eval_tiers.kg.naming import normalise_symbol

if TYPE_CHECKING:
    import networkx as nx

Int64Array = npt.NDArray[np.int64]
MaskArray = npt.NDArray[np.uint8]
IdArray = npt.NDArray[np.integer]

POSITIVE = 1
NEGATIVE = 2
UNSIGNED = 4

CHUNK_ROWS = 1 << 20
_MASK_OF_CODE = np.array([NEGATIVE, UNSIGNED, POSITIVE], dtype=np.uint8)
_SIGNS_OF_MASK = tuple(
    tuple(sign for sign, bit in ((-1, NEGATIVE), (0, UNSIGNED), (1, POSITIVE)) if mask & bit)
    for mask in range(8)
)


@dataclass(frozen=True, slots=True, eq=False)
class SignedGraph:
    """A directed graph whose pairs carry a *set* of signs, compiled for array look-ups.

    Make one with `from_edges`. The order of input rows and files leaves no trace in it.

    Attributes
    ----------
    names : list of str
        Node names, sorted; a node's id is its place.
    index : dict of str to int
        Id of a name.
    keys : ndarray of int64
        ``source * len(names) + target`` of each distinct pair, sorted.
    masks : ndarray of uint8
        Signs of each pair: 1 positive, 2 negative, 4 unsigned, added up.
    out_indptr, in_indptr : ndarray of int64
        Where a node's neighbours begin in `out_indices`, `in_indices`; length nodes + 1.
    out_indices, in_indices : ndarray of int32
        Targets of each source, sources of each target; sorted within a node.
    out_degree, in_degree : ndarray of int32
        Distinct targets and sources of each node (a self-loop counts in both).
    title_case : ndarray of bool
        Nodes that a file spelled like a mouse symbol.
    format_names : tuple of str
        The formats of the files it is made of, in their order.
    findings : tuple of Finding
        What the readers found.
    counts : ReadCounts
        What became of the files' rows, added up.
    keep_case : bool
        Names are in the case of the files.
    """

    names: list[str]
    index: dict[str, int]
    keys: Int64Array
    masks: MaskArray
    out_indptr: Int64Array
    out_indices: Int32Array
    in_indptr: Int64Array
    in_indices: Int32Array
    out_degree: Int32Array
    in_degree: Int32Array
    title_case: BoolArray
    format_names: tuple[str, ...]
    findings: tuple[Finding, ...]
    counts: ReadCounts
    keep_case: bool = False

    @classmethod
    def from_edges(cls, tables: EdgeTable | Sequence[EdgeTable]) -> SignedGraph:
        """Unite one or several edge tables.

        Parameters
        ----------
        tables : EdgeTable or sequence of EdgeTable
            May be empty: the graph then has no nodes.

        Returns
        -------
        SignedGraph
            A pair has every sign that any row gives it.
        """
        if isinstance(tables, EdgeTable):
            tables = (tables,)
        names = sorted(set().union(*(table.nodes for table in tables)))
        index = {name: code for code, name in enumerate(names)}
        n = len(names)
        title_case = np.zeros(n, dtype=np.bool_)
        parts = []
        for table in tables:
            codes = np.asarray([index[name] for name in table.nodes], dtype=np.int64)
            title_case[codes[table.title_case]] = True
            if table.edge_n:
                pair = codes[table.source] * n + codes[table.target]
                parts.append((pair << 2) | (table.sign.astype(np.int64) + 1))
        packed = np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)
        packed.sort()
        all_keys = packed >> 2
        first = np.flatnonzero(np.diff(all_keys, prepend=-1))
        keys = all_keys[first]
        bits = _MASK_OF_CODE[packed & 3]
        masks = np.bitwise_or.reduceat(bits, first) if first.size else bits
        source, target = np.divmod(keys, max(n, 1))
        out_degree = np.bincount(source, minlength=n).astype(np.int32)
        in_degree = np.bincount(target, minlength=n).astype(np.int32)
        by_target = np.sort(target * n + source)
        return cls(
            names=names,
            index=index,
            keys=keys,
            masks=masks,
            out_indptr=_indptr(out_degree),
            out_indices=target.astype(np.int32),
            in_indptr=_indptr(in_degree),
            in_indices=(by_target % max(n, 1)).astype(np.int32),
            out_degree=out_degree,
            in_degree=in_degree,
            title_case=title_case,
            format_names=tuple(table.format_name for table in tables),
            findings=tuple(finding for table in tables for finding in table.findings),
            counts=sum((table.counts for table in tables), ReadCounts()),
            keep_case=any(table.keep_case for table in tables),
        )

    @property
    def node_n(self) -> int:
        """Number of nodes, lone ones included."""
        return len(self.names)

    @property
    def edge_n(self) -> int:
        """Number of distinct ordered pairs."""
        return int(self.keys.size)

    def matched_name(self, name: str) -> str:
        """Return a name as the graph matches its own."""
        return normalise_symbol(name, self.keep_case)

    def ids_of(self, names: Iterable[str]) -> Int32Array:
        """Return the ids of names that are already stripped and upper-cased; -1 if unknown."""
        get = self.index.get
        return np.fromiter((get(name, -1) for name in names), dtype=np.int32)

    def lookup(self, source_ids: IdArray, target_ids: IdArray) -> MaskArray:
        """Return the sign mask of each pair; 0 where the graph does not have it.

        Parameters
        ----------
        source_ids, target_ids : ndarray of int
            Equal length. A negative id is an unknown node.

        Returns
        -------
        ndarray of uint8
            1 positive, 2 negative, 4 unsigned, added up.
        """
        source = np.asarray(source_ids, dtype=np.int64)
        target = np.asarray(target_ids, dtype=np.int64)
        wanted = source * self.node_n + target
        found = np.zeros(wanted.shape, dtype=np.uint8)
        if not self.keys.size or not wanted.size:
            return found
        place = np.searchsorted(self.keys, wanted)
        place[place == self.keys.size] = 0
        hit = (self.keys[place] == wanted) & (source >= 0) & (target >= 0)
        found[hit] = self.masks[place[hit]]
        return found

    def has_two_step(self, source_ids: IdArray, target_ids: IdArray) -> BoolArray:
        """Tell for each pair (a, b) whether some x has a→x and x→b.

        The side with fewer neighbours is expanded, in chunks of bounded memory; a pair asked
        twice is worked out once. x may be a or b where they have a self-loop.

        Parameters
        ----------
        source_ids, target_ids : ndarray of int
            Equal length. A negative id is an unknown node: False.

        Returns
        -------
        ndarray of bool
        """
        n = self.node_n
        source = np.asarray(source_ids, dtype=np.int64)
        target = np.asarray(target_ids, dtype=np.int64)
        result = np.zeros(source.shape, dtype=np.bool_)
        known = np.flatnonzero((source >= 0) & (target >= 0))
        if not known.size or not self.keys.size:
            return result
        pairs, place = np.unique(source[known] * n + target[known], return_inverse=True)
        a, b = np.divmod(pairs, n)
        fan = np.minimum(self.out_degree[a], self.in_degree[b]).astype(np.int64)
        answer = np.zeros(pairs.size, dtype=np.bool_)
        todo = np.flatnonzero(fan)
        ends = np.cumsum(fan[todo])
        start = 0
        while start < todo.size:
            before = int(ends[start - 1]) if start else 0
            stop = max(start + 1, int(np.searchsorted(ends, before + CHUNK_ROWS, side="right")))
            rows = todo[start:stop]
            answer[rows] = self._any_middle(a[rows], b[rows], fan[rows])
            start = stop
        result[known] = answer[place]
        return result

    def _any_middle(self, a: Int64Array, b: Int64Array, fan: Int64Array) -> BoolArray:
        """Expand each pair's smaller side and look the other step up; every fan is >= 1."""
        n = self.node_n
        forward = self.out_degree[a] <= self.in_degree[b]
        begin = np.where(forward, self.out_indptr[a], self.in_indptr[b])
        offsets = np.cumsum(fan) - fan
        slot = np.arange(int(fan.sum()), dtype=np.int64) + np.repeat(begin - offsets, fan)
        ahead = np.repeat(forward, fan)
        middle = np.empty(slot.size, dtype=np.int64)
        middle[ahead] = self.out_indices[slot[ahead]]
        middle[~ahead] = self.in_indices[slot[~ahead]]
        wanted = np.where(ahead, middle * n + np.repeat(b, fan), np.repeat(a, fan) * n + middle)
        place = np.searchsorted(self.keys, wanted)
        place[place == self.keys.size] = 0
        return np.logical_or.reduceat(self.keys[place] == wanted, offsets)

    def signs_of(self, source: str, target: str) -> frozenset[int]:
        """Return the signs of a pair of names in any case; empty where there is no such edge."""
        ids = (self.index.get(self.matched_name(name), -1) for name in (source, target))
        a, b = (np.array([code]) for code in ids)
        return frozenset(_SIGNS_OF_MASK[int(self.lookup(a, b)[0])])

    def edges(self) -> tuple[Int32Array, Int32Array, MaskArray]:
        """Return source ids, target ids and masks of all pairs, sorted by source and target."""
        source = np.repeat(np.arange(self.node_n, dtype=np.int32), self.out_degree)
        return source, self.out_indices, self.masks

    def to_networkx(self) -> nx.DiGraph:
        """Return a NetworkX digraph; an edge's ``signs`` is a sorted tuple of -1, 0, 1."""
        import networkx as nx

        graph = nx.DiGraph()
        graph.add_nodes_from(self.names)
        source, target, masks = self.edges()
        names = self.names
        graph.add_edges_from(
            (names[a], names[b], {"signs": _SIGNS_OF_MASK[mask]})
            for a, b, mask in zip(source.tolist(), target.tolist(), masks.tolist(), strict=True)
        )
        return graph

    def describe(self) -> dict[str, object]:
        """Return the counts that ``kg info`` prints; see `eval_tiers.kg.describe`."""
        from eval_tiers.kg.describe import describe_graph

        return describe_graph(self)


def signs_of_mask(mask: int) -> tuple[int, ...]:
    """Return a mask's signs, sorted.

    Examples
    --------
    >>> signs_of_mask(3)
    (-1, 1)
    """
    return _SIGNS_OF_MASK[mask]


def _indptr(degree: Int32Array) -> Int64Array:
    return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(degree, dtype=np.int64)))
