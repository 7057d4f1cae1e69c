"""``infer --check``: what would fail, told without a GPU and without loading the model."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import SourceRef
from eval_tiers.inference.backends.vllm_settings import VllmOptions
from eval_tiers.inference.model_files import ModelFacts, read_model_facts, token_counter
from eval_tiers.inference.request_file import read_requests
from eval_tiers.inference.shards import Shard

_MESSAGE_TOKENS: Final = 8  # what a chat template puts around a message
_ENGINE_BYTES: Final = 3 * 10**9  # activations, graphs and the driver, on each GPU
_OFFLINE: Final = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "VLLM_NO_USAGE_STATS")
_SOURCE_FIX: Final = "shorten the prompts, or take a longer --max-model-len or another model"

# The wall time's assumptions: one data-centre GPU of the A100 class (312 TFLOP/s, 2 TB/s) at 40 %.
_FLOPS: Final = 0.4 * 312e12
_BYTES_A_S: Final = 0.4 * 2e12
_AT_ONCE: Final = 64
_WRITTEN_SHARE: Final = 0.5  # of max_tokens
_START_S: Final = 90.0


@dataclass(slots=True)
class Check:
    """What was found.

    Attributes
    ----------
    request_n : int
        Requests of the whole file.
    longest_n : int
        Tokens of the longest prompt.
    counted : bool
        By the model's tokenizer; otherwise four characters are taken for one.
    context_n : int or None
        Tokens that prompt and reply may have together.
    weight_bytes, cache_token_bytes : int or None
        On each GPU: the weights; the cache a token.
    shard_seconds : float or None
        Rough wall time of a shard.
    findings : list of Finding
        An ``error`` would make the run fail.
    """

    request_n: int = 0
    longest_n: int = 0
    counted: bool = False
    context_n: int | None = None
    weight_bytes: int | None = None
    cache_token_bytes: int | None = None
    shard_seconds: float | None = None
    findings: list[Finding] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether nothing would fail."""
        return not any(finding.level == "error" for finding in self.findings)

    def as_dict(self) -> dict[str, object]:
        """Return the check as a strict-JSON object."""
        return {
            "request_n": self.request_n,
            "longest_prompt_token_n": self.longest_n,
            "counted_by_tokenizer": self.counted,
            "context_token_n": self.context_n,
            "weight_bytes_a_gpu": self.weight_bytes,
            "cache_bytes_a_token": self.cache_token_bytes,
            "seconds_a_shard": None if self.shard_seconds is None else round(self.shard_seconds),
            "passed": self.passed,
            "findings": [finding.as_dict() for finding in self.findings],
        }

    def add(self, level: str, code: str, message: str, where: SourceRef, fix: str) -> None:
        """Note a finding."""
        self.findings.append(Finding(code, message, where, level, fix))  # type: ignore[arg-type]


def check_run(
    requests: str, options: VllmOptions, shard: Shard, environment: Mapping[str, str]
) -> Check:
    """Check a run with vLLM.

    Parameters
    ----------
    requests : str
        Request file.
    options : VllmOptions
        ``gpu_memory`` above 1 is the memory that vLLM may use of each GPU, in gigabytes; without
        it the need is told and not judged.
    shard : Shard
        How many there are decides the wall time of one.
    environment : mapping
        Variables.

    Raises
    ------
    BadInputError, MissingResourceError
        The request file can't be used, or there is no model to look at.
    """
    folder = Path(options.model)
    facts = read_model_facts(folder)
    found = Check()
    _check_model(found, facts, options)
    count, found.counted = token_counter(folder)
    prompt_n, written_n = _check_requests(found, requests, count)
    _check_memory(found, facts, options)
    _check_environment(found, environment)
    found.shard_seconds = _wall_time(found, prompt_n, written_n, shard.count)
    return found


def _check_model(found: Check, facts: ModelFacts, options: VllmOptions) -> None:
    where, tp = SourceRef(options.model), options.tp_size
    if facts.missing:
        message = f"the model's files are not all there: {', '.join(facts.missing[:5])}"
        found.add("error", "missing-model-file", message, where, "copy the whole model")
    if not facts.has_chat_template:
        message = "the model has no chat template, so that vLLM can't put messages to it"
        fix = "take an instruction-tuned model, or add chat_template.jinja"
        found.add("error", "no-chat-template", message, where, fix)
    if facts.head_n is not None and facts.head_n % tp:
        message = f"{facts.head_n} attention heads can't be shared by {tp} GPUs"
        fits = [str(size) for size in (1, 2, 4, 8, 16) if facts.head_n % size == 0]
        found.add("error", "heads-not-divisible", message, where, f"--tp-size {' or '.join(fits)}")
    heads = facts.kv_head_n
    if heads is not None and facts.latent_n is None and heads % tp and tp % heads:
        message = f"{heads} key-value heads can't be shared by {tp} GPUs"
        found.add("error", "heads-not-divisible", message, where, "take another --tp-size")
    found.context_n = options.max_model_len or facts.context_n
    if options.max_model_len and facts.context_n and options.max_model_len > facts.context_n:
        message = f"--max-model-len {options.max_model_len} is over the model's {facts.context_n}"
        found.add("error", "over-model-length", message, where, f"at most {facts.context_n}")


def _check_requests(found: Check, path: str, count: Any) -> tuple[int, int]:
    """Look at each prompt's length; return the tokens of all prompts and of all replies."""
    prompt_n = written_n = too_long_n = cut_n = 0
    first_long: str | None = None
    for request in read_requests(path):
        body = request.body
        texts = [_text(said.get("content")) for said in body["messages"]]
        length = sum(map(count, texts)) + _MESSAGE_TOKENS * (len(texts) + 1)
        longest_reply = body.get("max_completion_tokens") or body.get("max_tokens") or 0
        longest_reply = longest_reply if isinstance(longest_reply, int) else 0
        found.request_n += 1
        found.longest_n = max(found.longest_n, length)
        prompt_n += length
        written_n += round(longest_reply * _WRITTEN_SHARE)
        if found.context_n is not None and length >= found.context_n:
            too_long_n += 1
            first_long = first_long or request.custom_id
        elif found.context_n is not None and length + longest_reply > found.context_n:
            cut_n += 1
    where = SourceRef(path, sample=first_long)
    if too_long_n:
        message = f"{too_long_n:,} prompts are longer than the model's {found.context_n:,} tokens"
        found.add("error", "prompt-too-long", message, where, _SOURCE_FIX)
    if cut_n:
        message = f"{cut_n:,} prompts leave no room for a reply of max_tokens: it may be cut off"
        found.add("warning", "reply-cut-off", message, SourceRef(path), _SOURCE_FIX)
    if not found.request_n:
        found.add("note", "no-requests", "there is nothing to ask", SourceRef(path), "export more")
    return prompt_n, written_n


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(str(part.get("text", "")) for part in parts if isinstance(part, dict))


def _check_memory(found: Check, facts: ModelFacts, options: VllmOptions) -> None:
    found.weight_bytes = -(-facts.weight_bytes // options.tp_size)
    found.cache_token_bytes = facts.cache_bytes(options.tp_size)
    if options.gpu_memory is None or options.gpu_memory <= 1:
        return
    room = options.gpu_memory * 1e9 - found.weight_bytes - _ENGINE_BYTES
    one = (found.cache_token_bytes or 0) * (found.context_n or 0)
    where = SourceRef(options.model)
    needed = f"weights {found.weight_bytes / 1e9:.1f} GB, engine about {_ENGINE_BYTES / 1e9:.0f} GB"
    if room <= 0:
        message = f"the model needs more than {options.gpu_memory:g} GB on each GPU: {needed}"
        fix = "take a larger --tp-size, a smaller or a quantized model"
        found.add("error", "out-of-memory", message, where, fix)
    elif one > room:
        message = (
            f"{room / 1e9:.1f} GB are left for the cache, and one sequence of {found.context_n:,} "
            f"tokens takes {one / 1e9:.1f} GB"
        )
        fix = f"--max-model-len {int(room / (found.cache_token_bytes or 1))} or a larger --tp-size"
        found.add("error", "out-of-memory", message, where, fix)
    elif one and room < _AT_ONCE / 4 * one * min(found.longest_n / (found.context_n or 1), 1.0):
        message = f"the cache, {room / 1e9:.1f} GB, holds few sequences at once: it will be slow"
        found.add("warning", "little-memory", message, where, "take a larger --tp-size")


def _check_environment(found: Check, environment: Mapping[str, str]) -> None:
    where = SourceRef(field="environment")
    if importlib.util.find_spec("vllm") is None:
        message = "vLLM is not installed in this Python"
        fix = "run where it is: pip install 'eval-tiers[vllm]'"
        found.add("warning", "no-vllm", message, where, fix)
    unset = [name for name in _OFFLINE if name not in environment]
    if unset:
        message = f"not set: {', '.join(unset)}; infer sets them to 1, other programs don't"
        fix = "export them for vllm serve or vllm run-batch on a node without network"
        found.add("note", "offline-variables", message, where, fix)
    wrong = [name for name in _OFFLINE[:2] if environment.get(name, "1") in ("0", "", "false")]
    if wrong:
        message = f"set so that a hub is asked: {', '.join(wrong)}"
        fix = f"export {wrong[0]}=1: a node without network waits, then fails"
        found.add("warning", "hub-is-asked", message, where, fix)


def _wall_time(found: Check, prompt_n: int, written_n: int, shard_n: int) -> float | None:
    """Return a rough wall time: prompts by arithmetic, replies by reading the weights each step."""
    if not found.weight_bytes:
        return None
    per_gpu = found.weight_bytes  # two bytes a weight, two operations a weight and token
    at_once = min(_AT_ONCE, max(found.request_n / shard_n, 1))
    reading = prompt_n * per_gpu / _FLOPS
    writing = written_n / at_once * per_gpu / _BYTES_A_S
    return _START_S + (reading + writing) / shard_n
