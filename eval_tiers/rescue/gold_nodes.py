"""A gold chain on the graph: its nodes in order, and which of its edges can be kept."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eval_tiers.kg.graph import SignedGraph, signs_of_mask
from eval_tiers.kg.routes import RouteFinder
from eval_tiers.rescue.cases import Step
from eval_tiers.rescue.golds import SIGN_OF_ANSWER, GoldChain


@dataclass(frozen=True, slots=True)
class PlacedGold:
    """A consistent gold chain, none of whose edges the graph contradicts.

    Attributes
    ----------
    gold : GoldChain
    edges : tuple of Step
        Its edges along the path where it is one path, else empty.
    nodes : tuple of int
        Ids of the path's nodes, -1 unknown; one more than `edges`, or empty.
    source, target : int
        Ids of the ends.
    all_nodes : frozenset of int
        Ids of all its nodes, ends included.
    pairs : frozenset of (str, str)
        All its pairs.
    in_graph : tuple of bool
        Whether the graph has each of `edges`.
    product : int
        Product of signs that leads to the gold answer.
    """

    gold: GoldChain
    edges: tuple[Step, ...]
    nodes: tuple[int, ...]
    source: int
    target: int
    all_nodes: frozenset[int]
    pairs: frozenset[tuple[str, str]]
    in_graph: tuple[bool, ...]
    product: int


def place_gold(gold: GoldChain, graph: SignedGraph) -> PlacedGold | None:
    """Return a gold chain on the graph; None for one that no control can be made from.

    Such are chains that don't imply their answer, chains without edges, and chains with an edge
    that is unsigned or whose sign the graph contradicts.
    """
    if not gold.is_consistent or not gold.chain:
        return None
    names = {name for step in gold.chain for name in (step.source, step.target)}
    start, end = (graph.matched_name(str(name)) for name in (gold.perturbation, gold.readout))
    if start == end:
        return None
    ordered = sorted({*names, start, end})
    ids = dict(zip(ordered, graph.ids_of(ordered).tolist(), strict=True))
    pairs = [(step.source, step.target) for step in gold.chain]
    masks = graph.lookup(
        np.array([ids[source] for source, _ in pairs]),
        np.array([ids[target] for _, target in pairs]),
    ).tolist()
    for step, mask in zip(gold.chain, masks, strict=True):
        if step.sign == 0 or (mask and step.sign not in signs_of_mask(mask)):
            return None
    in_graph = {pair for pair, mask in zip(pairs, masks, strict=True) if mask}
    edges = _along(gold.chain, start, end)
    return PlacedGold(
        gold,
        edges,
        (ids[edges[0].source], *(ids[step.target] for step in edges)) if edges else (),
        ids[start],
        ids[end],
        frozenset(code for code in ids.values() if code >= 0),
        frozenset(pairs),
        tuple((step.source, step.target) in in_graph for step in edges),
        SIGN_OF_ANSWER[gold.gold_answer] * gold.perturbation_sign,
    )


def is_unlinked(finder: RouteFinder, source: int, target: int) -> bool:
    """Tell whether nothing in the graph speaks for an edge.

    Neither the pair, nor the same the other way round, nor a way over one node between.
    """
    a, b = np.array([source]), np.array([target])
    graph = finder.graph
    if graph.lookup(a, b)[0] or graph.lookup(b, a)[0]:
        return False
    return not bool(graph.has_two_step(a, b)[0])


def _along(chain: tuple[Step, ...], start: str, end: str) -> tuple[Step, ...]:
    """Return the edges from start to end where they are one simple path and nothing else."""
    after = {step.source: step for step in chain}
    if len(after) != len(chain):
        return ()
    path: list[Step] = []
    seen = {start}
    here = start
    while here != end:
        step = after.get(here)
        if step is None or step.target in seen:
            return ()
        path.append(step)
        here = step.target
        seen.add(here)
    return tuple(path) if len(path) == len(chain) else ()
