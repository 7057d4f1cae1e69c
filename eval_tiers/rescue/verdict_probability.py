"""The probability of each verdict, off the log-probabilities that a completion brings itself.

Our own runner writes it into its rows (``verdict_prob``); the rows of ``vllm run-batch`` and of
hosted APIs hold only the tokens.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from eval_tiers.domain import labels, rr10
from eval_tiers.rescue.registry import known_kinds
from eval_tiers.texts.choice_probability import choice_probability

_MAX_TOKENS: Final = 40
"""The verdict comes first: it is told by then."""


def verdict_probability(choice: Mapping[str, object]) -> dict[str, float] | None:
    """Return verdict to probability; None where the choice has no tokens, or none of a verdict.

    Parameters
    ----------
    choice : mapping
        Of a chat completion. Which kind of question it answers isn't known here: verdicts of the
        kind that the written one belongs to are listed, those that weren't offered with 0.
    """
    logprobs = choice.get("logprobs")
    tokens = logprobs.get("content") if isinstance(logprobs, dict) else None
    if not isinstance(tokens, list):
        return None
    first = [token for token in tokens[:_MAX_TOKENS] if isinstance(token, dict)]
    for vocabulary in _vocabularies():
        found = choice_probability(first, "verdict", vocabulary)
        if found is not None:
            return found
    return None


@cache
def _vocabularies() -> tuple[tuple[str, ...], ...]:
    """Return the vocabularies of all kinds and benchmarks, larger ones first."""
    found = {
        kind.verdicts("", family)
        for kind in known_kinds().values()
        for family in (labels.LABELS, rr10.LABELS)
    }
    return tuple(sorted(found, key=lambda words: (-len(words), words)))
