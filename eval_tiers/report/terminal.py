"""The summary as a terminal shows it: at most 80 columns, plain text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eval_tiers.domain.taxonomy import ERROR_LABELS
from eval_tiers.report.calibration_terminal import render_calibration
from eval_tiers.report.lines import (
    WIDTH,
    Summary,
    count_text,
    fitted,
    interval_note,
    label_row,
    ledger_text,
    mean_row,
    number,
    percent,
    plain_row,
    rate_row,
    section,
    shown_interval,
    wrap,
)


def render_summary(summary: Summary, title: str) -> str:
    """Return the summary as text: answers, chains, error labels, GO sets, ledger.

    Parameters
    ----------
    summary : mapping
        As `eval_tiers.pipeline.summary.build_summary` gives it.
    title : str
        First line.
    """
    parts = [_head(summary, title), _answers(summary)]
    if "error_distribution" in summary:
        parts += [_chains(summary), _labels(summary)]
    if "go_sim_mean" in summary:
        parts.append(_go_sets(summary))
    if "rollouts" in summary:
        parts.append(_rollouts(summary["rollouts"]))
    if "calibration" in summary:
        parts.append(render_calibration(summary["calibration"]))
    if len(summary.get("by_split", {})) > 1:
        parts.append(_splits(summary))
    parts.append(ledger_text(summary))
    if summary.get("warnings"):
        parts.append(_warnings(summary))
    return "\n\n".join(parts)


def _head(summary: Summary, title: str) -> str:
    tiers = " ".join(str(tier) for tier in summary["tiers"])
    head = f"{count_text(summary['n'])} questions, format {summary['format']}, tiers {tiers}"
    return "\n".join([title, head, *interval_note(summary)])


def _answers(summary: Summary) -> str:
    lines = [
        section("Answers"),
        rate_row(summary, "accuracy", "accuracy"),
        rate_row(summary, "balanced accuracy", "balanced_accuracy"),
        mean_row(summary, "F1, macro", "f1_macro"),
        mean_row(summary, "F1, weighted", "f1_weighted"),
        rate_row(summary, "no answer found (parse failures)", "parse_failure_rate"),
        *_reasons(summary["parse_failure_reasons"]),
        rate_row(summary, "opposite direction, of changed", "opposite_direction_rate"),
        rate_row(summary, "accuracy, read leniently", "accuracy_lenient"),
        *_baselines(summary["baselines"]),
    ]
    return "\n".join(lines)


def _reasons(reasons: Mapping[str, int]) -> list[str]:
    found = [f"{name} {count_text(n)}" for name, n in reasons.items() if n]
    return wrap("    " + ", ".join(found), indent="    ") if found else []


def _baselines(baselines: Mapping[str, Any]) -> list[str]:
    if not baselines:
        return []
    names = {
        "majority": f"always '{baselines['majority']['label']}'",
        "random": "random (a constant)",
        "train_readout_majority": "training majority of the gene",
        "kg_shortest_path": "KG shortest path",
    }
    lines = ["  baselines, accuracy:"]
    for key, name in names.items():
        found = baselines.get(key)
        if found is None:
            continue
        lines.append(rate_row(found, f"  {name}", "accuracy"))
    return lines


def _chains(summary: Summary) -> str:
    hub = summary["hub"]
    lines = [
        section("Chains"),
        mean_row(summary, "edge F1, with signs", "edge_f1"),
        mean_row(summary, "edge F1, signs aside", "edge_f1_relaxed"),
        rate_row(summary, "chain leads to the readout", "connected_rate"),
        rate_row(summary, "... over edges in the KG", "kg_connected_rate"),
        mean_row(summary, "hallucinated pairs (not in the KG)", "hallucination_rate", percent),
        _outside(summary),
        rate_row(summary, "contradicted by the KG, of pairs", "contradicted_rate"),
        rate_row(summary, "... or just not in it", "contradicted_or_unsupported_rate"),
        *_hub(hub),
        *_grounded(summary),
        rate_row(summary, "hard cases", "hard_case_rate"),
    ]
    return "\n".join(lines)


def _outside(summary: Summary, name: str = "... gold's own share outside") -> str:
    """Return the line of the share of gold pairs that the KG lacks, 1 less what it has."""
    inside, found = summary["gold_in_kg_rate"], shown_interval(summary, "gold_in_kg_rate")
    return plain_row(
        name,
        percent(None if inside is None else 1 - inside),
        "" if found is None else f"[{percent(1 - found[1])}, {percent(1 - found[0])}]",
        count_text(summary["gold_in_kg_rate_n"]),
    )


def _hub(hub: Mapping[str, Any]) -> list[str]:
    if hub["lift"] is None:
        return ["  hub lift: undefined, no predicted pair has both nodes in the KG"]
    return [
        rate_row(hub, "hub lift", "lift", number),
        rate_row(hub, "... pairs of known nodes in the KG", "observed"),
        rate_row(hub, "... by their degrees alone", "expected"),
    ]


def _grounded(summary: Summary) -> list[str]:
    if "withheld" in summary:
        return ["  grounded accuracy, lucky-right rate: withheld (see the warning below)"]
    return [
        rate_row(summary, "grounded accuracy", "grounded_accuracy"),
        rate_row(summary, "... upper bound", "grounded_accuracy_upper"),
        rate_row(summary, "lucky right, of the right", "lucky_right_rate"),
    ]


def _labels(summary: Summary) -> str:
    lines = [f"{'Error labels':<34}{'n':>8}{'share':>8}  95 % interval"]
    lines += [label_row(summary, name) for name in ERROR_LABELS]
    unlabelled = summary["error_label_null_n"]
    if unlabelled:
        lines.append(f"  {'(right, nothing to judge by)':<32}{count_text(unlabelled):>8}")
    return "\n".join(lines)


def _go_sets(summary: Summary) -> str:
    nulls = {name: n for name, n in summary["go_null_reasons"].items() if n}
    lines = [
        section("GO similarity of chains"),
        mean_row(summary, "mean", "go_sim_mean"),
        mean_row(summary, "median", "go_sim_median"),
        mean_row(summary, "mean without identical gene sets", "go_sim_nontrivial_mean"),
        mean_row(summary, "median without them", "go_sim_nontrivial_median"),
        mean_row(summary, "mean above random gene sets", "go_excess_mean"),
    ]
    if nulls:
        text = ", ".join(f"{name} {count_text(n)}" for name, n in nulls.items())
        lines += wrap(f"  undefined: {text}", indent="    ")
    by_label = summary.get("go_sim_by_error_label", {})
    if by_label:
        lines.append("  mean and median by error label:")
    for name in filter(by_label.__contains__, ERROR_LABELS):
        lines.append(mean_row(by_label[name], f"  {name}", "mean"))
        lines.append(mean_row(by_label[name], "    median", "median"))
    return "\n".join(lines)


def _rollouts(found: Mapping[str, Any]) -> str:
    lines = [section(f"Rollouts (up to {found['rollouts_per_item_max']} a question)")]
    for k, one in found["pass_at_k"].items():
        lines.append(rate_row(one | {"value_n": one["n"]}, f"pass@{k}", "value"))
    lines += [
        rate_row(found, "majority vote", "majority_vote_accuracy"),
        rate_row(found, "agreement of answers", "agreement"),
    ]
    return "\n".join(lines)


def _splits(summary: Summary) -> str:
    lines = [section("Splits")]
    for name, figures in summary["by_split"].items():
        lines += [
            f"  {fitted(name, WIDTH - 4).rstrip()}",
            rate_row(figures, "  accuracy", "accuracy"),
            mean_row(figures, "  F1, macro", "f1_macro"),
        ]
        if "error_distribution" in figures:
            lines += [
                mean_row(figures, "  edge F1, with signs", "edge_f1"),
                mean_row(figures, "  hallucinated pairs", "hallucination_rate", percent),
                _outside(figures, "  ... gold's own share outside"),
            ]
    return "\n".join(lines)


def _warnings(summary: Summary) -> str:
    lines = []
    for warning in summary["warnings"]:
        lines += wrap(f"Warning: {warning}", indent="  ")
    lines += wrap(
        "  Headlines that rest on implied answers are withheld; they are under 'withheld' in the "
        "summary file.",
        indent="  ",
    )
    return "\n".join(lines)
