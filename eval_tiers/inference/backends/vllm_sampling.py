"""Between the OpenAI form of a chat request and vLLM's: options in, a completion out."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Final

from eval_tiers.inference.request_file import Request

_SAME_NAME: Final = (
    "temperature", "top_p", "top_k", "min_p", "n", "stop", "seed", "presence_penalty",
    "frequency_penalty", "repetition_penalty", "max_tokens", "min_tokens",
)  # fmt: skip
_WITHOUT_EFFECT: Final = frozenset(
    {"model", "messages", "max_completion_tokens", "logprobs", "top_logprobs", "response_format",
     "chat_template_kwargs", "user", "metadata", "store", "service_tier", "stream_options"}
)  # fmt: skip


def sampling_options(body: Mapping[str, Any], without_gpu: bool) -> dict[str, Any]:
    """Return the arguments of ``SamplingParams``, with ``structured_outputs`` as its arguments.

    Parameters
    ----------
    body : mapping
        A chat request's.
    without_gpu : bool
        Leave out a seed at a temperature above 0, which vLLM can't do on a CPU.

    Raises
    ------
    ValueError
        The request holds what can't be run this way, such as tools: it must not be left out
        without a word.
    """
    unknown = [
        name
        for name, value in body.items()
        if name not in _SAME_NAME and name not in _WITHOUT_EFFECT and value not in (None, False)
    ]
    if unknown:
        raise ValueError(f"not run by this backend: {', '.join(sorted(unknown))}")
    options = {name: body[name] for name in _SAME_NAME if body.get(name) is not None}
    longest = body.get("max_completion_tokens")
    if longest is not None:
        options["max_tokens"] = longest
    options.setdefault("max_tokens", None)
    if without_gpu and body.get("temperature") != 0:
        options.pop("seed", None)
    if body.get("logprobs"):
        options["logprobs"] = int(body.get("top_logprobs") or 0)
    bound = _structure(body.get("response_format"))
    if bound is not None:
        options["structured_outputs"] = bound
    return options


def _structure(response_format: object) -> dict[str, Any] | None:
    if response_format is None:
        return None
    kind = response_format.get("type") if isinstance(response_format, dict) else None
    if kind == "text":
        return None
    if kind == "json_object":
        return {"json_object": True}
    named = response_format.get("json_schema") if isinstance(response_format, dict) else None
    schema = named.get("schema") if isinstance(named, dict) else None
    if kind == "json_schema" and isinstance(schema, dict):
        return {"json": schema}
    raise ValueError(f"a response_format that is not known: {response_format!r}")


def chat_template_options(body: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what a request says to the model's chat template, such as to think or not."""
    found = body.get("chat_template_kwargs")
    return found if isinstance(found, dict) else None


def completion(request: Request, output: Any, model: str) -> dict[str, object]:
    """Return a chat completion in the OpenAI form of a ``vllm.RequestOutput``."""
    prompt_n = len(output.prompt_token_ids or ())
    written_n = sum(len(choice.token_ids) for choice in output.outputs)
    return {
        "id": f"chatcmpl-{request.prompt_sha256[:24]}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "choices": [_choice(choice) for choice in output.outputs],
        "usage": {
            "prompt_tokens": prompt_n,
            "completion_tokens": written_n,
            "total_tokens": prompt_n + written_n,
        },
    }


def _choice(choice: Any) -> dict[str, object]:
    logprobs = None
    if choice.logprobs:
        pairs = zip(choice.token_ids, choice.logprobs, strict=True)
        logprobs = {"content": [_token(token_id, listed) for token_id, listed in pairs]}
    return {
        "index": choice.index,
        "message": {"role": "assistant", "content": choice.text},
        "logprobs": logprobs,
        "finish_reason": choice.finish_reason,
    }


def _token(token_id: int, listed: Mapping[int, Any]) -> dict[str, object]:
    """Return a token with the most probable ones in its place, the most probable first."""
    written = listed[token_id]
    ranked = sorted(listed.values(), key=lambda one: -one.logprob)
    return {
        "token": written.decoded_token or "",
        "logprob": _finite(written.logprob),
        "top_logprobs": [
            {"token": one.decoded_token or "", "logprob": _finite(one.logprob)} for one in ranked
        ],
    }


def _finite(logprob: float) -> float:
    """Return the log-probability as JSON can hold it."""
    return max(float(logprob), -9999.0)
