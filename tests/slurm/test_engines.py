"""The request file as it is, under vLLM's own batch runner and against vLLM's server."""

from __future__ import annotations

import os
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.slurm.cluster import free_ports
from tests.slurm.conftest import Export, eval_tiers
from tests.slurm.replies import faults_of, rows_of

ON_A_CPU = {
    "HF_HUB_OFFLINE": "1",
    "VLLM_CPU_NUM_OF_RESERVED_CPU": "0",
    "VLLM_HOST_IP": "127.0.0.1",
    "VLLM_NO_USAGE_STATS": "1",
}
ENGINE = (
    "--served-model-name", "examiner", "--enforce-eager", "--max-model-len", "4096",
    "--kv-cache-memory-bytes", str(512 << 20), "--dtype", "float32",
    "--structured-outputs-config", '{"backend": "xgrammar", "disable_any_whitespace": true}',
)  # fmt: skip


@pytest.mark.slow
def test_vllm_run_batch_takes_the_requests_and_its_replies_merge(
    vllm_python: Path, tiny_model: Path, few: Export, tmp_path: Path
) -> None:
    replies = tmp_path / "replies.jsonl"
    done = subprocess.run(
        [
            vllm_python.with_name("vllm"), "run-batch", "-i", few.requests, "-o", replies,
            "--model", tiny_model, *ENGINE,
        ],
        env=os.environ | ON_A_CPU, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3_000:]
    assert faults_of(rows_of(few.requests), rows_of(replies)) == []
    merged = few.merge([replies], tmp_path / "merged", "--strict")
    assert merged.returncode == 0, merged.stderr


@contextmanager
def served(vllm: Path, model: Path, log: Path) -> Iterator[str]:
    """Run ``vllm serve`` on loopback until the block is left; its base URL."""
    (port,) = free_ports(1)
    command = [vllm, "serve", model, "--host", "127.0.0.1", "--port", str(port), *ENGINE]
    with (
        log.open("wb") as written,
        subprocess.Popen(
            command, env=os.environ | ON_A_CPU, stdin=subprocess.DEVNULL,
            stdout=written, stderr=subprocess.STDOUT,
        ) as server,
    ):  # fmt: skip
        try:
            until = time.monotonic() + 240
            while not _is_well(f"http://127.0.0.1:{port}/health"):
                assert server.poll() is None, log.read_text()[-3_000:]
                assert time.monotonic() < until, log.read_text()[-3_000:]
                time.sleep(0.5)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.terminate()
            server.wait(timeout=60)


def _is_well(url: str) -> bool:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=5) as response:
            return bool(response.status == 200)
    except OSError:
        return False


@pytest.mark.slow
def test_requests_go_to_a_server_and_its_replies_merge(
    vllm_python: Path, tiny_model: Path, few: Export, tmp_path: Path
) -> None:
    replies = tmp_path / "replies.jsonl"
    command = ("infer", "--input", few.requests, "--output", replies, "--base-url")
    with served(vllm_python.with_name("vllm"), tiny_model, tmp_path / "server.log") as url:
        done = eval_tiers(*command, url, "--concurrency", "4")
    assert done.returncode == 0, done.stderr
    assert faults_of(rows_of(few.requests), rows_of(replies)) == []
    before = replies.read_bytes()

    # The server is gone, and a finished output needs none.
    again = eval_tiers(*command, url)
    assert again.returncode == 0, again.stderr
    assert replies.read_bytes() == before
    merged = few.merge([replies], tmp_path / "merged", "--strict")
    assert merged.returncode == 0, merged.stderr
