"""What a knowledge graph knows between the nodes of a case, as lines of a prompt."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np

from eval_tiers.kg.graph import SignedGraph, signs_of_mask
from eval_tiers.rescue.cases import Case
from eval_tiers.rescue.steps import format_name

MAX_EDGES: Final = 24
MAX_ROUTES: Final = 6
_WORDS: Final = {-1: "-", 0: "?", 1: "+"}


class EvidenceFinder:
    """Finds the edges between nodes, and the short routes between two ends.

    Parameters
    ----------
    graph : SignedGraph
    blind : bool
        Leave out the nodes of the gold chain, which would give it away.
    """

    def __init__(self, graph: SignedGraph, blind: bool = False) -> None:
        self.graph, self.blind = graph, blind
        self._mask = dict(zip(graph.keys.tolist(), graph.masks.tolist(), strict=True))
        self._names: dict[int, str] = {}
        self._routes: dict[tuple[int, int], tuple[str, ...]] = {}

    def lines(self, case: Case) -> tuple[str, ...]:
        """Return the lines of a case: edges sorted by name, then routes, shortest first.

        ``TP53 -[+]-> CDKN1A``; a pair of several signs is shown with all of them (``+ and -``),
        an unsigned one with ``?``. At most 24 edges and 6 routes of one node in between.
        """
        steps = case.chain if self.blind else (*case.chain, *case.gold_chain)
        names = {name for step in steps for name in (step.source, step.target)}
        ends = [case.perturbation, case.readout]
        names |= {name for name in ends if name is not None}
        nodes = self._ids(names)
        found = list(self._edges_between(nodes))
        if case.perturbation is not None and case.readout is not None:
            found += self._routes_between(case.perturbation, case.readout)
        return tuple(dict.fromkeys(found))

    def _ids(self, names: Iterable[str]) -> list[int]:
        index = self.graph.index
        return [index[name] for name in sorted(names) if name in index]

    def _edges_between(self, nodes: list[int]) -> list[str]:
        n, mask = self.graph.node_n, self._mask
        found = [
            (source, target, signs)
            for source in nodes
            for target in nodes
            if (signs := mask.get(source * n + target, 0))
        ]
        return [self._name(source) + self._onward(target, signs)
                for source, target, signs in found[:MAX_EDGES]]  # fmt: skip

    def _routes_between(self, start: str, end: str) -> tuple[str, ...]:
        graph = self.graph
        a, b = graph.index.get(start, -1), graph.index.get(end, -1)
        if a < 0 or b < 0 or a == b:
            return ()
        known = self._routes.get((a, b))
        if known is None:
            after = graph.out_indices[graph.out_indptr[a] : graph.out_indptr[a + 1]]
            before = graph.in_indices[graph.in_indptr[b] : graph.in_indptr[b + 1]]
            middle = np.intersect1d(after, before, assume_unique=True)
            middle = middle[(middle != a) & (middle != b)][:MAX_ROUTES]
            known = self._routes[a, b] = tuple(
                self._name(a) + self._step(a, via) + self._step(via, b) for via in middle.tolist()
            )
        return known

    def _step(self, source: int, target: int) -> str:
        return self._onward(target, self._mask[source * self.graph.node_n + target])

    def _onward(self, target: int, mask: int) -> str:
        signs = " and ".join(_WORDS[sign] for sign in reversed(signs_of_mask(mask)))
        return f" -[{signs}]-> {self._name(target)}"

    def _name(self, node: int) -> str:
        name = self._names.get(node)
        if name is None:
            name = self._names[node] = format_name(self.graph.names[node])
        return name
