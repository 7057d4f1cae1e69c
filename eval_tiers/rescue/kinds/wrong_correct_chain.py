"""The answer is wrong, though the chain is close to the gold chain: which of them is at fault."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from eval_tiers.domain.labels import LABELS
from eval_tiers.rescue.cases import Case, Step
from eval_tiers.rescue.implied import answer_as_cited, implied_answer
from eval_tiers.rescue.kind import CANNOT_TELL, Effect, Finding, Kind, cites_datasets
from eval_tiers.rescue.shown import Shown

ANSWER_BUG: Final = "ANSWER_BUG"
ALTERNATE: Final = "ALTERNATE"
CHAIN_BUG: Final = "CHAIN_BUG"
ALTERNATE_LABEL: Final = "WRONG_CORRECT_CHAIN_ALTERNATE"

_TASK: Final = """\
The model's answer is not the gold answer, though its chain passed the checks that rules can make. \
Decide where the fault lies. Follow the chain step by step to what it implies; do not take the \
gold answer for what it implies."""


def meanings(labels: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return each verdict with what it means; ALTERNATE isn't offered where datasets are cited."""
    if cites_datasets(labels):
        return (
            (ANSWER_BUG, "the citations hold and imply the gold answer; only the answer is wrong"),
            (
                CHAIN_BUG,
                "a citation that the answer rests on is wrong, or they imply no gold answer",
            ),
        )
    return (
        (ANSWER_BUG, "every step holds and the chain implies the gold answer; only the answer that "
                     "the model stated is wrong"),
        (ALTERNATE, "every step holds and the chain implies the model's own answer by another "
                    "mechanism that is as well supported as the gold chain"),
        (CHAIN_BUG, "a step is wrong (its edge, direction or sign), or the chain implies neither"),
    )  # fmt: skip


def effect(verdict: str) -> Effect:
    """Return what a verdict does: the first two count as right in the soft reading."""
    if verdict == ALTERNATE:
        return Effect(soft=True, error_label=ALTERNATE_LABEL)
    return Effect(soft=verdict == ANSWER_BUG)


def rules(shown: Shown) -> Finding:
    """Judge by sign algebra and status alone."""
    implied = implied_answer(shown)
    if implied.answer is None:
        return Finding(CHAIN_BUG, f"The chain implies no answer: {implied.why}.")
    if implied.answer == shown.gold_answer:
        if implied.contradicted:
            return Finding(CHAIN_BUG, f"A step is contradicted: {implied.contradicted}.")
        if implied.outside and answer_as_cited(shown) == shown.predicted_answer:
            return Finding(
                CHAIN_BUG, f"The answer rests on a citation that fails: {implied.outside}."
            )
        return Finding(ANSWER_BUG, f"The chain implies {implied.answer}, the gold answer.")
    if ALTERNATE not in shown.verdicts:
        return Finding(CHAIN_BUG, f"The chain implies {implied.answer}, not the gold answer.")
    if implied.unsupported:
        return Finding(CHAIN_BUG, f"The chain implies {implied.answer} by {implied.unsupported}.")
    return Finding(ALTERNATE, f"Supported steps imply {implied.answer}, not the gold answer.")


def blind_verdict(direction: str, sound: bool, gold: str, verdicts: Sequence[str]) -> str:
    """Derive the verdict of an examiner that saw no gold answer."""
    if not sound or direction == CANNOT_TELL:
        return CHAIN_BUG
    if direction == gold:
        return ANSWER_BUG
    return ALTERNATE if ALTERNATE in verdicts else CHAIN_BUG


_EXAMPLE: Final = Case(
    key=("example", "id_test", "genetic", None),
    benchmark="perturbreason",
    kind="wrong_correct_chain",
    error_label="WRONG_CORRECT_CHAIN",
    question="What does a knockdown of TP53 do to the expression of CDK2?",
    labels=LABELS,
    gold_answer="up",
    predicted_answer="down",
    chain=(Step("TP53", 1, "CDKN1A", "supported"), Step("CDKN1A", -1, "CDK2", "supported")),
    gold_chain=(Step("TP53", 1, "CDKN1A"), Step("CDKN1A", -1, "CDK2")),
    implied_answer="up",
    perturbation="TP53",
    readout="CDK2",
    perturbation_sign=-1,
)

KIND: Final = Kind(
    name="wrong_correct_chain",
    title="where the fault of a wrong answer with a close chain lies",
    error_labels=frozenset({"WRONG_CORRECT_CHAIN"}),
    needs_text=False,
    shows_gold=True,
    task=_TASK,
    meanings=meanings,
    effect=effect,
    rules=rules,
    example=_EXAMPLE,
    example_verdict=ANSWER_BUG,
    blind_verdict=blind_verdict,
)
