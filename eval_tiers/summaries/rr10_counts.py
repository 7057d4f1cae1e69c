"""What a run of RR-10 adds up to, so that batches and processes give the same numbers.

Per item there are whole numbers and sums; the rows of an item are always in one batch, so a sum
never depends on how the run was cut up.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from eval_tiers.domain.rr10 import CITATION_VERDICTS
from eval_tiers.domain.taxonomy import ERROR_LABELS

ITEM_SUMS: Final = (
    "row_n", "valid_n", "right_n", "upregulated_n", "downregulated_n", "indeterminate_n",
    "labelled_n", "hard_n", "correct_label_n", "cited_n", "precision_sum", "recall_sum",
    "fabrication_sum", "unverified_sum", "implied_n", "implied_agrees_n", "go_focus_n",
    "go_focus_sum", *(f"label_{name}_n" for name in ERROR_LABELS),
    *(f"verdict_{name}_n" for name in CITATION_VERDICTS),
)  # fmt: skip
"""Sums kept for each item, over its rollouts."""

PLACE: Final = {name: place for place, name in enumerate(ITEM_SUMS)}


@dataclass(slots=True)
class Rr10Counts:
    """Sums by item, and counts by name.

    Attributes
    ----------
    items : float64[n_items, len(ITEM_SUMS)]
        Items in file order.
    counts : Counter of (kind, context, name) to int
        Rows by error label, evidence detail, invalid reason; citations by verdict; mechanism
        edges by status; rows by null reason.
    differing : list of dict
        The first rows that the two readings judge differently.
    """

    items: NDArray[np.float64]
    counts: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    differing: list[dict[str, object]] = field(default_factory=list)

    @classmethod
    def empty(cls, n_items: int) -> Rr10Counts:
        """Return counts of nothing."""
        return cls(np.zeros((n_items, len(ITEM_SUMS))))

    def column(self, name: str) -> NDArray[np.float64]:
        """Return one sum of every item."""
        return self.items[:, PLACE[name]]

    def total(self, kind: str, name: str) -> int:
        """Return a count over all contexts."""
        return sum(
            count for (of, _, found), count in self.counts.items() if of == kind and found == name
        )

    def names(self, kind: str) -> dict[str, int]:
        """Return the counts of a kind by name, over all contexts."""
        found: Counter[str] = Counter()
        for (of, _, name), count in self.counts.items():
            if of == kind:
                found[name] += count
        return dict(found)
