"""``infer`` as a user starts it: stopped, killed and started again; without a model; with vLLM."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.running import command, evaluated, write_lines
from tests.openai_server import OpenAIServer, Said, chat_request, completion

Record = dict[str, Any]
ROOT = Path(__file__).resolve().parents[2]
VLLM_PYTHON = Path(
    os.environ.get("EVAL_TIERS_VLLM_PYTHON") or ROOT / ".venv-vllm" / "bin" / "python"
)
KEY = "sk-not-to-be-seen"
PATIENCE_S = 60.0

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="not here: signals")


def rows_of(path: Path) -> list[Record]:
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line]


def ids_of(path: Path) -> list[str]:
    return [row["custom_id"] for row in rows_of(path)]


class Slow:
    """A server that takes some time for each reply, and lets a test wait until it is at work."""

    def __init__(self) -> None:
        self.answered_n = 0
        self.seconds = 0.1
        self._lock = threading.Lock()

    def __call__(self, text: str, times: int, body: Record) -> Said:
        time.sleep(self.seconds)
        with self._lock:
            self.answered_n += 1
        return Said(completion(f"reply to {text}"))


def started(folder: Path, url: str, *options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "eval_tiers", "infer", "--input_file", "requests.jsonl",
         "--output_file", "replies.jsonl", "--base-url", url, "--concurrency", "4", *options],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=os.environ | {"OPENAI_API_KEY": KEY},
    )  # fmt: skip


def wait_until_at_work(path: Path, row_n: int = 5) -> None:
    until = time.monotonic() + PATIENCE_S
    while not path.exists() or path.read_bytes().count(b"\n") < row_n:
        assert time.monotonic() < until, "no replies were written"
        time.sleep(0.02)


@pytest.fixture
def requests(tmp_path: Path) -> Path:
    return write_lines(
        tmp_path / "requests.jsonl", [chat_request(f"r{number}") for number in range(60)]
    )


@pytest.mark.parametrize("name", ["SIGTERM", "SIGUSR1", "SIGINT"])
def test_a_warning_ends_the_run_with_75_and_the_next_does_the_rest(
    requests: Path, tmp_path: Path, name: str
) -> None:
    replies, plan = tmp_path / "replies.jsonl", Slow()
    with OpenAIServer(plan) as server:
        run = started(tmp_path, server.url)
        wait_until_at_work(replies)
        run.send_signal(signal.Signals[name])
        out, err = run.communicate(timeout=PATIENCE_S)
        assert run.returncode == 75, err
        assert f"Stopped by {name}" in err
        assert "left  " in out
        answered = ids_of(replies)
        assert len(answered) == len(server.asked) < 60  # what was in hand was finished
        plan.seconds = 0
        done = started(tmp_path, server.url)
        assert done.wait(PATIENCE_S) == 0
        assert ids_of(replies)[: len(answered)] == answered
        assert sorted(ids_of(replies)) == sorted(f"r{number}" for number in range(60))
        assert len(server.asked) == 60


def test_a_killed_run_goes_on_where_it_was(requests: Path, tmp_path: Path) -> None:
    replies, plan = tmp_path / "replies.jsonl", Slow()
    with OpenAIServer(plan) as server:
        run = started(tmp_path, server.url)
        wait_until_at_work(replies)
        run.kill()
        run.wait(PATIENCE_S)
        whole = replies.read_bytes()
        flushed = set(ids_of(replies))
        with replies.open("ab") as handle:  # as if it had been killed within a write
            handle.write(b'{"id":"batch_req_1","custom_id":"r59","response":{"status_co')
        asked_n, plan.seconds = len(server.asked), 0
        done = started(tmp_path, server.url, "--json")
        out, err = done.communicate(timeout=PATIENCE_S)
        assert done.returncode == 0, err
        again = {body["messages"][0]["content"] for body in server.asked[asked_n:]}
    report = json.loads(out)
    assert report["torn_line"] is True
    assert report["unread_line_n"] == 1
    assert not again & flushed
    assert replies.read_bytes().startswith(whole)
    lines = [line for line in replies.read_bytes().split(b"\n") if line]
    found = []
    for line in lines:
        try:
            found.append(json.loads(line)["custom_id"])
        except ValueError:
            continue
    assert len(found) == len(lines) - 1
    assert sorted(found) == sorted(f"r{number}" for number in range(60))


def test_two_runs_of_one_output_do_not_both_write(requests: Path, tmp_path: Path) -> None:
    plan = Slow()
    plan.seconds = 0.5
    with OpenAIServer(plan) as server:
        first = started(tmp_path, server.url)
        wait_until_at_work(tmp_path / "replies.jsonl", 1)
        second = started(tmp_path, server.url)
        _, err = second.communicate(timeout=PATIENCE_S)
        assert second.returncode == 2
        assert "[output-in-use]" in err
        plan.seconds = 0
        assert first.wait(PATIENCE_S) == 0
    assert len(ids_of(tmp_path / "replies.jsonl")) == 60


def test_the_key_stands_nowhere(requests: Path, tmp_path: Path) -> None:
    plan = Slow()
    plan.seconds = 0
    with OpenAIServer(plan) as server:
        done = started(tmp_path, server.url)
        out, err = done.communicate(timeout=PATIENCE_S)
        assert done.returncode == 0, err
        assert server.headers[-1]["Authorization"] == f"Bearer {KEY}"
    assert KEY not in out + err
    assert KEY.encode() not in (tmp_path / "replies.jsonl").read_bytes()
    row = rows_of(tmp_path / "replies.jsonl")[0]
    assert row["engine"] == {"backend": "http", "model": "served", "version": "1.2.3"}


def test_the_hard_cases_of_the_demo_without_a_model(tmp_path: Path) -> None:
    run = evaluated("--tiers", "1", "2", "3", folder=tmp_path)
    requests = tmp_path / "requests.jsonl"
    done = command(
        "export-rescue", "--samples-csv", run.path("samples", "csv"), "-o", requests,
        folder=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    asked = {row["custom_id"]: row for row in rows_of(requests)}
    assert asked
    for shard in ("0/2", "1/2"):
        done = command(
            "infer", "--input", requests, "--output", "replies.jsonl", "--backend", "symbolic",
            "--shard", shard, folder=tmp_path,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    rows = [row for part in sorted(tmp_path.glob("replies.shard-*.jsonl")) for row in rows_of(part)]
    assert sorted(row["custom_id"] for row in rows) == sorted(asked)
    for row in rows:
        assert row["response"]["status_code"] == 200, row
        reply = json.loads(row["response"]["body"]["choices"][0]["message"]["content"])
        body = asked[row["custom_id"]]["body"]
        properties = body["response_format"]["json_schema"]["schema"]["properties"]
        assert reply["verdict"] in properties["verdict"]["enum"]


def test_other_requests_get_no_verdict_from_signs(tmp_path: Path) -> None:
    write_lines(tmp_path / "requests.jsonl", [chat_request("a", "What is 2 and 2?")])
    done = command(
        "infer", "--input", "requests.jsonl", "--output", "replies.jsonl", "--backend", "symbolic",
        folder=tmp_path,
    )  # fmt: skip
    assert done.returncode == 6
    assert "[no-reply-at-all]" in done.stderr
    (row,) = rows_of(tmp_path / "replies.jsonl")
    assert row["error"]["code"] == "no-rescue-request"


@pytest.fixture(scope="module")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random two-layer model for the vLLM that is installed."""
    if not VLLM_PYTHON.is_file():
        pytest.skip(f"no vLLM here ({VLLM_PYTHON}): sh scripts/install_vllm_cpu.sh")
    folder = tmp_path_factory.mktemp("models") / "tiny"
    subprocess.run([VLLM_PYTHON, ROOT / "tests" / "tiny_model.py", folder], check=True, timeout=300)
    return folder


def with_vllm(folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [VLLM_PYTHON, "-m", "eval_tiers", "infer", *map(str, arguments)],
        cwd=folder, capture_output=True, text=True, check=False, timeout=400,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip


def bound_request(custom_id: str, text: str, **body: object) -> Record:
    schema = {
        "type": "object", "additionalProperties": False, "required": ["verdict", "confidence"],
        "properties": {
            "verdict": {"type": "string", "enum": ["YES", "NO"]},
            "confidence": {"type": "number", "minimum": 0, "maximum": 1},
        },
    }  # fmt: skip
    form = {"type": "json_schema", "json_schema": {"name": "v", "strict": True, "schema": schema}}
    options: Record = {
        "response_format": form, "logprobs": True, "top_logprobs": 20, "seed": 0, "max_tokens": 96,
    }  # fmt: skip
    return chat_request(custom_id, text, **options | body)


def test_vllm_answers_by_schema_with_the_probability_of_each_verdict(
    tiny_model: Path, tmp_path: Path
) -> None:
    asked = [bound_request(f"r{number}", f"Is {number} plausible?") for number in range(12)]
    asked[3] = bound_request("too-long", "word " * 30_000)
    asked[5] = bound_request("tools", "Is it?", tools=[{"type": "function"}])
    asked[7] = bound_request("cut", "Is it?", max_tokens=3)
    asked[9] = chat_request("free", "Say something.", temperature=0.7, seed=3, max_tokens=8)
    write_lines(tmp_path / "requests.jsonl", asked)
    arguments = (
        "--input", "requests.jsonl", "--output", "replies.jsonl", "--model_path", tiny_model,
        "--tp_size", "1", "--json",
    )  # fmt: skip
    done = with_vllm(tmp_path, *arguments)
    assert done.returncode == 0, done.stderr[-3000:]
    report = json.loads(done.stdout)  # nothing of the engine's on stdout
    assert report["without_reply"] == {"bad-request": 1, "cut-off": 2, "over-length": 1}
    rows = {row["custom_id"]: row for row in rows_of(tmp_path / "replies.jsonl")}
    assert list(rows) == [row["custom_id"] for row in asked]
    for custom_id, row in rows.items():
        assert row["engine"]["backend"] == "vllm"
        assert row["engine"]["model"] == tiny_model.name
        assert len(row["prompt_sha256"]) == 64
        if not custom_id.startswith("r"):
            continue
        body = row["response"]["body"]
        reply = json.loads(body["choices"][0]["message"]["content"])
        assert reply["verdict"] in ("YES", "NO")
        assert body["usage"]["completion_tokens"] > 0
        shares = row["verdict_prob"]
        assert sum(shares.values()) == pytest.approx(1.0, abs=1e-5)
        assert set(shares) == {"YES", "NO"}
        assert 0 < shares[reply["verdict"]] < 1  # with random weights neither is certain
    assert rows["too-long"]["error"]["code"] == "over-length"
    assert "tools" in rows["tools"]["error"]["message"]
    assert rows["cut"]["response"]["body"]["choices"][0]["finish_reason"] == "length"
    assert rows["free"]["response"]["status_code"] == 200

    before = (tmp_path / "replies.jsonl").read_bytes()
    done = with_vllm(tmp_path, *arguments)
    assert done.returncode == 0
    assert json.loads(done.stdout)["engine"] is None
    assert "vllm" not in done.stderr.lower()
    assert (tmp_path / "replies.jsonl").read_bytes() == before

    done = with_vllm(
        tmp_path, "--check", "--input", "requests.jsonl", "--model", tiny_model, "--json",
        "--tp-size", "3",
    )  # fmt: skip
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert found["counted_by_tokenizer"] is True
    errors = [one["code"] for one in found["findings"] if one["level"] == "error"]
    assert errors == ["heads-not-divisible", "prompt-too-long"]


def test_a_model_that_vllm_can_not_load_is_exit_6(tiny_model: Path, tmp_path: Path) -> None:
    model = tmp_path / "broken"
    model.mkdir()
    for path in tiny_model.iterdir():
        (model / path.name).write_bytes(path.read_bytes())
    (model / "model.safetensors").write_bytes(b"no weights")
    write_lines(tmp_path / "requests.jsonl", [bound_request("a", "Is it?")])
    done = with_vllm(
        tmp_path, "--input", "requests.jsonl", "--output", "replies.jsonl", "--model", model
    )
    assert done.returncode == 6, done.stderr[-3000:]
    assert "[engine-start]" in done.stderr
    assert (tmp_path / "replies.jsonl").read_bytes() == b""
