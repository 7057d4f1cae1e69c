"""Compliance: the weighted share of a report's rubrics that it satisfies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from eval_tiers.rubrics.coverage import MISSING, SCORED, Pair

STRICT: Final = "strict"
EXCLUDE: Final = "exclude"
ZERO: Final = "zero"
POLICIES: Final = (STRICT, EXCLUDE, ZERO)
"""What becomes of a sample with rubrics that have no score: null; they leave numerator and
denominator; they count as not satisfied."""

NO_ROW: Final = "missing: it has no row (no report, or it was not judged)"


@dataclass(frozen=True, slots=True)
class Compliance:
    """A sample's score; a reason where there is none."""

    value: float | None
    reason: str = ""

    @property
    def clipped(self) -> float | None:
        """The score, 0 where it is negative."""
        return None if self.value is None else max(0.0, self.value)


def compliance(weights: Sequence[float], scores: Sequence[float]) -> float | None:
    """Return the sum of weight times score over the sum of the positive weights.

    Parameters
    ----------
    weights : sequence of float
        Negative: a penalty.
    scores : sequence of float
        From 0 to 1, one a weight.

    Returns
    -------
    float or None
        1 at most; negative where penalties outweigh what is satisfied. None without a positive
        weight.

    Examples
    --------
    >>> compliance([5, 4, -4], [1, 1, 0])
    1.0
    >>> round(compliance([5, 4, -4], [1, 1, 1]), 4), round(compliance([5, 4, -4], [0, 0, 1]), 4)
    (0.5556, -0.4444)
    >>> compliance([1, -4], [0, 1])
    -4.0
    >>> compliance([5, 5, -4], [0.5, 1, 0.5]), compliance([5, 5, -4], [0, 1, 0])
    (0.55, 0.5)
    >>> compliance([-4], [0]) is None
    True
    """
    whole = math.fsum(weight for weight in weights if weight > 0)
    if whole <= 0:
        return None
    part = math.fsum(weight * score for weight, score in zip(weights, scores, strict=True))
    return part / whole + 0.0  # no -0.0


def sample_compliance(pairs: Sequence[Pair], policy: str) -> Compliance:
    """Return the score of a sample's pairs.

    Parameters
    ----------
    pairs : sequence of Pair
        Of one sample.
    policy : str
        One of `POLICIES`. A sample without any row has no score under any of them: that a report
        is missing is no failure of the rubrics.
    """
    if all(pair.state == MISSING for pair in pairs):
        return Compliance(None, NO_ROW)
    unscored = [pair for pair in pairs if pair.state != SCORED]
    used = [pair for pair in pairs if pair.state == SCORED or policy == ZERO]
    unknown_n = sum(pair.expected.weight is None for pair in used)
    if unscored and policy == STRICT:
        return Compliance(None, f"{len(unscored)} of {len(pairs)} rubrics without a score")
    if not used:
        return Compliance(None, "no rubric has a score")
    if unknown_n:
        return Compliance(None, f"{unknown_n} rubrics of unknown weight")
    weights = [pair.expected.weight or 0.0 for pair in used]
    value = compliance(weights, [pair.score or 0.0 for pair in used])
    if value is None:
        what = "scored rubric" if unscored and policy == EXCLUDE else "rubric"
        return Compliance(None, f"no {what} has a positive weight")
    return Compliance(value)
