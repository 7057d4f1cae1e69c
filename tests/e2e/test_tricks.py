"""Grounded accuracy can't be gamed: no trick beats the honest chain."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eval_tiers import evaluate
from tests.e2e.running import Edge, Record, model_text, write_kg, write_lines

Chain = list[list[str]]
N = 120
SIGN = {1: "+", -1: "-"}


def make_graph(rng: random.Random) -> list[Edge]:
    """A signed graph of 60 genes, one sign a pair, no direct edge for every pair."""
    genes = [f"G{number}" for number in range(60)]
    edges: dict[tuple[str, str], int] = {}
    while len(edges) < 150:
        a, b = rng.sample(genes, 2)
        if (b, a) not in edges:
            edges[a, b] = rng.choice([1, -1])
    return [(a, sign, b) for (a, b), sign in edges.items()]


def make_questions(rng: random.Random, kg: list[Edge]) -> list[Record]:
    """Walks of two or three edges; the gold answer is their sign."""
    out: dict[str, list[tuple[str, int]]] = {}
    for a, sign, b in kg:
        out.setdefault(a, []).append((b, sign))
    questions: list[Record] = []
    while len(questions) < N:
        here = start = rng.choice(sorted(out))
        chain, product, seen = [], 1, {start}
        for _ in range(rng.choice([2, 3])):
            onward = [step for step in out.get(here, []) if step[0] not in seen]
            if not onward:
                break
            there, sign = rng.choice(onward)
            chain.append([here, SIGN[sign], there])
            product *= sign
            seen.add(there)
            here = there
        if len(chain) >= 2:
            questions.append(
                {"id": f"q{len(questions)}", "answer": "up" if product == 1 else "down",
                 "path": chain, "pert": start, "gene": here, "pert_type": "chemical"}
            )  # fmt: skip
    return questions


class World:
    """The graph, the questions, and what a cheat knows."""

    def __init__(self) -> None:
        self.rng = random.Random(11)
        self.kg = make_graph(self.rng)
        self.questions = make_questions(self.rng, self.kg)
        self.answers = {
            str(question["id"]): (
                str(question["answer"])
                if self.rng.random() < 0.7
                else self.rng.choice(["up", "down"])
            )
            for question in self.questions
        }
        self.true_edges: Chain = [[a, SIGN[sign], b] for a, sign, b in self.kg]

    def guess(self, question: Record) -> str:
        """The answer that every player gives: right in 85 % or so."""
        return self.answers[question["id"]]


WORLD = World()


def elsewhere(question: Record, n: int) -> Chain:
    """True edges that don't touch the question's chain."""
    nodes = {node for a, _, b in question["path"] for node in (a, b)}
    return [edge for edge in WORLD.true_edges if not {edge[0], edge[2]} & nodes][:n]


def honest(question: Record) -> Chain:
    return [list(edge) for edge in question["path"]]


def no_chain(question: Record) -> Chain:
    return []


def everything_unsigned(question: Record) -> Chain:
    return [[a, "?", b] for a, _, b in question["path"]]


def both_signs(question: Record) -> Chain:
    return [[a, sign, b] for a, _, b in question["path"] for sign in "+-"]


def padding_with_true_edges(question: Record) -> Chain:
    return honest(question) + elsewhere(question, 10)


def only_padding(question: Record) -> Chain:
    return elsewhere(question, 10)


def dumping_200_edges(question: Record) -> Chain:
    genes = sorted({gene for a, _, b in WORLD.kg for gene in (a, b)})
    rng = random.Random(question["id"])
    ends = [question["pert"], question["gene"]]
    found = [
        [rng.choice([*genes, ends[0]]), rng.choice("+-"), rng.choice([*genes, ends[1]])]
        for _ in range(150)
    ]
    return found + WORLD.true_edges[:50]


def dumping_the_graph(question: Record) -> Chain:
    return WORLD.true_edges


def one_direct_edge(question: Record) -> Chain:
    sign = "+" if WORLD.guess(question) == "up" else "-"
    return [[question["pert"], sign, question["gene"]]]


def one_direct_edge_of_both_signs(question: Record) -> Chain:
    return [[question["pert"], sign, question["gene"]] for sign in "+-"]


def last_sign_bent_to_the_answer(question: Record) -> Chain:
    """The honest chain with its last sign turned where the guess needs it."""
    chain = honest(question)
    if WORLD.guess(question) != question["answer"]:
        chain[-1][1] = "-" if chain[-1][1] == "+" else "+"
    return chain


TRICKS: list[Callable[[Record], Chain]] = [
    no_chain, everything_unsigned, both_signs, padding_with_true_edges, only_padding,
    dumping_200_edges, dumping_the_graph, one_direct_edge, one_direct_edge_of_both_signs,
    last_sign_bent_to_the_answer,
]  # fmt: skip
# the most that a trick may get, as a share of the honest score
WORTHLESS = {
    no_chain, everything_unsigned, both_signs, only_padding, one_direct_edge_of_both_signs,
}  # fmt: skip


def play(folder: Path, player: Callable[[Record], Chain], **options: Any) -> Record:
    """The summary of a player's predictions."""
    gold = write_lines(folder / "gt_chemical.jsonl", WORLD.questions)
    predictions = write_lines(
        folder / "pred_chemical.jsonl",
        [{"id": question["id"], "output": model_text(WORLD.guess(question), player(question))}
         for question in WORLD.questions],
    )  # fmt: skip
    kg = write_kg(folder / "kg.tsv", WORLD.kg)
    return evaluate(gt_file=gold, pred_file=predictions, external_kg=kg, **options).summary


@pytest.fixture(scope="module")
def honest_score(tmp_path_factory: pytest.TempPathFactory) -> Record:
    return play(tmp_path_factory.mktemp("honest"), honest)


def test_the_honest_chain_is_grounded_wherever_it_is_right(honest_score: Record) -> None:
    assert "withheld" not in honest_score
    assert 0.6 < honest_score["accuracy"] < 0.95
    assert honest_score["grounded_accuracy"] == honest_score["accuracy"]
    assert honest_score["lucky_right_rate"] == 0
    assert honest_score["off_path_edge_n"] == 0


@pytest.mark.parametrize("trick", TRICKS, ids=lambda trick: trick.__name__)
def test_no_trick_beats_the_honest_chain(
    honest_score: Record, tmp_path: Path, trick: Callable[[Record], Chain]
) -> None:
    found = play(tmp_path, trick)
    assert found["accuracy"] == honest_score["accuracy"]
    assert found["grounded_accuracy"] is not None
    assert found["grounded_accuracy"] <= honest_score["grounded_accuracy"]
    if trick in WORTHLESS:
        assert found["grounded_accuracy"] == 0
    if trick in {dumping_200_edges, one_direct_edge}:
        assert found["grounded_accuracy"] < 0.2 * honest_score["grounded_accuracy"]


@pytest.mark.parametrize(
    ("trick", "n"), [(padding_with_true_edges, 10), (only_padding, 10)], ids=["added", "alone"]
)
def test_off_path_edges_are_counted(
    tmp_path: Path, trick: Callable[[Record], Chain], n: int
) -> None:
    found = play(tmp_path, trick)
    assert found["off_path_edge_n"] == n * N
    pairs = found["predicted_pair_n"]
    assert found["off_path_edge_rate"] == pytest.approx(n * N / pairs)
    assert found["hallucination_rate"] == 0  # true, and beside the point


def test_padding_makes_hallucination_look_low_but_not_the_grounding(
    honest_score: Record, tmp_path: Path
) -> None:
    """An invented chain with true edges around it."""

    def padded_invention(question: Record) -> Chain:
        return one_direct_edge(question) + elsewhere(question, 10)

    found = play(tmp_path, padded_invention)
    assert found["hallucination_rate"] < 0.5
    assert found["grounded_accuracy"] < 0.2 * honest_score["grounded_accuracy"]
