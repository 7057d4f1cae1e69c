"""No answer could be read: whether the text states one all the same.

The prompt shows question and text alone: a reader who knows the gold answer reads it into a text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from eval_tiers.domain.labels import LABELS
from eval_tiers.rescue.cases import Case, Step
from eval_tiers.rescue.kind import Effect, Finding, Kind
from eval_tiers.rescue.shown import Shown
from eval_tiers.rescue.stated import stated_answers

NONE: Final = "NONE"

_TASK: Final = """\
No answer could be read from the model's text by its form. Decide which answer the text states as \
its final one. Report what it says, not what is true, and do not answer the question yourself."""


def meanings(labels: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return each verdict with what it means."""
    stated = tuple((label, f"the text's final answer is {label}") for label in labels)
    return (*stated, (NONE, "the text states no final answer, or more than one"))


def effect(verdict: str) -> Effect:
    """Return what a verdict does."""
    return Effect(answer=None if verdict == NONE else verdict)


def rules(shown: Shown) -> Finding:
    """Judge by what the text states, word for word."""
    found = stated_answers(shown.text or "", shown.labels)
    if len(found) == 1:
        return Finding(found[0], f"The text states {found[0]} as its answer.")
    said = " and ".join(found)
    return Finding(NONE, f"The text states {said}." if said else "The text states no answer.")


_EXAMPLE: Final = Case(
    key=("example", "id_test", "genetic", None),
    benchmark="perturbreason",
    kind="parse_fail",
    error_label="PARSE_FAIL",
    question="What does a knockdown of TP53 do to the expression of CDK2?",
    labels=LABELS,
    gold_answer="up",
    predicted_answer=None,
    text="CDKN1A falls with TP53, so my final answer is: up.",
    chain=(Step("TP53", 1, "CDKN1A", "supported"), Step("CDKN1A", -1, "CDK2", "supported")),
    gold_chain=(Step("TP53", 1, "CDKN1A"), Step("CDKN1A", -1, "CDK2")),
    implied_answer="up",
    perturbation="TP53",
    readout="CDK2",
    perturbation_sign=-1,
)

KIND: Final = Kind(
    name="parse_fail",
    title="which answer an unreadable reply states",
    error_labels=frozenset({"PARSE_FAIL"}),
    needs_text=True,
    shows_gold=False,
    task=_TASK,
    meanings=meanings,
    effect=effect,
    rules=rules,
    example=_EXAMPLE,
    example_verdict="up",
)
