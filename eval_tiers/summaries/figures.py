"""The figures of a slice, worked out from its tally. An undefined figure is None.

A pooled figure is a plain number under its own name; ``<name>_n``, ``<name>_low`` and
``<name>_high`` beside it give what it rests on and its 95 % interval.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from eval_tiers.domain.columns import GO_NULL_REASONS
from eval_tiers.domain.labels import LABELS, PARSE_FAILURE_REASONS, UNCHANGED
from eval_tiers.domain.taxonomy import CHAIN_VALIDITIES, EDGE_STATUSES, ERROR_LABELS
from eval_tiers.metrics.classification import classification, two_step
from eval_tiers.metrics.intervals import mean_interval, wilson_interval
from eval_tiers.summaries.measures import ANSWER_STATES, MEANS, SIGN_NAMES
from eval_tiers.summaries.tally import UNIT, Tally

Figures = dict[str, object]

IMPLIED_HEADLINES: Final = (
    "grounded_accuracy",
    "grounded_accuracy_upper",
    "lucky_right_rate",
)
"""Headlines that rest on implied answers; withheld where gold chains contradict their answers."""


def slice_figures(tally: Tally, tiers: frozenset[int]) -> Figures:
    """Return all figures of a slice: tier 1, and 2 and 3 where they ran."""
    figures = label_figures(tally)
    if 2 in tiers:
        figures |= chain_figures(tally)
    if 3 in tiers:
        figures |= go_figures(tally, with_labels=2 in tiers)
    return figures


def add_rate(figures: Figures, name: str, part: float, whole: float) -> None:
    """Add a rate with its n and Wilson interval; all None for an empty whole."""
    figures[name] = part / whole if whole > 0 else None
    figures[f"{name}_n"] = _whole_number(whole)
    _add_interval(figures, name, wilson_interval(min(part, whole), whole))


def add_mean(figures: Figures, name: str, tally: Tally, measure: str) -> None:
    """Add the mean of a measure with its n and normal interval."""
    weight = tally.sums.get(f"{measure}_w", 0) / UNIT
    total = tally.sums.get(f"{measure}_sum", 0) / UNIT
    squares = tally.sums.get(f"{measure}_square_sum", 0) / UNIT
    figures[name] = tally.mean(measure)
    figures[f"{name}_n"] = _whole_number(weight)
    interval = mean_interval(total, squares, weight)
    if interval is not None and total >= 0:
        interval = (max(0.0, interval[0]), min(1.0, interval[1]))
    _add_interval(figures, name, interval)


def confusion_of(tally: Tally) -> list[list[float]]:
    """Return the confusion matrix: gold label by predicted label, no prediction last."""
    return [
        [tally.real(f"confusion_{gold}_{word}_w") for word in (*LABELS, "none")] for gold in LABELS
    ]


def label_figures(tally: Tally) -> Figures:
    """Tier 1: accuracy and its relatives, the confusion matrix, the extraction band, baselines."""
    n = tally.real("all_w")
    confusion = confusion_of(tally)
    found = classification(confusion)
    figures: Figures = {"n": _whole_number(n), "row_n": tally.count("row_n")}
    add_rate(figures, "accuracy", tally.real("correct_w"), n)
    figures |= {
        "balanced_accuracy": found.balanced_accuracy,
        "f1_macro": found.f1_macro,
        "f1_weighted": found.f1_weighted,
        "f1_macro_present": found.f1_macro_present,
    }
    add_rate(figures, "parse_failure_rate", tally.real("parse_failure_w"), n)
    figures["parse_failure_reasons"] = {
        name: tally.count(f"parse_failure_{name}_n") for name in PARSE_FAILURE_REASONS
    }
    add_rate(figures, "accuracy_lenient", tally.real("lenient_correct_w"), n)
    add_rate(figures, "parse_failure_rate_lenient", tally.real("lenient_failure_w"), n)
    figures["confusion_matrix"] = {
        gold: {
            word: _whole_number(value) for word, value in zip((*LABELS, "none"), row, strict=True)
        }
        for gold, row in zip(LABELS, confusion, strict=True)
    }
    figures["class_metrics"] = {
        word: {
            "precision": of_class.precision,
            "recall": of_class.recall,
            "f1": of_class.f1,
            "support": _whole_number(of_class.support),
        }
        for word, of_class in zip(LABELS, found.classes, strict=True)
    }
    figures |= two_step(confusion, UNCHANGED)
    figures["baselines"] = _label_baselines(tally, confusion, n)
    return figures


def _label_baselines(tally: Tally, confusion: list[list[float]], n: float) -> Figures:
    """Work out what answers without a model would score on the same rows."""
    support = [sum(row) for row in confusion]
    if n <= 0:
        return {}
    best = max(range(len(LABELS)), key=lambda code: (support[code], -code))
    constant = [[0.0] * (len(LABELS) + 1) for _ in LABELS]
    for code, total in enumerate(support):
        constant[code][best] = total
    majority = classification(constant)
    baselines: Figures = {
        "majority": {
            "label": LABELS[best],
            "accuracy": majority.accuracy,
            "balanced_accuracy": majority.balanced_accuracy,
            "f1_macro": majority.f1_macro,
        },
        "random": {"accuracy": 1 / len(LABELS), "balanced_accuracy": 1 / len(LABELS)},
    }
    if "train_majority_correct_w" in tally.sums:
        of_train: Figures = {}
        add_rate(of_train, "accuracy", tally.real("train_majority_correct_w"), n)
        add_rate(of_train, "unseen_gene_rate", tally.real("train_majority_unseen_w"), n)
        baselines["train_readout_majority"] = of_train
    return baselines


def chain_figures(tally: Tally) -> Figures:
    """Tier 2: error labels, chain means, grounded accuracy, contradictions, hubs, ceiling."""
    n = tally.real("all_w")
    right = tally.real("correct_w")
    figures: Figures = {}
    figures["error_distribution"] = {name: tally.count(f"label_{name}_n") for name in ERROR_LABELS}
    figures["error_label_null_n"] = tally.count("label_none_n")
    figures["error_rate_by_label"] = {
        name: tally.real(f"label_{name}_w") / n if n else None for name in ERROR_LABELS
    }
    wrong_chain = tally.count("label_WRONG_CORRECT_CHAIN_n")
    no_path = tally.count("label_WRONG_NO_PATH_n")
    figures["wrong_correct_chain_to_wrong_no_path"] = wrong_chain / no_path if no_path else None
    figures["hard_case_n"] = tally.count("hard_case_n")
    add_rate(figures, "hard_case_rate", tally.real("hard_case_w"), n)
    add_rate(figures, "correct_clean_rate", tally.real("correct_clean_w"), n)
    for name in MEANS:
        add_mean(figures, name, tally, name)
    for name in ("edge_f1", "edge_f1_relaxed"):
        add_mean(figures, f"{name}_without_empty", tally, f"{name}_without_empty")
    add_mean(figures, "gold_in_kg_rate", tally, "gold_in_kg_rate")
    for name in ("connected", "kg_connected"):
        add_rate(figures, f"{name}_rate", tally.real(f"{name}_w"), tally.real(f"{name}_known_w"))
    matrix = {
        state: {
            validity: tally.real(f"matrix_{state}_{validity}_w") for validity in CHAIN_VALIDITIES
        }
        for state in ANSWER_STATES
    }
    figures["answer_chain_matrix"] = {
        state: {validity: _whole_number(value) for validity, value in row.items()}
        for state, row in matrix.items()
    }
    of_right = matrix["right"]
    add_rate(figures, "grounded_accuracy", of_right["valid"], n)
    add_rate(figures, "grounded_accuracy_upper", of_right["valid"] + of_right["unverifiable"], n)
    add_rate(figures, "lucky_right_rate", of_right["invalid"], right)
    figures["gold_self_consistency"] = gold_consistency(tally)
    figures |= _pair_figures(tally)
    for name in (
        "dropped_edge_n", "off_path_edge_n", "off_path_unknown_n", "gold_conflict_n",
        "predicted_conflict_n", "unsigned_shared_n", "no_gold_chain_n", "no_ends_n",
        "no_perturbation_sign_n",
    ):  # fmt: skip
        figures[name] = tally.count(name)
    return figures


def gold_consistency(tally: Tally) -> Figures:
    """Share of directional golds whose gold chain implies the gold answer, by sign; and flipped."""
    result: Figures = {}
    whole, whole_part = 0.0, 0.0
    for name in SIGN_NAMES.values():
        judged = tally.real(f"gold_judged_{name}_w")
        part = tally.real(f"gold_consistent_{name}_w")
        whole, whole_part = whole + judged, whole_part + part
        if name != "unknown":
            result[name] = _consistency(part, judged)
    return {"all": _consistency(whole_part, whole)} | result


def _consistency(part: float, judged: float) -> Figures:
    figures: Figures = {}
    add_rate(figures, "rate", part, judged)
    figures["rate_flipped"] = (judged - part) / judged if judged else None
    return figures


def consistency_warnings(figures: Figures) -> list[str]:
    """Say where gold chains don't support their gold answers; empty when they do.

    A group counts when its interval's lower bound is .5 or below, or when flipping the
    perturbation's sign would make it fit better; groups under 10 only within the whole.
    """
    found = figures.get("gold_self_consistency")
    warnings = []
    for name, group in found.items() if isinstance(found, dict) else ():
        rate, low, n = group["rate"], group["rate_low"], group["rate_n"]
        if rate is None or (name != "all" and n < 10):
            continue
        if low <= 0.5 or group["rate_flipped"] > rate:
            of = "" if name == "all" else f" with a {name} perturbation sign"
            warnings.append(
                f"gold chains{of} imply the gold answer in {rate:.1%} of {n} (lower bound "
                f"{low:.1%}; with the sign flipped {group['rate_flipped']:.1%})"
            )
    return warnings


def _pair_figures(tally: Tally) -> Figures:
    """Figures over predicted pairs, pooled: statuses, the contradicted band, hubs."""
    pairs = tally.count("predicted_pair_n")
    statuses = {name: tally.count(f"edge_status_{name}_n") for name in EDGE_STATUSES}
    figures: Figures = {"predicted_pair_n": pairs, "edge_status": statuses}
    outside = pairs - tally.count("predicted_pair_in_kg_n")
    contradicted = statuses["sign_contradicted"]
    add_rate(figures, "contradicted_rate", contradicted, pairs)
    add_rate(figures, "unsupported_rate", outside, pairs)
    figures["contradicted_band"] = (
        [contradicted / pairs, (contradicted + outside) / pairs] if pairs else None
    )
    figures["off_path_edge_rate"] = tally.count("off_path_edge_n") / pairs if pairs else None
    known = tally.count("predicted_pair_known_n")
    figures["hub"] = _lift(
        tally.count("predicted_pair_in_kg_n"), tally.real("expected_in_kg_sum"), known
    )
    figures["shortcut"] = _lift(
        tally.count("shortcut_seen_n"),
        tally.real("expected_shortcut_sum"),
        tally.count("shortcut_open_n"),
    )
    return figures


def _lift(seen: int, expected_sum: float, n: int) -> Figures:
    """Observed and expected share over the same pairs, and (observed - expected)/(1 - expected)."""
    if n == 0:
        return {"pair_n": 0, "observed": None, "expected": None, "lift": None}
    observed, expected = seen / n, expected_sum / n
    lift = (observed - expected) / (1 - expected) if expected < 1 else None
    return {"pair_n": n, "observed": observed, "expected": expected, "lift": lift}


def go_figures(tally: Tally, with_labels: bool) -> Figures:
    """Tier 3: mean and median similarity, trivial ones apart, against chance, by error label."""
    figures: Figures = {}
    for measure, name in (
        ("go_sim", "go_sim"),
        ("go_sim_nontrivial", "go_sim_nontrivial"),
        ("go_sim_ref", "go_sim_ref"),
    ):
        add_mean(figures, f"{name}_mean", tally, measure)
        figures[f"{name}_median"] = tally.median(measure)
    known = tally.real("go_sim_w")
    add_rate(figures, "go_sim_one_rate", tally.real("go_sim_one_w"), known)
    add_rate(figures, "go_trivial_rate", tally.real("go_trivial_w"), known)
    figures["go_null_reasons"] = {
        reason: tally.count(f"go_null_{reason}_n") for reason in GO_NULL_REASONS
    }
    figures["go_null_mean"] = tally.mean("go_null")
    figures["go_excess_mean"] = tally.mean("go_excess")
    figures["go_excess_n"] = _whole_number(tally.real("go_excess_w"))
    add_rate(
        figures, "go_above_null_p95_rate", tally.real("go_above_null_p95_w"),
        tally.real("go_excess_w"),
    )  # fmt: skip
    if with_labels:
        figures["go_sim_by_error_label"] = {
            name: {
                "n": _whole_number(tally.real(f"go_sim_{name}_w")),
                "mean": tally.mean(f"go_sim_{name}"),
                "median": tally.median(f"go_sim_{name}"),
            }
            for name in ERROR_LABELS
            if tally.sums.get(f"go_sim_{name}_w")
        }
        figures["go_sim_edge_f1_pearson"] = _pearson(tally)
    return figures


def _pearson(tally: Tally) -> float | None:
    n = tally.real("pearson_w")
    if n < 2:
        return None
    x, y, xx, yy, xy = (tally.real(f"pearson_{name}_sum") for name in ("x", "y", "xx", "yy", "xy"))
    spread = (n * xx - x * x) * (n * yy - y * y)
    if spread <= 1e-12:
        return None
    return max(-1.0, min(1.0, (n * xy - x * y) / math.sqrt(spread)))


def group_macro(groups: Mapping[str, Sequence[int]]) -> Figures:
    """Return the mean over names of their accuracy, and the number of names."""
    shares = [right / weight for weight, right in groups.values() if weight]
    return {"accuracy": math.fsum(shares) / len(shares) if shares else None, "group_n": len(shares)}


def _whole_number(value: float) -> float | int:
    """Return an int where the value is one to 1e-6 (weights of rollouts aren't exact)."""
    nearest = round(value)
    return nearest if abs(value - nearest) < 1e-6 else value


def _add_interval(figures: Figures, name: str, interval: tuple[float, float] | None) -> None:
    figures[f"{name}_low"] = None if interval is None else interval[0]
    figures[f"{name}_high"] = None if interval is None else interval[1]
