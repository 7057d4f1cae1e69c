"""Which Host headers are this machine's, and what a response that can't be finished does."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from eval_tiers.viewer.guards import Guards, is_own_host


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.0.0.1:8765", "localhost:1", "LOCALHOST", "[::1]", "[::1]:65535"]
)
def test_this_machine(host: str) -> None:
    assert is_own_host([host.encode()])


@pytest.mark.parametrize(
    "host",
    ["", ":80", "evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "0.0.0.0",
     "127.0.0.2", "[::]", "[::1", "::1", "localhost:", "localhost:80:80", "a@localhost",
     "localhost/", "localhost\n", " localhost", "localhost:999999", "\xff"],
)  # fmt: skip
def test_anywhere_else(host: str) -> None:
    assert not is_own_host([host.encode("latin-1")])


async def _serves(scope: object, receive: object, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"a", b"b")]})
    await send({"type": "http.response.body", "body": b"whole"})


def answered(app: Any, host: bytes) -> list[dict[str, Any]]:
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {"type": "http", "path": "/", "headers": [(b"host", host)]}
    asyncio.run(Guards(app, (OSError,))(scope, None, send))  # type: ignore[arg-type]
    return sent


def test_every_response_has_the_guarding_headers() -> None:
    for host, status in ((b"localhost", 200), (b"evil.example", 400)):
        start, body = answered(_serves, host)
        headers = dict(start["headers"])
        assert start["status"] == status and body["body"]
        assert headers[b"x-content-type-options"] == b"nosniff"
        assert headers[b"content-security-policy"].startswith(b"default-src 'none'")
        assert b"access-control-allow-origin" not in headers


def test_what_fails_before_it_began_is_not_hidden() -> None:
    async def fails(scope: object, receive: object, send: object) -> None:
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        answered(fails, b"localhost")


def test_a_fault_of_our_own_is_not_hidden() -> None:
    async def fails(scope: object, receive: object, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        answered(fails, b"localhost")
