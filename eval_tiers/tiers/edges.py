"""Distinct edges of a batch: repeats collapsed, contradictory signs made unsigned."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eval_tiers.domain.batch import BoolArray, Chains, IntArray, SignArray


@dataclass(frozen=True, slots=True)
class EdgeSet:
    """Distinct (sample, source, target) pairs, sorted by `key`.

    Attributes
    ----------
    n_samples, n_symbols : int
        Sizes that the codes run over.
    key : int64[n_pairs]
        ``(sample * n_symbols + source) * n_symbols + target``, ascending.
    sample, source, target : int32[n_pairs]
    sign : int8[n_pairs]
        +1 or -1 where every mention agrees, else 0.
    conflict : bool[n_pairs]
        Whether both + and - were given.
    first : int64[n_pairs]
        Place of the first mention in the text order of the batch.
    """

    n_samples: int
    n_symbols: int
    key: NDArray[np.int64]
    sample: IntArray
    source: IntArray
    target: IntArray
    sign: SignArray
    conflict: BoolArray
    first: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.key)

    def count(self, where: BoolArray | None = None) -> NDArray[np.int64]:
        """Return the number of pairs a sample, int64[n_samples], of those in ``where``."""
        sample = self.sample if where is None else self.sample[where]
        return np.bincount(sample, minlength=self.n_samples)

    def subset(self, where: BoolArray) -> EdgeSet:
        """Return the pairs in ``where``."""
        return EdgeSet(
            self.n_samples, self.n_symbols, self.key[where], self.sample[where],
            self.source[where], self.target[where], self.sign[where], self.conflict[where],
            self.first[where],
        )  # fmt: skip

    def find(self, other: EdgeSet) -> NDArray[np.int64]:
        """Return, for each pair of ``other``, its place here, or -1."""
        if len(self) == 0:
            return np.full(len(other), -1, np.int64)
        place = np.minimum(np.searchsorted(self.key, other.key), len(self) - 1)
        return np.where(self.key[place] == other.key, place, -1)


def sorted_distinct(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the distinct values, ascending (by sorting: faster here than by hashing)."""
    ordered = np.sort(values)
    keep = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=keep[1:])
    return ordered[keep]


def distinct_edges(chains: Chains, n_samples: int, n_symbols: int) -> EdgeSet:
    """Collapse repeated edges.

    A pair given with several different signs (0 included) counts once, unsigned; + and - together
    is a conflict. An empty batch gives an empty set.
    """
    symbols = max(1, n_symbols)
    key = (chains.sample.astype(np.int64) * symbols + chains.source) * symbols + chains.target
    unique, first, place = np.unique(key, return_index=True, return_inverse=True)
    size = len(unique)
    positive, negative, unsigned = (
        np.bincount(place[chains.sign == sign], minlength=size) > 0 for sign in (1, -1, 0)
    )
    sign = np.zeros(size, np.int8)
    sign[positive & ~negative & ~unsigned] = 1
    sign[negative & ~positive & ~unsigned] = -1
    return EdgeSet(
        n_samples, symbols, unique, chains.sample[first], chains.source[first],
        chains.target[first], sign, positive & negative, first,
    )  # fmt: skip
