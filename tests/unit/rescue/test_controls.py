"""Controls as they are built: what makes each verdict the right one, and what can't be had."""

from __future__ import annotations

import random
from dataclasses import replace
from math import prod
from pathlib import Path

import pytest

from eval_tiers.domain.labels import LABELS
from eval_tiers.io.graphs import read_graph
from eval_tiers.kg.graph import SignedGraph
from eval_tiers.rescue.cases import Case, Step
from eval_tiers.rescue.controls import TRUTHS, draw_controls, make_controls
from eval_tiers.rescue.gold_nodes import place_gold
from eval_tiers.rescue.golds import Control, GoldChain
from eval_tiers.rescue.matching import (
    distance_of_shares,
    draw_templates,
    likeness,
    pick_matching,
    shares_of,
)
from eval_tiers.rescue.registry import known_kinds
from tests.planted_run import PlantedRun, dense_graph, planted_run

WANTED = 40
FAULTS = {"sign_against_graph", "edge_not_in_graph"}


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> PlantedRun:
    return planted_run(dense_graph(tmp_path_factory.mktemp("kg")), 200)


@pytest.fixture(scope="module")
def controls(planted: PlantedRun) -> list[Control]:
    found = make_controls(planted.cases, planted.golds, planted.graph, WANTED, 0)
    assert len(found) == WANTED * 5
    return found


def small_graph(folder: Path, *lines: str) -> SignedGraph:
    path = folder / "kg.tsv"
    path.write_text("\n".join(["source\ttarget\tsign", *lines]) + "\n", encoding="utf-8")
    return read_graph(path)


def signs(graph: SignedGraph, step: Step) -> frozenset[int]:
    return graph.signs_of(step.source, step.target)


def implied(case: Case) -> str:
    product = prod(step.sign for step in case.chain) * case.perturbation_sign
    return "up" if product == 1 else "down"


def is_path(case: Case) -> bool:
    """Whether the chain leads from perturbation to readout and nowhere else."""
    nodes = [case.chain[0].source, *(step.target for step in case.chain)]
    return (
        all(a.target == b.source for a, b in zip(case.chain, case.chain[1:], strict=False))
        and nodes[0] == case.perturbation
        and nodes[-1] == case.readout
        and len(set(nodes)) == len(nodes)
    )


def of_truth(controls: list[Control], truth: str) -> list[Control]:
    return [control for control in controls if control.truth == truth]


def pairs(chain: tuple[Step, ...]) -> set[tuple[str, str]]:
    return {(step.source, step.target) for step in chain}


def inner_nodes(chain: tuple[Step, ...]) -> set[str]:
    nodes = {name for pair in pairs(chain) for name in pair}
    return nodes - {chain[0].source, chain[-1].target}


def test_every_control_is_a_connected_case_of_a_sample(
    planted: PlantedRun, controls: list[Control]
) -> None:
    golds = {gold.key: gold for gold in planted.golds}
    for control in controls:
        case, gold = control.case, golds[control.case.key]
        assert is_path(case)
        assert case.text == ""
        assert (case.question, case.gold_answer, case.gold_chain) == (
            gold.question, gold.gold_answer, gold.chain,
        )  # fmt: skip
        assert case.labels == LABELS
        assert case.cluster == gold.cluster
        assert {name for step in case.chain for name in (step.source, step.target)} <= set(
            planted.graph.names
        )


def test_truths_are_verdicts_of_their_kind(controls: list[Control]) -> None:
    kinds = known_kinds()
    assert {control.case.kind for control in controls} == set(TRUTHS)
    for kind, truths in TRUTHS.items():
        assert set(truths) == set(kinds[kind].verdicts("perturbreason", LABELS))
        for truth in truths:
            assert len([c for c in controls if (c.case.kind, c.truth) == (kind, truth)]) == WANTED


def test_answer_bug_is_a_chain_for_the_gold_answer_that_says_another(
    planted: PlantedRun, controls: list[Control]
) -> None:
    variants = set()
    for control in of_truth(controls, "ANSWER_BUG"):
        case = control.case
        variants.add(control.variant)
        assert implied(case) == case.gold_answer != case.predicted_answer
        assert all(step.sign in signs(planted.graph, step) for step in case.chain)
        if control.variant == "gold_chain":
            assert case.chain == case.gold_chain
        else:
            assert 0 < len(pairs(case.chain) & pairs(case.gold_chain)) < len(case.gold_chain)
    assert variants == {"gold_chain", "rerouted_gold"}
    assert {control.case.predicted_answer for control in of_truth(controls, "ANSWER_BUG")} == set(
        LABELS
    )


@pytest.mark.parametrize(("truth", "right"), [("ALTERNATE", False), ("YES", True)])
def test_supported_routes_off_the_gold_nodes(
    planted: PlantedRun, controls: list[Control], truth: str, right: bool
) -> None:
    for control in of_truth(controls, truth):
        case = control.case
        assert implied(case) == case.predicted_answer
        assert (case.predicted_answer == case.gold_answer) is right
        assert not inner_nodes(case.chain) & inner_nodes(case.gold_chain)
        assert not pairs(case.chain) & pairs(case.gold_chain)
        assert all(signs(planted.graph, step) == {step.sign} for step in case.chain)


@pytest.mark.parametrize(("truth", "right"), [("CHAIN_BUG", False), ("NO", True)])
def test_faulty_chains_imply_what_they_say_by_one_fault(
    planted: PlantedRun, controls: list[Control], truth: str, right: bool
) -> None:
    graph = planted.graph
    found = of_truth(controls, truth)
    assert {control.variant for control in found} == FAULTS
    for control in found:
        case = control.case
        assert implied(case) == case.predicted_answer
        assert (case.predicted_answer == case.gold_answer) is right
        outside = [step for step in case.chain if not signs(graph, step)]
        against = [step for step in case.chain if signs(graph, step) == {-step.sign}]
        faults = {(step.source, step.target) for step in (*outside, *against)}
        assert not faults & pairs(case.gold_chain)
        if control.variant == "sign_against_graph":
            assert (len(against), len(outside)) == (1, 0)
        else:
            assert not against
            assert len(outside) >= 1
            for step in outside:
                assert not graph.signs_of(step.target, step.source)
        if truth == "CHAIN_BUG" and outside:
            assert len(outside) == 1
            assert len(case.chain) >= 3
        if case.error_label == "CORRECT_HALLUCINATED_EDGE":
            assert len(outside) * 2 >= len(case.chain)


def test_the_two_ways_of_being_wrong_take_turns(controls: list[Control]) -> None:
    found = of_truth(controls, "CHAIN_BUG")
    shares = [sum(control.variant == fault for control in found) / len(found) for fault in FAULTS]
    assert min(shares) >= 0.25


def test_the_same_input_gives_the_same_controls_in_any_order(
    planted: PlantedRun, controls: list[Control]
) -> None:
    draw = random.Random(5)
    cases, golds = list(planted.cases), list(planted.golds)
    draw.shuffle(cases)
    draw.shuffle(golds)
    assert make_controls(cases, golds, planted.graph, WANTED, 0) == controls
    assert make_controls(planted.cases, planted.golds, planted.graph, WANTED, 1) != controls


def test_controls_are_made_from_many_samples(controls: list[Control]) -> None:
    for truth in ("ANSWER_BUG", "ALTERNATE", "YES", "NO"):
        samples = {control.case.key for control in of_truth(controls, truth)}
        assert len(samples) >= 0.8 * WANTED


def test_none_are_made_without_cases_or_when_none_are_wanted(planted: PlantedRun) -> None:
    nothing = draw_controls([], planted.golds, planted.graph, WANTED, 0)
    assert (nothing.controls, nothing.shortfalls) == ([], [])
    assert make_controls(planted.cases, planted.golds, planted.graph, 0, 0) == []
    chainless = [replace(case, chain=()) for case in planted.cases]
    assert make_controls(chainless, planted.golds, planted.graph, WANTED, 0) == []


def test_a_kind_without_cases_gets_no_controls(planted: PlantedRun) -> None:
    only = [case for case in planted.cases if case.kind == "wrong_correct_chain"]
    found = draw_controls(only, planted.golds, planted.graph, 10, 0)
    assert {control.case.kind for control in found.controls} == {"wrong_correct_chain"}
    assert not found.shortfalls


def test_yes_stands_for_no_hallucinated_chain(planted: PlantedRun) -> None:
    only = [case for case in planted.cases if case.error_label == "CORRECT_HALLUCINATED_EDGE"]
    found = draw_controls(only, planted.golds, planted.graph, 10, 0)
    assert {control.truth for control in found.controls} == {"NO"}


def test_what_the_run_cannot_supply_is_said(tmp_path: Path) -> None:
    graph = small_graph(tmp_path, "P\tA\t1", "A\tE\t-1", "P\tC\t1", "C\tE\t-1")
    gold = GoldChain(
        ("1", "t", "genetic", None), "?", LABELS, "down",
        (Step("P", 1, "A"), Step("A", -1, "E")), "down", "P", "E", 1,
    )  # fmt: skip
    case = Case(
        gold.key, "perturbreason", "wrong_correct_chain", "WRONG_CORRECT_CHAIN", "?", LABELS,
        "down", "up", chain=gold.chain, gold_chain=gold.chain,
    )  # fmt: skip
    found = draw_controls([case], [gold], graph, 5, 0)
    made = {short.truth: (short.made, short.wanted) for short in found.shortfalls}
    assert made == {"ANSWER_BUG": (1, 5), "ALTERNATE": (0, 5), "CHAIN_BUG": (2, 5)}
    reason = next(short.reason for short in found.shortfalls if short.truth == "ALTERNATE")
    assert reason == (
        "1 of 1 gold chains imply their answer uncontradicted by the graph; of them 0 have a "
        "supported route beside them that implies the wrong answer, as short as the cases' chains "
        "are"
    )
    turned = [control.case.chain for control in found.controls if control.truth == "CHAIN_BUG"]
    assert set(turned) == {
        (Step("P", -1, "C"), Step("C", -1, "E")), (Step("P", 1, "C"), Step("C", 1, "E")),
    }  # fmt: skip
    without = draw_controls([case], [], graph, 5, 0)
    assert {short.reason for short in without.shortfalls} == {"the run has no gold chains"}


@pytest.mark.parametrize(
    "change",
    [
        {"implied_answer": "up"},
        {"implied_answer": None},
        {"gold_answer": "unchanged", "implied_answer": "unchanged"},
        {"perturbation_sign": 0},
        {"perturbation": None},
        {"readout": "p"},
        {"chain": ()},
        {"chain": (Step("P", 0, "A"), Step("A", -1, "E"))},
        {"chain": (Step("P", -1, "A"), Step("A", 1, "E"))},
    ],
)
def test_golds_that_prove_nothing_are_left_aside(tmp_path: Path, change: dict[str, object]) -> None:
    graph = small_graph(tmp_path, "P\tA\t1", "A\tE\t-1")
    gold = GoldChain(
        ("1", "t", "genetic", None), "?", LABELS, "down",
        (Step("P", 1, "A"), Step("A", -1, "E")), "down", "p", "e", 1,
    )  # fmt: skip
    placed = place_gold(gold, graph)
    assert placed is not None
    assert [graph.names[node] for node in placed.nodes] == ["P", "A", "E"]
    assert placed.product == -1
    assert place_gold(replace(gold, **change), graph) is None  # type: ignore[arg-type]


def test_a_branched_gold_chain_is_kept_whole_or_left(tmp_path: Path) -> None:
    graph = small_graph(tmp_path, "P\tA\t1", "A\tE\t-1", "P\tB\t1")
    gold = GoldChain(
        ("1", "t", "genetic", None), "?", LABELS, "down",
        (Step("P", 1, "A"), Step("P", 1, "B"), Step("A", -1, "E")), "down", "P", "E", 1,
    )  # fmt: skip
    placed = place_gold(gold, graph)
    assert placed is not None
    assert (placed.edges, placed.nodes) == ((), ())
    assert placed.pairs == pairs(gold.chain)


def case_like(label: str, pert_type: str | None, length: int, kept: int, gold_n: int = 4) -> Case:
    gold = tuple(Step(f"G{n}", 1, f"G{n + 1}") for n in range(gold_n))
    other = tuple(Step(f"X{n}", 1, f"X{n + 1}") for n in range(length - kept))
    return Case(
        (f"{label}{pert_type}{length}{kept}", None, pert_type, None), "perturbreason", "k", label,
        "?", LABELS, "up", "down", chain=gold[:kept] + other, gold_chain=gold,
    )  # fmt: skip


def test_likeness() -> None:
    assert likeness(case_like("L", "genetic", 3, 2)).coverage == 0.5
    assert likeness(case_like("L", "genetic", 30, 2)).length == 8
    assert likeness(replace(case_like("L", "x", 1, 0), gold_chain=())).coverage == 1.0
    assert likeness(case_like("L", None, 1, 0)).group == "direction"
    indeterminate = replace(case_like("L", None, 1, 0), gold_answer="indeterminate")
    assert likeness(indeterminate).group == "no direction"


def test_templates_are_drawn_in_proportion() -> None:
    cases = [case_like("L", "genetic", 2, 0)] * 30 + [case_like("L", "chemical", 4, 4)] * 10
    drawn = draw_templates(cases, 20, random.Random(0))
    assert shares_of(drawn) == shares_of(cases)
    assert draw_templates(cases, 0, random.Random(0)) == []
    assert len(draw_templates(cases[:3], 10, random.Random(0))) == 10


def test_the_most_alike_candidate_is_picked_and_only_once() -> None:
    candidates = [
        Control(replace(case_like("L", pert, length, kept), cluster=str(number)), "T", "v")
        for number, (pert, length, kept) in enumerate(
            [("genetic", 2, 0), ("genetic", 2, 2), ("chemical", 3, 1), ("chemical", 5, 1)]
        )
    ]
    templates = [case_like("L", "chemical", 3, 1), case_like("L", "genetic", 2, 2)]
    picked = pick_matching(templates, candidates, random.Random(0))
    assert [control.case.cluster for control in picked] == ["2", "1"]
    all_four = pick_matching(templates * 3, candidates, random.Random(0))
    assert sorted(control.case.cluster for control in all_four) == ["0", "1", "2", "3"]
    other = [case_like("M", "chemical", 3, 1)]
    assert pick_matching(other, candidates, random.Random(0)) == []
    assert pick_matching(other, [], random.Random(0)) == []


def test_shares_and_their_distance() -> None:
    cases = [case_like("L", "genetic", 2, 0), case_like("L", "genetic", 4, 4),
             case_like("L", "chemical", 3, 1), case_like("L", "genetic", 3, 2)]  # fmt: skip
    assert shares_of(cases) == {
        "length": {"2": 0.25, "3": 0.5, "4": 0.25},
        "coverage": {".5 and over": 0.25, "0": 0.25, "1": 0.25, "under .5": 0.25},
        "group": {"chemical": 0.25, "genetic": 0.75},
    }
    assert shares_of([]) == {"length": {}, "coverage": {}, "group": {}}
    assert distance_of_shares({}, {}) == 0
    assert distance_of_shares({"a": 1.0}, {"b": 1.0}) == 1
