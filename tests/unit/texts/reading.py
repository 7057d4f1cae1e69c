"""A model's text as the package and as the slow reading read it, in one form."""

from __future__ import annotations

from dataclasses import dataclass

from eval_tiers.domain.labels import LABELS, PARSE_FAILURE_REASONS
from eval_tiers.io.plain_rows import plain_edges, plain_triplets
from eval_tiers.texts.answers import read_text, read_texts
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
    """Read with the package, one text at a time."""
    found = read_text(text)
    answer = (
        LABELS[found.label] if found.label >= 0 else None,
        PARSE_FAILURE_REASONS[found.reason] if found.reason >= 0 else None,
        LABELS[found.lenient] if found.lenient >= 0 else None,
    )
    return Reading(*answer, *_triplets_of(found.triplet_block))


def read_many_at_once(text: str) -> Reading:
    """Read with the package, as a batch of plain rows is read."""
    many = read_texts([text, "", text])
    columns = (many.label, many.reason, many.lenient, many.triplet_block)
    (label, reason, lenient, block), _, again = zip(*columns, strict=True)
    assert again == (label, reason, lenient, block)
    answer = (
        LABELS[label] if label >= 0 else None,
        PARSE_FAILURE_REASONS[reason] if reason >= 0 else None,
        LABELS[lenient] if lenient >= 0 else None,
    )
    lists = None if block is None else plain_triplets(block)
    plain = None if lists is None else plain_edges([0], [lists])
    if plain is None:  # left to the other way
        return Reading(*answer, *_triplets_of(block))
    parts = zip(plain.source, plain.sign, plain.target, strict=True)
    return Reading(
        *answer, tuple((a.strip().upper(), sign, b.strip().upper()) for a, sign, b in parts)
    )


def _triplets_of(block: str | None) -> tuple[tuple[Edge, ...], int, int]:
    if block is None:
        return (), 0, 0
    found = read_triplets(block)
    edges = tuple((a.strip().upper(), sign, b.strip().upper()) for a, sign, b in found.edges)
    return edges, found.dropped_n, found.template_n


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
