"""Rows that a comparison of rubrics lists: flips, and what is left out of its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from eval_tiers.rubrics.scored_rows import ScoredRow

_MOST_CHARS: Final = 4_000

Spreads = Mapping[str, Mapping[str, str | None]]


def listed_row(row: ScoredRow) -> dict[str, Any]:
    """Return which rubric a row is of."""
    return {
        "sample_id": row.sample_id,
        "rubric_index": row.rubric_index,
        "criterion": row.criterion or None,
        "weight": row.weight,
    }


def differing_row(first: ScoredRow, second: ScoredRow) -> dict[str, Any]:
    """Return a rubric that is left out, with what either side says of it."""
    return {
        **listed_row(first),
        "first_state": first.state,
        "first_reason": first.reason or None,
        "second_state": second.state,
        "second_reason": second.reason or None,
        "second_criterion": second.criterion or None,
    }


def flip_row(
    first: ScoredRow | None, second: ScoredRow | None, spreads: Spreads, what: str = ""
) -> dict[str, Any]:
    """Return a rubric with both verdicts, their reasoning, and which way it went.

    ``what`` is ``better`` or ``worse`` where the second gains or loses by it: a penalty that is
    satisfied is a loss; ``no_weight`` of a weight that is 0 or unknown.
    """
    row = first or second
    if row is None:
        return {}
    if not what and first is not None and second is not None:
        gain = (row.weight or 0.0) * ((second.score or 0.0) - (first.score or 0.0))
        what = "better" if gain > 0 else "worse" if gain < 0 else "no_weight"
    found: dict[str, Any] = {"what": what, **listed_row(row), "axis": row.axis or None}
    found |= {name: values.get(row.sample_id) for name, values in spreads.items()}
    for side, one in (("first", first), ("second", second)):
        found |= {
            f"{side}_verdict": None if one is None else one.outcome,
            f"{side}_score": None if one is None else one.score,
            f"{side}_confidence": None if one is None else one.confidence,
            f"{side}_reasoning": None if one is None else shortened(one.reasoning) or None,
        }
    return found


def shortened(text: str) -> str:
    """Return a text, cut where it is long.

    Examples
    --------
    >>> shortened("short"), len(shortened("x" * 9_000))
    ('short', 4006)
    """
    return text if len(text) <= _MOST_CHARS else f"{text[:_MOST_CHARS]} [...]"
