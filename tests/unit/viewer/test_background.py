"""What graph and gene sets hold around a sample, counted by hand on a toy."""

from __future__ import annotations

from eval_tiers.go.gene_sets import parse_gmt
from eval_tiers.kg.graph import SignedGraph
from eval_tiers.kg.registry import choose_source
from eval_tiers.kg.source import Head, ReadOptions
from eval_tiers.viewer.background import MOST_TERMS, MOST_WAYS, find_terms, find_ways


def graph_of(*edges: str) -> SignedGraph:
    data = ("source\tsign\ttarget\n" + "".join(f"{edge}\n" for edge in edges)).encode()
    data = data.replace(b" ", b"\t")
    source = choose_source(Head("toy.tsv", data), None)
    return SignedGraph.from_edges([source.parse(data, "toy.tsv", ReadOptions())])


def test_ways_of_one_edge_and_of_two() -> None:
    graph = graph_of("P 1 A", "A -1 R", "P -1 R", "P 1 R", "P 1 B", "B 1 C", "C 1 R", "P 1 P")
    found = find_ways(graph, "p", "R")
    assert [(way.nodes, way.signs) for way in found.found] == [
        (("P", "R"), ("+ and −",)),
        (("P", "A", "R"), ("+", "−")),
    ]
    assert found.total == 2


def test_ends_that_the_graph_lacks_are_named() -> None:
    assert find_ways(graph_of("P 1 A"), "P", "X").reason == "the graph lacks X"


def test_more_ways_than_are_shown_are_counted() -> None:
    graph = graph_of(
        *(f"{a} 1 {b}" for n in range(20) for a, b in (("P", f"M{n}"), (f"M{n}", "R")))
    )
    found = find_ways(graph, "P", "R")
    assert (len(found.found), found.total) == (MOST_WAYS, 20)


def test_shared_terms_smallest_first() -> None:
    lines = b"BIG\t\tA\tB\tC\tD\nSMALL\t\tA\tC\nONE\t\tA\nOTHER\t\tB\n"
    sets, _ = parse_gmt(lines, "toy.gmt")
    found = find_terms(sets, ["a", "B"], ["C", "X"])
    assert [(term.name, term.size, term.gold, term.predicted) for term in found.found] == [
        ("SMALL", 2, ("a",), ("C",)),
        ("BIG", 4, ("a", "B"), ("C",)),
    ]
    assert find_terms(sets, [], ["C"]).reason == "the gold chain has no gene in between"
    many, _ = parse_gmt("".join(f"T{n}\t\tA\tC\n" for n in range(30)).encode(), "toy.gmt")
    found = find_terms(many, ["A"], ["C"])
    assert (len(found.found), found.total) == (MOST_TERMS, 30)
