"""A batch of samples: columns for scalars, flat integer arrays for chains."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int32]
SignArray = NDArray[np.int8]
BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]


@dataclass(slots=True)
class Chains:
    """Edges of all samples of a batch, one side (gold or predicted).

    Attributes
    ----------
    sample, source, target : int32[n_edges]
        Row of the sample in the batch; codes of the symbols into `Batch.symbols`.
    sign : int8[n_edges]
        +1, -1 or 0 (unsigned).
    """

    sample: IntArray
    source: IntArray
    sign: SignArray
    target: IntArray

    def __len__(self) -> int:
        return len(self.sample)


@dataclass(slots=True)
class Batch:
    """Samples as read, before any tier.

    Attributes
    ----------
    n : int
        Output rows: one a gold record and rollout, in gold order.
    columns : dict of str to list or array
        Scalars of length n by column name; None or -1 stands for null, as the column says.
    symbols : list of str
        Distinct symbols that codes run over, as matched (stripped, upper-cased); may hold more
        than the batch has.
    perturbation, readout : int32[n]
        Codes of the chain's ends, -1 where the gold record has none.
    has_gold_chain : bool[n]
        False where the gold record has no path field.
    gold, predicted : Chains
        Edges as read, repeats and all.
    item : int32[n]
        Number of the gold record within the batch (rollouts of one item share it).
    """

    n: int
    columns: dict[str, Any]
    symbols: list[str]
    perturbation: IntArray
    readout: IntArray
    has_gold_chain: BoolArray
    gold: Chains
    predicted: Chains
    item: IntArray
    counts: dict[str, int] = field(default_factory=dict)
