"""A small real HTTP server of the OpenAI chat form, whose faults a test decides."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

Record = dict[str, Any]


@dataclass
class Said:
    """What the server sends back; ``data`` instead of a JSON body, ``drop`` instead of anything."""

    body: Record | None = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    data: bytes | None = None
    drop: bool = False


def completion(content: object, finish_reason: str = "stop", **message: object) -> Record:
    """A chat completion with one choice."""
    return {
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "served",
        "choices": [{
            "index": 0, "finish_reason": finish_reason,
            "message": {"role": "assistant", "content": content} | message,
        }],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }  # fmt: skip


Plan = Callable[[str, int, Record], Said]
"""Last message of the request, how often it has come, its body: what to say."""


class OpenAIServer:
    """Serves on loopback while it is entered.

    Attributes
    ----------
    url : str
        Base URL.
    asked : list of dict
        Bodies of all chat requests, in the order in which they came.
    headers : list of dict
        Headers of all requests.
    most_at_once : int
        Chat requests that were in flight at the same time.
    """

    def __init__(self, plan: Plan, models: list[str] | None = None) -> None:
        self.plan = plan
        self.models = ["served"] if models is None else models
        self.asked: list[Record] = []
        self.headers: list[dict[str, str]] = []
        self.most_at_once = 0
        self._times: Counter[str] = Counter()
        self._at_once = 0
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Serve no more."""
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.headers.append(dict(self.headers))
                if self.path == "/v1/models":
                    listed = [{"id": name, "object": "model"} for name in server.models]
                    self.say(Said({"object": "list", "data": listed}))
                elif self.path == "/version":
                    self.say(Said({"version": "1.2.3"}))
                else:
                    self.say(Said({"error": {"message": "no such page"}}, 404))

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                text = body["messages"][-1]["content"]
                with server._lock:
                    server.headers.append(dict(self.headers))
                    server.asked.append(body)
                    server._times[text] += 1
                    times = server._times[text]
                    server._at_once += 1
                    server.most_at_once = max(server.most_at_once, server._at_once)
                try:
                    said = server.plan(text, times, body)
                finally:
                    with server._lock:
                        server._at_once -= 1
                self.say(said)

            def say(self, said: Said) -> None:
                if said.drop:
                    self.close_connection = True
                    self.connection.close()
                    return
                data = json.dumps(said.body).encode() if said.data is None else said.data
                self.send_response(said.status)
                for name, value in said.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *arguments: object) -> None:
                pass

        return Handler


def chat_request(custom_id: str, text: str | None = None, **body: object) -> Record:
    """A request line."""
    return {
        "custom_id": custom_id, "method": "POST", "url": "/v1/chat/completions",
        "body": {
            "model": "examiner", "temperature": 0, "max_tokens": 16,
            "messages": [{"role": "user", "content": custom_id if text is None else text}],
        } | body,
    }  # fmt: skip
