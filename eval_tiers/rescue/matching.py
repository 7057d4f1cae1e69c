"""Draws controls that look like the hard cases: chain length, chain coverage, perturbation type.

Source: specification of tier 4, section 5.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from eval_tiers.rescue.cases import Case
from eval_tiers.rescue.golds import Control

LONGEST: Final = 8
_OTHER_LABEL: Final = 1e6
_NO_DIRECTION: Final = frozenset({"unchanged", "indeterminate"})
_OTHER_GROUP: Final = 100.0
_ONE_EDGE: Final = 1.0
_WHOLE_COVERAGE: Final = 2.0
_USED_BEFORE: Final = 0.75
_COVERAGE_BINS: Final = ("0", "under .5", ".5 and over", "1")


@dataclass(frozen=True, slots=True)
class Likeness:
    """What a control is matched on.

    Attributes
    ----------
    error_label : str
    group : str
        Perturbation type; where the benchmark has none, whether the gold answer is a direction.
    length : int
        Distinct pairs of the chain, no more than `LONGEST`.
    coverage : float
        Share of the distinct gold pairs that the chain has; 1 for an empty gold chain.
    """

    error_label: str
    group: str
    length: int
    coverage: float


def likeness(case: Case) -> Likeness:
    """Return what a case is matched on.

    Examples
    --------
    >>> from eval_tiers.rescue.cases import Case, Step
    >>> a, b = Step("P", 1, "A"), Step("A", -1, "B")
    >>> case = Case(("1", "t", "genetic", None), "perturbreason", "wrong_correct_chain",
    ...             "WRONG_CORRECT_CHAIN", "?", ("up", "down"), "up", "down",
    ...             chain=(a, a), gold_chain=(a, b))
    >>> likeness(case).length, likeness(case).coverage
    (1, 0.5)
    """
    pairs = {(step.source, step.target) for step in case.chain}
    gold = {(step.source, step.target) for step in case.gold_chain}
    coverage = len(pairs & gold) / len(gold) if gold else 1.0
    group = case.key[2] or ("no direction" if case.gold_answer in _NO_DIRECTION else "direction")
    return Likeness(case.error_label, group, min(len(pairs), LONGEST), coverage)


def draw_templates(cases: Sequence[Case], wanted: int, draw: random.Random) -> list[Case]:
    """Draw cases in proportion to how often each likeness occurs, evenly over all of them.

    Returns
    -------
    list of Case
        As many as wanted, in random order; a case comes again where there are fewer. Empty for
        no cases.
    """
    if not cases or wanted <= 0:
        return []
    ordered = sorted(
        cases,
        key=lambda case: (*_sorting(case), str(case.key)),
    )
    step = len(ordered) / wanted
    start = draw.random() * step
    drawn = [ordered[min(int(start + number * step), len(ordered) - 1)] for number in range(wanted)]
    draw.shuffle(drawn)
    return drawn


def _sorting(case: Case) -> tuple[str, str, int, float]:
    found = likeness(case)
    return found.error_label, found.group, found.length, found.coverage


def pick_matching(
    templates: Sequence[Case], candidates: Sequence[Control], draw: random.Random
) -> list[Control]:
    """Pick for each template the candidate that is most like it.

    Error labels must agree; then the group counts more than length and coverage. A
    candidate is picked once; one made from a sample that has been used is less like any template.

    Parameters
    ----------
    templates : sequence of Case
        From `draw_templates`.
    candidates : sequence of Control
        Of one truth, with the error labels that the tiers gave them.
    draw : random.Random
        Settles ties.

    Returns
    -------
    list of Control
        No more than there are templates, or candidates.
    """
    pool = list(candidates)
    draw.shuffle(pool)
    traits = [likeness(control.case) for control in pool]
    lengths = np.array([trait.length for trait in traits], np.float64)
    coverages = np.array([trait.coverage for trait in traits], np.float64)
    labels = np.array([trait.error_label for trait in traits], np.object_)
    groups = np.array([trait.group for trait in traits], np.object_)
    samples: dict[object, list[int]] = {}
    for place, control in enumerate(pool):
        samples.setdefault(control.case.key, []).append(place)
    burden = np.zeros(len(pool))
    picked: list[Control] = []
    for template in templates:
        if not pool:
            break
        wanted = likeness(template)
        distance = burden + _ONE_EDGE * abs(lengths - wanted.length)
        distance += _WHOLE_COVERAGE * abs(coverages - wanted.coverage)
        distance[groups != wanted.group] += _OTHER_GROUP
        distance[labels != wanted.error_label] += _OTHER_LABEL
        best = int(np.argmin(distance))
        if distance[best] >= _OTHER_LABEL:
            continue
        picked.append(pool[best])
        burden[samples[pool[best].case.key]] += _USED_BEFORE
        burden[best] = np.inf
    return picked


def shares_of(cases: Sequence[Case]) -> dict[str, dict[str, float]]:
    """Return the shares of cases by length, coverage and group.

    Returns
    -------
    dict
        Trait (``length``, ``coverage``, ``group``) to share by value; empty for no cases.
    """
    counts: dict[str, Counter[str]] = {
        "length": Counter(),
        "coverage": Counter(),
        "group": Counter(),
    }
    for case in cases:
        trait = likeness(case)
        counts["length"][str(trait.length)] += 1
        counts["coverage"][_coverage_bin(trait.coverage)] += 1
        counts["group"][trait.group] += 1
    return {
        name: {value: count / len(cases) for value, count in sorted(found.items())}
        for name, found in counts.items()
    }


def distance_of_shares(one: dict[str, float], other: dict[str, float]) -> float:
    """Return the total variation distance of two distributions, from 0 (equal) to 1.

    Examples
    --------
    >>> distance_of_shares({"1": 0.5, "2": 0.5}, {"2": 1.0})
    0.5
    """
    return sum(abs(one.get(name, 0.0) - other.get(name, 0.0)) for name in {*one, *other}) / 2


def _coverage_bin(coverage: float) -> str:
    if coverage >= 1:
        return _COVERAGE_BINS[3]
    if coverage <= 0:
        return _COVERAGE_BINS[0]
    return _COVERAGE_BINS[1 if coverage < 0.5 else 2]
