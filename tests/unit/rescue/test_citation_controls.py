"""Controls that cite datasets: what they are made of, and which of them the tiers drop."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from eval_tiers.domain.rr10 import DOWN, INDETERMINATE, LABELS, UP, Item, ProvenanceRow
from eval_tiers.kg.provenance import ProvenanceGraph
from eval_tiers.pipeline.rescue.relabel_citations import relabel_citation_controls
from eval_tiers.rescue.cases import Case, Step
from eval_tiers.rescue.citation_controls import draw_citation_controls, place_item
from eval_tiers.rescue.golds import Control
from eval_tiers.settings import Settings

CONTEXT = ("mus_musculus", "liver")


def item(number: int, label: int, values: Sequence[float], tissue: str = "liver") -> Item:
    gene = f"Gene{number}"
    rows = tuple(
        ProvenanceRow(
            gene, "mus_musculus", f"OSD-{number * 10 + place}", tissue, value, 0.01, "SF vs GC", 1,
            "t.csv", f"I{number}", number, place,
        )
        for place, value in enumerate(values)
    )  # fmt: skip
    kind = "fragility_trap" if label == INDETERMINATE else "concordant_control"
    return Item(
        f"I{number}", kind, f"Is {gene} up or down?", gene, "mus_musculus", tissue, label,
        tuple(row.dataset for row in rows), rows, number,
    )  # fmt: skip


ITEMS = [
    item(1, UP, [1.0, 2.0, 1.5]),
    item(2, DOWN, [-1.0, -2.0, -0.5], "thymus"),
    item(3, INDETERMINATE, [1.0, -1.0, 2.0, -2.0, 1.0]),
    item(4, UP, [1.0, -1.0]),  # its provenance implies another answer
]


def hard(kind: str, label: str, gold: int, predicted: int, length: int = 2) -> Case:
    gold_chain = tuple(Step(f"G{n}", 1, f"OSD-{n + 1}") for n in range(3))
    return Case(
        (f"{label}{gold}", None, None, None), "rr10", kind, label, "?", LABELS, LABELS[gold],
        LABELS[predicted], chain=gold_chain[:length], gold_chain=gold_chain,
    )  # fmt: skip


CASES = [
    hard("wrong_correct_chain", "WRONG_CORRECT_CHAIN", UP, DOWN),
    hard("wrong_correct_chain", "WRONG_CORRECT_CHAIN", INDETERMINATE, UP, 3),
    hard("correct_wrong_reason", "CORRECT_RIGHT_FOR_WRONG_REASON", UP, UP, 1),
    hard("correct_wrong_reason", "CORRECT_RIGHT_FOR_WRONG_REASON", INDETERMINATE, INDETERMINATE),
    hard("correct_wrong_reason", "CORRECT_HALLUCINATED_EDGE", DOWN, DOWN),
]
REGISTRY = [f"OSD-{number}" for number in range(1, 60)]


def relabelled(
    controls: Sequence[Control], registry: Sequence[str] | None = REGISTRY
) -> list[Control]:
    provenance = ProvenanceGraph.build(ITEMS, registry=registry)
    return relabel_citation_controls(controls, ITEMS, provenance, Settings())


def controls_of(seed: int = 0, cases: Sequence[Case] = CASES) -> list[Control]:
    provenance = ProvenanceGraph.build(ITEMS, registry=REGISTRY)
    return draw_citation_controls(
        cases, ITEMS, provenance, 6, seed, relabelled, lambda one: f"pair of {one.sample_id}"
    ).controls


def test_only_items_whose_provenance_implies_the_answer_are_used() -> None:
    assert [place_item(one) is not None for one in ITEMS] == [True, True, True, False]
    silent = item(5, UP, [0.0])
    assert place_item(silent) is None
    assert {control.case.key[0] for control in controls_of()} == {"I1", "I2", "I3"}


def test_what_the_tiers_say_of_each_truth() -> None:
    found = controls_of()
    assert {control.truth for control in found} == {"ANSWER_BUG", "CHAIN_BUG", "YES", "NO"}
    for control in found:
        case = control.case
        statuses = {step.status for step in case.chain}
        supported = {step.sign for step in case.chain if step.status == "SUPPORTED"}
        assert case.cluster == f"pair of {case.key[0]}"
        assert len(case.evidence) == len(case.gold_chain)
        if control.truth in ("ANSWER_BUG", "YES"):
            assert statuses == {"SUPPORTED"}
            assert case.implied_answer == case.gold_answer
        assert (case.predicted_answer == case.gold_answer) is (control.truth in ("YES", "NO"))
        if control.variant == "citation_that_fails":
            assert statuses & {"NOT_IN_BENCHMARK", "WRONG_CONTEXT"}
        if control.truth == "CHAIN_BUG":
            assert case.implied_answer == case.gold_answer in ("upregulated", "downregulated")
            assert case.predicted_answer == "indeterminate"
            assert len(supported) == 1
        if control.variant == "one_sided":
            assert len(supported) == 1
            assert case.gold_answer == "indeterminate"
        if control.variant == "invented_dataset":
            invented = sum(step.status == "FABRICATED_DATASET" for step in case.chain)
            assert invented * 2 >= len(case.chain)


def test_yes_is_too_little_of_the_provenance() -> None:
    for control in controls_of():
        if control.truth == "YES":
            cited = {step.target for step in control.case.chain}
            assert len(cited) * 2 < len({step.target for step in control.case.gold_chain})


def test_the_stated_answer_follows_the_cases() -> None:
    said = [
        hard("wrong_correct_chain", "WRONG_CORRECT_CHAIN", UP, INDETERMINATE),
        hard("wrong_correct_chain", "WRONG_CORRECT_CHAIN", INDETERMINATE, DOWN),
    ]
    answers = {
        (control.case.gold_answer, control.case.predicted_answer)
        for control in controls_of(cases=said)
        if control.truth == "ANSWER_BUG"
    }
    # Where the case's own answer would be right, another one is drawn.
    assert answers <= {
        ("upregulated", "indeterminate"), ("downregulated", "indeterminate"),
        ("indeterminate", "downregulated"),
    }  # fmt: skip
    assert ("indeterminate", "downregulated") in answers


def test_the_same_seed_gives_the_same_controls_in_any_order() -> None:
    cases, items = list(CASES), list(ITEMS)
    random.Random(1).shuffle(cases)
    random.Random(1).shuffle(items)
    provenance = ProvenanceGraph.build(ITEMS, registry=REGISTRY)
    again = draw_citation_controls(
        cases, items, provenance, 6, 0, relabelled, lambda one: f"pair of {one.sample_id}"
    )
    assert again.controls == controls_of()
    assert controls_of(seed=1) != controls_of()


def test_what_cannot_be_supplied_is_said() -> None:
    """Without a registry nobody knows an invented dataset, so no control counts as made up."""
    provenance = ProvenanceGraph.build(ITEMS)
    found = draw_citation_controls(
        CASES[4:], ITEMS, provenance, 6, 0, lambda controls: relabelled(controls, None)
    )
    assert found.controls == []
    (short,) = found.shortfalls
    assert (short.truth, short.wanted, short.made) == ("NO", 6, 0)
    assert short.reason == (
        "the provenance of 3 of 4 items implies the gold answer; 0 of them give citations that are "
        "NO and get the error label of the cases"
    )


@pytest.mark.parametrize(
    ("number", "answer", "chain", "kept"),
    [
        (1, DOWN, [1, 1, 1], True),
        (1, DOWN, [1, 1, -1], False),  # WRONG_SIGN_FLIP
        (3, UP, [1, -1], True),
        (3, UP, [1], False),  # cherry-picked: not forgiven
    ],
)
def test_what_is_kept(number: int, answer: int, chain: list[int], kept: bool) -> None:
    asked = ITEMS[number - 1]
    case = Case(
        (asked.sample_id, None, None, None), "rr10", "wrong_correct_chain", "WRONG_CORRECT_CHAIN",
        asked.prompt, LABELS, LABELS[asked.label], LABELS[answer],
        chain=tuple(
            Step(asked.gene, sign, row.dataset)
            for sign, row in zip(chain, asked.provenance, strict=False)
        ),
    )  # fmt: skip
    assert bool(relabelled([Control(case, "ANSWER_BUG", "v")])) is kept
