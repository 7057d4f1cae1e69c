"""Which answers that flipped between two runs say most: those are shown first."""

from __future__ import annotations

from typing import Final

import numpy as np

from eval_tiers.summaries.comparison import ComparedRows, Floats, Rows

FLIPS_SHOWN: Final = 10


def rank_flips(rows: ComparedRows) -> Rows:
    """Return the rows that are right in one run and wrong in the other, most informative first.

    Answers that can be read in both runs come before those that can't: a parse failure says little
    of what a model knows. Then the first of each kind of flip (label in the first run, label in
    the second), the kinds that are more frequent first, then the second of each, and so on. Within
    a kind those come first whose evidence changed most (edge F1, citation precision; null is no
    change), then those that come first in the benchmark.
    """
    first, second = rows.first, rows.second
    flips: Rows = np.flatnonzero(first.measures[rows.primary] != second.measures[rows.primary])
    if not len(flips):
        return flips
    change: Floats = np.zeros(len(flips))
    if rows.evidence is not None:
        before, after = (side.measures[rows.evidence][flips] for side in (first, second))
        change = np.nan_to_num(np.abs(after - before))
    unread = ~(first.answered[flips] & second.answered[flips])
    kind = first.label[flips] * len(rows.labels) + second.label[flips]
    _, kind, sizes = np.unique(kind * 2 + unread, return_inverse=True, return_counts=True)
    order = np.lexsort((flips, -change, kind))
    starts = np.cumsum(sizes) - sizes
    rank = np.empty(len(flips), np.int64)
    rank[order] = np.arange(len(flips)) - starts[kind[order]]
    return flips[np.lexsort((flips, kind, -sizes[kind], rank, unread))]
