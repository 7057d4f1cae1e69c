"""The row that is written for an answer, and what kind of answer it is."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Final

from eval_tiers.inference.backends.base import Answer, Engine
from eval_tiers.texts.choice_probability import choice_probability

VERDICT: Final = "verdict"
_OK: Final = 200


def build_row(answer: Answer, engine: Engine) -> dict[str, object]:
    """Return the line of the reply file: OpenAI Batch output, and what we add.

    Added are ``prompt_sha256`` (of the request's body), ``engine`` and, where the reply's schema
    has a field ``verdict`` with allowed values and the engine gave log-probabilities,
    ``verdict_prob``. The log-probabilities themselves, some 50 kB a reply, are then left out.
    """
    request = answer.request
    digest = hashlib.sha256(f"{request.custom_id} {request.prompt_sha256}".encode()).hexdigest()
    row: dict[str, object] = {"id": f"batch_req_{digest[:24]}", "custom_id": request.custom_id}
    body = answer.body
    if answer.status == _OK and body is not None:
        probability, body = _verdict_probability(body, request.body)
        if probability is not None:
            row["verdict_prob"] = probability
    row["response"] = None
    if answer.status is not None:
        row["response"] = {
            "status_code": answer.status,
            "request_id": f"req_{digest[:24]}",
            "body": body,
        }
    row["error"] = answer.error
    row["prompt_sha256"] = request.prompt_sha256
    row["engine"] = engine.as_dict()
    return row


def kind_of(answer: Answer) -> str:
    """Name what came back: ``reply``, or why it is none or only part of one.

    Returns
    -------
    str
        ``reply``; ``cut-off``, ``refused``, ``empty``, ``withheld`` for completions that aren't
        whole; otherwise the error's code.
    """
    if answer.error is not None:
        return str(answer.error.get("code"))
    choices = answer.body.get("choices") if answer.body else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        return "empty"
    if choice.get("finish_reason") == "length":
        return "cut-off"
    if choice.get("finish_reason") == "content_filter":
        return "withheld"
    if message.get("refusal"):
        return "refused"
    content = message.get("content") or message.get("reasoning_content") or message.get("reasoning")
    if not content or (isinstance(content, str) and not content.strip()):
        return "empty"
    return "reply"


def allowed_verdicts(body: Mapping[str, Any]) -> list[str] | None:
    """Return the values that a request's schema allows for the field ``verdict``, None for none."""
    found: Any = body
    for key in ("response_format", "json_schema", "schema", "properties", VERDICT, "enum"):
        found = found.get(key) if isinstance(found, Mapping) else None
    if not isinstance(found, list):
        return None
    return [value for value in found if isinstance(value, str)] or None


def _verdict_probability(
    body: dict[str, object], asked: Mapping[str, Any]
) -> tuple[dict[str, float] | None, dict[str, object]]:
    """Return the probabilities, and the body without what they were read off."""
    verdicts, choices = allowed_verdicts(asked), body.get("choices")
    if verdicts is None or not isinstance(choices, list) or len(choices) != 1:
        return None, body
    logprobs = choices[0].get("logprobs") if isinstance(choices[0], dict) else None
    tokens = logprobs.get("content") if isinstance(logprobs, dict) else None
    if not isinstance(tokens, list) or not all(isinstance(token, dict) for token in tokens):
        return None, body
    probability = choice_probability(tokens, VERDICT, verdicts)
    return probability, body | {"choices": [choices[0] | {"logprobs": None}]}
