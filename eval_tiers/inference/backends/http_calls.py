"""One HTTP call to a server of the OpenAI form, tried again where that may help."""

from __future__ import annotations

import email.utils
import http.client
import random
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any, Final

import orjson

from eval_tiers import __version__
from eval_tiers.exceptions import Problem, SourceRef, UsageError

NO_CONNECTION: Final = "no-connection"
_PASSING: Final = frozenset({408, 409, 425, 429})
_ATTEMPTS: Final = 6
_FIRST_WAIT_S: Final = 0.5
_LONGEST_WAIT_S: Final = 60.0
_LONGEST_ASKED_S: Final = 600.0
_PROBE_TIMEOUT_S: Final = 30.0
_SAID_N: Final = 500


@dataclass(frozen=True, slots=True)
class Call:
    """What is asked: method, path under the base URL (or the server's root), JSON body."""

    method: str
    path: str
    data: bytes | None = None
    from_root: bool = False


@dataclass(frozen=True, slots=True)
class Response:
    """What came back.

    Attributes
    ----------
    status : int or None
        None where there was no response at all.
    fields : dict
        Its JSON object; empty where it is none.
    said : str
        What is told of a failure, one line.
    wait_s : float or None
        How long the server asks to wait.
    """

    status: int | None
    fields: dict[str, Any] = field(default_factory=dict)
    said: str = ""
    wait_s: float | None = None


def is_passing(status: int | None) -> bool:
    """Whether a failure with that status may pass: none at all, timeouts, rate limits, 5xx."""
    return status is None or status in _PASSING or status >= 500


class Server:
    """Makes calls. Safe to use from several threads at once.

    A redirection is no reply and is not followed, so that the key goes nowhere else. The proxies
    of the environment are used, except for this machine itself.

    Parameters
    ----------
    base_url : str
        ``http://host:port/v1``; ``/v1`` is put behind a URL without a path.
    key : str or None
        Bearer token.
    timeout_s : float

    Raises
    ------
    UsageError
        It is no such URL, or holds a password, which would stand in logs and lists of processes.
    """

    def __init__(self, base_url: str, key: str | None, timeout_s: float) -> None:
        parts = urllib.parse.urlsplit(base_url)
        try:
            host = parts.hostname if parts.port != 0 else None
        except ValueError:
            host = None
        if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment:
            message = f"'{base_url}' is no address of a server"
            fix = "such as --base-url http://127.0.0.1:8000/v1"
            raise UsageError(Problem("bad-url", message, fix=fix))
        if parts.username is not None or parts.password is not None:
            fix = "put the key into the environment variable OPENAI_API_KEY"
            raise UsageError(Problem("key-in-url", "the address holds a name or password", fix=fix))
        self._base = base_url.rstrip("/") + ("" if parts.path.strip("/") else "/v1")
        self._root = f"{parts.scheme}://{parts.netloc}"
        self._timeout_s = timeout_s
        self._headers = {
            "Content-Type": "application/json",
            "User-Agent": f"eval-tiers/{__version__}",
        }
        if key:
            if not key.isascii() or not key.isprintable():
                where = SourceRef(field="OPENAI_API_KEY")
                message = "the key holds characters that no header can carry"
                raise UsageError(Problem("bad-key", message, where, "copy it again"))
            self._headers["Authorization"] = f"Bearer {key}"
        handlers: list[urllib.request.BaseHandler] = [_NoRedirection()]
        if _is_loopback(host):
            handlers.append(urllib.request.ProxyHandler({}))
        self._opener = urllib.request.build_opener(*handlers)

    def call_patiently(self, call: Call, stop: threading.Event | None) -> Response:
        """Make a call, up to six times: with waits that double, or as long as the server asks.

        Parameters
        ----------
        call : Call
        stop : threading.Event or None
            Ends the waiting; the last response is returned then.
        """
        for attempt in range(1, _ATTEMPTS + 1):
            found = self.call(call)
            if not is_passing(found.status) or attempt == _ATTEMPTS:
                break
            wait_s = min(_FIRST_WAIT_S * 2 ** (attempt - 1), _LONGEST_WAIT_S)
            wait_s *= random.uniform(0.5, 1.5)  # so that those turned away don't come back at once
            if found.wait_s is not None:
                wait_s = max(wait_s, min(found.wait_s, _LONGEST_ASKED_S))
            if stop is None:
                time.sleep(wait_s)
            elif stop.wait(wait_s):
                break
        return found

    def call(self, call: Call) -> Response:
        """Make a call once."""
        request = urllib.request.Request(
            f"{self._root if call.from_root else self._base}/{call.path}",
            call.data,
            self._headers,
            method=call.method,
        )
        timeout_s = self._timeout_s if call.data else min(self._timeout_s, _PROBE_TIMEOUT_S)
        try:
            with self._opener.open(request, timeout=timeout_s) as response:
                return _read(response.status, response.read())
        except urllib.error.HTTPError as error:
            with error:
                wait_s = _asked_wait(error.headers.get("Retry-After"))
                try:
                    data = error.read()
                except (OSError, http.client.HTTPException):
                    data = b""
            found = _read(error.code, data)
            return Response(found.status, found.fields, found.said or str(error.reason), wait_s)
        except TimeoutError:
            return Response(None, said=f"no reply within {timeout_s:g} s")
        except urllib.error.URLError as error:
            return Response(None, said=f"no connection: {error.reason}")
        except (OSError, http.client.HTTPException) as error:
            return Response(
                None, said=f"the connection broke: {str(error) or type(error).__name__}"
            )


class _NoRedirection(urllib.request.HTTPRedirectHandler):
    """Makes a redirection an error with its status."""

    def redirect_request(self, *arguments: Any, **named: Any) -> None:
        """Return None: don't follow."""


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower().rstrip(".") == "localhost"


def _read(status: int, data: bytes) -> Response:
    try:
        fields = orjson.loads(data)
    except orjson.JSONDecodeError:
        fields = None
    text = " ".join(data[: 4 * _SAID_N].decode("utf-8", "replace").split())
    if not isinstance(fields, dict):
        return Response(status, said=text[:_SAID_N])
    error = fields.get("error", fields)
    message = error.get("message") if isinstance(error, dict) else error
    return Response(status, fields, (message if isinstance(message, str) else text)[:_SAID_N])


def _asked_wait(header: str | None) -> float | None:
    """Return the seconds of a Retry-After header: a number, or a date."""
    if header is None:
        return None
    try:
        return max(float(header), 0.0)
    except ValueError:
        pass
    try:
        when = email.utils.parsedate_to_datetime(header)
    except ValueError:
        return None
    return max(when.timestamp() - time.time(), 0.0)
