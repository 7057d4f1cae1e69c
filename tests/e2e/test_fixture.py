"""The hand-worked fixture of 15 samples (contract, section 7) through the real command."""

from __future__ import annotations

import csv
import hashlib
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.e2e.running import (
    TOY_GMT,
    TOY_KG,
    Run,
    evaluated,
    model_text,
    write_kg,
    write_lines,
)

GOLD = [["P", "+", "A"], ["A", "-", "B"], ["B", "+", "E"]]
FLIPPED = [["P", "+", "A"], ["A", "-", "B"], ["B", "-", "E"]]
REASON = "CORRECT_RIGHT_FOR_WRONG_REASON"

# id, answer, predicted chain, strict F1, coverage, hallucination rate, label
TABLE: list[tuple[str, str | None, list[list[str]], float, float, float | None, str]] = [
    ("01", "down", GOLD, 1, 1, 0, "CORRECT"),
    ("02", "down", [["P", "+", "X"], ["X", "-", "E"]], 0, 0, 1, "CORRECT_HALLUCINATED_EDGE"),
    ("03", "down", [["P", "+", "C"], ["C", "-", "E"]], 0, 0, 0, REASON),
    ("04", "down", FLIPPED, 0.6667, 1, 0, "CORRECT_SIGN_FLIP"),
    ("05", "up", GOLD, 1, 1, 0, "WRONG_CORRECT_CHAIN"),
    ("06", "up", [["P", "+", "X"], ["X", "+", "E"]], 0, 0, 1, "WRONG_HALLUCINATED_EDGE"),
    ("07", "up", GOLD[:2], 0.8, 0.6667, 0, "WRONG_NO_PATH"),
    ("08", "up", FLIPPED, 0.6667, 1, 0, "WRONG_SIGN_FLIP"),
    ("09", None, GOLD, 1, 1, 0, "PARSE_FAIL"),
    ("10", "up / down / unchanged", [], 0, 0, None, "PARSE_FAIL"),
    ("11", "up", [], 0, 0, None, "WRONG_NO_PATH"),
    ("12", "down", [], 0, 0, None, REASON),
    ("13", "up", [["P", "+", "C"], ["C", "-", "E"]], 0, 0, 0, "WRONG_CORRECT_CHAIN"),
    ("14", "down", [*GOLD, ["X", "+", "Y"]], 0.8571, 1, 0.25, "CORRECT"),
    ("15", "up", [["P", "+", "A"], ["A", "-", "E"], ["X", "+", "Y"], ["Y", "+", "Z"]],
     0.2857, 0.3333, 0.5, "WRONG_HALLUCINATED_EDGE"),
]  # fmt: skip

STATUSES = ("supported", "unsigned_in_kg", "sign_contradicted", "unknown_node", "reversed",
            "shortcut", "absent")  # fmt: skip
BEFORE = (
    "sample_id split pert_type cell_line perturbation_sign perturbation readout rollout gold_label "
    "predicted_label predicted_label_lenient parse_failure_reason"
).split()
TIER_1 = ["answer_correct"]
TIER_2 = (
    "gold_edge_n predicted_edge_n dropped_edge_n edge_precision edge_recall edge_f1 "
    "edge_f1_relaxed connected kg_connected chain_coverage sign_match sign_flip_n kg_sign_match "
    "implied_answer gold_implied_answer hallucination_rate hallucination_rate_excl_gold in_kg_rate "
    + " ".join(f"edge_status_{status}_n" for status in STATUSES)
    + " off_path_edge_n error_label hard_case chain_validity"
).split()
TIER_3 = "go_sim go_sim_ref go_trivial go_null_reason go_null_mean go_null_p95".split()
AFTER = "source_path source_line prediction_path prediction_line".split()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The fixture's files, in a folder whose name needs quoting."""
    folder = tmp_path_factory.mktemp("fifteen samples é")
    gold = [
        {"id": row[0], "question": "?", "answer": "down", "path": GOLD, "pert": "P", "gene": "E",
         "cell_line": "K562", "pert_type": "chemical"}
        for row in TABLE
    ]  # fmt: skip
    predictions = [{"id": row[0], "output": model_text(row[1], row[2])} for row in TABLE]
    write_lines(folder / "gt" / "id_test" / "pqa_chemical.jsonl", gold)
    write_lines(folder / "pred" / "model_chemical.jsonl", predictions[::-1])
    write_kg(folder / "kg.tsv", TOY_KG)
    (folder / "go.gmt").write_text(TOY_GMT, encoding="utf-8")
    return folder


def run(folder: Path, *tiers: int) -> Run:
    return evaluated(
        "--gt-file", "gt/id_test/pqa_chemical.jsonl", "--pred-file", "pred/model_chemical.jsonl",
        "--external-kg", "kg.tsv", "--go-gmt", "go.gmt", "--tiers", *tiers, folder=folder,
    )  # fmt: skip


@pytest.fixture(scope="module")
def whole(folder: Path) -> Run:
    """Tiers 1 to 3."""
    return run(folder, 1, 2, 3)


@pytest.fixture(scope="module")
def rows(whole: Run) -> list[dict[str, Any]]:
    frame = whole.samples.astype(object)
    records = frame.where(frame.notna(), None).to_dict("records")
    return [{str(name): value for name, value in record.items()} for record in records]


@pytest.mark.parametrize("place", range(len(TABLE)), ids=[row[0] for row in TABLE])
def test_every_row_of_the_table(rows: list[dict[str, Any]], place: int) -> None:
    sample_id, answer, chain, f1, coverage, hallucination, label = TABLE[place]
    row = rows[place]
    assert row["sample_id"] == sample_id
    assert row["predicted_label"] == (answer if answer in {"up", "down"} else None)
    assert row["edge_f1"] == pytest.approx(f1, abs=5e-5)
    assert row["chain_coverage"] == pytest.approx(coverage, abs=5e-5)
    assert row["hallucination_rate"] == hallucination
    assert row["in_kg_rate"] == (None if hallucination is None else 1 - hallucination)
    assert row["error_label"] == label
    assert row["answer_correct"] == (answer == "down")
    assert (row["gold_edge_n"], row["predicted_edge_n"]) == (3, len(chain))
    assert (row["split"], row["pert_type"], row["cell_line"]) == ("id_test", "chemical", "K562")
    assert (row["perturbation_sign"], row["gold_label"], row["rollout"]) == (1, "down", None)
    assert row["gold_implied_answer"] == "down"
    assert (row["source_line"], row["prediction_line"]) == (place + 1, len(TABLE) - place)
    assert Path(row["source_path"]).name == "pqa_chemical.jsonl"
    assert Path(row["prediction_path"]).name == "model_chemical.jsonl"
    statuses = sum(row[f"edge_status_{status}_n"] for status in STATUSES)
    assert statuses == len(chain)


def test_details_by_hand(rows: list[dict[str, Any]]) -> None:
    row = {found["sample_id"]: found for found in rows}
    assert row["04"]["edge_f1_relaxed"] == 1
    assert row["04"]["sign_match"] == pytest.approx(0.6667, abs=5e-5)
    assert (row["04"]["sign_flip_n"], row["04"]["kg_sign_match"]) == (1, pytest.approx(2 / 3))
    assert row["04"]["edge_status_sign_contradicted_n"] == 1
    assert (row["04"]["implied_answer"], row["04"]["chain_validity"]) == ("up", "invalid")
    assert row["09"]["parse_failure_reason"] == "no_answer_block"
    assert row["10"]["parse_failure_reason"] == "template_echo"
    assert (row["01"]["implied_answer"], row["01"]["chain_validity"]) == ("down", "valid")
    assert row["03"]["chain_validity"] == "valid"  # true, and not the gold chain
    assert (row["02"]["connected"], row["02"]["kg_connected"]) == (True, False)
    assert row["02"]["edge_status_unknown_node_n"] == 2
    assert (row["02"]["chain_validity"], row["05"]["chain_validity"]) == ("invalid", "invalid")
    assert (row["07"]["connected"], row["07"]["implied_answer"]) == (False, None)
    assert row["07"]["chain_validity"] == "unverifiable"
    assert (row["12"]["edge_precision"], row["12"]["edge_recall"]) == (None, 0)
    assert (row["12"]["sign_match"], row["12"]["sign_flip_n"]) == (None, 0)
    assert (row["14"]["off_path_edge_n"], row["15"]["off_path_edge_n"]) == (1, 2)
    assert row["15"]["hallucination_rate_excl_gold"] == 0.5
    # GO: A and B against A and B; against C; against A alone; against nothing
    assert (row["01"]["go_sim"], row["01"]["go_trivial"]) == (1, True)
    assert 0 < row["03"]["go_sim"] < 1
    assert (row["11"]["go_sim"], row["11"]["go_null_reason"]) == (None, "no_predicted_gene")
    assert (row["02"]["go_null_reason"], row["02"]["go_sim_ref"]) == ("predicted_unannotated", 0)


def test_pooled_numbers(whole: Run) -> None:
    found = whole.summary
    assert (found["n"], found["accuracy"]) == (15, 0.4)
    assert (found["hard_case_n"], found["hard_case_rate"]) == (7, pytest.approx(7 / 15))
    assert found["edge_f1"] == pytest.approx(0.4184, abs=5e-5)
    assert found["hallucination_rate"] == pytest.approx(0.2292, abs=5e-5)
    assert (found["edge_f1_n"], found["hallucination_rate_n"]) == (15, 12)
    expected = dict.fromkeys(found["error_distribution"], 0)
    for row in TABLE:
        expected[row[-1]] += 1
    assert found["error_distribution"] == expected
    assert sum(expected.values()) + found["error_label_null_n"] == 15
    assert found["wrong_correct_chain_to_wrong_no_path"] == 1
    assert found["correct_clean_rate"] == pytest.approx(1 / 15)
    assert found["confusion_matrix"]["down"] == {"up": 7, "down": 6, "unchanged": 0, "none": 2}
    assert found["parse_failure_rate"] == pytest.approx(2 / 15)
    majority = found["baselines"]["majority"]
    assert (majority["label"], majority["accuracy"], majority["accuracy_n"]) == ("down", 1, 15)
    assert (majority["balanced_accuracy"], majority["f1_macro"]) == (1, pytest.approx(1 / 3))
    assert found["baselines"]["kg_shortest_path"]["accuracy"] == 1
    assert found["gold_in_kg_rate"] == 1
    assert found["gold_self_consistency"]["all"]["rate"] == 1
    # 01, 03 and 14 are right on a valid chain; 12 is right without one; 02, 04 by luck
    assert found["grounded_accuracy"] == pytest.approx(3 / 15)
    assert found["grounded_accuracy_upper"] == pytest.approx(4 / 15)
    assert found["lucky_right_rate"] == pytest.approx(2 / 6)
    assert found["off_path_edge_n"] == 1 + 2 + 2
    for key in ("accuracy", "parse_failure_rate", "grounded_accuracy", "edge_f1"):
        assert found[f"{key}_low"] <= found[key] <= found[f"{key}_high"]
    assert set(found["by_pert_type"]) == {"chemical"}
    assert found["by_cell_line"]["K562"]["accuracy"] == 0.4
    assert found["by_split"]["id_test"]["edge_f1"] == found["edge_f1"]


def test_columns_are_those_of_the_contract_in_order(whole: Run) -> None:
    expected = [*BEFORE, *TIER_1, *TIER_2, *TIER_3, *AFTER]
    assert list(whole.csv[0]) == expected
    assert list(whole.samples.columns) == expected


@pytest.mark.parametrize(
    ("tiers", "middle"),
    [((1,), TIER_1), ((2,), TIER_1 + TIER_2), ((1, 3), TIER_1 + TIER_3)],
)
def test_tiers_that_did_not_run_have_no_columns(
    folder: Path, whole: Run, tiers: tuple[int, ...], middle: list[str]
) -> None:
    found = run(folder, *tiers)
    columns = [*BEFORE, *middle, *AFTER]
    assert list(found.csv[0]) == list(found.samples.columns) == columns
    assert found.csv == [{name: row[name] for name in columns} for row in whole.csv]
    assert ("error_distribution" in found.summary) == (2 in tiers)
    assert ("go_sim_mean" in found.summary) == (3 in tiers)
    assert found.summary["tiers"] == sorted({1, *tiers})


def test_csv_cells(whole: Run) -> None:
    flags = {"answer_correct", "connected", "kg_connected", "hard_case", "go_trivial"}
    for row in whole.csv:
        assert {row[name] for name in flags} <= {"True", "False", ""}
        assert not {"nan", "NaN", "None", "null", "<NA>", "inf"} & set(row.values())
    assert whole.csv[11]["edge_precision"] == whole.csv[11]["hallucination_rate"] == ""
    assert whole.csv[11]["rollout"] == whole.csv[11]["implied_answer"] == ""
    assert (whole.csv[0]["answer_correct"], whole.csv[4]["answer_correct"]) == ("True", "False")


def test_parquet_equals_csv(whole: Run) -> None:
    for cells, row in zip(whole.csv, whole.samples.to_dict("records"), strict=True):
        for name, value in row.items():
            if value is None or value is pd.NA or value != value:
                assert cells[str(name)] == "", name
            elif isinstance(value, bool):
                assert cells[str(name)] == str(value), name
            elif isinstance(value, float):
                assert float(cells[str(name)]) == value, name
            else:
                assert cells[str(name)] == str(value), name


def test_file_names_share_one_timestamp(whole: Run) -> None:
    stamp = whole.folder.name[:15]
    expected = {
        "summary": "json", "samples": "csv", "file_summary": "csv", "manifest": "json",
    }  # fmt: skip
    names = {path.name for path in whole.folder.iterdir()}
    assert {f"{stem}_{stamp}.{suffix}" for stem, suffix in expected.items()} <= names
    assert {f"{stem}_{stamp}.parquet" for stem in ("samples", "chains")} <= names
    assert all(stamp in name and not name.startswith(".") for name in names)
    assert set(whole.manifest["files"]) == names


def test_manifest_has_the_hash_of_every_input(whole: Run, folder: Path) -> None:
    found = whole.manifest
    hashes = {Path(entry["path"]).name: entry["sha256"] for entry in found["inputs"]}
    paths = [
        folder / "gt" / "id_test" / "pqa_chemical.jsonl", folder / "pred" / "model_chemical.jsonl",
        folder / "kg.tsv", folder / "go.gmt",
    ]  # fmt: skip
    assert hashes == {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}
    assert {entry["row_n"] for entry in found["inputs"] if "row_n" in entry} == {15}
    assert found["arguments"][:2] == ["eval", "--gt-file"]
    assert found["settings"]["hallucination_threshold"] == 0.5
    assert found["settings"] == whole.summary["settings"]
    assert found["metrics_hash"] == whole.summary["metrics_hash"]
    assert found["run_id"] == whole.summary["run_id"] == whole.folder.name


def test_file_summary(whole: Run) -> None:
    with whole.path("file_summary", "csv").open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert len(rows) == 1
    summary, row = whole.summary, rows[0]
    for name in ("n", "accuracy", "balanced_accuracy", "f1_macro", "f1_weighted", "edge_f1",
                 "in_kg_rate", "hallucination_rate", "go_sim_mean", "go_sim_median",
                 "hard_case_n"):  # fmt: skip
        assert float(row[name]) == pytest.approx(summary[name]), name
    for name, count in summary["error_distribution"].items():
        assert int(row[name]) == count
    assert (row["split"], row["pert_type"]) == ("id_test", "chemical")


def test_chains_table(whole: Run) -> None:
    chains = whole.chains
    assert {"sample_id", "split", "pert_type", "rollout", "side", "source", "sign", "target",
            "status", "on_path"} == set(chains.columns)  # fmt: skip
    assert len(chains) == 15 * 3 + sum(len(row[2]) for row in TABLE)
    one = chains[(chains["sample_id"] == "15") & (chains["side"] == "predicted")]
    found = one[["source", "sign", "target", "status", "on_path"]].to_dict("split")["data"]
    assert found == [
        ["P", 1, "A", "supported", True],
        ["A", -1, "E", "supported", True],
        ["X", 1, "Y", "unknown_node", False],
        ["Y", 1, "Z", "unknown_node", False],
    ]


def test_the_ledger_adds_up(whole: Run) -> None:
    ledger = whole.summary["ledger"]
    for side in ("gold", "predictions"):
        rows = ledger[side]["rows"]
        assert rows == 15
        assert sum(count for name, count in ledger[side].items() if name != "rows") == rows
    assert ledger["gold"]["scored"] == 13
    assert ledger["gold"]["parse_failure"] == 2
    assert ledger["predictions"]["matched"] == 15


def test_the_terminal_shows_it_in_80_columns(whole: Run) -> None:
    assert "40.0%" in whole.stdout
    assert max(map(len, whole.stdout.split("\n"))) <= 80
    assert str(whole.folder.name) in whole.stdout


def test_texts_are_found_again(whole: Run, folder: Path) -> None:
    import zlib

    import pyarrow.parquet as pq

    texts = pq.read_table(whole.path("texts", "parquet")).to_pylist()
    data = (folder / "pred" / "model_chemical.jsonl").read_bytes()
    assert len(texts) == 15
    for found in texts:
        raw = data[found["byte_offset"] : found["byte_offset"] + found["byte_length"]]
        assert zlib.crc32(raw) == found["crc32"]
        assert json.loads(raw)["id"] == found["sample_id"]
