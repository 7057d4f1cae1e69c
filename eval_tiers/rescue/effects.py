"""What an examiner's verdict makes of a sample. Raw facts stay as they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from eval_tiers.rescue.kind import Effect
from eval_tiers.rescue.kinds.wrong_correct_chain import KIND as WRONG_CORRECT_CHAIN
from eval_tiers.rescue.merging import Outcome
from eval_tiers.rescue.registry import kind_named


@dataclass(frozen=True, slots=True)
class Facts:
    """What the tiers say of a sample that was sent to an examiner.

    Attributes
    ----------
    kind : str
        Of the question.
    error_label : str
    gold_answer : str
    answer_correct : bool
    sign_match : float or None
        Null where no pair is shared with the gold chain, or the benchmark has none.
    contradicted_n : int
        Steps whose sign graph or provenance contradicts.
    implied_answer : str or None
    """

    kind: str
    error_label: str
    gold_answer: str
    answer_correct: bool
    sign_match: float | None = None
    contradicted_n: int = 0
    implied_answer: str | None = None

    @property
    def barred(self) -> bool:
        """Whether the chain earns no soft credit, whatever an examiner says of it."""
        return (self.sign_match is not None and self.sign_match < 1) or self.contradicted_n > 0


@dataclass(frozen=True, slots=True)
class Merged:
    """A sample after its verdict.

    Attributes
    ----------
    facts : Facts
    outcome : Outcome
    soft, soft_ref : bool
        Soft correct; and as the reference counts it, without the bar.
    rescued_answer : str or None
        Label that an unreadable text states after all.
    error_label_after : str
        Unchanged where no verdict changes it. That of a rescued answer is for the tiers to give.
    """

    facts: Facts
    outcome: Outcome
    soft: bool
    soft_ref: bool
    rescued_answer: str | None
    error_label_after: str

    @property
    def recovered(self) -> bool:
        """Whether the rescued answer is right."""
        return not self.facts.answer_correct and self.rescued_answer == self.facts.gold_answer

    @property
    def soft_symbolic(self) -> bool:
        """Whether sign algebra alone calls it soft correct: the chain implies the gold answer."""
        return (
            self.facts.kind == WRONG_CORRECT_CHAIN.name
            and not self.facts.answer_correct
            and not self.facts.barred
            and self.facts.implied_answer == self.facts.gold_answer
        )


def merge_one(facts: Facts, outcome: Outcome) -> Merged:
    """Return a sample after what became of its request.

    Without a verdict nothing changes. A right answer earns no soft credit: it has its own.
    """
    effect = Effect()
    if outcome.verdict is not None:
        effect = kind_named(facts.kind).effect(outcome.verdict)
    soft_ref = effect.soft and not facts.answer_correct
    return Merged(
        facts,
        outcome,
        soft=soft_ref and not facts.barred,
        soft_ref=soft_ref,
        rescued_answer=effect.answer,
        error_label_after=effect.error_label or facts.error_label,
    )


def soft_credit(merged: Mapping[object, Merged]) -> dict[str, int]:
    """Return the counts of soft credit: given, as the reference counts, and barred."""
    found = merged.values()
    soft, soft_ref = sum(one.soft for one in found), sum(one.soft_ref for one in found)
    return {
        "soft_correct_count": soft,
        "soft_correct_count_ref": soft_ref,
        "soft_barred_n": soft_ref - soft,
    }
