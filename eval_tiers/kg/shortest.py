"""Signs of the shortest routes between pairs of nodes: the baseline that only knows the graph."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eval_tiers.kg.graph import NEGATIVE, POSITIVE, UNSIGNED, SignedGraph

NO_ROUTE, AMBIGUOUS = 2, 0
_MAX_SOURCES = 1024


def shortest_route_signs(
    graph: SignedGraph, source: NDArray[np.int64], target: NDArray[np.int64]
) -> NDArray[np.int8]:
    """Return the product of signs along the shortest directed routes of each pair.

    Parameters
    ----------
    graph : SignedGraph
    source, target : int64[m]
        Node ids, -1 unknown.

    Returns
    -------
    int8[m]
        +1 or -1 where all shortest routes agree; 0 where they disagree, or one has an unsigned
        edge or a pair of both signs; 2 where there is no route, the two are the same node, or one
        is unknown.

    Notes
    -----
    All sources advance at once, a bit a source: a level costs one pass over the edges.
    """
    result = np.full(len(source), NO_ROUTE, np.int8)
    usable = np.flatnonzero((source >= 0) & (target >= 0) & (source != target))
    sources = np.unique(source[usable])
    for first in range(0, len(sources), _MAX_SOURCES):
        block = sources[first : first + _MAX_SOURCES]
        rows = usable[np.isin(source[usable], block)]
        result[rows] = _advance(graph, block, source[rows], target[rows])
    return result


def _advance(
    graph: SignedGraph,
    block: NDArray[np.int64],
    source: NDArray[np.int64],
    target: NDArray[np.int64],
) -> NDArray[np.int8]:
    """Breadth first from every source of a block, until every target is reached or none can be."""
    n = graph.node_n
    words = (len(block) + 63) // 64
    bit = np.searchsorted(block, source)
    word, mask = bit // 64, np.uint64(1) << (bit % 64).astype(np.uint64)
    plus, minus = (np.zeros((n, words), np.uint64) for _ in range(2))
    own = np.arange(len(block))
    np.bitwise_or.at(plus, (block, own // 64), np.uint64(1) << (own % 64).astype(np.uint64))
    seen = plus.copy()
    edge_source, edge_target = np.divmod(graph.keys, n)
    order = np.argsort(edge_target, kind="stable")
    edge_source, edge_target, signs = edge_source[order], edge_target[order], graph.masks[order]
    answer = np.full(len(source), NO_ROUTE, np.int8)
    open_rows = np.arange(len(source))
    while len(open_rows):
        frontier = (plus | minus).any(axis=1)
        used = np.flatnonzero(frontier[edge_source])
        if len(used) == 0:
            break
        new_plus, new_minus = _step(
            edge_source[used], edge_target[used], signs[used], plus, minus, n
        )
        new_plus &= ~seen
        new_minus &= ~seen
        plus, minus = new_plus, new_minus
        seen |= plus | minus
        at = target[open_rows]
        by_plus = (plus[at, word[open_rows]] & mask[open_rows]) != 0
        by_minus = (minus[at, word[open_rows]] & mask[open_rows]) != 0
        answer[open_rows[by_plus & ~by_minus]] = 1
        answer[open_rows[by_minus & ~by_plus]] = -1
        answer[open_rows[by_plus & by_minus]] = AMBIGUOUS
        open_rows = open_rows[~by_plus & ~by_minus]
    return answer


def _step(
    source: NDArray[np.int64],
    target: NDArray[np.int64],
    signs: NDArray[np.uint8],
    plus: NDArray[np.uint64],
    minus: NDArray[np.uint64],
    n: int,
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Advance one level; an unsigned edge leads on as both signs, which makes a route ambiguous."""
    results = []
    keeps, turns = signs & (POSITIVE | UNSIGNED) != 0, signs & (NEGATIVE | UNSIGNED) != 0
    for same, other in ((plus, minus), (minus, plus)):
        reached = np.zeros_like(plus)
        for chosen, plane in ((keeps, same), (turns, other)):
            edges = np.flatnonzero(chosen)
            if len(edges) == 0:
                continue
            ends = target[edges]
            starts = np.flatnonzero(np.diff(ends, prepend=-1))
            reached[ends[starts]] |= np.bitwise_or.reduceat(plane[source[edges]], starts, axis=0)
        results.append(reached)
    return results[0], results[1]
