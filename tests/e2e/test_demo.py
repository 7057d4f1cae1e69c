"""The bundled demo through the real command, and the usage errors around it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import eval_tiers
from eval_tiers.io.demo import demo_inputs
from tests.e2e.running import (
    Run,
    command,
    evaluated,
    in_process,
    model_text,
    write_kg,
    write_lines,
)

DEMO = Path(eval_tiers.__file__).parent / "demo"
HARD = {"CORRECT_HALLUCINATED_EDGE", "CORRECT_RIGHT_FOR_WRONG_REASON", "WRONG_CORRECT_CHAIN",
        "PARSE_FAIL"}  # fmt: skip


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """``eval --tiers 1 2 3`` without a path, in an empty folder."""
    return evaluated("--tiers", 1, 2, 3, folder=tmp_path_factory.mktemp("empty"))


def planted() -> dict[str, dict[str, str]]:
    path = DEMO / "predictions" / "planted" / "planted_labels.tsv"
    with path.open(encoding="utf-8", newline="") as lines:
        return {row["sample_id"]: row for row in csv.DictReader(lines, delimiter="\t")}


def test_a_run_without_paths_says_that_it_is_the_demo(demo: Run) -> None:
    assert "bundled demo data" in demo.stderr
    assert "Demo" in demo.stdout
    assert "--gt-dir" in demo.stdout  # what to type next
    assert max(map(len, demo.stdout.split("\n"))) <= 80


def test_every_planted_label_comes_out(demo: Run) -> None:
    rows = {row["sample_id"]: row for row in demo.csv}
    wanted = planted()
    assert len(wanted) >= 120
    assert rows.keys() == wanted.keys()
    wrong = {
        name: (row["fault"], row["error_label"], rows[name]["error_label"])
        for name, row in wanted.items()
        if rows[name]["error_label"] != row["error_label"]
    }
    assert wrong == {}
    labels = {row["error_label"] for row in wanted.values()}
    assert len(labels - {""}) == 10
    for row in demo.csv:
        assert row["hard_case"] == str(row["error_label"] in HARD)


def test_planted_parse_failures_have_their_reason(demo: Run) -> None:
    rows = {row["sample_id"]: row for row in demo.csv}
    faults = {
        name: row["fault"].removeprefix("parse:")
        for name, row in planted().items()
        if row["fault"].startswith("parse:")
    }
    assert len(faults) >= 7
    assert {name: rows[name]["parse_failure_reason"] for name in faults} == faults


def test_the_summary_of_the_demo(demo: Run) -> None:
    found = demo.summary
    assert found["n"] == len(planted())
    assert found["tiers"] == [1, 2, 3]
    assert found["warnings"] == []
    assert found["gold_in_kg_rate"] == 1
    assert found["grounded_accuracy"] <= found["accuracy"] <= found["accuracy_lenient"]
    assert set(found["by_split"]) == {"id_test", "pert_ood"}
    assert sum(part["n"] for part in found["by_split"].values()) == found["n"]
    for side in found["ledger"].values():
        assert side["rows"] == sum(n for name, n in side.items() if name != "rows")


def test_the_small_model_s_predictions_run(tmp_path: Path) -> None:
    inputs = demo_inputs("smollm2")
    run = evaluated(
        "--gt-dir", inputs.gold, "--pred-dir", inputs.predictions, "--external-kg", inputs.graph,
        "--go-gmt", inputs.gene_sets, "--tiers", 1, 2, 3, folder=tmp_path,
    )  # fmt: skip
    found = run.summary
    assert found["n"] == len(planted())
    assert found["parse_failure_reasons"]["no_answer_block"] == 27
    assert 0 < found["accuracy"] < 0.5
    assert found["confusion_matrix"]["up"]["unchanged"] == 0
    assert "Demo" not in run.stdout


@pytest.mark.parametrize(
    ("tiers", "expected"),
    [
        (["--tiers", "1", "2", "3"], [1, 2, 3]),
        (["--tiers", "1,2"], [1, 2]),
        (["--tiers", "1, 3"], [1, 3]),
        (["--tiers=1"], [1]),
        (["--tiers=1,2"], [1, 2]),
        (["--tiers", "3", "1"], [1, 3]),
        (["--tiers", "2"], [1, 2]),
        (["--tiers", "2", "2", "1"], [1, 2]),
        ([], [1, 2]),
    ],
    ids=str,
)
def test_ways_to_name_tiers(tmp_path: Path, tiers: list[str], expected: list[int]) -> None:
    done = in_process("eval", *tiers, "--json", "-q", "-o", tmp_path / "o", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert json.loads(done.stdout)["tiers"] == expected


@pytest.mark.parametrize(
    "tiers", [["--tiers", "4"], ["--tiers", "0"], ["--tiers", "1", "5"], ["--tiers", "a"],
              ["--tiers="], ["--tiers", "1-3"], ["--tiers"], ["--tiers", "--quiet"]],
    ids=" ".join,
)  # fmt: skip
def test_bad_tiers_are_usage_errors(tmp_path: Path, tiers: list[str]) -> None:
    done = in_process("eval", *tiers, folder=tmp_path)
    assert done.returncode == 2
    assert "tiers" in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def own_data(tmp_path: Path) -> list[str]:
    """One pair of files of the user's own."""
    chain = [["A", "+", "B"]]
    gold = write_lines(
        tmp_path / "data" / "gt_genetic.jsonl",
        [{"id": "1", "answer": "up", "path": chain, "pert": "A", "gene": "B"}],
    )
    predictions = write_lines(
        tmp_path / "data" / "pred_genetic.jsonl", [{"id": "1", "output": model_text("up", chain)}]
    )
    return ["--gt-file", str(gold), "--pred-file", str(predictions)]


@pytest.mark.parametrize(
    ("tiers", "option"),
    [(["1", "2"], "--external-kg"), (["2"], "--external-kg"), (["1", "3"], "--go-gmt"),
     (["1", "2", "3"], "--external-kg"), ([], "--external-kg")],
)  # fmt: skip
def test_missing_resources_on_own_data_name_the_option(
    tmp_path: Path, own_data: list[str], tiers: list[str], option: str
) -> None:
    arguments = [*own_data, *(["--tiers", *tiers] if tiers else [])]
    done = in_process("eval", *arguments, folder=tmp_path)
    assert done.returncode == 2
    assert option in done.stderr
    assert not (tmp_path / "outputs").exists()


def test_tier_3_with_a_graph_but_without_gene_sets(tmp_path: Path, own_data: list[str]) -> None:
    kg = write_kg(tmp_path / "kg.tsv", [("A", 1, "B")])
    done = command("eval", *own_data, "--external-kg", kg, "--tiers", 1, 2, 3, folder=tmp_path)
    assert (done.returncode, "--go-gmt" in done.stderr) == (2, True)


def test_tier_1_on_own_data_needs_neither(tmp_path: Path, own_data: list[str]) -> None:
    run = evaluated(*own_data, "--tiers", 1, folder=tmp_path)
    assert run.summary["accuracy"] == 1
    assert "demo" not in run.stderr.casefold()


@pytest.mark.parametrize("left_out", ["--gt-file", "--pred-file"])
def test_half_a_pair_is_a_usage_error(tmp_path: Path, own_data: list[str], left_out: str) -> None:
    place = own_data.index(left_out)
    done = in_process(
        "eval", *own_data[:place], *own_data[place + 2 :], "--tiers", 1, folder=tmp_path
    )
    assert done.returncode == 2
    assert "--gt-file" in done.stderr and "--pred-file" in done.stderr


def test_two_runs_in_a_row_get_two_folders(tmp_path: Path) -> None:
    first = evaluated("--tiers", 1, folder=tmp_path)
    second = evaluated("--tiers", 1, folder=tmp_path)
    assert first.folder != second.folder
    assert first.csv == second.csv
