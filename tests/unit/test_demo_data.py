"""The bundled demo data: network, gene sets, questions, predictions and the script behind them."""

from __future__ import annotations

import csv
import hashlib
import importlib.util
import json
import sqlite3
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "eval_tiers" / "demo"
SPLITS = ("id_test", "pert_ood")
KINDS = ("chemical", "genetic")
ERROR_LABELS = {
    "CORRECT",
    "CORRECT_HALLUCINATED_EDGE",
    "CORRECT_RIGHT_FOR_WRONG_REASON",
    "CORRECT_SIGN_FLIP",
    "WRONG_CORRECT_CHAIN",
    "WRONG_HALLUCINATED_EDGE",
    "WRONG_NO_PATH",
    "WRONG_SIGN_FLIP",
    "PARSE_FAIL",
    "UNCLASSIFIED",
}
MODE_SIGNS = {
    "knockdown": -1,
    "knockout": -1,
    "CRISPRi": -1,
    "activation": 1,
    "overexpression": 1,
    "CRISPRa": 1,
    "treatment": 1,
}

Record = dict[str, Any]


def read_jsonl(path: Path) -> list[Record]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def read_table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t"))


@pytest.fixture(scope="module")
def network() -> list[dict[str, str]]:
    return read_table(DEMO / "kg_demo.tsv")


@pytest.fixture(scope="module")
def questions() -> list[Record]:
    files = [DEMO / "questions/gt" / s / f"pqa_{k}.jsonl" for s in SPLITS for k in KINDS]
    return [record for path in files for record in read_jsonl(path)]


@pytest.fixture(scope="module")
def planted_labels() -> dict[str, dict[str, str]]:
    rows = read_table(DEMO / "predictions/planted/planted_labels.tsv")
    assert len({row["sample_id"] for row in rows}) == len(rows)
    return {row["sample_id"]: row for row in rows}


def test_network_is_clean(network: list[dict[str, str]]) -> None:
    assert len(network) >= 200
    assert list(network[0]) == ["source", "target", "sign", "topic"]
    edges = [(row["source"], row["target"], row["sign"]) for row in network]
    assert len(set(edges)) == len(edges)
    for row in network:
        assert row["sign"] in ("1", "-1")
        assert all(value and value == value.strip() for value in row.values())
        assert row["source"] == row["source"].upper() != row["target"] == row["target"].upper()


def test_network_has_a_few_pairs_of_both_signs(network: list[dict[str, str]]) -> None:
    pairs = Counter((row["source"], row["target"]) for row in network)
    assert sum(count == 2 for count in pairs.values()) == 4
    assert max(pairs.values()) == 2


def test_network_starts_from_chemicals(network: list[dict[str, str]]) -> None:
    chemicals = {row["source"] for row in network if row["topic"].startswith("pharmacology")}
    assert len(chemicals) >= 8


def test_gene_sets(network: list[dict[str, str]]) -> None:
    lines = (DEMO / "go_demo.gmt").read_text(encoding="utf-8").removesuffix("\n").split("\n")
    sets = [line.split("\t") for line in lines]
    assert len({cells[0] for cells in sets}) == len({cells[1] for cells in sets}) == len(sets)
    genes = {row[end] for row in network for end in ("source", "target")}
    for name, go_id, *members in sets:
        assert name.startswith("GOBP_")
        assert go_id.startswith("GO:")
        assert members == sorted(set(members))
        assert len(genes.intersection(members)) >= 4
    assert [cells[1] for cells in sets] == sorted(cells[1] for cells in sets)
    assert len({gene for cells in sets for gene in cells[2:]} - genes) > 500


def test_questions_have_unique_ids_and_known_words(questions: list[Record]) -> None:
    assert len(questions) >= 140
    assert len({record["id"] for record in questions}) == len(questions)
    for record in questions:
        assert record["answer"] in ("up", "down", "unchanged")
        assert record["perturbation_mode"] in MODE_SIGNS
        assert record["id"].split("-")[1] == record["pert_type"]
        assert record["question"].endswith((".", "?"))


def test_gold_chains_are_in_the_network(
    network: list[dict[str, str]], questions: list[Record]
) -> None:
    edges = {(row["source"], row["target"], int(row["sign"])) for row in network}
    answers = Counter[str]()
    for record in questions:
        path = record.get("path")
        if not path:
            continue
        product = MODE_SIGNS[record["perturbation_mode"]]
        for source, sign, target in path:
            value = {"+": 1, "-": -1}[sign]
            assert (source, target, value) in edges
            assert (source, target, -value) not in edges
            product *= value
        nodes = [path[0][0], *(edge[2] for edge in path)]
        assert [edge[0] for edge in path] == nodes[:-1]
        assert len(set(nodes)) == len(nodes) <= 5
        assert (nodes[0], nodes[-1]) == (record["pert"], record["gene"])
        assert record["answer"] in ("unchanged", "up" if product > 0 else "down")
        answers[record["answer"]] += 1
    assert 0.08 < answers["unchanged"] / answers.total() < 0.16
    assert min(answers["up"], answers["down"]) > 40


def test_questions_without_a_chain(questions: list[Record]) -> None:
    empty = [record for record in questions if record.get("path") == []]
    assert len(empty) >= 3
    assert {record["answer"] for record in empty} == {"unchanged"}
    bare = [record for record in questions if "path" not in record]
    assert len(bare) == 2
    assert all("pert" not in record and "gene" not in record for record in bare)


def test_no_perturbation_is_in_both_splits(questions: list[Record]) -> None:
    named = [record for record in questions if "pert" in record]
    first, second = (
        {record["pert"] for record in named if record["id"].startswith(split)} for split in SPLITS
    )
    assert first.isdisjoint(second)


@pytest.mark.parametrize("model", ["planted", "smollm2"])
@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("kind", KINDS)
def test_predictions_cover_every_question(model: str, split: str, kind: str) -> None:
    gold = read_jsonl(DEMO / "questions/gt" / split / f"pqa_{kind}.jsonl")
    predictions = read_jsonl(DEMO / "predictions" / model / split / f"model_{kind}.jsonl")
    assert sorted(row["id"] for row in gold) == sorted(row["id"] for row in predictions)
    assert all(isinstance(row["output"], str) for row in predictions)
    if model == "smollm2":
        assert {row["model"] for row in predictions} == {"SmolLM2-135M-Instruct"}
        assert {row["finish_reason"] for row in predictions} <= {"stop", "length"}


def test_every_error_label_is_planted(
    questions: list[Record], planted_labels: dict[str, dict[str, str]]
) -> None:
    assert list(planted_labels) == [record["id"] for record in questions]
    counts = Counter(row["error_label"] for row in planted_labels.values())
    assert set(counts) == ERROR_LABELS | {""}
    right = sum(count for label, count in counts.items() if label.startswith("CORRECT"))
    assert 0.5 < (right + counts[""]) / len(planted_labels) < 0.7
    parse = {row["fault"] for row in planted_labels.values() if row["error_label"] == "PARSE_FAIL"}
    assert len(parse) >= 5
    assert all(fault.startswith("parse:") for fault in parse)


def test_build_demo_reproduces_the_files(tmp_path: Path) -> None:
    script = DEMO / "build_demo.py"
    subprocess.run([sys.executable, script, "--output", tmp_path], check=True, capture_output=True)
    written = sorted(p.relative_to(tmp_path) for p in tmp_path.rglob("*") if p.is_file())
    kept = [
        p for folder in ("questions", "predictions/planted") for p in (DEMO / folder).rglob("*")
    ]
    assert written == sorted(p.relative_to(DEMO) for p in kept if p.is_file())
    for path in written:
        assert (tmp_path / path).read_bytes() == (DEMO / path).read_bytes(), path


def test_demo_is_small() -> None:
    sizes = {p: p.stat().st_size for p in DEMO.rglob("*") if p.is_file() and p.suffix != ".pyc"}
    assert sum(sizes.values()) < 1_100_000
    assert (DEMO / "go_demo.gmt").stat().st_size < 400_000


@pytest.mark.parametrize("folder", ["kg", "gmt"])
def test_sources_are_described(folder: str) -> None:
    sources = tomllib.loads((ROOT / folder / "sources.toml").read_text(encoding="utf-8"))
    assert (ROOT / folder / "README.md").is_file()
    for source in sources.values():
        assert {"file", "url", "version", "licence", "sha256", "rebuild"} <= set(source)
        path = ROOT / source["file"]
        if path.is_file():
            assert hashlib.sha256(path.read_bytes()).hexdigest() == source["sha256"]


@pytest.fixture(scope="module")
def builder() -> Any:
    spec = importlib.util.spec_from_file_location("build_go_sets", ROOT / "gmt/build_go_sets.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_go_sets_reach_the_ancestors(tmp_path: Path, builder: Any) -> None:
    terms, annotations = tmp_path / "GO.sqlite", tmp_path / "org.sqlite"
    with sqlite3.connect(terms) as go:
        go.executescript(
            "CREATE TABLE go_term (_id, go_id, term, ontology);"
            "CREATE TABLE go_bp_offspring (_id, _offspring_id);"
            "INSERT INTO go_term VALUES (1, 'GO:0008150', 'biological_process', 'BP'),"
            " (2, 'GO:2', 'cell death', 'BP'), (3, 'GO:3', 'cell death, slow', 'BP'),"
            " (4, 'GO:4', 'binding', 'MF');"
            "INSERT INTO go_bp_offspring VALUES (1, 2), (1, 3), (2, 3);"
        )
    with sqlite3.connect(annotations) as genes:
        genes.executescript(
            "CREATE TABLE gene_info (_id, symbol); CREATE TABLE go_bp (_id, go_id, evidence);"
            "INSERT INTO gene_info VALUES (1, 'B'), (2, 'A'), (3, 'OUTSIDE');"
            "INSERT INTO go_bp VALUES (1, 'GO:3', 'IDA'), (2, 'GO:2', 'IEA'), (3, 'GO:2', 'IEA');"
        )
    network = tmp_path / "kg.tsv"
    network.write_text("source\ttarget\tsign\nA\tB\t1\n", encoding="utf-8")
    output = tmp_path / "sets.gmt"
    options = ["--min-size", "1", "--min-network", "1", "--network", str(network)]
    common = [str(terms), str(annotations), "-o", str(output), *options]
    builder.main([*common, "--one-in", "1"])
    assert output.read_text(encoding="utf-8") == (
        "GOBP_CELL_DEATH\tGO:2\tA\tB\tOUTSIDE\nGOBP_CELL_DEATH_SLOW\tGO:3\tB\n"
    )
    builder.main([*common, "--one-in", "0", "--min-size", "3"])
    assert output.read_text(encoding="utf-8") == "GOBP_CELL_DEATH\tGO:2\tA\tB\n"
