"""What the replies to a rubric's requests say, and what they cost."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from eval_tiers.rescue.reply_rows import HTTP_ERROR, OVER_LENGTH, ReplyRow
from eval_tiers.rescue.settling import Duplicates, Outcome, settle_rows
from eval_tiers.rescue.verdicts import Verdict, read_words
from eval_tiers.rubrics.costs import token_cost
from eval_tiers.rubrics.prompts import BINARY, TERNARY
from eval_tiers.rubrics.requests import TEXT_KEY


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of some replies; None where an engine didn't tell.

    Attributes
    ----------
    prompt_n, completion_n, total_n : int or None
    """

    prompt_n: int | None = 0
    completion_n: int | None = 0
    total_n: int | None = 0

    def __add__(self, other: Usage) -> Usage:
        """Return the sum; what is unknown of one is unknown of both."""
        return Usage(
            _sum(self.prompt_n, other.prompt_n),
            _sum(self.completion_n, other.completion_n),
            _sum(self.total_n, other.total_n),
        )


@dataclass(frozen=True, slots=True)
class Prices:
    """USD a million tokens read and written; None where not given."""

    prompt: float | None = None
    completion: float | None = None

    def cost(self, usage: Usage) -> float | None:
        """Return what tokens cost in USD; None where prices or tokens aren't known.

        Examples
        --------
        >>> Prices(1.25, 10).cost(Usage(2392, 2175, 4567))
        0.02474
        """
        if self.prompt is None or self.completion is None:
            return None
        if usage.prompt_n is None or usage.completion_n is None:
            return None
        cost = token_cost(usage.prompt_n, usage.completion_n, self.prompt, self.completion)
        return round(cost, 12)


def read_rubric_verdict(content: str, ternary: bool) -> Verdict:
    """Read the verdict of a reply's text: one of the words of the scale, case-folded.

    Examples
    --------
    >>> read_rubric_verdict('{"verdict": "not satisfied", "reasoning": "r"}', False).verdict
    'Not Satisfied'
    >>> read_rubric_verdict('{"verdict": "Partially Satisfied"}', False).fault
    'not_a_verdict'
    """
    return read_words(content, TERNARY if ternary else BINARY, text_key=TEXT_KEY)


def settle_rubric(
    rows: Sequence[ReplyRow], ternary: bool, duplicates: Duplicates = "unparsable"
) -> Outcome:
    """Return what became of one request; see `eval_tiers.rescue.settling.settle_rows`."""
    return settle_rows(
        rows,
        lambda content: read_rubric_verdict(content, ternary),
        TERNARY if ternary else BINARY,
        duplicates,
    )


def usage_of(rows: Iterable[ReplyRow]) -> Usage | None:
    """Sum the tokens of a request's replies; equal replies count once.

    A request that failed and tells no tokens has none; any other reply that tells none makes the
    sum unknown. None without a reply.
    """
    seen = set()
    found: Usage | None = None
    for row in rows:
        if row.fault in (HTTP_ERROR, OVER_LENGTH) and row.usage is None:
            continue
        same = (row.content, row.fault, row.finish_reason, json.dumps(row.usage, sort_keys=True))
        if same not in seen:
            seen.add(same)
            found = (found or Usage()) + _usage(row.usage or {})
    return found


def _usage(usage: Mapping[str, object]) -> Usage:
    prompt = _count(usage, "prompt_tokens", "input_tokens")
    completion = _count(usage, "completion_tokens", "output_tokens")
    total = _count(usage, "total_tokens")
    return Usage(prompt, completion, _sum(prompt, completion) if total is None else total)


def _count(usage: Mapping[str, object], *names: str) -> int | None:
    for name in names:
        value = usage.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
    return None


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other
