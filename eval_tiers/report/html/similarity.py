"""The report's sections on GO similarity: means, and distributions by error label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eval_tiers.domain.taxonomy import ERROR_LABELS
from eval_tiers.report.html.charts import histograms
from eval_tiers.report.html.figures import rate_figure
from eval_tiers.report.html.model import (
    Cell,
    Figure,
    Named,
    Rate,
    Row,
    Section,
    Table,
    count_cell,
    named,
    rate_of,
    whole_cell,
)
from eval_tiers.report.lines import number

Bins = Mapping[str | None, Sequence[int]]


def go_section(summary: Mapping[str, Any], bins: Bins | None) -> Section:
    """Return GO similarity: means, and its distribution by error label."""
    rows = named(
        summary,
        [
            ("go_sim_mean", "mean"),
            ("go_sim_nontrivial_mean", "mean without identical sets"),
            ("go_sim_one_rate", "share of exactly 1"),
            ("go_above_null_p95_rate", "share above chance (95th pct.)"),
        ],
    )
    for key, name in (
        ("go_sim_median", "median"),
        ("go_sim_nontrivial_median", "median without identical sets"),
        ("go_null_mean", "mean of random gene sets"),
    ):
        rows.append(Named(name, key, rate_of(summary, key), 2))
    excess = rate_of(summary, "go_excess_mean")
    notes = [
        "The mean is undefined above random gene sets: no answer has a null."
        if excess.value is None
        else f"Mean above random gene sets of like annotation: {whole_cell(excess, number).text}."
    ]
    reasons = {name: n for name, n in summary["go_null_reasons"].items() if n}
    if reasons:
        notes.append(
            "Undefined for " + ", ".join(f"{n:,} ({name})" for name, n in reasons.items()) + "."
        )
    figures = [
        rate_figure(
            "go-means",
            "GO similarity of the genes in between",
            "Similarity of the GO terms of predicted and gold intermediate genes, from 0 to 1.",
            "Identical gene sets have 1 by definition and say little: the mean without them, and "
            "what random gene sets would have (diamond), are what to hold it against.",
            rows,
            number,
            notes,
        ),
        distribution(bins, summary.get("go_sim_by_error_label"), "GO similarity"),
    ]
    return Section("go", "GO similarity", tuple(figures))


def distribution(
    bins: Bins | None, figures: Mapping[str, Mapping[str, Any]] | None, what: str
) -> Figure:
    """Return the distribution of a similarity by error label.

    Parameters
    ----------
    bins : mapping or None
        Counts in bins of equal width from 0 to 1, by error label; None as a label: without one.
    figures : mapping or None
        ``mean`` and ``median`` by error label, of the summary.
    """
    title = f"{what} by error label"
    shows = f"How {what} is distributed within each error label."
    reads = (
        "Each row is a histogram of shares within its label, all rows of one height scale; the "
        "diamond is the mean. Labels with few answers are ragged by chance."
    )
    if not bins:
        why = "the samples table holds no such figure" if bins is None else "it is null everywhere"
        return Figure(title, shows, f"There is nothing to draw: {why}.")
    rows = []
    for label in (*ERROR_LABELS, None):
        if label in bins:
            found = (figures or {}).get(label or "", {})
            rows.append((label or "(none)", bins[label], rate_of(found, "mean"),
                         rate_of(found, "median")))  # fmt: skip
    drawn = [(name, counts, mean.value, median.value) for name, counts, mean, median in rows]
    step = 1 / len(rows[0][1])
    table = Table(
        ("error label", "n", "mean", "median", f"in bins of {step:g} from 0 to 1"),
        tuple(
            _bin_row(name, counts, mean, median) for name, counts, mean, median in rows
        ),
        title,
    )  # fmt: skip
    return Figure(title, shows, reads, histograms("go-bins", title, shows, drawn), (table,))


def _bin_row(name: str, counts: Sequence[int], mean: Rate, median: Rate) -> Row:
    cells = (
        count_cell(sum(counts)),
        whole_cell(mean, number),
        whole_cell(median, number),
        Cell(" ".join(map(str, counts))),
    )
    return Row(name, cells, f"go_sim_by_error_label.{name}")
