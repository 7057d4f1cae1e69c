"""The report's section on stated confidence: whether it is what it says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eval_tiers.report.html.figures import plain_table, rate_figure
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
)
from eval_tiers.report.lines import number


def confidence_section(summary: Mapping[str, Any]) -> Section | None:
    """Return calibration and what confidence is good for; None where none is stated."""
    found = summary.get("calibration")
    if not found:
        return None
    figures = [_overall(found), _bins(found), _coverage(found)]
    if found.get("label_prob"):
        figures.append(_labels(found["label_prob"]))
    text = f"{found['n']:,} answers state a confidence, {found['missing_n']:,} do not."
    return Section("confidence", "Stated confidence", tuple(figures), text)


def _overall(found: Mapping[str, Any]) -> Figure:
    rows = named(found, [("accuracy", "accuracy of these answers")])
    rows += named(found, [("mean_confidence", "mean confidence")], 2)
    rows += named(found, [("brier", "Brier score")], 1)
    error = rate_of(found, "expected_calibration_error", found["n"])
    rows.append(Named("expected calibration error", "expected_calibration_error", error, 1))
    return rate_figure(
        "confidence-overall",
        "Confidence against accuracy",
        "How sure the model says it is (diamond), and how often it is right (circle).",
        "A diamond to the right of the circle is overconfidence. Squares are errors: 0 is best; "
        "a Brier score of .25 is what always saying 50 % earns.",
        rows,
        number,
    )


def _bins(found: Mapping[str, Any]) -> Figure:
    rows = []
    for part in found["bins"]:
        if part["n"]:
            name = f"confidence {part['low']:g} to {part['high']:g}"
            rows.append(Named(name, "", rate_of(part, "accuracy", part["n"])))
            rows.append(Named("... stated", "", rate_of(part, "mean_confidence", part["n"]), 2))
    return rate_figure(
        "confidence-bins",
        "Accuracy by stated confidence",
        "Accuracy of answers of like confidence (circle) beside the confidence that they state "
        "(diamond).",
        "Where the interval does not reach the diamond, the confidence is not what it says.",
        rows,
        number,
    )


def _coverage(found: Mapping[str, Any]) -> Figure:
    curve = found["risk_coverage"]
    points = curve["points"]
    step = max(1, len(points) // 10)
    rows = []
    for point in [*points[:-1:step], *points[-1:]]:
        rate = rate_of(point, "risk", point["n"])
        rows.append(Named(f"the surest {100 * point['coverage']:.0f}%", "", rate, 1))
    area = "undefined" if curve["aurc"] is None else number(curve["aurc"])
    if curve.get("aurc_low") is not None:
        area += f" [{number(curve['aurc_low'])}, {number(curve['aurc_high'])}], n {curve['n']:,}"
    return rate_figure(
        "confidence-coverage",
        "Risk by coverage",
        "Share of wrong answers among the surest ones.",
        "If confidence is good for anything, the risk rises downwards; a flat column says that it "
        "tells nothing.",
        rows,
        notes=[f"Area under the curve: {area}; all answers together: the last row."],
    )


def _labels(found: Mapping[str, Any]) -> Figure:
    title = "Probabilities of all labels"
    rows: list[tuple[str, list[str | Cell]]] = [
        (
            f"AUROC per gene: {label}",
            [
                value_cell(one["auroc"], number),
                interval_text(one["auroc_low"], one["auroc_high"], number) or NO_INTERVAL,
                count_cell(one["auroc_n"]),
                count_cell(one["skipped_gene_n"]),
            ],
        )
        for label, one in found["auroc_per_gene"].items()
    ]
    brier: list[str | Cell] = [
        value_cell(found["brier"], number),
        interval_text(found["brier_low"], found["brier_high"], number) or NO_INTERVAL,
        count_cell(found["brier_n"]),
        "",
    ]
    columns = ("figure", "value", "95 % interval", "n", "genes of one class, skipped")
    return Figure(
        title,
        "How far the probabilities of labels tell them apart, within each gene.",
        "AUROC .5 is chance. The Brier score is over all labels, from 0 (best) to 2.",
        "",
        (plain_table(title, columns, [*rows, ("Brier score", brier)]),),
    )
