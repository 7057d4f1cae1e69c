"""Mechanism edges against a signed graph, and gene names of other organisms."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval_tiers.domain.taxonomy import EDGE_STATUSES
from eval_tiers.io.graphs import read_graph
from eval_tiers.kg.source import ReadOptions
from eval_tiers.tiers.mechanism import edge_statuses
from tests.unit.tiers.building import Edge, signed_graph

GRAPH = signed_graph([("A", 1, "B"), ("B", -1, "C"), ("A", 0, "D"), ("E", 1, "B"), ("E", -1, "B")])


def statuses(edges: list[Edge]) -> list[str]:
    return [EDGE_STATUSES[status] for status in edge_statuses(edges, GRAPH)]


@pytest.mark.parametrize(
    ("edge", "status"),
    [
        (("A", 1, "B"), "supported"),
        (("A", 0, "B"), "supported"),
        (("E", 1, "B"), "supported"),  # the graph has both signs
        (("E", -1, "B"), "supported"),
        (("A", -1, "B"), "sign_contradicted"),
        (("A", -1, "D"), "unsigned_in_kg"),
        (("X", 1, "B"), "unknown_node"),
        (("X", 1, "X"), "unknown_node"),
        (("B", 1, "A"), "reversed"),
        (("A", 1, "C"), "shortcut"),
        (("D", 1, "C"), "absent"),
        (("A", 1, "A"), "absent"),
    ],
)
def test_each_status(edge: Edge, status: str) -> None:
    assert statuses([edge]) == [status]


def test_an_edge_is_judged_by_itself() -> None:
    edges: list[Edge] = [("A", 1, "B"), ("A", -1, "B"), ("X", 1, "B"), ("B", 1, "A")]
    assert statuses(edges) == [statuses([edge])[0] for edge in edges]
    assert statuses([]) == []


def test_names_keep_their_case_where_the_organism_needs_it(tmp_path: Path) -> None:
    path = tmp_path / "fly.tsv"
    path.write_text("source\tinteraction\ttarget\ndl\t1\tTl\n", encoding="utf-8")
    fly = read_graph(path, ReadOptions(keep_case=True))
    human = read_graph(path, ReadOptions())
    assert [EDGE_STATUSES[s] for s in edge_statuses([("dl", 1, "Tl"), ("Dl", 1, "Tl")], fly)] == [
        "supported", "unknown_node",
    ]  # fmt: skip
    assert [EDGE_STATUSES[s] for s in edge_statuses([("dl", 1, "tl"), ("Dl", 1, "Tl")], human)] == [
        "supported", "supported",
    ]  # fmt: skip
