"""How each cell of a confusion matrix moves the figures made of it, for their intervals."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def confusion_gradients(confusion: ArrayLike) -> dict[str, Floats]:
    """Return what one more row in each cell moves each figure by, to first order.

    Parameters
    ----------
    confusion : (k, k + 1) array
        As `eval_tiers.metrics.classification.classification` takes it.

    Returns
    -------
    dict of str to float[k, k + 1]
        ``balanced_accuracy``, ``f1_macro``, ``f1_weighted``, ``f1_macro_present``, and
        ``recall_<i>``, ``precision_<i>``, ``f1_<i>`` of class number i. Gradient times matrix adds
        up to 0. All 0 for an undefined figure.
    """
    matrix: Floats = np.asarray(confusion, np.float64)
    k = matrix.shape[0]
    support, predicted = matrix.sum(axis=1), matrix[:, :k].sum(axis=0)
    total = float(support.sum())
    found: dict[str, Floats] = {}
    f1_values = np.zeros(k)
    for i in range(k):
        of_gold, of_answer = np.zeros_like(matrix), np.zeros_like(matrix)
        of_gold[i, :], of_answer[:, i] = 1.0, 1.0
        right = of_gold * of_answer
        for name, part, whole in (
            ("recall", right, of_gold),
            ("precision", right, of_answer),
            ("f1", 2 * right, of_gold + of_answer),
        ):
            found[f"{name}_{i}"] = _ratio_gradient(matrix, part, whole)
        if support[i] + predicted[i] > 0:
            f1_values[i] = 2 * matrix[i, i] / (support[i] + predicted[i])
    nothing = np.zeros_like(matrix)
    present = np.flatnonzero(support)
    recalls = [found[f"recall_{i}"] for i in present]
    f1s = [found[f"f1_{i}"] for i in range(k)]
    found["balanced_accuracy"] = np.mean(recalls, axis=0) if recalls else nothing
    found["f1_macro"] = np.mean(f1s, axis=0)
    found["f1_macro_present"] = (
        np.mean([f1s[i] for i in present], axis=0) if recalls else nothing
    )  # fmt: skip
    found["f1_weighted"] = nothing
    if total > 0:
        weights = support / total
        moved = sum((weights[i] * f1s[i] for i in range(k)), nothing)
        spread = (f1_values - float(weights @ f1_values)) / total
        found["f1_weighted"] = moved + spread[:, None]
    return found


def _ratio_gradient(matrix: Floats, part: Floats, whole: Floats) -> Floats:
    bottom = float((matrix * whole).sum())
    if bottom <= 0:
        return np.zeros_like(matrix)
    ratio = float((matrix * part).sum()) / bottom
    moved: Floats = (part - ratio * whole) / bottom
    return moved


def independent_variance(gradient: Floats, confusion: ArrayLike) -> float:
    """Return a figure's variance where the rows of the matrix are independent of each other.

    Parameters
    ----------
    gradient : float[k, k + 1]
        Of `confusion_gradients`.
    confusion : (k, k + 1) array
        Counts, or weights that add up to the number of items.
    """
    matrix: Floats = np.asarray(confusion, np.float64)
    n = float(matrix.sum())
    return 0.0 if n <= 1 else n / (n - 1) * float((matrix * gradient * gradient).sum())
