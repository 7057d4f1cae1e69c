"""A run in memory on a made-up graph: gold chains that imply their answers, and hard cases."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

from eval_tiers.domain.labels import LABELS
from eval_tiers.io.graphs import read_graph
from eval_tiers.kg.graph import SignedGraph
from eval_tiers.kg.routes import Route, RouteFinder
from eval_tiers.rescue.cases import Case, SampleKey, Step
from eval_tiers.rescue.golds import GoldChain


@dataclass
class PlantedRun:
    """What controls are made from."""

    graph: SignedGraph
    golds: list[GoldChain]
    cases: list[Case]


def steps_of(graph: SignedGraph, route: Route) -> tuple[Step, ...]:
    names = [graph.names[node] for node in route.nodes]
    return tuple(
        Step(a, sign, b) for a, sign, b in zip(names[:-1], route.signs, names[1:], strict=True)
    )


def planted_run(graph: SignedGraph, gold_n: int, seed: int = 0) -> PlantedRun:
    """Gold chains of one to four edges, every third one also a hard case, of all three labels."""
    draw = random.Random(seed)
    finder = RouteFinder(graph)
    run = PlantedRun(graph, [], [])
    while len(run.golds) < gold_n:
        start, end = draw.sample(range(graph.node_n), 2)
        length = draw.choice((1, 2, 2, 3, 3, 4))
        route = next(finder.routes(start, end, length, draw=draw, visit_limit=50), None)
        if route is None:
            continue
        number = len(run.golds)
        pert_type = draw.choice(("chemical", "genetic", "genetic"))
        mode = 1 if pert_type == "chemical" else draw.choice((1, -1))
        key: SampleKey = (f"s{number:04}", "id_test", pert_type, None)
        answer = "up" if route.sign * mode == 1 else "down"
        chain = steps_of(graph, route)
        gold = GoldChain(
            key=key,
            question=f"What does {graph.names[start]} do to {graph.names[end]}?",
            labels=LABELS,
            gold_answer=answer,
            chain=chain,
            implied_answer=answer,
            perturbation=graph.names[start],
            readout=graph.names[end],
            perturbation_sign=mode,
            cluster=graph.names[start],
        )
        run.golds.append(gold)
        if number % 3 == 0:
            run.cases.append(_hard_case(gold, finder, draw, route))
    return run


def _hard_case(gold: GoldChain, finder: RouteFinder, draw: random.Random, route: Route) -> Case:
    """A case whose chain is the gold chain, another route, or made up by half."""
    kind, label = draw.choice(
        (
            ("wrong_correct_chain", "WRONG_CORRECT_CHAIN"),
            ("correct_wrong_reason", "CORRECT_RIGHT_FOR_WRONG_REASON"),
            ("correct_wrong_reason", "CORRECT_HALLUCINATED_EDGE"),
        )
    )
    chain = gold.chain
    if label != "WRONG_CORRECT_CHAIN" or draw.random() < 0.5:
        length = draw.choice((2, 3, 4))
        other = next(
            finder.routes(route.nodes[0], route.nodes[-1], length, draw=draw, visit_limit=50), None
        )
        if other is not None:
            chain = steps_of(finder.graph, other)
        elif label != "WRONG_CORRECT_CHAIN":
            chain = gold.chain[:1]
    predicted = gold.gold_answer
    if label == "WRONG_CORRECT_CHAIN":
        predicted = draw.choice([word for word in LABELS if word != gold.gold_answer])
    return Case(
        key=gold.key,
        benchmark=gold.benchmark,
        kind=kind,
        error_label=label,
        question=gold.question,
        labels=LABELS,
        gold_answer=gold.gold_answer,
        predicted_answer=predicted,
        chain=chain,
        gold_chain=gold.chain,
        perturbation=gold.perturbation,
        readout=gold.readout,
        perturbation_sign=gold.perturbation_sign,
        cluster=gold.cluster,
    )


def dense_graph(folder: Path, seed: int = 0, node_n: int = 60, edge_n: int = 260) -> SignedGraph:
    """A random graph in which most ends are joined by several routes."""
    draw = random.Random(seed)
    lines = ["source\ttarget\tsign"]
    for _ in range(edge_n):
        source, target = draw.sample(range(node_n), 2)
        lines.append(f"G{source:03}\tG{target:03}\t{draw.choice((1, 1, -1))}")
    path = folder / "dense.tsv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return read_graph(path)
