"""The synthetic RR-10 demo: its counts, its inner consistency, and what is planted in it."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from tests.oracle.rr10_evidence import judge, read_row

DEMO = Path(__file__).resolve().parents[2] / "eval_tiers" / "demo"
RR10 = DEMO / "rr10"
CONTEXTS = {
    "homo_sapiens::cells_cultured": 4,
    "drosophila_melanogaster::whole_organism": 10,
    "homo_sapiens::cells": 44,
    "mus_musculus::thymus": 46,
    "mus_musculus::liver": 46,
    "arabidopsis_thaliana::seedlings": 50,
}
DATASETS = "1 4 25 37 47 48 168 173 242 244 245 278 321 323 421 515 546 588 635 863 867 871"
# Every error label with the details it can rest on, in rule order of docs/rr10.md.
FAILING = {
    "MALFORMED", "FABRICATED_DATASET", "NOT_IN_BENCHMARK", "WRONG_CONTEXT", "OFF_TOPIC",
    "UNKNOWN_GENE", "GENE_NOT_IN_DATASET", "UNVERIFIABLE", "OVERCLAIM", "SIGN_MISREAD",
    "VALUE_MISREAD",
}  # fmt: skip
PLANTED = {
    "PARSE_FAIL": {"PARSE_FAIL"},
    "CORRECT_RIGHT_FOR_WRONG_REASON": FAILING | {"UNCITED", "ONE_SIDED", "LOW_COVERAGE"},
    "UNCLASSIFIED": {"UNCITED"},
    "CORRECT_HALLUCINATED_EDGE": {"FABRICATED"},
    "WRONG_HALLUCINATED_EDGE": {"FABRICATED"},
    "CORRECT_SIGN_FLIP": {"SIGN_MISREAD"},
    "CORRECT": {"SUPPORTED", "PARTIAL"},
    "WRONG_SIGN_FLIP": {"SIGN_MISREAD"},
    "WRONG_CORRECT_CHAIN": {"CONTRADICTS_OWN_EVIDENCE", "CHERRY_PICKED"},
    "WRONG_NO_PATH": FAILING | {"SUPPORTED"},
}

Record = dict[str, Any]


def read_jsonl(path: Path) -> list[Record]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def read_table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t"))


def read_names(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def read_whole_table() -> list[Record]:
    rows = [tuple(row.values()) for row in read_table(RR10 / "synthetic_OSD-48_table.tsv")]
    return [
        {
            "gene": gene,
            "log2fc": None if log2fc == "NA" else float(log2fc),
            "q": None if q == "NA" else float(q),
        }
        for gene, log2fc, q in rows
    ]


@pytest.fixture(scope="module")
def items() -> list[Record]:
    return read_jsonl(RR10 / "synthetic_rr10_benchmark.jsonl")


@pytest.fixture(scope="module")
def planted_labels() -> dict[str, dict[str, str]]:
    rows = read_table(RR10 / "predictions/planted_labels.tsv")
    assert list(rows[0]) == ["sample_id", "error_label", "evidence_detail", "planted"]
    return {row["sample_id"]: row for row in rows}


def test_build_demo_rr10_reproduces_the_files(tmp_path: Path) -> None:
    script = DEMO / "build_demo_rr10.py"
    subprocess.run([sys.executable, script, "--output", tmp_path], check=True, capture_output=True)
    written = {str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file()}
    assert written == {
        "synthetic_rr10_benchmark.jsonl",
        "synthetic_OSD-48_table.tsv",
        "predictions/planted.jsonl",
        "predictions/planted_labels.tsv",
    }
    for name in sorted(written):
        assert (tmp_path / name).read_bytes() == (RR10 / name).read_bytes(), name


def test_counts_are_those_of_the_canonical_file(items: list[Record]) -> None:
    assert len(items) == 200
    kinds = Counter((item["item_type"], item["expected"]) for item in items)
    assert kinds == {
        ("fragility_trap", "indeterminate"): 100,
        ("concordant_control", "upregulated"): 44,
        ("concordant_control", "downregulated"): 56,
    }
    assert Counter(item["context"] for item in items) == CONTEXTS
    rows = [row for item in items for row in item["provenance"]]
    assert len(rows) == 501
    assert {row["osd"] for row in rows} == {f"OSD-{number}" for number in DATASETS.split()}


def test_every_pair_is_there_and_shares_a_context(items: list[Record]) -> None:
    contexts: dict[str, dict[str, str]] = defaultdict(dict)
    for item in items:
        kind, number = re.fullmatch(r"OSDR-(FRAG|CTRL)-(\d{5})", item["id"]).groups()
        assert kind == ("FRAG" if item["item_type"] == "fragility_trap" else "CTRL")
        contexts[number][kind] = item["context"]
    assert sorted(contexts) == [f"{number:05d}" for number in range(1, 101)]
    assert all(pair["FRAG"] == pair["CTRL"] for pair in contexts.values())


def test_each_dataset_has_one_context(items: list[Record]) -> None:
    contexts: dict[str, set[str]] = defaultdict(set)
    for item in items:
        for row in item["provenance"]:
            contexts[row["osd"]].add(item["context"])
    assert all(len(found) == 1 for found in contexts.values())
    assert min(Counter(next(iter(found)) for found in contexts.values()).values()) == 2


def test_evidence_agrees_with_provenance(items: list[Record]) -> None:
    for item in items:
        rows, evidence = item["provenance"], item["evidence"]
        datasets = [row["osd"] for row in rows]
        sizes = [abs(row["log2FC_SF_vs_GC"]) for row in rows]
        assert len(set(datasets)) == len(datasets) == evidence["n_datasets"] >= 2
        assert sorted(datasets) == evidence["datasets"]
        assert evidence["min_abs_log2FC"] == pytest.approx(min(sizes), abs=1e-4)
        assert evidence["max_abs_log2FC"] == pytest.approx(max(sizes), abs=1e-4)
        assert evidence["max_q"] == pytest.approx(max(row["q"] for row in rows), abs=5e-6)
        signs = {row["log2FC_SF_vs_GC"] > 0 for row in rows}
        assert min(sizes) > 0
        assert evidence["discordant"] is (len(signs) == 2)
        expected = {(True,): "upregulated", (False,): "downregulated"}
        assert item["expected"] == expected.get(tuple(signs), "indeterminate")
        assert item["expected"] in item["accept"]
        labels = {"upregulated", "downregulated", "indeterminate"}
        assert set(item["reject"]) == labels - {item["expected"]}
        assert item["context"] == f"{item['organism']}::{item['tissue']}"


def test_rows_are_plausible_and_some_are_turned(items: list[Record]) -> None:
    rows = [row for item in items for row in item["provenance"]]
    assert all(0 < row["q"] < 1 for row in rows)
    assert 10 < sum(row["q"] >= 0.05 for row in rows) < 50
    turned = Counter(
        (row["orientation_sign_applied"], row["contrast"].startswith("(Ground")) for row in rows
    )
    assert set(turned) == {(1, False), (-1, True)}
    assert turned[-1, True] > 50


def test_everything_says_that_it_is_synthetic(items: list[Record]) -> None:
    for item in items:
        assert item["prompt"].endswith("(Synthetic data.)")
        assert item["gene"] in item["prompt"]
        for row in item["provenance"]:
            assert row["source_file"] == f"synthetic_{row['osd']}.csv"


def test_genes_are_those_of_the_list(items: list[Record]) -> None:
    listed = [(row["context"], row["gene"]) for row in read_table(RR10 / "genes.tsv")]
    assert Counter(listed) == Counter((item["context"], item["gene"]) for item in items)
    assert len(set(listed)) == 200
    mouse = read_names(RR10 / "genes_mus_musculus.txt")
    assert mouse == sorted(set(mouse))
    assert {gene for context, gene in listed if context.startswith("mus_")} < set(mouse)
    plants = {gene for context, gene in listed if context.startswith("arabidopsis")}
    assert all(re.fullmatch(r"AT[1-5]G\d{5}", gene) for gene in plants)


def test_registry_and_table_fit_the_benchmark(items: list[Record]) -> None:
    registry = read_names(RR10 / "registry.txt")
    assert len(registry) == len(set(registry)) > 40
    assert all(re.fullmatch(r"OSD-[1-9]\d*", name) for name in registry)
    table = {row["gene"]: row for row in read_whole_table()}
    assert set(table) < set(read_names(RR10 / "genes_mus_musculus.txt"))
    own = 0
    for item in items:
        for row in item["provenance"]:
            assert row["osd"] in registry
            if row["osd"] == "OSD-48":
                own += 1
                found = table[item["gene"]]
                assert (found["log2fc"], found["q"]) == (row["log2FC_SF_vs_GC"], row["q"])
    assert 10 < own < len(table)
    assert sum(row["log2fc"] is None for row in table.values()) >= 4


def test_every_label_and_detail_is_planted(planted_labels: dict[str, dict[str, str]]) -> None:
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for row in planted_labels.values():
        found[row["error_label"]][row["evidence_detail"]] += 1
    assert {label: set(details) for label, details in found.items()} == PLANTED
    assert min(count for details in found.values() for count in details.values()) >= 2
    assert 0.3 < found["CORRECT"].total() / 200 < 0.45
    misread = {row["planted"] for row in planted_labels.values() if "misread" in row["planted"]}
    assert {"one_sign_misread", "two_of_four_signs_misread", "all_signs_misread"} < misread


def test_predictions_cover_every_item_in_many_forms(items: list[Record]) -> None:
    rows = read_jsonl(RR10 / "predictions/planted.jsonl")
    assert sorted(row["id"] for row in rows) == sorted(item["id"] for item in items)
    fields = Counter(field for row in rows for field in row)
    for field in ("prediction", "answer", "label", "response", "evidence", "citations", "output",
                  "text", "completion"):  # fmt: skip
        assert fields[field] >= 3, field
    text = (RR10 / "predictions/planted.jsonl").read_text(encoding="utf-8")
    for spelling in ("GLDS-", "osd ", "OSD-048", "OSD_", "OSD–", "<triplet>", "```json"):
        assert spelling in text, spelling


def test_planted_labels_agree_with_the_slow_reading(
    items: list[Record], planted_labels: dict[str, dict[str, str]]
) -> None:
    predictions = {row["id"]: row for row in read_jsonl(RR10 / "predictions/planted.jsonl")}
    registry = read_names(RR10 / "registry.txt")
    genes = {"mus_musculus": read_names(RR10 / "genes_mus_musculus.txt")}
    tables = {"OSD-48": read_whole_table()}
    assert list(planted_labels) == [item["id"] for item in items]
    for item in items:
        read = read_row(predictions[item["id"]])
        found = judge(item, read["citations"], items, registry, tables, genes, label=read["label"])
        wanted = planted_labels[item["id"]]
        assert (found["error_label"], found["evidence_detail"]) == (
            wanted["error_label"],
            wanted["evidence_detail"],
        ), wanted


def test_small_model_answered_every_item(items: list[Record]) -> None:
    rows = read_jsonl(RR10 / "predictions/smollm2.jsonl")
    assert [row["id"] for row in rows] == [item["id"] for item in items]
    assert all(set(row) == {"id", "output", "finish_reason", "model"} for row in rows)
    assert all(isinstance(row["output"], str) for row in rows)
    assert {row["model"] for row in rows} == {"SmolLM2-135M-Instruct"}
    assert {row["finish_reason"] for row in rows} <= {"stop", "length"}
