"""``kg build`` and ``kg info``: output, exit codes, JSON."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import networkx as nx
import pytest

from eval_tiers.cli.console import run_reporting_errors
from eval_tiers.cli.main import cli
from tests.unit.kg.samples import shared_file

TABLE = "source\ttarget\tsign\nTP53\tCDKN1A\t1\nTP53\tCDKN1A\t-1\nMDM2\tMDM2\t0\n7-Sep\tTP53\t1\n"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "kg.tsv"
    path.write_text(TABLE)
    return path


def run(*argv: object) -> int:
    return run_reporting_errors(cli, ["kg", *map(str, argv)])


def test_info(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("info", table) == 0
    out, err = capsys.readouterr()
    words = {tuple(line.split()[:2]) for line in out.split("\n")}
    assert words >= {
        ("nodes", "4"),
        ("edges", "3"),
        ("positive", "2"),
        ("negative", "1"),
        ("conflicting", "1"),
        ("unsigned", "1"),
        ("self-loops", "1"),
        ("complexes", "0"),
        ("format", "signed_table"),
    }
    assert out.rstrip().split("\n")[-1].startswith("Next: eval-tiers eval --external-kg")
    assert "[excel-date]" in err
    assert max(map(len, out.replace(str(table), "kg.tsv").split("\n"))) <= 80


def test_info_as_json(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("info", table, "--json") == 0
    described = json.loads(capsys.readouterr().out)
    assert (described["node_n"], described["edge_n"], described["conflicting_n"]) == (4, 3, 1)
    assert described["files"][0]["format"] == "signed_table"
    assert described["findings"][0]["code"] == "excel-date"


def test_info_of_an_undirected_graph_exits_0(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "kg.pkl"
    path.write_bytes(pickle.dumps(nx.path_graph(["A1", "B1", "C1"])))
    assert run("info", path) == 0
    out, err = capsys.readouterr()
    assert "--undirected both" in out.rstrip().split("\n")[-1]
    assert "undirected" in err
    assert run("info", path, "--undirected", "both", "--json") == 0
    assert json.loads(capsys.readouterr().out)["unsigned_n"] == 4


def test_build_and_read_again(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = table.with_name("more.sif")
    other.write_text("TP53 activates MDM2\nE2F1\n")
    written = table.with_name("out.tsv.gz")
    assert run("build", table, other, "-o", written) == 0
    out = capsys.readouterr().out
    assert out.rstrip().split("\n")[-1] == f"Next: eval-tiers eval --external-kg {written} ..."
    assert run("build", table, other, "-o", table.with_name("again.tsv.gz"), "--json") == 0
    built = json.loads(capsys.readouterr().out)
    assert run("info", written, "--json") == 0
    read = json.loads(capsys.readouterr().out)
    assert built["written"]["sha256"] == read["files"][0]["sha256"]
    sizes = [key for key in read if key.endswith("_n") and key in built and key != "row_n"]
    assert {key: built[key] for key in sizes} == {key: read[key] for key in sizes}
    assert read["lone_node_n"] == 1


@pytest.mark.parametrize(
    ("argv", "code", "word"),
    [
        (["info", "none.tsv"], 4, "no-such-file"),
        (["info", "."], 3, "is-a-directory"),
        (["info", "kg.tsv", "--format", "nonesuch"], 2, "signed_table"),
        (["info"], 2, "FILE"),
        (["build", "kg.tsv"], 2, "output"),
        (["build", "-o", "x.tsv"], 2, "FILE"),
        (["build", "kg.tsv", "-o", "x.csv"], 2, "output-suffix"),
        (["build", "kg.tsv", "-o", "x.tsv", "--format", "omnipath"], 3, "missing-column"),
        (["build", "kg.tsv", "none.tsv", "-o", "x.tsv"], 4, "no-such-file"),
    ],
)
def test_exit_codes(
    table: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    argv: list[str],
    code: int,
    word: str,
) -> None:
    monkeypatch.chdir(table.parent)
    assert run(*argv) == code
    assert word in capsys.readouterr().err
    assert not Path("x.tsv").exists()


def test_every_format_is_a_choice(capsys: pytest.CaptureFixture[str]) -> None:
    from eval_tiers.kg.registry import source_names

    for name in ("build", "info"):
        assert run(name, "--help") == 0
        shown = "".join(capsys.readouterr().out.split())
        assert all(choice in shown for choice in source_names())


@pytest.mark.parametrize(
    ("name", "nodes", "edges"),
    [
        ("kg-sif-many-targets/kg_tab.sif", "6", "4"),
        ("kg-sif-many-targets/kg_space.sif", "6", "4"),
        ("kg-pickle-networkx1/kg_nx111.pkl", "4", "3"),
        ("kg-pickle-networkx1/kg_numpy.pkl", "4", "3"),
    ],
)
def test_cases(name: str, nodes: str, edges: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("info", shared_file(f"cases/files/{name}")) == 0
    words = {tuple(line.split()[:2]) for line in capsys.readouterr().out.split("\n")}
    assert {("nodes", nodes), ("edges", edges)} <= words
