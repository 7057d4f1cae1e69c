"""Rows of reply files in all shapes, and the faults that each names."""

from __future__ import annotations

import math
from typing import Any

import pytest

from eval_tiers.rescue.reply_rows import OWED, is_owed, parse_reply_row

JSON = '{"verdict": "YES", "confidence": 0.9, "explanation": "e"}'


def completion(
    content: object = JSON, finish: str | None = "stop", **message: object
) -> dict[str, Any]:
    return {
        "object": "chat.completion",
        "model": "m",
        "choices": [{"index": 0, "finish_reason": finish,
                     "message": {"role": "assistant", "content": content, **message}}],
        "usage": {"total_tokens": 3},
    }  # fmt: skip


def batch(body: object, status: int | None = 200, error: object = None) -> dict[str, Any]:
    return {"id": "b", "custom_id": "r1", "error": error,
            "response": {"status_code": status, "request_id": "q", "body": body}}  # fmt: skip


PARTS = [{"type": "thinking", "thinking": "{}", "text": "no"}, {"type": "text", "text": JSON[:9]},
         {"type": "reasoning", "text": "no"}, JSON[9:]]  # fmt: skip


@pytest.mark.parametrize(
    "record",
    [
        batch(completion()),
        batch(completion(), error={}),
        batch(completion(), error={"code": "", "message": ""}),
        batch(completion(), error=""),
        batch(completion(), None),
        batch(completion(PARTS)),
        batch(completion(finish=None)),
        batch({"choices": [{"finish_reason": "stop", "text": JSON}]}),
        {"custom_id": "r1", "response": completion(), "error": None},
        {"custom_id": "r1", "response": completion()},
        {"custom_id": "r1", **completion()},
        {"custom_id": "r1", "response": JSON},
        {"custom_id": "r1", "response": [{"type": "text", "text": JSON}]},
    ],
)
def test_content(record: dict[str, Any]) -> None:
    row = parse_reply_row(record)
    assert row is not None
    assert (row.custom_id, row.content, row.fault, row.from_reasoning) == ("r1", JSON, None, False)


def test_what_else_is_kept() -> None:
    row = parse_reply_row(batch(completion()) | {"verdict_prob": {"YES": 0.75, "NO": 0.25}})
    assert row is not None
    assert (row.model, row.usage, row.finish_reason) == ("m", {"total_tokens": 3}, "stop")
    assert row.verdict_prob == {"YES": 0.75, "NO": 0.25}


@pytest.mark.parametrize("prob", [{}, [], {"YES": 2}, {"YES": math.nan}, {"YES": "1"}, {"Y": True}])
def test_probabilities_that_are_none(prob: object) -> None:
    row = parse_reply_row({"custom_id": "r1", "response": JSON, "verdict_prob": prob})
    assert row is not None and row.verdict_prob is None and row.content == JSON


def test_probabilities_off_the_tokens_of_a_batch_runner() -> None:
    def token(text: str, share: float, **others: float) -> dict[str, object]:
        listed = {text: share, **others}
        return {"token": text, "logprob": math.log(share),
                "top_logprobs": [{"token": name, "logprob": math.log(value)}
                                 for name, value in listed.items()]}  # fmt: skip

    body = completion()
    body["choices"][0]["logprobs"] = {
        "content": [token('{"verdict": "', 1.0), token("YES", 0.75, NO=0.25), token('"', 1.0)]
    }
    row = parse_reply_row(batch(body))
    assert row is not None and row.verdict_prob == {"YES": 0.75, "NO": 0.25}


def test_plain_rows_may_name_the_sample_and_hold_an_object() -> None:
    row = parse_reply_row({"sample_id": "s05", "response": {"verdict": "YES"}})
    assert row is not None
    assert (row.custom_id, row.sample_id, row.content) == (None, "s05", '{"verdict": "YES"}')
    numbered = parse_reply_row({"custom_id": 7, "response": JSON})
    assert numbered is not None and numbered.custom_id == "7"


def test_json_in_the_reasoning_is_read_and_marked() -> None:
    for name in ("reasoning_content", "reasoning"):
        row = parse_reply_row(batch(completion(None, **{name: f"So: {JSON}"})))
        assert row is not None
        assert (row.content, row.fault, row.from_reasoning) == (f"So: {JSON}", None, True)
    row = parse_reply_row(batch(completion(JSON, reasoning_content="{}")))
    assert row is not None and row.content == JSON and not row.from_reasoning


LONG = "This model's maximum context length is 40960 tokens"


@pytest.mark.parametrize(
    ("record", "fault"),
    [
        (
            {
                "custom_id": "r1",
                "response": None,
                "error": {"code": "batch_expired", "message": "m"},
            },
            "http_error",
        ),
        ({"custom_id": "r1", "response": None, "error": "expired"}, "http_error"),
        ({"custom_id": "r1", "error": "expired"}, "http_error"),
        (batch({"error": {"message": "rate limit"}}, 429), "http_error"),
        (batch({"error": {"message": "server"}}, 500, {"code": "", "message": ""}), "http_error"),
        (batch(None, 503), "http_error"),
        (batch(completion(), 500), "http_error"),
        (batch(None, 400, LONG), "over_length"),
        (
            batch({"error": {"message": LONG, "code": "context_length_exceeded"}}, 400),
            "over_length",
        ),
        ({"custom_id": "r1", "response": {"object": "error", "message": "bad"}}, "http_error"),
        (batch(completion(JSON, "length")), "cut_off"),
        (batch(completion(None, "length")), "cut_off"),
        (batch(completion(None)), "empty"),
        (batch(completion("  \n")), "empty"),
        (batch(completion([])), "empty"),
        (batch(completion([{"type": "thinking", "text": JSON}])), "empty"),
        (batch(completion(None, reasoning_content="I wonder.")), "empty"),
        (batch({"choices": []}), "empty"),
        (batch({"choices": [None]}), "empty"),
        (batch({}), "empty"),
        (batch(None), "empty"),
        ({"custom_id": "r1", "response": ""}, "empty"),
        ({"custom_id": "r1", "response": None}, "empty"),
        (batch(completion(None, "content_filter")), "withheld"),
        (batch(completion(None, refusal="I can't.")), "refusal"),
        (batch(completion([{"type": "refusal", "refusal": "I can't."}])), "refusal"),
    ],
)
def test_fault(record: dict[str, Any], fault: str) -> None:
    row = parse_reply_row(record)
    assert row is not None and row.fault == fault
    assert is_owed(fault) == (fault != "refusal")


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"response": JSON},
        {"custom_id": "", "response": JSON},
        {"custom_id": None, "response": JSON},
        {"custom_id": True, "response": JSON},
        {"custom_id": "r1"},
        {"custom_id": "r1", "method": "POST", "url": "/v1/chat/completions", "body": {}},
        {"level": "info", "message": "started"},
    ],
)
def test_no_reply(record: dict[str, Any]) -> None:
    assert parse_reply_row(record) is None


def test_what_is_owed() -> None:
    assert set(OWED) == {"missing", "http_error", "over_length", "cut_off", "empty", "withheld"}
    assert not is_owed(None) and not is_owed("no_json") and not is_owed("conflicting_replies")
