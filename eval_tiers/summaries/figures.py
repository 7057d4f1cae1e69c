"""The figures of a slice, worked out from its tally. An undefined figure is None.

A pooled figure is a plain number under its own name; what stands beside it is said in
`eval_tiers.summaries.interval_figures`.
"""

from __future__ import annotations

from eval_tiers.summaries.chain_figures import chain_figures
from eval_tiers.summaries.go_figures import go_figures
from eval_tiers.summaries.interval_figures import Figures, SliceSums
from eval_tiers.summaries.label_figures import label_figures


def slice_figures(sums: SliceSums, tiers: frozenset[int]) -> Figures:
    """Return all figures of a slice: tier 1, and 2 and 3 where they ran."""
    figures = label_figures(sums)
    if 2 in tiers:
        figures |= chain_figures(sums)
    if 3 in tiers:
        figures |= go_figures(sums, with_labels=2 in tiers)
    return figures
