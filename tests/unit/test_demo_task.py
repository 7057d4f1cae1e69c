"""The bundled example task: rebuilt byte for byte, its numbers by hand, its oracle's score."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tomllib
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from eval_tiers.pipeline.submissions.grade import GradeOptions, grade_submission

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "eval_tiers" / "demo"
TASK = DEMO / "task_example"

Row = dict[str, str]


def rows(name: str) -> list[Row]:
    with (TASK / name).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


@pytest.fixture(scope="module")
def task() -> dict[str, Any]:
    return tomllib.loads((TASK / "eval_task.toml").read_text(encoding="utf-8"))


def test_the_script_writes_the_same_bytes(tmp_path: Path) -> None:
    script = DEMO / "build_task_example.py"
    subprocess.run([sys.executable, script, "--output", tmp_path], check=True, capture_output=True)
    built = {path.relative_to(tmp_path): path for path in tmp_path.rglob("*") if path.is_file()}
    shipped = {path.relative_to(TASK): path for path in TASK.rglob("*") if path.is_file()}
    assert sorted(built) == sorted(shipped)
    assert [str(name) for name in built if built[name].read_bytes() != shipped[name].read_bytes()] \
        == []  # fmt: skip


def test_observations_are_the_liver_rows_of_the_synthetic_benchmark() -> None:
    text = (DEMO / "rr10" / "synthetic_rr10_benchmark.jsonl").read_text(encoding="utf-8")
    items = [json.loads(line) for line in text.split("\n") if line]
    expected = {
        (item["gene"], row["osd"], row["log2FC_SF_vs_GC"], row["q"])
        for item in items
        if item["context"] == "mus_musculus::liver"
        for row in item["provenance"]
    }
    found = rows("observations/liver.csv")
    assert len(found) == len(expected) == 120
    assert {
        (row["gene"], row["dataset"], float(row["log2fc"]), float(row["q"])) for row in found
    } == expected


def test_numbers_worked_by_hand() -> None:
    genes = {row["gene"]: row for row in rows("reference/genes.csv")}
    assert len(genes) == 46
    # 2.4377 - 1.969 - 2.2901 + 0.9043 = -0.9171; / 4 = -0.229275
    assert genes["Cyp7a1"] == {
        "gene": "Cyp7a1", "dataset_n": "4", "mean_log2fc": "-0.229275",
        "min_log2fc": "-2.2901", "max_log2fc": "2.4377", "direction": "both",
    }  # fmt: skip
    # 2.7181 + 1.3501 + 0.9521 + 0.8154 + 2.4224 = 8.2581; / 5 = 1.65162
    assert genes["Srebf1"] == {
        "gene": "Srebf1", "dataset_n": "5", "mean_log2fc": "1.65162",
        "min_log2fc": "0.8154", "max_log2fc": "2.7181", "direction": "up",
    }  # fmt: skip
    datasets = {row["dataset"]: row for row in rows("reference/datasets.csv")}
    assert datasets["OSD-168"] == {
        "dataset": "OSD-168", "gene_n": "21", "mean_log2fc": "0.222147619"
    }  # fmt: skip
    assert sum(int(row["gene_n"]) for row in datasets.values()) == 120


def test_reference_tables_follow_from_the_observations() -> None:
    values: dict[str, dict[str, list[float]]] = {"gene": {}, "dataset": {}}
    for row in rows("observations/liver.csv"):
        for by, groups in values.items():
            groups.setdefault(row[by], []).append(float(row["log2fc"]))
    for row in rows("reference/genes.csv"):
        found = values["gene"][row["gene"]]
        assert int(row["dataset_n"]) == len(found)
        assert float(row["mean_log2fc"]) == pytest.approx(mean(found), rel=1e-9, abs=1e-10)
        assert (float(row["min_log2fc"]), float(row["max_log2fc"])) == (min(found), max(found))
        up, down = all(value > 0 for value in found), all(value < 0 for value in found)
        assert row["direction"] == ("up" if up else "down" if down else "both")
    for row in rows("reference/datasets.csv"):
        found = values["dataset"][row["dataset"]]
        assert int(row["gene_n"]) == len(found)
        assert float(row["mean_log2fc"]) == pytest.approx(mean(found), rel=1e-9, abs=1e-10)


def test_conclusions_and_caveats_are_true_of_the_tables(task: dict[str, Any]) -> None:
    said = [row["text"] for row in (*task["conclusion"], *task["caveat"])]
    assert len(said) == 6
    genes = {row["gene"]: row for row in rows("reference/genes.csv")}
    datasets = rows("reference/datasets.csv")
    assert "Srebf1" in said[0] and "five" in said[0]
    assert (genes["Srebf1"]["dataset_n"], genes["Srebf1"]["direction"]) == ("5", "up")
    assert "from -2.29 to 2.44" in said[1] and "four" in said[1]
    cyp = genes["Cyp7a1"]
    assert (cyp["dataset_n"], cyp["direction"]) == ("4", "both")
    assert (f"{float(cyp['min_log2fc']):.2f}", f"{float(cyp['max_log2fc']):.2f}") == (
        "-2.29", "2.44"
    )  # fmt: skip
    assert "OSD-168" in said[2] and "21 of 46" in said[2]
    by_n = sorted(datasets, key=lambda row: int(row["gene_n"]))
    assert (by_n[-1]["dataset"], by_n[-1]["gene_n"]) == ("OSD-168", "21")
    assert int(by_n[-2]["gene_n"]) < 21
    assert abs(float(cyp["mean_log2fc"])) < 0.25  # a mean that hides both ways
    few = sum(int(row["dataset_n"]) in {2, 3} for row in genes.values())
    assert few > len(genes) / 2


def test_the_answer_states_what_is_expected(task: dict[str, Any]) -> None:
    answer = " ".join((TASK / "oracle/answer.md").read_text(encoding="utf-8").split())
    answer = answer.replace("**", "")
    for part in (
        "Srebf1 is higher in flight in all five datasets that report it",
        "Cyp7a1 goes both ways",
        "OSD-168 reports the most genes, 21",
        "A mean over datasets hides this",
        task["caveat"][0]["text"],
        "are few to call a direction by",
    ):
        assert part in answer


def test_the_oracle_scores_1_and_0_25_without_its_trajectory() -> None:
    judge = (TASK / "judge_reply.json",)
    whole = grade_submission(
        TASK, TASK / "oracle", GradeOptions(judge, TASK / "trajectory.jsonl")
    )  # fmt: skip
    assert (whole.record["score"], whole.gate_failed, whole.findings) == (1.0, False, [])
    assert all(citation["holds"] for citation in whole.record["citations"])
    assert len(whole.record["citations"]) == 9
    unseen = grade_submission(TASK, TASK / "oracle", GradeOptions(judge))
    assert (unseen.record["score"], unseen.gate_failed) == (0.25, True)


def test_provenance_lists_all_that_it_has_to() -> None:
    lines = (TASK / "provenance.tsv").read_text(encoding="utf-8").split("\n")
    listed = {line.split("\t")[0] for line in lines[1:] if line}
    present = {
        path.relative_to(TASK).as_posix()
        for folder in ("observations", "reference")
        for path in (TASK / folder).rglob("*.csv")
    }
    assert listed == present
    assert len(present) == 3


def test_the_files_are_shipped_in_the_wheel() -> None:
    table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    globs = table["tool"]["setuptools"]["package-data"]["eval_tiers"]
    shipped = {path for glob in globs for path in (ROOT / "eval_tiers").glob(glob)}
    assert [path for path in TASK.rglob("*") if path.is_file() and path not in shipped] == []
