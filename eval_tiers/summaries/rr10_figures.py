"""The figures of an RR-10 run, from its counts. An undefined figure is None.

A pooled figure is a plain number under its own name; what stands beside it is said in
`eval_tiers.summaries.interval_figures`. Items are at hand, so every interval is worked out of them.

Source: specification of RR-10, section 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from eval_tiers.domain.clusterings import NONE
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
from eval_tiers.metrics.confusion_influence import confusion_gradients
from eval_tiers.metrics.quantiles import median_ranks
from eval_tiers.summaries.interval_figures import (
    ENDS,
    Figures,
    add_clustered,
    add_interval,
    without_spread,
)
from eval_tiers.summaries.rr10_counts import Rr10Counts
from eval_tiers.summaries.rr10_intervals import (
    add_item_mean,
    add_linear,
    add_ratios,
    add_share,
)

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
    cluster : int[n] or None
        Which items belong together; of pairs, an item without a partner is its own. None: items
        count as independent.
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
    cluster: NDArray[np.int64] | None
    pairs: list[tuple[str, int, int]]
    right: Floats
    valid: Floats
    answered: Floats

    @classmethod
    def build(
        cls, items: Sequence[Item], counts: Rr10Counts, clustering: str = "pair"
    ) -> ItemTable:
        """Put items and counts side by side.

        Parameters
        ----------
        items : sequence of Item
        counts : Rr10Counts
        clustering : str
            One of `eval_tiers.domain.clusterings.CITATION_CLUSTERINGS`.
        """
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
        if clustering in {"gene", "context"}:
            names = [item.gene if clustering == "gene" else item.context for item in items]
            cluster = np.unique(np.array(names, np.str_), return_inverse=True)[1]
        row_n = np.maximum(counts.column("row_n"), 1.0)
        return cls(
            np.array([item.item_type == TRAP for item in items], np.bool_),
            np.array([item.item_type == CONTROL for item in items], np.bool_),
            np.array([item.label for item in items], np.int64),
            [item.context for item in items],
            None if clustering == NONE else cluster,
            pairs,
            counts.column("right_n") / row_n,
            counts.column("valid_n") / row_n,
            np.column_stack([counts.column(f"{label}_n") / row_n for label in LABELS]),
        )

    def among(self, rows: NDArray[np.generic]) -> NDArray[np.int64] | None:
        """Return the clusters of some rows."""
        return None if self.cluster is None else self.cluster[rows]


def cluster_of_items(clustering: str, table: ItemTable) -> Figures:
    """Return what items were taken together by, and how many clusters there are."""
    n = None if table.cluster is None else len(np.unique(table.cluster))
    return {"field": clustering, "n": n}


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
        add_share(figures, name, values[among], table.among(among))
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
        add_share(figures, name, values, table.among(trap))
        if compat and len(pairs) != COMPAT_PAIRS:  # no rate over these pairs, so no interval
            figures |= {f"{name}{end}": None for end in ENDS}
            figures[name] = float(values.sum()) / COMPAT_PAIRS
    _add_product(figures, table.right[trap], table.right[control], table.among(trap))
    return figures


def _add_product(
    figures: Figures, one: Floats, other: Floats, cluster: NDArray[np.int64] | None
) -> None:
    """Add the product of two means over pairs, its intervals by the delta method."""
    name = "trap_times_control_accuracy"
    n = len(one)
    value = float(one.mean() * other.mean()) if n else None
    figures[name] = value
    figures[f"{name}_n"] = n
    moved = one * other.mean() + other * one.mean() if n else one
    add_linear(figures, name, value, moved, cluster)


def _class_figures(table: ItemTable, compat: bool) -> Figures:
    answered = np.column_stack([table.answered, 1.0 - table.valid])
    confusion = np.array([answered[table.gold == code].sum(axis=0) for code in range(len(LABELS))])
    found = classification(confusion)
    gradients = confusion_gradients(confusion)
    undefined = 0.0 if compat else None
    counts = {word: _whole(float(answered[:, code].sum())) for code, word in enumerate(LABELS)}
    counts["None" if compat else "invalid"] = _whole(float(answered[:, -1].sum()))
    metrics: dict[str, Figures] = {}
    for code, (word, of) in enumerate(zip(LABELS, found.classes, strict=True)):
        figures: Figures = {}
        predicted = float(confusion[:, code].sum())
        for name, value, n in (
            ("precision", undefined if of.precision is None else of.precision, predicted),
            ("recall", undefined if of.recall is None else of.recall, of.support),
            ("f1", of.f1, predicted + of.support - float(confusion[code, code])),
        ):
            figures[name] = value
            figures[f"{name}_n"] = _whole(n)
            _add_of_confusion(figures, name, table, answered, gradients[f"{name}_{code}"], n)
        metrics[word] = figures | {"support": _whole(of.support)}
    macro: Figures = {"macro_f1": found.f1_macro, "macro_f1_n": len(table.gold)}
    _add_of_confusion(
        macro, "macro_f1", table, answered, gradients["f1_macro"], float(len(table.gold))
    )
    return {
        "class_metrics": metrics,
        **macro,
        "prediction_counts": {word: n for word, n in counts.items() if n or not compat},
        "confusion_matrix": {
            gold: {
                word: _whole(float(value))
                for word, value in zip((*LABELS, "invalid"), row, strict=True)
            }
            for gold, row in zip(LABELS, confusion, strict=True)
        },
    }


def _add_of_confusion(
    figures: Figures, name: str, table: ItemTable, answered: Floats, gradient: Floats, n: float
) -> None:
    """Add the intervals of a figure of the confusion matrix, by the delta method."""
    value = figures[name]
    if not isinstance(value, float) or n <= 0:
        add_interval(figures, name, None)
        add_clustered(figures, name, None)
        return
    moved = (gradient[table.gold] * answered).sum(axis=1) * len(table.gold)
    if float(np.ptp(moved)) > 1e-12:
        add_linear(figures, name, value, moved, table.cluster)
        return
    add_interval(figures, name, without_spread(value, n))
    add_clustered(figures, name, None)


def context_figures(table: ItemTable) -> dict[str, Figures]:
    """Return the figures of each context, items and pairs."""
    context = np.array(table.context)
    found: dict[str, Figures] = {}
    for name in sorted(set(table.context)):
        among = context == name
        figures: Figures = {"n": int(among.sum())}
        add_share(figures, "accuracy", table.right[among], table.among(among))
        figures["invalid_or_missing"] = _whole(float((1.0 - table.valid[among]).sum()))
        for key, values, side in (
            ("trap_accuracy", table.right, table.trap),
            ("control_accuracy", table.right, table.control),
            ("trap_overclaim_rate", table.answered[:, :2].sum(axis=1), table.trap),
            ("control_abstention_rate", table.answered[:, INDETERMINATE], table.control),
        ):
            add_share(figures, key, values[among & side], table.among(among & side))
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


def evidence_figures(counts: Rr10Counts, table: ItemTable, evidence_expected: bool) -> Figures:
    """Tier 2: error labels and what they rest on, verdicts, rates over citations."""
    row_n = np.maximum(counts.column("row_n"), 1.0)
    labels = counts.names("error_label")
    details = counts.names("evidence_detail")
    verdicts = counts.names("verdict")
    figures: Figures = {
        "error_distribution": {name: labels.get(name, 0) for name in ERROR_LABELS},
        "error_label_null_n": labels.get("none", 0),
        "evidence_detail_distribution": {name: details.get(name, 0) for name in EVIDENCE_DETAILS},
        "hard_case_n": int(counts.column("hard_n").sum()),
        "citation_verdicts": {name: verdicts.get(name, 0) for name in CITATION_VERDICTS},
        "cited_citation_n": sum(verdicts.values()),
        "mechanism_edges": {name: counts.total("mechanism", name) for name in MECHANISM_STATUSES},
    }
    shares = {name: counts.column(f"label_{name}_n") for name in ERROR_LABELS}
    add_ratios(figures, "error_rate_by_label", shares, counts.column("row_n"), table.cluster)
    shares = {name: counts.column(f"verdict_{name}_n") for name in CITATION_VERDICTS}
    total = np.sum(list(shares.values()), axis=0)
    add_ratios(figures, "citation_verdict_rate", shares, total, table.cluster)
    add_share(figures, "hard_case_rate", counts.column("hard_n") / row_n, table.cluster)
    if not evidence_expected:
        return figures
    add_share(figures, "supported_answer_rate", counts.column("correct_label_n") / row_n,
              table.cluster)  # fmt: skip
    add_share(figures, "cited_rate", counts.column("cited_n") / row_n, table.cluster)
    cited = counts.column("cited_n")
    sums = {
        name: counts.column(f"{name}_sum") for name in ("precision", "fabrication", "unverified")
    }
    some = cited > 0
    for name, total in (
        ("citation_precision", sums["precision"]),
        ("fabrication_rate", sums["fabrication"]),
        ("unverified_rate", sums["unverified"]),
        ("fabricated_or_unverified_rate", sums["fabrication"] + sums["unverified"]),
    ):
        add_item_mean(figures, name, total[some] / cited[some], table.among(some))
    add_item_mean(figures, "evidence_recall", counts.column("recall_sum") / row_n, table.cluster)
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
        table.among(implied > 0),
    )
    return figures


def go_focus_figures(counts: Rr10Counts, table: ItemTable) -> Figures:
    """Tier 3: mean similarity of mechanism genes to the gene, and why there is none."""
    known = counts.column("go_focus_n")
    figures: Figures = {}
    values = counts.column("go_focus_sum")[known > 0] / known[known > 0]
    add_item_mean(figures, "go_focus_mean", values, table.among(known > 0))
    figures["go_focus_median"] = float(np.median(values)) if len(values) else None
    figures["go_focus_median_n"] = len(values)
    ranks = median_ranks(len(values))
    ordered = np.sort(values)
    ends = None if ranks is None else (float(ordered[ranks[0] - 1]), float(ordered[ranks[1] - 1]))
    add_interval(figures, "go_focus_median", ends)
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


def _whole(value: float) -> float | int:
    nearest = round(value)
    return nearest if abs(value - nearest) < 1e-9 else value
