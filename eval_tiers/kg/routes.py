"""Simple routes between two nodes over edges of one sign, by length and by product of signs."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eval_tiers.kg.graph import NEGATIVE, POSITIVE, SignedGraph

_Codes = NDArray[np.int64]
_SIGN_OF_MASK = np.zeros(8, np.int8)
_SIGN_OF_MASK[POSITIVE], _SIGN_OF_MASK[NEGATIVE] = 1, -1
_REMEMBERED = 512


@dataclass(frozen=True, slots=True)
class Route:
    """A simple route.

    Attributes
    ----------
    nodes : tuple of int
        Node ids, both ends included.
    signs : tuple of int
        +1 or -1 of each edge.
    """

    nodes: tuple[int, ...]
    signs: tuple[int, ...]

    @property
    def sign(self) -> int:
        """Product of the signs."""
        return -1 if self.signs.count(-1) % 2 else 1


@dataclass(frozen=True, slots=True)
class _Ahead:
    """From which nodes a target is one and two edges away, by sign: bool[2, n], + then -."""

    one: NDArray[np.bool_]
    two: NDArray[np.bool_]


class RouteFinder:
    """Looks for routes in one graph, over pairs whose only sign is + or -.

    A pair of both signs, or with an unsigned mention, is on no route: it would support either
    product.

    Parameters
    ----------
    graph : SignedGraph
        The graph; a node is an id of it.
    """

    def __init__(self, graph: SignedGraph) -> None:
        self.graph = graph
        self._signs = _SIGN_OF_MASK[graph.masks]
        # Edges are sorted by source; a stable sort by target puts them as `in_indices` has them.
        self._signs_in = self._signs[np.argsort(graph.out_indices, kind="stable")]
        self._ahead: dict[int, _Ahead] = {}

    def sign(self, source: int, target: int) -> int:
        """Return the only sign of a pair, 0 where it has several, none, or isn't there."""
        if source < 0 or target < 0:
            return 0
        keys = self.graph.keys
        key = source * self.graph.node_n + target
        place = int(np.searchsorted(keys, key))
        return int(self._signs[place]) if place < len(keys) and keys[place] == key else 0

    def neighbours(self, node: int) -> list[tuple[int, int]]:
        """Return (target, sign) of each edge out of a node; none for an unknown one."""
        if node < 0:
            return []
        first, last = int(self.graph.out_indptr[node]), int(self.graph.out_indptr[node + 1])
        steps = self._signs[first:last]
        kept = steps != 0
        targets = self.graph.out_indices[first:last][kept]
        return list(zip(targets.tolist(), steps[kept].tolist(), strict=True))

    def neighbours_before(self, node: int) -> list[tuple[int, int]]:
        """Return (source, sign) of each edge into a node; none for an unknown one."""
        if node < 0:
            return []
        sources, steps = self._into(np.array([node]))
        kept = steps != 0
        return list(zip(sources[kept].tolist(), steps[kept].tolist(), strict=True))

    def routes(
        self,
        source: int,
        target: int,
        edge_n: int,
        sign: int | None = None,
        avoid: Collection[int] = (),
        draw: random.Random | None = None,
        visit_limit: int = 2_000,
    ) -> Iterator[Route]:
        """Yield simple routes of exactly so many edges.

        Parameters
        ----------
        source, target : int
            Node ids; a negative or an equal pair has no route.
        edge_n : int
            Edges of a route, at least 1.
        sign : {1, -1}, optional
            Product of signs; either when None.
        avoid : collection of int
            Nodes that no route may pass through; the ends don't count.
        draw : random.Random, optional
            Draws the order in which neighbours are tried; by id when None.
        visit_limit : int
            Steps after which the search ends. The last two edges are looked up, not searched,
            so that a step is a node from which the target can be reached when two edges are left.
            Without routes after that many steps there may still be one.
        """
        if source < 0 or target < 0 or source == target or edge_n < 1:
            return
        closed = {source, target, *avoid}
        budget = [visit_limit]
        yield from self._extend([source], [], target, edge_n, sign, closed, draw, budget)

    def _extend(
        self,
        nodes: list[int],
        signs: list[int],
        target: int,
        left: int,
        sign: int | None,
        closed: set[int],
        draw: random.Random | None,
        budget: list[int],
    ) -> Iterator[Route]:
        if left == 1:
            step = self.sign(nodes[-1], target)
            route = Route((*nodes, target), (*signs, step))
            if step and (sign is None or route.sign == sign):
                yield route
            return
        for node, step in self._next(nodes[-1], signs, target, left - 1, sign, draw):
            if node in closed:
                continue
            budget[0] -= 1
            if budget[0] < 0:
                return
            closed.add(node)
            nodes.append(node)
            signs.append(step)
            yield from self._extend(nodes, signs, target, left - 1, sign, closed, draw, budget)
            closed.discard(node)
            nodes.pop()
            signs.pop()

    def _next(
        self,
        node: int,
        signs: list[int],
        target: int,
        left: int,
        sign: int | None,
        draw: random.Random | None,
    ) -> list[tuple[int, int]]:
        """Return (neighbour, sign of the step) from which the rest may be done."""
        graph = self.graph
        first, last = int(graph.out_indptr[node]), int(graph.out_indptr[node + 1])
        neighbours, steps = graph.out_indices[first:last], self._signs[first:last]
        fits = steps != 0
        if left <= 2:
            ahead = self._look_ahead(target)
            plane = ahead.one if left == 1 else ahead.two
            if sign is None:
                fits = fits & (plane[0] | plane[1])[neighbours]
            else:
                wanted = steps * (-1 if signs.count(-1) % 2 else 1) * sign
                fits = fits & np.where(wanted == 1, plane[0][neighbours], plane[1][neighbours])
        found = list(zip(neighbours[fits].tolist(), steps[fits].tolist(), strict=True))
        if draw is not None:
            draw.shuffle(found)
        return found

    def _look_ahead(self, target: int) -> _Ahead:
        found = self._ahead.get(target)
        if found is None:
            if len(self._ahead) >= _REMEMBERED:
                self._ahead.clear()
            one = np.zeros((2, self.graph.node_n), np.bool_)
            sources, signs = self._into(np.array([target]))
            one[0, sources[signs == 1]] = True
            one[1, sources[signs == -1]] = True
            two = np.zeros_like(one)
            for plane in (0, 1):
                before, signs = self._into(np.flatnonzero(one[plane]))
                two[plane, before[signs == 1]] = True
                two[1 - plane, before[signs == -1]] = True
            found = self._ahead[target] = _Ahead(one, two)
        return found

    def _into(self, targets: _Codes) -> tuple[_Codes, NDArray[np.int8]]:
        """Return sources and signs of all edges into these nodes."""
        graph = self.graph
        begin, fan = graph.in_indptr[targets], graph.in_degree[targets].astype(np.int64)
        slot = np.arange(int(fan.sum())) + np.repeat(begin - np.cumsum(fan) + fan, fan)
        return graph.in_indices[slot].astype(np.int64), self._signs_in[slot]


def joined_by_both_signs(
    graph: SignedGraph, source: _Codes, target: _Codes, max_edge_n: int = 3
) -> NDArray[np.bool_]:
    """Tell whether walks of both products lead from each source to its target.

    Where they do, the graph supports whatever answer is given.

    Parameters
    ----------
    graph : SignedGraph
    source, target : int64[m]
        Node ids, -1 unknown: False.
    max_edge_n : int
        Edges of the longest walk that counts, at least 1. Only pairs with one sign count.

    Returns
    -------
    bool[m]
        A walk may meet a node twice; ends that are the same node are False.
    """
    result = np.zeros(len(source), np.bool_)
    usable = np.flatnonzero((source >= 0) & (target >= 0) & (source != target))
    begin, end = source[usable], target[usable]
    signs = _SIGN_OF_MASK[graph.masks]
    edge_from, edge_to = np.divmod(graph.keys, max(graph.node_n, 1))
    if len(np.unique(begin)) < len(np.unique(end)):  # then walk from the sources, backwards
        begin, end, edge_from, edge_to = end, begin, edge_to, edge_from
    kept = np.flatnonzero(signs)
    kept = kept[np.argsort(edge_from[kept], kind="stable")]
    edges = edge_from[kept], edge_to[kept], signs[kept]
    distinct, place = np.unique(end, return_inverse=True)
    for first in range(0, len(distinct), 64):
        # One bit a node: a level costs two passes over the edges for 64 of them.
        rows = np.flatnonzero((place >= first) & (place < first + 64))
        bit = np.uint64(1) << (place[rows] - first).astype(np.uint64)
        reach = _reach(distinct[first : first + 64], *edges, graph.node_n, max_edge_n)
        at = begin[rows]
        result[usable[rows]] = ((reach[0, at] & bit) != 0) & ((reach[1, at] & bit) != 0)
    return result


def _reach(
    targets: _Codes,
    edge_source: _Codes,
    edge_target: _Codes,
    signs: NDArray[np.int8],
    node_n: int,
    max_edge_n: int,
) -> NDArray[np.uint64]:
    """Return uint64[2, nodes]: which targets each node reaches by + and by -, a bit a target."""
    level = np.zeros((2, node_n), np.uint64)
    level[0, targets] = np.uint64(1) << np.arange(len(targets), dtype=np.uint64)
    total = np.zeros_like(level)
    starts = np.flatnonzero(np.diff(edge_source, prepend=-1))
    positive = signs == 1
    for _ in range(max_edge_n):
        ahead = np.zeros_like(level)
        if starts.size:
            for plane in (0, 1):
                bits = np.where(positive, level[plane, edge_target], level[1 - plane, edge_target])
                ahead[plane, edge_source[starts]] = np.bitwise_or.reduceat(bits, starts)
        level = ahead
        total |= level
    return total
