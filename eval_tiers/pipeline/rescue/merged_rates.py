"""The intervals of a merge's rates over samples, by the clusters of the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from eval_tiers.domain.clusterings import (
    CHAIN_CLUSTERINGS,
    CITATION_CLUSTERINGS,
    clustering_named,
    fields_of,
)
from eval_tiers.io.rescue_run import RescueRun
from eval_tiers.metrics.intervals import wilson_interval
from eval_tiers.pipeline.rescue.merged_rows import MergedRun, is_true
from eval_tiers.rescue.effects import Merged
from eval_tiers.rescue.kinds.wrong_correct_chain import ALTERNATE, ANSWER_BUG
from eval_tiers.summaries.interval_figures import (
    Figures,
    add_clustered,
    add_interval,
    clustered_of_rows,
)

Flags = Sequence[bool]


def add_merged_intervals(
    summary: Figures, headline: Figures, merged: MergedRun, close_chains: Mapping[int, Merged]
) -> None:
    """Add n and intervals beside the rates of a merge, and which rows they take together.

    Parameters
    ----------
    summary, headline : dict
        The rates are there; ``_n``, ``_low``, ``_high`` and ``_clustered_low``,
        ``_clustered_high`` are put beside them, as beside those of an evaluation.
    merged : MergedRun
    close_chains : mapping of int to Merged
        Hard rows of the kind that earns soft credit by sign algebra, exported or not.
    """
    run = merged.run
    clustering, clusters = row_clusters(run)
    rows = range(len(run.samples))
    right = [is_true(cell) for cell in run.samples.column("answer_correct")]
    found = merged.rows
    soft = [right[row] or (row in found and found[row].soft) for row in rows]
    soft_ref = [right[row] or (row in found and found[row].soft_ref) for row in rows]
    symbolic = [row in close_chains and close_chains[row].soft_symbolic for row in rows]
    flags: dict[str, Flags] = {
        "hard_correct_rate": right,
        "effective_correct_rate": soft,
        "effective_correct_rate_ref": soft_ref,
        "effective_with_recovered_rate": [
            soft[row] or (row in found and found[row].recovered) for row in rows
        ],
        "annotation_dispute_rate": [
            row in found and found[row].outcome.verdict == ALTERNATE for row in rows
        ],
        "soft_correct_symbolic_rate": symbolic,
        "effective_symbolic_rate": [
            one or other for one, other in zip(right, symbolic, strict=True)
        ],
    }
    for name, values in flags.items():
        for figures in (summary, headline):
            if name in figures:
                _add(figures, name, values, clusters)
    bugs = [row for row, one in found.items() if one.outcome.verdict == ANSWER_BUG]
    _add(
        summary,
        "answer_bug_sign_supported",
        [found[row].facts.implied_answer == found[row].facts.gold_answer for row in bugs],
        [[names[row] for row in bugs] for names in clusters],
    )
    joined, n = summary["both_sign_routes_rate"], summary["both_sign_routes_n"]
    routes = None
    if isinstance(joined, int | float) and isinstance(n, int):
        routes = wilson_interval(round(joined * n), n)
    add_interval(summary, "both_sign_routes_rate", routes)
    summary["cluster"] = {
        "field": clustering,
        "n": min((len(set(names)) for names in clusters[:2]), default=None),
    }


def row_clusters(run: RescueRun) -> tuple[str, list[list[str]]]:
    """Return by what the run takes rows together, and the cluster of each row.

    Returns
    -------
    (str, list of list of str)
        None of them, one, or two and their intersections. A row without a value is its question's
        own.
    """
    cited = "pair" in run.samples
    known = CITATION_CLUSTERINGS if cited else CHAIN_CLUSTERINGS
    clustering = clustering_named(run.manifest.get("cluster"), known)
    parts = (run.samples.column(name) for name in ("split", "pert_type", "sample_id"))
    items = ["\x00" + "\x1f".join(one or "" for one in key) for key in zip(*parts, strict=True)]
    ways = []
    for field in (name for name in fields_of(clustering) if "+" not in name):
        names = run.samples.column(field)
        if not cited and field != "cell_line":  # symbols, as tiers 1 to 3 compare them
            names = [None if name is None else name.strip().upper() for name in names]
        ways.append([name or item for name, item in zip(names, items, strict=True)])
    if len(ways) == 2:
        ways.append([f"{one}\x1f{other}" for one, other in zip(*ways, strict=True)])
    return clustering, ways


def _add(figures: Figures, name: str, values: Flags, clusters: Sequence[Sequence[str]]) -> None:
    """Add n and intervals beside a rate that is there."""
    n = len(values)
    figures[f"{name}_n"] = n
    add_interval(figures, name, wilson_interval(sum(values), n))
    found = clustered_of_rows(np.asarray(values, np.float64), clusters, rate=True) if n else None
    add_clustered(figures, name, found)
