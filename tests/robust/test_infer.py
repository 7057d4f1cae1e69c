"""Odd and spoilt request files, outputs and options of ``infer``: rows, or one clear error."""

from __future__ import annotations

import fcntl
import gzip
import json
import os
import sys
from pathlib import Path

import pytest

from eval_tiers.inference import reply_file
from tests.openai_server import OpenAIServer, Said, chat_request, completion
from tests.robust.samples import Ran, json_lines, run_command

REQUESTS = json_lines([chat_request(f"r{number}") for number in range(5)])


@pytest.fixture(autouse=True)
def no_array(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("SLURM_ARRAY")]:
        monkeypatch.delenv(name)


def infer(folder: Path, data: bytes, *options: object, name: str = "requests.jsonl") -> Ran:
    """Run a request file against a server that answers everything."""
    requests, output = folder / name, folder / "replies.jsonl"
    requests.write_bytes(data)
    with OpenAIServer(lambda text, times, body: Said(completion("{}"))) as server:
        return run_command(
            "infer", "--input", requests, "--output", output, "--base-url", server.url, "--json",
            *options, outputs=output,
        )  # fmt: skip


def check_refused(ran: Ran, code: str, exit_code: int = 3, error_n: int = 1) -> None:
    assert ran.code == exit_code, ran.err
    assert ran.codes == [code] * error_n, ran.err
    assert "Traceback" not in ran.err
    assert ran.out == ""
    assert not ran.outputs.exists() or ran.outputs.read_bytes() == b""


HARMLESS = {
    "crlf": REQUESTS.replace(b"\n", b"\r\n"),
    "bom": b"\xef\xbb\xbf" + REQUESTS,
    "blank-lines": REQUESTS.replace(b"\n", b"\n\n \n"),
    "no-last-line-end": REQUESTS[:-1],
    "cr": REQUESTS.replace(b"\n", b"\r"),
    "gzip": gzip.compress(REQUESTS),
    "without-method-and-url": json_lines([
        {"custom_id": f"r{n}", "body": chat_request("r")["body"]} for n in range(5)
    ]),
}  # fmt: skip


@pytest.mark.parametrize("data", HARMLESS.values(), ids=HARMLESS)
def test_odd_files_are_run_as_they_are_meant(tmp_path: Path, data: bytes) -> None:
    ran = infer(tmp_path, data)
    assert ran.code == 0, ran.err
    rows = [json.loads(line) for line in ran.outputs.read_text().splitlines()]
    assert sorted(row["custom_id"] for row in rows) == [f"r{number}" for number in range(5)]


def test_no_requests_are_no_fault(tmp_path: Path) -> None:
    for data in (b"", b"\n \n"):
        ran = infer(tmp_path, data)
        assert ran.code == 0, ran.err
        assert ran.summary["request_n"] == 0
        assert ran.summary["engine"] is None
        assert ran.outputs.read_bytes() == b""


SPOILT = {
    "torn": (REQUESTS[:-20], "unreadable-row"),
    "log-line": (b"INFO done\n" + REQUESTS, "unreadable-row"),
    "nan": (REQUESTS.replace(b'"temperature": 0', b'"temperature": NaN', 1), "unreadable-row"),
    "latin-1": (REQUESTS.replace(b"examiner", b"examin\xe9", 1), "unreadable-row"),
    "array": (b"[1]\n", "no-request"),
    "no-id": (json_lines([chat_request(" ")]), "no-id"),
    "number-id": (json_lines([chat_request("a") | {"custom_id": 7}]), "no-id"),
    "twice": (REQUESTS + REQUESTS[: REQUESTS.index(b"\n") + 1], "duplicate-id"),
    "no-body": (json_lines([{"custom_id": "a"}]), "no-request"),
    "no-messages": (json_lines([chat_request("a", messages=[])]), "no-request"),
    "text-for-messages": (json_lines([chat_request("a", messages="hi")]), "no-request"),
    "no-role": (json_lines([chat_request("a", messages=[{"content": "hi"}])]), "no-request"),
    "embeddings": (json_lines([chat_request("a") | {"url": "/v1/embeddings"}]), "unsupported-url"),
    "utf-16": (REQUESTS.decode().encode("utf-16"), "not-utf8"),
    "cut-gzip": (gzip.compress(REQUESTS)[:-10], "truncated-file"),
    "zip": (b"PK\x03\x04" + REQUESTS, "not-text"),
    "nul": (b"\0" * 500, "nul-byte"),
}


@pytest.mark.parametrize(("data", "code"), SPOILT.values(), ids=SPOILT)
def test_spoilt_files_are_refused_before_anything_is_asked(
    tmp_path: Path, data: bytes, code: str
) -> None:
    ran = infer(tmp_path, data)
    check_refused(ran, code)
    assert "  where: " in ran.err


def test_a_fault_names_its_line_and_many_are_counted(tmp_path: Path) -> None:
    ran = infer(tmp_path, REQUESTS + b"\n" + b"{}\n" * 30)
    check_refused(ran, "no-id", error_n=20)
    assert "requests.jsonl:7" in ran.err
    assert "... and 10 more of the kind" in ran.err
    ran = infer(tmp_path, REQUESTS + REQUESTS[: REQUESTS.index(b"\n") + 1])
    assert "lines 1 and 6" in ran.said


def test_request_files_that_are_not_there(tmp_path: Path) -> None:
    output = tmp_path / "replies.jsonl"
    for name, code, exit_code in (("none", "no-such-file", 4), (".", "is-a-directory", 3)):
        ran = run_command(
            "infer", "--input", tmp_path / name, "--output", output, "--backend", "symbolic",
            outputs=output,
        )  # fmt: skip
        check_refused(ran, code, exit_code)


OPTIONS = {
    "no-engine": ([], "no-engine"),
    "vllm-without-model": (["--backend", "vllm"], "no-engine"),
    "http-without-url": (["--backend", "http", "--model", "m"], "no-engine"),
    "two-engines": (["--backend", "symbolic", "--base-url", "http://127.0.0.1/v1"], "two-engines"),
    "shard": (["--backend", "symbolic", "--shard", "4/4"], "bad-shard"),
    "check-of-nothing": (["--backend", "symbolic", "--check"], "nothing-to-check"),
    "url": (["--base-url", "127.0.0.1:8000"], "bad-url"),
    "key-in-url": (["--base-url", "http://u:p@127.0.0.1/v1"], "key-in-url"),
}


@pytest.mark.parametrize(("options", "code"), OPTIONS.values(), ids=OPTIONS)
def test_options_that_do_not_fit(tmp_path: Path, options: list[str], code: str) -> None:
    requests, output = tmp_path / "requests.jsonl", tmp_path / "replies.jsonl"
    requests.write_bytes(REQUESTS)
    ran = run_command("infer", "--input", requests, "--output", output, *options, outputs=output)
    check_refused(ran, code, 2)


@pytest.mark.parametrize("memory", ["0", "-1", "nan", "inf", "much", ""])
def test_memory_that_is_no_number(tmp_path: Path, memory: str) -> None:
    ran = infer(tmp_path, REQUESTS, "--gpu-memory", memory)
    assert ran.code == 2
    assert "gigabytes" in ran.said


def test_a_model_folder_that_is_not_there(tmp_path: Path) -> None:
    requests, output = tmp_path / "requests.jsonl", tmp_path / "replies.jsonl"
    requests.write_bytes(REQUESTS)
    common = ["infer", "--input", requests, "--model", tmp_path / "no-model"]
    check_refused(run_command(*common, "--output", output, outputs=output), "no-model", 4)
    check_refused(run_command(*common, "--check", outputs=output), "no-model", 4)


def test_outputs_that_can_not_be_appended_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reply_file, "_PATIENCE_S", 0.0)
    requests, output = tmp_path / "requests.jsonl", tmp_path / "replies.jsonl"
    requests.write_bytes(REQUESTS)

    def run(name: str) -> Ran:
        return run_command(
            "infer", "--input", requests, "--output", tmp_path / name, "--backend", "symbolic",
            outputs=output,
        )  # fmt: skip

    (tmp_path / "folder").mkdir()
    check_refused(run("folder"), "not-a-regular-file", 3)
    check_refused(run("replies.jsonl.gz"), "output-suffix", 2)
    check_refused(run("requests.jsonl"), "output-is-input", 2)
    check_refused(run("requests.jsonl/replies.jsonl"), "cannot-write", 4)
    with output.open("wb") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        check_refused(run("replies.jsonl"), "output-in-use", 2)
    assert requests.read_bytes() == REQUESTS


def test_a_shard_of_a_job_array_is_taken_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("ID", 1), ("COUNT", 2), ("MIN", 0), ("MAX", 1)):
        monkeypatch.setenv(f"SLURM_ARRAY_TASK_{name}", str(value))
    ran = infer(tmp_path, REQUESTS)
    assert ran.code == 0, ran.err
    assert ran.summary["output"].endswith("replies.shard-1-of-2.jsonl")
    assert ran.summary["request_n"] == 2
    monkeypatch.setenv("SLURM_ARRAY_TASK_MAX", "7")
    ran = infer(tmp_path, REQUESTS)
    assert (ran.code, ran.codes) == (2, ["bad-array"])
    ran = infer(tmp_path, REQUESTS, "--shard", "0/8")
    assert ran.code == 0, ran.err


def test_all_failed_is_exit_6_and_rows_say_why(tmp_path: Path) -> None:
    requests, output = tmp_path / "requests.jsonl", tmp_path / "replies.jsonl"
    requests.write_bytes(REQUESTS)
    said = Said({"error": {"message": "no such schema"}}, 400)
    with OpenAIServer(lambda text, times, body: said) as server:
        ran = run_command(
            "infer", "--input", requests, "--output", output, "--base-url", server.url,
            outputs=output,
        )  # fmt: skip
    assert (ran.code, ran.codes) == (6, ["no-reply-at-all"])
    rows = [json.loads(line) for line in output.read_text().splitlines()]
    assert [row["error"]["message"] for row in rows] == ["no such schema"] * 5
    assert "no reply   http-400 5" in ran.out


def test_without_vllm_the_extra_and_the_ways_around_it_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a machine with the core alone, and where `--model symbolic` is meant as a backend."""
    monkeypatch.setitem(sys.modules, "torch", None)
    requests, output = tmp_path / "requests.jsonl", tmp_path / "replies.jsonl"
    requests.write_bytes(REQUESTS)
    ran = run_command(
        "infer", "--input", requests, "--output", output, "--model", "symbolic", outputs=output
    )
    check_refused(ran, "no-vllm", exit_code=4)
    assert "eval-tiers[vllm]" in ran.err and "--backend symbolic" in ran.err
