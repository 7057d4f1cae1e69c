"""Makes more controls than are wanted and picks those that look like the hard cases.

Source: specification of tier 4, section 5.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

from eval_tiers.rescue.cases import Case
from eval_tiers.rescue.golds import Control, Shortfall
from eval_tiers.rescue.matching import draw_templates, likeness, pick_matching

CANDIDATES_PER_CONTROL: Final = 3
TRIES_PER_CANDIDATE: Final = 3
YES: Final = "YES"
_WRONG_REASON: Final = frozenset({"CORRECT_RIGHT_FOR_WRONG_REASON"})

Gold = TypeVar("Gold")
Build = Callable[[str, str, int, Gold, Case, int], Control | None]
"""(kind, truth, turn, gold sample, template, length) to a control, None where there is none.

The two ways of being wrong take turns. The template is the hard case whose coverage and stated
answer the control is to have; the length in edges or citations may be more than its own."""

Relabel = Callable[[Sequence[Control]], list[Control]]
"""Gives controls what the tiers say of them and drops those with another error label."""


@dataclass(slots=True)
class ControlDraw:
    """Controls, and what could not be had.

    Attributes
    ----------
    controls : list of Control
        By kind and truth.
    shortfalls : list of Shortfall
    """

    controls: list[Control] = field(default_factory=list)
    shortfalls: list[Shortfall] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Workshop(Generic[Gold]):
    """How the controls of one benchmark are made.

    Attributes
    ----------
    golds : sequence
        What controls can be made from, in an order that doesn't depend on that of the files.
    group_of : callable
        Group of a gold sample, as `Likeness.group` of a case.
    builder : callable
        Makes the function that builds, which draws with the generator it is given.
    truths : mapping of str to tuple of str
        Right verdicts that can be made, by kind.
    shortage : callable
        (truth, samples that it could be made from) to why there are no more.
    """

    golds: Sequence[Gold]
    group_of: Callable[[Gold], str]
    builder: Callable[[random.Random], Build[Gold]]
    truths: Mapping[str, tuple[str, ...]]
    shortage: Callable[[str, int], str]


def draw_from(
    workshop: Workshop[Gold], cases: Sequence[Case], wanted: int, seed: int, relabel: Relabel
) -> ControlDraw:
    """Draw so many controls of each truth for the hard cases of a run.

    Returns
    -------
    ControlDraw
        Nothing for a kind without cases that have a chain, which is no shortfall.
    """
    result = ControlDraw()
    for kind, truths in workshop.truths.items():
        of_kind = [case for case in cases if case.kind == kind]
        for truth in truths:
            draw = random.Random(f"{seed} {kind} {truth}")
            templates = draw_templates(_cases_for(truth, of_kind), wanted, draw)
            if not templates:
                continue
            candidates = relabel(_candidates(workshop, kind, truth, templates, draw))
            picked = pick_matching(templates, candidates, draw)
            result.controls += picked
            if len(picked) < wanted:
                samples = len({control.case.key for control in candidates})
                result.shortfalls.append(
                    Shortfall(kind, truth, wanted, len(picked), workshop.shortage(truth, samples))
                )
    return result


def _cases_for(truth: str, cases: Sequence[Case]) -> list[Case]:
    """Return the cases that a truth can be a control for: those with a chain.

    Evidence that holds is not made up by half, so YES has no control among the cases that count
    as hallucinated.
    """
    return [
        case for case in cases if case.chain and (truth != YES or case.error_label in _WRONG_REASON)
    ]


def _candidates(
    workshop: Workshop[Gold],
    kind: str,
    truth: str,
    templates: Sequence[Case],
    draw: random.Random,
) -> list[Control]:
    """Build more controls than are wanted, each after a template of its sample's group.

    Templates that have enough candidates are left, so that the rare shapes get their share. Those
    whose length can't be had are then tried with one edge more, and with two.
    """
    build = workshop.builder(draw)
    golds = list(workshop.golds)
    draw.shuffle(golds)
    lacking: dict[str, list[tuple[Case, int]]] = {}
    for template in templates:
        group = lacking.setdefault(likeness(template).group, [])
        group += [(template, likeness(template).length)] * CANDIDATES_PER_CONTROL
    others = [one for group in lacking.values() for one in group]
    found: dict[object, Control] = {}
    tries = TRIES_PER_CANDIDATE * len(others) if golds else 0
    for stretch in (0, 1, 2):
        for number in range(tries):
            gold = golds[number % len(golds)]
            like = lacking.get(workshop.group_of(gold), others)
            if not like:
                continue
            place = draw.randrange(len(like))
            template, length = like[place]
            turn = number + number // len(golds)  # a sample's turn changes from round to round
            control = build(kind, truth, turn, gold, template, length + stretch)
            if control is None:
                continue
            case = control.case
            key = (case.key, case.predicted_answer, case.chain)
            if key not in found:
                found[key] = control
                like[place] = like[-1]
                like.pop()
    return list(found.values())
