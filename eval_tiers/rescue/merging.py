"""What became of each request: its replies settled by the kind of question that it asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from eval_tiers.rescue.registry import kind_named
from eval_tiers.rescue.reply_rows import ReplyRow
from eval_tiers.rescue.settling import (
    CONFLICTING,
    NO_MAJORITY,
    Duplicates,
    Outcome,
    first_fault,
    is_unparsable,
    majority,
    repeat_agreement,
    settle_rows,
)
from eval_tiers.rescue.verdicts import read_verdict

__all__ = [
    "CONFLICTING",
    "NO_MAJORITY",
    "Asked",
    "Duplicates",
    "Outcome",
    "first_fault",
    "is_unparsable",
    "majority",
    "repeat_agreement",
    "settle",
    "settle_one",
]


@dataclass(frozen=True, slots=True)
class Asked:
    """What has to be known of a request to read its replies.

    Attributes
    ----------
    kind, benchmark : str
    labels : tuple of str
        The benchmark's label words.
    gold_answer : str or None
        Of the sample, or of a control; a blind reply is read with it.
    blind : bool
    """

    kind: str
    benchmark: str
    labels: tuple[str, ...]
    gold_answer: str | None = None
    blind: bool = False


def settle(
    rows: Mapping[str, Sequence[ReplyRow]],
    asked: Mapping[str, Asked],
    duplicates: Duplicates = "unparsable",
) -> dict[str, Outcome]:
    """Return what became of each request.

    Parameters
    ----------
    rows : mapping
        custom_id to its rows, in the order of the files as named, then of lines. Ids that nobody
        asked about are passed over.
    asked : mapping
        custom_id to what was asked; every one of them is in the result.
    duplicates : {"unparsable", "last"}
        Verdicts that differ: none of them counts (fault ``conflicting_replies``), or the last does.
        Rows without a verdict never outdo one that has it.
    """
    return {
        custom_id: settle_one(rows.get(custom_id, ()), question, duplicates)
        for custom_id, question in asked.items()
    }


def settle_one(rows: Sequence[ReplyRow], asked: Asked, duplicates: Duplicates) -> Outcome:
    """Return what became of one request."""
    read = partial(
        read_verdict, kind=asked.kind, benchmark=asked.benchmark, labels=asked.labels,
        blind=asked.blind, gold_answer=asked.gold_answer,
    )  # fmt: skip
    return settle_rows(rows, read, _offered(asked), duplicates)


def _offered(asked: Asked) -> tuple[str, ...] | None:
    """Return the verdicts that the question offered; None of a blind one, whose are derived."""
    kind = kind_named(asked.kind)
    if asked.blind and kind.blind_verdict is not None:
        return None
    return kind.verdicts(asked.benchmark, asked.labels)
