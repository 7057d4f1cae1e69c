"""Citations with a known verdict, each set made from an item's own provenance.

Source: specification of tier 4, section 5, and of RR-10, section 4. What makes each verdict the
right one is in docs/adr/0012-controls.md. Variants: ``all_provenance``, ``part_of_provenance``,
``one_sided``, ``citation_that_fails``, ``invented_dataset``.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from eval_tiers.domain.rr10 import DOWN, INDETERMINATE, LABELS, UP, Item
from eval_tiers.kg.provenance import ProvenanceGraph
from eval_tiers.rescue.cases import Case, Step
from eval_tiers.rescue.chain_controls import CORRECT_WRONG_REASON, WRONG_CORRECT_CHAIN
from eval_tiers.rescue.drawing import ControlDraw, Relabel, Workshop, draw_from
from eval_tiers.rescue.golds import Control
from eval_tiers.rescue.matching import likeness

TRUTHS: Final = {
    WRONG_CORRECT_CHAIN: ("ANSWER_BUG", "CHAIN_BUG"),
    CORRECT_WRONG_REASON: ("YES", "NO"),
}
"""The verdicts of each kind that controls are made for; ALTERNATE is not offered."""

_HALLUCINATED: Final = "CORRECT_HALLUCINATED_EDGE"
_NEWEST: Final = 999
_TRIES: Final = 20
_SIGN_OF: Final = {UP: 1, DOWN: -1}
_Made = tuple[list[Step], str, int]


@dataclass(frozen=True, slots=True)
class PlacedItem:
    """An item whose provenance implies its gold answer.

    Attributes
    ----------
    item : Item
    rows : tuple of Step
        Its signed provenance, distinct.
    """

    item: Item
    rows: tuple[Step, ...]


def place_item(item: Item) -> PlacedItem | None:
    """Return an item on its provenance; None where that doesn't imply the gold answer."""
    rows = dict.fromkeys(
        Step(row.gene, row.sign, row.dataset) for row in item.provenance if row.sign
    )
    signs = {step.sign for step in rows}
    expected = {1, -1} if item.label == INDETERMINATE else {_SIGN_OF[item.label]}
    return PlacedItem(item, tuple(rows)) if signs == expected else None


@dataclass(frozen=True, slots=True)
class CitationBuilder:
    """Builds controls of one benchmark.

    Attributes
    ----------
    provenance : ProvenanceGraph
    cluster_of : callable
        Cluster of an item.
    draw : random.Random
    """

    provenance: ProvenanceGraph
    cluster_of: Callable[[Item], str]
    draw: random.Random

    def build(
        self, kind: str, truth: str, turn: int, gold: PlacedItem, template: Case, length: int
    ) -> Control | None:
        """Build one control; see `eval_tiers.rescue.drawing.Build`."""
        if kind == WRONG_CORRECT_CHAIN:
            made = (
                self._wrong_answer(gold, template)
                if truth == "ANSWER_BUG"
                else self._false_doubt(gold, template)
            )
        elif truth == "YES":
            made = self._too_few(gold)
        elif template.error_label == _HALLUCINATED:
            made = self._invented(gold, length)
        elif gold.item.label == INDETERMINATE:
            made = self._one_sided(gold, turn)
        else:
            made = self._failing(gold, length)
        if made is None or not made[0]:
            return None
        steps, variant, answer = made
        self.draw.shuffle(steps)
        return Control(self._case(gold, kind, steps, answer, template), truth, variant)

    def _wrong_answer(self, gold: PlacedItem, template: Case) -> _Made:
        """Return provenance that implies the gold answer, with another answer."""
        said = template.predicted_answer
        others = [code for code in (UP, DOWN, INDETERMINATE) if code != gold.item.label]
        answer = self.draw.choice(others)
        if said in LABELS and LABELS.index(said) in others:
            answer = LABELS.index(said)
        steps = self._part(gold, likeness(template).coverage)
        whole = len(steps) == len(gold.rows)
        return steps, "all_provenance" if whole else "part_of_provenance", answer

    def _false_doubt(self, gold: PlacedItem, template: Case) -> _Made | None:
        """Return provenance of one direction and a citation against it that doesn't hold.

        What is cited has both directions, so the answer is that none can be determined: it rests
        on the citation that fails.
        """
        if gold.item.label == INDETERMINATE:
            return None
        steps = self._part(gold, likeness(template).coverage)
        against = self._failing_citation(gold, -_SIGN_OF[gold.item.label])
        if against is None:
            return None
        return [*steps, against], "citation_that_fails", INDETERMINATE

    def _too_few(self, gold: PlacedItem) -> _Made | None:
        """Return provenance that implies the right answer, but less than half of the datasets."""
        most = (len(gold.item.datasets) - 1) // 2
        kept = list(gold.rows)
        self.draw.shuffle(kept)
        steps = [next(step for step in kept if step.sign == 1 or gold.item.label != INDETERMINATE)]
        if gold.item.label == INDETERMINATE:
            steps.append(next(step for step in kept if step.sign == -1))
        if len({step.target for step in steps}) > most:
            return None
        return steps, "part_of_provenance", gold.item.label

    def _one_sided(self, gold: PlacedItem, turn: int) -> _Made:
        """Return the provenance of one direction, with the answer that none can be determined."""
        side = 1 if turn % 2 else -1
        return [step for step in gold.rows if step.sign == side], "one_sided", gold.item.label

    def _failing(self, gold: PlacedItem, length: int) -> _Made | None:
        """Return citations of the right direction none of which holds."""
        steps: dict[Step, None] = {}
        for _ in range(length):
            step = self._failing_citation(gold, _SIGN_OF[gold.item.label])
            if step is not None:
                steps[step] = None
        return list(steps), "citation_that_fails", gold.item.label

    def _invented(self, gold: PlacedItem, length: int) -> _Made:
        """Return citations of which half or more are of datasets that there aren't."""
        signs = [step.sign for step in gold.rows]
        steps: dict[Step, None] = {}
        for number in range((length + 1) // 2):
            sign = signs[number % len(signs)]
            steps[Step(gold.item.gene, sign, self._unheard_of())] = None
        kept = list(gold.rows)
        self.draw.shuffle(kept)
        return [*steps, *kept[: length // 2]], "invented_dataset", gold.item.label

    def _part(self, gold: PlacedItem, coverage: float) -> list[Step]:
        """Return about so much of the provenance as still implies the gold answer."""
        kept = list(gold.rows)
        self.draw.shuffle(kept)
        first = [
            next(step for step in kept if step.sign == sign)
            for sign in sorted({step.sign for step in kept})
        ]
        wanted = max(len(first), round(coverage * len(kept)))
        rest = [step for step in kept if step not in first]
        return first + rest[: wanted - len(first)]

    def _failing_citation(self, gold: PlacedItem, sign: int) -> Step | None:
        """Return the item's gene in a real dataset that says nothing of it there."""
        item = gold.item
        datasets = [name for name in self.provenance.datasets if name not in item.datasets]
        for _ in range(_TRIES if datasets else 0):
            dataset = self.draw.choice(datasets)
            if not self.provenance.rows_of(item.organism, item.gene, dataset):
                return Step(item.gene, sign, dataset)
        return None

    def _unheard_of(self) -> str:
        while True:
            name = f"OSD-{self.draw.randint(1, _NEWEST)}"
            if not self.provenance.knows_dataset(name):
                return name

    def _case(
        self, gold: PlacedItem, kind: str, steps: Sequence[Step], answer: int, template: Case
    ) -> Case:
        item = gold.item
        return Case(
            key=(item.sample_id, None, None, None),
            benchmark=template.benchmark,
            kind=kind,
            error_label=template.error_label,
            question=item.prompt,
            labels=LABELS,
            gold_answer=LABELS[item.label],
            predicted_answer=LABELS[answer],
            chain=tuple(steps),
            gold_chain=tuple(Step(row.gene, row.sign, row.dataset) for row in item.provenance),
            readout=item.gene,
            cluster=self.cluster_of(item),
        )


def draw_citation_controls(
    cases: Sequence[Case],
    items: Sequence[Item],
    provenance: ProvenanceGraph,
    wanted: int,
    seed: int,
    relabel: Relabel = list,
    cluster_of: Callable[[Item], str] = lambda item: item.sample_id,
) -> ControlDraw:
    """Make controls for the hard cases of a run whose answers cite datasets.

    Parameters
    ----------
    cases, wanted, seed, relabel
        As `eval_tiers.rescue.controls.draw_controls`.
    items : sequence of Item
        The benchmark's items, hard or not.
    provenance : ProvenanceGraph
        What the citations of the run were held against.
    cluster_of : callable, optional
        Cluster of an item: its pair.
    """
    ordered = sorted(items, key=lambda item: item.sample_id)
    placed = [found for item in ordered if (found := place_item(item)) is not None]

    def shortage(truth: str, samples: int) -> str:
        return (
            f"the provenance of {len(placed)} of {len(ordered)} items implies the gold answer; "
            f"{samples} of them give citations that are {truth} and get the error label of the "
            "cases"
        )

    workshop: Workshop[PlacedItem] = Workshop(
        placed,
        lambda found: "no direction" if found.item.label == INDETERMINATE else "direction",
        lambda draw: CitationBuilder(provenance, cluster_of, draw).build,
        TRUTHS,
        shortage,
    )
    return draw_from(workshop, cases, wanted, seed, relabel)
