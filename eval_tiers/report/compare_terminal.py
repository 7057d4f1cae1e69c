"""A comparison of runs as a terminal shows it: at most 80 columns but for paths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from eval_tiers.report.compare_words import (
    MEASURES,
    bowker_text,
    change_text,
    cluster_text,
    counted,
    detectable_text,
    flip_excerpt,
    flip_labels,
    flip_place,
    gate_text,
    interval_text,
    mcnemar_text,
    names_of,
    only_text,
    p_text,
    run_name,
    value_text,
    verdict_text,
)
from eval_tiers.report.lines import Summary, count_text, fitted, visible, wrap

_DIMENSIONS: Final = {
    "split": "Splits",
    "pert_type": "Perturbation types",
    "context": "Contexts",
    "item_type": "Item types",
}


def render_comparison(summary: Summary) -> str:
    """Return a comparison as text: runs, then measures, slices, labels and flips of each pair.

    Parameters
    ----------
    summary : mapping
        As `eval_tiers.pipeline.comparison.compare_folders` gives it.
    """
    parts = [_head(summary)]
    for found in summary["comparisons"]:
        names = names_of(found)
        parts += [_measures(found, names), *_slices(found, names), _labels(found, names)]
        parts.append(_flips(found, names))
        by_interval = summary["gate_by_interval"]
        parts.append("\n".join(gate_text(gate, names, by_interval) for gate in found["gates"]))
    return "\n\n".join(part for part in parts if part)


def _head(summary: Summary) -> str:
    lines = [
        f"Comparison of {len(summary['runs'])} runs, format {summary['format']}, "
        f"{visible(cluster_text(summary['cluster']))}"
    ]
    if summary["forced"]:
        lines.append(f"  may differ, as asked for: {', '.join(summary['forced'])}")
    lines += [
        f"  {run_name(place)}  {visible(run['folder'])}"
        for place, run in enumerate(summary["runs"])
    ]
    return "\n".join(lines)


def _measures(found: Mapping[str, Any], names: Sequence[str]) -> str:
    lines = [
        f"{names[1]} against {names[0]}: {counted(found['n'], 'row')} of both, "
        f"{counted(found['cluster_n'], 'cluster')}",
        f"  {'':<24}{names[0]:>8}{names[1]:>8}{f'{names[1]} - {names[0]}':>9}  "
        f"{'95 % interval':<18}{'n':>9}",
    ]
    for key, one in found["measures"].items():
        values = f"{value_text(key, one['first']):>8}{value_text(key, one['second']):>8}"
        change = change_text(key, one["difference"])
        interval = fitted(interval_text(key, one), 18) if one["null_reason"] is None else ""
        n = count_text(one["difference_n"])
        title = fitted(MEASURES.get(key, key), 24)
        lines.append(f"  {title}{values}{change:>9}  {interval:<18}{n:>9}")
        if one["null_reason"] is not None:
            lines.append(f"      no interval: {interval_text(key, one)}")
        lines += _of_runs(key, one, names)
    for text in (mcnemar_text(found, names), verdict_text(found), *only_text(found, names)):
        lines += wrap(f"  {visible(text)}", indent="    ")
    return "\n".join(lines)


def _of_runs(key: str, one: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """Return the line of the intervals of both runs by themselves, where there are any."""
    said = [
        f"{name} [{value_text(key, one[f'{side}_low'])}, {value_text(key, one[f'{side}_high'])}]"
        for name, side in zip(names, ("first", "second"), strict=True)
        if one[f"{side}_low"] is not None
    ]
    return [f"      {'  '.join(said)}"] if said else []


def _slices(found: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    tables = []
    for dimension in dict.fromkeys(part["dimension"] for part in found["slices"]):
        title = fitted(_DIMENSIONS.get(dimension, dimension), 24)
        lines = [
            f"{title}{'n':>8}{names[0]:>8}{names[1]:>8}{f'{names[1]} - {names[0]}':>8}  "
            f"{'95 % interval':<16}{'Holm p':>6}"
        ]
        for part in found["slices"]:
            if part["dimension"] != dimension:
                continue
            one = part["measures"]["accuracy"]
            interval = "-" if one["difference_low"] is None else interval_text("accuracy", one)
            name = "(none)" if part["value"] is None else part["value"]
            lines.append(
                f"  {fitted(name, 22)}{count_text(part['n']):>8}"
                f"{value_text('accuracy', one['first']):>8}"
                f"{value_text('accuracy', one['second']):>8}"
                f"{change_text('accuracy', one['difference']):>8}  "
                f"{interval:<16}{p_text(part['mcnemar']['p_holm']):>6}"
            )
            lines += _of_runs("accuracy", one, names)
        tables.append("\n".join([*lines, *_detectable(found, dimension)]))
    return tables


def _detectable(found: Mapping[str, Any], dimension: str) -> list[str]:
    """Return what would have been found where no difference is shown, as a sentence."""
    parts = [
        f"{'(none)' if part['value'] is None else part['value']} {detectable_text(part)}"
        for part in found["slices"]
        if part["dimension"] == dimension and part["difference_shown"] is not True
    ]
    if not parts:
        return []
    text = (
        "No difference is shown in these; the least, in points, that would be found four times "
        f"out of five (- none): {', '.join(parts)}"
    )
    return wrap(f"  {visible(text)}", indent="    ")


def _labels(found: Mapping[str, Any], names: Sequence[str]) -> str:
    labels = found["labels"]
    if not labels["names"]:
        return ""
    of = "error labels" if found["labels_are"] == "error_label" else "outcomes (no tier 2)"
    lines = [f"From {of} of {names[0]} (rows) to those of {names[1]} (columns)"]
    if labels["moved_n"]:
        numbers = range(1, len(labels["names"]) + 1)
        width = min(6, 72 // len(labels["names"]))
        lines.append(" " * 7 + "".join(f"{place:>{width}}" for place in numbers))
        for place, name in zip(numbers, labels["names"], strict=True):
            cells = labels["matrix"][name].values()
            row = "".join(f"{_short(cell, width - 1):>{width}}" for cell in cells)
            lines.append(f"  {place:>5}{row}")
        for place, name in zip(numbers, labels["names"], strict=True):
            lines.append(f"  {place:>5} {name}")
    return "\n".join([*lines, *wrap(f"  {bowker_text(found)}", indent="    ")])


def _short(count: int, width: int) -> str:
    """Return a count in few columns: ``.`` for 0, thousands as k, millions as M."""
    if count == 0:
        return "."
    for text in (str(count), f"{count / 1e3:.0f}k", f"{count / 1e6:.0f}M"):
        if len(text) <= width:
            return text
    return "#" * width


def _flips(found: Mapping[str, Any], names: Sequence[str]) -> str:
    if not found["flips"]:
        return ""
    shown = len(found["flips"])
    lines = [f"Flips, {shown} of {count_text(found['flip_n'])}, the most informative first"]
    for flip in found["flips"]:
        where = [flip.get(key) for key in ("split", "pert_type", "context", "item_type", "rollout")]
        place = ", ".join(str(one) for one in where if one is not None)
        lines += wrap(
            f"  {visible(str(flip['sample_id']))}{f' ({visible(place)})' if place else ''}, gold "
            f"{flip['gold_label']}: {flip_labels(flip, 'first')} -> {flip_labels(flip, 'second')}",
            indent="    ",
        )
        for name, side in zip(names, ("first", "second"), strict=True):
            lines.append(f"    {name}  {visible(flip_place(flip, side))}")
            if flip[f"{side}_prediction_path"] is not None:
                lines += wrap(f"       {visible(flip_excerpt(flip, side))}", indent="       ")
    return "\n".join(lines)
