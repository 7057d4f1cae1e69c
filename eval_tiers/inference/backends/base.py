"""What every engine offers, and what it gives back for a request."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from eval_tiers.inference.request_file import Request
from eval_tiers.inference.signals import StopFlag

Fields = dict[str, object]


@dataclass(frozen=True, slots=True)
class Engine:
    """Who answers.

    Attributes
    ----------
    backend : str
        ``vllm``, ``http`` or ``symbolic``.
    model : str or None
        The model's name, without its folder; None where each request names its own.
    version : str or None
        Of the engine, where it is known.
    """

    backend: str
    model: str | None
    version: str | None

    def as_dict(self) -> Fields:
        """Return it as it stands in each row."""
        return {"backend": self.backend, "model": self.model, "version": self.version}


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back for a request: a completion, or the reason why there is none.

    Attributes
    ----------
    request : Request
    status : int or None
        As over HTTP: 200, 400 for a request that can't be run as it is, 5xx; None where nothing
        came back at all.
    body : dict or None
        The chat completion, or what a server said about the failure.
    error : dict or None
        ``code`` and ``message`` of a failure.
    """

    request: Request
    status: int | None
    body: Fields | None
    error: Fields | None = None


class Backend(Protocol):
    """An engine. `start` comes first; `close` ends it, also when it never started."""

    def start(self) -> Engine:
        """Start the engine; raises `InfrastructureError` or `MissingResourceError`."""
        ...

    def answers(self, requests: Iterator[Request], stop: StopFlag) -> Iterator[Answer]:
        """Yield an answer a request, in the order in which they finish.

        After a signal ``requests`` ends by itself; what is in hand by then is finished, but for
        waiting: a request that would be tried again later is left out.
        """
        ...

    def close(self) -> None:
        """Give back what the engine holds."""
        ...


def failed(request: Request, status: int | None, code: str, message: str) -> Answer:
    """Return the answer of a request that has no reply."""
    return Answer(request, status, None, {"code": code, "message": message})
