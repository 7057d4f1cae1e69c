"""The answer is right, the chain is not the gold chain: whether it holds all the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from eval_tiers.domain.labels import LABELS
from eval_tiers.rescue.cases import Case, Step
from eval_tiers.rescue.implied import implied_answer
from eval_tiers.rescue.kind import CANNOT_TELL, Effect, Finding, Kind, cites_datasets
from eval_tiers.rescue.shown import Shown

YES: Final = "YES"
NO: Final = "NO"
PLAUSIBLE_LABEL: Final = "CORRECT_REASONING_PLAUSIBLE"

_TASK: Final = """\
The model's answer is right, but its chain failed the checks that rules can make. Decide whether \
the chain is a sound reason for the answer all the same. A right answer is no argument for it."""


def meanings(labels: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return each verdict with what it means."""
    if cites_datasets(labels):
        return (
            (YES, "every citation holds and together they imply the answer"),
            (NO, "a citation does not hold, there is none, or they do not imply the answer"),
        )
    return (
        (YES, "the chain leads from what is perturbed to the readout, every step holds, and the "
              "signs imply the answer"),
        (NO, "the chain does not lead there, a step is wrong or made up, or the signs do not imply "
             "the answer"),
    )  # fmt: skip


def effect(verdict: str) -> Effect:
    """Return what a verdict does."""
    return Effect(error_label=PLAUSIBLE_LABEL if verdict == YES else None)


def rules(shown: Shown) -> Finding:
    """Judge by sign algebra and status alone."""
    implied = implied_answer(shown)
    if implied.answer is None:
        return Finding(NO, f"The chain implies no answer: {implied.why}.")
    if implied.answer != shown.gold_answer:
        return Finding(NO, f"The chain implies {implied.answer}, not the answer.")
    if implied.contradicted:
        return Finding(NO, f"A step is contradicted: {implied.contradicted}.")
    if implied.outside:
        return Finding(NO, f"A step is not borne out: {implied.outside}.")
    return Finding(YES, f"Steps that are borne out imply {implied.answer}.")


def blind_verdict(direction: str, sound: bool, gold: str, verdicts: Sequence[str]) -> str:
    """Derive the verdict of an examiner that saw no gold answer."""
    return YES if sound and direction != CANNOT_TELL and direction == gold else NO


_EXAMPLE: Final = Case(
    key=("example", "id_test", "genetic", None),
    benchmark="perturbreason",
    kind="correct_wrong_reason",
    error_label="CORRECT_RIGHT_FOR_WRONG_REASON",
    question="What does a knockdown of TP53 do to the expression of CDK2?",
    labels=LABELS,
    gold_answer="up",
    predicted_answer="up",
    chain=(Step("TP53", 1, "MDM2", "supported"), Step("MDM2", -1, "CDK2", "supported")),
    gold_chain=(Step("TP53", 1, "CDKN1A"), Step("CDKN1A", -1, "CDK2")),
    implied_answer="up",
    perturbation="TP53",
    readout="CDK2",
    perturbation_sign=-1,
)

KIND: Final = Kind(
    name="correct_wrong_reason",
    title="whether another chain than the gold chain is a sound reason",
    error_labels=frozenset({"CORRECT_RIGHT_FOR_WRONG_REASON", "CORRECT_HALLUCINATED_EDGE"}),
    needs_text=False,
    shows_gold=True,
    task=_TASK,
    meanings=meanings,
    effect=effect,
    rules=rules,
    example=_EXAMPLE,
    example_verdict=YES,
    blind_verdict=blind_verdict,
)
