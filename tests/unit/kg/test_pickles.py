"""Pickles: every protocol, other NetworkX versions, hostile ones."""

from __future__ import annotations

import builtins
import collections
import copyreg
import functools
import operator
import os
import pickle
import struct
import subprocess
import time
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

from eval_tiers.exceptions import BadInputError
from eval_tiers.kg.pickles import load_pickle
from eval_tiers.kg.source import ReadOptions
from tests.unit.kg.samples import codes, read, shared_file, triples

PROTOCOLS = range(6)
EDGES = [("CDKN1A", -1, "CDK2"), ("TP53", 0, "TP53"), ("TP53", 1, "CDKN1A")]


def toy(kind: type[Any]) -> Any:
    graph = kind(name="toy")
    graph.add_node("E2F1", family="tf", pos=(1.5, 2))
    graph.add_edge("TP53", "CDKN1A", sign=1, refs={"a", "b"}, raw=b"\xff", one=frozenset("x"))
    graph.add_edge("CDKN1A", "CDK2", sign=np.int64(-1), weight=np.float32(0.25), big=1 << 80)
    graph.add_edge("TP53", "TP53", sign="unknown", z=1j, more=bytearray(b"q"), many=[{"k": None}])
    return graph


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("kind", [nx.DiGraph, nx.MultiDiGraph])
@pytest.mark.parametrize("views", [False, True])
def test_directed_graphs(tmp_path: Path, kind: type[Any], protocol: int, views: bool) -> None:
    graph = toy(kind)
    if views:  # NetworkX keeps what was looked at, and pickles it along
        assert graph.nodes and graph.edges and graph.adj and graph.succ and graph.pred
        assert graph.degree and graph.in_edges
    table = read(tmp_path, pickle.dumps(graph, protocol), "kg.pkl")
    assert triples(table) == EDGES
    assert "E2F1" in table.nodes
    assert codes(table) == []


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("kind", [nx.Graph, nx.MultiGraph])
def test_undirected_graphs(tmp_path: Path, kind: type[Any], protocol: int) -> None:
    data = pickle.dumps(toy(kind), protocol)
    table = read(tmp_path, data, "kg.pkl")
    assert (table.edge_n, len(table.nodes)) == (0, 4)
    assert (table.counts.undirected_n, table.counts.undirected_skipped_n) == (3, 3)
    assert codes(table) == ["undirected-skipped", "no-edges"]
    both = read(tmp_path, data, "kg.pkl", ReadOptions(undirected="both"))
    assert set(triples(both)) == {
        (a, 0, b)
        for pair in (("TP53", "CDKN1A"), ("CDKN1A", "CDK2"), ("TP53", "TP53"))
        for a, b in (pair, pair[::-1])
    }


def test_parallel_edges_are_rows(tmp_path: Path) -> None:
    graph = nx.MultiDiGraph()
    graph.add_edge("A", "B", sign=1)
    graph.add_edge("A", "B", sign=-1)
    graph.add_edge("A", "B", key="x", sign=1)
    assert triples(read(tmp_path, pickle.dumps(graph), "kg.pkl")) == [
        ("A", -1, "B"),
        ("A", 1, "B"),
        ("A", 1, "B"),
    ]


@pytest.mark.parametrize(
    ("attributes", "signs"),
    [
        ({"sign": -1}, [-1]),
        ({"sign": "+"}, [1]),
        ({"Sign": np.float64(-1.0)}, [-1]),
        ({"sign": np.str_("inhibits")}, [-1]),
        ({"sign": np.bool_(True)}, [1]),
        ({"sign": float("nan")}, [0]),
        ({"weight": -0.4}, [-1]),
        ({"effect": "activation"}, [1]),
        ({"mode": "Repression"}, [-1]),
        ({"mode": "Unknown"}, [0]),
        ({"interaction": -1}, [-1]),
        ({"mor": 1.0}, [1]),
        ({"is_stimulation": True, "is_inhibition": False}, [1]),
        ({"is_stimulation": 1, "is_inhibition": 1}, [-1, 1]),
        ({"is_stimulation": 0, "is_inhibition": 0}, [0]),
        ({"consensus_stimulation": 0, "consensus_inhibition": 1}, [-1]),
        ({"signs": (-1, 1)}, [-1, 1]),
        ({"weight": 0.9, "type": "inhibits"}, [-1]),
        ({"source_db": "x"}, [0]),
        ({}, [0]),
    ],
)
def test_attributes_for_signs(tmp_path: Path, attributes: Any, signs: list[int]) -> None:
    graph = nx.DiGraph()
    graph.add_edge("A", "B", **attributes)
    table = read(tmp_path, pickle.dumps(graph), "kg.pkl")
    assert [sign for _, sign, _ in triples(table)] == signs


def test_consensus_flags_when_asked_for(tmp_path: Path) -> None:
    graph = nx.DiGraph()
    flags = {"is_stimulation": 1, "is_inhibition": 0}
    graph.add_edge("A", "B", **flags, consensus_stimulation=0, consensus_inhibition=1)
    data = pickle.dumps(graph)
    assert triples(read(tmp_path, data, "kg.pkl")) == [("A", 1, "B")]
    options = ReadOptions(consensus=True)
    assert triples(read(tmp_path, data, "kg.pkl", options)) == [("A", -1, "B")]


def numbered(**names: list[str]) -> bytes:
    graph = nx.DiGraph()
    for place in range(3):
        graph.add_node(place + 100, **{key: values[place] for key, values in names.items()})
    graph.add_edge(100, 101, sign=1)
    return pickle.dumps(graph)


def test_numbers_give_way_to_unique_names(tmp_path: Path) -> None:
    data = numbered(name=["A", "A", "B"], symbol=["tp53", "MDM2", "MYC"])
    table = read(tmp_path, data, "kg.pkl")
    assert triples(table) == [("TP53", 1, "MDM2")]
    assert codes(table) == ["names-from-attribute"]
    assert "'symbol'" in table.findings[0].message


def test_numbers_stay_where_names_repeat_or_are_missing(tmp_path: Path) -> None:
    table = read(tmp_path, numbered(name=["A", "A", "B"]), "kg.pkl")
    assert (triples(table), codes(table)) == ([("100", 1, "101")], ["names-not-unique"])
    table = read(tmp_path, numbered(label=["A", "", "B"]), "kg.pkl")
    assert (triples(table), codes(table)) == ([("100", 1, "101")], [])


def test_a_graph_of_networkx_1_and_numpy_1(tmp_path: Path) -> None:
    edges = [("CDKN1A", -1, "CDK2"), ("MDM2", -1, "TP53"), ("TP53", 1, "CDKN1A")]
    for name in ("kg_nx111.pkl", "kg_numpy.pkl"):
        path = shared_file(f"cases/files/kg-pickle-networkx1/{name}")
        assert triples(read(tmp_path, path.read_bytes(), "kg.pkl")) == edges


class Calls:
    """An object whose pickle calls what it is given."""

    def __init__(self, *reduced: Any) -> None:
        self.reduced = reduced

    def __reduce__(self) -> Any:
        return self.reduced


def in_a_graph(value: object) -> nx.DiGraph:
    graph = nx.DiGraph()
    graph.add_edge("A", "B", sign=1, more=value)
    return graph


HOSTILE: dict[str, tuple[Any, ...]] = {
    "os.system": (os.system, ("touch PROOF",)),
    "subprocess": (subprocess.check_output, (["touch", "PROOF"],)),
    "eval": (eval, ("open('PROOF', 'w')",)),
    "exec": (exec, ("open('PROOF', 'w')",)),
    "open": (open, ("PROOF", "w")),
    "import": (__import__, ("this",)),
    "getattr": (getattr, (nx.DiGraph, "__init__")),
    "attrgetter": (operator.attrgetter, ("__class__",)),
    "partial": (functools.partial, (os.system, "touch PROOF")),
    "map": (map, (print, [1])),
    "networkx reads": (nx.read_edgelist, ("PROOF",)),
    "networkx writes": (nx.write_graphml, (nx.DiGraph(), "PROOF")),
    "numpy loads": (np.load, ("PROOF",)),
    "numpy file": (np.fromfile, ("PROOF",)),
    "a path": (Path, ("PROOF",)),
    "a range": (range, (10**12,)),
    "type": (type, ("X", (), {})),
}


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_pickles_are_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, protocol: int
) -> None:
    monkeypatch.chdir(tmp_path)
    for value in (Calls(*HOSTILE[kind]), in_a_graph(Calls(*HOSTILE[kind]))):
        data = pickle.dumps(value, protocol)
        with pytest.raises(BadInputError) as caught:
            read(tmp_path, data, "kg.pkl")
        problem = caught.value.problems[0]
        assert problem.code == "refused-pickle"
        assert getattr(HOSTILE[kind][0], "__name__", "") in problem.message
        assert "python -c" in str(problem.fix)
    assert not (tmp_path / "PROOF").exists()


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    "value",
    [
        np.array([{}], dtype=object),
        np.array(["A", None], dtype=object),
        np.dtype("O"),
        collections.UserDict(a=1),
        time.struct_time(range(9)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_other_objects_are_refused(tmp_path: Path, value: object, protocol: int) -> None:
    for thing in (value, in_a_graph(value)):
        with pytest.raises(BadInputError):
            read(tmp_path, pickle.dumps(thing, protocol), "kg.pkl")


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    "value",
    [
        np.arange(5),
        np.array(["a", "bc"]),
        np.float32(0.5),
        np.datetime64("2020-01-01"),
        collections.OrderedDict(a=1, b=[2]),
        collections.defaultdict(list, a=[1]),
        {"k": (1, "x", None, 2.5, True)},
        {(1, "x"): 2},
        b"",
        -(1 << 200),
        "\ud83d",
    ],
    ids=lambda value: type(value).__name__,
)
def test_plain_values_are_let_through(tmp_path: Path, value: object, protocol: int) -> None:
    table = read(tmp_path, pickle.dumps(in_a_graph(value), protocol), "kg.pkl")
    assert triples(table) == [("A", 1, "B")]


def nested(depth: int, tail: bytes) -> bytes:
    return b"\x80\x02)" + b"\x85" * depth + tail


CRAFTED = {
    "persistent id": b"Pthere\n.",
    "binary persistent id": b"\x80\x02K\x01Q.",
    "extension code": b"\x80\x02\x82\x01.",
    "extension code 4": b"\x80\x02\x84\x01\x00\x00\x00.",
    "old-style instance": b"(iposix\nsystem\n.",
    "old-style object": b"(cposix\nsystem\no.",
    "another buffer": b"\x80\x05\x97.",
    "future protocol": b"\x80\x09N.",
    "memo bomb": b"\x80\x02Nr\xff\xff\xff\xff" + b"j\xfe\xff\xff\xff.",
    "huge string": b"\x80\x04\x8d" + struct.pack("<Q", 1 << 62) + b"x.",
    "huge bytearray": b"\x80\x05\x96" + struct.pack("<Q", 1 << 40) + b"x.",
    "huge frame": b"\x80\x04\x95" + struct.pack("<Q", 1 << 62) + b"N.",
    "huge long": b"\x80\x02\x8b" + struct.pack("<i", 2**31 - 1) + b"x.",
    "long in digits": b"L" + b"9" * 100_000 + b"L\n.",
    "nested key": nested(1_000_000, b"}\x94 .").replace(b"}\x94 ", b"q\x00}h\x00Ns"),
    "nested set": nested(1_000_000, b"q\x00\x8f(h\x00\x90."),
    "deep marks": b"(" * 5_000_000,
    "deep lists": b"\x80\x02" + b"(" * 50_000 + b"l" * 50_000 + b".",
    "called data": b"\x80\x02K\x01)R.",
    "called number": b"\x80\x02cbuiltins\nint\nX\x03\x00\x00\x00123\x85R.",
    "state of data": b"\x80\x02}}b.",
    "named arguments": b"\x80\x04cbuiltins\nset\n)}X\x01\x00\x00\x00aNs\x92.",
    "copies": b"\x80\x02("
    + b"K\x01" * 1000
    + b"lq\x00"
    + b"cbuiltins\nset\nh\x00\x85R" * 200
    + b".",
    "unhashable key": b"\x80\x02}]Ns.",
    "empty stack": b"\x80\x02.",
    "no stop": b"\x80\x02N",
    "no such memo": b"\x80\x02h\x07.",
    "no such opcode": b"\x80\x02\xff.",
    "odd dictionary": b"\x80\x02(K\x01d.",
    "torn string": b"\x80\x02X\xff\x00\x00\x00abc",
    "bad text": b"\x80\x02X\x01\x00\x00\x00\xff.",
    "float of words": b"Fpurple\n.",
    "string without quotes": b"Sabc\n.",
    "list, not a graph": pickle.dumps([("A", "B", 1)]),
    "graph without state": b"\x80\x02cnetworkx.classes.digraph\nDiGraph\n)\x81.",
    "graph of lists": b"\x80\x02cnetworkx.classes.digraph\nDiGraph\n)\x81}X\x04\x00\x00\x00_adj]sb.",
}


@pytest.mark.parametrize("kind", CRAFTED)
def test_crafted_pickles_end_in_bad_input_soon(tmp_path: Path, kind: str) -> None:
    started = time.monotonic()
    with pytest.raises(BadInputError):
        read(tmp_path, CRAFTED[kind], "kg.pkl")
    assert time.monotonic() - started < 20


def test_registered_extensions_are_refused_too(tmp_path: Path) -> None:
    copyreg.add_extension("builtins", "eval", 241)
    try:
        data = pickle.dumps(Calls(builtins.eval, ("1",)), 2)
        assert b"\x82\xf1" in data
        with pytest.raises(BadInputError, match="extension registry"):
            read(tmp_path, data, "kg.pkl")
    finally:
        copyreg.remove_extension("builtins", "eval", 241)


def test_every_truncation_is_bad_input() -> None:
    data = pickle.dumps(toy(nx.DiGraph), 4)
    for end in range(len(data)):
        with pytest.raises(BadInputError):
            load_pickle(data[:end], "kg.pkl")
