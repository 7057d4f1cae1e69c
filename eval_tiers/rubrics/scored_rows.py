"""Rubrics of samples with their verdicts, as rows of a table that is written and read again."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from eval_tiers.rubrics.failures import failure_of
from eval_tiers.rubrics.pairs import SCORED, STATES, Pair
from eval_tiers.rubrics.results import NOT_SATISFIED, PARTIALLY, SCORES, GivenRow

NEEDED: Final = frozenset({"sample_id", "rubric_index", "rubric_title", "axis", "weight", "score"})
"""Columns that a table of pairs always has."""

_HIGHEST_INDEX: Final = 1 << 53

UNSCORED: Final = "unscored"
"""Stands for the verdict of a rubric without one."""


@dataclass(frozen=True, slots=True)
class ScoredRow:
    """A rubric of a sample, and the verdict on it.

    Attributes
    ----------
    sample_id : str
    rubric_index : int or None
        None where neither data nor rows tell it.
    criterion : str
        "" where it is unknown.
    axis : str
        "" for none, or where it is unknown.
    weight, score : float or None
        None: unknown, unscored.
    state : str
        One of `eval_tiers.rubrics.pairs.STATES`.
    verdict : str or None
        None unless scored.
    reason : str
        Why it is unscored.
    confidence : float or None
    reasoning : str
        The examiner's words; "" where there are none.
    model, prompt_version : str or None
    """

    sample_id: str
    rubric_index: int | None
    criterion: str
    axis: str
    weight: float | None
    score: float | None
    state: str
    verdict: str | None
    reason: str
    confidence: float | None
    reasoning: str
    model: str | None
    prompt_version: str | None

    @property
    def outcome(self) -> str:
        """The verdict that counts, or `UNSCORED`; binarized, a partial one is none."""
        if self.score is None or self.verdict is None:
            return UNSCORED
        if self.verdict == PARTIALLY and self.score == 0:
            return NOT_SATISFIED
        return self.verdict

    @property
    def failure(self) -> float | None:
        """How far it is a failure, 0 to 1; None where it is unscored or has no weight."""
        if self.score is None or self.weight is None:
            return None
        return failure_of(self.weight, self.score)


def pair_record(pair: Pair) -> dict[str, Any]:
    """Return a pair as a row of the table of pairs."""
    expected = pair.expected
    judged = _judging_row(pair)
    return {
        "sample_id": expected.sample_id,
        "rubric_index": expected.index,
        "rubric_title": expected.criterion,
        "axis": expected.axis,
        "weight": expected.weight,
        "state": pair.state,
        "verdict": pair.verdict,
        "score": pair.score,
        "reason": pair.reason or None,
        "confidence": None if judged is None else judged.row.confidence,
        "reasoning": None if judged is None else judged.row.reasoning or None,
        "model": None if judged is None else judged.row.model,
        "prompt_version": None if judged is None else judged.row.prompt_version,
    }


def _judging_row(pair: Pair) -> GivenRow | None:
    """Return the row that the verdict is of; of an unscored pair the first."""
    said = [
        given
        for given in pair.rows
        if given.fault is None and given.row.success and given.row.verdict == pair.verdict
    ]
    return next(iter(said or pair.rows), None)


def parse_pair(record: Mapping[str, Any]) -> ScoredRow:
    """Return a row of a table of pairs: as `pair_record` gives it, or of texts.

    Raises
    ------
    ValueError, TypeError
        A cell isn't what it should be.

    Examples
    --------
    >>> row = parse_pair({"sample_id": "r1", "rubric_index": "0", "rubric_title": "Names OSD-47",
    ...     "axis": "Evidence", "weight": "-4.0", "score": "1.0", "state": "scored",
    ...     "verdict": "Satisfied"})
    >>> row.outcome, row.failure
    ('Satisfied', 1.0)
    """
    score = _number(record["score"])
    state = record.get("state") or (SCORED if score is not None else UNSCORED)
    if score is not None and not 0 <= score <= 1:
        raise ValueError(f"a score is {score:g}")
    if record.get("state") and state not in STATES:
        raise ValueError(f"the state {str(state)[:40]!r} is unknown")
    verdict = record.get("verdict") or None
    _validate_verdict(verdict, score)
    return ScoredRow(
        sample_id=str(record["sample_id"]),
        rubric_index=_index(record["rubric_index"]),
        criterion=record["rubric_title"] or "",
        axis=record["axis"] or "",
        weight=_number(record["weight"]),
        score=score,
        state=str(state),
        verdict=verdict,
        reason=record.get("reason") or "",
        confidence=_number(record.get("confidence")),
        reasoning=record.get("reasoning") or "",
        model=record.get("model") or None,
        prompt_version=record.get("prompt_version") or None,
    )


def _validate_verdict(verdict: str | None, score: float | None) -> None:
    """Raise unless a verdict is known, and the score is its own; binarized, a partial one is 0."""
    if verdict is None:
        return
    if verdict not in SCORES:
        raise ValueError(f"the verdict {verdict[:40]!r} is unknown")
    if score is not None and score != SCORES[verdict] and (verdict, score) != (PARTIALLY, 0):
        raise ValueError(f"{score:g} is not the score of {verdict!r}")


def _index(value: Any) -> int | None:
    """Return a place; None without one, and for one that no task has."""
    if value in (None, ""):
        return None
    index = int(value)
    return index if 0 <= index <= _HIGHEST_INDEX else None


def _number(value: Any) -> float | None:
    if value in (None, ""):
        return None
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{value!r} is not finite")
    return number
