"""Tells whether a model's biological answer is right, and right for the right reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from eval_tiers.api import Evaluation, evaluate

__all__ = ["Evaluation", "__version__", "evaluate"]


def __getattr__(name: str) -> object:
    """Import the public API on first use, so that ``--help`` stays fast."""
    if name in {"Evaluation", "evaluate"}:
        from eval_tiers import api

        return getattr(api, name)
    raise AttributeError(f"module 'eval_tiers' has no attribute {name!r}")
