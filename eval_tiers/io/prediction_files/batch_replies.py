"""What one row of a Batch API's output holds: replies, or the reason for which there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from eval_tiers.formats.base import RecordFault

_RESPONSE_KEYS: Final = frozenset({"body", "choices", "status_code", "request_id", "error"})
_TEXT_PARTS: Final = frozenset({"text", "output_text"})
_HTTP_ERROR: Final = 400

Fields = Mapping[str, object]


class Failed(Exception):
    """A request that has no reply: what was said about it."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


@dataclass(frozen=True, slots=True)
class Reply:
    """One of the texts that came back for a request.

    Attributes
    ----------
    index : int
        Which of several choices.
    content : str or None
        The model's text.
    reasoning : str or None
        The reasoning text, where there is no content beside it.
    finish_reason, model : str or None
        As the engine says.
    """

    index: int
    content: str | None
    reasoning: str | None
    finish_reason: str | None
    model: str | None


def is_batch_row(record: Fields) -> bool:
    """Whether a row is a Batch API's: a ``custom_id``, and a response that is an object or null."""
    if not isinstance(record.get("custom_id"), str):
        return False
    response = record.get("response")
    if isinstance(response, dict):
        return not _RESPONSE_KEYS.isdisjoint(response)
    return response is None and "error" in record


def replies_of(record: Fields) -> list[Reply]:
    """Return the choices of a reply: one text each.

    A response that is a text, or the completion itself without status and body (as old versions of
    vLLM write it), is taken too.

    Raises
    ------
    Failed
        The request failed.
    RecordFault
        There is a response, and no reply in it.
    """
    response = record.get("response")
    if isinstance(response, str) and not _says_something(record.get("error")):
        return [Reply(0, response, None, None, None)]
    body = response
    status: object = None
    if isinstance(response, dict) and ("body" in response or "status_code" in response):
        body, status = response.get("body"), response.get("status_code")
    _check_success(record.get("error"), status, response, body)
    choices = body.get("choices") if isinstance(body, dict) else None
    if not isinstance(choices, list) or not choices:
        raise RecordFault("no-reply", "the response holds no choices", "response")
    model = body.get("model") if isinstance(body, dict) else None
    return [
        _reply(number, choice, model if isinstance(model, str) else None)
        for number, choice in enumerate(choices)
    ]


def _check_success(error: object, status: object, response: object, body: object) -> None:
    """Raise `Failed` for an error in any of the places where engines put it."""
    if _says_something(error):
        raise Failed(_message(error))
    inner = [part for part in (response, body) if isinstance(part, dict)]
    for part in inner:
        if _says_something(part.get("error")):
            raise Failed(_message(part["error"]))
        if part.get("object") == "error":
            raise Failed(_message(part))
    if isinstance(status, int) and status >= _HTTP_ERROR:
        raise Failed(f"HTTP status {status}")
    if body is None:
        raise Failed("no response" if status is None else f"HTTP status {status}, without a body")


def _reply(number: int, choice: object, model: str | None) -> Reply:
    fields = choice if isinstance(choice, dict) else {}
    message = fields.get("message")
    index, reason = fields.get("index"), fields.get("finish_reason")
    reasoning = None
    if isinstance(message, dict):
        content = _content(message.get("content"))
        if content is None or not content.strip():
            reasoning = _first_text(message, ("reasoning_content", "reasoning"))
    elif isinstance(fields.get("text"), str):  # of a completions endpoint, without chat
        content = fields["text"]
    else:
        raise RecordFault("no-reply", f"choice {number + 1} of the response holds no message")
    return Reply(
        index if isinstance(index, int) else number,
        content,
        reasoning,
        reason if isinstance(reason, str) else None,
        model,
    )


def _content(content: object) -> str | None:
    """Return a text, or the text parts of a list of parts joined; thinking parts aren't read."""
    if content is None or isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise RecordFault("no-reply", f"the reply's content is a {type(content).__name__}, no text")
    texts = [
        part if isinstance(part, str) else part.get("text")
        for part in content
        if isinstance(part, str) or (isinstance(part, dict) and part.get("type") in _TEXT_PARTS)
    ]
    return "".join(text for text in texts if isinstance(text, str)) if texts else None


def _first_text(message: Fields, names: tuple[str, ...]) -> str | None:
    found = (message.get(name) for name in names)
    return next((text for text in found if isinstance(text, str) and text.strip()), None)


def _says_something(error: object) -> bool:
    """Whether an error is one: not null, not empty, not an object of empty values."""
    if isinstance(error, dict):
        return any(map(_says_something, error.values()))
    return error is not None and error is not False and error not in ("", [], 0)


def _message(error: object) -> str:
    if isinstance(error, dict):
        parts = [error.get("code"), error.get("message")]
        return ": ".join(str(part) for part in parts if part not in (None, "")) or "an error"
    return str(error)
