"""The report's section on rubrics without a score, and on rows that are none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eval_tiers.report.html.figures import count_figure, plain_table
from eval_tiers.report.html.model import Cell, Figure, Section
from eval_tiers.report.lines import count_text

Summary = Mapping[str, Any]


def coverage_section(summary: Summary) -> Section:
    """Return where every expected pair ended, and the rows that are listed."""
    coverage = summary["coverage"]
    figures = [
        count_figure(
            "rubric-coverage",
            f"Expected pairs of sample and rubric: {count_text(coverage['pair_n'])}",
            "Every expected pair ends in exactly one state.",
            "failed: the examiner gave no verdict; rejected: the row contradicts itself; conflict: "
            "rows say different things; ambiguous: rows can't be told apart. None of them is a "
            "score.",
            {name: n for name, n in coverage["pairs"].items() if n},
            coverage["pair_n"],
            key="coverage.pairs",
        )
    ]
    pairs: list[tuple[str, list[str | Cell]]] = [
        (
            pair["sample_id"],
            [_rubric(pair), _weight(pair["weight"]), pair["state"], pair["reason"], _place(pair)],
        )
        for pair in summary["unscored_pairs"]
    ]
    if pairs:
        columns = ("sample", "rubric", "weight", "state", "reason", "where")
        figures.append(_listing("Rubrics without a score", columns, pairs))
    for key, title in (
        ("rejected_rows", "Rejected and unreadable rows"),
        ("extra_rows", "Rows of no rubric"),
        ("duplicate_rows", "Rubrics with several rows"),
    ):
        rows: list[tuple[str, list[str | Cell]]] = [
            (one["sample_id"] or "", [one["code"], one["message"], _place(one)])
            for one in summary[key]
        ]
        if rows:
            figures.append(_listing(title, ("sample", "code", "what", "where"), rows))
    return Section("coverage", "Coverage", tuple(figures))


def _listing(
    title: str, columns: Sequence[str], rows: Sequence[tuple[str, list[str | Cell]]]
) -> Figure:
    return Figure(title, "", "", "", (plain_table(title, columns, rows),))


def _weight(value: float | None) -> str | Cell:
    return "unknown" if value is None else Cell(f"{value:g}", value)


def _rubric(pair: Summary) -> str:
    place, criterion = pair["rubric_index"], pair["criterion"] or ""
    return criterion if place is None else f"{place}: {criterion}"


def _place(found: Summary) -> str:
    path, line = found["path"], found["line"]
    return "" if path is None else str(path) if line is None else f"{path}:{line}"
