"""Figures of stated confidence as a terminal shows them."""

from __future__ import annotations

from eval_tiers.report.lines import Summary, mean_row, rate_row, section


def render_calibration(figures: Summary) -> str:
    """Return the table of stated confidence.

    Parameters
    ----------
    figures : mapping
        ``calibration`` of a summary (`eval_tiers.summaries.calibration.calibration_figures`).
    """
    curve = figures["risk_coverage"]
    lines = [
        section("Stated confidence"),
        rate_row(figures, "accuracy of these answers", "accuracy"),
        mean_row(figures, "mean confidence", "mean_confidence"),
        mean_row(figures, "Brier score (0 best)", "brier"),
        mean_row(figures, "expected calibration error", "expected_calibration_error"),
        mean_row(curve, "area under risk-coverage (0 best)", "aurc"),
    ]
    of_labels = figures["label_prob"]
    if of_labels is not None:
        lines.append(mean_row(of_labels, "Brier score of all labels", "brier"))
        for label, found in of_labels["auroc_per_gene"].items():
            row = mean_row(found, f"AUROC of '{label}', by gene", "auroc")
            lines += [row, f"    genes of one class, skipped: {found['skipped_gene_n']:,}"]
    lines.append(
        f"  without confidence: {figures['missing_n']:,} rows, of them stated but not readable: "
        f"{figures['invalid_n']:,}"
    )
    return "\n".join(lines)
