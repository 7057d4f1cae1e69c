"""What must change nothing: the order of rows, batches, processes, compression, the container."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import zstandard

from eval_tiers.api import make_plan, write_evaluation
from tests.e2e.running import Run, evaluated, without_run_facts, write_kg
from tests.e2e.test_against_oracle import odd_gold, odd_text, toy_graph, write_toy_sets

PLACES = ["source_path", "source_line", "prediction_path", "prediction_line"]
N = 45


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two splits with odd records of both types, some rollouts, and the resources."""
    folder = tmp_path_factory.mktemp("invariance")
    rng = random.Random(7)
    for split in ("id_test", "pert_ood"):
        for kind in ("chemical", "genetic"):
            gold = [odd_gold(rng, number) for number in range(N)]
            predictions = []
            for number, record in enumerate(gold):
                record["pert_type"] = kind
                for rollout in range(rng.choice([1, 1, 1, 3])):
                    predictions.append(
                        {"id": f"q{number}", "rollout": rollout, "output": odd_text(rng, record)}
                    )
            write_text(folder / "gt" / split / f"pqa_{kind}.jsonl", gold)
            write_text(folder / "pred" / split / f"model_{kind}.jsonl", predictions[:-2])
    write_kg(folder / "kg.tsv", toy_graph(3))
    write_toy_sets(folder / "go.gmt", 3)
    return folder


def write_text(path: Path, records: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


def score(
    folder: Path, output: Path, gold: Path | None = None, predictions: Path | None = None,
    **options: Any,
) -> Run:  # fmt: skip
    """Score the folders (or others in their place) through the API, files written."""
    plan = make_plan(
        gt_dir=gold or folder / "gt", pred_dir=predictions or folder / "pred",
        external_kg=folder / "kg.tsv", go_gmt=folder / "go.gmt", tiers=(1, 2, 3), **options,
    )  # fmt: skip
    return Run(write_evaluation(plan, output).run_dir)


@pytest.fixture(scope="module")
def reference(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return score(folder, tmp_path_factory.mktemp("reference"))


def key_sorted(frame: pd.DataFrame, without: list[str]) -> pd.DataFrame:
    """Rows by their key, without some columns."""
    keys = ["split", "pert_type", "sample_id", "rollout"]
    return frame.drop(columns=without).sort_values(keys, ignore_index=True)


def numbers(run: Run) -> dict[str, Any]:
    """The summary without what tells where and when; rollouts have a test of their own."""
    found = without_run_facts(run.summary)
    del found["rollouts"]
    return found


def assert_same(run: Run, reference: Run, without: list[str] | None = None) -> None:
    """The same samples and chains up to their order, the same summary to the last digit."""
    dropped = without or []
    pd.testing.assert_frame_equal(
        key_sorted(run.samples, dropped), key_sorted(reference.samples, dropped), check_exact=True
    )
    edges = ["split", "pert_type", "sample_id", "rollout", "side", "source", "target"]
    pd.testing.assert_frame_equal(
        run.chains.sort_values(edges, ignore_index=True),
        reference.chains.sort_values(edges, ignore_index=True),
        check_exact=True,
    )
    assert numbers(run) == numbers(reference)


def test_the_reference_is_worth_comparing_with(reference: Run) -> None:
    found = reference.summary
    assert len(reference.samples) > 4 * N
    assert sum(count > 0 for count in found["error_distribution"].values()) >= 7
    assert found["rollouts"]["rollouts_per_item_max"] == 3
    assert found["go_sim_mean_n"] > 20
    assert found["ledger"]["gold"]["missing_prediction"] > 0


@pytest.mark.parametrize("batch_rows", [1, 7, 1000])
@pytest.mark.parametrize("jobs", [1, 2])
def test_batch_size_and_processes(
    folder: Path, reference: Run, tmp_path: Path, batch_rows: int, jobs: int
) -> None:
    if batch_rows == 1 and jobs == 2:
        pytest.skip("not here: covered by the other sizes, and slow")
    run = score(folder, tmp_path, batch_rows=batch_rows, jobs=jobs)
    assert_same(run, reference)
    assert run.path("samples", "csv").read_bytes() == reference.path("samples", "csv").read_bytes()
    assert (
        run.path("file_summary", "csv").read_bytes()
        == reference.path("file_summary", "csv").read_bytes()
    )


def test_majority_vote_does_not_depend_on_batches(
    folder: Path, reference: Run, tmp_path: Path
) -> None:
    run = score(folder, tmp_path, batch_rows=7)
    found, expected = (each.summary["rollouts"] for each in (run, reference))
    assert found["majority_vote_accuracy"] == expected["majority_vote_accuracy"]


def test_pass_at_k_does_not_depend_on_batches(folder: Path, reference: Run, tmp_path: Path) -> None:
    """To the last digit: tests/unit/metrics."""
    found = score(folder, tmp_path, batch_rows=7).summary["rollouts"]["pass_at_k"]
    for k, expected in reference.summary["rollouts"]["pass_at_k"].items():
        assert found[k]["value"] == pytest.approx(expected["value"], abs=1e-12)
        assert found[k]["n"] == expected["n"]


def test_agreement_does_not_depend_on_batches(folder: Path, reference: Run, tmp_path: Path) -> None:
    found = score(folder, tmp_path, batch_rows=7).summary["rollouts"]
    for name in ("agreement", "agreement_n", "items", "rollouts_per_item_max"):
        assert found[name] == reference.summary["rollouts"][name]


@pytest.mark.parametrize("side", ["gt", "pred", "both"])
def test_order_of_rows(folder: Path, reference: Run, tmp_path: Path, side: str) -> None:
    rng = random.Random(side)
    sides = {}
    for name in ("gt", "pred"):
        sides[name] = folder / name
        if side in {name, "both"}:
            sides[name] = tmp_path / name
            for path in (folder / name).rglob("*.jsonl"):
                lines = path.read_text(encoding="utf-8").splitlines()
                rng.shuffle(lines)
                target = tmp_path / path.relative_to(folder)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text("\n".join(lines) + "\n", encoding="utf-8")
    run = score(folder, tmp_path / "out", sides["gt"], sides["pred"], batch_rows=50)
    assert_same(run, reference, PLACES)


def compress(data: bytes, kind: str) -> bytes:
    if kind == "gz":
        return gzip.compress(data)
    return zstandard.ZstdCompressor().compress(data)


@pytest.mark.parametrize("kind", ["gz", "zst"])
def test_compressed_inputs(folder: Path, reference: Run, tmp_path: Path, kind: str) -> None:
    for path in folder.rglob("*.jsonl"):
        target = tmp_path / f"{path.relative_to(folder)}.{kind}"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(compress(path.read_bytes(), kind))
    for name in ("kg.tsv", "go.gmt"):
        (tmp_path / f"{name}.{kind}").write_bytes(compress((folder / name).read_bytes(), kind))
    plan = make_plan(
        gt_dir=tmp_path / "gt", pred_dir=tmp_path / "pred", external_kg=tmp_path / f"kg.tsv.{kind}",
        go_gmt=tmp_path / f"go.gmt.{kind}", tiers=(1, 2, 3), batch_rows=64,
    )  # fmt: skip
    run = Run(write_evaluation(plan, tmp_path / "out").run_dir)
    assert_same(run, reference, ["source_path", "prediction_path"])


def test_a_json_array_equals_json_lines(folder: Path, reference: Run, tmp_path: Path) -> None:
    for number, path in enumerate(sorted(folder.rglob("*.jsonl"))):
        records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        target = (tmp_path / path.relative_to(folder)).with_suffix(".json")
        target.parent.mkdir(parents=True, exist_ok=True)
        indent = [None, 1, 2][number % 3]
        target.write_text(json.dumps(records, indent=indent, ensure_ascii=number % 2 == 0))
    run = score(folder, tmp_path / "out", tmp_path / "gt", tmp_path / "pred")
    assert_same(run, reference, PLACES)


def test_line_ends_blank_lines_and_a_byte_order_mark(
    folder: Path, reference: Run, tmp_path: Path
) -> None:
    for path in folder.rglob("*.jsonl"):
        target = tmp_path / path.relative_to(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        data = path.read_bytes().rstrip(b"\n").replace(b"\n", b"\r\n\r\n")
        target.write_bytes(b"\xef\xbb\xbf" + data)
    run = score(folder, tmp_path / "out", tmp_path / "gt", tmp_path / "pred")
    assert_same(
        run, reference, ["source_path", "prediction_path", "source_line", "prediction_line"]
    )
    assert run.samples["source_line"].tolist() == [
        2 * line - 1 for line in reference.samples["source_line"].tolist()
    ]


def test_the_options_of_the_command(folder: Path, reference: Run) -> None:
    run = evaluated(
        "--gt-dir", folder / "gt", "--pred-dir", folder / "pred", "--external-kg",
        folder / "kg.tsv", "--go-gmt", folder / "go.gmt", "--tiers", 1, 2, 3, "--batch-size", 13,
        "--jobs", 2, "--quiet", folder=folder,
    )  # fmt: skip
    assert_same(run, reference)
