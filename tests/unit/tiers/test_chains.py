"""The predicted chain against gold chain and graph: by hand, and against the slow reading."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_tiers.domain.taxonomy import EDGE_STATUSES
from eval_tiers.tiers.chains import ChainMatch, match_chains
from eval_tiers.tiers.evidence import KgEvidence, find_evidence, look_up_pairs, node_codes
from tests.oracle import chains as oracle
from tests.unit.tiers.building import (
    SYMBOLS,
    Edge,
    chains,
    edge_set,
    edges,
    signed_graph,
    slow_graph,
)

FLOATS = ("edge_precision", "edge_recall", "edge_f1", "edge_f1_relaxed", "chain_coverage",
          "sign_match")  # fmt: skip
RATES = ("hallucination_rate", "hallucination_rate_excl_gold", "kg_sign_match")


def match(gold: list[Edge] | None, predicted: list[Edge]) -> ChainMatch:
    """One sample's match."""
    return match_chains(edge_set([gold or []]), edge_set([predicted]), np.array([gold is not None]))


def value(array: np.ndarray, number: int = 0) -> float | None:
    """A float, None for nan."""
    found = float(array[number])
    return None if isnan(found) else found


def evidence(
    predicted: list[list[Edge]],
    kg: list[Edge],
    gold: list[list[Edge]] | None = None,
    unknown_nodes: str = "hallucinated",
) -> KgEvidence:
    """The evidence of a batch."""
    pairs, graph = edge_set(predicted), signed_graph(kg)
    gold_pairs = edge_set(gold or [[] for _ in predicted])
    facts = look_up_pairs((gold_pairs, pairs), node_codes(SYMBOLS, graph), graph)
    return find_evidence(pairs, facts, gold_pairs.find(pairs) >= 0, unknown_nodes)


G: list[Edge] = [("A", 1, "B"), ("B", -1, "C"), ("C", 1, "D")]


@pytest.mark.parametrize(
    ("gold", "predicted", "precision", "recall", "f1", "relaxed", "coverage", "sign_match", "flips"),
    [
        (G, G, 1, 1, 1, 1, 1, 1, 0),
        (G, G[:2], 1, 2 / 3, 0.8, 0.8, 2 / 3, 1, 0),
        (G, [("A", 1, "B"), ("B", -1, "C"), ("C", -1, "D")], 2 / 3, 2 / 3, 2 / 3, 1, 1, 2 / 3, 1),
        (G, [("A", -1, "B"), ("B", 1, "C"), ("C", -1, "D")], 0, 0, 0, 1, 1, 0, 3),
        (G, [("A", 0, "B")], 0, 0, 0, 0.5, 1 / 3, 1, 0),
        (G, [("B", 1, "A")], 0, 0, 0, 0, 0, None, 0),
        (G, [], None, 0, 0, 0, 0, None, 0),
        ([], G, 0, None, 0, 0, 1, None, 0),
        ([], [], None, None, 1, 1, 1, None, 0),
        ([("A", 0, "B")], [("A", 0, "B")], 1, 1, 1, 1, 1, 1, 0),
        ([("A", 0, "B")], [("A", 1, "B")], 0, 0, 0, 1, 1, 1, 0),
        ([("A", 1, "B"), ("A", -1, "B")], [("A", 1, "B")], 0, 0, 0, 1, 1, 1, 0),
    ],
)  # fmt: skip
def test_match_by_hand(
    gold: list[Edge],
    predicted: list[Edge],
    precision: float | None,
    recall: float | None,
    f1: float,
    relaxed: float,
    coverage: float,
    sign_match: float | None,
    flips: int,
) -> None:
    found = match(gold, predicted)
    expected = (precision, recall, f1, relaxed, coverage, sign_match)
    for name, wanted in zip(FLOATS, expected, strict=True):
        assert value(getattr(found, name)) == pytest.approx(wanted), name
    assert found.sign_flip_n[0] == flips


def test_without_a_gold_chain_all_is_null() -> None:
    found = match(None, G)
    assert all(value(getattr(found, name)) is None for name in FLOATS)
    assert (found.gold_edge_n[0], found.sign_flip_n[0], found.unsigned_shared_n[0]) == (-1, -1, -1)
    assert found.predicted_edge_n[0] == 3


def test_unsigned_shared_pairs_are_counted_apart() -> None:
    gold: list[Edge] = [("A", 1, "B"), ("B", 0, "C"), ("C", -1, "D"), ("D", 0, "E")]
    predicted: list[Edge] = [("A", 0, "B"), ("B", 1, "C"), ("C", 1, "D"), ("D", 0, "E")]
    found = match(gold, predicted)
    assert (found.unsigned_shared_n[0], found.sign_flip_n[0]) == (3, 1)
    assert value(found.sign_match) == 0.75


@given(st.lists(st.tuples(st.one_of(st.none(), chains), chains), min_size=1, max_size=4))
def test_slow_reading_agrees_on_matches(batch: list[tuple[list[Edge] | None, list[Edge]]]) -> None:
    gold, predicted = edge_set([g or [] for g, _ in batch]), edge_set([p for _, p in batch])
    found = match_chains(gold, predicted, np.array([g is not None for g, _ in batch]))
    for number, (gold_edges, predicted_edges) in enumerate(batch):
        slow_gold = None if gold_edges is None else oracle.collapse(gold_edges)
        slow = oracle.gold_columns(slow_gold, oracle.collapse(predicted_edges))
        for name in FLOATS:
            assert value(getattr(found, name), number) == pytest.approx(slow[name]), name
        assert found.sign_flip_n[number] == (-1 if gold_edges is None else slow["sign_flip_n"])


# --------------------------------------------------------------------------- the graph

KG: list[Edge] = [
    ("A", 1, "B"), ("B", -1, "C"), ("C", 0, "D"), ("A", 1, "E"), ("A", -1, "E"), ("D", 1, "F"),
    ("D", 0, "F"), ("F", 1, "F"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("edge", "status", "sign_match"),
    [
        (("A", 1, "B"), "supported", 1),
        (("A", 0, "B"), "supported", 1),
        (("A", -1, "B"), "sign_contradicted", 0),
        (("B", 1, "C"), "sign_contradicted", 0),
        (("C", 0, "D"), "unsigned_in_kg", 1),
        (("C", 1, "D"), "unsigned_in_kg", 1),
        (("C", -1, "D"), "unsigned_in_kg", 1),
        (("A", 1, "E"), "supported", 1),
        (("A", -1, "E"), "supported", 1),
        (("A", 0, "E"), "supported", 1),
        (("D", 1, "F"), "supported", 1),
        (("D", 0, "F"), "supported", 1),
        (("D", -1, "F"), "unsigned_in_kg", 1),
        (("F", 1, "F"), "supported", 1),
        (("X", 1, "A"), "unknown_node", None),
        (("A", 1, "X"), "unknown_node", None),
        (("X", 1, "X"), "unknown_node", None),
        (("B", 1, "A"), "reversed", None),
        (("A", 1, "C"), "shortcut", None),
        (("C", -1, "F"), "shortcut", None),
        (("A", 1, "D"), "absent", None),
        (("E", 1, "C"), "absent", None),
        (("A", 1, "A"), "absent", None),
    ],
)
def test_status_by_hand(edge: Edge, status: str, sign_match: float | None) -> None:
    found = evidence([[edge]], KG)
    assert EDGE_STATUSES[found.status[0]] == status
    assert found.status_n.sum() == 1
    assert value(found.kg_sign_match) == sign_match
    assert value(found.hallucination_rate) == (0 if sign_match is not None else 1)


def test_reversed_comes_before_shortcut() -> None:
    kg: list[Edge] = [("B", 1, "A"), ("A", 1, "C"), ("C", 1, "B")]
    assert EDGE_STATUSES[evidence([[("A", 1, "B")]], kg).status[0]] == "reversed"


def test_unknown_nodes_may_leave_the_denominator() -> None:
    chain: list[Edge] = [("A", 1, "B"), ("A", 1, "D"), ("X", 1, "A"), ("X", 1, "B")]
    gold: list[Edge] = [("A", 1, "D")]
    found = evidence([chain], KG, [gold])
    assert value(found.hallucination_rate) == 0.75
    assert value(found.hallucination_rate_excl_gold) == 0.5
    found = evidence([chain], KG, [gold], "unverifiable")
    assert value(found.hallucination_rate) == 0.5
    assert value(found.hallucination_rate_excl_gold) == 0
    found = evidence([[("X", 1, "A")]], KG, None, "unverifiable")
    assert value(found.hallucination_rate) is None


def test_no_edges_no_rates() -> None:
    found = evidence([[], [("A", 1, "B")]], KG)
    assert [value(getattr(found, name)) for name in RATES] == [None, None, None]
    assert found.status_n.sum(axis=1).tolist() == [0, 1]


def test_an_empty_graph_knows_nothing() -> None:
    found = evidence([[("A", 1, "B")]], [])
    assert EDGE_STATUSES[found.status[0]] == "unknown_node"
    assert value(found.hallucination_rate) == 1


@given(
    st.lists(st.tuples(st.one_of(st.none(), chains), chains), min_size=1, max_size=3),
    st.lists(edges, max_size=12),
)
def test_slow_reading_agrees_on_evidence(
    batch: list[tuple[list[Edge] | None, list[Edge]]], kg: list[Edge]
) -> None:
    found = evidence([p for _, p in batch], kg, [g or [] for g, _ in batch])
    graph = slow_graph(kg)
    for number, (gold_edges, predicted) in enumerate(batch):
        gold = None if gold_edges is None else oracle.collapse(gold_edges)
        slow = oracle.graph_columns(gold, oracle.collapse(predicted), graph)
        for name in RATES:
            assert value(getattr(found, name), number) == pytest.approx(slow[name]), name
        for code, status in enumerate(EDGE_STATUSES):
            assert found.status_n[number, code] == slow[f"edge_status_{status}_n"], status
