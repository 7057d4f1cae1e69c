"""Cases are the same whatever shape the run's inputs came in; recomputed labels are the run's."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from eval_tiers.io.rescue_run import find_run
from eval_tiers.pipeline.rescue.cases import CaseSet, build_cases
from eval_tiers.pipeline.rescue.recompute import contradicted_counts, labels_of_answers
from eval_tiers.pipeline.rescue.sources import Overrides
from tests.e2e.running import TOY_KG, in_process, model_text, write_kg, write_lines
from tests.e2e.test_fixture import GOLD, TABLE

Rows = list[dict[str, Any]]


def gold_rows() -> Rows:
    return [
        {"id": row[0], "question": f"Question {row[0]}?", "answer": "down", "path": GOLD,
         "pert": "P", "gene": "E", "pert_type": "chemical"}
        for row in TABLE
    ]  # fmt: skip


def prediction_rows() -> Rows:
    return [{"id": row[0], "output": model_text(row[1], row[2])} for row in TABLE]


def cases_of(folder: Path, gold: str, predictions: str, *more: str) -> CaseSet:
    write_kg(folder / "kg.tsv", TOY_KG)
    done = in_process(
        "eval", "--gt-file", gold, "--pred-file", predictions, "--external-kg", "kg.tsv",
        "-o", "out", *more, folder=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return build_cases(find_run(next(folder.glob("out/*/samples_*.csv"))), Overrides(), gold_n=50)


def plain(folder: Path) -> CaseSet:
    write_lines(folder / "gt_chemical.jsonl", gold_rows())
    write_lines(folder / "pred_chemical.jsonl", prediction_rows())
    return cases_of(folder, "gt_chemical.jsonl", "pred_chemical.jsonl")


def test_cases_hold_what_the_run_knows(tmp_path: Path) -> None:
    found = plain(tmp_path)
    by_id = {case.key[0]: case for case in found.cases}
    assert list(by_id) == ["02", "03", "05", "09", "10", "12", "13"]
    assert {case.kind: case.text != "" for case in found.cases} == {
        "correct_wrong_reason": False, "wrong_correct_chain": False, "parse_fail": True,
    }  # fmt: skip
    one = by_id["13"]
    assert (one.question, one.gold_answer, one.predicted_answer) == ("Question 13?", "down", "up")
    assert [(step.source, step.sign, step.target, step.status) for step in one.chain] == [
        ("P", 1, "C", "supported"), ("C", -1, "E", "supported"),
    ]  # fmt: skip
    assert [(step.source, step.sign, step.target) for step in one.gold_chain] == [
        ("P", 1, "A"), ("A", -1, "B"), ("B", 1, "E"),
    ]  # fmt: skip
    assert one.implied_answer == "down"
    assert one.evidence == (
        "A -[-]-> B", "A -[-]-> E", "B -[+]-> E", "C -[-]-> E", "P -[+]-> A", "P -[+]-> C",
        "P -[+]-> A -[-]-> E", "P -[+]-> C -[-]-> E",
    )  # fmt: skip
    assert by_id["10"].text == prediction_rows()[9]["output"]
    assert (one.perturbation, one.readout, one.perturbation_sign, one.cluster) == ("P", "E", 1, "P")
    assert len(found.golds) == 15 and all(gold.is_consistent for gold in found.golds)


@pytest.mark.parametrize("shape", ["one line", "gzip", "csv", "batch replies"])
def test_the_shape_of_the_inputs_does_not_matter(tmp_path: Path, shape: str) -> None:
    expected = plain(tmp_path).cases
    folder = tmp_path / "other"
    folder.mkdir()
    gold, predictions = folder / "gt_chemical.jsonl", folder / "pred_chemical.jsonl"
    write_lines(gold, gold_rows())
    write_lines(predictions, prediction_rows()[::-1])
    if shape == "one line":
        gold.write_text(json.dumps(gold_rows()))
        predictions.write_text(json.dumps(prediction_rows()))
    elif shape == "gzip":
        for path in (gold, predictions):
            path.write_bytes(gzip.compress(path.read_bytes()))
    elif shape == "csv":
        with predictions.open("w", encoding="utf-8", newline="") as handle:
            writer = csv.DictWriter(handle, ["id", "output"])
            writer.writeheader()
            writer.writerows(prediction_rows())
    else:
        write_lines(
            predictions,
            [{"custom_id": row["id"], "error": None, "response": {"status_code": 200, "body": {
                "choices": [{"index": 0, "finish_reason": "stop", "message": {
                    "role": "assistant", "content": row["output"]}}]}}}
             for row in prediction_rows()],
        )  # fmt: skip
    found = cases_of(folder, gold.name, predictions.name, "--split", tmp_path.name)
    assert found.cases == expected


def test_rows_without_ids_and_rollouts(tmp_path: Path) -> None:
    gold = [{key: value for key, value in row.items() if key != "id"} for row in gold_rows()]
    write_lines(tmp_path / "gt_chemical.jsonl", gold)
    said = [{"output": row["output"]} for row in prediction_rows()]
    write_lines(tmp_path / "pred_chemical.jsonl", said)
    found = cases_of(tmp_path, "gt_chemical.jsonl", "pred_chemical.jsonl", "--split", "s")
    assert found.cases[4].key[0] == "s/chemical/10"
    assert found.cases[4].text == said[9]["output"]

    folder = tmp_path / "rollouts"
    write_lines(folder / "gt_chemical.jsonl", gold_rows()[:2])
    texts = {"0": "no block", "1": model_text("down", GOLD), "2": "nor here"}
    rows = [{"id": "01", "rollout": number, "output": text} for number, text in texts.items()]
    write_lines(folder / "pred_chemical.jsonl", rows[::-1])
    found = cases_of(folder, "gt_chemical.jsonl", "pred_chemical.jsonl")
    assert {case.key[3]: case.text for case in found.cases} == {"0": "no block", "2": "nor here"}
    assert found.left_out == {"no_text": 1}


def test_a_run_for_spreadsheets(tmp_path: Path) -> None:
    rows = [row | {"id": f"={row['id']}"} for row in gold_rows()]
    write_lines(tmp_path / "gt_chemical.jsonl", rows)
    rows = [row | {"id": f"={row['id']}"} for row in prediction_rows()]
    write_lines(tmp_path / "pred_chemical.jsonl", rows)
    found = cases_of(tmp_path, "gt_chemical.jsonl", "pred_chemical.jsonl", "--spreadsheet-safe")
    assert found.cases[0].key[0] == "=02"
    samples = next(tmp_path.glob("out/*/samples_*.csv"))
    arguments = ("export-rescue", "--samples-csv", samples, "--controls", 0)
    assert in_process(*arguments, folder=tmp_path).returncode == 0
    said = {"verdict": "YES", "confidence": 1, "explanation": "=1+1"}
    write_lines(tmp_path / "r.jsonl", [{"sample_id": "=03", "response": said}])
    done = in_process("merge-rescue", "--samples-csv", samples, "--rescue-responses", "r.jsonl",
                      "-o", "merged.csv", folder=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert '"\'=1+1"' in (tmp_path / "merged.csv").read_text()


@pytest.mark.parametrize("benchmark", ["perturbreason", "rr10"])
def test_recomputed_labels_are_those_that_the_tiers_gave(tmp_path: Path, benchmark: str) -> None:
    done = in_process("eval", "--format", benchmark, "-o", "out", "-q", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    run = find_run(next(tmp_path.glob("out/*/samples_*.csv")))
    said, labels = (run.samples.column(name) for name in ("predicted_label", "error_label"))
    answers = {row: word for row, word in enumerate(said) if word is not None}
    assert len(answers) > 100
    assert labels_of_answers(run, answers) == {row: labels[row] for row in answers}
    assert len({labels[row] for row in answers}) >= 7
    assert sum(contradicted_counts(run)) > 0
