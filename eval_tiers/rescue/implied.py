"""The answer that a prompt's chain implies, and which of its steps stand in the way.

The rules are those of docs/rescue_symbolic.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from eval_tiers.domain import labels, rr10
from eval_tiers.rescue.cases import Step
from eval_tiers.rescue.kind import cites_datasets
from eval_tiers.rescue.shown import Shown
from eval_tiers.rescue.sign_algebra import implied_by
from eval_tiers.rescue.steps import NOT_LOOKED_UP, format_name

SUPPORTED: Final = frozenset({"supported", "SUPPORTED"})
CONTRADICTED: Final = frozenset({"sign_contradicted", "SIGN_MISREAD"})
BORNE_OUT: Final = SUPPORTED | {"unsigned_in_kg"}


@dataclass(frozen=True, slots=True)
class ImpliedAnswer:
    """What a chain implies.

    Attributes
    ----------
    answer : str or None
        A label.
    why : str
        Why there is none; blank where there is one.
    contradicted : str
        A step, on the path or not, that graph or provenance contradicts; blank without one.
    outside : str
        A step, on the path or not, that graph or provenance doesn't have; blank without one.
    unsupported : str
        A step on the path that isn't supported outright; blank without one.
    """

    answer: str | None
    why: str
    contradicted: str
    outside: str
    unsupported: str


def implied_answer(shown: Shown) -> ImpliedAnswer:
    """Return what the chain that a prompt shows implies."""
    if not shown.whole:
        return ImpliedAnswer(None, "steps were left out for length", "", "", "")
    if cites_datasets(shown.labels):
        answer, why, on_path = _by_citations(shown.chain)
    else:
        answer, why, on_path = _by_signs(shown)
    return ImpliedAnswer(
        answer,
        why,
        _first(step for step in shown.chain if step.status in CONTRADICTED),
        _first(step for step in shown.chain if step.status not in BORNE_OUT | CONTRADICTED),
        _first(step for step in on_path if step.status not in SUPPORTED),
    )


def answer_as_cited(shown: Shown) -> str | None:
    """Return the answer that the citations would imply if all of them held.

    None where datasets aren't cited, or no citation has a sign.
    """
    if not cites_datasets(shown.labels):
        return None
    return _answer_of_citations({step.sign for step in shown.chain if step.sign != 0})


def _by_signs(shown: Shown) -> tuple[str | None, str, tuple[Step, ...]]:
    if not shown.chain:
        return None, "there is none", ()
    path = implied_by(shown.chain, shown.perturbation, shown.readout)
    if not path.connected:
        return None, "it does not lead from what is perturbed to the readout", ()
    if path.sign == 0:
        return None, "signs are missing, or paths disagree", path.on_path
    if shown.perturbation_sign == 0:
        return None, "the effect on what is perturbed is not known", path.on_path
    raised = path.sign * shown.perturbation_sign > 0
    return labels.LABELS[labels.UP if raised else labels.DOWN], "", path.on_path


def _by_citations(chain: tuple[Step, ...]) -> tuple[str | None, str, tuple[Step, ...]]:
    """Supported citations of one sign only imply it; of both, that nothing can be determined."""
    signs = {step.sign for step in chain if step.status in SUPPORTED and step.sign != 0}
    answer = _answer_of_citations(signs)
    return answer, "" if answer else "no citation is supported", chain


def _answer_of_citations(signs: set[int]) -> str | None:
    if len(signs) == 2:
        return rr10.LABELS[rr10.INDETERMINATE]
    return rr10.LABELS[rr10.UP if 1 in signs else rr10.DOWN] if signs else None


def _first(steps: Iterable[Step]) -> str:
    for step in steps:
        ends = f"{format_name(step.source)} to {format_name(step.target)}"
        return f"{ends} ({step.status or NOT_LOOKED_UP})"
    return ""
