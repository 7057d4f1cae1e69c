"""What an output already answers, so that only what is owed is asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import orjson

from eval_tiers.inference.request_file import Request
from eval_tiers.io.text_lines import iter_lines

_PASSING: Final = frozenset({408, 409, 425, 429})
_OK: Final = 200
_SERVER_FAILURE: Final = 500


@dataclass(slots=True)
class Earlier:
    """What earlier runs left in the reply files of an output.

    Attributes
    ----------
    settled : dict
        Custom id to the prompt hashes that need not be asked again: answered, or failed in a way
        that would come back the same. The hash is None for a row that has none, as other programs
        write them.
    unread_n : int
        Lines that are no reply: torn ones, log lines.
    models : set of str
        Names of the models that answered, as our rows say.
    """

    settled: dict[str, set[str | None]] = field(default_factory=dict)
    unread_n: int = 0
    models: set[str] = field(default_factory=set)

    def settles(self, request: Request) -> bool:
        """Whether the request needs no asking: same id, and same prompt where that is known."""
        hashes = self.settled.get(request.custom_id)
        return hashes is not None and (None in hashes or request.prompt_sha256 in hashes)

    def changed_n(self, requests: Iterable[Request]) -> int:
        """Count the requests that were answered under the same id with another prompt."""
        return sum(
            request.custom_id in self.settled and not self.settles(request) for request in requests
        )


def read_earlier(paths: Iterable[Path], retry_errors: bool) -> Earlier:
    """Read the reply files that are there.

    Parameters
    ----------
    paths : iterable of Path
        Those that don't exist are passed over.
    retry_errors : bool
        Ask anew whatever has no whole reply. Without it only what may go better the next time:
        nothing came back, timeouts, rate limits, server failures.
    """
    earlier = Earlier()
    for path in paths:
        if not path.is_file():
            continue
        for line in iter_lines(path):
            if line.strip():
                _note(earlier, line, retry_errors)
    return earlier


def _note(earlier: Earlier, line: bytes, retry_errors: bool) -> None:
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError:
        record = None
    custom_id = record.get("custom_id") if isinstance(record, dict) else None
    if not isinstance(record, dict) or not isinstance(custom_id, str):
        earlier.unread_n += 1
        return
    engine = record.get("engine")
    if isinstance(engine, dict) and isinstance(engine.get("model"), str):
        earlier.models.add(engine["model"])
    if _is_owed(record, retry_errors):
        return
    prompt = record.get("prompt_sha256")
    known = prompt if isinstance(prompt, str) else None
    earlier.settled.setdefault(custom_id, set()).add(known)


def _is_owed(record: Mapping[str, Any], retry_errors: bool) -> bool:
    if retry_errors:
        from eval_tiers.rescue.reply_rows import is_owed, parse_reply_row

        row = parse_reply_row(dict(record))
        return row is None or is_owed(row.fault)
    response = record.get("response")
    if response is None:
        return True
    status = response.get("status_code", _OK) if isinstance(response, dict) else _OK
    return isinstance(status, int) and (status in _PASSING or status >= _SERVER_FAILURE)
