"""Chains with a known verdict, each made from a gold chain in the image of a hard case.

Source: specification of tier 4, section 5. What makes each verdict the right one is in
docs/adr/0012-controls.md.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from eval_tiers.kg.routes import Route, RouteFinder
from eval_tiers.rescue.cases import Case, Step
from eval_tiers.rescue.gold_nodes import PlacedGold, is_unlinked
from eval_tiers.rescue.golds import OPPOSITE, Control
from eval_tiers.rescue.matching import LONGEST, likeness

WRONG_CORRECT_CHAIN: Final = "wrong_correct_chain"
CORRECT_WRONG_REASON: Final = "correct_wrong_reason"
_HALLUCINATED: Final = "CORRECT_HALLUCINATED_EDGE"
_VISITS: Final = 150
_TRIES: Final = 6
_Edges = list[Step] | None


@dataclass(frozen=True, slots=True)
class ChainBuilder:
    """Builds controls of one graph.

    Attributes
    ----------
    finder : RouteFinder
    bystanders : sequence of int
        Nodes that invented edges lead to: those of the gold chains, so that they look like any.
    draw : random.Random
    """

    finder: RouteFinder
    bystanders: Sequence[int]
    draw: random.Random

    def build(
        self, kind: str, truth: str, turn: int, gold: PlacedGold, template: Case, length: int
    ) -> Control | None:
        """Build one control; see `eval_tiers.rescue.drawing.Build`."""
        answer = gold.gold.gold_answer
        if kind == WRONG_CORRECT_CHAIN:
            answer = OPPOSITE[answer]
        if truth == "ANSWER_BUG":
            said = template.predicted_answer
            if said in gold.gold.labels and said not in OPPOSITE:
                answer = str(said)
            made = self._gold_like(gold, template, length)
        elif truth in ("ALTERNATE", "YES"):
            product = gold.product if truth == "YES" else -gold.product
            found = self._route_beside(gold, 0, length, product)
            made = (None if found is None else found[1], "supported_route")
        else:
            made = self._faulty(kind, turn, gold, template, length)
        edges, variant = made
        if edges is None:
            return None
        return Control(_case_of(gold, kind, answer, edges, template), truth, variant)

    def _gold_like(self, gold: PlacedGold, template: Case, length: int) -> tuple[_Edges, str]:
        """Return the gold chain, or one with a stretch replaced by a supported one of its sign."""
        coverage = likeness(template).coverage
        keep = _kept_n(gold, coverage, length)
        if keep and coverage < 1:
            found = self._route_beside(gold, keep, length, gold.product)
            if found is not None and (found[0] or found[2]):
                return found[0] + found[1] + found[2], "rerouted_gold"
        chain = list(gold.gold.chain)
        return (chain if min(len(chain), LONGEST) == length else None), "gold_chain"

    def _faulty(
        self, kind: str, turn: int, gold: PlacedGold, template: Case, length: int
    ) -> tuple[_Edges, str]:
        """Return a connected chain with a fault that leads to its stated answer."""
        hallucinated = template.error_label == _HALLUCINATED
        keep = _kept_n(gold, likeness(template).coverage, length)
        product = -gold.product
        if kind == CORRECT_WRONG_REASON:
            product = gold.product
            if not hallucinated:  # with half of the gold chain the reason would be right
                keep = min(keep, (len(gold.edges) - 1) // 2)
        if gold.source < 0:
            keep = max(keep, 1)
        if hallucinated:
            edges = self._invented(gold, keep, length, product, (length + 1) // 2)
            return edges, "edge_not_in_graph"
        if turn % 2 == 0:
            return self._sign_turned(gold, keep, length, product), "sign_against_graph"
        if length < 3 or not all(gold.in_graph):  # one outside of two counts as hallucinated
            return None, ""
        return self._invented(gold, keep, length, product, 1), "edge_not_in_graph"

    def _sign_turned(self, gold: PlacedGold, keep: int, length: int, product: int) -> _Edges:
        """Return a path whose product is right by one sign that is against the graph's."""
        found = self._route_beside(gold, keep, length, -product)
        if found is None:
            return None
        before, route, after = found
        turned = self.draw.randrange(len(route))
        step = route[turned]
        route[turned] = Step(step.source, -step.sign, step.target)
        return before + route + after

    def _route_beside(
        self, gold: PlacedGold, keep: int, length: int, product: int
    ) -> tuple[list[Step], list[Step], list[Step]] | None:
        """Return gold edges kept before, a route off the gold nodes, and gold edges kept after."""
        for before, after in self._cuts(gold, keep):
            first, last = _ends(gold, before, after)
            kept = _product([*gold.edges[:before], *gold.edges[len(gold.edges) - after :]])
            routes = self.finder.routes(
                first, last, length - before - after, product * kept,
                gold.all_nodes, self.draw, _VISITS,
            )  # fmt: skip
            for route in routes:
                steps = self._steps(route)
                if not any((step.source, step.target) in gold.pairs for step in steps):
                    return (
                        list(gold.edges[:before]),
                        steps,
                        list(gold.edges[len(gold.edges) - after :]),
                    )
        return None

    def _cuts(self, gold: PlacedGold, keep: int) -> list[tuple[int, int]]:
        """Return how many gold edges to keep before and after: either way round, else none."""
        cuts = [(keep, 0), (0, keep)] if keep and gold.edges else []
        self.draw.shuffle(cuts)
        return [*cuts, (0, 0)]

    def _invented(
        self, gold: PlacedGold, keep: int, length: int, product: int, invented_n: int
    ) -> _Edges:
        """Return a path of which so many edges, none of them gold, are not in the graph.

        An invented edge joins nodes that nothing in the graph joins; its sign is free, which
        makes the product right.
        """
        for before, after in self._cuts(gold, keep):
            cut = len(gold.edges) - after
            first, last = _ends(gold, before, after)
            free = length - before - after
            if first < 0 or last < 0 or free < invented_n:
                continue
            for _ in range(_TRIES):
                places = set(self.draw.sample(range(free), invented_n))
                steps = self._walk(first, last, free, places, gold.all_nodes)
                if steps is None:
                    continue
                kept = [*gold.edges[:before], *gold.edges[cut:]]
                if _product([*kept, *steps]) != product:
                    place = self.draw.choice(sorted(places))
                    step = steps[place]
                    steps[place] = Step(step.source, -step.sign, step.target)
                return [*gold.edges[:before], *steps, *gold.edges[cut:]]
        return None

    def _walk(
        self, first: int, last: int, length: int, invented: set[int], avoid: frozenset[int]
    ) -> list[Step] | None:
        """Walk from both ends to the last invented edge, which joins the two walks."""
        closed = {first, last, *avoid}
        joint = max(invented)
        ahead: list[tuple[int, int, int]] = []
        here = first
        for place in range(joint):
            step = (
                self._jump(here, closed) if place in invented else self._neighbour(here, closed, 1)
            )
            if step is None:
                return None
            ahead.append((here, step[1], step[0]))
            here = step[0]
            closed.add(here)
        behind: list[tuple[int, int, int]] = []
        there = last
        for _ in range(length - joint - 1):
            step = self._neighbour(there, closed, -1)
            if step is None:
                return None
            behind.append((step[0], step[1], there))
            there = step[0]
            closed.add(there)
        if here == there or not is_unlinked(self.finder, here, there):
            return None
        joined = [*ahead, (here, self.draw.choice((1, -1)), there), *reversed(behind)]
        names = self.finder.graph.names
        return [Step(names[a], sign, names[b]) for a, sign, b in joined]

    def _jump(self, here: int, closed: set[int]) -> tuple[int, int] | None:
        for _ in range(_TRIES):
            node = self.draw.choice(self.bystanders)
            if node not in closed and is_unlinked(self.finder, here, node):
                return node, self.draw.choice((1, -1))
        return None

    def _neighbour(self, here: int, closed: set[int], way: int) -> tuple[int, int] | None:
        found = self.finder.neighbours(here) if way == 1 else self.finder.neighbours_before(here)
        open_nodes = [(node, sign) for node, sign in found if node not in closed]
        return self.draw.choice(open_nodes) if open_nodes else None

    def _steps(self, route: Route) -> list[Step]:
        names = [self.finder.graph.names[node] for node in route.nodes]
        return [
            Step(source, sign, target)
            for source, sign, target in zip(names[:-1], route.signs, names[1:], strict=True)
        ]


def _kept_n(gold: PlacedGold, coverage: float, length: int) -> int:
    """Return how many gold edges a chain keeps: some edge is always another's."""
    return max(0, min(int(coverage * len(gold.edges) + 0.5), len(gold.edges) - 1, length - 1))


def _ends(gold: PlacedGold, before: int, after: int) -> tuple[int, int]:
    if not gold.nodes:
        return gold.source, gold.target
    return gold.nodes[before], gold.nodes[len(gold.nodes) - 1 - after]


def _product(steps: Iterable[Step]) -> int:
    product = 1
    for step in steps:
        product *= step.sign
    return product


def _case_of(gold: PlacedGold, kind: str, answer: str, edges: list[Step], template: Case) -> Case:
    source = gold.gold
    return Case(
        key=source.key,
        benchmark=source.benchmark,
        kind=kind,
        error_label=template.error_label,
        question=source.question,
        labels=source.labels,
        gold_answer=source.gold_answer,
        predicted_answer=answer,
        chain=tuple(edges),
        gold_chain=source.chain,
        perturbation=source.perturbation,
        readout=source.readout,
        perturbation_sign=source.perturbation_sign,
        cluster=source.cluster,
    )
