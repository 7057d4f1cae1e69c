"""What a kind of question has to say about itself, and what its verdicts do.

Source: specification of tier 4, section 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from eval_tiers.domain import rr10
from eval_tiers.rescue.cases import Case
from eval_tiers.rescue.shown import Shown

CANNOT_TELL: Final = "cannot_tell"
BLIND_TASK: Final = "chain_direction"
"""What a blind question about a chain calls itself, whatever its kind: a kind tells the answer."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What a verdict does to a sample.

    Attributes
    ----------
    soft : bool
        The sample counts as right in the soft reading, unless its chain bars it.
    error_label : str or None
        The error label from now on; None where it stays.
    answer : str or None
        Label that the text states after all.
    """

    soft: bool = False
    error_label: str | None = None
    answer: str | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """A verdict that rules give, and why."""

    verdict: str
    explanation: str


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of question.

    Attributes
    ----------
    name : str
    title : str
        What is asked, in a few words.
    error_labels : frozenset of str
        Error labels of the cases that it is asked about.
    needs_text : bool
        Whether a case without the model's text is left out.
    shows_gold : bool
        Whether the prompt shows gold answer, gold chain, the model's chain and the evidence.
    task : str
        What the examiner has to decide, in the prompt.
    meanings : callable
        The benchmark's labels to (verdict, what it means), in order.
    effect : callable
        A verdict to what it does.
    rules : callable
        The verdict of rules alone on what the prompt shows (docs/rescue_symbolic.md).
    example : Case
        A case that is sent for this question.
    example_verdict : str
        What rules alone say of it.
    blind_verdict : callable or None
        (implied direction, every step is sound, gold answer, verdicts) to the verdict; None where
        there is no blind form of the question.
    """

    name: str
    title: str
    error_labels: frozenset[str]
    needs_text: bool
    shows_gold: bool
    task: str
    meanings: Callable[[Sequence[str]], tuple[tuple[str, str], ...]]
    effect: Callable[[str], Effect]
    rules: Callable[[Shown], Finding]
    example: Case
    example_verdict: str
    blind_verdict: Callable[[str, bool, str, Sequence[str]], str] | None = None

    def verdicts(self, benchmark: str, labels: Sequence[str]) -> tuple[str, ...]:
        """Return the kind's vocabulary.

        Parameters
        ----------
        benchmark : str
            Name of the format; what is offered follows from its labels.
        labels : sequence of str
            The benchmark's label words.
        """
        return tuple(verdict for verdict, _ in self.meanings(labels))


def cites_datasets(labels: Sequence[str]) -> bool:
    """Whether these are the labels of a benchmark whose chains are citations of datasets."""
    return set(labels) == set(rr10.LABELS)
