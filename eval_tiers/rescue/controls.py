"""Controls: cases with a known right verdict that look like the hard cases of the run.

Source: specification of tier 4, section 5; docs/adr/0012-controls.md. Those of a benchmark whose
answers cite datasets are in `eval_tiers.rescue.citation_controls`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from eval_tiers.kg.graph import SignedGraph
from eval_tiers.kg.routes import RouteFinder
from eval_tiers.rescue.cases import Case
from eval_tiers.rescue.chain_controls import (
    CORRECT_WRONG_REASON,
    WRONG_CORRECT_CHAIN,
    ChainBuilder,
)
from eval_tiers.rescue.drawing import ControlDraw, Relabel, Workshop, draw_from
from eval_tiers.rescue.gold_nodes import PlacedGold, place_gold
from eval_tiers.rescue.golds import Control, GoldChain

TRUTHS: Final = {
    WRONG_CORRECT_CHAIN: ("ANSWER_BUG", "ALTERNATE", "CHAIN_BUG"),
    CORRECT_WRONG_REASON: ("YES", "NO"),
}
"""The verdicts of each kind that controls are made for."""

_LEAST_GOLDS: Final = 2_000
_GOLDS_PER_CONTROL: Final = 20
_LACKING: Final = {
    "ANSWER_BUG": "get the error label of the cases with a wrong answer",
    "ALTERNATE": "have a supported route beside them that implies the wrong answer",
    "CHAIN_BUG": "give a connected chain with one fault that implies the wrong answer",
    "YES": "have a supported route beside them that implies the right answer",
    "NO": "give a connected chain with a fault that implies the right answer",
}


def make_controls(
    cases: Sequence[Case],
    golds: Sequence[GoldChain],
    graph: SignedGraph,
    wanted: int,
    seed: int,
    relabel: Relabel = list,
) -> list[Control]:
    """Make controls for the hard cases of a run: `draw_controls` without what fell short."""
    return draw_controls(cases, golds, graph, wanted, seed, relabel).controls


def draw_controls(
    cases: Sequence[Case],
    golds: Sequence[GoldChain],
    graph: SignedGraph,
    wanted: int,
    seed: int,
    relabel: Relabel = list,
) -> ControlDraw:
    """Make controls for the hard cases of a run whose answers cite chains.

    Parameters
    ----------
    cases : sequence of Case
        The hard cases; those of kinds that have no controls are left aside.
    golds : sequence of GoldChain
        Samples of the run, hard or not.
    graph : SignedGraph
        The graph that the run was scored with.
    wanted : int
        Controls of each truth.
    seed : int
        The same input and seed give the same controls, whatever the order of cases and golds.
    relabel : callable, optional
        Applied to the candidates before some are picked (`eval_tiers.pipeline.rescue.relabel`);
        by default they are taken for what they were made to be.

    Returns
    -------
    ControlDraw
    """
    finder = RouteFinder(graph)
    drawn = _drawn(golds, wanted, seed)
    placed = [found for gold in drawn if (found := place_gold(gold, graph)) is not None]
    bystanders = sorted({node for gold in placed for node in gold.all_nodes})

    def shortage(truth: str, samples: int) -> str:
        if not golds:
            return "the run has no gold chains"
        return (
            f"{len(placed)} of {len(drawn)} gold chains imply their answer uncontradicted by the "
            f"graph; of them {samples} {_LACKING[truth]}, as short as the cases' chains are"
        )

    workshop: Workshop[PlacedGold] = Workshop(
        placed,
        lambda placed_gold: placed_gold.gold.key[2] or "direction",
        lambda draw: ChainBuilder(finder, bystanders, draw).build,
        TRUTHS,
        shortage,
    )
    return draw_from(workshop, cases, wanted, seed, relabel)


def _drawn(golds: Sequence[GoldChain], wanted: int, seed: int) -> list[GoldChain]:
    """Return the samples to make controls from: all of them, or enough of many."""
    ordered = sorted(golds, key=lambda gold: tuple(map(str, gold.key)))
    most = max(_LEAST_GOLDS, _GOLDS_PER_CONTROL * wanted)
    if len(ordered) <= most:
        return ordered
    return random.Random(f"{seed} golds").sample(ordered, most)
