"""The figures of an RR-10 run, from its counts. An undefined figure is None.

A pooled figure is a plain number under its own name; ``<name>_n``, ``<name>_low`` and
``<name>_high`` beside it give what it rests on and its 95 % Wilson interval,
``<name>_clustered_low`` and ``<name>_clustered_high`` that by pairs.

Source: specification of RR-10, section 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from eval_tiers.domain.rr10 import (
    CITATION_VERDICTS,
    CONTROL,
    DOWN,
    EVIDENCE_DETAILS,
    INDETERMINATE,
    INVALID_REASONS,
    LABELS,
    TRAP,
    UP,
    Item,
)
from eval_tiers.domain.rr10_columns import GO_FOCUS_NULL_REASONS, MECHANISM_STATUSES
from eval_tiers.domain.taxonomy import ERROR_LABELS
from eval_tiers.formats.rr10 import pair_of
from eval_tiers.metrics.classification import classification
from eval_tiers.metrics.clustered import clustered_interval
from eval_tiers.metrics.intervals import mean_interval, wilson_interval
from eval_tiers.summaries.rr10_counts import Rr10Counts

Figures = dict[str, object]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

COMPAT_PAIRS: Final = 100
"""What the reference scorer divides pair rates by, whatever the number of pairs."""

DEFINITIONS: Final = {
    "coverage": "items with a valid label, of all items",
    "accuracy_total": "items answered right, of all items; an invalid answer is wrong",
    "trap_accuracy": "traps answered indeterminate, of all traps",
    "control_accuracy": "controls answered in the gold direction, of all controls",
    "trap_overclaim_rate": "traps answered upregulated or downregulated, of all traps",
    "overall_abstention_rate": "items answered indeterminate, of all items",
    "control_abstention_rate": "controls answered indeterminate, of all controls",
    "paired_directional_robustness": "pairs with trap and control both right, of the pairs found",
    "pair_complete_rate": "pairs with a valid label on both sides, of the pairs found",
    "trap_invalid_rate": "traps without a valid label, of all traps",
    "control_wrong_direction_rate": "controls answered in the other direction, of all controls",
    "trap_times_control_accuracy": "what paired_directional_robustness would be if trap and "
    "control were answered independently",
    "indeterminate": "the published evidence supports no single direction at the organism::tissue "
    "level; it does not say that the biology is unreliable",
}
"""What the report keys mean."""


@dataclass(frozen=True, slots=True)
class ItemTable:
    """The items of a run as arrays, with the share of their rollouts that did something.

    Attributes
    ----------
    trap, control : bool[n]
    gold : int[n]
        Codes of the gold labels.
    context : list of str
    cluster : int[n]
        Pair of the item; an item without a partner is its own.
    pairs : list of (str, int, int)
        Number of the pair, row of its trap, row of its control.
    right, valid : float64[n]
    answered : float64[n, 3]
        Share of rollouts by label.
    """

    trap: Bools
    control: Bools
    gold: NDArray[np.int64]
    context: list[str]
    cluster: NDArray[np.int64]
    pairs: list[tuple[str, int, int]]
    right: Floats
    valid: Floats
    answered: Floats

    @classmethod
    def build(cls, items: Sequence[Item], counts: Rr10Counts) -> ItemTable:
        """Put items and counts side by side."""
        by_number: dict[str, list[int]] = {}
        cluster = np.arange(len(items))
        for row, item in enumerate(items):
            number = pair_of(item.sample_id)
            if number is not None:
                by_number.setdefault(number, []).append(row)
        pairs = []
        for number, rows in sorted(by_number.items()):
            if len(rows) == 2:
                first, second = sorted(rows, key=lambda row: items[row].item_type != TRAP)
                pairs.append((number, first, second))
                cluster[second] = cluster[first]
        row_n = np.maximum(counts.column("row_n"), 1.0)
        return cls(
            np.array([item.item_type == TRAP for item in items], np.bool_),
            np.array([item.item_type == CONTROL for item in items], np.bool_),
            np.array([item.label for item in items], np.int64),
            [item.context for item in items],
            cluster,
            pairs,
            counts.column("right_n") / row_n,
            counts.column("valid_n") / row_n,
            np.column_stack([counts.column(f"{label}_n") / row_n for label in LABELS]),
        )


def add_share(
    figures: Figures, name: str, values: Floats, cluster: NDArray[np.int64] | None = None
) -> None:
    """Add the mean of shares with n, Wilson interval and, given clusters, the clustered one."""
    n = len(values)
    total = float(values.sum())
    figures[name] = total / n if n else None
    figures[f"{name}_n"] = n
    low, high = wilson_interval(min(total, n), n) or (None, None)
    figures[f"{name}_low"], figures[f"{name}_high"] = low, high
    if cluster is not None:
        found = clustered_interval(values, cluster) if n else None
        low, high = (None, None) if found is None else (max(0.0, found[0]), min(1.0, found[1]))
        figures[f"{name}_clustered_low"], figures[f"{name}_clustered_high"] = low, high


def label_figures(table: ItemTable, compat: bool) -> Figures:
    """Tier 1: the reference's report keys under their own names, and those added."""
    directed = table.answered[:, UP] + table.answered[:, DOWN]
    wrong_way = np.where(table.gold == UP, table.answered[:, DOWN], table.answered[:, UP])
    everything = np.ones(len(table.gold), np.bool_)
    figures: Figures = {"n_items": len(table.gold)}
    for name, values, among in (
        ("coverage", table.valid, everything),
        ("accuracy_total", table.right, everything),
        ("trap_accuracy", table.right, table.trap),
        ("control_accuracy", table.right, table.control),
        ("trap_overclaim_rate", directed, table.trap),
        ("overall_abstention_rate", table.answered[:, INDETERMINATE], everything),
        ("control_abstention_rate", table.answered[:, INDETERMINATE], table.control),
        ("trap_invalid_rate", 1.0 - table.valid, table.trap),
        ("control_wrong_direction_rate", wrong_way, table.control),
    ):
        add_share(figures, name, values[among], table.cluster[among])
    figures |= pair_figures(table, table.pairs, compat)
    figures |= _class_figures(table, compat)
    return figures


def pair_figures(table: ItemTable, pairs: Sequence[tuple[str, int, int]], compat: bool) -> Figures:
    """Rates over pairs; of rollouts: the chance that one answer each is right on both sides."""
    trap = np.array([row for _, row, _ in pairs], np.int64)
    control = np.array([row for _, _, row in pairs], np.int64)
    figures: Figures = {"pair_n": len(pairs)}
    for name, values in (
        ("paired_directional_robustness", table.right[trap] * table.right[control]),
        ("pair_complete_rate", table.valid[trap] * table.valid[control]),
    ):
        add_share(figures, name, values)
        if compat and len(pairs) != COMPAT_PAIRS:  # no rate over these pairs, so no interval
            figures |= {f"{name}_low": None, f"{name}_high": None}
            figures[name] = float(values.sum()) / COMPAT_PAIRS
    figures["trap_times_control_accuracy"] = (
        float(table.right[trap].mean() * table.right[control].mean()) if len(pairs) else None
    )
    return figures


def _class_figures(table: ItemTable, compat: bool) -> Figures:
    answered = np.column_stack([table.answered, 1.0 - table.valid])
    confusion = np.array([answered[table.gold == code].sum(axis=0) for code in range(len(LABELS))])
    found = classification(confusion)
    undefined = 0.0 if compat else None
    counts = {word: _whole(float(answered[:, code].sum())) for code, word in enumerate(LABELS)}
    counts["None" if compat else "invalid"] = _whole(float(answered[:, -1].sum()))
    return {
        "class_metrics": {
            word: {
                "precision": undefined if of.precision is None else of.precision,
                "recall": undefined if of.recall is None else of.recall,
                "f1": of.f1,
                "support": _whole(of.support),
            }
            for word, of in zip(LABELS, found.classes, strict=True)
        },
        "macro_f1": found.f1_macro,
        "prediction_counts": {word: n for word, n in counts.items() if n or not compat},
        "confusion_matrix": {
            gold: {
                word: _whole(float(value))
                for word, value in zip((*LABELS, "invalid"), row, strict=True)
            }
            for gold, row in zip(LABELS, confusion, strict=True)
        },
    }


def context_figures(table: ItemTable) -> dict[str, Figures]:
    """Return the figures of each context, items and pairs."""
    context = np.array(table.context)
    found: dict[str, Figures] = {}
    for name in sorted(set(table.context)):
        among = context == name
        figures: Figures = {"n": int(among.sum())}
        add_share(figures, "accuracy", table.right[among], table.cluster[among])
        figures["invalid_or_missing"] = _whole(float((1.0 - table.valid[among]).sum()))
        for key, values, side in (
            ("trap_accuracy", table.right, table.trap),
            ("control_accuracy", table.right, table.control),
            ("trap_overclaim_rate", table.answered[:, :2].sum(axis=1), table.trap),
            ("control_abstention_rate", table.answered[:, INDETERMINATE], table.control),
        ):
            add_share(figures, key, values[among & side])
        pairs = [pair for pair in table.pairs if among[pair[1]]]
        found[name] = figures | pair_figures(table, pairs, False)
    return found


def pair_rows(table: ItemTable, items: Sequence[Item]) -> list[dict[str, object]]:
    """One row a pair: which side was answered, and right."""
    return [
        {
            "pair": number,
            "context": items[trap].context,
            "trap_id": items[trap].sample_id,
            "control_id": items[control].sample_id,
            "trap_valid": float(table.valid[trap]),
            "control_valid": float(table.valid[control]),
            "trap_right": float(table.right[trap]),
            "control_right": float(table.right[control]),
            "both_right": float(table.right[trap] * table.right[control]),
        }
        for number, trap, control in table.pairs
    ]


def artefact_probe(table: ItemTable, items: Sequence[Item]) -> Figures:
    """How well the number of datasets alone tells traps from controls.

    ``auroc`` is .5 when it tells nothing; ``best_accuracy`` is that of the best threshold (either
    way round) on these very items, with the share of the larger class beside it.
    """
    dataset_n = np.array([len(item.datasets) for item in items], np.float64)
    among = table.trap | table.control
    traps, controls = dataset_n[table.trap], dataset_n[table.control]
    if not len(traps) or not len(controls):
        return {"auroc": None, "best_accuracy": None, "majority": None, "n": int(among.sum())}
    ordered = np.sort(controls)
    below = np.searchsorted(ordered, traps, "left")
    ties = np.searchsorted(ordered, traps, "right") - below
    auroc = float((below + ties / 2).sum()) / (len(traps) * len(controls))
    shares = []
    for cut in np.unique(dataset_n[among]):
        hits = int((traps >= cut).sum() + (controls < cut).sum())
        shares += [hits / int(among.sum()), 1 - hits / int(among.sum())]
    return {
        "auroc": auroc,
        "best_accuracy": max(shares),
        "majority": max(len(traps), len(controls)) / int(among.sum()),
        "n": int(among.sum()),
    }


def evidence_figures(counts: Rr10Counts, table: ItemTable, evidence_expected: bool) -> Figures:
    """Tier 2: error labels and what they rest on, verdicts, rates over citations."""
    row_n = np.maximum(counts.column("row_n"), 1.0)
    labels = counts.names("error_label")
    details = counts.names("evidence_detail")
    verdicts = counts.names("verdict")
    total = float(counts.column("row_n").sum())
    figures: Figures = {
        "error_distribution": {name: labels.get(name, 0) for name in ERROR_LABELS},
        "error_label_null_n": labels.get("none", 0),
        "error_rate_by_label": {
            name: labels.get(name, 0) / total if total else None for name in ERROR_LABELS
        },
        "evidence_detail_distribution": {name: details.get(name, 0) for name in EVIDENCE_DETAILS},
        "hard_case_n": int(counts.column("hard_n").sum()),
        "citation_verdicts": {name: verdicts.get(name, 0) for name in CITATION_VERDICTS},
        "cited_citation_n": sum(verdicts.values()),
        "mechanism_edges": {name: counts.total("mechanism", name) for name in MECHANISM_STATUSES},
    }
    add_share(figures, "hard_case_rate", counts.column("hard_n") / row_n, table.cluster)
    if not evidence_expected:
        return figures
    add_share(figures, "supported_answer_rate", counts.column("correct_label_n") / row_n,
              table.cluster)  # fmt: skip
    add_share(figures, "cited_rate", counts.column("cited_n") / row_n)
    cited = counts.column("cited_n")
    for name, column in (
        ("citation_precision", "precision_sum"),
        ("fabrication_rate", "fabrication_sum"),
        ("unverified_rate", "unverified_sum"),
    ):
        some = cited > 0
        _add_mean(figures, name, counts.column(column)[some] / cited[some])
    _add_mean(figures, "evidence_recall", counts.column("recall_sum") / row_n)
    fabricated, unverified = figures["fabrication_rate"], figures["unverified_rate"]
    figures["unsupported_band"] = (
        None
        if not isinstance(fabricated, float) or not isinstance(unverified, float)
        else [fabricated, fabricated + unverified]
    )
    implied = counts.column("implied_n")
    add_share(
        figures,
        "implied_answer_agreement",
        counts.column("implied_agrees_n")[implied > 0] / implied[implied > 0],
    )
    return figures


def go_focus_figures(counts: Rr10Counts) -> Figures:
    """Tier 3: mean similarity of mechanism genes to the gene, and why there is none."""
    known = counts.column("go_focus_n")
    figures: Figures = {}
    values = counts.column("go_focus_sum")[known > 0] / known[known > 0]
    _add_mean(figures, "go_focus_mean", values)
    figures["go_focus_median"] = float(np.median(values)) if len(values) else None
    figures["go_null_reasons"] = {
        name: counts.total("go_null", name) for name in GO_FOCUS_NULL_REASONS
    }
    return figures


def invalid_reasons(counts: Rr10Counts) -> dict[str, int]:
    """Rows without a label by reason."""
    found = counts.names("invalid_reason")
    return {name: found.get(name, 0) for name in INVALID_REASONS}


def corpus_flags(figures: Figures) -> list[str]:
    """OVERCLAIM_BIAS and BLANKET_ABSTENTION, where the lower interval bound passes .5."""
    flags = []
    for flag, key in (
        ("OVERCLAIM_BIAS", "trap_overclaim_rate_low"),
        ("BLANKET_ABSTENTION", "control_abstention_rate_low"),
    ):
        low = figures.get(key)
        if isinstance(low, float) and low > 0.5:
            flags.append(flag)
    return flags


def _add_mean(figures: Figures, name: str, values: Floats) -> None:
    n = len(values)
    figures[name] = float(values.mean()) if n else None
    figures[f"{name}_n"] = n
    found = mean_interval(float(values.sum()), float((values * values).sum()), n)
    if found is not None and values.min() == values.max():  # no spread is no certainty
        found = wilson_interval(float(values.sum()), n)
    low, high = (None, None) if found is None else (max(0.0, found[0]), min(1.0, found[1]))
    figures[f"{name}_low"], figures[f"{name}_high"] = low, high


def _whole(value: float) -> float | int:
    nearest = round(value)
    return nearest if abs(value - nearest) < 1e-9 else value
