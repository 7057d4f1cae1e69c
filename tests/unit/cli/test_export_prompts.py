"""``export-prompts``: requests in the Batch form, the manifest, what the console says."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from eval_tiers.cli.console import run_reporting_errors
from eval_tiers.cli.main import cli
from eval_tiers.formats.perturbreason import FORMAT as PERTURBREASON
from eval_tiers.formats.rr10 import FORMAT as RR10
from tests.e2e.running import shared
from tests.unit.prompts.schemas import not_strict

Row = dict[str, Any]
ITEMS = [dict(RR10.example_gold) | {"id": f"OSDR-CTRL-{number:05}"} for number in (2, 1, 3)]
QUESTIONS = [dict(PERTURBREASON.example_gold) | {"id": f"q{number}"} for number in (1, 2)]


def write(path: Path, rows: list[Row]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def run(*argv: object) -> int:
    return run_reporting_errors(cli, ["export-prompts", *map(str, argv)])


def lines_of(path: Path) -> list[Row]:
    data = path.read_bytes()
    assert data.endswith(b"\n")
    return [json.loads(line) for line in data[:-1].split(b"\n")]


def check_batch_form(requests: list[Row]) -> None:
    """Check what the OpenAI Batch form and every engine's strict output demand."""
    assert len({request["custom_id"] for request in requests}) == len(requests)
    for request in requests:
        assert list(request) == ["custom_id", "method", "url", "body"]
        assert re.fullmatch(r"[A-Za-z0-9._:-]{1,64}", request["custom_id"])
        assert (request["method"], request["url"]) == ("POST", "/v1/chat/completions")
        body = request["body"]
        assert set(body) == {
            "model", "messages", "temperature", "max_tokens", "seed", "response_format"
        }  # fmt: skip
        assert [message["role"] for message in body["messages"]] == ["system", "user"]
        assert all(set(message) == {"role", "content"} for message in body["messages"])
        bound = body["response_format"]
        assert (set(bound), bound["type"]) == ({"type", "json_schema"}, "json_schema")
        assert bound["json_schema"]["strict"] is True
        assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", bound["json_schema"]["name"])
        assert list(not_strict(bound["json_schema"]["schema"])) == []


def test_closed_book(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold = write(tmp_path / "gold.jsonl", ITEMS)
    output = tmp_path / "requests.jsonl"
    assert run("--gt-file", gold, "-o", output) == 0
    requests = lines_of(output)
    check_batch_form(requests)
    assert [request["custom_id"] for request in requests] == [item["id"] for item in ITEMS]
    body = requests[0]["body"]
    assert (body["model"], body["temperature"], body["max_tokens"], body["seed"]) == (
        "model", 0, 1024, 0
    )  # fmt: skip
    shown = json.dumps([request["body"]["messages"] for request in requests])
    assert not re.search("OSD-47|OSD-168|CTRL|concordant|Space Flight", shown)

    manifest = json.loads((tmp_path / "requests.manifest.json").read_text(encoding="utf-8"))
    longest = max(
        sum(len(message["content"]) for message in request["body"]["messages"])
        for request in requests
    )
    assert manifest.pop("created").endswith("+00:00")
    assert manifest.pop("version")
    assert manifest == {
        "gold": {"path": str(gold), "sha256": hashlib.sha256(gold.read_bytes()).hexdigest()},
        "requests": [
            {"path": str(output), "sha256": hashlib.sha256(output.read_bytes()).hexdigest(),
             "request_n": 3, "byte_n": output.stat().st_size}
        ],
        "request_n": 3, "format": "rr10", "evidence_shown": False,
        "prompt_version": "rr10-prompt-1", "schema_name": "rr10_reply", "model": "model",
        "max_tokens": 1024, "longest_prompt_n": longest,
    }  # fmt: skip
    out, err = capsys.readouterr()
    assert err == ""
    said = " ".join(out.split())
    assert "requests 3 " in said and "evidence not shown" in said
    assert f"longest prompt {longest:,} characters" in said
    replies = tmp_path / "replies.jsonl"
    assert (
        f"vllm run-batch -i {output} -o {replies} \\ --model MODEL --served-model-name model"
        in said
    )
    assert said.endswith(f"eval-tiers eval --gt-file {gold} \\ --pred-file {replies}")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "gold.jsonl", "requests.jsonl", "requests.manifest.json"
    ]  # fmt: skip


def test_with_evidence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold = write(tmp_path / "gold.jsonl", ITEMS)
    output = tmp_path / "asked.jsonl"
    assert run("--gt-file", gold, "-o", output, "--with-evidence", "--model", "org/a b",
               "--max-tokens", 9, "--json") == 0  # fmt: skip
    requests = lines_of(output)
    check_batch_form(requests)
    assert [request["custom_id"] for request in requests] == [
        f"{item['id']}:with-evidence" for item in ITEMS
    ]
    assert {(r["body"]["model"], r["body"]["max_tokens"]) for r in requests} == {("org/a b", 9)}
    for request in requests:
        text = request["body"]["messages"][1]["content"]
        assert "- OSD-168; contrast: (Space Flight)v(Ground Control); log2FC: 0.5; q: 0.03" in text
    manifest = json.loads(capsys.readouterr().out)
    assert manifest["evidence_shown"] is True
    assert manifest == json.loads((tmp_path / "asked.manifest.json").read_bytes())


def test_the_next_commands_quote_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold = write(tmp_path / "my gold.jsonl", ITEMS)
    assert run("--gt-file", gold, "-o", tmp_path / "my ask.jsonl", "--model", "org/a b") == 0
    said = capsys.readouterr().out.replace("\\\n", " ").split("\n")
    assert shlex.split(said[-3]) == [
        "vllm", "run-batch", "-i", str(tmp_path / "my ask.jsonl"), "-o",
        str(tmp_path / "my ask_replies.jsonl"), "--model", "org/a b",
    ]  # fmt: skip
    assert shlex.split(said[-2]) == [
        "eval-tiers", "eval", "--gt-file", str(gold), "--pred-file",
        str(tmp_path / "my ask_replies.jsonl"),
    ]  # fmt: skip


def test_perturbreason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold = write(tmp_path / "gold.jsonl", QUESTIONS)
    assert run("--gt-file", gold, "-o", tmp_path / "requests.jsonl") == 0
    requests = lines_of(tmp_path / "requests.jsonl")
    check_batch_form(requests)
    assert [request["custom_id"] for request in requests] == ["q1", "q2"]
    assert "CDKN1A" not in json.dumps([request["body"]["messages"] for request in requests])
    assert capsys.readouterr().out.endswith("replies.jsonl --tiers 1\n")  # tier 2 needs a graph


def test_perturbreason_has_no_evidence_to_show(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = write(tmp_path / "gold.jsonl", QUESTIONS)
    assert run("--gt-file", gold, "-o", tmp_path / "r.jsonl", "--with-evidence") == 2
    assert "PerturbReason has no evidence to show" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [gold]


def test_split(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold = write(tmp_path / "gold.jsonl", ITEMS)
    whole, output = tmp_path / "whole.jsonl", tmp_path / "requests.jsonl"
    assert run("--gt-file", gold, "-o", whole) == 0
    capsys.readouterr()
    assert run("--gt-file", gold, "-o", output, "--split", 2) == 0
    assert not output.exists()
    parts = [tmp_path / f"requests-{number:05}.jsonl" for number in (1, 2)]
    assert b"".join(part.read_bytes() for part in parts) == whole.read_bytes()
    manifest = json.loads((tmp_path / "requests.manifest.json").read_bytes())
    assert [file["request_n"] for file in manifest["requests"]] == [2, 1]
    assert [file["path"] for file in manifest["requests"]] == [str(part) for part in parts]
    assert manifest["request_n"] == 3
    out = capsys.readouterr().out
    assert f"for part in {tmp_path}/requests-*.jsonl; do" in out
    assert f"cat {tmp_path}/replies-*.jsonl > {tmp_path}/replies.jsonl" in out


def test_what_is_there_is_replaced_by_force_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = write(tmp_path / "gold.jsonl", ITEMS)
    output, other = tmp_path / "requests.jsonl", tmp_path / "requests-1.jsonl"
    other.write_text("mine")
    assert run("--gt-file", gold, "-o", output, "--split", 1) == 0
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert run("--gt-file", gold, "-o", output) == 2
    assert "[output-exists]" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert run("--gt-file", gold, "-o", output, "--split", 2, "--force") == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "gold.jsonl", "requests-00001.jsonl", "requests-00002.jsonl", "requests-1.jsonl",
        "requests.manifest.json",
    ]  # fmt: skip
    assert run("--gt-file", gold, "-o", output, "--force") == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "gold.jsonl", "requests-1.jsonl", "requests.jsonl", "requests.manifest.json"
    ]  # fmt: skip


def test_the_stand_in(tmp_path: Path) -> None:
    """Real items: no gold field of theirs is found in what the model is shown."""
    gold = shared("data/rr10/rr10_standin_mouse_hallmark.jsonl")
    items = lines_of(gold)
    for option in ((), ("--with-evidence",)):
        output = tmp_path / f"requests{len(option)}.jsonl"
        assert run("--gt-file", gold, "-o", output, *option) == 0
        requests = lines_of(output)
        check_batch_form(requests)
        assert len(requests) == len(items) == 98
        assert len({request["body"]["messages"][0]["content"] for request in requests}) == 1
        for item, request in zip(items, requests, strict=True):
            text = request["body"]["messages"][1]["content"]
            prompt = item["prompt"]
            beside = text.replace(prompt, "")
            assert prompt in text
            for word in (item["id"], "FRAG", "CTRL", *item["accept"], *item["reject"],
                         item["expected"], item["item_type"]):  # fmt: skip
                assert word not in beside
            for row in item["provenance"]:
                shown = f"- {row['osd']}; contrast: {row['contrast']}; log2FC: "
                assert (shown in text) is bool(option)
