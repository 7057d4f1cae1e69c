"""Where nodes and edges of a drawn chain stand."""

from __future__ import annotations

import itertools
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from eval_tiers.viewer.chain_drawing import MOST_EDGES, draw_chain


def edge(source: str, sign: int | None, target: str, **more: Any) -> dict[str, Any]:
    return {"source": source, "sign": sign, "target": target, "status": "supported", **more}


def test_nothing_to_draw() -> None:
    assert draw_chain([], "A", "B") is None


def test_a_chain_runs_from_left_to_right() -> None:
    drawing = draw_chain(
        [edge("P", 1, "A", side="gold"), edge("A", -1, "R", side="gold"),
         edge("P", 1, "R", side="predicted", status="absent")],
        "p", "r",
    )  # fmt: skip
    assert drawing is not None
    x = {node.name: node.x for node in drawing.nodes}
    assert x["P"] < x["A"] < x["R"]
    assert {node.name: node.role for node in drawing.nodes} == {
        "P": "start", "A": "between", "R": "end",
    }  # fmt: skip
    assert [(one.label, one.side) for one in drawing.edges] == [
        ("+ supported", "gold"), ("− supported", "gold"), ("+ absent", "predicted"),
    ]  # fmt: skip
    gold, _, predicted = drawing.edges
    assert gold.label_y < drawing.nodes[0].y < predicted.label_y


def test_ends_that_no_edge_has_are_drawn_too() -> None:
    drawing = draw_chain([edge("A", None, "B")], "P", "R")
    assert drawing is not None
    assert {node.name for node in drawing.nodes} == {"A", "B", "P", "R"}
    assert drawing.edges[0].label == "? supported"
    assert max(drawing.nodes, key=lambda node: node.x).name == "R"


def test_more_edges_than_can_be_drawn_are_counted() -> None:
    rows = [edge(f"A{n}", 1, f"B{n}") for n in range(MOST_EDGES + 5)]
    drawing = draw_chain(rows, None, None)
    assert drawing is not None
    assert (len(drawing.edges), drawing.left_out) == (MOST_EDGES, 5)


NODES = st.sampled_from("ABCDEF")


@given(
    st.lists(st.tuples(NODES, st.sampled_from([1, -1, None]), NODES), min_size=1, max_size=15),
    st.none() | NODES,
    st.none() | NODES,
)
def test_nodes_stand_apart_and_within(
    rows: list[tuple[str, int | None, str]], start: str | None, end: str | None
) -> None:
    drawing = draw_chain([edge(*row) for row in rows], start, end)
    assert drawing is not None
    for one, other in itertools.combinations(drawing.nodes, 2):
        apart = abs(one.x - other.x) >= (one.width + other.width) / 2
        assert apart or abs(one.y - other.y) >= one.height
    for node in drawing.nodes:
        assert node.x - node.width / 2 >= 0 and node.x + node.width / 2 <= drawing.width
    bottom = drawing.top + drawing.height
    for y in (*(node.y for node in drawing.nodes), *(one.label_y for one in drawing.edges)):
        assert drawing.top <= y - 16 and y + 16 <= bottom
