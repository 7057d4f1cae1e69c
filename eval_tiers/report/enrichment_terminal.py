"""What a run's error labels are enriched in, as a terminal shows it: at most 80 columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from eval_tiers.report.lines import Summary, count_text, fitted, wrap

if TYPE_CHECKING:
    from eval_tiers.go.enrichment import EnrichedTerm

_MOST_SHOWN: Final = 3  # sets a label


def render_enrichment(rows: Sequence[EnrichedTerm], tested: Summary) -> str:
    """Return what was tested, and each label's sets with the smallest q.

    Parameters
    ----------
    rows : sequence of EnrichedTerm
        Sorted by label and q.
    tested : mapping
        Summary of the enrichment.
    """
    lines = wrap(
        f"{count_text(tested['background_gene_n'])} of {count_text(tested['chain_gene_n'])} chain "
        f"genes are in the gene sets: the background. {count_text(tested['term_n'])} sets with at "
        f"least {tested['min_term_gene_n']} of them; {count_text(tested['test_n'])} tests",
        "  ",
    )
    for name, label in tested["labels"].items():
        if not label["tested"]:
            continue
        lines += [
            "",
            f"{name}: {count_text(label['gene_n'])} genes, {count_text(label['enriched_n'])} sets "
            f"with q up to {tested['alpha']}",
        ]
        for row in [row for row in rows if row.group == name][:_MOST_SHOWN]:
            share = f"{row.overlap_n}/{row.group_gene_n}"
            lines.append(
                f"  {fitted(row.term, 42)} {share:>9} {row.expected_n:>7.1f} exp. "
                f"q {row.q_value:.2g}"
            )
    skipped = [name for name, label in tested["labels"].items() if not label["tested"]]
    if skipped:
        lines += ["", "Not tested"]
        for name in skipped:
            lines += wrap(f"  {name}: {tested['labels'][name]['reason']}", "    ")
    return "\n".join(lines)
