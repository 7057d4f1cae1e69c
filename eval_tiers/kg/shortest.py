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
    edge_source, edge_target = np.divmod(graph.keys, n)
    order = np.argsort(edge_target, kind="stable")
    edge_source, edge_target, signs = edge_source[order], edge_target[order], graph.masks[order]
    into = np.searchsorted(edge_target, np.arange(n + 1))
    answer = np.full(len(source), NO_ROUTE, np.int8)
    open_rows = np.flatnonzero(np.diff(into)[target] > 0)
    bit = np.searchsorted(block, source)
    reached = np.zeros((n, len(block)), np.bool_)
    reached[block, np.arange(len(block))] = True
    planes = [_packed(reached), _packed(np.zeros_like(reached)), _packed(reached)]
    while len(open_rows):
        plus, minus, seen = planes
        # A row is settled from its target's in-edges: the last, widest level is never expanded.
        by_plus, by_minus = _look_ahead(
            target[open_rows], bit[open_rows], into, edge_source, signs, plus, minus
        )
        answer[open_rows[by_plus & ~by_minus]] = 1
        answer[open_rows[by_minus & ~by_plus]] = -1
        answer[open_rows[by_plus & by_minus]] = AMBIGUOUS
        open_rows = open_rows[~by_plus & ~by_minus]
        # Sources all of whose rows are settled leave the bit planes, once they are many.
        kept = np.unique(bit[open_rows])
        if len(kept) <= plus.shape[1] * 48:
            bit[open_rows] = np.searchsorted(kept, bit[open_rows])
            plus, minus, seen = (
                _packed(np.take(_unpacked(plane), kept, axis=1)) for plane in planes
            )
        used = np.flatnonzero(np.any(plus | minus, axis=1)[edge_source])
        if len(used) == 0:
            break
        plus, minus = _step(edge_source[used], edge_target[used], signs[used], plus, minus)
        plus &= ~seen
        minus &= ~seen
        planes = [plus, minus, seen | plus | minus]
    return answer


def _packed(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Pack bool[n, k] into uint64[n, ceil(k / 64)]."""
    n, k = bits.shape
    words = np.zeros((n, (k + 63) // 64 * 8), np.uint8)
    words[:, : (k + 7) // 8] = np.packbits(bits, axis=1, bitorder="little")
    return words.view(np.uint64)


def _unpacked(words: NDArray[np.uint64]) -> NDArray[np.bool_]:
    return np.unpackbits(words.view(np.uint8), axis=1, bitorder="little").view(np.bool_)


def _look_ahead(
    target: NDArray[np.int64],
    bit: NDArray[np.int64],
    into: NDArray[np.int64],
    edge_source: NDArray[np.int64],
    signs: NDArray[np.uint8],
    plus: NDArray[np.uint64],
    minus: NDArray[np.uint64],
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return whether each row's target is one step from its source's level, by either sign."""
    word, mask = bit // 64, np.uint64(1) << (bit % 64).astype(np.uint64)
    fan = into[target + 1] - into[target]
    row = np.repeat(np.arange(len(target)), fan)
    edge = np.arange(len(row)) - np.repeat(np.cumsum(fan) - fan, fan) + into[target][row]
    at_plus = (plus[edge_source[edge], word[row]] & mask[row]) != 0
    at_minus = (minus[edge_source[edge], word[row]] & mask[row]) != 0
    keeps, turns = (
        signs[edge] & (POSITIVE | UNSIGNED) != 0,
        signs[edge] & (NEGATIVE | UNSIGNED) != 0,
    )
    found = []
    for hit in ((at_plus & keeps) | (at_minus & turns), (at_minus & keeps) | (at_plus & turns)):
        found.append(np.bincount(row[hit], minlength=len(target)) > 0)
    return found[0], found[1]


def _step(
    source: NDArray[np.int64],
    target: NDArray[np.int64],
    signs: NDArray[np.uint8],
    plus: NDArray[np.uint64],
    minus: NDArray[np.uint64],
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
