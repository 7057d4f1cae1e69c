"""RR-10, section 3: the report's numbers, in the default and in the compat reading."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.oracle.rr10_citations import Record, read_row
from tests.oracle.rr10_labels import DOWN, INDETERMINATE, LABELS, UP

TRAP, CONTROL = "fragility_trap", "concordant_control"
COMPAT_PAIRS = 100
DEFINITIONS = {
    "coverage": "items with a valid label / items",
    "accuracy_total": "right / items; invalid is wrong",
    "trap_accuracy": "traps answered indeterminate / traps",
    "control_accuracy": "controls answered with their direction / controls",
    "trap_overclaim_rate": "traps answered up or down / traps",
    "overall_abstention_rate": "items answered indeterminate / items",
    "control_abstention_rate": "controls answered indeterminate / controls",
    "paired_directional_robustness": "pairs with both right / pairs",
    "pair_complete_rate": "pairs with two valid labels / pairs",
    "macro_f1": "mean F1 of the three labels",
}


def read_answers(answers: Mapping[str, Record]) -> dict[str, Record]:
    """Each row read; the labels of both readings and the reason of the default one."""
    return {item_id.strip(): read_row(record) for item_id, record in answers.items()}


def sample_rows(
    items: Sequence[Record], answers: Mapping[str, Record], compat: bool = False
) -> list[Record]:
    """One row an item: gold label, predicted label, right or not."""
    read = read_answers(answers)
    rows = []
    for item in items:
        answer = read.get(
            item["id"].strip(), {"label": None, "reason": "missing", "label_compat": None}
        )
        label = answer["label_compat"] if compat else answer["label"]
        rows.append(
            {
                "id": item["id"],
                "item_type": item["item_type"],
                "context": item["context"],
                "gold": item["expected"],
                "label": label,
                "label_default": answer["label"],
                "label_compat": answer["label_compat"],
                "reason": answer["reason"],
                "right": label == item["expected"],
            }
        )
    return rows


def rate(rows: Sequence[Any], test: Callable[[Any], bool]) -> float | None:
    """Share of the rows that pass; null for no rows."""
    return len([row for row in rows if test(row)]) / len(rows) if rows else None


def find_pairs(rows: Sequence[Record]) -> list[tuple[Record, Record]]:
    """Trap and control of the same number, both there."""
    by_id = {row["id"]: row for row in rows}
    pairs = []
    for row in rows:
        match = re.fullmatch(r"OSDR-FRAG-([0-9]{5})", row["id"])
        control = by_id.get(f"OSDR-CTRL-{match.group(1)}") if match else None
        if control is not None:
            pairs.append((row, control))
    return pairs


def is_robust(pair: tuple[Record, Record]) -> bool:
    """Both right."""
    return bool(pair[0]["right"] and pair[1]["right"])


def is_complete(pair: tuple[Record, Record]) -> bool:
    """A valid label on both."""
    return pair[0]["label"] is not None and pair[1]["label"] is not None


def ratio(part: int, whole: int) -> float:
    """0/0 = 0, for the figures of a class."""
    return part / whole if whole else 0.0


def class_metrics(rows: Sequence[Record]) -> dict[str, Record]:
    """Precision, recall, F1 and support of each label."""
    metrics = {}
    for label in LABELS:
        gold_n = len([row for row in rows if row["gold"] == label])
        said_n = len([row for row in rows if row["label"] == label])
        hit_n = len([row for row in rows if row["gold"] == row["label"] == label])
        metrics[label] = {
            "precision": ratio(hit_n, said_n),
            "recall": ratio(hit_n, gold_n),
            "f1": ratio(2 * hit_n, gold_n + said_n),
            "support": gold_n,
        }
    return metrics


def is_wrong_way(row: Record) -> bool:
    """A control answered with the other direction."""
    return {row["gold"], row["label"]} == {UP, DOWN}


def per_context(rows: Sequence[Record]) -> dict[str, Record]:
    """n, accuracy, number without a valid label and PDR of each context."""
    contexts = {}
    for context in sorted({row["context"] for row in rows}):
        inside = [row for row in rows if row["context"] == context]
        contexts[context] = {
            "n": len(inside),
            "accuracy": rate(inside, lambda row: row["right"]),
            "invalid_or_missing": len([row for row in inside if row["label"] is None]),
            "paired_directional_robustness": rate(find_pairs(inside), is_robust),
        }
    return contexts


def report(items: Sequence[Record], answers: Mapping[str, Record], compat: bool = False) -> Record:
    """The report of items and prediction rows by id."""
    rows = sample_rows(items, answers, compat)
    traps = [row for row in rows if row["item_type"] == TRAP]
    controls = [row for row in rows if row["item_type"] == CONTROL]
    pairs = find_pairs(rows)
    classes = class_metrics(rows)
    counts: dict[str, int] = {}
    for row in rows:
        name = str(row["label"])  # None for an invalid one
        counts[name] = counts.get(name, 0) + 1
    robust, complete = rate(pairs, is_robust), rate(pairs, is_complete)
    if compat:
        robust = len([pair for pair in pairs if is_robust(pair)]) / COMPAT_PAIRS
        complete = len([pair for pair in pairs if is_complete(pair)]) / COMPAT_PAIRS
    reasons: dict[str, int] = {}
    for row in rows:
        if row["reason"] is not None:
            reasons[row["reason"]] = reasons.get(row["reason"], 0) + 1
    return {
        "n_items": len(rows),
        "coverage": rate(rows, lambda row: row["label"] is not None),
        "accuracy_total": rate(rows, lambda row: row["right"]),
        "trap_accuracy": rate(traps, lambda row: row["right"]),
        "control_accuracy": rate(controls, lambda row: row["right"]),
        "trap_overclaim_rate": rate(traps, lambda row: row["label"] in (UP, DOWN)),
        "overall_abstention_rate": rate(rows, lambda row: row["label"] == INDETERMINATE),
        "control_abstention_rate": rate(controls, lambda row: row["label"] == INDETERMINATE),
        "paired_directional_robustness": robust,
        "pair_complete_rate": complete,
        "class_metrics": classes,
        "macro_f1": sum(classes[label]["f1"] for label in LABELS) / len(LABELS),
        "prediction_counts": counts,
        "per_context": per_context(rows),
        "definitions": DEFINITIONS,
        # Added to the reference's keys.
        "trap_invalid_rate": rate(traps, lambda row: row["label"] is None),
        "control_wrong_direction_rate": rate(controls, is_wrong_way),
        "invalid_reasons": reasons,
        "read_differently": [r["id"] for r in rows if r["label_default"] != r["label_compat"]],
    }


def error_rows(items: Sequence[Record], answers: Mapping[str, Record]) -> list[Record]:
    """The rows of the compat reading's errors.csv: the wrong ones."""
    found = []
    for row in sample_rows(items, answers, compat=True):
        if not row["right"]:
            found.append(
                {
                    "id": row["id"],
                    "item_type": row["item_type"],
                    "context": row["context"],
                    "expected": row["gold"],
                    "prediction": row["label"] or "INVALID/MISSING",
                    "correct": False,
                }
            )
    return found
