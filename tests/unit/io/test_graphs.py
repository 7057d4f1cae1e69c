"""Writing a graph, and reading the same one again."""

from __future__ import annotations

import gzip
import pickle
from pathlib import Path

import networkx as nx
import pytest

from eval_tiers.exceptions import MissingResourceError
from eval_tiers.io.graphs import describe_graph_file, read_graph, write_graph_tsv
from tests.unit.kg.samples import pairs

TABLE = (
    "source\ttarget\tsign\nB\tA\t1\nA\tB\t-1\nA\tB\t1\nA\tA\t0\nNA\tA\t1\nLONE\t\t\n"
    '"5"" end"\tA\t1\n"#HASH"\tA\t-1\nSOURCE\tTARGET\t1\n'
)


@pytest.mark.parametrize("name", ["out.tsv", "out.tsv.gz", "new/folder/out.tsv"])
def test_what_is_written_reads_as_the_same_graph(tmp_path: Path, name: str) -> None:
    (tmp_path / "kg.tsv").write_text(TABLE)
    graph = read_graph(tmp_path / "kg.tsv")
    assert {"LONE", '5" END', "#HASH"} <= set(graph.names)
    write_graph_tsv(graph, tmp_path / name)
    again = read_graph(tmp_path / name)
    assert again.names == graph.names
    assert pairs(again) == pairs(graph)
    assert again.findings == ()


def test_rows_are_sorted_one_a_pair_and_sign(tmp_path: Path) -> None:
    (tmp_path / "kg.tsv").write_text(TABLE)
    write_graph_tsv(read_graph(tmp_path / "kg.tsv"), tmp_path / "out.tsv")
    lines = (tmp_path / "out.tsv").read_text().split("\n")
    assert lines[0] == "source\ttarget\tsign"
    assert lines[3:6] == ["A\tA\t0", "A\tB\t-1", "A\tB\t1"]
    assert lines[-2:] == ["LONE\t\t", ""]


def test_the_same_graph_gives_the_same_bytes_in_any_order(tmp_path: Path) -> None:
    head, *rows = TABLE.strip().split("\n")
    for name, order in (("a", rows), ("b", rows[::-1] + rows)):
        (tmp_path / f"{name}.tsv").write_text("\n".join([head, *order]))
        write_graph_tsv(read_graph(tmp_path / f"{name}.tsv"), tmp_path / f"{name}.tsv.gz")
    packed = (tmp_path / "a.tsv.gz").read_bytes()
    assert packed == (tmp_path / "b.tsv.gz").read_bytes()
    assert packed[4:8] == bytes(4)
    assert gzip.decompress(packed).startswith(b"source\ttarget\tsign\n")


def test_a_graph_goes_through_networkx_and_back(tmp_path: Path) -> None:
    (tmp_path / "kg.tsv").write_text(TABLE)
    graph = read_graph(tmp_path / "kg.tsv")
    (tmp_path / "kg.pkl").write_bytes(pickle.dumps(graph.to_networkx()))
    again = read_graph(tmp_path / "kg.pkl")
    assert (again.names, pairs(again)) == (graph.names, pairs(graph))


def test_several_files_are_united(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("source\ttarget\tsign\nA\tB\t1\n")
    (tmp_path / "b.sif").write_text("A inhibits B C\n")
    graph, described = describe_graph_file([tmp_path / "a.tsv", tmp_path / "b.sif"])
    assert pairs(graph) == {("A", "B"): (-1, 1), ("A", "C"): (-1,)}
    files = described["files"]
    assert isinstance(files, list)
    assert [file["format"] for file in files] == ["signed_table", "sif"]
    assert all(len(file["sha256"]) == 64 for file in files)


def test_ids_are_warned_of(tmp_path: Path) -> None:
    graph = nx.DiGraph()
    graph.add_edge(7157, 1026, sign=1)
    (tmp_path / "kg.pkl").write_bytes(pickle.dumps(graph))
    found = read_graph(tmp_path / "kg.pkl").findings
    assert [finding.code for finding in found] == ["not-symbols"]
    assert "Entrez" in found[0].message


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "kg.tsv").write_text(TABLE)
    with pytest.raises(MissingResourceError):
        write_graph_tsv(read_graph(tmp_path / "kg.tsv"), tmp_path / "kg.tsv" / "out.tsv")
