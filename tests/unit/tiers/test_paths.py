"""Paths from perturbation to readout, against NetworkX and brute force."""

from __future__ import annotations

from itertools import pairwise
from math import prod

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_tiers.domain.labels import LABELS
from eval_tiers.tiers.chains import implied_answer
from eval_tiers.tiers.paths import PathTrace, trace_paths
from tests.oracle import chains as oracle
from tests.unit.tiers.building import NODES, SYMBOLS, Edge, chains, codes, edge_set

LIMIT = 10_000
ends = st.sampled_from(SYMBOLS)


def trace(
    samples: list[list[Edge]], start: list[str | None], end: list[str | None], limit: int = LIMIT
) -> tuple[PathTrace, list[set[tuple[str, str]]], list[dict[tuple[str, str], int]]]:
    """The trace of a batch; of each sample its on-path pairs and its collapsed chain."""
    edges = edge_set(samples)
    found = trace_paths(edges, codes(start), codes(end), limit)
    on_path: list[set[tuple[str, str]]] = [set() for _ in samples]
    for sample, a, b, on in zip(
        edges.sample.tolist(), edges.source.tolist(), edges.target.tolist(),
        found.on_path.tolist(), strict=True,
    ):  # fmt: skip
        if on == 1:
            on_path[sample].add((SYMBOLS[a], SYMBOLS[b]))
    return found, on_path, [oracle.collapse(chain) for chain in samples]


def brute_force(
    chain: dict[tuple[str, str], int], start: str, end: str
) -> list[list[tuple[str, str]]]:
    """Every simple path, or every simple cycle through a node where the ends are one."""
    graph = nx.DiGraph()
    graph.add_nodes_from((start, end))
    graph.add_edges_from(chain)
    if start != end:
        return [list(pairwise(nodes)) for nodes in nx.all_simple_paths(graph, start, end)]
    found = [[(start, start)]] if (start, start) in chain else []
    for after in set(graph.successors(start)) - {start}:
        rest = graph.subgraph(set(graph) - {start} | {after})
        for before in set(graph.predecessors(start)) - {start}:
            if before == after:
                found.append([(start, after), (after, start)])
                continue
            for nodes in nx.all_simple_paths(rest, after, before):
                whole = [start, *nodes, start]
                found.append(list(pairwise(whole)))
    return found


def signs_along(paths: list[list[tuple[str, str]]], chain: dict[tuple[str, str], int]) -> int:
    """The product of signs of all paths where they agree and none is 0, else 0."""
    products = {prod(chain[pair] for pair in path) for path in paths}
    return products.pop() if len(products) == 1 else 0


@given(st.lists(st.tuples(chains, ends, ends), min_size=1, max_size=5))
def test_against_networkx(batch: list[tuple[list[Edge], str, str]]) -> None:
    samples = [chain for chain, _, _ in batch]
    found, on_path, collapsed = trace(samples, [s for _, s, _ in batch], [t for _, _, t in batch])
    for number, (_, start, end) in enumerate(batch):
        graph = nx.DiGraph(list(collapsed[number]))
        graph.add_nodes_from((start, end))
        reached = (
            nx.has_path(graph, start, end)
            if start != end
            else any(nx.has_path(graph, after, start) for after in graph.successors(start))
        )
        assert found.connected[number] == int(reached)
        paths = brute_force(collapsed[number], start, end)
        assert bool(paths) == reached
        assert on_path[number] == {pair for path in paths for pair in path}
        assert found.sign[number] == signs_along(paths, collapsed[number])
        assert not found.exhausted[number]


@given(chains, ends, ends)
def test_slow_reading_agrees(chain: list[Edge], start: str, end: str) -> None:
    found, on_path, collapsed = trace([chain], [start], [end])
    paths = oracle.simple_paths(collapsed[0], start, end)
    assert paths is not None
    assert found.connected[0] == oracle.reaches(collapsed[0], start, end)
    assert on_path[0] == {pair for path in paths for pair in path}
    for sign in (1, -1, 0):
        expected = oracle.implied_answer(collapsed[0], paths, sign or None)
        code = implied_answer(found, np.array([sign], np.int8))[0]
        assert (LABELS[code] if code >= 0 else None) == expected


CASES: list[tuple[str, list[Edge], str, str, int, int, set[str]]] = [
    # name, chain, start, end, connected, sign, pairs on a path
    ("one edge", [("A", -1, "B")], "A", "B", 1, -1, {"AB"}),
    ("against the arrow", [("B", 1, "A")], "A", "B", 0, 0, set()),
    ("two minus", [("A", -1, "B"), ("B", -1, "C")], "A", "C", 1, 1, {"AB", "BC"}),
    ("an unsigned edge", [("A", 0, "B"), ("B", -1, "C")], "A", "C", 1, 0, {"AB", "BC"}),
    ("unsigned off the path", [("A", -1, "B"), ("C", 0, "D")], "A", "B", 1, -1, {"AB"}),
    ("a dead end", [("A", -1, "B"), ("A", 0, "C")], "A", "B", 1, -1, {"AB"}),
    ("a way in", [("A", -1, "B"), ("C", 0, "B")], "A", "B", 1, -1, {"AB"}),
    (
        "two paths that agree",
        [("A", -1, "B"), ("B", -1, "D"), ("A", 1, "C"), ("C", 1, "D")],
        "A", "D", 1, 1, {"AB", "BD", "AC", "CD"},
    ),
    (
        "two paths that disagree",
        [("A", 1, "B"), ("B", -1, "D"), ("A", 1, "C"), ("C", 1, "D")],
        "A", "D", 1, 0, {"AB", "BD", "AC", "CD"},
    ),
    ("a cycle beside", [("A", 1, "B"), ("B", -1, "A"), ("B", 1, "C")], "A", "C", 1, 1, {"AB", "BC"}),
    ("a self-loop beside", [("A", 1, "A"), ("A", 1, "B"), ("B", -1, "B")], "A", "B", 1, 1, {"AB"}),
    ("s = t without edges", [], "A", "A", 0, 0, set()),
    ("s = t, a self-loop", [("A", -1, "A")], "A", "A", 1, -1, {"AA"}),
    ("s = t, a cycle", [("A", -1, "B"), ("B", 1, "A")], "A", "A", 1, -1, {"AB", "BA"}),
    ("s = t, a path that leaves", [("A", 1, "B"), ("B", 1, "C")], "A", "A", 0, 0, set()),
    ("s = t, a cycle elsewhere", [("B", 1, "C"), ("C", 1, "B")], "A", "A", 0, 0, set()),
    ("both signs on the pair", [("A", 1, "B"), ("A", -1, "B")], "A", "B", 1, 0, {"AB"}),
    ("an end that isn't there", [("A", 1, "B")], "A", "X", 0, 0, set()),
]  # fmt: skip


@pytest.mark.parametrize(
    ("chain", "start", "end", "connected", "sign", "pairs"),
    [case[1:] for case in CASES],
    ids=[case[0] for case in CASES],
)
def test_by_hand(
    chain: list[Edge], start: str, end: str, connected: int, sign: int, pairs: set[str]
) -> None:
    found, on_path, _ = trace([chain], [start], [end])
    assert (found.connected[0], found.sign[0]) == (connected, sign)
    assert on_path[0] == {(pair[0], pair[1]) for pair in pairs}


def test_unknown_ends() -> None:
    chain: list[Edge] = [("A", 1, "B")]
    found, _, _ = trace([chain, chain, chain, []], ["A", None, "A", None], [None, "B", "B", None])
    assert found.connected.tolist() == [-1, -1, 1, -1]
    assert found.on_path.tolist() == [-1, -1, 1]
    assert found.sign.tolist() == [0, 0, 1, 0]


def test_a_sample_does_not_depend_on_its_batch() -> None:
    one: list[Edge] = [("A", -1, "B"), ("B", 1, "C"), ("A", 1, "C"), ("C", 1, "A")]
    alone, alone_on, _ = trace([one], ["A"], ["C"])
    many, many_on, _ = trace([[("A", 1, "C")], one, [], one], ["A"] * 4, ["C", "C", "C", "D"])
    assert many.connected.tolist() == [1, alone.connected[0], 0, 0]
    assert many.sign.tolist() == [1, alone.sign[0], 0, 0]
    assert many_on[1] == alone_on[0]


def ladder(rungs: int) -> list[Edge]:
    """A chain in which every step has two ways: 2 ** rungs paths (over the six nodes: fewer)."""
    return [(a, 1, b) for a in NODES for b in NODES if a != b][: rungs * 6]


def visits_of(chain: list[Edge], start: str, end: str) -> int:
    """Edge visits of the search, found by asking for the least limit that is enough."""
    low, high = 1, 1_000_000
    while low < high:
        middle = (low + high) // 2
        exhausted = bool(trace([chain], [start], [end], middle)[0].exhausted[0])
        low, high = (middle + 1, high) if exhausted else (low, middle)
    return low


def test_the_explosion_limit() -> None:
    chain = ladder(5)
    enough = visits_of(chain, "A", "F")
    assert 100 < enough < 10_000
    found, on_path, _ = trace([chain], ["A"], ["F"], enough)
    assert (found.exhausted[0], found.connected[0], found.sign[0]) == (False, 1, 1)
    assert on_path[0]
    found, _, _ = trace([chain], ["A"], ["F"], enough - 1)
    assert (found.exhausted[0], found.connected[0], found.sign[0]) == (True, 1, 0)
    assert set(found.on_path.tolist()) == {-1}
    assert implied_answer(found, np.array([1], np.int8)).tolist() == [-1]


def test_a_walk_counts_one_visit_an_edge() -> None:
    """A cycle at the end makes the search count: A>B>C>D plus D>C."""
    chain: list[Edge] = [("A", 1, "B"), ("B", 1, "C"), ("C", 1, "D"), ("B", 1, "D")]
    assert visits_of(chain, "A", "D") == 4


def test_an_exploding_sample_leaves_the_others_alone() -> None:
    chain = ladder(5)
    found, on_path, _ = trace([[("A", -1, "F")], chain, [("A", 1, "F")]], ["A"] * 3, ["F"] * 3, 50)
    assert found.exhausted.tolist() == [False, True, False]
    assert found.sign.tolist() == [-1, 0, 1]
    assert on_path[0] == on_path[2] == {("A", "F")}


@pytest.mark.parametrize(
    ("sign", "perturbation", "label"),
    [(1, 1, "up"), (1, -1, "down"), (-1, 1, "down"), (-1, -1, "up"), (0, 1, None), (0, -1, None),
     (1, 0, None), (-1, 0, None)],
)  # fmt: skip
def test_implied_answer_is_the_product(sign: int, perturbation: int, label: str | None) -> None:
    found, _, _ = trace([[("A", sign, "B")]], ["A"], ["B"])
    code = implied_answer(found, np.array([perturbation], np.int8))[0]
    assert (LABELS[code] if code >= 0 else None) == label


def test_a_chain_longer_than_the_batched_walk() -> None:
    from eval_tiers.domain.batch import Chains
    from eval_tiers.tiers.edges import distinct_edges

    n = 500
    steps = np.arange(n, dtype=np.int32)
    signs = np.where(steps < 3, -1, 1).astype(np.int8)
    edges = distinct_edges(Chains(np.zeros(n, np.int32), steps, signs, steps + 1), 1, n + 1)
    start, end = np.array([0], np.int32), np.array([n], np.int32)
    found = trace_paths(edges, start, end, LIMIT)
    assert (found.connected[0], found.sign[0], found.on_path.sum()) == (1, -1, n)
