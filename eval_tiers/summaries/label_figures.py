"""Figures of tier 1: answers against gold labels, and against answers without a model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from eval_tiers.domain.labels import LABELS, PARSE_FAILURE_REASONS, UNCHANGED
from eval_tiers.metrics.classification import Classification, classification, two_step
from eval_tiers.metrics.clustered import Floats, cluster_variance, interval_of_variance
from eval_tiers.metrics.confusion_influence import confusion_gradients, independent_variance
from eval_tiers.metrics.intervals import Z_95
from eval_tiers.summaries.cluster_sums import Names, SliceClusters
from eval_tiers.summaries.interval_figures import (
    Figures,
    Interval,
    SliceSums,
    add_clustered,
    add_interval,
    add_share,
    whole_number,
    without_spread,
)

_ANSWERS = (*LABELS, "none")
_CHANGED = tuple(word for code, word in enumerate(LABELS) if code != UNCHANGED)


def confusion_of(sums: SliceSums) -> list[list[float]]:
    """Return the confusion matrix: gold label by predicted label, no prediction last."""
    return [[sums.total(_cell(gold, word)) for word in _ANSWERS] for gold in LABELS]


def label_figures(sums: SliceSums) -> Figures:
    """Tier 1: accuracy and its relatives, the confusion matrix, the extraction band, baselines."""
    tally = sums.tally
    n = tally.real("all_w")
    confusion = confusion_of(sums)
    found = classification(confusion)
    gradients = confusion_gradients(confusion)
    figures: Figures = {"n": whole_number(n), "row_n": tally.count("row_n")}
    add_share(figures, "accuracy", sums, "correct_w", "all_w")
    for name in ("balanced_accuracy", "f1_macro", "f1_weighted", "f1_macro_present"):
        figures[name] = getattr(found, name)
        figures[f"{name}_n"] = whole_number(n)
        _add_intervals(figures, name, sums, confusion, gradients[name], n)
    add_share(figures, "parse_failure_rate", sums, "parse_failure_w", "all_w")
    figures["parse_failure_reasons"] = {
        name: tally.count(f"parse_failure_{name}_n") for name in PARSE_FAILURE_REASONS
    }
    add_share(figures, "accuracy_lenient", sums, "lenient_correct_w", "all_w")
    add_share(figures, "parse_failure_rate_lenient", sums, "lenient_failure_w", "all_w")
    figures["confusion_matrix"] = {
        gold: {word: whole_number(value) for word, value in zip(_ANSWERS, row, strict=True)}
        for gold, row in zip(LABELS, confusion, strict=True)
    }
    figures["class_metrics"] = _class_metrics(sums, confusion, found, gradients)
    _add_two_step(figures, sums, confusion)
    figures["baselines"] = _label_baselines(sums, confusion, n)
    return figures


def _cell(gold: str, word: str) -> str:
    return f"confusion_{gold}_{word}_w"


def _cells(golds: Sequence[str], words: Sequence[str]) -> tuple[str, ...]:
    return tuple(_cell(gold, word) for gold in golds for word in words)


def _add_intervals(
    figures: Figures,
    name: str,
    sums: SliceSums,
    confusion: list[list[float]],
    gradient: Floats,
    n: float,
) -> None:
    """Add the intervals of a figure of the confusion matrix, by the delta method."""
    value = figures[name]
    if not isinstance(value, float):
        add_interval(figures, name, None)
        add_clustered(figures, name, None)
        return
    interval = _independent(value, independent_variance(gradient, confusion))
    add_interval(figures, name, interval or without_spread(value, n))

    def influence(side: SliceClusters) -> Floats:
        moved = np.zeros(len(side.rows))
        for g, gold in enumerate(LABELS):
            for w, word in enumerate(_ANSWERS):
                if gradient[g, w]:
                    moved += gradient[g, w] * side.column(_cell(gold, word))
        return moved

    add_clustered(figures, name, sums.clustered(value, influence, "all_w"))


def _independent(value: float, variance: float) -> Interval:
    if variance <= 1e-24:
        return None
    half = Z_95 * math.sqrt(variance)
    return max(0.0, value - half), min(1.0, value + half)


def _class_metrics(
    sums: SliceSums,
    confusion: list[list[float]],
    found: Classification,
    gradients: Mapping[str, Floats],
) -> dict[str, Figures]:
    metrics = {}
    for code, word in enumerate(LABELS):
        of_class = found.classes[code]
        figures: Figures = {}
        add_share(figures, "precision", sums, _cell(word, word), _cells(LABELS, [word]))
        add_share(figures, "recall", sums, _cell(word, word), _cells([word], _ANSWERS))
        support = sum(confusion[code])
        rows = support + sum(row[code] for row in confusion) - confusion[code][code]
        figures["f1"] = of_class.f1
        figures["f1_n"] = whole_number(rows)
        if rows:
            _add_intervals(figures, "f1", sums, confusion, gradients[f"f1_{code}"], rows)
        else:  # 0 by convention, of nothing
            add_interval(figures, "f1", None)
            add_clustered(figures, "f1", None)
        figures["support"] = whole_number(of_class.support)
        metrics[word] = figures
    return metrics


def _add_two_step(figures: Figures, sums: SliceSums, confusion: list[list[float]]) -> None:
    unchanged = LABELS[UNCHANGED]
    agree = tuple(_cell(word, word) for word in _CHANGED)
    both = _cells(_CHANGED, _CHANGED)
    ends: dict[str, tuple[Names, Names]] = {
        "changed_accuracy": ((*both, _cell(unchanged, unchanged)), "all_w"),
        "direction_accuracy": (agree, both),
        "opposite_direction_rate": (
            tuple(cell for cell in both if cell not in agree),
            _cells(_CHANGED, _ANSWERS),
        ),
    }
    for name, value in two_step(confusion, UNCHANGED).items():
        add_share(figures, name, sums, *ends[name])
        figures[name] = value


def _label_baselines(sums: SliceSums, confusion: list[list[float]], n: float) -> Figures:
    """Work out what answers without a model would score on the same rows."""
    if n <= 0:
        return {}
    support = [sum(row) for row in confusion]
    best = max(range(len(LABELS)), key=lambda code: (support[code], -code))
    constant = [[0.0] * (len(LABELS) + 1) for _ in LABELS]
    for code, total in enumerate(support):
        constant[code][best] = total
    found = classification(constant)
    majority: Figures = {"label": LABELS[best]}
    add_share(majority, "accuracy", sums, _cells([LABELS[best]], _ANSWERS), "all_w")
    majority["balanced_accuracy"] = found.balanced_accuracy
    majority["f1_macro"], majority["f1_macro_n"] = found.f1_macro, whole_number(n)
    for kind in ("", "_clustered"):  # F1 rises with the accuracy a: 2a/(1+a), over all classes
        for end in ("low", "high"):
            share = majority[f"accuracy{kind}_{end}"]
            majority[f"f1_macro{kind}_{end}"] = (
                2 * share / (1 + share) / len(LABELS) if isinstance(share, float) else None
            )
    majority["note"] = (
        "the label is the commonest of these very rows; its balanced accuracy is a constant, "
        "without an interval"
    )
    baselines: Figures = {
        "majority": majority,
        "random": {
            "accuracy": 1 / len(LABELS),
            "balanced_accuracy": 1 / len(LABELS),
            "note": "known without any row: no n, no interval",
        },
    }
    if "train_majority_correct_w" in sums.tally.sums:
        of_train: Figures = {}
        add_share(of_train, "accuracy", sums, "train_majority_correct_w", "all_w")
        add_share(of_train, "unseen_gene_rate", sums, "train_majority_unseen_w", "all_w")
        baselines["train_readout_majority"] = of_train
    return baselines


def group_macro(groups: Mapping[str, Sequence[int]]) -> Figures:
    """Return the mean over names of their accuracy, with the names as what is independent."""
    shares = sorted(right / weight for weight, right in groups.values() if weight)
    n = len(shares)
    value = math.fsum(shares) / n if n else None
    figures: Figures = {"accuracy": value, "group_n": n, "accuracy_n": n}
    interval = None
    if value is not None:
        moved = (np.array(shares) - value) / n
        interval = interval_of_variance(value, cluster_variance(moved, n), n)
        interval = interval or (without_spread(value, n) if n > 1 else None)
    if interval is not None:
        interval = max(0.0, interval[0]), min(1.0, interval[1])
    add_interval(figures, "accuracy", interval)
    return figures
