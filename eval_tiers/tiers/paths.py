"""Simple paths of a chain from the perturbation to the readout, over a whole batch.

Nearly every chain has one way back from its readout; these are walked for all samples at once.
The rest (branches that meet, cycles) are searched one by one, with a limit on edge visits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eval_tiers.domain.batch import BoolArray, IntArray, SignArray
from eval_tiers.tiers.edges import EdgeSet

_MAX_ROUNDS = 64


@dataclass(slots=True)
class PathTrace:
    """What the paths of each sample say.

    Attributes
    ----------
    connected : int8[n]
        1: the end is reached; 0: it isn't (or there are no edges); -1: an end is unknown.
    sign : int8[n]
        Product of signs along the path or paths; 0 where there is none: no path, an unsigned
        edge on one, paths that disagree, or the search gave up.
    on_path : int8[n_edges]
        1: on a simple path; 0: not; -1: unknown (the search gave up, or an end is unknown).
    exhausted : bool[n]
        The search gave up.
    """

    connected: SignArray
    sign: SignArray
    on_path: SignArray
    exhausted: BoolArray


def trace_paths(edges: EdgeSet, start: IntArray, end: IntArray, visit_limit: int) -> PathTrace:
    """Trace the simple paths of every sample.

    Parameters
    ----------
    edges : EdgeSet
        Distinct edges of the batch.
    start, end : int32[n]
        Codes of perturbation and readout, -1 unknown. Where they are the same, paths are cycles.
    visit_limit : int
        Edge visits (of edges that can still reach the end) after which a sample's search stops.
    """
    n = edges.n_samples
    known = (start >= 0) & (end >= 0)
    connected = np.where(known, 0, -1).astype(np.int8)
    trace = PathTrace(
        connected, np.zeros(n, np.int8), np.zeros(len(edges), np.int8), np.zeros(n, np.bool_)
    )
    trace.on_path[~known[edges.sample]] = -1
    has_edges = edges.count() > 0
    slow = _walk_back(edges, start, end, known & has_edges & (start != end), trace)
    slow = np.concatenate([slow, np.flatnonzero(known & has_edges & (start == end))])
    bounds = np.searchsorted(edges.sample, np.stack([slow, slow + 1]))
    for sample, first, last in zip(slow.tolist(), *bounds.tolist(), strict=True):
        _search(
            edges, sample, first, last, int(start[sample]), int(end[sample]), visit_limit, trace
        )
    return trace


def _walk_back(
    edges: EdgeSet, start: IntArray, end: IntArray, active_mask: BoolArray, trace: PathTrace
) -> NDArray[np.int64]:
    """Walk back from the ends while there is just one way; return the samples left over."""
    usable = np.flatnonzero(edges.source != edges.target)
    key = edges.sample[usable].astype(np.int64) * edges.n_symbols + edges.target[usable]
    order = np.argsort(key, kind="stable")
    key, usable = key[order], usable[order]
    active = np.flatnonzero(active_mask)
    here = end[active].astype(np.int64)
    sign = np.ones(len(active), np.int8)
    steps: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
    left_over: list[NDArray[np.int64]] = []
    for _ in range(_MAX_ROUNDS):
        if len(active) == 0:
            break
        wanted = active * edges.n_symbols + here
        first = np.searchsorted(key, wanted, "left")
        ways = np.searchsorted(key, wanted, "right") - first
        left_over.append(active[ways > 1])
        going = ways == 1
        active, sign = active[going], sign[going]
        edge = usable[first[going]]
        steps.append((active, edge))
        sign = sign * edges.sign[edge]
        here = edges.source[edge].astype(np.int64)
        arrived = here == start[active]
        trace.connected[active[arrived]] = 1
        trace.sign[active[arrived]] = sign[arrived]
        active, sign, here = active[~arrived], sign[~arrived], here[~arrived]
    left_over.append(active)
    for samples, edge in steps:
        trace.on_path[edge[trace.connected[samples] == 1]] = 1
    return np.concatenate(left_over)


def _search(
    edges: EdgeSet, sample: int, first: int, last: int, start: int, end: int,
    visit_limit: int, trace: PathTrace,
) -> None:  # fmt: skip
    """Enumerate the simple paths of one sample, depth first, over edges that can reach the end."""
    sources = edges.source[first:last].tolist()
    targets = edges.target[first:last].tolist()
    into: dict[int, list[int]] = {}
    for source, target in zip(sources, targets, strict=True):
        into.setdefault(target, []).append(source)
    reaching = {end}
    queue = [end]
    came_back = False
    while queue:
        for source in into.get(queue.pop(), ()):
            came_back = came_back or source == start
            if source not in reaching:
                reaching.add(source)
                queue.append(source)
    if not (came_back if start == end else start in reaching):
        return
    trace.connected[sample] = 1
    out: dict[int, list[tuple[int, int]]] = {}
    for number, (source, target) in enumerate(zip(sources, targets, strict=True)):
        if target in reaching:
            out.setdefault(source, []).append((target, number))
    found = _enumerate_paths(out, edges.sign[first:last].tolist(), start, end, visit_limit)
    if found is None:
        trace.exhausted[sample] = True
        trace.on_path[first:last] = -1
        return
    on_path, signs = found
    trace.on_path[[first + number for number in on_path]] = 1
    trace.sign[sample] = signs.pop() if len(signs) == 1 else 0


def _enumerate_paths(
    out: dict[int, list[tuple[int, int]]], sign: list[int], start: int, end: int, visit_limit: int
) -> tuple[set[int], set[int]] | None:
    """Return (edges on a simple path, sign products met), or None past the limit.

    The product of a path with an unsigned edge is 0.
    """
    on_path: set[int] = set()
    signs: set[int] = set()
    visited = {start}
    trail: list[int] = []
    products = [1]
    nodes = [start]
    pending = [iter(out.get(start, ()))]
    visits = 0
    while pending:
        step = next(pending[-1], None)
        if step is None:
            pending.pop()
            products.pop()
            visited.discard(nodes.pop())
            if trail:
                trail.pop()
            continue
        target, edge = step
        visits += 1
        if visits > visit_limit:
            return None
        if target == end:
            on_path.update(trail)
            on_path.add(edge)
            signs.add(products[-1] * sign[edge])
        elif target not in visited:
            visited.add(target)
            nodes.append(target)
            trail.append(edge)
            products.append(products[-1] * sign[edge])
            pending.append(iter(out.get(target, ())))
    return on_path, signs
