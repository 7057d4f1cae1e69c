"""Routes of one length and sign, against NetworkX and against walking by hand."""

from __future__ import annotations

import random
from itertools import pairwise
from math import prod
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from eval_tiers.kg.graph import SignedGraph
from eval_tiers.kg.routes import Route, RouteFinder, joined_by_both_signs
from tests.unit.kg.samples import read

TOY = """source\ttarget\tsign
P\tA\t1
A\tB\t-1
B\tE\t1
P\tC\t1
C\tE\t-1
A\tE\t-1
P\tD\t1
P\tD\t-1
D\tE\t1
P\tU\t0
U\tE\t1
E\tE\t1
"""


def random_graph(tmp_path: Path, seed: int, node_n: int = 12, edge_n: int = 40) -> SignedGraph:
    draw = random.Random(seed)
    lines = [
        f"N{draw.randrange(node_n):02}\tN{draw.randrange(node_n):02}\t{draw.choice((1, 1, -1, 0))}"
        for _ in range(edge_n)
    ]
    text = "source\ttarget\tsign\n" + "\n".join(lines) + "\n"
    return SignedGraph.from_edges(read(tmp_path, text))


def one_sign_digraph(graph: SignedGraph) -> nx.DiGraph:
    """The edges of one sign, in NetworkX."""
    plain = nx.DiGraph()
    plain.add_nodes_from(graph.names)
    for source, target, signs in graph.to_networkx().edges(data="signs"):
        if signs in ((1,), (-1,)):
            plain.add_edge(source, target, sign=signs[0])
    return plain


def named(graph: SignedGraph, route: Route) -> tuple[str, ...]:
    return tuple(graph.names[node] for node in route.nodes)


@pytest.fixture
def toy(tmp_path: Path) -> SignedGraph:
    return SignedGraph.from_edges(read(tmp_path, TOY))


def test_routes_by_length_and_sign(toy: SignedGraph) -> None:
    finder = RouteFinder(toy)
    start, end = toy.index["P"], toy.index["E"]
    two = [(named(toy, route), route.signs, route.sign) for route in finder.routes(start, end, 2)]
    assert two == [(("P", "A", "E"), (1, -1), -1), (("P", "C", "E"), (1, -1), -1)]
    assert [named(toy, found) for found in finder.routes(start, end, 3)] == [("P", "A", "B", "E")]
    assert list(finder.routes(start, end, 2, sign=1)) == []
    assert list(finder.routes(start, end, 1)) == []
    assert list(finder.routes(start, end, 4)) == []


def test_a_pair_of_both_signs_or_none_is_on_no_route(toy: SignedGraph) -> None:
    finder = RouteFinder(toy)
    assert finder.sign(toy.index["P"], toy.index["D"]) == 0
    assert finder.sign(toy.index["P"], toy.index["U"]) == 0
    assert finder.sign(toy.index["C"], toy.index["E"]) == -1
    assert finder.sign(toy.index["E"], toy.index["P"]) == 0
    assert finder.sign(-1, toy.index["P"]) == 0


def test_nodes_to_avoid_are_on_no_route(toy: SignedGraph) -> None:
    finder = RouteFinder(toy)
    start, end = toy.index["P"], toy.index["E"]
    found = finder.routes(start, end, 2, avoid=[toy.index["A"], start, end])
    assert [named(toy, route) for route in found] == [("P", "C", "E")]


def test_an_unknown_node_or_the_same_one_has_no_route(toy: SignedGraph) -> None:
    finder = RouteFinder(toy)
    end = toy.index["E"]
    assert list(finder.routes(-1, end, 2)) == []
    assert list(finder.routes(end, -1, 2)) == []
    assert list(finder.routes(end, end, 1)) == []
    assert list(finder.routes(toy.index["P"], end, 0)) == []
    assert finder.neighbours(-1) == finder.neighbours_before(-1) == []


def test_neighbours_are_those_of_one_sign(toy: SignedGraph) -> None:
    finder = RouteFinder(toy)
    ids = toy.index
    assert finder.neighbours(ids["P"]) == [(ids["A"], 1), (ids["C"], 1)]
    assert finder.neighbours_before(ids["E"]) == [
        (ids["A"], -1), (ids["B"], 1), (ids["C"], -1), (ids["D"], 1), (ids["E"], 1), (ids["U"], 1),
    ]  # fmt: skip


@pytest.mark.parametrize("seed", range(8))
def test_all_routes_as_networkx_finds_them(tmp_path: Path, seed: int) -> None:
    graph = random_graph(tmp_path, seed)
    plain = one_sign_digraph(graph)
    finder = RouteFinder(graph)
    for source in graph.names[:4]:
        for target in graph.names:
            if source == target:
                continue
            expected: dict[int, set[tuple[str, ...]]] = {length: set() for length in range(1, 6)}
            for path in nx.all_simple_paths(plain, source, target, cutoff=5):
                expected[len(path) - 1].add(tuple(path))
            for length, wanted in expected.items():
                a, b = graph.index[source], graph.index[target]
                found = list(finder.routes(a, b, length, visit_limit=10**6))
                assert len(found) == len(wanted)
                assert {named(graph, route) for route in found} == wanted
                for route in found:
                    signs = [plain.edges[pair]["sign"] for pair in pairwise(named(graph, route))]
                    assert list(route.signs) == signs
                    assert route.sign == prod(signs)
                for sign in (1, -1):
                    of_sign = list(finder.routes(a, b, length, sign, visit_limit=10**6))
                    assert of_sign == [route for route in found if route.sign == sign]


def test_a_draw_changes_the_order_and_nothing_else(tmp_path: Path) -> None:
    graph = random_graph(tmp_path, 3, node_n=14, edge_n=100)
    finder = RouteFinder(graph)
    a, b = 0, 9
    plain = list(finder.routes(a, b, 4, visit_limit=10**6))
    drawn = list(finder.routes(a, b, 4, draw=random.Random(1), visit_limit=10**6))
    again = list(finder.routes(a, b, 4, draw=random.Random(1), visit_limit=10**6))
    assert len(plain) > 5
    assert drawn == again
    assert drawn != plain
    assert set(drawn) == set(plain)


def test_the_search_ends_at_its_limit(tmp_path: Path) -> None:
    graph = random_graph(tmp_path, 3, node_n=14, edge_n=100)
    finder = RouteFinder(graph)
    counts = [len(list(finder.routes(0, 9, 4, visit_limit=limit))) for limit in (0, 5, 10**6)]
    assert counts[0] == 0
    assert counts[0] <= counts[1] < counts[2]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("longest", [1, 2, 3])
def test_joined_by_both_signs_as_walking_says(tmp_path: Path, seed: int, longest: int) -> None:
    graph = random_graph(tmp_path, seed, node_n=80, edge_n=160)
    plain = one_sign_digraph(graph)
    n = graph.node_n
    source, target = (side.ravel() for side in np.divmod(np.arange(n * n), n))
    found = joined_by_both_signs(graph, source, target, longest)
    expected = np.zeros(n * n, np.bool_)
    for start in range(n):
        level = {(graph.names[start], 1)}
        reached: set[tuple[str, int]] = set()
        for _ in range(longest):
            level = {
                (after, sign * plain.edges[name, after]["sign"])
                for name, sign in level
                for after in plain[name]
            }
            reached |= level
        for end in range(n):
            both = {(graph.names[end], 1), (graph.names[end], -1)} <= reached
            expected[start * n + end] = both and start != end
    assert found.tolist() == expected.tolist()
    assert expected.any() or longest == 1
    for few in (source < 3, target < 3):  # walked from the side with fewer nodes
        part = joined_by_both_signs(graph, source[few], target[few], longest)
        assert part.tolist() == expected[few].tolist()


def test_joined_by_both_signs_of_nothing(toy: SignedGraph) -> None:
    none = np.empty(0, np.int64)
    assert joined_by_both_signs(toy, none, none).tolist() == []
    assert joined_by_both_signs(toy, np.array([-1, 0]), np.array([0, -1])).tolist() == [False] * 2
    empty = SignedGraph.from_edges([])
    assert joined_by_both_signs(empty, np.array([-1]), np.array([-1])).tolist() == [False]
