"""Rubrics of samples that a verdict is expected of, and where each of them ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from eval_tiers.domain.findings import Finding
from eval_tiers.rubrics.results import GivenRow

SCORED: Final = "scored"
MISSING: Final = "missing"
FAILED: Final = "failed"
REJECTED: Final = "rejected"
CONFLICT: Final = "conflict"
AMBIGUOUS: Final = "ambiguous"
STATES: Final = (SCORED, MISSING, FAILED, REJECTED, CONFLICT, AMBIGUOUS)
"""Where each expected pair of sample and rubric ends."""


@dataclass(frozen=True, slots=True)
class Expected:
    """A rubric of a sample that a verdict is expected of.

    Attributes
    ----------
    sample_id : str
    index : int or None
        Place in its task; None where neither data nor rows tell it.
    criterion : str or None
        None where rows give one place several titles.
    weight : float or None
    axis, domain : str or None
        None where unknown, "" where there is none.
    """

    sample_id: str
    index: int | None
    criterion: str | None
    weight: float | None = None
    axis: str | None = None
    domain: str | None = None


@dataclass(frozen=True, slots=True)
class Pair:
    """A rubric of a sample, and the verdict on it.

    Attributes
    ----------
    expected : Expected
        Its weight and axis are the rows' where the data's aren't known.
    state : str
        One of `STATES`.
    verdict : str or None
        None unless scored.
    score : float or None
    reason : str
        Why there is no score; "" where there is one.
    rows : tuple of GivenRow
        All rows of the pair.
    """

    expected: Expected
    state: str
    verdict: str | None
    score: float | None
    reason: str
    rows: tuple[GivenRow, ...]


@dataclass(slots=True)
class Coverage:
    """Expected pairs against rows.

    Attributes
    ----------
    is_known : bool
        Whether the data said what is expected; else it is what the rows hold.
    pairs : dict of list of Pair
        By sample, in the order of the data, else of ids.
    extra, duplicates, rejected, notes : list of Finding
        Rows that belong to no rubric; pairs with several rows; rows that are rejected; what else
        the report has to say.
    """

    is_known: bool
    pairs: dict[str, list[Pair]] = field(default_factory=dict)
    extra: list[Finding] = field(default_factory=list)
    duplicates: list[Finding] = field(default_factory=list)
    rejected: list[Finding] = field(default_factory=list)
    notes: list[Finding] = field(default_factory=list)

    def every_pair(self) -> list[Pair]:
        """Return all pairs."""
        return [pair for found in self.pairs.values() for pair in found]


def count_states(pairs: Sequence[Pair]) -> dict[str, int]:
    """Return how many pairs end in each state; they add up to all."""
    counts = Counter(pair.state for pair in pairs)
    return {state: counts[state] for state in STATES}


def name_of(expected: Expected) -> str:
    """Return what a rubric is called in a message: its place, else its text."""
    if expected.index is not None:
        return f"rubric {expected.index}"
    return f"rubric {(expected.criterion or '')[:60]!r}"


def row_place(given: GivenRow) -> tuple[str, int]:
    """Return file and line of a row, to sort by."""
    return given.where.path or "", given.where.line or 0


def words_of(text: str) -> str:
    """Return a text with single blanks between its words."""
    return " ".join(text.split())
