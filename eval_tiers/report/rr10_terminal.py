"""The summary of an RR-10 run as a terminal shows it: at most 80 columns, plain text."""

from __future__ import annotations

from typing import Final

from eval_tiers.domain.rr10 import CITATION_VERDICTS
from eval_tiers.report.calibration_terminal import render_calibration
from eval_tiers.report.lines import (
    WIDTH,
    Summary,
    count_text,
    fitted,
    interval_note,
    interval_text,
    label_row,
    ledger_text,
    mean_row,
    named_rate,
    number,
    percent,
    rate_row,
    section,
    wrap,
)

_RATES: Final = (
    ("coverage (a valid label)", "coverage"),
    ("accuracy, all items", "accuracy_total"),
    ("traps right (indeterminate)", "trap_accuracy"),
    ("controls right", "control_accuracy"),
    ("traps overclaimed (up or down)", "trap_overclaim_rate"),
    ("traps without a valid label", "trap_invalid_rate"),
    ("controls abstained on", "control_abstention_rate"),
    ("controls in the wrong direction", "control_wrong_direction_rate"),
    ("abstained, all items", "overall_abstention_rate"),
    ("pairs with both right (PDR)", "paired_directional_robustness"),
    ("pairs with both answered", "pair_complete_rate"),
)

_BY_CONTEXT: Final = (
    ("accuracy", "accuracy"),
    ("traps right", "trap_accuracy"),
    ("controls right", "control_accuracy"),
    ("pairs with both right (PDR)", "paired_directional_robustness"),
)
_MOST_CONTEXTS: Final = 12


def render_rr10_summary(summary: Summary, title: str) -> str:
    """Return the summary as text: answers, contexts, evidence, labels, GO focus, ledger.

    Parameters
    ----------
    summary : mapping
        As `eval_tiers.pipeline.rr10.summary.build_rr10_summary` gives it.
    title : str
        First line.
    """
    parts = [_head(summary, title), _answers(summary), _contexts(summary)]
    if "error_distribution" in summary:
        parts += [_evidence(summary), _labels(summary)]
    if "go_focus_mean" in summary:
        parts.append(_go_focus(summary))
    if "calibration" in summary:
        parts.append(render_calibration(summary["calibration"]))
    parts.append(ledger_text(summary))
    return "\n\n".join(parts)


def _head(summary: Summary, title: str) -> str:
    tiers = " ".join(str(tier) for tier in summary["tiers"])
    file = "the canonical file" if summary["benchmark_is_canonical"] else "not the canonical file"
    lines = [
        title,
        f"{count_text(summary['n'])} items, format {summary['format']} ({file}), tiers {tiers}, "
        + f"{summary['reading']} reading",
        *wrap(summary["status"] + ".", indent=""),
        *interval_note(summary),
    ]
    return "\n".join(lines)


def _answers(summary: Summary) -> str:
    lines = [section("Answers")]
    lines += [rate_row(summary, name, key) for name, key in _RATES]
    lines += [
        rate_row(summary, "trap x control accuracy", "trap_times_control_accuracy"),
        mean_row(summary, "F1, macro", "macro_f1"),
    ]
    counts = summary["prediction_counts"]
    lines += wrap(
        "  predicted: " + ", ".join(f"{name} {count_text(n)}" for name, n in counts.items()),
        indent="    ",
    )
    reasons = [f"{name} {count_text(n)}" for name, n in summary["invalid_reasons"].items() if n]
    if reasons:
        lines += wrap("  no valid label: " + ", ".join(reasons), indent="    ")
    lines.append(
        f"  rows that the reference scorer reads differently: {summary['readings_differ_n']:,} "
        f"({summary['readings_differ_right_or_wrong_n']:,} change"
    )
    lines.append("    between right and wrong)")
    probe = summary["artefact_probe"]
    if probe["auroc"] is not None:
        lines += wrap(
            f"  artefact probe: the number of datasets alone tells traps from controls with AUROC "
            f"{number(probe['auroc'])}{interval_text(probe, 'auroc', number)} (best "
            f"accuracy {percent(probe['best_accuracy'])}, majority "
            f"{percent(probe['majority'])}{interval_text(probe, 'majority')}, n "
            f"{probe['n']:,})",
            indent="    ",
        )
    flags = summary["corpus_flags"]
    if flags:
        lines.append("  flags: " + ", ".join(flags))
    return "\n".join(lines)


def _contexts(summary: Summary) -> str:
    lines = [section("By context")]
    shown = list(summary["per_context"].items())[:_MOST_CONTEXTS]
    for name, figures in shown:
        word = name[:80].encode("utf-8", "backslashreplace").decode("utf-8")
        lines.append(f"  {fitted(word, WIDTH - 4).rstrip()}")
        lines += [rate_row(figures, f"  {said}", key) for said, key in _BY_CONTEXT]
    left_out = len(summary["per_context"]) - len(shown)
    if left_out:
        lines.append(f"  {left_out:,} more contexts are in the summary file")
    return "\n".join(lines)


def _evidence(summary: Summary) -> str:
    evidence = summary["evidence"]
    shown = {True: "shown to the model", False: "not shown to the model", None: "not recorded"}
    head = section("Evidence")
    told = f"  whether the evidence was shown: {shown[evidence['shown']]}"
    if not evidence["expected"]:
        why = "none of the predictions has any" if evidence["asked"] == "auto" else "as asked"
        return "\n".join([head, f"  not judged: {why} (--evidence {evidence['asked']})", told])
    lines = [
        head,
        rate_row(summary, "answers that cite evidence", "cited_rate"),
        mean_row(summary, "citations that hold, an answer", "citation_precision", percent),
        mean_row(summary, "gold datasets cited and held", "evidence_recall", percent),
        mean_row(summary, "fabricated, an answer", "fabrication_rate", percent),
        mean_row(summary, "can't be verified, an answer", "unverified_rate", percent),
        mean_row(summary, "... or fabricated", "fabricated_or_unverified_rate", percent),
        rate_row(summary, "answer agrees with own evidence", "implied_answer_agreement"),
        rate_row(summary, "right, and by its evidence", "supported_answer_rate"),
        rate_row(summary, "hard cases", "hard_case_rate"),
    ]
    lines.append(f"  {summary['cited_citation_n']:,} distinct citations:")
    for name in reversed(CITATION_VERDICTS):
        n = summary["citation_verdicts"][name]
        if n:
            found = named_rate(summary, "citation_verdict_rate", name)
            lines.append(rate_row(found | {"_n": n}, f"  {name}", ""))
    edges = {name: n for name, n in summary["mechanism_edges"].items() if n}
    if edges:
        lines += wrap(
            "  mechanism edges: " + ", ".join(f"{name} {n:,}" for name, n in edges.items()),
            indent="    ",
        )
    return "\n".join([*lines, told])


def _labels(summary: Summary) -> str:
    lines = [f"{'Error labels':<34}{'n':>8}{'share':>8}  95 % interval"]
    lines += [label_row(summary, name) for name in summary["error_distribution"]]
    if summary["error_label_null_n"]:
        lines.append(f"  {'(right, no evidence asked for)':<32}{summary['error_label_null_n']:>8,}")
    details = [f"{name} {n:,}" for name, n in summary["evidence_detail_distribution"].items() if n]
    lines += wrap("  they rest on: " + ", ".join(details), indent="    ")
    return "\n".join(lines)


def _go_focus(summary: Summary) -> str:
    lines = [
        section("GO focus (mechanism genes against the gene)"),
        mean_row(summary, "similarity, mean", "go_focus_mean"),
        mean_row(summary, "similarity, median", "go_focus_median"),
    ]
    reasons = [f"{name} {n:,}" for name, n in summary["go_null_reasons"].items() if n]
    if reasons:
        lines += wrap("  none: " + ", ".join(reasons), indent="    ")
    return "\n".join(lines)
