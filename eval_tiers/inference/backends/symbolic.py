"""No model: the verdict follows from the signs and the graph's evidence in the prompt."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from eval_tiers import __version__
from eval_tiers.inference.backends.base import Answer, Engine, failed
from eval_tiers.inference.request_file import Request
from eval_tiers.inference.signals import StopFlag


class SymbolicBackend:
    """Answers rescue requests by `eval_tiers.rescue.symbolic`."""

    def start(self) -> Engine:
        """Return who answers; there is nothing to start."""
        return Engine("symbolic", "symbolic", __version__)

    def answers(self, requests: Iterator[Request], stop: StopFlag) -> Iterator[Answer]:
        """Yield an answer a request, in their order."""
        from eval_tiers.rescue.symbolic import examine

        for request in requests:
            response: Any = examine(request.record)["response"]
            status, body = response["status_code"], response["body"]
            if status == 200:
                yield Answer(request, status, body)
            else:
                yield failed(request, status, "no-rescue-request", body["error"]["message"])

    def close(self) -> None:
        """Do nothing: nothing is held."""
