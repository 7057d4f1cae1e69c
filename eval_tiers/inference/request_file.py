"""Reading a request file in the OpenAI Batch form, whoever wrote it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson

from eval_tiers.exceptions import MAX_PROBLEMS_SHOWN, BadInputError, Problem, SourceRef
from eval_tiers.io.sources import require_file
from eval_tiers.io.text_lines import iter_lines, line_end_of, read_head

CHAT_URL: Final = "/v1/chat/completions"

_FIX: Final = 'a request is {"custom_id", "method", "url", "body": {"model", "messages", ...}}'


@dataclass(frozen=True, slots=True)
class Request:
    """One line of a request file.

    Attributes
    ----------
    custom_id : str
    prompt_sha256 : str
        Of the body as JSON with sorted keys: whether it was written with other blanks or another
        order of keys doesn't matter.
    raw : bytes
        The line, parsed again when its turn comes, so that a large file takes little memory.
    """

    custom_id: str
    prompt_sha256: str
    raw: bytes

    @property
    def record(self) -> dict[str, Any]:
        """The whole request, as it stands in the file."""
        found: dict[str, Any] = orjson.loads(self.raw)
        return found

    @property
    def body(self) -> dict[str, Any]:
        """What an engine gets: model, messages and options."""
        found: dict[str, Any] = self.record["body"]
        return found


class _Fault(Exception):
    """Why a line is no request: code, message, field."""


def read_requests(path: str) -> Iterator[Request]:
    """Yield the requests of a file in its order; blank lines are none.

    Parameters
    ----------
    path : str
        JSON Lines; plain, gzip or zstd. A file without lines has no requests, which is no fault.

    Raises
    ------
    MissingResourceError
        The file can't be read.
    BadInputError
        Lines that are no requests for chat completions, or an id given twice: at the end, up to 20
        of them and a count.
    """
    source = require_file(path, "request file")
    problems: list[Problem] = []
    problem_n = 0
    line_of: dict[str, int] = {}
    for line, raw in _numbered(source):
        try:
            request = _parse_request(raw)
            if request.custom_id in line_of:
                lines = f"lines {line_of[request.custom_id]} and {line}"
                raise _Fault(
                    "duplicate-id", f"the custom_id '{request.custom_id}' is given twice: {lines}",
                    "custom_id",
                )  # fmt: skip
        except _Fault as fault:
            code, message, field = fault.args
            problem_n += 1
            if len(problems) < MAX_PROBLEMS_SHOWN:
                problems.append(Problem(code, message, SourceRef(path, line, field), _FIX))
            continue
        line_of[request.custom_id] = line
        if not problems:
            yield request
    if problems:
        raise BadInputError(problems, problem_n)


def _numbered(source: Path) -> Iterator[tuple[int, bytes]]:
    head, _ = read_head(source)
    for line, raw in enumerate(iter_lines(source, line_end_of(head)), 1):
        if raw := raw.strip():
            yield line, raw


def _is_message(said: object) -> bool:
    return isinstance(said, dict) and isinstance(said.get("role"), str)


def _parse_request(raw: bytes) -> Request:
    try:
        record = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise _Fault("unreadable-row", f"the line is no JSON: {error}", None) from error
    if not isinstance(record, dict):
        raise _Fault("no-request", "the line is no JSON object", None)
    custom_id, body = record.get("custom_id"), record.get("body")
    if not isinstance(custom_id, str) or not custom_id.strip():
        raise _Fault("no-id", "the request has no custom_id", "custom_id")
    url = record.get("url")
    if url is not None and (not isinstance(url, str) or not url.endswith("/chat/completions")):
        raise _Fault("unsupported-url", f"only {CHAT_URL} is run, not {url!r}", "url")
    if not isinstance(body, dict):
        raise _Fault("no-request", "the request has no body", "body")
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages or not all(map(_is_message, messages)):
        raise _Fault("no-request", "the body has no messages with roles", "body.messages")
    canonical = orjson.dumps(body, option=orjson.OPT_SORT_KEYS)
    return Request(custom_id, hashlib.sha256(canonical).hexdigest(), raw)
