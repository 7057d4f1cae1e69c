"""The report's sections on PerturbReason's chains: error labels and evidence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from eval_tiers.domain.taxonomy import ERROR_LABELS
from eval_tiers.report.html.figures import count_figure, matrix_figure, plain_table, rate_figure
from eval_tiers.report.html.model import (
    NO_INTERVAL,
    Cell,
    Figure,
    Named,
    Rate,
    Section,
    complement,
    count_cell,
    interval_text,
    named,
    rate_of,
    rates_by_name,
    value_cell,
)
from eval_tiers.report.lines import number

UNLABELLED: Final = "(right, nothing to judge by)"
_MOST_COLUMNS: Final = 12


def label_section(summary: Mapping[str, Any]) -> Section:
    """Return the error labels: pooled, by slice, and by pair of files."""
    counts = dict(summary["error_distribution"])
    if summary["error_label_null_n"]:
        counts[UNLABELLED] = summary["error_label_null_n"]
    figures = [
        count_figure(
            "labels",
            "Error labels",
            "One label a question: whether the answer is right, and what is wrong with the chain.",
            "CORRECT alone is right for the right reason; the other CORRECT_ labels are right "
            "answers with a faulty chain. Shares are of all questions.",
            counts,
            summary["row_n"],
            key="error_distribution",
            rates=rates_by_name(summary, "error_rate_by_label"),
        )
    ]
    figures += _labels_by_slice(summary)
    rows = named(
        summary,
        [
            ("hard_case_rate", "hard cases"),
            ("correct_clean_rate", "right, and nothing to object to"),
        ],
    )
    figures.append(
        rate_figure(
            "hard",
            "Hard cases",
            "Questions that rules can't settle, and answers that no rule objects to.",
            "Hard cases are what an examiner is asked about; the more there are, the less the "
            "labels alone say.",
            rows,
        )
    )
    return Section("error-labels", "Error labels", tuple(figures))


def _labels_by_slice(summary: Mapping[str, Any]) -> list[Figure]:
    columns: dict[str, dict[str, float]] = {}
    for key, dimension in (("by_split", "split"), ("by_pert_type", "type")):
        for name, found in summary.get(key, {}).items():
            columns[f"{dimension}: {name}"] = _all_labels(found["error_distribution"], found["n"])
    pairs: dict[str, dict[str, float]] = {}
    for file in summary.get("files", ()):
        into = pairs.setdefault(f"{file['split']}, {file['pert_type']}", {})
        for label, n in _all_labels(file, file["n"]).items():
            into[label] = into.get(label, 0) + n
    figures = []
    for anchor, title, found in (
        ("labels-slices", "Error labels by split and by perturbation type", columns),
        ("labels-pairs", "Error labels by split and perturbation type together", pairs),
    ):
        if len(found) < 2:
            continue
        shown = dict(list(found.items())[:_MOST_COLUMNS])
        matrix = {
            label: {name: counts.get(label, 0) for name, counts in shown.items()}
            for label in (*ERROR_LABELS, UNLABELLED)
        }
        notes = []
        if len(shown) < len(found):
            notes.append(f"{len(found) - len(shown)} more are in the summary file only.")
        figures.append(
            matrix_figure(
                anchor,
                title,
                "How error labels (rows) are spread in each part of the benchmark (columns).",
                "Shares are of the column: compare along a row.",
                matrix,
                "label",
                "column",
                notes,
            )
        )
    return figures


def _all_labels(counts: Mapping[str, Any], n: float) -> dict[str, float]:
    """Return the counts of all labels, and what is left of ``n``: right, nothing to judge by."""
    found = {label: counts.get(label) or 0 for label in ERROR_LABELS}
    return found | {UNLABELLED: n - sum(found.values())}


def evidence_section(summary: Mapping[str, Any]) -> Section:
    """Return what the chains are worth: against the gold chains and against the graph."""
    figures = [_matrix(summary), _grounded(summary), _hallucination(summary), _statuses(summary)]
    figures += [_hub(summary), _edges(summary)]
    return Section("chains", "Chains", tuple(figures))


def _matrix(summary: Mapping[str, Any]) -> Figure:
    matrix = {
        state.replace("_", " "): dict(row) for state, row in summary["answer_chain_matrix"].items()
    }
    return matrix_figure(
        "answer-chain",
        "Answer against chain",
        "Whether the answer is right (rows), and whether the chain, judged by the graph alone, "
        "carries the answer that was given (columns).",
        "Right and valid is grounded; right and invalid is luck. Unverifiable: the graph can't "
        "tell. Shares are of the row.",
        matrix,
        "answer, chain",
    )


def _grounded(summary: Mapping[str, Any]) -> Figure:
    notes = []
    rows = named(
        summary,
        [
            ("accuracy", "accuracy"),
            ("grounded_accuracy", "grounded accuracy"),
            ("grounded_accuracy_upper", "grounded accuracy, upper bound"),
            ("lucky_right_rate", "lucky right, of the right"),
        ],
    )
    if "withheld" in summary:
        notes.append(
            "Figures that rest on implied answers are withheld: the gold chains don't imply the "
            "gold answers (see the warnings above). They are under 'withheld' in the summary file."
        )
    gold = summary["gold_self_consistency"]["all"]
    rows.append(
        Named("gold chains that imply the gold answer", "gold_self_consistency.all",
              rate_of(gold, "rate"), 2)
    )  # fmt: skip
    return rate_figure(
        "grounded",
        "Grounded accuracy and its upper bound",
        "Right answers whose chain carries them by the graph alone.",
        "The truth lies between grounded accuracy and its upper bound, which adds right answers "
        "whose chain can't be verified. The diamond is the gold's own consistency: the figures "
        "mean little where it is low.",
        rows,
        notes=notes,
    )


def _hallucination(summary: Mapping[str, Any]) -> Figure:
    rows = named(
        summary,
        [
            ("hallucination_rate", "hallucinated pairs, mean"),
            ("hallucination_rate_excl_gold", "... gold pairs never counting"),
        ],
    )
    rows.append(
        Named(
            "gold chains: own share outside",
            "1 - gold_in_kg_rate",
            complement(rate_of(summary, "gold_in_kg_rate")),
            2,
        )
    )
    rows += named(
        summary,
        [
            ("contradicted_rate", "contradicted by the KG, of pairs"),
            ("unsupported_rate", "not in the KG, of pairs"),
            ("contradicted_or_unsupported_rate", "either of the two, of pairs"),
        ],
        1,
    )
    notes = []
    band = summary["contradicted_band"]
    if band is None:
        notes.append("The contradicted band is undefined: no pair was predicted.")
    else:
        rows.append(
            Named("band: contradicted to unsupported", "contradicted_band",
                  Rate(None, band[0], band[1], summary["predicted_pair_n"]), 3)
        )  # fmt: skip
        notes.append(
            "The band is no interval of an estimate: it runs from what the graph contradicts to "
            "that plus what it merely lacks."
        )
    return rate_figure(
        "hallucination",
        "Hallucination, beside the gold chains' own share outside the graph",
        "Share of predicted pairs that the graph lacks (mean over answers) or contradicts (pooled "
        "over pairs).",
        "So much of the gold chains is outside the graph as well (diamond), whatever the model "
        "does: only what lies beyond is the model's.",
        rows,
        notes=notes,
    )


def _statuses(summary: Mapping[str, Any]) -> Figure:
    return count_figure(
        "statuses",
        "What the graph says of predicted pairs",
        "Every predicted pair has one status against the knowledge graph.",
        "The first three are in the graph. Reversed and shortcut: the graph has the other "
        "direction, or a way over one gene more.",
        summary["edge_status"],
        key="edge_status",
        rates=rates_by_name(summary, "edge_status_rate"),
    )


def _hub(summary: Mapping[str, Any]) -> Figure:
    rows, lines = [], []
    for key, name in (("hub", "pairs in the KG"), ("shortcut", "ways over one gene")):
        found = summary[key]
        rows += [
            Named(f"{name}: {part}", f"{key}.{part}", rate_of(found, part, found["pair_n"]), series)
            for part, series in (("observed", 0), ("expected", 2))
        ]
        lift = rate_of(found, "lift")
        interval = interval_text(lift.low, lift.high, number) or NO_INTERVAL
        cells = [value_cell(lift.value, number), Cell(interval), count_cell(found["pair_n"])]
        lines.append((name, cells))
    figure = rate_figure(
        "hub-lift",
        "Hub lift",
        "How often predicted pairs with known nodes are in the graph, beside what the degrees of "
        "their nodes would give by chance.",
        "Lift is (observed - expected) / (1 - expected): 0 is what naming well-known genes earns, "
        "1 is every pair.",
        rows,
    )
    lifts = plain_table("Lift", ("", "lift", "95 % interval", "pairs"), lines)
    return Figure(figure.title, figure.shows, figure.reads, figure.chart, (*figure.tables, lifts))


def _edges(summary: Mapping[str, Any]) -> Figure:
    rows = named(
        summary,
        [
            ("edge_f1", "edge F1, with signs"),
            ("edge_f1_relaxed", "edge F1, signs aside"),
            ("edge_precision", "edge precision"),
            ("edge_recall", "edge recall"),
            ("chain_coverage", "gold pairs predicted"),
            ("sign_match", "signs of shared pairs agree"),
            ("kg_sign_match", "signs agree with the KG"),
            ("connected_rate", "chain leads to the readout"),
            ("kg_connected_rate", "... over edges in the KG"),
        ],
    )
    return rate_figure(
        "edges",
        "Chains against the gold chains",
        "Means over answers, and shares of answers whose chain leads to the readout.",
        "A chain can differ from the gold one and hold all the same: read this beside grounded "
        "accuracy.",
        rows,
        number,
    )
