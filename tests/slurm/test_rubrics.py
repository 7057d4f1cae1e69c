"""A report in parts through a real vLLM: its tokenizer cuts, it judges, and brings together."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.rubric_judge import task, write_data
from tests.slurm.conftest import ONE_THREAD, eval_tiers
from tests.slurm.replies import faults_of, rows_of

PARAGRAPH = " ".join(
    ["The liver of a mouse that flew holds more lipid than that of one that didn't."] * 6
)


def report(characters: int) -> str:
    return "\r\n\r\n".join([PARAGRAPH] * (characters // (len(PARAGRAPH) + 4))) + "\r\n"


def judged_in_parts(folder: Path, python: Path, model: Path, characters: int, tokens: int) -> int:
    """Export, run both rounds and merge; how many parts the report had."""
    write_data(folder, [task("long", ("Names OSD-47", 5))], {"long": report(characters)})
    asked = folder / "requests.jsonl"
    done = eval_tiers(
        "rubrics", "export", folder / "processed_data.jsonl", folder / "agent_responses", "-o", asked,
        "--tokenizer", model, "--chunk-tokens", str(tokens), "--controls", "0", "--max-tokens", "640",
        python=python,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "the model's tokenizer" in done.stdout
    results = folder / "results"
    merge = ("rubrics", "merge", "--index", folder / "requests.index.csv", "-o", results)
    first, second = folder / "replies.jsonl", folder / "second.jsonl"
    run(python, model, asked, first)
    done = eval_tiers(*merge, first)
    assert done.returncode == 0, done.stderr
    (synthesis,) = results.glob("synthesis_requests_*.jsonl")
    assert f"{synthesis}" in done.stdout
    run(python, model, synthesis, second)
    done = eval_tiers(*merge, first, second, "--strict", "--price-in", "1", "--price-out", "1")
    assert done.returncode == 0, done.stderr
    (rows,) = results.glob("batch_evaluation_*.jsonl")
    (row,) = rows_of(rows)
    usages = [one["response"]["body"]["usage"] for path in (first, second) for one in rows_of(path)]
    assert row["success"] and row["verdict"] in ("Satisfied", "Not Satisfied")
    assert row["tokens_used"] == sum(usage["total_tokens"] for usage in usages)
    assert row["cost"] == pytest.approx(row["tokens_used"] / 1e6)
    for one in rows_of(first):
        assert set(one["verdict_prob"]) == {"Satisfied", "Not Satisfied"}
    # the whole prompt is longer than the part by no more than what is said around it
    assert max(usage["prompt_tokens"] for usage in usages) < tokens + 1_200
    assert row["chunk_n"] == len(rows_of(asked))
    return int(row["chunk_n"])


def run(python: Path, model: Path, requests: Path, replies: Path) -> None:
    done = eval_tiers(
        "infer", "--input", requests, "--output", replies, "--model", model, "--max-model-len",
        "6144", python=python, seconds=3_000,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3_000:]
    assert faults_of(rows_of(requests), rows_of(replies)) == []


@pytest.fixture(autouse=True)
def few_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ONE_THREAD.items():
        monkeypatch.setitem(os.environ, name, value)


@pytest.mark.slow
def test_a_report_in_parts_through_vllm(
    vllm_python: Path, tiny_model: Path, tmp_path: Path
) -> None:
    assert judged_in_parts(tmp_path, vllm_python, tiny_model, 6_000, 800) >= 3


@pytest.mark.nightly
@pytest.mark.slow
def test_a_report_of_700000_characters_through_vllm(
    vllm_python: Path, tiny_model: Path, tmp_path: Path
) -> None:
    assert judged_in_parts(tmp_path, vllm_python, tiny_model, 700_000, 4_000) >= 30
