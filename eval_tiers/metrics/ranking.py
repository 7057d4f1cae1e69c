"""How well a score puts the positives above the others, in groups that are not compared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class GroupedAuroc:
    """Areas under the ROC curve, a group each.

    Attributes
    ----------
    values : float[k]
        Of the groups that hold positives and others, in the order of the group codes.
    skipped_n : int
        Groups of one class, which have no area.
    """

    values: Floats
    skipped_n: int


def grouped_auroc(scores: ArrayLike, positive: ArrayLike, groups: ArrayLike) -> GroupedAuroc:
    """Return the chance that a positive scores above another row of its group; ties count half.

    Parameters
    ----------
    scores : float[n]
        Not nan.
    positive : bool[n]
    groups : int[n]

    Examples
    --------
    >>> found = grouped_auroc([0.9, 0.2, 0.4, 0.7], [True, False, False, True], [0, 0, 0, 1])
    >>> found.values.tolist(), found.skipped_n
    ([1.0], 1)
    """
    score: Floats = np.asarray(scores, np.float64)
    is_positive = np.asarray(positive, np.bool_)
    if len(score) == 0:
        return GroupedAuroc(np.empty(0), 0)
    _, group = np.unique(np.asarray(groups), return_inverse=True)
    order = np.lexsort((score, group))
    score, is_positive, group = score[order], is_positive[order], group[order]
    size = np.bincount(group)
    # Rows of one group and score share the mean of their ranks.
    new_run = np.ones(len(score), np.bool_)
    new_run[1:] = (np.diff(group) != 0) | (np.diff(score) != 0)
    run = np.cumsum(new_run) - 1
    starts = np.flatnonzero(new_run)
    lengths = np.diff(np.append(starts, len(score)))
    first_of_group = np.cumsum(size) - size
    rank = (starts + (lengths + 1) / 2)[run] - first_of_group[group]
    positive_n = np.bincount(group, is_positive, len(size))
    ranks = np.bincount(group, np.where(is_positive, rank, 0.0), len(size))
    other_n = size - positive_n
    usable = (positive_n > 0) & (other_n > 0)
    above = ranks - positive_n * (positive_n + 1) / 2
    values = above[usable] / (positive_n[usable] * other_n[usable])
    return GroupedAuroc(values, int(np.count_nonzero(~usable)))
