"""One row of a reply file, in whatever shape an engine gave it.

OpenAI Batch output and error rows, the older vLLM shape (the completion directly under
``response``) and plain rows ``{"sample_id" | "custom_id", "response": text or object}``.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from eval_tiers.rescue.verdict_probability import verdict_probability

HTTP_ERROR: Final = "http_error"
OVER_LENGTH: Final = "over_length"
CUT_OFF: Final = "cut_off"
EMPTY: Final = "empty"
WITHHELD: Final = "withheld"
REFUSAL: Final = "refusal"
MISSING: Final = "missing"

OWED: Final = (CUT_OFF, WITHHELD, EMPTY, OVER_LENGTH, HTTP_ERROR, MISSING)
"""Faults that another run may mend; of several, the first named here is a request's fault."""

_TOO_LONG = re.compile(
    r"context[ _]length|maximum context|model's context|longer than the model|over[ _-]length"
    r"|prompt[ _](?:is )?too[ _]long|max_model_len",
    re.IGNORECASE,
)
_CUT_REASONS: Final = frozenset({"length", "max_tokens", "max_output_tokens", "abort", "error"})
_THOUGHT_TYPES: Final = frozenset({"thinking", "reasoning", "redacted_thinking", "thought"})


@dataclass(frozen=True, slots=True)
class ReplyRow:
    """A reply as one row gives it.

    Attributes
    ----------
    custom_id, sample_id : str or None
        At least one is there.
    content : str or None
        What the examiner wrote; None with a fault, save for one that was cut off.
    fault : str or None
        Why there is nothing to read.
    finish_reason, model : str or None
    usage : dict or None
    verdict_prob : dict or None
        Verdict to its probability, 0 to 1, where the engine gave it.
    from_reasoning : bool
        The content was empty, and the JSON stood in the reasoning.
    """

    custom_id: str | None
    sample_id: str | None
    content: str | None
    fault: str | None
    finish_reason: str | None = None
    model: str | None = None
    usage: dict[str, object] | None = None
    verdict_prob: dict[str, float] | None = None
    from_reasoning: bool = False


def is_owed(fault: str | None) -> bool:
    """Whether a fault is one that another run may mend: no reply, or none that is whole."""
    return fault in OWED


def parse_reply_row(record: Mapping[str, object]) -> ReplyRow | None:
    """Read a row.

    Parameters
    ----------
    record : mapping
        One JSON object of a reply file.

    Returns
    -------
    ReplyRow or None
        None: it is no reply (no id, or neither response nor error).

    Examples
    --------
    >>> row = parse_reply_row({"custom_id": "r1", "response": '{"verdict": "YES"}'})
    >>> row.content, row.fault
    ('{"verdict": "YES"}', None)
    >>> parse_reply_row({"custom_id": "r1", "response": None, "error": "expired"}).fault
    'http_error'
    """
    custom_id, sample_id = _id_of(record, "custom_id"), _id_of(record, "sample_id")
    if custom_id is None and sample_id is None:
        return None
    if "response" not in record and "error" not in record and "choices" not in record:
        return None
    fault = _failure_of(record)
    body = _body_of(record)
    prob = _probabilities(record.get("verdict_prob"))
    model, usage = body.get("model"), body.get("usage")
    content: str | None = None
    finish: str | None = None
    from_reasoning = False
    if fault is None:
        content, fault, finish, from_reasoning = _reply_of(record, body)
        if content is not None and prob is None:
            prob = verdict_probability(_choice_of(body))
    return ReplyRow(
        custom_id=custom_id,
        sample_id=sample_id,
        content=content,
        fault=fault,
        finish_reason=finish,
        model=model if isinstance(model, str) else None,
        usage=usage if isinstance(usage, dict) else None,
        verdict_prob=prob,
        from_reasoning=from_reasoning,
    )


def _id_of(record: Mapping[str, object], name: str) -> str | None:
    value = record.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) and value else None


def _failure_of(record: Mapping[str, object]) -> str | None:
    """Return the fault of a request that failed: an error said anywhere, or an HTTP status."""
    response: Any = record.get("response")
    response = response if isinstance(response, dict) else {}
    body = response.get("body")
    said = [record.get("error"), response.get("error")]
    said.append(body.get("error") if isinstance(body, dict) else None)
    if "choices" not in response and response.get("object") == "error":
        said.append(response.get("message") or "error")
    text = " ".join(filter(None, map(_error_text, said)))
    status = response.get("status_code")
    failed = isinstance(status, int) and not isinstance(status, bool) and status >= 400
    if not text and not failed:
        return None
    return OVER_LENGTH if _TOO_LONG.search(text) else HTTP_ERROR


def _error_text(error: object) -> str:
    """Return what an error says; blank for null, blanks, and an object of nothing else."""
    if isinstance(error, dict):
        return " ".join(filter(None, map(_error_text, error.values())))
    return str(error).strip() if error else ""


def _body_of(record: Mapping[str, object]) -> dict[str, Any]:
    """Return the completion, wherever the shape has it; empty where there is none."""
    response = record.get("response")
    if isinstance(response, dict):
        body = response.get("body")
        if isinstance(body, dict):
            return body
        return response if "choices" in response else {}
    return dict(record) if "choices" in record else {}


def _reply_of(
    record: Mapping[str, object], body: dict[str, Any]
) -> tuple[str | None, str | None, str | None, bool]:
    """Return content, fault, finish reason, and whether it came from the reasoning."""
    if not body:
        return (*_plain(record.get("response")), None, False)
    choice = _choice_of(body)
    if not choice:
        return None, EMPTY, None, False
    message = choice.get("message")
    message = message if isinstance(message, dict) else {"content": choice.get("text")}
    reason = choice.get("finish_reason")
    finish = reason if isinstance(reason, str) else None
    content, refused = _content_of(message.get("content"))
    refusal = message.get("refusal")
    if finish == "content_filter":
        return None, WITHHELD, finish, False
    if refused or (isinstance(refusal, str) and refusal.strip()):
        return None, REFUSAL, finish, False
    if finish in _CUT_REASONS:
        return content or None, CUT_OFF, finish, False
    if content.strip():
        return content, None, finish, False
    thought, _ = _content_of(message.get("reasoning_content") or message.get("reasoning"))
    if "{" in thought:
        return thought, None, finish, True
    return None, EMPTY, finish, False


def _choice_of(body: dict[str, Any]) -> dict[str, Any]:
    """Return the first choice of a completion; empty where there is none."""
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    return choice if isinstance(choice, dict) else {}


def _plain(response: object) -> tuple[str | None, str | None]:
    """Return content and fault of a plain row's response."""
    if isinstance(response, dict):
        if "status_code" in response:
            return None, EMPTY
        return json.dumps(response, ensure_ascii=False), None
    content, refused = _content_of(response)
    if refused:
        return None, REFUSAL
    return (content, None) if content.strip() else (None, EMPTY)


def _content_of(content: object) -> tuple[str, bool]:
    """Return a message's text, its parts joined without thoughts; and whether a part refuses."""
    if isinstance(content, str):
        return content, False
    if not isinstance(content, list):
        return "", False
    texts: list[str] = []
    refused = False
    for part in content:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict) and part.get("type") not in _THOUGHT_TYPES:
            refused = refused or part.get("type") == "refusal"
            text = part.get("text")
            texts.append(text if isinstance(text, str) else "")
    return "".join(texts), refused


def _probabilities(value: object) -> dict[str, float] | None:
    if not isinstance(value, dict) or not value:
        return None
    found = {}
    for verdict, share in value.items():
        if isinstance(share, bool) or not isinstance(share, (int, float)):
            return None
        if not (math.isfinite(share) and 0 <= share <= 1):
            return None
        found[str(verdict)] = float(share)
    return found
