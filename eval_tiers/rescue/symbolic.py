"""The examiner that needs no model: verdicts by sign algebra and status, from the prompt alone.

The rules are those of docs/rescue_symbolic.md.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from eval_tiers.rescue.implied import implied_answer
from eval_tiers.rescue.kind import BLIND_TASK, CANNOT_TELL
from eval_tiers.rescue.registry import known_kinds
from eval_tiers.rescue.reply_schemas import MAX_EXPLANATION
from eval_tiers.rescue.shown import Shown, parse_prompt

MODEL: Final = "symbolic"


def examine(request: Mapping[str, object]) -> dict[str, object]:
    """Answer a request.

    Parameters
    ----------
    request : mapping
        In the OpenAI Batch form, as `eval_tiers.rescue.requests` makes it. Nothing but the user's
        message is read.

    Returns
    -------
    dict
        A row in the OpenAI Batch output form; for a request that isn't one of these, a row with
        status 400 and an error.
    """
    custom_id = request.get("custom_id")
    try:
        reply = _reply(parse_prompt(_user_message(request)))
    except ValueError as fault:
        error = {"message": str(fault), "type": "invalid_request_error"}
        return _row(custom_id, 400, {"error": error})
    message = {"role": "assistant", "content": json.dumps(reply, ensure_ascii=False)}
    return _row(
        custom_id,
        200,
        {
            "object": "chat.completion",
            "model": MODEL,
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
        },
    )


def _row(custom_id: object, status: int, body: dict[str, object]) -> dict[str, object]:
    return {
        "id": f"{MODEL}-{custom_id}",
        "custom_id": custom_id,
        "response": {"status_code": status, "request_id": f"{MODEL}-{custom_id}", "body": body},
        "error": None,
    }


def _user_message(request: Mapping[str, object]) -> str:
    body: Any = request.get("body")
    messages = body.get("messages") if isinstance(body, dict) else None
    for message in messages if isinstance(messages, list) else ():
        if isinstance(message, dict) and message.get("role") == "user":
            content = message.get("content")
            if isinstance(content, str):
                return content
    raise ValueError("the request has no message of the user")


def _reply(shown: Shown) -> dict[str, object]:
    """Return the reply's object: certain by rule, so with confidence 1."""
    if shown.task == BLIND_TASK:
        implied = implied_answer(shown)
        flaw = implied.contradicted or implied.unsupported
        return {
            "direction": implied.answer or CANNOT_TELL,
            "sound": not flaw,
            "confidence": 1.0,
            "explanation": _sentence(flaw or implied.why or "Every step is supported"),
        }
    kind = known_kinds().get(shown.task)
    if kind is None:
        raise ValueError(f"the prompt's task {shown.task!r} is not known")
    found = kind.rules(shown)
    return {
        "verdict": found.verdict,
        "confidence": 1.0,
        "explanation": _sentence(found.explanation),
    }


def _sentence(text: str) -> str:
    """Return a text as the reply's schema takes it."""
    return " ".join(text.replace('"', "'").replace("\\", "/").split())[:MAX_EXPLANATION]
