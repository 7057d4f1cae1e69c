"""The compiled graph, on hand-made edges and against NetworkX."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from eval_tiers.kg import graph as graph_module
from eval_tiers.kg.graph import SignedGraph
from tests.unit.kg.samples import pairs, read

TABLE = """source\ttarget\tsign
P\tA\t1
A\tB\t-1
B\tE\t1
P\tC\t1
C\tE\t-1
A\tE\t-1
A\tE\t1
E\tE\t0
"""


@pytest.fixture
def toy(tmp_path: Path) -> SignedGraph:
    return SignedGraph.from_edges(read(tmp_path, TABLE))


def ask(graph: SignedGraph, *named: tuple[str, str]) -> tuple[np.ndarray, np.ndarray]:
    return graph.ids_of(a for a, _ in named), graph.ids_of(b for _, b in named)


def test_pairs_hold_sets_of_signs(toy: SignedGraph) -> None:
    assert toy.names == ["A", "B", "C", "E", "P"]
    assert pairs(toy) == {
        ("P", "A"): (1,),
        ("A", "B"): (-1,),
        ("B", "E"): (1,),
        ("P", "C"): (1,),
        ("C", "E"): (-1,),
        ("A", "E"): (-1, 1),
        ("E", "E"): (0,),
    }


def test_lookup_gives_masks_and_zero_for_absent_and_unknown(toy: SignedGraph) -> None:
    source, target = ask(
        toy, ("P", "A"), ("A", "B"), ("A", "E"), ("E", "E"), ("A", "P"), ("X", "A")
    )
    assert toy.lookup(source, target).tolist() == [1, 2, 3, 4, 0, 0]
    assert toy.lookup(source, target).dtype == np.uint8
    assert toy.lookup(source[:0], target[:0]).size == 0


def test_unknown_ids_never_alias_a_known_pair(toy: SignedGraph) -> None:
    n = toy.node_n
    every = np.arange(-1, n)
    source, target = (grid.ravel() for grid in np.meshgrid(every, every))
    found = toy.lookup(source, target)
    assert not found[(source < 0) | (target < 0)].any()
    assert np.count_nonzero(found) == toy.edge_n


def test_two_steps(toy: SignedGraph) -> None:
    source, target = ask(
        toy, ("P", "E"), ("P", "B"), ("A", "E"), ("E", "P"), ("B", "E"), ("X", "E")
    )
    assert toy.has_two_step(source, target).tolist() == [True, True, True, False, True, False]


def test_two_steps_do_not_depend_on_the_chunk(
    toy: SignedGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = np.arange(toy.node_n)
    source, target = (grid.ravel() for grid in np.meshgrid(every, every))
    whole = toy.has_two_step(source, target)
    monkeypatch.setattr(graph_module, "CHUNK_ROWS", 1)
    assert toy.has_two_step(source, target).tolist() == whole.tolist()


def test_a_hub_with_thousands_of_neighbours(tmp_path: Path) -> None:
    rows = [f"HUB\tN{i}\t1\nN{i}\tSINK\t-1\n" for i in range(5000)]
    graph = SignedGraph.from_edges(read(tmp_path, "source\ttarget\tsign\n" + "".join(rows)))
    source, target = ask(graph, ("HUB", "SINK"), ("SINK", "HUB"))
    assert graph.has_two_step(np.repeat(source, 999), np.repeat(target, 999)).tolist() == (
        [True] * 999 + [False] * 999
    )


def test_degrees_and_neighbours(toy: SignedGraph) -> None:
    degree = dict(zip(toy.names, zip(toy.out_degree, toy.in_degree, strict=True), strict=True))
    assert degree == {"A": (2, 1), "B": (1, 1), "C": (1, 1), "E": (1, 4), "P": (2, 0)}
    e = toy.index["E"]
    into = toy.in_indices[toy.in_indptr[e] : toy.in_indptr[e + 1]]
    assert [toy.names[node] for node in into] == ["A", "B", "C", "E"]


def test_signs_of_takes_names_in_any_case(toy: SignedGraph) -> None:
    assert toy.signs_of("a", " E ") == {-1, 1}
    assert toy.signs_of("E", "A") == frozenset()
    assert toy.signs_of("nobody", "A") == frozenset()


def test_to_networkx(toy: SignedGraph) -> None:
    other = toy.to_networkx()
    assert isinstance(other, nx.DiGraph)
    assert {(a, b): signs for a, b, signs in other.edges(data="signs")} == pairs(toy)


def test_files_unite_in_any_order(tmp_path: Path) -> None:
    one = read(tmp_path, "source\ttarget\tsign\nA\tB\t1\nC\tA\t1\n", "one.tsv")
    two = read(tmp_path, "source\ttarget\tsign\nB\tC\t0\nA\tB\t-1\n", "two.tsv")
    left, right = SignedGraph.from_edges([one, two]), SignedGraph.from_edges([two, one])
    assert pairs(left) == pairs(right)
    assert left.signs_of("A", "B") == {-1, 1}
    assert left.counts.row_n == 4
    assert left.format_names == ("signed_table", "signed_table")


def test_a_graph_of_nothing() -> None:
    empty = SignedGraph.from_edges([])
    nobody = np.array([-1, -1])
    assert (empty.node_n, empty.edge_n) == (0, 0)
    assert empty.lookup(nobody, nobody).tolist() == [0, 0]
    assert empty.has_two_step(nobody, nobody).tolist() == [False, False]
    assert empty.describe()["identifier"] is None
    assert empty.to_networkx().number_of_nodes() == 0
