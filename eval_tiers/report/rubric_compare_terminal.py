"""A comparison of judged rubrics as a terminal shows it: at most 80 columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from eval_tiers.report.compare_words import (
    MEASURES,
    change_text,
    counted,
    gate_text,
    interval_text,
    names_of,
    p_text,
    run_name,
    value_text,
)
from eval_tiers.report.lines import Summary, count_text, fitted, visible, wrap
from eval_tiers.report.rubric_compare_words import (
    RATES,
    TITLES,
    WHAT,
    agreement_text,
    bowker_text,
    confidence_text,
    left_out_text,
    mcnemar_text,
    rubric_name,
    slice_cells,
    verdict_text,
    weight_text,
)

_EXCERPT: Final = 150


def render_rubric_comparison(summary: Summary) -> str:
    """Return a comparison as text: results, then measures, slices, verdicts, flips of each pair.

    Parameters
    ----------
    summary : mapping
        As `eval_tiers.pipeline.rubrics.compare.compare_rubric_results` gives it.
    """
    parts = [_head(summary)]
    for found in summary["comparisons"]:
        names = names_of(found)
        parts += [_measures(found, names), *_slices(found, names), _verdicts(found, names)]
        parts.append(_flips(found, names))
        by_interval = summary["gate_by_interval"]
        parts.append("\n".join(gate_text(gate, names, by_interval) for gate in found["gates"]))
    return "\n\n".join(part for part in parts if part)


def _head(summary: Summary) -> str:
    lines = [f"Comparison of {len(summary['runs'])} systems' judged reports, by sample and rubric"]
    if summary["forced"]:
        lines.append(f"  may differ, as asked for: {', '.join(summary['forced'])}")
    for place, run in enumerate(summary["runs"]):
        lines.append(f"  {run_name(place)}  {visible(run['path'])}")
        models = ", ".join(run["models"]) or "unknown"
        lines += wrap(f"     judged by {visible(models)}", "       ")
    return "\n".join(lines)


def _measures(found: Mapping[str, Any], names: Sequence[str]) -> str:
    change = f"{names[1]} - {names[0]}"
    lines = [
        f"{names[1]} against {names[0]}: {counted(found['n'], 'rubric')} with a verdict in both, "
        f"{counted(found['sample_n'], 'sample')}",
        f"  {'':<24}{names[0]:>8}{names[1]:>8}{change:>9}  {'95 % interval':<18}{'n':>9}",
    ]
    for key in ("compliance", *RATES):
        one = found["measures"][key]
        values = f"{value_text(key, one['first']):>8}{value_text(key, one['second']):>8}"
        interval = fitted(interval_text(key, one), 18) if one["null_reason"] is None else ""
        lines.append(
            f"  {fitted(MEASURES[key], 24)}{values}{change_text(key, one['difference']):>9}  "
            f"{interval:<18}{count_text(one['difference_n']):>9}"
        )
        if one["null_reason"] is not None:
            lines.append(f"      no interval: {interval_text(key, one)}")
    texts = [verdict_text(found, "compliance")]
    for rate in ("failure_rate", "satisfied_rate"):
        texts += [mcnemar_text(found, rate, names), verdict_text(found, rate)]
    for text in (*texts, agreement_text(found), *left_out_text(found, names)):
        lines += wrap(f"  {visible(text)}", "    ")
    return "\n".join(lines)


def _slices(found: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    tables = []
    change = f"{names[1]} - {names[0]}"
    for dimension in dict.fromkeys(part["dimension"] for part in found["slices"]):
        lines = [
            f"Failures by {TITLES[dimension]}",
            f"  {'':<20}{names[0]:>7}{names[1]:>7}{change:>8}  {'95 % interval':<17}{'n':>7}"
            f"{'Holm p':>8}",
        ]
        for part in found["slices"]:
            if part["dimension"] == dimension:
                one = part["measures"]["failure_rate"]
                first, second, moved = slice_cells(part, "failure_rate")
                interval = interval_text("failure_rate", one) if one["null_reason"] is None else ""
                lines.append(
                    f"  {fitted(visible(part['value']), 20)}{first:>7}{second:>7}{moved:>8}  "
                    f"{fitted(interval, 17)}{count_text(part['n']):>7}"
                    f"{p_text(one['mcnemar']['p_holm']):>8}"
                )
        tables.append("\n".join(lines))
    if tables:
        note = wrap(
            "  Holm's p goes over all slices; where none is small, no difference is shown, not "
            "none there.", "  "
        )  # fmt: skip
        tables[-1] = "\n".join([tables[-1], *note])
    return tables


def _verdicts(found: Mapping[str, Any], names: Sequence[str]) -> str:
    verdicts = found["verdicts"]
    if not verdicts["names"]:
        return ""
    lines = [
        f"From verdicts of {names[0]} (rows) to those of {names[1]} (columns)",
        " " * 22 + "".join(f"{_short(name):>13}" for name in verdicts["names"]),
    ]
    lines += [
        f"  {name:<20}" + "".join(f"{count_text(n):>13}" for n in row.values())
        for name, row in verdicts["matrix"].items()
    ]
    return "\n".join([*lines, *wrap(f"  {bowker_text(found)}", "    ")])


def _short(verdict: str) -> str:
    short = verdict.replace("Partially", "Part.")
    return short.replace("Satisfied", "Sat.") if " " in verdict else verdict


def _flips(found: Mapping[str, Any], names: Sequence[str]) -> str:
    if not found["flips"]:
        return ""
    shown = len(found["flips"])
    lines = [f"Flips, {shown} of {count_text(found['flip_n'])}, the most informative first"]
    for flip in found["flips"]:
        lines += wrap(
            f"  {visible(rubric_name(flip))}, weight {weight_text(flip['weight'])}, a "
            f"{WHAT[flip['what']]} of {names[1]}: {visible(_excerpt(flip['criterion']))}", "    "
        )  # fmt: skip
        for name, side in zip(names, ("first", "second"), strict=True):
            said = f"    {name}  {confidence_text(flip, side)}: "
            lines += wrap(said + visible(_excerpt(flip[f"{side}_reasoning"])), "       ")
    return "\n".join(lines)


def _excerpt(text: str | None) -> str:
    """Return the beginning of a text on one line."""
    words = " ".join((text or "no reasoning").split())
    return words if len(words) <= _EXCERPT else f"{words[:_EXCERPT].rstrip()} ..."
