"""Shares of the truth behind a judge's verdicts, given how it judged cases of known truth.

A judge that errs gives every verdict a share that is partly its own doing. Its errors are measured
on controls, whose truth is known, and taken out again. Nothing is corrected where the controls are
too few or hardly move the verdicts: a `Refusal` says so.

References
----------
Lee et al. 2025, arXiv:2511.21140; Chen et al. 2026, arXiv:2601.05420.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eval_tiers.metrics.intervals import Z_95
from eval_tiers.metrics.mixture_shares import mixture_shares

Floats = NDArray[np.float64]
Interval = tuple[float, float]

LEAST_CONTROLS: Final = 30
"""Controls of each truth without which nothing is corrected."""
LEAST_SINGULAR_VALUE: Final = 0.2
"""Smallest singular value of the confusion matrix (rows add up to 1) from which it is used."""
LEAST_YOUDEN: Final = 0.2
"""The same for two verdicts: sensitivity + specificity - 1."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why no corrected figure is given: a stable code, and a sentence."""

    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class RoganGladen:
    """A corrected rate: within 0 and 1, and as the formula gives it."""

    rate: float
    unclipped: float


def smallest_singular_value(confusion: ArrayLike) -> float | None:
    """Return the smallest singular value of a confusion matrix whose rows are made shares.

    None where a truth has no controls. Near 0, two truths get much the same verdicts.
    """
    counts: Floats = np.asarray(confusion, np.float64)
    totals = counts.sum(axis=1, keepdims=True)
    if counts.size == 0 or (totals <= 0).any():
        return None
    return float(np.linalg.svd(counts / totals, compute_uv=False)[-1])


def refusal(
    confusion: ArrayLike, observed: ArrayLike, truths: Sequence[str] | None = None
) -> Refusal | None:
    """Say why verdicts can't be corrected with these controls; None where they can.

    Parameters
    ----------
    confusion : (k, v) array of counts
        Truths by verdicts. With two truths, the first verdict against all others counts.
    observed : (v,) array of counts
        Verdicts on the cases.
    truths : sequence of str, optional
        Their names, for the sentence.
    """
    counts: Floats = np.asarray(confusion, np.float64)
    seen: Floats = np.asarray(observed, np.float64)
    names = truths or [f"truth {row + 1}" for row in range(len(counts))]
    few = [
        f"{name} {total:g}"
        for name, total in zip(names, counts.sum(axis=1), strict=True)
        if total < LEAST_CONTROLS - 1e-6
    ]
    if few:
        return Refusal(
            "few-controls",
            f"fewer than {LEAST_CONTROLS} controls with a reply: {', '.join(few)}",
        )
    if seen.sum() <= 0:
        return Refusal("no-cases", "no hard case has a reply")
    if len(counts) == 2:
        sensitivity, specificity = error_rates(counts)
        return youden_refusal(sensitivity, specificity)
    value = smallest_singular_value(counts)
    if value is None or value < LEAST_SINGULAR_VALUE - 1e-9:
        return Refusal(
            "near-singular",
            "the verdicts hardly depend on the truth: smallest singular value of the confusion "
            f"matrix {value or 0:.2f}, needed {LEAST_SINGULAR_VALUE:g}",
        )
    if seen[counts.max(axis=0) > 0].sum() <= 0:
        return Refusal("unknown-verdicts", "no verdict on a hard case was ever given to a control")
    return None


def youden_refusal(sensitivity: float, specificity: float) -> Refusal | None:
    """Say that a judge of two verdicts is too near to chance; None where it isn't."""
    youden = sensitivity + specificity - 1
    if youden >= LEAST_YOUDEN - 1e-9:
        return None
    return Refusal(
        "near-chance",
        "the verdicts hardly depend on the truth: sensitivity + specificity - 1 is "
        f"{youden:.2f}, needed {LEAST_YOUDEN:g}",
    )


def multinomial_shares(
    confusion: ArrayLike, observed: ArrayLike, truths: Sequence[str] | None = None
) -> tuple[tuple[float, ...] | None, Refusal | None]:
    """Estimate the shares of the truths among cases from the verdicts on them.

    Maximum likelihood of the observed verdicts under ``shares @ M``, shares at least 0, where M is
    the confusion matrix with rows made shares. Verdicts that no control ever got say nothing and
    are left out.

    Parameters
    ----------
    confusion : (k, v) array of counts
        Truths by verdicts; the last verdict may be "none".
    observed : (v,) array of counts
        Verdicts on the cases.
    truths : sequence of str, optional
        Names of the truths, for the reason.

    Returns
    -------
    shares : tuple of float or None
        In the order of the rows, adding up to 1; None with a reason.
    reason : Refusal or None
        `LEAST_CONTROLS`, `LEAST_SINGULAR_VALUE`; `LEAST_YOUDEN` for two truths.

    Examples
    --------
    >>> multinomial_shares([[80, 10, 10], [20, 70, 10], [10, 20, 70]], [45, 30, 25])[0]
    (0.4583333333, 0.2916666667, 0.25)
    >>> multinomial_shares([[20, 5], [3, 22]], [45, 30])[1].reason
    'fewer than 30 controls with a reply: truth 1 25, truth 2 25'
    """
    reason = refusal(confusion, observed, truths)
    if reason is not None:
        return None, reason
    counts: Floats = np.asarray(confusion, np.float64)
    shares = mixture_shares(counts / counts.sum(axis=1, keepdims=True), observed)
    return tuple(round(float(share), 10) for share in shares), None


def worse(rows: ArrayLike, points: float, truths: Sequence[int] | None = None) -> Floats:
    """Return a confusion matrix of a judge that errs more often.

    Each truth's share of right verdicts falls by ``points`` (not below 0); what it loses goes to
    its wrong verdicts, in proportion to their shares, or evenly to the other truths' verdicts
    where it had none wrong.

    Parameters
    ----------
    rows : (k, v) array
        Shares by truth, the right verdict on the diagonal.
    points : float
        Such as .05.
    truths : sequence of int, optional
        The rows that get worse; all when None.

    Examples
    --------
    >>> worse([[0.9, 0.1, 0.0], [0.0, 1.0, 0.0]], 0.1).round(3).tolist()
    [[0.8, 0.2, 0.0], [0.1, 0.9, 0.0]]
    """
    matrix: Floats = np.array(rows, np.float64)
    k = len(matrix)
    for row in range(k) if truths is None else truths:
        right = matrix[row, row]
        loss = min(points, right)
        wrong = matrix[row].copy()
        wrong[row] = 0
        if wrong.sum() <= 0:
            wrong[:k] = 1
            wrong[row] = 0
        matrix[row] += loss * wrong / wrong.sum()
        matrix[row, row] = right - loss
    return matrix


def rogan_gladen(
    positive: float, n: float, sensitivity: float, specificity: float
) -> RoganGladen | None:
    """Correct a rate of positive verdicts for a judge's two error rates.

    (p + specificity - 1) / (sensitivity + specificity - 1), with p = positive / n.

    None for n = 0, or where `youden_refusal` has a reason.

    References
    ----------
    Rogan & Gladen 1978, doi:10.1093/oxfordjournals.aje.a112510.

    Examples
    --------
    >>> round(rogan_gladen(144, 200, 0.85, 0.80).rate, 6)
    0.8
    >>> found = rogan_gladen(20, 200, 0.75, 0.75)
    >>> found.rate, round(found.unclipped, 6)
    (0.0, -0.3)
    """
    if n <= 0 or youden_refusal(sensitivity, specificity) is not None:
        return None
    rate = (positive / n + specificity - 1) / (sensitivity + specificity - 1)
    return RoganGladen(min(1.0, max(0.0, rate)), rate)


def lang_reiczigel(
    positive: float,
    n: float,
    true_positive: float,
    positive_n: float,
    true_negative: float,
    negative_n: float,
    z: float = Z_95,
) -> Interval | None:
    """Return the interval of a Rogan-Gladen rate whose error rates are estimated too.

    Parameters
    ----------
    positive, n : float
        Positive verdicts, and verdicts, on the cases; fractions where rows are clustered.
    true_positive, positive_n : float
        Positive verdicts on controls that are positive, and those controls.
    true_negative, negative_n : float
        Negative verdicts on controls that are negative, and those controls.
    z : float
        Normal quantile; the default gives 95 %.

    Returns
    -------
    (low, high) or None
        Within 0 and 1. None where a count is 0, where `youden_refusal` has a reason, and where
        it lies wholly outside 0 and 1: judges of these error rates hardly give such verdicts.

    References
    ----------
    Lang & Reiczigel 2014, doi:10.1016/j.prevetmed.2013.09.015.

    Examples
    --------
    >>> low, high = lang_reiczigel(144, 200, 85, 100, 80, 100)
    >>> round(low, 4), round(high, 4)
    (0.672, 0.9396)
    """
    if min(n, positive_n, negative_n) <= 0:
        return None
    if youden_refusal(true_positive / positive_n, true_negative / negative_n) is not None:
        return None
    # Agresti and Coull's pseudo-counts for the rate, one each way for the error rates.
    cases, hits_n, misses_n = n + z * z, positive_n + 2, negative_n + 2
    p = (positive + z * z / 2) / cases
    sensitivity, specificity = (true_positive + 1) / hits_n, (true_negative + 1) / misses_n
    youden = sensitivity + specificity - 1
    rate = (p + specificity - 1) / youden
    of_sensitivity = sensitivity * (1 - sensitivity) / hits_n
    of_specificity = specificity * (1 - specificity) / misses_n
    error = (
        math.sqrt(p * (1 - p) / cases + of_sensitivity * rate**2 + of_specificity * (1 - rate) ** 2)
        / youden
    )
    shift = 2 * z * z * (rate * of_sensitivity - (1 - rate) * of_specificity)
    low, high = rate + shift - z * error, rate + shift + z * error
    if high < 0 or low > 1:
        return None
    return min(1.0, max(0.0, low)), min(1.0, max(0.0, high))


def error_rates(rows: ArrayLike) -> tuple[float, float]:
    """Return sensitivity and specificity of a judge whose first verdict counts against all others.

    Parameters
    ----------
    rows : (2, v) array
        Verdicts on positive and on negative controls; counts or shares.

    Examples
    --------
    >>> error_rates([[30, 10, 0], [10, 25, 5]])
    (0.75, 0.75)
    """
    counts: Floats = np.asarray(rows, np.float64)
    totals = counts.sum(axis=1)
    return float(counts[0, 0] / totals[0]), float(1 - counts[1, 0] / totals[1])
