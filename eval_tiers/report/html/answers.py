"""The report's sections on PerturbReason's answers: accuracy, confusion, slices, rollouts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from eval_tiers.report.html.figures import count_figure, matrix_figure, plain_table, rate_figure
from eval_tiers.report.html.model import (
    Figure,
    Named,
    Section,
    Table,
    complement,
    named,
    rate_of,
    value_cell,
    whole_cell,
)
from eval_tiers.report.lines import count_text, number, percent

_NO_ANSWER: Final = "no answer"
_BASELINES: Final = {
    "majority": "baseline: majority label",
    "random": "baseline: random",
    "train_readout_majority": "baseline: training majority",
    "kg_shortest_path": "baseline: KG shortest path",
}


def answer_section(summary: Mapping[str, Any]) -> Section:
    """Return accuracy beside its baselines, and the confusion of labels."""
    figures = [_accuracy(summary), _confusion(summary)]
    reasons = {name: n for name, n in summary["parse_failure_reasons"].items() if n}
    if reasons:
        figures.append(
            count_figure(
                "parse-failures",
                "Why there is no answer",
                "Answers that the strict reading can't take from the text, by reason.",
                "Each is scored as wrong; the share is of all parse failures.",
                reasons,
            )
        )
    return Section("answers", "Answers", tuple(figures))


def _accuracy(summary: Mapping[str, Any]) -> Figure:
    rows = named(
        summary,
        [
            ("accuracy", "accuracy"),
            ("accuracy_lenient", "accuracy, read leniently"),
            ("parse_failure_rate", "no answer found"),
            ("opposite_direction_rate", "opposite direction, of changed"),
        ],
    )
    n = summary["n"]
    rows += named(
        summary,
        [
            ("balanced_accuracy", "balanced accuracy"),
            ("f1_macro", "F1, macro"),
            ("f1_weighted", "F1, weighted"),
        ],
        n=n,
    )
    for key, name in _BASELINES.items():
        found = summary["baselines"].get(key)
        if found is not None:
            rows.append(Named(name, f"baselines.{key}", rate_of(found, "accuracy", n), 1))
    return rate_figure(
        "accuracy",
        "Accuracy, and what to hold it against",
        "Share of questions answered right, beside readings, averages and baselines.",
        "Circles are the model, squares baselines that read no question; a model whose interval "
        "covers a baseline has not been shown to beat it. The gap between the strict and the "
        "lenient reading is what is lost to form.",
        rows,
    )


def _confusion(summary: Mapping[str, Any]) -> Figure:
    matrix = {
        f"gold {gold}": {(_NO_ANSWER if label == "none" else label): n for label, n in row.items()}
        for gold, row in summary["confusion_matrix"].items()
    }
    figure = matrix_figure(
        "confusion",
        "Gold label against answer",
        "How often each gold label (row) was answered with each label (column), or not at all.",
        "Shares are of the row; the diagonal is right. A dark column off the diagonal is a label "
        "that the model prefers.",
        matrix,
        "gold, answered",
    )
    return Figure(
        figure.title,
        figure.shows,
        figure.reads,
        figure.chart,
        (*figure.tables, class_table(summary["class_metrics"])),
    )


def class_table(metrics: Mapping[str, Mapping[str, Any]]) -> Table:
    """Return precision, recall, F1 and support of each label.

    Parameters
    ----------
    metrics : mapping
        ``precision``, ``recall``, ``f1`` and what stands beside them, ``support``; by label.
    """
    return plain_table(
        "By label: value [95 % interval] (n)",
        ("label", "precision", "recall", "f1", "gold n"),
        [
            (
                label,
                [
                    whole_cell(rate_of(found, "precision"), number),
                    whole_cell(rate_of(found, "recall"), number),
                    whole_cell(rate_of(found, "f1"), number),
                    value_cell(found["support"], count_text),
                ],
            )
            for label, found in metrics.items()
        ],
    )


def slice_section(summary: Mapping[str, Any]) -> Section | None:
    """Return accuracy by split, perturbation type and whatever else was sliced by."""
    rows, lines = [], []
    series = 0
    for key, slices in summary.items():
        if not key.startswith("by_") or not isinstance(slices, Mapping):
            continue
        field = key.removeprefix("by_").replace("_", " ")
        for name, found in slices.items():
            rows.append(
                Named(
                    f"{field}: {name}", f"{key}.{name}.accuracy", rate_of(found, "accuracy"), series
                )
            )
            lines.append(
                (
                    f"{field}: {name}",
                    [
                        value_cell(found["n"], count_text),
                        whole_cell(rate_of(found, "f1_macro", found["n"]), number),
                        whole_cell(rate_of(found, "edge_f1"), number),
                        whole_cell(rate_of(found, "hallucination_rate")),
                        whole_cell(complement(rate_of(found, "gold_in_kg_rate"))),
                        whole_cell(rate_of(found, "go_sim_mean"), number),
                    ],
                )
            )
        series += 1
    if not rows:
        return None
    figure = rate_figure(
        "slices-accuracy",
        "Accuracy by slice",
        "Accuracy of each part of the benchmark.",
        "Each dimension has its own mark. Intervals that overlap do not show a difference, and "
        "slices with few questions have wide ones.",
        rows,
    )
    columns = ("slice", "n", "macro F1", "edge F1", "hallucinated", "gold outside KG",
               "GO similarity")  # fmt: skip
    more = plain_table("Other figures by slice: value [95 % interval] (n)", columns, lines)
    return Section(
        "slices",
        "By split, perturbation type and cell line",
        (Figure(figure.title, figure.shows, figure.reads, figure.chart, (*figure.tables, more)),),
    )


def rollout_section(summary: Mapping[str, Any]) -> Section | None:
    """Return pass@k and the majority vote, where questions were answered several times."""
    found = summary.get("rollouts")
    if not found:
        return None
    rows = [
        Named(f"pass@{k}", f"rollouts.pass_at_k.{k}", rate_of(one, "value", one.get("n")), 0)
        for k, one in found["pass_at_k"].items()
    ]
    rows += [
        Named("majority vote", "rollouts.majority_vote_accuracy",
              rate_of(found, "majority_vote_accuracy"), 1),
        Named("agreement of answers", "rollouts.agreement", rate_of(found, "agreement"), 2),
    ]  # fmt: skip
    figure = rate_figure(
        "rollouts-rates",
        "Several answers a question",
        f"Up to {count_text(found['rollouts_per_item_max'])} answers a question.",
        "pass@k: at least one of k answers is right. It rises with k by luck alone; hold it "
        "against the majority vote.",
        rows,
        percent,
    )
    return Section("rollouts", "Rollouts", (figure,))
