"""Figures of a confusion matrix with a column for parse failures.

Conventions are scikit-learn's: 0/0 is 0 for a class's F1; balanced accuracy is the mean recall
over the classes that are present in gold.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True)
class ClassFigures:
    """Precision, recall, F1 and support of one class; precision and recall None for 0/0."""

    precision: float | None
    recall: float | None
    f1: float
    support: float


@dataclass(frozen=True, slots=True)
class Classification:
    """Figures over all classes; None where nothing was scored.

    Attributes
    ----------
    accuracy, balanced_accuracy, f1_macro, f1_weighted, f1_macro_present : float or None
        Shares from 0 to 1. ``f1_macro`` runs over all classes of the vocabulary,
        ``f1_macro_present`` over those in gold.
    classes : tuple of ClassFigures
        In the order of the matrix.
    """

    accuracy: float | None
    balanced_accuracy: float | None
    f1_macro: float | None
    f1_weighted: float | None
    f1_macro_present: float | None
    classes: tuple[ClassFigures, ...]


def classification(confusion: ArrayLike) -> Classification:
    """Work out the figures of a confusion matrix.

    Parameters
    ----------
    confusion : (k, k + 1) array
        Rows: gold class. Columns: predicted class, the last one no prediction (always wrong).
        Counts, or weights.

    Examples
    --------
    >>> figures = classification([[1, 1, 0, 0], [0, 1, 0, 1], [1, 0, 1, 0]])
    >>> round(figures.accuracy, 4), round(figures.f1_macro, 4)
    (0.5, 0.5556)
    """
    matrix: NDArray[np.float64] = np.asarray(confusion, np.float64)
    k = matrix.shape[0]
    right = np.diag(matrix[:, :k])
    support, predicted = matrix.sum(axis=1), matrix[:, :k].sum(axis=0)
    total = float(support.sum())
    double = support + predicted
    f1 = np.divide(2 * right, double, out=np.zeros(k), where=double > 0)
    classes = tuple(
        ClassFigures(
            _share(right[i], predicted[i]), _share(right[i], support[i]), float(f1[i]),
            float(support[i]),
        )
        for i in range(k)
    )  # fmt: skip
    if total <= 0:
        return Classification(None, None, None, None, None, classes)
    present = support > 0
    return Classification(
        accuracy=float(right.sum()) / total,
        balanced_accuracy=float(np.mean(right[present] / support[present])),
        f1_macro=float(np.mean(f1)),
        f1_weighted=float(np.dot(f1, support)) / total,
        f1_macro_present=float(np.mean(f1[present])),
        classes=classes,
    )


def two_step(confusion: ArrayLike, unchanged: int) -> dict[str, float | None]:
    """Return the two-step view: changed or not, and the direction among the changed.

    ``changed_accuracy``: share of all rows where "changed" agrees (no prediction is wrong).
    ``direction_accuracy``: share of rows changed in gold and in prediction whose direction
    agrees. ``opposite_direction_rate``: share of rows changed in gold that got the other
    direction.
    """
    matrix: NDArray[np.float64] = np.asarray(confusion, np.float64)
    k = matrix.shape[0]
    changed = [i for i in range(k) if i != unchanged]
    both = matrix[np.ix_(changed, changed)]
    agree = float(np.trace(both))
    gold_changed = float(matrix[changed].sum())
    return {
        "changed_accuracy": _share(both.sum() + matrix[unchanged, unchanged], matrix.sum()),
        "direction_accuracy": _share(agree, both.sum()),
        "opposite_direction_rate": _share(both.sum() - agree, gold_changed),
    }


def _share(part: float, whole: float) -> float | None:
    return float(part) / float(whole) if whole > 0 else None


def pass_at_k(correct: Sequence[int], total: Sequence[int], k: int) -> float | None:
    """Return the unbiased pass@k over items with at least ``k`` rollouts, None without any.

    References
    ----------
    Chen et al. 2021, arXiv:2107.03374, eq. 1.
    """
    values = []
    for right, n in zip(correct, total, strict=True):
        if n < k:
            continue
        if n - right < k:
            values.append(1.0)
        else:
            values.append(1.0 - float(np.prod(1.0 - k / np.arange(n - right + 1, n + 1))))
    return math.fsum(values) / len(values) if values else None


def pass_at_k_values(correct: ArrayLike, total: ArrayLike, k: int) -> NDArray[np.float64]:
    """Return the unbiased pass@k of each item, nan for one with fewer than ``k`` rollouts.

    Examples
    --------
    >>> pass_at_k_values([1, 0, 2, 1], [4, 4, 4, 1], 2).tolist()
    [0.5, 0.0, 0.8333333333333334, nan]
    """
    right: NDArray[np.float64] = np.asarray(correct, np.float64)
    n: NDArray[np.float64] = np.asarray(total, np.float64)
    fails = np.ones(len(n))
    for i in range(k):  # the chance that none of k drawn ones is right
        fails *= np.clip(n - right - i, 0, None) / np.where(n > i, n - i, 1)
    return np.where(n >= k, 1 - fails, np.nan)
