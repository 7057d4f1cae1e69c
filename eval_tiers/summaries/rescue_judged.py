"""Replies of an examiner on controls and hard cases, and counts of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from eval_tiers.summaries.interval_figures import Figures

NO_VERDICT: Final = "no_verdict"
"""Column of the confusion matrix for replies without a verdict."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A control or a hard case that the examiner replied to; what is owed is left out.

    Attributes
    ----------
    verdict : str or None
        None for a reply that holds none (unparsable, a refusal).
    cluster : str
        What rows that aren't independent share.
    truth : str or None
        Of a control by construction, of a case by people; None where nobody knows.
    inclusion : float or None
        Chance with which a case was drawn to be labelled; None where all had the same.
    confidence : float or None
        As claimed.
    verdict_prob : mapping or None
        Probability of each verdict, read off the engine's tokens.
    """

    verdict: str | None
    cluster: str
    truth: str | None = None
    inclusion: float | None = None
    confidence: float | None = None
    verdict_prob: Mapping[str, float] | None = None


def tally_verdicts(judged: Sequence[Judged], truths: Sequence[str]) -> NDArray[np.int64]:
    """Count the verdicts in the order of the truths; the last count is that of none."""
    places = [verdict_column(one, truths) for one in judged]
    counts: NDArray[np.int64] = np.bincount(
        np.array(places, dtype=np.int64), minlength=len(truths) + 1
    )
    return counts


def verdict_column(judged: Judged, truths: Sequence[str]) -> int:
    """Return the place of a verdict among the truths; past the last one for none."""
    return truths.index(judged.verdict) if judged.verdict in truths else len(truths)


def build_estimate(
    value: float | None, interval: tuple[float, float] | None, unclipped: float | None
) -> Figures:
    """Return a share with its interval, and as it was before it was held within 0 and 1."""
    low, high = interval or (None, None)
    found: Figures = {"share": value, "low": low, "high": high}
    return found if unclipped is None else found | {"unclipped": unclipped}
