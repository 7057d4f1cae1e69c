"""Tier 2's verdicts: the error label of each sample, and whether its chain carries its answer.

Source: specification of PerturbReason, section 4, M5 and "grounded accuracy". The rules are tried
in order; the first that holds gives the label (docs/adr/0002-label-precedence.md).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eval_tiers.domain.batch import BoolArray, FloatArray, SignArray
from eval_tiers.domain.labels import UNCHANGED
from eval_tiers.domain.taxonomy import (
    ERROR_LABEL_CODES,
    ERROR_LABELS,
    HARD_LABELS,
    VALIDITY_CODES,
)

_IS_HARD = np.array([name in HARD_LABELS for name in ERROR_LABELS] + [False])  # -1 reads the last


def error_labels(
    *,
    has_label: BoolArray,
    correct: BoolArray,
    has_gold_chain: BoolArray,
    has_ends: BoolArray,
    gold_edge_n: NDArray[np.int64],
    predicted_edge_n: NDArray[np.int64],
    hallucination_rate: FloatArray,
    connected: SignArray,
    chain_coverage: FloatArray,
    sign_flip_n: NDArray[np.int64],
    hallucination_threshold: float,
    coverage_threshold: float,
) -> SignArray:
    """Return each sample's error label code, -1 for none (right, but nothing to judge it by).

    Parameters
    ----------
    has_label, correct, has_gold_chain, has_ends : bool[n]
        Whether there is a predicted label; it is right; there is a gold chain (maybe empty);
        perturbation and readout are both known.
    gold_edge_n, predicted_edge_n, sign_flip_n : int64[n]
        Distinct pairs and sign flips; -1 without a gold chain.
    hallucination_rate, chain_coverage : float64[n]
        nan: unknown, which never fails a sample.
    connected : int8[n]
        1, 0, or -1: unknown, which never fails a sample.
    hallucination_threshold, coverage_threshold : float
        Inclusive; coverage passes at the threshold.
    """
    right, wrong = correct, ~correct
    no_prediction = predicted_edge_n == 0
    empty_gold = has_gold_chain & (gold_edge_n == 0)
    hallucinated = hallucination_rate >= hallucination_threshold
    unconnected = connected == 0
    uncovered = chain_coverage < coverage_threshold
    flips = np.maximum(sign_flip_n, 0)
    nothing_to_judge_by = ~has_gold_chain & ~has_ends
    rules: list[tuple[BoolArray, str | None]] = [
        (~has_label, "PARSE_FAIL"),
        (nothing_to_judge_by & wrong, "UNCLASSIFIED"),
        (nothing_to_judge_by & right, None),
        (right & empty_gold & no_prediction, "CORRECT"),
        (right & hallucinated, "CORRECT_HALLUCINATED_EDGE"),
        (wrong & hallucinated, "WRONG_HALLUCINATED_EDGE"),
        (right & (unconnected | uncovered), "CORRECT_RIGHT_FOR_WRONG_REASON"),
        (right & (flips == 1), "CORRECT_SIGN_FLIP"),
        (right & (flips >= 2), "CORRECT_RIGHT_FOR_WRONG_REASON"),
        (right, "CORRECT"),
        (wrong & (unconnected | no_prediction), "WRONG_NO_PATH"),
        (wrong & (flips % 2 == 1), "WRONG_SIGN_FLIP"),
        (wrong, "WRONG_CORRECT_CHAIN"),
    ]
    codes = [np.int8(-1 if name is None else ERROR_LABEL_CODES[name]) for _, name in rules]
    return np.select([where for where, _ in rules], codes, np.int8(-1)).astype(np.int8)


def hard_cases(labels: SignArray) -> BoolArray:
    """Return whether each error label is one that rules can't settle; none (-1) is not."""
    return np.asarray(_IS_HARD[labels])


def chain_validity(
    *,
    predicted_label: SignArray,
    predicted_edge_n: NDArray[np.int64],
    implied: SignArray,
    kg_connected: SignArray,
    contradicted_on_path_n: NDArray[np.int64],
) -> SignArray:
    """Return whether each chain carries its answer, judged without the gold chain.

    Codes into `CHAIN_VALIDITIES`. *valid*: connected over edges that the KG has, no on-path sign
    against a unique KG sign, and the implied answer is the predicted label. *unverifiable*: no
    edges, no label, no implied answer, or ``unchanged`` (no sign algebra derives absence).
    """
    unverifiable = (
        (predicted_edge_n == 0)
        | (predicted_label < 0)
        | (predicted_label == UNCHANGED)
        | (implied < 0)
    )
    valid = (kg_connected == 1) & (contradicted_on_path_n == 0) & (implied == predicted_label)
    result = np.full(len(implied), VALIDITY_CODES["invalid"], np.int8)
    result[valid] = VALIDITY_CODES["valid"]
    result[unverifiable] = VALIDITY_CODES["unverifiable"]
    return result
