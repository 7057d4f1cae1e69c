"""Finds the prompts: every module here that defines ``PROMPT``."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from eval_tiers import prompts
from eval_tiers.prompts.base import PromptFormat


@cache
def known_prompts() -> dict[str, PromptFormat]:
    """Return the prompts by the name of their benchmark format, sorted."""
    found = {}
    for module in pkgutil.iter_modules(prompts.__path__):
        plug_in = importlib.import_module(f"{prompts.__name__}.{module.name}")
        described = getattr(plug_in, "PROMPT", None)
        if isinstance(described, PromptFormat):
            found[described.name] = described
    return dict(sorted(found.items()))
