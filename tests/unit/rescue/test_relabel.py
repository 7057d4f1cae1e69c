"""Controls held against the tiers: what they are given, and which of them are dropped."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from eval_tiers.domain.labels import LABELS
from eval_tiers.io.graphs import read_graph
from eval_tiers.kg.graph import SignedGraph
from eval_tiers.pipeline.rescue.relabel import relabel_controls
from eval_tiers.rescue.cases import Case, Step
from eval_tiers.rescue.golds import Control
from eval_tiers.settings import Settings

GOLD = (Step("P", 1, "A"), Step("A", -1, "B"), Step("B", 1, "E"))
KG = ["P\tA\t1", "A\tB\t-1", "B\tE\t1", "P\tC\t1", "C\tE\t-1", "A\tE\t-1"]


@pytest.fixture
def graph(tmp_path: Path) -> SignedGraph:
    path = tmp_path / "kg.tsv"
    path.write_text("\n".join(["source\ttarget\tsign", *KG]) + "\n", encoding="utf-8")
    return read_graph(path)


def control(answer: str, chain: tuple[Step, ...], label: str = "WRONG_CORRECT_CHAIN") -> Control:
    case = Case(
        ("1", "t", "genetic", None), "perturbreason", "wrong_correct_chain", label, "?", LABELS,
        "down", answer, chain=chain, gold_chain=GOLD, perturbation="p", readout="E",
        perturbation_sign=1,
    )  # fmt: skip
    return Control(case, "ANSWER_BUG", "v")


def test_a_kept_control_has_what_the_tiers_say(graph: SignedGraph) -> None:
    chain = (Step("P", 1, "C"), Step("C", 1, "E"), Step("X", 1, "E"))
    (kept,) = relabel_controls([control("up", chain)], graph, Settings())
    case = kept.case
    assert case.chain == (
        Step("P", 1, "C", "supported", True),
        Step("C", 1, "E", "sign_contradicted", True),
        Step("X", 1, "E", "unknown_node", False),
    )
    assert [step.status for step in case.gold_chain] == ["supported"] * 3
    assert (case.implied_answer, case.sign_match, case.contradicted_n) == ("up", None, 1)
    assert (case.error_label, case.perturbation) == ("WRONG_CORRECT_CHAIN", "p")
    assert (kept.truth, kept.variant) == ("ANSWER_BUG", "v")


def test_the_gold_chain_with_a_wrong_answer_is_kept(graph: SignedGraph) -> None:
    (kept,) = relabel_controls([control("unchanged", GOLD)], graph, Settings())
    assert (kept.case.implied_answer, kept.case.sign_match) == ("down", 1.0)


@pytest.mark.parametrize(
    ("answer", "chain"),
    [
        ("up", (*GOLD[:2], Step("B", -1, "E"))),  # a sign flipped: WRONG_SIGN_FLIP
        ("up", GOLD[1:]),  # a hop dropped: WRONG_NO_PATH
        ("up", ()),
        ("up", (Step("P", 1, "X"), Step("X", 1, "E"))),  # WRONG_HALLUCINATED_EDGE
        ("down", GOLD),  # CORRECT
    ],
)
def test_other_labels_are_dropped(graph: SignedGraph, answer: str, chain: tuple[Step, ...]) -> None:
    kept = relabel_controls([control(answer, chain), control("up", GOLD)], graph, Settings())
    assert [one.case.chain == () or len(one.case.chain) for one in kept] == [3]
    assert kept[0].case.predicted_answer == "up"


def test_the_settings_of_the_run_decide(graph: SignedGraph) -> None:
    chain = (Step("P", 1, "A"), Step("A", 1, "X"), Step("X", 1, "E"))
    right = replace(control("down", chain).case, error_label="CORRECT_HALLUCINATED_EDGE")
    found = [Control(right, "NO", "v")]
    assert len(relabel_controls(found, graph, Settings())) == 1
    assert relabel_controls(found, graph, Settings(hallucination_threshold=0.7)) == []


def test_no_controls(graph: SignedGraph) -> None:
    assert relabel_controls([], graph, Settings()) == []
