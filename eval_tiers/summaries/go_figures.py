"""Figures of tier 3: similarity of the chains' genes, against chance, by error label."""

from __future__ import annotations

import math

from eval_tiers.domain.columns import GO_NULL_REASONS
from eval_tiers.domain.taxonomy import ERROR_LABELS
from eval_tiers.metrics.clustered import Floats
from eval_tiers.metrics.intervals import Z_95
from eval_tiers.summaries.cluster_sums import SliceClusters
from eval_tiers.summaries.interval_figures import (
    Figures,
    SliceSums,
    add_clustered,
    add_interval,
    add_mean,
    add_median,
    add_share,
    whole_number,
)

_PARTS = ("x", "y", "xx", "yy", "xy")


def go_figures(sums: SliceSums, with_labels: bool) -> Figures:
    """Tier 3: mean and median similarity, trivial ones apart, against chance, by error label."""
    tally = sums.tally
    figures: Figures = {}
    for name in ("go_sim", "go_sim_nontrivial", "go_sim_ref"):
        add_mean(figures, f"{name}_mean", sums, name)
        add_median(figures, f"{name}_median", tally, name)
    add_share(figures, "go_sim_one_rate", sums, "go_sim_one_w", "go_sim_w")
    add_share(figures, "go_trivial_rate", sums, "go_trivial_w", "go_sim_w")
    figures["go_null_reasons"] = {
        reason: tally.count(f"go_null_{reason}_n") for reason in GO_NULL_REASONS
    }
    add_mean(figures, "go_null_mean", sums, "go_null")
    add_mean(figures, "go_excess_mean", sums, "go_excess", least=-1.0)
    figures["go_excess_n"] = figures["go_excess_mean_n"]
    add_share(figures, "go_above_null_p95_rate", sums, "go_above_null_p95_w", "go_excess_w")
    if with_labels:
        figures["go_sim_by_error_label"] = {
            name: _of_label(sums, f"go_sim_{name}")
            for name in ERROR_LABELS
            if tally.sums.get(f"go_sim_{name}_w")
        }
        _add_pearson(figures, sums)
    return figures


def _of_label(sums: SliceSums, measure: str) -> Figures:
    figures: Figures = {"n": whole_number(sums.tally.real(f"{measure}_w"))}
    add_mean(figures, "mean", sums, measure)
    add_median(figures, "median", sums.tally, measure)
    return figures


def _add_pearson(figures: Figures, sums: SliceSums) -> None:
    """Add the correlation with edge F1; its intervals are Fisher's, and by the delta method."""
    name = "go_sim_edge_f1_pearson"
    tally = sums.tally
    n = tally.real("pearson_w")
    x, y, xx, yy, xy = (tally.real(f"pearson_{part}_sum") for part in _PARTS)
    spread = (n * xx - x * x) * (n * yy - y * y)
    value = None
    if n >= 2 and spread > 1e-12:
        value = max(-1.0, min(1.0, (n * xy - x * y) / math.sqrt(spread)))
    figures[name] = value
    figures[f"{name}_n"] = whole_number(n)
    interval, clustered = None, None
    if value is not None and n > 3 and abs(value) < 1:
        half = Z_95 / math.sqrt(n - 3)
        interval = math.tanh(math.atanh(value) - half), math.tanh(math.atanh(value) + half)
    if value is not None:
        r, means = value, (x / n, y / n)
        spreads = (math.sqrt(xx / n - means[0] ** 2), math.sqrt(yy / n - means[1] ** 2))

        def influence(side: SliceClusters) -> Floats:
            """Each row adds zx zy - r (zx**2 + zy**2) / 2, of standardised values."""
            w = side.column("pearson_w")
            a, b, aa, bb, ab = (side.column(f"pearson_{part}_sum") for part in _PARTS)
            (mx, my), (sx, sy) = means, spreads
            both = (ab - mx * b - my * a + w * mx * my) / (sx * sy)
            first = (aa - 2 * mx * a + w * mx * mx) / (sx * sx)
            second = (bb - 2 * my * b + w * my * my) / (sy * sy)
            found: Floats = (both - r * (first + second) / 2) / n
            return found

        clustered = sums.clustered(value, influence, "pearson_w")
    add_interval(figures, name, interval)
    add_clustered(figures, name, clustered, -1.0)
