"""Which measures of a scored batch go into the tallies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from eval_tiers.domain.columns import GO_NULL_REASONS
from eval_tiers.domain.labels import LABELS, PARSE_FAILURE_REASONS, UNCHANGED
from eval_tiers.domain.taxonomy import (
    CHAIN_VALIDITIES,
    EDGE_STATUSES,
    ERROR_LABEL_CODES,
    ERROR_LABELS,
)
from eval_tiers.summaries.cluster_sums import UNIT
from eval_tiers.summaries.measure_table import MeasureTable

if TYPE_CHECKING:
    from eval_tiers.domain.batch import Batch, BoolArray, FloatArray, SignArray

ANSWER_STATES: Final = ("right", "wrong", "no_answer")
MEANS: Final = (
    "edge_precision", "edge_recall", "edge_f1", "edge_f1_relaxed", "chain_coverage", "sign_match",
    "kg_sign_match", "hallucination_rate", "hallucination_rate_excl_gold", "in_kg_rate",
)  # fmt: skip
SIGN_NAMES: Final = {1: "positive", -1: "negative", 0: "unknown"}


def measure_labels(table: MeasureTable, columns: Mapping[str, Any]) -> None:
    """Tier 1: the confusion matrix (weighted by item), reasons, the lenient reading."""
    gold, predicted = columns["gold_label"], columns["predicted_label"]
    table.count("row_n", np.ones(table.n, np.int64))
    table.share("all", np.ones(table.n, np.bool_))
    table.share("correct", columns["answer_correct"])
    table.share("lenient_correct", gold == columns["predicted_label_lenient"])
    table.share("lenient_failure", columns["predicted_label_lenient"] < 0)
    for g, gold_word in enumerate(LABELS):
        for p, word in enumerate((*LABELS, "none")):
            code = p if p < len(LABELS) else -1
            table.share(f"confusion_{gold_word}_{word}", (gold == g) & (predicted == code))
    table.share("parse_failure", predicted < 0)
    reason = columns["parse_failure_reason"]
    for code, name in enumerate(PARSE_FAILURE_REASONS):
        table.count(f"parse_failure_{name}_n", reason == code)
    if "train_label" in columns:
        table.share("train_majority_correct", gold == columns["train_label"])
        table.share("train_majority_unseen", columns["train_unseen"])


def measure_chains(
    table: MeasureTable,
    columns: Mapping[str, Any],
    *,
    batch: Batch,
    gold_in_kg: FloatArray,
    conflict_n: tuple[NDArray[np.int64], NDArray[np.int64]],
    unsigned_shared_n: NDArray[np.int64],
    pairs: Mapping[str, NDArray[np.int64]],
    expected: Mapping[str, FloatArray],
) -> None:
    """Tier 2: means, error labels, validity, self-consistency of gold, pairs and hubs."""
    right = np.asarray(columns["answer_correct"])
    for name in MEANS:
        table.real(name, np.asarray(columns[name], np.float64))
    some_edges = (columns["predicted_edge_n"] > 0) | (columns["gold_edge_n"] > 0)
    for name in ("edge_f1", "edge_f1_relaxed"):
        table.real(f"{name}_without_empty", np.where(some_edges, columns[name], np.nan))
    table.real("gold_in_kg_rate", gold_in_kg)
    measure_error_labels(table, columns)
    for name in ("connected", "kg_connected"):
        table.share(name, columns[name] == 1)
        table.share(f"{name}_known", columns[name] >= 0)
    state = np.where(right, 0, np.where(columns["predicted_label"] < 0, 2, 1))
    for s, state_name in enumerate(ANSWER_STATES):
        for v, validity in enumerate(CHAIN_VALIDITIES):
            table.share(
                f"matrix_{state_name}_{validity}", (state == s) & (columns["chain_validity"] == v)
            )
    _measure_gold_consistency(table, columns)
    table.count("gold_conflict_n", conflict_n[0])
    table.count("predicted_conflict_n", conflict_n[1])
    table.count("unsigned_shared_n", np.maximum(unsigned_shared_n, 0))
    table.count("predicted_edge_n", columns["predicted_edge_n"])
    table.count("dropped_edge_n", columns["dropped_edge_n"])
    table.count("no_gold_chain_n", ~batch.has_gold_chain)
    table.count("no_ends_n", (batch.perturbation < 0) | (batch.readout < 0))
    table.count("no_perturbation_sign_n", np.asarray(columns["perturbation_sign"]) == 0)
    off_path = columns["off_path_edge_n"]
    table.count("off_path_edge_n", np.maximum(off_path, 0))
    table.count("off_path_unknown_n", off_path < 0)
    for status in EDGE_STATUSES:
        table.count(f"edge_status_{status}_n", columns[f"edge_status_{status}_n"])
    for name, counts in pairs.items():
        table.count(name, counts)
    for name, sums in expected.items():
        table.total(name, sums)


def measure_error_labels(table: MeasureTable, columns: Mapping[str, Any]) -> None:
    """Rows by error label, hard cases, and right answers with a clean chain."""
    label: SignArray = columns["error_label"]
    for code, name in enumerate(ERROR_LABELS):
        table.count(f"label_{name}_n", label == code)
        table.share(f"label_{name}", label == code)
    table.count("label_none_n", label < 0)
    table.count("hard_case_n", columns["hard_case"])
    table.share("hard_case", columns["hard_case"])
    clean = (label == ERROR_LABEL_CODES["CORRECT"]) & ~(columns["hallucination_rate"] > 0)
    table.share("correct_clean", clean)


def _measure_gold_consistency(table: MeasureTable, columns: Mapping[str, Any]) -> None:
    """How often the gold chain's sign product gives a directional gold answer, by sign."""
    gold, implied = columns["gold_label"], columns["gold_implied_answer"]
    judged: BoolArray = (gold != UNCHANGED) & (implied >= 0)
    agrees = judged & (gold == implied)
    for sign, name in SIGN_NAMES.items():
        here = columns["perturbation_sign"] == sign
        table.share(f"gold_judged_{name}", judged & here)
        table.share(f"gold_consistent_{name}", agrees & here)


def measure_go_sets(table: MeasureTable, columns: Mapping[str, Any]) -> None:
    """Tier 3: similarity, all and without trivial ones, by error label, against chance."""
    sim: FloatArray = columns["go_sim"]
    table.real("go_sim", sim, binned=True)
    table.real("go_sim_nontrivial", np.where(columns["go_trivial"] == 0, sim, np.nan), binned=True)
    table.real("go_sim_ref", columns["go_sim_ref"], binned=True)
    table.share("go_sim_one", sim >= 1.0)
    table.share("go_trivial", columns["go_trivial"] == 1)
    table.real("go_null", columns["go_null_mean"])
    table.real("go_excess", sim - columns["go_null_mean"])
    table.share("go_above_null_p95", sim > columns["go_null_p95"])
    table.count("chain_gene_n", columns["chain_gene_n"])
    table.count("chain_gene_in_gmt_n", columns["chain_gene_in_gmt_n"])
    for code, reason in enumerate(GO_NULL_REASONS):
        table.count(f"go_null_{reason}_n", columns["go_null_reason"] == code)
    if "error_label" not in columns:
        return
    measure_go_by_label(table, columns)
    f1 = columns["edge_f1"]
    both = ~np.isnan(sim) & ~np.isnan(f1)
    table.share("pearson", both)
    x, y = np.where(both, sim, 0.0), np.where(both, f1, 0.0)
    for name, product in (("x", x), ("y", y), ("xx", x * x), ("yy", y * y), ("xy", x * y)):
        table.total(f"pearson_{name}", product * (table.units / UNIT))


def measure_go_by_label(table: MeasureTable, columns: Mapping[str, Any]) -> None:
    """Similarity of the rows of each error label that is there."""
    sim, label = columns["go_sim"], columns["error_label"]
    for code, name in enumerate(ERROR_LABELS):
        if (label == code).any():
            table.real(f"go_sim_{name}", np.where(label == code, sim, np.nan), binned=True)
