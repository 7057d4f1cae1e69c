"""Whether examiner and predictor are of one family of models, by their names."""

from __future__ import annotations

import re
from typing import Final

_KNOWN: Final = (
    "aya", "claude", "command", "deepseek", "falcon", "gemini", "gemma", "glm", "gpt", "granite",
    "grok", "kimi", "llama", "minimax", "mistral", "mixtral", "nemotron", "olmo", "phi", "qwen",
    "qwq", "smollm", "yi",
)  # fmt: skip
_ALIASES: Final = {"mixtral": "mistral", "qwq": "qwen"}
_WORD = re.compile(r"[a-z]+")


def families_of(name: str) -> frozenset[str]:
    """Return the families that a model's name or path tells of; a distilled one has two.

    Examples
    --------
    >>> sorted(families_of("models/DeepSeek-R1-Distill-Qwen-7B"))
    ['deepseek', 'qwen']
    >>> sorted(families_of("Qwen/Qwen3-8B")), sorted(families_of("examiner"))
    (['qwen'], [])
    """
    base = name.rstrip("/").rsplit("/", 1)[-1].casefold()
    words = _WORD.findall(base)
    found = {known for known in _KNOWN for word in words if word.startswith(known)}
    return frozenset(_ALIASES.get(family, family) for family in found)
