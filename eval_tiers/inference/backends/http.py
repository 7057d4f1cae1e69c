"""Any server that speaks the OpenAI chat form, with several requests in flight."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import orjson

from eval_tiers.exceptions import InfrastructureError, Problem, SourceRef, UsageError
from eval_tiers.inference.backends.base import Answer, Engine, failed
from eval_tiers.inference.backends.http_calls import (
    NO_CONNECTION,
    Call,
    Response,
    Server,
    is_passing,
)
from eval_tiers.inference.request_file import Request
from eval_tiers.inference.signals import StopFlag

_OK: Final = 200
_LEAST_IN_A_ROW: Final = 8
_TOO_LONG: Final = ("maximum context length", "maximum model length", "context_length_exceeded")


@dataclass(frozen=True, slots=True)
class HttpOptions:
    """Which server, and how hard it is worked.

    Attributes
    ----------
    base_url : str
        Up to and with ``/v1``.
    model : str or None
        Instead of the model that the requests name; None: theirs where the server has it, else
        the server's, where it has but one.
    concurrency : int
        Requests in flight.
    timeout_s : float
        Longest wait for one reply.
    """

    base_url: str
    model: str | None = None
    concurrency: int = 16
    timeout_s: float = 600.0


class HttpBackend:
    """Answers through a server.

    A rate limit, a failing server and a lost connection are tried again, later and later; what
    never succeeds becomes an answer with its reason. Where that happens to as many requests in a
    row as there are in flight, the run stops.

    Parameters
    ----------
    options : HttpOptions
    key : str or None
        Sent as a bearer token, and nowhere else.
    """

    def __init__(self, options: HttpOptions, key: str | None = None) -> None:
        self.options = options
        self._server = Server(options.base_url, key, options.timeout_s)
        self._model = options.model
        self._served: list[str] | None = None

    def start(self) -> Engine:
        """Ask the server for its models, which tells whether it is there and takes the key.

        Raises
        ------
        InfrastructureError
            It can't be reached, or doesn't take the key.
        UsageError
            It doesn't have the model that was named.
        """
        found = self._server.call_patiently(Call("GET", "models"), None)
        where = SourceRef(self.options.base_url)
        if found.status is None:
            message = f"the server can't be reached: {found.said}"
            fix = "start it, or check --base-url; requests and replies stay as they are"
            raise InfrastructureError(Problem("no-server", message, where, fix))
        self._check_access(found)
        listed = found.fields.get("data") if found.status == _OK else None
        if isinstance(listed, list):
            self._served = [
                str(model["id"]) for model in listed if isinstance(model, dict) and "id" in model
            ]
        if self._model is None and self._served is not None and len(self._served) == 1:
            self._model = self._served[0]
        if self._model is not None and self._served and self._model not in self._served:
            message = f"the server has no model '{self._model}'; it has {self._some_served()}"
            raise UsageError(Problem("unknown-model", message, fix="name one of them with --model"))
        told = self._server.call(Call("GET", "version", from_root=True))  # as vLLM's server has it
        version = told.fields.get("version") if told.status == _OK else None
        return Engine("http", self._model, version if isinstance(version, str) else None)

    def answers(self, requests: Iterator[Request], stop: StopFlag) -> Iterator[Answer]:
        """Yield answers as they come; the order is the server's."""
        todo: queue.SimpleQueue[Request | None] = queue.SimpleQueue()
        done: queue.SimpleQueue[Answer | BaseException | None] = queue.SimpleQueue()

        def work() -> None:
            while (request := todo.get()) is not None:
                try:
                    done.put(self._answer(request, stop))
                except BaseException as error:  # told in the main thread
                    done.put(error)

        workers = [
            threading.Thread(target=work, daemon=True) for _ in range(self.options.concurrency)
        ]
        for worker in workers:
            worker.start()
        in_flight = vain_n = 0
        try:
            while True:
                while in_flight < self.options.concurrency:
                    request = next(requests, None)
                    if request is None:
                        break
                    todo.put(request)
                    in_flight += 1
                if not in_flight:
                    return
                answer = done.get()
                in_flight -= 1
                if isinstance(answer, BaseException):
                    raise answer
                if answer is None:  # given up because of a signal
                    continue
                yield answer
                vain_n = vain_n + 1 if is_passing(answer.status) else 0
                if vain_n >= max(self.options.concurrency, _LEAST_IN_A_ROW):
                    raise self._gone(answer)
        finally:
            for _ in workers:
                todo.put(None)

    def close(self) -> None:
        """Do nothing: each connection is closed after its reply."""

    def _answer(self, request: Request, stop: StopFlag) -> Answer | None:
        body = request.body
        model = self._model_of(body.get("model"))
        if model is not None:
            body["model"] = model
        call = Call("POST", "chat/completions", orjson.dumps(body))
        found = self._server.call_patiently(call, stop.event)
        if is_passing(found.status) and stop:
            return None
        self._check_access(found)
        if found.status == _OK and isinstance(found.fields.get("choices"), list):
            return Answer(request, _OK, found.fields)
        status = found.status
        if status is not None and status < 400:  # a page of a proxy, a redirection
            message = f"HTTP status {status} without a completion: {found.said}"
            return failed(request, None, "no-completion", message)
        code = NO_CONNECTION if status is None else f"http-{status}"
        if any(words in found.said for words in _TOO_LONG):
            code = "over-length"
        error: dict[str, object] = {"code": code, "message": found.said}
        return Answer(request, status, found.fields or None, error)

    def _model_of(self, asked: Any) -> str | None:
        """Return the model to ask, None for the one that the request names."""
        if self._model is not None or not self._served or asked in self._served:
            return self._model
        message = f"the requests ask for the model '{asked}'; the server has {self._some_served()}"
        raise UsageError(Problem("unknown-model", message, fix="name one of them with --model"))

    def _some_served(self) -> str:
        names = ", ".join(sorted(self._served or ())[:10])
        return names + (", ..." if len(self._served or ()) > 10 else "")

    def _check_access(self, found: Response) -> None:
        if found.status in (401, 403):
            where = SourceRef(self.options.base_url)
            message = f"the server does not let us in (HTTP status {found.status})"
            fix = "put its key into the environment variable OPENAI_API_KEY"
            raise InfrastructureError(Problem("not-let-in", message, where, fix))

    def _gone(self, answer: Answer) -> InfrastructureError:
        said = (answer.error or {}).get("message")
        message = f"the server fails on every request: {said}"
        fix = "see to the server; the same command goes on where it stopped"
        return InfrastructureError(
            Problem("server-failing", message, SourceRef(self.options.base_url), fix)
        )
