"""What RR-10 gives away without being read: the number of datasets of an item."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from eval_tiers.domain.rr10 import Item
from eval_tiers.summaries.interval_figures import Figures
from eval_tiers.summaries.rr10_figures import ItemTable
from eval_tiers.summaries.rr10_intervals import add_linear, add_share

Floats = NDArray[np.float64]


def artefact_probe(table: ItemTable, items: Sequence[Item]) -> Figures:
    """How well the number of datasets alone tells traps from controls.

    ``auroc`` is .5 when it tells nothing; ``best_accuracy`` is that of the best threshold (either
    way round) on these very items, with the share of the larger class beside it.
    """
    dataset_n = np.array([len(item.datasets) for item in items], np.float64)
    among = table.trap | table.control
    traps, controls = dataset_n[table.trap], dataset_n[table.control]
    n = int(among.sum())
    figures: Figures = {"auroc": None, "best_accuracy": None, "majority": None, "n": n}
    if not len(traps) or not len(controls):
        return figures
    above, below = _ranks_among(controls, traps), _ranks_among(traps, controls)
    auroc = float(above.sum()) / (len(traps) * len(controls))
    # What each trap and each control moves it by (DeLong 1988, doi:10.2307/2531595).
    moved = np.zeros(len(items))
    moved[table.trap] = (above / len(controls) - auroc) / len(traps) * n
    moved[table.control] = (1 - below / len(traps) - auroc) / len(controls) * n
    figures["auroc"] = auroc
    add_linear(figures, "auroc", auroc, moved[among], table.among(among))
    figures["auroc_n"] = n
    shares = []
    for cut in np.unique(dataset_n[among]):
        hits = int((traps >= cut).sum() + (controls < cut).sum())
        shares += [hits / n, 1 - hits / n]
    figures["best_accuracy"] = max(shares)
    larger = table.trap if len(traps) >= len(controls) else table.control
    add_share(figures, "majority", larger[among].astype(np.float64), table.among(among))
    figures["note"] = (
        "best_accuracy and majority are chosen on these very items; best_accuracy has no interval"
    )
    return figures


def _ranks_among(values: Floats, of: Floats) -> Floats:
    """Return for each of the latter how many values lie below it, ties as half."""
    ordered = np.sort(values)
    below = np.searchsorted(ordered, of, "left")
    ties = np.searchsorted(ordered, of, "right") - below
    found: Floats = below + ties / 2
    return found
