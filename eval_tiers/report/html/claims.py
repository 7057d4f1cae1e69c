"""The report's sections on RR-10: traps and controls, pairs, contexts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from eval_tiers.report.html.answers import class_table
from eval_tiers.report.html.figures import count_figure, matrix_figure, plain_table, rate_figure
from eval_tiers.report.html.model import (
    NO_INTERVAL,
    Cell,
    Figure,
    Named,
    Section,
    count_cell,
    interval_text,
    named,
    rate_of,
    value_cell,
    whole_cell,
)
from eval_tiers.report.html.squares import trade_off
from eval_tiers.report.lines import interval_text as shown_text
from eval_tiers.report.lines import number, percent

_SIDES: Final = ("trap_overclaim_rate", "control_abstention_rate")


def claim_section(summary: Mapping[str, Any]) -> Section:
    """Return how traps and controls were answered, alone and in pairs."""
    rows = named(
        summary,
        [
            ("accuracy_total", "accuracy, all items"),
            ("coverage", "coverage (a valid label)"),
        ],
    )
    rows += named(
        summary, [("trap_accuracy", "traps right"), ("trap_invalid_rate", "traps invalid")], 3
    )
    rows += named(
        summary,
        [
            ("control_accuracy", "controls right"),
            ("control_wrong_direction_rate", "controls, wrong direction"),
        ],
        1,
    )
    rows += named(
        summary,
        [
            ("paired_directional_robustness", "pairs with both right (PDR)"),
            ("pair_complete_rate", "pairs with both answered"),
            ("trap_times_control_accuracy", "trap x control accuracy"),
        ],
        2,
    )
    rows.append(Named("F1, macro", "macro_f1", rate_of(summary, "macro_f1", summary["n"])))
    answers = rate_figure(
        "claims",
        "Traps, controls and pairs",
        "Traps: datasets disagree, so that 'indeterminate' is right. Controls: they agree.",
        "Triangles are traps, squares controls, diamonds pairs, circles all items. Never read "
        "traps without controls: always 'indeterminate' has every trap. No constant answer has "
        "any pair.",
        rows,
        notes=_probe(summary),
    )
    figures = [answers, _trade_off(summary), _pairs(summary), _confusion(summary)]
    reasons = {name: n for name, n in summary["invalid_reasons"].items() if n}
    if reasons:
        figures.append(
            count_figure(
                "invalid",
                "Why there is no valid label",
                "Answers without a valid label, by reason.",
                "Each is scored as wrong; the share is of all of them.",
                reasons,
            )
        )
    return Section("answers", "Answers", tuple(figures), str(summary["status"]) + ".")


def _probe(summary: Mapping[str, Any]) -> list[str]:
    probe = summary["artefact_probe"]
    if probe["auroc"] is None:
        return ["Artefact probe: undefined, traps and controls are not both there."]
    return [
        f"Artefact probe: the number of datasets alone tells traps from controls with AUROC "
        f"{number(probe['auroc'])}{shown_text(probe, 'auroc', number)} (.5 is chance); best "
        f"accuracy {percent(probe['best_accuracy'])}, majority {percent(probe['majority'])}, "
        f"n {probe['n']:,}."
    ]


def _trade_off(summary: Mapping[str, Any]) -> Figure:
    title = "Overclaiming against abstaining"
    shows = (
        "Share of traps answered with a direction (upwards), and share of controls answered "
        "'indeterminate' (to the right)."
    )
    over, abstained = (rate_of(summary, key) for key in _SIDES)
    names = ("traps overclaimed", "controls abstained on")
    rows: list[tuple[str, list[str | Cell]]] = [
        (
            name,
            [
                value_cell(rate.value),
                interval_text(rate.low, rate.high) or NO_INTERVAL,
                "" if rate.n is None else count_cell(rate.n),
            ],
        )
        for name, rate in zip(names, (over, abstained), strict=True)
    ]
    return Figure(
        title,
        shows,
        "The lower left corner is best. A model that only becomes more careful moves along the "
        "line from one corner to the other; one that reads the evidence moves off it, down and "
        "left. Bars are 95 % intervals.",
        trade_off("trade-off", title, shows, over, abstained),
        (plain_table(title, ("figure", "value", "95 % interval", "n"), rows),),
    )


def _pairs(summary: Mapping[str, Any]) -> Figure:
    matrix = {row: {"control right": 0.0, "control not right": 0.0} for row in
              ("trap right", "trap not right")}  # fmt: skip
    for pair in summary["per_pair"]:
        trap, control = pair["trap_right"], pair["control_right"]
        if trap is None or control is None:
            continue
        for row, x in (("trap right", trap), ("trap not right", 1 - trap)):
            for column, y in (("control right", control), ("control not right", 1 - control)):
                matrix[row][column] += x * y
    whole = {
        row: {name: int(n) if float(n).is_integer() else n for name, n in cells.items()}
        for row, cells in matrix.items()
    }
    return matrix_figure(
        "pairs",
        "Pairs of trap and control",
        "How many pairs have trap and control right, one of them, or neither.",
        "The upper left cell is PDR. Shares are of all pairs.",
        whole,
        "trap, control",
        "all",
    )


def _confusion(summary: Mapping[str, Any]) -> Figure:
    matrix = {f"gold {gold}": dict(row) for gold, row in summary["confusion_matrix"].items()}
    figure = matrix_figure(
        "confusion",
        "Gold label against answer",
        "How often each gold label (row) was answered with each label (column), or with no valid "
        "one.",
        "Shares are of the row; the diagonal is right.",
        matrix,
        "gold, answered",
    )
    tables = (*figure.tables, class_table(summary["class_metrics"]))
    return Figure(figure.title, figure.shows, figure.reads, figure.chart, tables)


def context_section(summary: Mapping[str, Any]) -> Section | None:
    """Return traps, controls and pairs of each organism and tissue."""
    rows: list[Named] = []
    for context, found in summary["per_context"].items():
        for key, name, series in (
            ("trap_accuracy", "traps", 3),
            ("control_accuracy", "controls", 1),
            ("paired_directional_robustness", "PDR", 2),
        ):
            rows.append(
                Named(f"{context} {name}", f"per_context.{context}.{key}", rate_of(found, key),
                      series)
            )  # fmt: skip
    if not rows:
        return None
    figure = rate_figure(
        "contexts-rates",
        "By context",
        "Traps right, controls right and pairs with both right, by organism and tissue.",
        "Triangles are traps, squares controls, diamonds pairs. Contexts with few pairs have wide "
        "intervals: read no order into them.",
        rows,
    )
    lines = [
        (
            context,
            [
                count_cell(found["n"]),
                whole_cell(rate_of(found, "accuracy")),
                whole_cell(rate_of(found, "trap_overclaim_rate")),
                whole_cell(rate_of(found, "control_abstention_rate")),
                count_cell(found.get("invalid_or_missing") or 0),
            ],
        )
        for context, found in summary["per_context"].items()
    ]
    columns = ("context", "n", "accuracy", "overclaimed", "abstained", "invalid or missing")
    more = plain_table("Other figures by context: value [95 % interval] (n)", columns, lines)
    return Section(
        "contexts",
        "By context",
        (Figure(figure.title, figure.shows, figure.reads, figure.chart, (*figure.tables, more)),),
    )
