"""What RR-10 answers are held against, as it comes: registry, tables, genes, gene sets, graphs."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from tests.robust.rr10_samples import ANSWERS, FIRST, GOLD, ITEM_N, ITEMS, evaluate_rr10
from tests.robust.samples import GRAPH, Ran, Spoil, check_refused, json_lines, run_command

MOUSE: Final = "mus_musculus"
DATASET: Final = FIRST["provenance"][0]["osd"]
DATASETS: Final = sorted({row["osd"] for item in ITEMS for row in item["provenance"]})
MOUSE_N: Final = sum(item["organism"] == MOUSE for item in ITEMS)
COLUMNS: Final = "SYMBOL\tLog2fc_(FLT)v(GC)\tAdj.p.value_(FLT)v(GC)\n"
CHAIN: Final = [["P", "+", "A"], ["P", "-", "A"], ["X", "+", "Y"]]
PREDICTIONS: Final = json_lines([row | {"evidence": row["evidence"] + CHAIN} for row in ANSWERS])

FILES: Final[dict[str, str]] = {
    "registry": "".join(f"{name}\tRodent study\n" for name in DATASETS),
    "table": COLUMNS + "Trp1\t0.76\t0.001\n" + "".join(f"G{n}\t0.1\t0.5\n" for n in range(50)),
    "genes": "".join(f"{item['gene']}\t1\n" for item in ITEMS),
    "gene sets": "T1\tx\tA\tB\tTrp1\nT2\tx\tB\tC\nT3\tx\tC\tD\tE\tTrp1\n",
    "graph": GRAPH,
}
OPTIONS: Final[dict[str, Callable[[object], list[object]]]] = {
    "registry": lambda path: ["--osd-registry", path],
    "table": lambda path: ["--osd-table", f"{DATASET}={path}"],
    "genes": lambda path: ["--genes", f"{MOUSE}={path}"],
    "gene sets": lambda path: ["--tiers", "1", "2", "3", "--go-gmt", f"{MOUSE}={path}"],
    "graph": lambda path: ["--external-kg", f"{MOUSE}={path}"],
}
HARMLESS: Final[dict[str, Spoil]] = {
    "as it is": lambda data: data,
    "BOM": lambda data: b"\xef\xbb\xbf" + data,
    "CRLF": lambda data: data.replace(b"\n", b"\r\n"),
    "CR": lambda data: data.replace(b"\n", b"\r"),
    "no final newline": lambda data: data[:-1],
    "gzip": gzip.compress,
}
SPOILT: Final[dict[str, tuple[Spoil, set[str]]]] = {
    "UTF-16": (lambda data: data.decode().encode("utf-16"), {"not-utf8"}),
    "UTF-16 without a mark": (lambda data: data.decode().encode("utf-16-le"), {"not-utf8"}),
    "cp1252": (lambda data: data + b"\xe9\xe8\n", {"not-utf8"}),
    "surrogate": (lambda data: data + b"\xed\xa0\xbd\n", {"not-utf8"}),
    "NUL": (lambda data: data + b"A\0B\n", {"nul-byte"}),
    "empty": (lambda data: b"", {"empty-file"}),
    "blank": (lambda data: b"\n \n\t\n", {"empty-file"}),
    "cut off": (lambda data: gzip.compress(data)[:-9], {"truncated-file"}),
    "web page": (
        lambda data: b"<!DOCTYPE html><html><body>Sign in</body></html>\n",
        {"no-accession", "missing-column", "not-a-gene-list", "html-page"},
    ),
    "JSON": (
        lambda data: b'{"a": [1, 2]}\n',
        {"no-accession", "missing-column", "not-a-gene-list", "not-a-gmt", "json-not-read"},
    ),
    "pickle": (
        lambda data: b"\x80\x04\x8c\x05posix\x94\x8c\x06system\x94\x93\x94.",
        {"not-utf8", "nul-byte", "refused-pickle"},
    ),
}
every_kind = pytest.mark.parametrize("kind", FILES)


def run(tmp_path: Path, kind: str, data: bytes | Path) -> Ran:
    """Evaluate with one of the resources."""
    path = tmp_path / "resource.txt" if isinstance(data, bytes) else data
    if isinstance(data, bytes):
        path.write_bytes(data)
    return evaluate_rr10(tmp_path, PREDICTIONS, *OPTIONS[kind](path))


def figures(ran: Ran) -> Any:
    """What the resources could change."""
    assert ran.code == 0, ran.err
    names = ("citation_verdicts", "mechanism_edges", "go_null_reasons", "go_focus_mean", "findings")
    found = {name: ran.summary.get(name) for name in names}
    return json.loads(json.dumps(found).replace(str(ran.outputs.parent), ""))


@every_kind
def test_harmless(tmp_path: Path, kind: str) -> None:
    data = FILES[kind].encode()
    found = {}
    for number, (name, spoil) in enumerate(HARMLESS.items()):
        folder = tmp_path / str(number)
        folder.mkdir()
        found[name] = figures(run(folder, kind, spoil(data)))
    assert all(value == found["as it is"] for value in found.values())
    told = found["as it is"]
    assert told["citation_verdicts"]["SUPPORTED"] == sum(len(i["provenance"]) for i in ITEMS)
    edges = told["mechanism_edges"]
    assert sum(edges.values()) == 3 * ITEM_N
    assert edges["no_kg_for_organism"] == 3 * (ITEM_N - (MOUSE_N if kind == "graph" else 0))
    if kind == "gene sets":
        assert told["go_null_reasons"]["no_gene_sets_for_organism"] == ITEM_N - MOUSE_N


@every_kind
@pytest.mark.parametrize("name", SPOILT)
def test_spoilt(tmp_path: Path, kind: str, name: str) -> None:
    spoil, codes = SPOILT[name]
    ran = run(tmp_path, kind, spoil(FILES[kind].encode()))
    assert len(ran.codes) == 1, ran.err
    assert ran.codes[0] in codes
    check_refused(ran, ran.codes[0])
    assert "resource.txt" in ran.err
    assert "  fix: " in ran.err


@every_kind
def test_what_is_no_file(tmp_path: Path, kind: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    check_refused(run(tmp_path, kind, tmp_path / "pipe"), "not-a-regular-file")
    check_refused(run(tmp_path, kind, tmp_path), "is-a-directory")
    check_refused(run(tmp_path, kind, tmp_path / "none"), "no-such-file", exit_code=4)


@every_kind
def test_lines_that_are_odd_do_no_harm(tmp_path: Path, kind: str) -> None:
    """A line of 5 MB, line separators in a cell, escapes: told, and nothing raw on the terminal."""
    more = "x" * 5_000_000 + "\na\u2028b\x85c\n\x1b[31mred\t\x9b\ty\n"
    ran = run(tmp_path, kind, (FILES[kind] + more).encode())
    assert ran.code in (0, 3), ran.err
    assert ran.codes or kind == "genes"
    assert not set("\x1b\x9b\u2028\x85") & set(ran.err)


# Options


USAGE: Final[dict[str, tuple[list[str], str]]] = {
    "gene sets twice for all": (["--go-gmt", "a", "--go-gmt", "b"], "given-twice"),
    "gene sets twice": ([f"--go-gmt={MOUSE}=a", f"--go-gmt={MOUSE}=b"], "given-twice"),
    "graphs twice": ([f"--external-kg={MOUSE}=a", f"--external-kg={MOUSE}=b"], "given-twice"),
    "graph without": ([f"--external-kg={MOUSE}=a", "--external-kg=b"], "graph-of-which-organism"),
    "genes twice": ([f"--genes={MOUSE}=a", "--genes=Mus musculus=b"], "given-twice"),
    "genes without": (["--genes", "a.txt"], "bad-option"),
    "tables twice": (["--osd-table=OSD-48=a", "--osd-table=GLDS-048=b"], "given-twice"),
    "table without": (["--osd-table", "a.csv"], "bad-option"),
    "table of no accession": (["--osd-table", "GSE48=a"], "bad-option"),
    "table of a bare number": (["--osd-table", "48=a"], "bad-option"),
    "Arabic digits": (["--osd-table", "OSD-٤٨=a"], "bad-option"),
    "table without a file": (["--osd-table", "OSD-48="], "bad-option"),
}


@pytest.mark.parametrize(("options", "code"), USAGE.values(), ids=USAGE)
def test_options_that_cant_be_read(tmp_path: Path, options: list[str], code: str) -> None:
    ran = evaluate_rr10(tmp_path, PREDICTIONS, *options)
    assert (ran.code, ran.codes) == (2, [code])
    assert "fix: " in ran.err


def test_organisms_that_the_benchmark_lacks(tmp_path: Path) -> None:
    for name, kind in (("graph", "--external-kg"), ("gene sets", "--go-gmt")):
        path = tmp_path / "resource.txt"
        path.write_text(FILES[name])
        ran = evaluate_rr10(
            tmp_path, PREDICTIONS, "--tiers", "1", "2", "3", kind, f"danio_rerio={path}"
        )
        assert (ran.code, ran.codes) == (0, ["organism-not-in-benchmark"])
        assert ran.summary["mechanism_edges"]["no_kg_for_organism"] == 3 * ITEM_N
    ran = evaluate_rr10(tmp_path, PREDICTIONS, "--genes", f"danio_rerio={path}")
    assert (ran.code, ran.codes) == (2, ["unknown-organism"])


def test_a_table_of_an_accession_that_the_benchmark_lacks(tmp_path: Path) -> None:
    path = tmp_path / "table.tsv"
    path.write_text(FILES["table"])
    ran = evaluate_rr10(tmp_path, PREDICTIONS, "--osd-table", f"OSD-999={path}")
    check_refused(ran, "unknown-organism")
    path.write_text("ENSEMBL" + COLUMNS[6:] + "ENSMUSG00000000001\t1\t0.01\n")
    ran = evaluate_rr10(tmp_path, PREDICTIONS, "--osd-table", f"OSD-999={path}")
    assert ran.code == 0, ran.err


def test_a_registry_makes_datasets_fabricated(tmp_path: Path) -> None:
    """What was not in the benchmark is fabricated once all accessions are known."""
    cited = [[FIRST["gene"], "+", "OSD-9999"]]
    data = json_lines([ANSWERS[0] | {"evidence": cited}, *ANSWERS[1:]])
    without = evaluate_rr10(tmp_path, data)
    assert without.summary["citation_verdicts"]["NOT_IN_BENCHMARK"] == 1
    (tmp_path / "registry.txt").write_text(FILES["registry"])
    ran = evaluate_rr10(tmp_path, data, "--osd-registry", tmp_path / "registry.txt")
    assert ran.summary["citation_verdicts"]["FABRICATED_DATASET"] == 1


# The provenance graph in a file


@pytest.fixture(params=["json", "graphml"])
def built(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return a provenance graph."""
    (tmp_path / "benchmark.jsonl").write_bytes(GOLD)
    path = tmp_path / f"graph.{request.param}"
    ran = run_command("kg", "build", "--rr10", tmp_path / "benchmark.jsonl", "-o", path)
    assert ran.code == 0, ran.err
    return path


GENE: Final = FIRST["gene"].encode()
GRAPH_FAULTS: Final[dict[str, Spoil]] = {
    "cut off": lambda data: data[:-50],
    "twice": lambda data: data * 2,
    "UTF-16": lambda data: data.decode().encode("utf-16"),
    "NUL": lambda data: data.replace(GENE, b"T\0"),
    "cp1252": lambda data: data.replace(GENE, b"T\xe9"),
    "empty": lambda data: b"",
    "nested too deep": lambda data: b"[" * 100_000 + b"]" * 100_000,
    "no edges": lambda data: data.replace(b'"edges"', b'"none"').replace(b"<edge", b"<none"),
    "no nodes": lambda data: data.replace(b'"nodes"', b'"none"').replace(b"<node", b"<none"),
    "a name of 5 MB": lambda data: data.replace(GENE, b"T" * 5_000_000, 1),
    "entities": lambda data: (
        b'<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
        b"<graphml>&b;</graphml>"
    ),
}


@pytest.mark.parametrize("spoil", GRAPH_FAULTS.values(), ids=GRAPH_FAULTS)
def test_damaged_graphs(built: Path, spoil: Spoil) -> None:
    built.write_bytes(spoil(built.read_bytes()))
    ran = run_command("kg", "info", built, outputs=built.parent / "outputs")
    assert len(ran.codes) == 1, ran.err
    check_refused(ran, ran.codes[0])
    assert len(ran.err) < 2_000
    assert "  fix: " in ran.err


@pytest.mark.parametrize("spoil", HARMLESS.values(), ids=HARMLESS)
def test_sound_graphs(built: Path, spoil: Spoil) -> None:
    before = run_command("kg", "info", built, "--json").summary
    built.write_bytes(spoil(built.read_bytes()))
    ran = run_command("kg", "info", built, "--json")
    assert ran.code == 0, ran.err
    after = ran.summary
    for found in (before, after):
        del found["files"]
    assert after == before


def test_escapes_in_a_graph_do_not_reach_the_terminal(tmp_path: Path) -> None:
    items = [item | {"gene": "\x1b[31mred", "tissue": "\x9b\u202e"} for item in ITEMS]
    (tmp_path / "benchmark.jsonl").write_bytes(json_lines(items))
    target = tmp_path / "graph.json"
    built = run_command("kg", "build", "--rr10", tmp_path / "benchmark.jsonl", "-o", target)
    seen = run_command("kg", "info", target)
    assert (built.code, seen.code) == (0, 0)
    assert not set("\x1b\x9b\u202e") & set(built.out + built.err + seen.out + seen.err)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("benchmark.json", "output-is-input"),
        ("registry.json", "output-is-input"),
        ("link.json", "output-is-input"),
        ("folder.json", "not-a-regular-file"),
        ("pipe.json", "not-a-regular-file"),
        ("graph.tsv", "output-suffix"),
        ("", "no-file-name"),
    ],
)
def test_a_graph_takes_no_other_file_s_place(tmp_path: Path, name: str, code: str) -> None:
    benchmark, registry = tmp_path / "benchmark.json", tmp_path / "registry.json"
    benchmark.write_text(json.dumps(ITEMS))
    registry.write_text(FILES["registry"])
    (tmp_path / "folder.json").mkdir()
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "link.json").symlink_to(benchmark)
    before = (benchmark.read_bytes(), registry.read_bytes(), sorted(os.listdir(tmp_path)))
    target = tmp_path / name if name else ""
    ran = run_command("kg", "build", "--rr10", benchmark, "--osd-registry", registry, "-o", target)
    assert (ran.code, ran.codes) == (2, [code])
    assert before == (benchmark.read_bytes(), registry.read_bytes(), sorted(os.listdir(tmp_path)))
    assert (tmp_path / "pipe.json").is_fifo()
