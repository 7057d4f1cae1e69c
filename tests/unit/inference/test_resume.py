"""What an output answers, and its file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from eval_tiers.exceptions import UsageError
from eval_tiers.inference import reply_file
from eval_tiers.inference.reply_file import ReplyFile
from eval_tiers.inference.request_file import Request, read_requests
from eval_tiers.inference.resume import read_earlier
from tests.openai_server import chat_request, completion


def row(custom_id: str, response: object, **fields: object) -> dict[str, Any]:
    return {"id": "1", "custom_id": custom_id, "response": response, "error": None} | fields


def whole(body: object, status: int = 200) -> dict[str, Any]:
    return {"status_code": status, "request_id": "r", "body": body}


@pytest.fixture
def request_a(tmp_path: Path) -> Request:
    path = tmp_path / "one.jsonl"
    path.write_text(json.dumps(chat_request("a")) + "\n")
    (found,) = read_requests(str(path))
    return found


ROWS = {
    "reply": (whole(completion("{}")), True, True),
    "other-program": (completion("{}"), True, True),
    "cut-off": (whole(completion("{", "length")), True, False),
    "empty": (whole(completion("")), True, False),
    "refused": (whole(completion(None, refusal="no")), True, True),
    "bad-request": (whole({"error": {"message": "schema"}}, 400), True, False),
    "rate-limit": (whole(None, 429), False, False),
    "timeout": (whole(None, 408), False, False),
    "server": (whole(None, 503), False, False),
    "nothing": (None, False, False),
}


@pytest.mark.parametrize(("response", "settled", "with_retry"), ROWS.values(), ids=ROWS)
def test_what_need_not_be_asked(
    tmp_path: Path, request_a: Request, response: object, settled: bool, with_retry: bool
) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_text(json.dumps(row("a", response)) + "\n")
    assert read_earlier([path], retry_errors=False).settles(request_a) is settled
    assert read_earlier([path], retry_errors=True).settles(request_a) is with_retry


def test_another_prompt_under_the_same_id_is_asked(tmp_path: Path, request_a: Request) -> None:
    path = tmp_path / "replies.jsonl"
    answered = row("a", whole(completion("{}")))
    path.write_text(json.dumps(answered | {"prompt_sha256": "0" * 64}) + "\n")
    earlier = read_earlier([path], retry_errors=False)
    assert not earlier.settles(request_a)
    assert earlier.changed_n([request_a]) == 1
    path.write_text(json.dumps(answered | {"prompt_sha256": request_a.prompt_sha256}) + "\n")
    earlier = read_earlier([path], retry_errors=False)
    assert earlier.settles(request_a)
    assert earlier.changed_n([request_a]) == 0


def test_a_failure_and_a_reply_in_any_order_and_file(tmp_path: Path, request_a: Request) -> None:
    rows = [row("a", whole(None, 503)), row("a", whole(completion("{}")))]
    paths = [tmp_path / "1.jsonl", tmp_path / "2.jsonl", tmp_path / "missing.jsonl"]
    for order in (rows, rows[::-1]):
        for path, one in zip(paths, order, strict=False):
            path.write_text(json.dumps(one) + "\n")
        assert read_earlier(paths, retry_errors=False).settles(request_a)


def test_lines_that_are_no_replies_are_counted(tmp_path: Path, request_a: Request) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_bytes(b'INFO engine up\n\n[1]\n{"id": 1}\n\xff\xfe\n{"custom_id": "a", "resp\n')
    earlier = read_earlier([path], retry_errors=False)
    assert earlier.unread_n == 5
    assert not earlier.settles(request_a)


def test_the_hash_is_of_the_prompt_not_of_its_spelling(tmp_path: Path) -> None:
    request = chat_request("a")
    spellings = [
        json.dumps(request), json.dumps(request, indent=1).replace("\n", " "),
        json.dumps({"body": dict(reversed(request["body"].items())), "custom_id": "a"}),
        json.dumps(chat_request("a", max_tokens=17)),
    ]  # fmt: skip
    hashes = []
    for spelling in spellings:
        path = tmp_path / "one.jsonl"
        path.write_text(spelling)
        hashes.append(next(read_requests(str(path))).prompt_sha256)
    assert hashes[0] == hashes[1] == hashes[2] != hashes[3]


def test_a_torn_line_gets_its_end_and_nothing_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_bytes(b'{"custom_id": "a"}\n{"custom_id": "b", "resp')
    with ReplyFile(path) as replies:
        assert replies.mended
        replies.append({"custom_id": "b"})
    assert path.read_bytes() == (
        b'{"custom_id": "a"}\n{"custom_id": "b", "resp\n{"custom_id":"b"}\n'
    )
    with ReplyFile(path) as replies:
        assert not replies.mended


def test_one_writer_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reply_file, "_PATIENCE_S", 0.0)
    path = tmp_path / "replies.jsonl"
    with ReplyFile(path):
        with pytest.raises(UsageError, match="output-in-use"), ReplyFile(path):
            pass
        with ReplyFile(tmp_path / "others.jsonl"):
            pass
    with ReplyFile(path) as replies:
        replies.append({"custom_id": "a"})
    assert path.read_bytes() == b'{"custom_id":"a"}\n'
