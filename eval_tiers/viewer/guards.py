"""Keeps the pages to this machine and apart from other sites."""

from __future__ import annotations

import re
import sys
from collections.abc import Awaitable, Callable
from typing import Any, Final

HOSTS: Final = frozenset({"127.0.0.1", "localhost", "[::1]"})
_HOST = re.compile(r"(\[[0-9a-f:]*\]|[a-z0-9.-]+)(?::[0-9]{1,5})?")
_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; "
    "img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}

Message = dict[str, Any]


def is_own_host(values: list[bytes]) -> bool:
    """Whether the Host headers of a request name this machine by its loopback address.

    A page of another site whose name was made to point here sends that site's name.

    Examples
    --------
    >>> [is_own_host([one]) for one in (b"localhost:8765", b"[::1]:80", b"127.0.0.1.evil.example")]
    [True, True, False]
    >>> is_own_host([]), is_own_host([b"localhost", b"evil.example"])
    (False, False)
    """
    if len(values) != 1:
        return False
    found = _HOST.fullmatch(values[0].decode("latin-1").lower())
    return found is not None and found[1] in HOSTS


class Guards:
    """Refuses requests to other hosts, and adds the headers that keep pages apart.

    A response that can't be finished is broken off, with a line on stderr: whoever asked for it
    has to see that it isn't whole.
    """

    def __init__(
        self, app: Callable[..., Awaitable[None]], faults: tuple[type[Exception], ...]
    ) -> None:
        self._app = app
        self._faults = faults

    async def __call__(
        self,
        scope: Message,
        receive: Callable[[], Awaitable[Message]],
        send: Callable[[Message], Awaitable[None]],
    ) -> None:
        """Serve one request."""
        guards = [(key.lower().encode(), value.encode()) for key, value in _HEADERS.items()]
        has_begun = False

        async def send_guarded(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                message = {**message, "headers": [*message.get("headers", []), *guards]}
            await send(message)

        if scope["type"] == "http" and not is_own_host(
            [value for name, value in scope["headers"] if name == b"host"]
        ):
            await _refuse(send_guarded)
            return
        try:
            await self._app(scope, receive, send_guarded)
        except Exception as error:  # what breaks off an answer under way is told apart below
            cause = error if isinstance(error, self._faults) else error.__cause__
            if not has_begun or not isinstance(cause, self._faults):
                raise
            reason = (str(cause).splitlines() or [type(cause).__name__])[0]
            sys.stderr.write(f"{scope['path']!a} was broken off: {reason}\n")


async def _refuse(send: Callable[[Message], Awaitable[None]]) -> None:
    body = b"This address is not the one that is served: use http://127.0.0.1 with its port.\n"
    headers = [(b"content-type", b"text/plain; charset=utf-8"),
               (b"content-length", str(len(body)).encode())]  # fmt: skip
    await send({"type": "http.response.start", "status": 400, "headers": headers})
    await send({"type": "http.response.body", "body": body})
