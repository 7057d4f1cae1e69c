"""Graph readers never crash, and the compiled graph agrees with NetworkX."""

from __future__ import annotations

import pickle
import tempfile
from pathlib import Path

import networkx as nx
import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from eval_tiers.exceptions import EvalTiersError
from eval_tiers.io.graphs import read_edge_table, read_graph, write_graph_tsv
from eval_tiers.kg import cells
from eval_tiers.kg.delimited import require_text, sniff_layout
from eval_tiers.kg.graph import SignedGraph
from eval_tiers.kg.registry import discover_sources
from eval_tiers.kg.source import Head, ReadOptions
from tests.unit.kg.samples import pairs

SOURCES = discover_sources()
SUFFIXES = ("kg.tsv", "kg.sif", "kg.pkl")

edge_lists = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 9), st.sampled_from((-1, 0, 1))), max_size=40
)
words = st.sampled_from(
    ["A", "B", "TP53", "source", "target", "sign", "1", "-1", "", "\t", ",", ";", "|", '"', "\n"]
    + ["\r", "#", " ", "\ufeff", "\0", "+", "activates", "is_directed", "is_stimulation", "weight"]
    + ["is_inhibition", "Activation", "\x85", "\u2028", "sep=;", "interaction", "é", "\ud83d"]
)
texts = st.lists(words, max_size=60).map(lambda parts: "".join(parts).encode("utf-8", "replace"))
opcodes = st.lists(
    st.sampled_from([bytes((code,)) for code in range(256)])
    | st.sampled_from([b"cnetworkx.classes.digraph\nDiGraph\n", b")\x81", b"X\x01\x00\x00\x00A"])
    | st.sampled_from([b"X\x04\x00\x00\x00_adj", b"X\x05\x00\x00\x00_node", b"}", b"s", b"b"])
    | st.sampled_from([b"cnumpy\ndtype\n", b"X\x02\x00\x00\x00i8", b"\x85R", b"(", b"u", b"K\x01"]),
    max_size=60,
).map(lambda parts: b"\x80\x04" + b"".join(parts) + b".")


def table_of(edges: list[tuple[int, int, int]]) -> str:
    return "source\ttarget\tsign\n" + "".join(f"G{a}\tG{b}\t{sign}\n" for a, b, sign in edges)


def graph_of(edges: list[tuple[int, int, int]]) -> SignedGraph:
    source = next(source for source in SOURCES if source.name == "signed_table")
    data = table_of(edges).encode()
    return SignedGraph.from_edges(source.parse(data, "kg.tsv", ReadOptions()))


@settings(max_examples=300, deadline=None)
@given(
    data=st.binary(max_size=300) | texts | opcodes,
    name=st.sampled_from(SUFFIXES),
    undirected=st.sampled_from(["skip", "both"]),
)
@example(data=b"\x80", name="kg.pkl", undirected="skip")
@example(data=b"\x1f\x8b", name="kg.tsv", undirected="skip")
@example(data=b"\x28\xb5\x2f\xfd", name="kg.tsv", undirected="skip")
def test_readers_raise_nothing_but_our_own_errors(data: bytes, name: str, undirected: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(data)
        for asked in (None, *(source.name for source in SOURCES)):
            try:
                table = read_edge_table(path, ReadOptions(asked, undirected=undirected))
            except EvalTiersError:
                continue
            SignedGraph.from_edges(table).describe()


@settings(max_examples=300, deadline=None)
@given(data=st.binary(max_size=200) | texts | opcodes)
def test_formats_raise_nothing_but_our_own_errors(data: bytes) -> None:
    for source in SOURCES:
        assert 0 <= source.matches(Head("kg", data)) <= 100
        try:
            source.parse(data, "kg", ReadOptions(consensus=True))
        except EvalTiersError:
            continue


@settings(max_examples=300, deadline=None)
@given(data=texts)
@example(data=b'a\tb\n"c\td"\te\n')
@example(data=b'a\tb\n"c\n"d\te\n')
@example(data=b'a,b\n"c""d",e\n"f",g"h\n')
def test_fast_and_careful_reading_agree(data: bytes) -> None:
    data = data.replace(b"\r", b"")
    layout = sniff_layout(Head("kg", data))
    try:
        require_text(data, "kg")
    except EvalTiersError:
        return
    if layout is None:
        return
    for has_header in (False, True):
        width = max(layout.common_width, 2)
        fast = cells._read_fast(data, layout, [0, 1], has_header, width)
        if fast is None or not fast.row_n:
            continue
        careful = cells._read_careful(data, "kg", layout, [0, 1], has_header, width)
        for one, other in zip(fast.columns, careful.columns, strict=True):
            assert [one.values[code] for code in one.codes] == [
                other.values[code] for code in other.codes
            ]
        rows = range(fast.row_n)
        assert [fast.line_of(row) for row in rows] == [careful.line_of(row) for row in rows]


@settings(max_examples=200, deadline=None)
@given(edges=edge_lists.filter(bool), seed=st.randoms())
def test_lookup_and_two_steps_agree_with_networkx(
    edges: list[tuple[int, int, int]], seed: object
) -> None:
    graph = graph_of(edges)
    oracle = nx.DiGraph()
    for a, b, sign in edges:
        oracle.add_edge(f"G{a}", f"G{b}")
        oracle[f"G{a}"][f"G{b}"].setdefault("signs", set()).add(sign)
    every = np.arange(-1, graph.node_n)
    source, target = (grid.ravel() for grid in np.meshgrid(every, every))
    masks = graph.lookup(source, target)
    two = graph.has_two_step(source, target)
    for a, b, mask, middle in zip(
        source.tolist(), target.tolist(), masks.tolist(), two.tolist(), strict=True
    ):
        if a < 0 or b < 0:
            assert not mask and not middle
            continue
        one, other = graph.names[a], graph.names[b]
        signs = oracle[one][other]["signs"] if oracle.has_edge(one, other) else set()
        assert graph.signs_of(one, other) == signs
        assert bool(mask) == bool(signs)
        assert middle == bool(set(oracle.successors(one)) & set(oracle.predecessors(other)))
    assert dict(zip(graph.names, graph.out_degree, strict=True)) == dict(oracle.out_degree)
    assert dict(zip(graph.names, graph.in_degree, strict=True)) == dict(oracle.in_degree)


@settings(max_examples=50, deadline=None)
@given(edges=edge_lists.filter(bool), data=st.data())
def test_order_of_rows_and_files_leaves_no_trace(
    edges: list[tuple[int, int, int]], data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(edges))
    cut = data.draw(st.integers(0, len(edges)))
    graph = graph_of(edges)
    other = graph_of(shuffled)
    assert (graph.names, pairs(graph)) == (other.names, pairs(other))
    if 0 < cut < len(edges):
        parts = [graph_of(part) for part in (edges[:cut], edges[cut:])]
        united: dict[tuple[str, str], set[int]] = {}
        for part in parts:
            for pair, signs in pairs(part).items():
                united.setdefault(pair, set()).update(signs)
        assert {pair: tuple(sorted(signs)) for pair, signs in united.items()} == pairs(graph)


@settings(max_examples=100, deadline=None)
@given(
    names=st.lists(st.text(min_size=1, max_size=6), min_size=1, max_size=6),
    suffix=st.sampled_from([".tsv", ".tsv.gz"]),
)
def test_any_names_survive_writing_and_reading(names: list[str], suffix: str) -> None:
    stored = nx.DiGraph()
    for place, name in enumerate(names):
        stored.add_edge(name, names[place - 1], sign=(place % 3) - 1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kg.pkl"
        path.write_bytes(pickle.dumps(stored))
        graph = read_graph(path)
        if not graph.node_n:
            return
        written = Path(folder) / f"out{suffix}"
        write_graph_tsv(graph, written)
        again = read_graph(written)
        assert (again.names, pairs(again)) == (graph.names, pairs(graph))
