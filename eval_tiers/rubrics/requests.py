"""Requests about rubrics in the OpenAI Batch form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from eval_tiers.rescue.reply_schemas import verdict_schema
from eval_tiers.rubrics.prompts import Message

TEXT_KEY: Final = "reasoning"
LONGEST_REASONING: Final = 480
_TOP_LOGPROBS: Final = 8


@dataclass(frozen=True, slots=True)
class Asking:
    """What all requests of an export have in common.

    Attributes
    ----------
    model : str
        As the engine calls it.
    max_tokens : int
        Longest reply.
    seed : int
        Of the engine.
    """

    model: str = "judge"
    max_tokens: int = 512
    seed: int = 0


def build_request(
    custom_id: str, messages: Sequence[Message], verdicts: Sequence[str], asking: Asking
) -> dict[str, Any]:
    """Return a request whose reply is bound to verdict, confidence and reasoning.

    Parameters
    ----------
    custom_id : str
        Opaque; at most 64 of ``A-Za-z0-9._:-``.
    messages : sequence of dict
    verdicts : sequence of str
        In the order in which the messages show them.
    asking : Asking
    """
    schema = verdict_schema(verdicts, TEXT_KEY, LONGEST_REASONING)
    return {
        "custom_id": custom_id,
        "method": "POST",
        "url": "/v1/chat/completions",
        "body": {
            "model": asking.model,
            "messages": list(messages),
            "temperature": 0,
            "max_tokens": asking.max_tokens,
            "seed": asking.seed,
            "logprobs": True,
            "top_logprobs": _TOP_LOGPROBS,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "rubric", "strict": True, "schema": schema},
            },
        },
    }
