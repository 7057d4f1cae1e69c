"""Stated confidence through whole runs: files, shapes, processes, both formats."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

import pytest

import eval_tiers
from eval_tiers.io.demo import demo_inputs, rr10_demo_inputs
from tests.e2e.running import Record, Run, frame_of, in_process, strict_json, write_lines

LABELS = ("up", "down", "unchanged")


def gold_rows(n: int) -> list[Record]:
    rng = random.Random(1)
    return [
        {"id": f"q{k}", "answer": rng.choice(LABELS), "pert": f"P{k % 7}", "gene": f"G{k % 9}"}
        for k in range(n)
    ]


def prediction_rows(n: int) -> list[Record]:
    rng = random.Random(2)
    rows = []
    for k in range(n):
        label = rng.choice(LABELS)
        shares = {word: 0.6 if word == label else 0.2 for word in LABELS}
        rows.append(
            {"id": f"q{k}", "output": f"<answer>{label}</answer>",
             "confidence": round(rng.random(), 3), "label_prob": shares}
        )  # fmt: skip
    return rows


def evaluated(*arguments: object, folder: Path) -> Run:
    """Run ``eval`` here into a new folder; it must succeed."""
    parent = folder / "outputs"
    before = set(parent.glob("*"))
    done = in_process("eval", *arguments, folder=folder)
    assert done.returncode == 0, done.stderr
    (made,) = set(parent.glob("*")) - before
    return Run(made, done.stdout, done.stderr)


def run(folder: Path, gold: list[Record], predictions: list[Record], jobs: int = 1) -> Record:
    """Return the summary of a run of these records."""
    found = eval_tiers.evaluate(
        gt_file=write_lines(folder / "g.jsonl", gold),
        pred_file=write_lines(folder / "p.jsonl", predictions),
        tiers=(1,), jobs=jobs,
    )  # fmt: skip
    return found.summary


def test_a_run_without_confidence_says_nothing_of_it(tmp_path: Path) -> None:
    demo = demo_inputs()
    found = eval_tiers.evaluate(
        gt_dir=demo.gold, pred_dir=demo.predictions, tiers=(1,), output_dir=tmp_path
    )
    assert "calibration" not in found.summary
    assert "confidence.parquet" not in found.paths


def test_files_terminal_and_json_of_a_run(tmp_path: Path) -> None:
    gold = write_lines(tmp_path / "g.jsonl", gold_rows(200))
    rows = prediction_rows(200)
    rows[5]["confidence"], rows[6]["confidence"] = "very", None
    rows[7] |= {"confidence": None, "label_prob": None}
    predictions = write_lines(tmp_path / "p.jsonl", rows)
    done = evaluated("--gt-file", gold, "--pred-file", predictions, "--tiers", 1, folder=tmp_path)
    figures = done.summary["calibration"]
    assert (figures["n"], figures["missing_n"], figures["invalid_n"]) == (199, 1, 1)
    assert figures["from_label_prob_n"] == 2
    assert figures["label_prob"]["n"] == 199
    table = frame_of(done.path("confidence", "parquet"))
    assert len(table) == 199
    assert table.problem.notna().sum() == 1
    assert table.sample_id.tolist() == [f"q{k}" for k in range(200) if k != 7]
    used = table.confidence.fillna(0.6)
    assert figures["brier"] == pytest.approx(((used - table.answer_correct) ** 2).mean())
    assert f"{figures['brier']:.3f}" in done.stdout
    assert "Stated confidence" in done.stdout
    assert "[bad-confidence]" in done.stderr
    assert any(name.startswith("confidence_") for name in done.manifest["files"])
    assert "confidence" not in done.samples.columns


def test_order_rollouts_processes_and_readers_change_no_digit(tmp_path: Path) -> None:
    gold, rows = gold_rows(300), prediction_rows(300)
    wanted = run(tmp_path, gold, rows)["calibration"]
    assert wanted["n"] == 300
    shuffled = random.Random(3).sample(rows, len(rows))
    assert run(tmp_path, random.Random(4).sample(gold, 300), shuffled)["calibration"] == wanted
    one_odd = [{**row, "rollout": 0} for row in rows]  # not plain: read row by row
    assert run(tmp_path, gold, one_odd)["calibration"] == wanted


def test_batches_and_processes_change_no_digit(tmp_path: Path) -> None:
    gold = write_lines(tmp_path / "g.jsonl", gold_rows(300))
    predictions = write_lines(tmp_path / "p.jsonl", prediction_rows(300))
    both = ["--gt-file", gold, "--pred-file", predictions, "--tiers", 1, "-q"]
    one = evaluated(*both, "--jobs", 1, folder=tmp_path)
    two = evaluated(*both, "--jobs", 2, "--batch-size", 40, folder=tmp_path)
    assert one.summary["calibration"] == two.summary["calibration"]
    tables = [frame_of(found.path("confidence", "parquet")) for found in (one, two)]
    assert tables[0].equals(tables[1])


def test_csv_gives_the_same_figures(tmp_path: Path) -> None:
    gold, rows = gold_rows(60), prediction_rows(60)
    wanted = run(tmp_path, gold, rows)["calibration"]
    table = tmp_path / "p.csv"
    with table.open("w", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(["id", "output", "confidence", "label_prob"])
        for row in rows:
            shares = json.dumps(row["label_prob"])
            writer.writerow([row["id"], row["output"], row["confidence"], shares])
    found = eval_tiers.evaluate(gt_file=tmp_path / "g.jsonl", pred_file=table, tiers=(1,))
    assert found.summary["calibration"] == wanted


def test_an_answer_that_cannot_be_read_is_wrong_and_a_missing_one_has_none(tmp_path: Path) -> None:
    rows: list[Record] = [
        {"id": "q0", "output": "dunno", "confidence": 0.8},
        {"id": "q1", "output": "dunno", "label_prob": {"up": 1}},
    ]
    figures = run(tmp_path, gold_rows(3), rows)["calibration"]
    assert (figures["n"], figures["missing_n"]) == (1, 2)
    assert (figures["accuracy"], figures["brier"]) == (0, pytest.approx(0.64))
    assert figures["label_prob"]["n"] == 1


@pytest.mark.parametrize("jobs", [1, 2])
def test_rr10(tmp_path: Path, jobs: int) -> None:
    rows, rng = [], random.Random(5)
    for line in rr10_demo_inputs().gold.read_text(encoding="utf-8").splitlines():
        item = json.loads(line)
        label = rng.choice(["upregulated", "downregulated", "indeterminate"])
        rows.append(
            {"id": item["id"], "prediction": label, "confidence": rng.random(),
             "label_prob": {label: 0.9, "Upregulated" if label != "upregulated" else
                            "indeterminate": 0.1}}
        )  # fmt: skip
    predictions = write_lines(tmp_path / "p.jsonl", rows)
    done = evaluated(
        "--gt-file", rr10_demo_inputs().gold, "--pred-file", predictions, "--jobs", jobs,
        "--batch-size", 64, "-q", folder=tmp_path,
    )  # fmt: skip
    figures = strict_json(done.path("summary", "json"))["calibration"]
    table = frame_of(done.path("confidence", "parquet"))
    assert figures["n"] == len(table) == len(rows)
    assert figures["cluster"] == "pair"
    assert figures["brier"] == pytest.approx(
        ((table.confidence - table.answer_correct) ** 2).mean()
    )
    assert table.confidence.tolist() == [row["confidence"] for row in rows]
    assert set(figures["label_prob"]["auroc_per_gene"]) == {
        "upregulated", "downregulated", "indeterminate"
    }  # fmt: skip
    assert "Stated confidence" in done.stdout


def test_confidence_in_the_json_of_a_batch_reply(tmp_path: Path) -> None:
    wanted = run(tmp_path, gold_rows(40), prediction_rows(40))["calibration"]
    replies = [
        {"custom_id": row["id"], "error": None, "response": {"status_code": 200, "body": {
            "choices": [{"index": 0, "message": {"content": "```json\n" + json.dumps(
                {"answer": row["output"][8:-9], "Confidence": row["confidence"],
                 "label_prob": row["label_prob"]}) + "\n```"}}]}}}
        for row in prediction_rows(40)
    ]  # fmt: skip
    found = run(tmp_path, gold_rows(40), replies)
    assert found["calibration"] == wanted


def test_confidence_in_the_json_that_an_rr10_reply_answers_with(tmp_path: Path) -> None:
    gold = rr10_demo_inputs().gold
    ids = [json.loads(line)["id"] for line in gold.read_text(encoding="utf-8").splitlines()[:5]]
    said = {"prediction": "upregulated", "evidence": [{"gene": "A", "confidence": 0.1}]}
    rows: list[Record] = [
        {"id": ids[0], "output": "I think " + json.dumps({**said, "confidence": 0.8})},
        {"id": ids[1], "prediction": json.dumps({**said, "confidence": "0.6"})},
        {"id": ids[2], "output": json.dumps({**said, "confidence": 0.2}), "confidence": 0.9},
        {"id": ids[3], "output": json.dumps({**said, "confidence": "high"})},
        {"id": ids[4], "output": json.dumps(said)},  # a citation's is none of the answer
    ]
    predictions = write_lines(tmp_path / "p.jsonl", rows)
    done = evaluated("--gt-file", gold, "--pred-file", predictions, "-q", folder=tmp_path)
    table = frame_of(done.path("confidence", "parquet"))
    stated = dict(zip(table.sample_id, table.confidence, strict=True))
    assert [stated[name] for name in ids[:3]] == [0.8, 0.6, 0.9] and ids[4] not in stated
    figures = strict_json(done.path("summary", "json"))["calibration"]
    assert (figures["n"], figures["invalid_n"]) == (3, 1)
    for name in ("expected_calibration_error", "brier"):
        assert figures[f"{name}_n"] == 3
        assert figures[f"{name}_low"] <= figures[name] <= figures[f"{name}_high"]
    assert figures["risk_coverage"]["aurc_n"] == 3
    shown = in_process("eval", "--help-formats", folder=tmp_path).stdout
    assert shown.count("confidence:") == 2 and shown.count("label_prob:") == 2
