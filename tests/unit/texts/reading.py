"""A model's text as the package and as the slow reading read it, in one form."""

from __future__ import annotations

from dataclasses import dataclass

from eval_tiers.domain.labels import LABELS, PARSE_FAILURE_REASONS
from eval_tiers.texts.answers import read_text
from eval_tiers.texts.triplets import read_triplets
from tests.oracle import texts as oracle

Edge = tuple[str, int, str]


@dataclass(frozen=True)
class Reading:
    """Labels as words, edges as matched (upper-cased)."""

    strict: str | None
    reason: str | None
    lenient: str | None
    edges: tuple[Edge, ...] = ()
    dropped_n: int = 0
    template_n: int = 0


def read(text: str | None) -> Reading:
    """Read with the package."""
    found = read_text(text)
    answer = (
        LABELS[found.label] if found.label >= 0 else None,
        PARSE_FAILURE_REASONS[found.reason] if found.reason >= 0 else None,
        LABELS[found.lenient] if found.lenient >= 0 else None,
    )
    if found.triplet_block is None:
        return Reading(*answer)
    triplets = read_triplets(found.triplet_block)
    edges = tuple((a.strip().upper(), sign, b.strip().upper()) for a, sign, b in triplets.edges)
    return Reading(*answer, edges, triplets.dropped_n, triplets.template_n)


def read_slowly(text: str | None) -> Reading:
    """Read with the oracle."""
    answer = oracle.read_answer(text)
    triplets = oracle.read_triplets(text)
    return Reading(
        answer.label,
        answer.reason,
        answer.lenient,
        tuple(triplets.edges),
        triplets.dropped,
        triplets.templates,
    )


def read_block(block: str) -> Reading:
    """Read a triplet block's content with the package."""
    return read(f"<answer>up</answer><triplet>{block}</triplet>")
