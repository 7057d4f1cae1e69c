"""Small batches and graphs written as lists of edges."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from eval_tiers.domain.batch import Chains
from eval_tiers.kg.edges import EdgeTable, ReadCounts
from eval_tiers.kg.graph import SignedGraph
from eval_tiers.tiers.edges import EdgeSet, distinct_edges
from tests.oracle import chains as oracle

Edge = tuple[str, int, str]

NODES = "ABCDEF"
SYMBOLS = list(NODES) + ["X"]

edges = st.tuples(st.sampled_from(NODES), st.sampled_from([1, -1, 0]), st.sampled_from(NODES))
chains = st.lists(edges, max_size=8)
batches = st.lists(chains, min_size=1, max_size=4)


def flat_chains(samples: Sequence[Sequence[Edge]]) -> Chains:
    """Chains of a batch, as read: repeats and all."""
    rows = [
        (number, SYMBOLS.index(a), sign, SYMBOLS.index(b))
        for number, chain in enumerate(samples)
        for a, sign, b in chain
    ]
    table = np.array(rows, np.int32).reshape(-1, 4)
    return Chains(table[:, 0], table[:, 1], table[:, 2].astype(np.int8), table[:, 3])


def edge_set(samples: Sequence[Sequence[Edge]]) -> EdgeSet:
    """Distinct edges of a batch."""
    return distinct_edges(flat_chains(samples), len(samples), len(SYMBOLS))


def codes(names: Sequence[str | None]) -> np.ndarray:
    """Codes of symbols, -1 for None."""
    return np.array([-1 if name is None else SYMBOLS.index(name) for name in names], np.int32)


def signed_graph(given: Sequence[Edge]) -> SignedGraph:
    """A knowledge graph of these edges."""
    names = sorted({name for a, _, b in given for name in (a, b)})
    place = {name: number for number, name in enumerate(names)}
    return SignedGraph.from_edges(
        EdgeTable(
            nodes=names,
            source=np.array([place[a] for a, _, _ in given], np.int32),
            target=np.array([place[b] for _, _, b in given], np.int32),
            sign=np.array([sign for _, sign, _ in given], np.int8),
            format_name="test",
            path="test.tsv",
            findings=(),
            counts=ReadCounts(),
            title_case=np.zeros(len(names), np.bool_),
        )
    )


def slow_graph(given: Sequence[Edge]) -> oracle.Graph:
    """The same graph for the oracle."""
    graph = oracle.Graph()
    for a, sign, b in given:
        graph.add(a, b, sign)
    return graph
