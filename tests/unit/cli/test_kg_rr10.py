"""``kg build --rr10`` and ``kg info`` of what it writes: files, output, exit codes."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import networkx as nx
import pytest

from eval_tiers.cli.console import run_reporting_errors
from eval_tiers.cli.main import cli
from eval_tiers.io.provenance import read_provenance
from eval_tiers.io.provenance_files import read_provenance_graph
from eval_tiers.io.rr10_benchmark import read_items
from tests.unit.kg.rr10_samples import benchmark_line, items
from tests.unit.kg.samples import shared_file

TABLE = (
    "\ufeffENSEMBL,SYMBOL,Log2fc_(Ground Control)v(Space Flight),"
    "Adj.p.value_(Ground Control)v(Space Flight)\r\n"
    "ENSMUSG00000000001,Cyp4a14,-1.5,0.01\r\nENSMUSG00000000002,Socs2,-2,NA\r\n"
)
BENCHMARK = "".join(map(benchmark_line, items()))
SUFFIXES = (".json", ".json.gz", ".graphml", ".graphml.gz")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a benchmark and what widens it, as the working folder."""
    (tmp_path / "bench.jsonl").write_text(BENCHMARK)
    (tmp_path / "OSD-47.csv").write_text(TABLE, newline="")
    (tmp_path / "registry.txt").write_text("accession\nOSD-1\nGLDS-47\nOSD-9\n")
    (tmp_path / "mouse.txt").write_text("symbol\nCyp4a14\nAngptl4\nActb\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*argv: object) -> int:
    return run_reporting_errors(cli, ["kg", *map(str, argv)])


def written_graph(path: Path) -> nx.MultiDiGraph:
    """Read a graph file with NetworkX alone."""
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    if ".graphml" in path.name:
        return nx.read_graphml(BytesIO(data), edge_key_type=int, force_multigraph=True)
    return nx.node_link_graph(json.loads(data, parse_constant=pytest.fail), edges="edges")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_networkx_reads_what_is_written(folder: Path, suffix: str) -> None:
    target = folder / "kg" / f"rr10{suffix}"
    assert (
        run("build", "--rr10", "bench.jsonl", "--osd-table", "GLDS-47=OSD-47.csv", "-o", target)
        == 0
    )
    graph = read_provenance(read_items(folder / "bench.jsonl"), {"OSD-47": folder / "OSD-47.csv"})
    made, found = graph.to_networkx(), written_graph(target)
    assert isinstance(found, nx.MultiDiGraph)
    assert dict(found.nodes(data=True)) == dict(made.nodes(data=True))
    assert list(found.edges(keys=True, data=True)) == list(made.edges(keys=True, data=True))
    assert {
        name: type(value) for *_, edge in found.edges(data=True) for name, value in edge.items()
    } == {name: type(value) for *_, edge in made.edges(data=True) for name, value in edge.items()}
    about = found.graph
    assert about["kind"] == "eval_tiers provenance graph"
    assert about["format_version"] == 1
    assert about["benchmark"] == "bench.jsonl"
    assert about["benchmark_sha256"] == hashlib.sha256(BENCHMARK.encode()).hexdigest()
    assert about["tables"] in (["OSD-47=OSD-47.csv"], "OSD-47=OSD-47.csv")


def test_a_reversed_table_is_turned_and_what_is_unknown_left_out(folder: Path) -> None:
    assert (
        run("build", "--rr10", "bench.jsonl", "--osd-table", "OSD-47=OSD-47.csv", "-o", "a.json")
        == 0
    )
    edge = written_graph(folder / "a.json").edges["gene:mus_musculus::Socs2", "dataset:OSD-47", 0]
    assert edge == {
        "kind": "measured",
        "sign": 1,
        "log2fc": 2.0,
        "contrast": "(Ground Control)v(Space Flight)",
        "orientation": -1,
        "source_file": "OSD-47.csv",
        "line": 3,
        "number": 0,
    }


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_same_input_gives_the_same_bytes(folder: Path, suffix: str) -> None:
    command = [sys.executable, "-m", "eval_tiers", "kg", "build", "--rr10", "bench.jsonl",
               "--osd-table", "OSD-47=OSD-47.csv", "--osd-registry", "registry.txt",
               "--genes", "mus_musculus=mouse.txt", "-o"]  # fmt: skip
    written = []
    for seed in ("1", "2"):
        target = folder / f"{seed}{suffix}"
        subprocess.run([*command, target], check=True, capture_output=True, timeout=120,
                       env={**os.environ, "PYTHONHASHSEED": seed})  # fmt: skip
        written.append(target.read_bytes())
    assert written[0] == written[1]


def test_build_tells_what_it_wrote(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("build", "--rr10", "bench.jsonl", "-o", "rr10.json") == 0
    out, err = capsys.readouterr()
    assert err == ""
    lines = [" ".join(line.split()) for line in out.split("\n")]
    assert lines[0] == "written rr10.json"
    assert lines[2] == f"sha256 {hashlib.sha256((folder / 'rr10.json').read_bytes()).hexdigest()}"
    assert {
        "genes 3", "1 homo_sapiens", "2 mus_musculus", "datasets 3", "items 3", "contexts 2",
        "2 items, mus_musculus::liver", "1 items, homo_sapiens::cells", "rows 5 of evidence",
        "5 of the benchmark", "0 of whole tables", "positive 3", "negative 2", "q >= .05 1",
        "reversed 0 orientation -1: log2FC was turned", "both signs 0 pairs of gene and dataset",
    } <= set(lines)  # fmt: skip
    assert lines[-2] == "Next: eval-tiers kg info rr10.json"
    assert max(map(len, out.split("\n"))) <= 80


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_info_says_the_same_as_build(
    folder: Path, capsys: pytest.CaptureFixture[str], suffix: str
) -> None:
    target = f"rr10{suffix}"
    assert run("build", "--rr10", "bench.jsonl", "--osd-registry", "registry.txt", "--genes",
               "mus_musculus=mouse.txt", "-o", target, "--json") == 0  # fmt: skip
    built = json.loads(capsys.readouterr().out)
    assert run("info", target, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["files"][0] == {
        "path": target,
        "format": "GraphML" if "graphml" in suffix else "node-link JSON",
        "sha256": built["written"]["sha256"],
    }
    counts = {name: value for name, value in told.items() if name not in ("files", "about")}
    assert counts.items() <= built.items()
    assert (counts["gene_n"], counts["dataset_n"], counts["row_n"]) == (4, 5, 5)
    assert counts["genes"] == {"homo_sapiens": 1, "mus_musculus": 3}
    assert run("info", target) == 0
    out = capsys.readouterr().out
    assert "provenance graph" in out and "bench.jsonl" in out
    assert [line.split() for line in out.split("\n") if line.startswith("rows")] == [
        ["rows", "5", "of", "evidence"]
    ]


def test_a_compressed_benchmark_has_the_hash_of_its_content(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "bench.jsonl.gz").write_bytes(gzip.compress(BENCHMARK.encode()))
    hashes = set()
    for name in ("bench.jsonl", "bench.jsonl.gz"):
        assert run("build", "--rr10", name, "-o", "a.json", "--json") == 0
        hashes.add(json.loads(capsys.readouterr().out)["about"]["benchmark_sha256"])
    assert hashes == {hashlib.sha256(BENCHMARK.encode()).hexdigest()}


@pytest.mark.parametrize("name", ["bench.jsonl", "bench.json"])
def test_info_of_a_benchmark_says_what_to_do(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    rows = [json.loads(line) for line in BENCHMARK.splitlines()]
    (folder / "bench.json").write_text(json.dumps(rows, indent=1))
    assert run("info", name) == 3
    err = " ".join(capsys.readouterr().err.split())
    assert "[benchmark-not-graph]" in err
    assert f"kg build --rr10 {name}" in err


def test_text_that_xml_cannot_hold(folder: Path) -> None:
    rows = [json.loads(line) for line in BENCHMARK.splitlines()]
    rows[0]["provenance"][0]["contrast"] = "a\x00b\x1f\ud83d<&>\u2028"
    (folder / "odd.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for name in ("a.graphml", "a.json"):
        assert run("build", "--rr10", "odd.jsonl", "-o", name) == 0
        made = written_graph(folder / name)
        edge = made.edges["gene:mus_musculus::Cyp4a14", "dataset:OSD-47", 0]
        assert "<&>\u2028" in edge["contrast"]
        assert run("info", name) == 0


BUILD = ("build", "--rr10", "bench.jsonl", "-o", "out.json")


@pytest.mark.parametrize(
    ("argv", "code", "word"),
    [
        (("build", "--rr10", "none.jsonl", "-o", "out.json"), 4, "no-such-file"),
        (("build", "--rr10", "bench.jsonl", "-o", "out.tsv"), 2, "output-suffix"),
        (("build", "--rr10", "bench.jsonl", "-o", "json"), 2, "output-suffix"),
        (("build", "--rr10", "OSD-47.csv", "-o", "out.json"), 3, "Error"),
        (("build", "--rr10", "bench.jsonl"), 2, "output"),
        (("build", "-o", "out.json"), 2, "FILE"),
        (("build", "OSD-47.csv", "-o", "out.json"), 2, "output-suffix"),
        (("build", "OSD-47.csv", "-o", "out.tsv", "--genes", "a=b"), 2, "--genes needs --rr10"),
        (("build", "-o", "out.tsv", "--osd-table", "a=b"), 2, "--osd-table needs --rr10"),
        ((*BUILD, "OSD-47.csv"), 2, "FILE has no place beside --rr10"),
        ((*BUILD, "--format", "sif"), 2, "--format has no place beside --rr10"),
        ((*BUILD, "--osd-table", "OSD-47"), 2, "bad-option"),
        ((*BUILD, "--osd-table", "OSD-47="), 2, "bad-option"),
        ((*BUILD, "--osd-table", "47=OSD-47.csv"), 2, "OSD-48=FILE"),
        ((*BUILD, "--osd-table", "OSD-47=a", "--osd-table", "glds 047=b"), 2, "given-twice"),
        ((*BUILD, "--osd-table", "OSD-47=none.csv"), 4, "no-such-file"),
        ((*BUILD, "--osd-table", "OSD-25=OSD-47.csv"), 3, "organism-mismatch"),
        ((*BUILD, "--osd-registry", "none.txt"), 4, "no-such-file"),
        ((*BUILD, "--osd-registry", "mouse.txt"), 3, "no-accession"),
        ((*BUILD, "--genes", "mouse.txt"), 2, "bad-option"),
        ((*BUILD, "--genes", "=mouse.txt"), 2, "bad-option"),
        ((*BUILD, "--genes", "mouse=mouse.txt"), 2, "homo_sapiens, mus_musculus"),
        ((*BUILD, "--genes", "Mus musculus=a", "--genes", "mus_musculus=b"), 2, "given-twice"),
        ((*BUILD, "--genes", "mus_musculus=none.txt"), 4, "no-such-file"),
    ],
)
def test_exit_codes(
    folder: Path, capsys: pytest.CaptureFixture[str], argv: tuple[str, ...], code: int, word: str
) -> None:
    assert run(*argv) == code
    out, err = capsys.readouterr()
    assert word in " ".join(err.split())
    assert out == ""
    assert not list(folder.glob("out*"))


def test_warnings_go_to_stderr_and_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*BUILD, "--json", "--osd-table", "OSD-168=OSD-47.csv") == 0
    out, err = capsys.readouterr()
    codes = [finding["code"] for finding in json.loads(out)["findings"]]
    assert codes == ["other-accession", "table-contradicts"]
    assert all(f"[{code}]" in err for code in codes)


def spoil_version(text: str) -> str:
    return text.replace('"format_version": 1', '"format_version": 99')


def spoil_end(text: str) -> str:
    return text[: len(text) // 2]


def spoil_sign(text: str) -> str:
    return text.replace('"sign": -1', '"sign": "down"')


def spoil_edges(text: str) -> str:
    return text.replace('"edges": [', '"links": [')


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (spoil_version, "unknown-version"),
        (spoil_end, "damaged-graph"),
        (spoil_sign, "damaged-graph"),
        (spoil_edges, "damaged-graph"),
    ],
)
def test_a_damaged_graph(
    folder: Path, capsys: pytest.CaptureFixture[str], spoil: Callable[[str], str], code: str
) -> None:
    assert run(*BUILD) == 0
    text = (folder / "out.json").read_text()
    (folder / "bad.json").write_text(spoil(text))
    assert run("info", "bad.json") == 3
    assert f"[{code}]" in capsys.readouterr().err


def test_a_damaged_graphml(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("build", "--rr10", "bench.jsonl", "-o", "out.graphml") == 0
    (folder / "bad.graphml").write_text((folder / "out.graphml").read_text()[:-20])
    assert run("info", "bad.graphml") == 3
    assert "[damaged-graph]" in capsys.readouterr().err


def test_other_graphs_are_no_provenance_graphs(folder: Path) -> None:
    (folder / "a.json").write_text('{"graph": {}, "nodes": [], "edges": []}')
    (folder / "b.json").write_text('{"graph": {"kind": "not an eval_tiers provenance graph"}}')
    (folder / "c.graphml").write_text("<graphml/>")
    (folder / "d.tsv").write_text("source\ttarget\tsign\neval_tiers provenance graph\tA\t1\n")
    for name in ("a.json", "b.json", "c.graphml", "d.tsv"):
        assert read_provenance_graph(str(folder / name)) is None
    assert run("info", "d.tsv") == 0


def test_the_stand_in_with_a_whole_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    benchmark = shared_file("data/rr10/rr10_standin_mouse_hallmark.jsonl")
    table = shared_file("data/osdr/OSD-168_full_osdr_columns.derived.csv.gz")
    target = tmp_path / "rr10.json.gz"
    assert (
        run("build", "--rr10", benchmark, "--osd-table", f"OSD-168={table}", "-o", target, "--json")
        == 0
    )
    built = json.loads(capsys.readouterr().out)
    records = [json.loads(line) for line in benchmark.read_text().splitlines()]
    rows = [made for record in records for made in record["provenance"]]
    assert built["item_n"] == len(records) == 98
    assert built["benchmark_row_n"] == len(rows)
    assert built["table_row_n"] == 21_400
    assert built["context_n"] == len({record["context"] for record in records})
    made = written_graph(target)
    assert sum(edge.get("item_id") is not None for *_, edge in made.edges(data=True)) == len(rows)
