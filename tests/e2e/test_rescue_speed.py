"""Time of export and merge: 20,000 prompts, measured as the processor time of this process."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from benchmarks.generate import read_edges, write_benchmark
from eval_tiers.io.demo import demo_inputs
from tests.e2e.running import in_process

EXPORT_SECONDS, MERGE_SECONDS = 15, 5


@pytest.mark.nightly
@pytest.mark.slow
def test_twenty_thousand_prompts_and_their_replies(tmp_path: Path) -> None:
    graph = demo_inputs().graph
    write_benchmark(tmp_path, read_edges(graph), 60_000, 200)
    done = in_process("eval", "--gt-dir", "gt", "--pred-dir", "pred", "--external-kg", graph,
                      "-o", "out", "-q", folder=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    samples = next(tmp_path.glob("out/*/samples_*.csv"))
    started = time.process_time()
    done = in_process("export-rescue", "--samples-csv", samples, "--max-samples", 20_000,
                      "-o", "r.jsonl", folder=tmp_path)  # fmt: skip
    export_seconds = time.process_time() - started
    assert done.returncode == 0, done.stderr
    with (tmp_path / "r.jsonl").open() as lines, (tmp_path / "a.jsonl").open("w") as replies:
        for line in lines:
            request = json.loads(line)
            schema = request["body"]["response_format"]["json_schema"]["schema"]
            verdict = schema["properties"]["verdict"]["enum"][0]
            content = json.dumps({"verdict": verdict, "confidence": 0.5, "explanation": "e"})
            row = {"custom_id": request["custom_id"], "response": content}
            replies.write(json.dumps(row) + "\n")
    started = time.process_time()
    done = in_process("merge-rescue", "--samples-csv", samples, "--rescue-responses", "a.jsonl",
                      "-o", "merged.csv", "--strict", folder=tmp_path)  # fmt: skip
    merge_seconds = time.process_time() - started
    assert done.returncode == 0, done.stderr
    assert (export_seconds < EXPORT_SECONDS, merge_seconds < MERGE_SECONDS) == (True, True), (
        export_seconds,
        merge_seconds,
    )
