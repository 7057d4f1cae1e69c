"""What relabelling changed, as a terminal shows it: at most 80 columns, plain text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from eval_tiers.domain.taxonomy import ERROR_LABELS
from eval_tiers.report.lines import (
    Summary,
    count_text,
    number,
    percent,
    rate_row,
    section,
    wrap,
)

_RATIO: Final = "wrong_correct_chain_to_wrong_no_path"
_RATES: Final = (
    ("hard_case_rate", "hard cases"),
    ("correct_clean_rate", "right, none outside the KG"),
    ("supported_answer_rate", "right, by its evidence"),
    ("hallucination_rate", "hallucinated pairs"),
    ("hallucination_rate_excl_gold", "... gold never counting"),
    ("gold_in_kg_rate", "gold pairs in the KG"),
    (_RATIO, "right chain to no path"),
)


def render_relabelled(before: Summary, after: Summary) -> str:
    """Return what changed: settings, labels before and after, transitions, rates.

    Parameters
    ----------
    before, after : mapping
        Summaries of the run and of the relabelled one.
    """
    changes = after["relabelled"]
    parts = [_head(changes), _labels(before, after), _rates(before, after)]
    moved = _transitions(changes["transitions"])
    if moved:
        parts.append(moved)
    for key, reason in changes["not_worked_out"].items():
        parts.append("\n".join(wrap(f"{key}: label figures are null: {reason}", "  ")))
    return "\n\n".join(parts)


def _head(changes: Mapping[str, Any]) -> str:
    lines = [
        f"{count_text(changes['changed_n'])} of {count_text(changes['row_n'])} rows have another "
        f"error label, {count_text(changes['hard_case_changed_n'])} another hard_case"
    ]
    for name, values in changes["settings"].items():
        lines.append(f"  {name}: {values['before']} -> {values['after']}")
    if not changes["settings"]:
        lines.append("  the settings are those of the run")
    return "\n".join(lines)


def _labels(before: Summary, after: Summary) -> str:
    lines = [f"{'Error labels':<34}{'before':>10}{'after':>10}{'change':>10}"]
    old, new = before["error_distribution"], after["error_distribution"]
    rows = [(name, old[name], new[name]) for name in ERROR_LABELS]
    rows.append(
        ("(right, nothing to judge by)", before["error_label_null_n"], after["error_label_null_n"])
    )
    for name, first, second in rows:
        change = f"{second - first:+,}" if second != first else ""
        lines.append(f"  {name:<32}{count_text(first):>10}{count_text(second):>10}{change:>10}")
    return "\n".join(line.rstrip() for line in lines)


def _rates(before: Summary, after: Summary) -> str:
    lines = [section("Rates")]
    for key, name in _RATES:
        render = number if key == _RATIO else percent
        if key in after and key in before:
            lines.append(rate_row(before, f"{name}, before", key, render))
        if key in after:
            lines.append(rate_row(after, f"{name}, now", key, render))
    return "\n".join(lines)


def _transitions(rows: Mapping[str, Mapping[str, int]]) -> str:
    moves = [
        (n, first, second)
        for first, columns in rows.items()
        for second, n in columns.items()
        if first != second
    ]
    if not moves:
        return ""
    lines = ["Rows that changed"]
    for n, first, second in sorted(moves, key=lambda move: (-move[0], *move[1:])):
        lines.append(f"  {count_text(n):>9}  {first} -> {second}")
    return "\n".join(lines)
