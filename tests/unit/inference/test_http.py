"""The HTTP backend against a real server whose faults are planned."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eval_tiers.exceptions import InfrastructureError, UsageError
from eval_tiers.inference.backends import http_calls
from eval_tiers.inference.backends.base import Answer
from eval_tiers.inference.backends.http import HttpBackend, HttpOptions
from eval_tiers.inference.backends.http_calls import Server
from eval_tiers.inference.request_file import Request, read_requests
from eval_tiers.inference.signals import StopFlag
from tests.openai_server import OpenAIServer, Said, chat_request, completion

Record = dict[str, Any]


def fine(text: str, times: int, body: Record) -> Said:
    return Said(completion(f"reply to {text}"))


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait a hundredth of the time between attempts."""
    monkeypatch.setattr(http_calls, "_FIRST_WAIT_S", 0.005)


@pytest.fixture
def requests(tmp_path: Path) -> Callable[..., list[Request]]:
    def build(*ids: str, **body: object) -> list[Request]:
        path = tmp_path / "requests.jsonl"
        rows = [chat_request(custom_id, **body) for custom_id in ids]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return list(read_requests(str(path)))

    return build


def answers(
    server: OpenAIServer, asked: list[Request], key: str | None = None, **options: Any
) -> dict[str, Answer]:
    backend = HttpBackend(HttpOptions(server.url, **options), key)
    backend.start()
    return {found.request.custom_id: found for found in backend.answers(iter(asked), StopFlag())}


def test_every_request_is_answered_once_with_several_in_flight(
    requests: Callable[..., list[Request]],
) -> None:
    def slow(text: str, times: int, body: Record) -> Said:
        time.sleep(0.05)
        return fine(text, times, body)

    ids = [f"r{number}" for number in range(40)]
    with OpenAIServer(slow) as server:
        found = answers(server, requests(*ids), concurrency=8)
    assert sorted(found) == sorted(ids)
    assert len(server.asked) == 40
    assert 2 <= server.most_at_once <= 8
    for custom_id, answer in found.items():
        assert answer.body is not None
        assert answer.body["choices"][0]["message"]["content"] == f"reply to {custom_id}"  # type: ignore[index]


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_what_may_pass_is_tried_again(requests: Callable[..., list[Request]], status: int) -> None:
    def plan(text: str, times: int, body: Record) -> Said:
        return fine(text, times, body) if times > 2 else Said({"error": "later"}, status)

    with OpenAIServer(plan) as server:
        found = answers(server, requests("a"))
    assert found["a"].status == 200
    assert len(server.asked) == 3


@pytest.mark.parametrize("broken", [Said(drop=True), Said(data=b"<html>", status=502)])
def test_a_broken_connection_is_tried_again(
    requests: Callable[..., list[Request]], broken: Said
) -> None:
    with OpenAIServer(
        lambda text, times, body: fine(text, times, body) if times > 1 else broken
    ) as server:
        found = answers(server, requests("a"))
    assert found["a"].status == 200
    assert len(server.asked) == 2


def test_the_wait_is_as_long_as_the_server_asks(requests: Callable[..., list[Request]]) -> None:
    def plan(text: str, times: int, body: Record) -> Said:
        return fine(text, times, body) if times > 1 else Said({}, 429, {"Retry-After": "1"})

    began = time.monotonic()
    with OpenAIServer(plan) as server:
        found = answers(server, requests("a"))
    assert found["a"].status == 200
    assert time.monotonic() - began >= 1.0


def test_what_never_passes_is_an_answer_with_its_reason(
    requests: Callable[..., list[Request]],
) -> None:
    def plan(text: str, times: int, body: Record) -> Said:
        said = {
            "bad": Said({"error": {"message": "no such schema", "type": "invalid"}}, 400),
            "long": Said({"message": "This model's maximum context length is 8", "code": 400}, 400),
            "gone": Said({"error": {"message": "overloaded"}}, 503),
            "page": Said(data=b"<html>please log in</html>"),
            "drop": Said(drop=True),
            "moved": Said({}, 302, {"Location": "http://127.0.0.1:9/"}),
        }
        return said[text]

    with OpenAIServer(plan) as server:
        found = answers(server, requests("bad", "long", "gone", "page", "drop", "moved"))
        asked = [body["messages"][0]["content"] for body in server.asked]
    reasons = {
        name: (answer.status, (answer.error or {})["code"]) for name, answer in found.items()
    }
    assert reasons == {
        "bad": (400, "http-400"), "long": (400, "over-length"), "gone": (503, "http-503"),
        "page": (None, "no-completion"), "drop": (None, "no-connection"),
        "moved": (None, "no-completion"),
    }  # fmt: skip
    assert (found["bad"].error or {})["message"] == "no such schema"
    assert {name: asked.count(name) for name in found} == {
        "bad": 1, "long": 1, "gone": 6, "page": 1, "drop": 6, "moved": 1,
    }  # fmt: skip


def test_a_reply_that_does_not_come(requests: Callable[..., list[Request]]) -> None:
    free = threading.Event()

    def plan(text: str, times: int, body: Record) -> Said:
        free.wait(10)
        return fine(text, times, body)

    with OpenAIServer(plan) as server:
        found = answers(server, requests("a"), timeout_s=0.2)
        free.set()
    assert found["a"].status is None
    assert "within 0.2 s" in str((found["a"].error or {})["message"])


def test_a_server_that_fails_on_everything_ends_the_run(
    requests: Callable[..., list[Request]],
) -> None:
    with OpenAIServer(lambda text, times, body: Said({}, 500)) as server:
        asked = requests(*(f"r{number}" for number in range(200)))
        with pytest.raises(InfrastructureError, match="server-failing"):
            answers(server, asked, concurrency=4)
    assert len(server.asked) < 200


def test_no_server() -> None:
    with OpenAIServer(fine) as server:
        pass
    with pytest.raises(InfrastructureError, match="no-server"):
        HttpBackend(HttpOptions(server.url)).start()


def test_the_key_is_sent_and_a_wrong_one_ends_the_run(
    requests: Callable[..., list[Request]],
) -> None:
    with OpenAIServer(fine) as server:
        answers(server, requests("a"), key="sk-1")
        assert {found.get("Authorization") for found in server.headers} == {"Bearer sk-1"}
    with OpenAIServer(fine) as server:
        answers(server, requests("a"))
        assert {found.get("Authorization") for found in server.headers} == {None}
    with (
        OpenAIServer(lambda text, times, body: Said({"error": {"message": "who?"}}, 401)) as server,
        pytest.raises(InfrastructureError, match="OPENAI_API_KEY") as caught,
    ):
        answers(server, requests("a"), key="sk-secret")
    assert "sk-secret" not in str(caught.value)


def test_the_key_goes_to_no_other_server(requests: Callable[..., list[Request]]) -> None:
    with OpenAIServer(fine) as other:
        moved = Said({}, 307, {"Location": f"{other.url}/chat/completions"})
        with OpenAIServer(lambda text, times, body: moved) as server:
            answers(server, requests("a"), key="sk-1")
        assert other.headers == []


def test_the_proxy_of_the_environment_is_not_asked_for_this_machine(
    requests: Callable[..., list[Request]], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    with OpenAIServer(fine) as server:
        assert answers(server, requests("a"))["a"].status == 200


def test_which_model_is_asked(requests: Callable[..., list[Request]]) -> None:
    with OpenAIServer(fine, models=["only"]) as server:
        answers(server, requests("a"))
        assert server.asked[-1]["model"] == "only"
    with OpenAIServer(fine, models=["examiner", "b"]) as server:
        answers(server, requests("a"))
        assert server.asked[-1]["model"] == "examiner"
        answers(server, requests("a"), model="b")
        assert server.asked[-1]["model"] == "b"
        with pytest.raises(UsageError, match="it has b, examiner"):
            answers(server, requests("a"), model="c")
    with OpenAIServer(fine, models=["b", "c"]) as server:
        with pytest.raises(UsageError, match="the server has b, c"):
            answers(server, requests("a"))
        assert server.asked == []


def test_a_signal_ends_the_waiting_and_leaves_the_request_owed(
    requests: Callable[..., list[Request]], monkeypatch: pytest.MonkeyPatch
) -> None:
    stop = StopFlag()

    def plan(text: str, times: int, body: Record) -> Said:
        if text == "later":
            stop.name = "SIGUSR1"
            stop.event.set()
            return Said({}, 429, {"Retry-After": "500"})
        time.sleep(0.3)
        return fine(text, times, body)

    with OpenAIServer(plan) as server:
        backend = HttpBackend(HttpOptions(server.url))
        backend.start()
        began = time.monotonic()
        found = [answer.request.custom_id for answer in
                 backend.answers(iter(requests("later", "in-hand")), stop)]  # fmt: skip
    assert found == ["in-hand"]
    assert time.monotonic() - began < 30


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("127.0.0.1:8000", "bad-url"), ("ftp://host/v1", "bad-url"), ("http://", "bad-url"),
        ("http://host:99999/v1", "bad-url"), ("http://host/v1?key=1", "bad-url"),
        ("http://user:secret@host/v1", "key-in-url"),
    ],
)  # fmt: skip
def test_addresses_that_are_refused(url: str, code: str) -> None:
    with pytest.raises(UsageError, match=code) as caught:
        Server(url, None, 1)
    assert "secret" not in str(caught.value)


def test_a_key_that_no_header_can_carry() -> None:
    with pytest.raises(UsageError, match="bad-key") as caught:
        Server("http://host/v1", "sk-1\nX: 2", 1)
    assert "sk-1" not in str(caught.value)
