"""What became of a request: its replies settled, and repeats brought together; of any question.

Nothing here depends on the order of files or rows, unless the last of unequal replies is asked for.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final, Literal

from eval_tiers.metrics.intervals import mean_interval, wilson_interval
from eval_tiers.rescue.reply_rows import (
    CUT_OFF,
    EMPTY,
    MISSING,
    OWED,
    REFUSAL,
    ReplyRow,
    is_owed,
)
from eval_tiers.rescue.verdicts import TRUNCATED, UNPARSABLE, Verdict

CONFLICTING: Final = "conflicting_replies"
NO_MAJORITY: Final = "no_majority"

Duplicates = Literal["unparsable", "last"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a request, or of a sample that was asked about several times.

    Attributes
    ----------
    verdict : str or None
    fault : str or None
        Why there is none.
    confidence : float or None
        As claimed; of equal replies the lowest, of repeats the mean of those that agree.
    explanation : str
    verdict_prob : dict or None
    reply_n : int
        Rows that came.
    from_reasoning : bool
        The verdict stood in the reasoning.
    model : str or None
    """

    verdict: str | None
    fault: str | None = None
    confidence: float | None = None
    explanation: str = ""
    verdict_prob: dict[str, float] | None = None
    reply_n: int = 0
    from_reasoning: bool = False
    model: str | None = None

    @property
    def owed(self) -> bool:
        """Whether another run may give the verdict."""
        return is_owed(self.fault)


def settle_rows(
    rows: Sequence[ReplyRow],
    read: Callable[[str], Verdict],
    offered: Sequence[str] | None = None,
    duplicates: Duplicates = "unparsable",
) -> Outcome:
    """Return what became of one request.

    Parameters
    ----------
    rows : sequence of ReplyRow
        Its rows, in the order of the files as named, then of lines.
    read : callable
        Gives the verdict of a reply's text, or the name of what is wrong with it.
    offered : sequence of str, optional
        The verdicts whose probabilities count; without it there are none.
    duplicates : {"unparsable", "last"}
        Verdicts that differ: none of them counts (fault ``conflicting_replies``), or the last does.
        Rows without a verdict never outdo one that has it.
    """
    outcomes = [_outcome(row, read, offered) for row in rows]
    told = [outcome for outcome in outcomes if outcome.verdict is not None]
    if not told:
        return Outcome(None, first_fault(outcome.fault for outcome in outcomes), reply_n=len(rows))
    if len({outcome.verdict for outcome in told}) == 1:
        return replace(min(told, key=_caution), reply_n=len(rows))
    if duplicates == "last":
        return replace(told[-1], reply_n=len(rows))
    return Outcome(None, CONFLICTING, reply_n=len(rows))


def first_fault(faults: Iterable[str | None]) -> str:
    """Return the fault that stands for several: one that another run won't mend, if any is.

    Examples
    --------
    >>> first_fault(["http_error", "cut_off"]), first_fault(["http_error", "no_json"])
    ('cut_off', 'no_json')
    >>> first_fault([])
    'missing'
    """
    found = {fault for fault in faults if fault is not None}
    final = sorted(found.difference(OWED))
    if final:
        return final[0]
    return next((fault for fault in OWED if fault in found), MISSING)


def is_unparsable(fault: str | None) -> bool:
    """Whether a reply came whole, and gives no verdict (``--retry-unparsable`` asks it again)."""
    return fault in UNPARSABLE or fault in (CONFLICTING, NO_MAJORITY, REFUSAL)


def _outcome(
    row: ReplyRow, read: Callable[[str], Verdict], offered: Sequence[str] | None
) -> Outcome:
    if row.fault is not None or row.content is None:
        return Outcome(None, row.fault or EMPTY)
    found = read(row.content)
    if found.verdict is None:
        return Outcome(None, _fault(row, found))
    prob = row.verdict_prob or {}
    return Outcome(
        found.verdict,
        None,
        found.confidence,
        found.explanation,
        {verdict: prob[verdict] for verdict in offered or () if verdict in prob} or None,
        from_reasoning=row.from_reasoning,
        model=row.model,
    )


def _fault(row: ReplyRow, found: Verdict) -> str | None:
    """Thoughts without a verdict are no content; what breaks off for no known reason is cut off."""
    if row.from_reasoning:
        return EMPTY
    if found.fault == TRUNCATED and row.finish_reason is None:
        return CUT_OFF
    return found.fault


def _caution(outcome: Outcome) -> tuple[object, ...]:
    """Order equal replies: the least confident first, then by what they hold."""
    confidence = math.inf if outcome.confidence is None else outcome.confidence
    prob = sorted((outcome.verdict_prob or {}).items())
    return (
        confidence, outcome.explanation, not prob, prob, outcome.from_reasoning,
        outcome.model or "",
    )  # fmt: skip


def majority(outcomes: Sequence[Outcome]) -> Outcome:
    """Bring the repeats of one question together.

    Parameters
    ----------
    outcomes : sequence of Outcome
        In the order of repeats; one is returned as it is.

    Returns
    -------
    Outcome
        The verdict that more than half of those have that have one; else fault ``no_majority``.
        Confidence and probabilities are means over the repeats that agree, the explanation is the
        first one's.
    """
    if len(outcomes) == 1:
        return outcomes[0]
    reply_n = sum(outcome.reply_n for outcome in outcomes)
    told = [outcome for outcome in outcomes if outcome.verdict is not None]
    if not told:
        return Outcome(None, first_fault(outcome.fault for outcome in outcomes), reply_n=reply_n)
    verdict, count = Counter(outcome.verdict for outcome in told).most_common(1)[0]
    if 2 * count <= len(told):
        return Outcome(None, NO_MAJORITY, reply_n=reply_n)
    agreed = [outcome for outcome in told if outcome.verdict == verdict]
    return replace(
        agreed[0],
        confidence=_mean([one.confidence for one in agreed if one.confidence is not None]),
        verdict_prob=_mean_prob([one.verdict_prob for one in agreed if one.verdict_prob]),
        reply_n=reply_n,
        from_reasoning=any(one.from_reasoning for one in agreed),
    )


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def _mean_prob(found: Sequence[dict[str, float]]) -> dict[str, float] | None:
    names = sorted({name for prob in found for name in prob})
    means = {name: _mean([prob.get(name, 0.0) for prob in found]) for name in names}
    return {name: mean for name, mean in means.items() if mean is not None} or None


def repeat_agreement(groups: Iterable[Sequence[Outcome]]) -> dict[str, float | int | None]:
    """Return how far repeats of the same question agree.

    Parameters
    ----------
    groups : iterable of sequence of Outcome
        The repeats of each question; those with fewer than two verdicts are left out.

    Returns
    -------
    dict
        ``repeated_n`` questions; ``flip_rate``: share whose verdicts aren't all the same;
        ``repeat_agreement``: mean over questions of the share of pairs that agree. Null without
        any. Beside both ``_n``, and ``_low`` and ``_high``, questions independent of each other.
    """
    flips: list[float] = []
    agreements: list[float] = []
    for group in groups:
        verdicts = [outcome.verdict for outcome in group if outcome.verdict is not None]
        if len(verdicts) < 2:
            continue
        pairs = list(combinations(verdicts, 2))
        agreements.append(sum(one == other for one, other in pairs) / len(pairs))
        flips.append(float(len(set(verdicts)) > 1))
    n = len(flips)
    flip_low, flip_high = wilson_interval(sum(flips), n) or (None, None)
    squares = sum(agreed * agreed for agreed in agreements)
    interval = mean_interval(sum(agreements), squares, n)
    if n and min(agreements) == max(agreements):  # no spread is no certainty
        interval = wilson_interval(sum(agreements), n)
    low, high = interval or (None, None)
    return {
        "repeated_n": n,
        "flip_rate": _mean(flips),
        "flip_rate_n": n,
        "flip_rate_low": flip_low,
        "flip_rate_high": flip_high,
        "repeat_agreement": _mean(agreements),
        "repeat_agreement_n": n,
        "repeat_agreement_low": None if low is None else max(0.0, low),
        "repeat_agreement_high": None if high is None else min(1.0, high),
    }
