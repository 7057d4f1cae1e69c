"""The report's section on gene sets that error labels are enriched in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eval_tiers.go.enrichment import EnrichedTerm
from eval_tiers.report.dot_plot import render_dot_plot
from eval_tiers.report.html.figures import plain_table
from eval_tiers.report.html.model import Cell, Figure, Section, count_cell

Enriched = tuple[Mapping[str, Any], Sequence[EnrichedTerm]]


def enrichment_section(tested: Mapping[str, Any], rows: Sequence[EnrichedTerm]) -> Section:
    """Return the dot plot and the sets with the smallest q."""
    title = "Gene sets that error labels are enriched in"
    ranked = sorted(rows, key=lambda row: (row.q_value, row.p_value, row.term, row.group))
    labels = [name for name, found in tested["labels"].items() if found["tested"]]
    lines: list[tuple[str, list[str | Cell]]] = [
        (
            row.term,
            [
                row.group,
                count_cell(row.overlap_n),
                Cell(f"{row.expected_n:.1f}", row.expected_n),
                count_cell(row.group_gene_n),
                count_cell(row.term_gene_n),
                Cell(f"{row.p_value:.2g}", row.p_value),
                Cell(f"{row.q_value:.2g}", row.q_value),
            ],
        )
        for row in ranked
    ]
    columns = ("gene set", "error label", "genes", "expected", "genes of the label",
               "genes of the set", "p", "q")  # fmt: skip
    skipped = [
        f"{name}: {found['reason']}." for name, found in tested["labels"].items() if found["reason"]
    ]
    figure = Figure(
        title,
        "Gene sets that hold more genes of the chains of an error label than chance would give.",
        f"Against all {tested['background_gene_n']:,} chain genes that the gene sets know. A dot's "
        "size is the number of genes, its shade q; open dots are above the threshold. It tells "
        "which biology the errors are about, not why they were made.",
        render_dot_plot(ranked, labels) if ranked else "",
        (plain_table(title, columns, lines),) if lines else (),
        (f"{tested['test_n']:,} tests. Method: {tested['method']}.", *skipped),
    )
    return Section("enrichment", "Enrichment", (figure,))
