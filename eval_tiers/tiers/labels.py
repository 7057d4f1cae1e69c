"""Tier 1: is the label right? A parse failure is wrong."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eval_tiers.domain.batch import BoolArray


def answer_correct(gold: NDArray[np.int8], predicted: NDArray[np.int8]) -> BoolArray:
    """Return whether each predicted label is the gold label; no label (-1) is wrong."""
    return np.asarray((gold == predicted) & (predicted >= 0), np.bool_)
