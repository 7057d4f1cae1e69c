"""``baselines``: what is written, what it scores, and that no order of rows changes it."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import eval_tiers
from eval_tiers.api import write_baselines
from eval_tiers.io.demo import demo_inputs, rr10_demo_inputs
from tests.e2e.running import (
    TOY_KG,
    Record,
    command,
    in_process,
    strict_json,
    write_kg,
    write_lines,
)

SPLITS = ("id_test", "pert_ood")


def records_of(path: Path) -> list[Record]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_demo_as_a_user_runs_it(tmp_path: Path) -> None:
    done = command("baselines", "-o", "made", "--score", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    names = ["majority", "random", "kg_shortest_path"]
    manifest = strict_json(tmp_path / "made" / "baselines.json")
    assert list(manifest["baselines"]) == names
    gold = demo_inputs().gold
    for name in names:
        for split in SPLITS:
            wanted = sorted(path.name for path in (gold / split).glob("*.jsonl"))
            assert sorted(p.name for p in (tmp_path / "made" / name / split).iterdir()) == wanted
        accuracy = manifest["baselines"][name]["figures"]["accuracy"]
        assert f"{100 * accuracy:.1f}%" in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    assert "made/" in done.stdout


def test_scores_are_those_that_a_run_gives_for_its_own_baselines(tmp_path: Path) -> None:
    """Two ways to one number: counted beside a model's run, and scored as predictions."""
    demo = demo_inputs()
    train = tmp_path / "train.jsonl"
    train.write_bytes(b"".join(path.read_bytes() for path in sorted(demo.gold.glob("id_test/*"))))
    made = write_baselines(
        tmp_path / "made", gt_dir=demo.gold, train_file=train, external_kg=demo.graph, score=True
    )
    run = eval_tiers.evaluate(
        gt_dir=demo.gold, pred_dir=demo.predictions, external_kg=demo.graph, train_file=train
    )
    found = {baseline.name: baseline for baseline in made.baselines}
    told = run.summary["baselines"]
    assert found["majority"].figures["accuracy"] == told["majority"]["accuracy"]
    assert found["majority"].answer_n[told["majority"]["label"]] == made.row_n == 164
    of_train = found["train_readout_majority"].figures
    for part in ("", "_n", "_low", "_high"):
        key = f"accuracy{part}"
        assert of_train[key] == told["train_readout_majority"][key]
    # The run leaves questions without both ends out; of them this baseline has no answer.
    of_graph, shortest = found["kg_shortest_path"], told["kg_shortest_path"]
    unasked = 164 - shortest["accuracy_n"]
    right = round(shortest["accuracy"] * shortest["accuracy_n"])
    assert round(of_graph.figures["accuracy"] * 164) == right
    assert of_graph.answer_n["none"] == unasked == 2
    assert of_graph.answer_n["unchanged"] == round(shortest["no_route_rate"] * 162)


def test_signs_of_the_toy_graph(tmp_path: Path) -> None:
    graph = write_kg(tmp_path / "kg.tsv", TOY_KG)
    asked: list[tuple[str, str, str | None, str | None]] = [
        ("P", "A", "overexpression", "up"),
        ("p", "a", "knockdown", "down"),
        ("P", "E", "overexpression", "down"),
        ("P", "B", "overexpression", "down"),
        ("B", "P", "overexpression", "unchanged"),
        ("P", "NOT_IN_IT", "overexpression", "unchanged"),
        ("P", "A", "odd", None),
    ]
    gold = write_lines(
        tmp_path / "genetic.jsonl",
        [
            {"id": n, "answer": "up", "pert": pert, "gene": gene, "pert_type": "genetic",
             "perturbation_mode": mode}
            for n, (pert, gene, mode, _) in enumerate(asked)
        ],
    )  # fmt: skip
    made = write_baselines(tmp_path / "made", gt_file=gold, external_kg=graph)
    assert made.baselines[-1].path == tmp_path / "made" / "kg_shortest_path.jsonl"
    found = records_of(made.baselines[-1].path)
    assert [record["id"] for record in found] == [str(n) for n in range(len(asked))]
    wanted = ["no answer" if label is None else f"<answer>{label}</answer>" for *_, label in asked]
    assert [record["output"] for record in found] == wanted
    signed = write_baselines(
        tmp_path / "signed", gt_file=gold, external_kg=graph, mode={"Genetic": -1}
    )
    assert records_of(signed.baselines[-1].path)[-1]["output"] == "<answer>down</answer>"


def test_no_answer_is_a_parse_failure_by_every_reading(tmp_path: Path) -> None:
    gold = write_lines(tmp_path / "g.jsonl", [{"id": "a", "answer": "up"}])
    graph = write_kg(tmp_path / "kg.tsv", TOY_KG)
    made = write_baselines(tmp_path / "made", gt_file=gold, external_kg=graph)
    run = eval_tiers.evaluate(gt_file=gold, pred_file=made.baselines[-1].path, tiers=(1,))
    assert run.summary["parse_failure_rate"] == run.summary["parse_failure_rate_lenient"] == 1
    assert run.summary["ledger"]["gold"]["parse_failure"] == 1


def test_order_of_rows_changes_no_answer_and_the_seed_does(tmp_path: Path) -> None:
    rows = [{"id": f"q{n}", "answer": random.Random(n).choice(["up", "down"])} for n in range(900)]
    shuffled = random.Random(0).sample(rows, len(rows))
    answers: list[dict[str, str]] = []
    for name, records, seed in (("a", rows, 0), ("b", shuffled, 0), ("c", rows, 1)):
        gold = write_lines(tmp_path / "same" / "g.jsonl", records)
        made = write_baselines(tmp_path / name, gt_file=gold, seed=seed)
        found = records_of(made.baselines[1].path)
        assert [record["id"] for record in found] == [record["id"] for record in records]
        answers.append({record["id"]: record["output"] for record in found})
    assert answers[0] == answers[1] != answers[2]
    for found in answers:
        counts = Counter(found.values())
        assert len(counts) == 3
        assert all(240 < count < 360 for count in counts.values())


def test_gold_without_ids_is_paired_by_position(tmp_path: Path) -> None:
    rows = [{"answer": word} for word in ("down", "down", "up")]
    gold = write_lines(tmp_path / "g.jsonl", rows)
    made = write_baselines(tmp_path / "made", gt_file=gold, score=True)
    assert records_of(made.baselines[0].path) == [{"output": "<answer>down</answer>"}] * 3
    assert made.baselines[0].figures["accuracy"] == 2 / 3


def test_packed_gold_odd_ids_and_ids_given_twice(tmp_path: Path) -> None:
    import gzip

    rows: list[dict[str, Any]] = [
        {"id": chr(0xD83D), "answer": "up"}, {"id": " é ", "answer": "up"},
        {"id": 7, "answer": "down"}, {"id": "7", "answer": "down"},
    ]  # fmt: skip
    text = "".join(json.dumps(row) + "\n" for row in rows)
    gold = tmp_path / "g.jsonl.gz"
    gold.write_bytes(gzip.compress(text.encode()))
    done = in_process("baselines", "--gt-file", gold, "-o", "x", folder=tmp_path)
    assert done.returncode == 3
    assert "[duplicate-id]" in done.stderr
    assert not (tmp_path / "x").exists()
    made = write_baselines(tmp_path / "y", gt_file=gold, duplicates="last", score=True)
    assert made.row_n == 3
    figures = made.baselines[0].figures
    assert (figures["accuracy"], figures["accuracy_n"]) == (2 / 3, 3)


def test_rr10(tmp_path: Path) -> None:
    made = write_baselines(tmp_path / "made", format="rr10", score=True)
    found = {baseline.name: baseline for baseline in made.baselines}
    assert list(found) == ["majority", "random", "indeterminate"]
    always = found["indeterminate"]
    assert always.answer_n == {
        "upregulated": 0, "downregulated": 0, "indeterminate": 200, "none": 0
    }  # fmt: skip
    assert always.figures["paired_directional_robustness"] == 0
    run = eval_tiers.evaluate(
        gt_file=rr10_demo_inputs().gold, pred_file=always.path, tiers=(1,), format="rr10"
    )
    assert run.summary["trap_accuracy"] == 1
    assert run.summary["control_abstention_rate"] == 1
    assert run.summary["accuracy_total"] == always.figures["accuracy_total"]


@pytest.mark.parametrize("score", [False, True])
def test_json_is_the_manifest(tmp_path: Path, score: bool) -> None:
    extra = ["--score"] if score else []
    done = in_process("baselines", "-o", "made", "--json", *extra, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    manifest = json.loads(done.stdout)
    assert manifest == strict_json(tmp_path / "made" / "baselines.json")
    assert manifest["row_n"] == sum(manifest["gold_label_n"].values()) == 164
    for found in manifest["baselines"].values():
        assert sum(found["answer_n"].values()) == 164
        assert ("figures" in found) == score
