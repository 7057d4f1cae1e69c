"""Requests in the OpenAI Batch form, one a case.

They run unchanged with ``vllm run-batch``, with this package's runner and with hosted Batch APIs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from eval_tiers.rescue.cases import Case
from eval_tiers.rescue.kind import BLIND_TASK
from eval_tiers.rescue.prompts import PROMPT_VERSION, build_prompt
from eval_tiers.rescue.registry import kind_named
from eval_tiers.rescue.reply_schemas import blind_schema, verdict_schema

__all__ = ["PROMPT_VERSION", "RequestOptions", "build_request"]

TOP_LOGPROBS: Final = 8
"""Enough for the first tokens of all verdicts, and no larger than it has to be."""


@dataclass(frozen=True, slots=True)
class RequestOptions:
    """How requests are made.

    Attributes
    ----------
    model : str
        As the engine calls it.
    blind : bool
        See `eval_tiers.rescue.prompts.build_prompt`.
    max_tokens : int
        Longest reply.
    budget_chars : int
        Longest prompt, in characters.
    logprobs : bool
        Ask for the log-probabilities that `verdict_prob` is read off.
    seed : int
        Of the engine.
    order : int
        0: evidence and verdicts as listed; any other number: a shuffle of its own.
    """

    model: str = "examiner"
    blind: bool = False
    max_tokens: int = 512
    budget_chars: int = 24_000
    logprobs: bool = True
    seed: int = 0
    order: int = 0


def build_request(
    case: Case, custom_id: str, options: RequestOptions | None = None
) -> tuple[dict[str, object], bool]:
    """Return the request of a case, and whether its prompt was shortened.

    Parameters
    ----------
    case : Case
    custom_id : str
        Opaque; at most 64 of ``A-Za-z0-9._:-``.
    options : RequestOptions, optional

    Raises
    ------
    UsageError
        The prompt can't be made as short as the budget demands.
    """
    options = options or RequestOptions()
    kind = kind_named(case.kind)
    blind = options.blind and kind.blind_verdict is not None
    prompt = build_prompt(case, kind, blind, options.budget_chars, options.order)
    name = BLIND_TASK if blind else kind.name
    schema = blind_schema(prompt.verdicts) if blind else verdict_schema(prompt.verdicts)
    body: dict[str, object] = {
        "model": options.model,
        "messages": prompt.messages,
        "temperature": 0,
        "max_tokens": options.max_tokens,
        "seed": options.seed,
    }
    if options.logprobs:
        body |= {"logprobs": True, "top_logprobs": TOP_LOGPROBS}
    body["response_format"] = {
        "type": "json_schema",
        "json_schema": {"name": name, "strict": True, "schema": schema},
    }
    request: dict[str, object] = {
        "custom_id": custom_id,
        "method": "POST",
        "url": "/v1/chat/completions",
        "body": body,
    }
    return request, prompt.shortened
