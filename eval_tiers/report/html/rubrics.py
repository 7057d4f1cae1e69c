"""The report of judged rubrics: scores, failures, coverage, costs, agreement with people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from eval_tiers.exceptions import BadInputError, Problem
from eval_tiers.report.html.figures import plain_table, rate_figure
from eval_tiers.report.html.model import (
    Cell,
    Figure,
    Named,
    Report,
    Section,
    count_cell,
    rate_of,
    tile,
    value_cell,
)
from eval_tiers.report.html.provenance import run_section
from eval_tiers.report.html.rubric_agreement import (
    READS_CLUSTERED,
    agreement_section,
    agreement_tiles,
)
from eval_tiers.report.html.rubric_coverage import coverage_section
from eval_tiers.report.lines import count_text, number

_DIMENSIONS: Final = {
    "domain": "domain", "conceptual_breadth": "conceptual breadth",
    "logical_nesting": "logical nesting", "exploration": "exploration",
}  # fmt: skip
_POLICIES: Final = ("strict", "exclude", "zero")
Summary = Mapping[str, Any]


def build_rubric_report(summary: Summary, agreement: Summary | None = None) -> Report:
    """Put the report of judged rubrics together.

    Parameters
    ----------
    summary : mapping
        As scoring writes it.
    agreement : mapping, optional
        As comparing with people writes it.

    Raises
    ------
    BadInputError
        The figures aren't as this version writes them.
    """
    try:
        return _report(summary, agreement)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        message = f"the figures aren't as this version writes them ({str(error)[:120]})"
        raise BadInputError(Problem("bad-summary", message, fix="score again")) from error


def _report(summary: Summary, agreement: Summary | None) -> Report:
    sections = [_score_section(summary), _failure_section(summary), coverage_section(summary)]
    sections.append(_cost_section(summary["costs"]))
    tiles = [
        tile(summary, "compliance_mean", "compliance, mean", number),
        tile(summary, "compliance_mean_clipped_at_0", "... clipped at 0", number),
        tile(summary["failures"]["overall"], "failure_rate", "failures"),
    ]
    if agreement is not None:
        sections.append(agreement_section(agreement))
        tiles += agreement_tiles(agreement["pooled"])
    settings = {"unscored": summary["unscored"], "scale": summary["scale"]}
    manifest = dict(summary)
    if agreement is not None:
        manifest["inputs"] = _all_inputs(summary, agreement)
    sections.append(run_section({**summary, "settings": settings}, manifest))
    return Report(
        title=f"Judged rubrics {summary['run_id']}",
        lead=_lead(summary),
        warnings=_warnings(summary),
        tiles=tuple(tiles),
        sections=tuple(sections),
        version=str(summary["eval_tiers_version"]),
    )


def _all_inputs(summary: Summary, agreement: Summary) -> list[Mapping[str, Any]]:
    inputs = list(summary["inputs"])
    return inputs + [one for one in agreement["inputs"] if one not in inputs]


def _lead(summary: Summary) -> tuple[str, ...]:
    coverage = summary["coverage"]
    lines = [
        f"{count_text(summary['sample_n'])} samples, {count_text(coverage['pair_n'])} rubrics, "
        f"{count_text(coverage['pairs']['scored'])} of them with a score; unscored rubrics: "
        f"{summary['unscored']}."
    ]
    if not summary["compliance_mean_n"]:
        lines.append("No sample has a score: the mean is undefined.")
    return tuple(lines)


def _warnings(summary: Summary) -> tuple[str, ...]:
    found = []
    if not summary["coverage"]["known"]:
        found.append(
            "Coverage is unknown: the results were scored without the data, so that a rubric "
            "without a row is not seen."
        )
    if summary["unscored_matters"]:
        found.append("What becomes of rubrics without a score changes scores; all ways are shown.")
    return tuple(found)


def _score_section(summary: Summary) -> Section:
    policies = [summary["unscored"]]
    if summary["unscored_matters"]:
        policies += [policy for policy in _POLICIES if policy != summary["unscored"]]
    means = [
        Named(f"{policy}{name}", f"by_unscored.{policy}.{key}",
              rate_of(summary["by_unscored"][policy], key), series)
        for policy in policies
        for series, (key, name) in enumerate((("compliance_mean", ""),
                                              ("compliance_mean_clipped_at_0", ", clipped at 0")))
    ]  # fmt: skip
    figures = [
        rate_figure(
            "rubric-means",
            "Compliance, mean over samples",
            "Plain mean over the samples that have a score.",
            "A score is the sum of weight times verdict over the sum of the positive weights: "
            "1 at most, negative where penalties outweigh. Intervals take samples as "
            "independent of each other.",
            means,
            number,
        ),
        _sample_figure(summary),
    ]
    for key, name in _DIMENSIONS.items():
        groups = summary["scores_by"][key]
        if groups is None or len(groups) < 2:
            continue
        rows = [
            Named(value, f"scores_by.{key}.{value}", rate_of(one, "compliance_mean"))
            for value, one in groups.items()
        ]
        figure = rate_figure(
            f"rubric-scores-{key}", f"Compliance by {name}",
            f"Mean over the samples of each {name} that have a score.",
            "Intervals take samples as independent of each other.", rows, number,
        )  # fmt: skip
        figures.append(figure)
    return Section("scores", "Scores", tuple(figures))


def _sample_figure(summary: Summary) -> Figure:
    three = summary["unscored_matters"]
    columns = ["sample", "score", "clipped at 0", *(_POLICIES if three else ()), "scored", "of"]
    rows: list[tuple[str, list[str | Cell]]] = []
    for sample in summary["samples"]:
        cells: list[str | Cell] = [
            value_cell(sample["compliance_score"], _four),
            value_cell(sample["compliance_score_clipped_at_0"], _four),
        ]
        if three:
            cells += [value_cell(sample["by_unscored"][name], _four) for name in _POLICIES]
        cells += [count_cell(sample["scored_n"]), count_cell(sample["rubric_n"])]
        rows.append((sample["sample_id"], [*cells, sample["reason"] or ""]))
    title = "Samples"
    return Figure(
        title,
        "Compliance of each sample.",
        "One report each, so that a score has no interval. The tables written beside the summary "
        "hold all samples.",
        "",
        (plain_table(title, [*columns, "no score, because"], rows),),
    )


def _failure_section(summary: Summary) -> Section:
    failures = summary["failures"]
    groups = [("sign", "kind of criterion"), ("axis", "axis"), *_DIMENSIONS.items()]
    figures, unknown = [], []
    for key, name in groups:
        found = failures[f"by_{key}"]
        if found is None:
            unknown.append(name)
            continue
        rows = [
            Named(value, f"failures.by_{key}.{value}.failure_rate", rate_of(one, "failure_rate"))
            for value, one in found.items()
        ]
        rows.append(
            Named("all", "failures.overall.failure_rate",
                  rate_of(failures["overall"], "failure_rate"), 1)
        )  # fmt: skip
        figures.append(
            rate_figure(
                f"rubric-failures-{key}",
                f"Failures by {name}",
                "A failure: a positive criterion not satisfied, or a penalty satisfied.",
                f"Rubrics without a score, and of weight 0, are left out. {READS_CLUSTERED}",
                rows,
            )
        )
    figures.append(_failures_by_sample(failures["by_sample"]))
    text = f"Not known without the data: {', '.join(unknown)}." if unknown else ""
    return Section("failures", "Failures", tuple(figures), text)


def _failures_by_sample(by_sample: Summary) -> Figure:
    rows: list[tuple[str, list[str | Cell]]] = [
        (
            sample_id,
            [
                axis,
                value_cell(one["failure_rate"]),
                Cell(f"{one['failure_n']:g}", one["failure_n"]),
                count_cell(one["failure_rate_n"]),
                count_cell(one["unscored_n"]),
            ],
        )
        for sample_id, axes in by_sample.items()
        for axis, one in axes.items()
    ]
    title = "Failures by sample and axis"
    columns = ("sample", "axis", "rate", "failures", "of", "unscored")
    return Figure(
        title, "Failures of each report.", "One report each: no interval.", "",
        (plain_table(title, columns, rows),),
    )  # fmt: skip


def _cost_section(costs: Summary) -> Section:
    title = "Cost and tokens"
    rows: list[tuple[str, list[str | Cell]]] = [
        ("cost, USD", [value_cell(costs["cost"], lambda x: f"{x:.5f}"),
                       count_cell(costs["cost_row_n"]), count_cell(costs["row_n"])]),
        ("tokens", [value_cell(costs["tokens_used"], lambda x: f"{x:,.0f}"),
                    count_cell(costs["tokens_used_row_n"]), count_cell(costs["row_n"])]),
    ]  # fmt: skip
    figure = Figure(
        title,
        "Sums over the rows that tell; rows without a verdict were paid for as well.",
        "Where not all rows tell, the sum is a lower bound.",
        "",
        (plain_table(title, ("", "sum", "rows that tell", "rows"), rows),),
    )
    return Section("costs", title, (figure,))


def _four(value: float) -> str:
    return f"{value:.4f}"
