"""The report's section on how far an examiner agrees with people on rubrics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from eval_tiers.report.html.figures import plain_table, rate_figure
from eval_tiers.report.html.model import (
    Cell,
    Figure,
    Named,
    Rate,
    Section,
    Tile,
    rate_of,
    tile,
    value_cell,
)
from eval_tiers.report.lines import count_text, number

READS_CLUSTERED: Final = (
    "Intervals are clustered by sample, where samples can tell; else rows count as independent."
)
Summary = Mapping[str, Any]


def agreement_tiles(pooled: Summary) -> list[Tile]:
    """Return the headlines of a comparison with people."""
    return [
        tile({**pooled, "raw_agreement_n": pooled["n"]}, "raw_agreement", "agreement with people"),
        tile({**pooled, "kappa_n": pooled["n"]}, "kappa", "Cohen's kappa", number),
    ]


def agreement_section(agreement: Summary) -> Section:
    """Return raw agreement, kappa, macro-F1, prevalence and error rates."""
    groups = {"pooled": agreement["pooled"], **agreement["by_axis"]}
    raw, kappas = [], []
    for name, one in groups.items():
        key = "pooled" if name == "pooled" else f"by_axis.{name}"
        raw.append(Named(name, f"{key}.raw_agreement", rate_of(one, "raw_agreement", one["n"])))
        kappas.append(Named(name, f"{key}.kappa", rate_of(one, "kappa", one["n"])))
    kappa = rate_figure(
        "rubric-kappa", "Cohen's kappa", "Agreement beyond what chance gives, pooled and by axis.",
        f"Undefined where all is one verdict. {READS_CLUSTERED}", kappas, number,
    )  # fmt: skip
    categories: list[tuple[str, list[str | Cell]]] = [
        (
            name,
            [
                value_cell(one["people_rate"]),
                value_cell(one["examiner_rate"]),
                value_cell(one["missed_rate"]),
                value_cell(one["false_rate"]),
            ],
        )
        for name, one in agreement["pooled"]["categories"].items()
    ]
    means = agreement["mean_over_tasks"]
    f1: list[tuple[str, list[str | Cell]]] = [
        (name, [value_cell(one["f1_macro"], number), value_cell(one["f1_macro_present"], number)])
        for name, one in [*groups.items(), ("mean over tasks", means)]
    ]
    over_tasks = [
        Named(name, f"mean_over_tasks.{key}", Rate(
            means[key], means[f"{key}_low"], means[f"{key}_high"], means[f"{key}_n"]))
        for key, name in (("raw_agreement", "raw agreement"), ("kappa", "Cohen's kappa"),
                          ("f1_macro", "macro-F1"), ("f1_macro_present", "macro-F1, present"))
    ]  # fmt: skip
    mean_figure = rate_figure(
        "rubric-agreement-tasks", "Mean over tasks", "Plain means of the tasks' own figures.",
        "Intervals take tasks as independent of each other.", over_tasks, number,
    )  # fmt: skip
    figures = (
        rate_figure(
            "rubric-agreement", "Verdicts that are the same",
            "Share of rubrics judged alike by examiner and people, pooled and by axis.",
            READS_CLUSTERED, raw,
        ),
        kappa,
        mean_figure,
        Figure(
            "Prevalence and error rates", "How common each verdict is, and how often they part.",
            "missed: of what people give this verdict, what the examiner doesn't; false: of what "
            "they don't, what it does.", "",
            (plain_table("Prevalence and error rates",
                         ("verdict", "people", "examiner", "missed", "false"), categories),),
        ),
        Figure(
            "Macro-F1", "People's verdicts are taken as right; 0/0 is 0.",
            "Over all verdicts of the scale, and over those that either used.", "",
            (plain_table("Macro-F1", ("", "all verdicts", "verdicts present"), f1),),
        ),
    )  # fmt: skip
    counts = ", ".join(f"{count_text(n)} {name.replace('_', ' ')}"
                       for name, n in agreement["counts"].items())  # fmt: skip
    return Section("agreement", "Agreement with people", figures, f"Expected pairs: {counts}.")
