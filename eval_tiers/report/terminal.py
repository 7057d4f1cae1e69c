"""The summary as a terminal shows it: at most 80 columns, plain text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eval_tiers.domain.taxonomy import ERROR_LABELS
from eval_tiers.report.calibration_terminal import render_calibration
from eval_tiers.report.lines import (
    Summary,
    count_text,
    fitted,
    ledger_text,
    mean_row,
    number,
    percent,
    plain_row,
    rate_row,
    section,
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
    return (
        f"{title}\n{count_text(summary['n'])} questions, format {summary['format']}, tiers {tiers}"
    )


def _answers(summary: Summary) -> str:
    lines = [
        section("Answers"),
        rate_row(summary, "accuracy", "accuracy"),
        plain_row("balanced accuracy", percent(summary["balanced_accuracy"])),
        plain_row("F1, macro", number(summary["f1_macro"])),
        plain_row("F1, weighted", number(summary["f1_weighted"])),
        rate_row(summary, "no answer found (parse failures)", "parse_failure_rate"),
        *_reasons(summary["parse_failure_reasons"]),
        plain_row("opposite direction, of changed", percent(summary["opposite_direction_rate"])),
        f"  extraction band: accuracy {percent(summary['accuracy'])} by the strict reading, "
        f"{percent(summary['accuracy_lenient'])} leniently",
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
        "random": "random",
        "train_readout_majority": "training majority of the gene",
        "kg_shortest_path": "KG shortest path",
    }
    lines = ["  baselines, accuracy:"]
    for key, name in names.items():
        found = baselines.get(key)
        if found is None:
            continue
        low, high, n = (found.get(f"accuracy_{part}") for part in ("low", "high", "n"))
        interval = "" if low is None else f"[{percent(low)}, {percent(high)}]"
        lines.append(
            plain_row(
                f"  {name}",
                percent(found["accuracy"]),
                interval,
                "" if n is None else count_text(n),
            )
        )
    return lines


def _chains(summary: Summary) -> str:
    hub = summary["hub"]
    ceiling = summary["gold_in_kg_rate"]
    band = summary["contradicted_band"]
    lines = [
        section("Chains"),
        mean_row(summary, "edge F1, with signs", "edge_f1"),
        mean_row(summary, "edge F1, signs aside", "edge_f1_relaxed"),
        rate_row(summary, "chain leads to the readout", "connected_rate"),
        rate_row(summary, "... over edges in the KG", "kg_connected_rate"),
        mean_row(summary, "hallucinated pairs (not in the KG)", "hallucination_rate", percent),
        plain_row(
            "... gold's own share outside",
            percent(None if ceiling is None else 1 - ceiling),
            n=count_text(summary["gold_in_kg_rate_n"]),
        ),
        *_band(band, summary["predicted_pair_n"]),
        *_hub(hub),
        *_grounded(summary),
        rate_row(summary, "hard cases", "hard_case_rate"),
    ]
    return "\n".join(lines)


def _band(band: Sequence[float] | None, pair_n: int) -> list[str]:
    if band is None:
        return ["  contradicted by the KG: undefined, no pair was predicted"]
    text = (
        "  contradicted by the KG, or at most (with unsupported): "
        f"{percent(band[0])} - {percent(band[1])} of {count_text(pair_n)}"
    )
    return wrap(text, indent="    ")


def _hub(hub: Mapping[str, Any]) -> list[str]:
    if hub["lift"] is None:
        return ["  hub lift: undefined, no predicted pair has both nodes in the KG"]
    return [
        f"  hub lift {number(hub['lift'])}: {percent(hub['observed'])} of pairs with known nodes "
        "are in the KG,",
        f"    {percent(hub['expected'])} would be by their degrees alone",
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
    by_label = summary.get("go_sim_by_error_label", {})
    head = f"{'Error labels':<36}{'n':>9}{'share':>9}"
    if by_label:
        head += f"{'GO mean':>11}{'median':>9}"
    lines = [head]
    for name in ERROR_LABELS:
        count = summary["error_distribution"][name]
        line = f"  {name:<34}{count_text(count):>9}"
        line += f"{percent(summary['error_rate_by_label'][name]):>9}"
        if by_label:
            found = by_label.get(name, {})
            line += f"{number(found.get('mean')):>11}{number(found.get('median')):>9}"
        lines.append(line)
    unlabelled = summary["error_label_null_n"]
    if unlabelled:
        lines.append(f"  {'(right, nothing to judge by)':<34}{count_text(unlabelled):>9}")
    return "\n".join(lines)


def _go_sets(summary: Summary) -> str:
    nulls = {name: n for name, n in summary["go_null_reasons"].items() if n}
    lines = [
        section("GO similarity of chains"),
        mean_row(summary, "mean", "go_sim_mean"),
        plain_row("median", number(summary["go_sim_median"])),
        mean_row(summary, "mean without identical gene sets", "go_sim_nontrivial_mean"),
        plain_row("median without them", number(summary["go_sim_nontrivial_median"])),
        plain_row(
            "mean above random gene sets",
            number(summary["go_excess_mean"]),
            n=count_text(summary["go_excess_n"]),
        ),
    ]
    if nulls:
        text = ", ".join(f"{name} {count_text(n)}" for name, n in nulls.items())
        lines += wrap(f"  undefined: {text}", indent="    ")
    return "\n".join(lines)


def _rollouts(found: Mapping[str, Any]) -> str:
    passes = ", ".join(f"pass@{k} {percent(v['value'])}" for k, v in found["pass_at_k"].items())
    return "\n".join(
        [
            f"Rollouts (up to {found['rollouts_per_item_max']} a question)",
            *wrap(f"  {passes}", indent="    "),
            f"  majority vote {percent(found['majority_vote_accuracy'])}, "
            f"agreement {percent(found['agreement'])}",
        ]
    )


def _splits(summary: Summary) -> str:
    chains = "error_distribution" in summary
    head = f"{'Splits':<23}{'n':>10}{'accuracy':>10}{'macro F1':>10}"
    if chains:
        head += f"{'edge F1':>9}{'halluc.':>9}{'gold out':>9}"
    lines = [head]
    for name, figures in summary["by_split"].items():
        line = (
            f"  {fitted(name, 21)}{count_text(figures['n']):>10}{percent(figures['accuracy']):>10}"
        )
        line += f"{number(figures['f1_macro']):>10}"
        if chains:
            ceiling = figures["gold_in_kg_rate"]
            line += f"{number(figures['edge_f1']):>9}{percent(figures['hallucination_rate']):>9}"
            line += f"{percent(None if ceiling is None else 1 - ceiling):>9}"
        lines.append(line)
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
