from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from eval_tiers.inference.backends.base import Answer, Engine, failed
from eval_tiers.inference.completions import build_row, kind_of
from eval_tiers.inference.request_file import Request, read_requests
from tests.openai_server import chat_request, completion

ENGINE = Engine("vllm", "m", "1.0")
SCHEMA = {"properties": {"verdict": {"type": "string", "enum": ["YES", "NO"]}}}


def one(folder: Path, **body: object) -> Request:
    path = folder / "one.jsonl"
    path.write_text(json.dumps(chat_request("a", **body)))
    (found,) = read_requests(str(path))
    return found


def with_logprobs(content: str) -> dict[str, Any]:
    body = completion(content)
    tokens = [{"token": text, "logprob": 0.0, "top_logprobs": []} for text in
              ('{"verdict": "', "NO", '"}')]  # fmt: skip
    body["choices"][0]["logprobs"] = {"content": tokens}
    return body


def bound(schema: object) -> dict[str, object]:
    return {"type": "json_schema", "json_schema": {"name": "v", "schema": schema}}


def test_a_row_in_the_batch_form(tmp_path: Path) -> None:
    request = one(tmp_path)
    body = completion("{}")
    row = build_row(Answer(request, 200, body), ENGINE)
    assert row["custom_id"] == "a"
    assert row["response"] == {
        "status_code": 200, "request_id": row["response"]["request_id"], "body": body,  # type: ignore[index]
    }  # fmt: skip
    assert row["error"] is None
    assert row["prompt_sha256"] == request.prompt_sha256
    assert row["engine"] == {"backend": "vllm", "model": "m", "version": "1.0"}
    assert "verdict_prob" not in row
    again = build_row(Answer(request, 200, body), ENGINE)
    assert again == row


def test_the_probability_of_each_verdict(tmp_path: Path) -> None:
    asked = one(tmp_path, response_format=bound(SCHEMA))
    row = build_row(Answer(asked, 200, with_logprobs('{"verdict": "NO"}')), ENGINE)
    assert row["verdict_prob"] == {"YES": 0.0, "NO": 1.0}
    assert row["response"]["body"]["choices"][0]["logprobs"] is None  # type: ignore[index]


@pytest.mark.parametrize(
    "body",
    [{}, {"response_format": bound({})}, {"response_format": bound({"properties": {"answer": {}}})},
     {"response_format": {"type": "json_object"}}],
)  # fmt: skip
def test_other_requests_keep_their_log_probabilities(tmp_path: Path, body: dict[str, Any]) -> None:
    said = with_logprobs('{"verdict": "NO"}')
    row = build_row(Answer(one(tmp_path, **body), 200, said), ENGINE)
    assert "verdict_prob" not in row
    assert row["response"]["body"] == said  # type: ignore[index]


def test_rows_without_a_reply(tmp_path: Path) -> None:
    request = one(tmp_path)
    row = build_row(failed(request, 400, "over-length", "too long"), ENGINE)
    assert row["response"]["status_code"] == 400  # type: ignore[index]
    assert row["error"] == {"code": "over-length", "message": "too long"}
    row = build_row(failed(request, None, "no-connection", "gone"), ENGINE)
    assert row["response"] is None
    assert row["error"] == {"code": "no-connection", "message": "gone"}


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (completion("{}"), "reply"),
        (completion("{", "length"), "cut-off"),
        (completion("{}", "content_filter"), "withheld"),
        (completion(None, refusal="I won't"), "refused"),
        (completion(""), "empty"),
        (completion(" \n"), "empty"),
        (completion(None), "empty"),
        (completion(None, reasoning_content="{}"), "reply"),
        (completion([{"type": "text", "text": "{}"}]), "reply"),
        ({}, "empty"),
        ({"choices": []}, "empty"),
        ({"choices": [{"message": None}]}, "empty"),
    ],
)
def test_kinds(tmp_path: Path, body: dict[str, Any], kind: str) -> None:
    assert kind_of(Answer(one(tmp_path), 200, body)) == kind
