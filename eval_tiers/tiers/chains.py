"""Tier 2 without the knowledge graph: the predicted chain against the gold chain.

Source: specification of PerturbReason, section 4, M1-M3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eval_tiers.domain.batch import BoolArray, FloatArray, SignArray
from eval_tiers.domain.labels import DOWN, UP
from eval_tiers.tiers.edges import EdgeSet
from eval_tiers.tiers.paths import PathTrace


@dataclass(slots=True)
class ChainMatch:
    """How the predicted edges of each sample meet the gold ones; nan and -1 are null.

    Attributes
    ----------
    gold_edge_n : int64[n]
        Distinct gold pairs, -1 where there is no gold chain.
    predicted_edge_n : int64[n]
        Distinct predicted pairs.
    edge_precision, edge_recall, edge_f1 : float64[n]
        On (source, sign, target). Both sides empty: F1 1; one empty: 0.
    edge_f1_relaxed, chain_coverage : float64[n]
        On (source, target); coverage is 1 where the gold chain is empty.
    sign_match : float64[n]
        Share of shared pairs whose signs don't disagree, nan where none is shared.
    sign_flip_n, unsigned_shared_n : int64[n]
        Shared pairs with opposite signs; with an unsigned side. -1 without a gold chain.
    in_gold : bool[n_predicted_pairs]
        Predicted pairs that are gold pairs.
    """

    gold_edge_n: NDArray[np.int64]
    predicted_edge_n: NDArray[np.int64]
    edge_precision: FloatArray
    edge_recall: FloatArray
    edge_f1: FloatArray
    edge_f1_relaxed: FloatArray
    chain_coverage: FloatArray
    sign_match: FloatArray
    sign_flip_n: NDArray[np.int64]
    unsigned_shared_n: NDArray[np.int64]
    in_gold: BoolArray


def match_chains(gold: EdgeSet, predicted: EdgeSet, has_gold_chain: BoolArray) -> ChainMatch:
    """Compare the distinct predicted edges with the gold ones, sample by sample."""
    place = gold.find(predicted)
    shared = place >= 0
    gold_sign = np.zeros(len(predicted), np.int8)
    gold_sign[shared] = gold.sign[place[shared]]
    product = gold_sign * predicted.sign
    gold_n, predicted_n = gold.count(), predicted.count()
    shared_n = predicted.count(shared)
    strict_n = predicted.count(shared & (gold_sign == predicted.sign))
    flip_n = predicted.count(shared & (product == -1))
    unsigned_n = predicted.count(shared & (product == 0))
    both_empty = (gold_n == 0) & (predicted_n == 0)
    total = gold_n + predicted_n
    f1 = np.where(both_empty, 1.0, ratio(2 * strict_n, total))
    relaxed = np.where(both_empty, 1.0, ratio(2 * shared_n, total))
    coverage = np.where(gold_n == 0, 1.0, ratio(shared_n, gold_n))
    missing = ~has_gold_chain
    precision, recall = ratio(strict_n, predicted_n), ratio(strict_n, gold_n)
    sign_match = ratio(shared_n - flip_n, shared_n)
    for values in (precision, recall, f1, relaxed, coverage, sign_match):
        values[missing] = np.nan
    for counts in (gold_n, flip_n, unsigned_n):
        counts[missing] = -1
    return ChainMatch(
        gold_edge_n=gold_n,
        predicted_edge_n=predicted_n,
        edge_precision=precision,
        edge_recall=recall,
        edge_f1=f1,
        edge_f1_relaxed=relaxed,
        chain_coverage=coverage,
        sign_match=sign_match,
        sign_flip_n=flip_n,
        unsigned_shared_n=unsigned_n,
        in_gold=shared,
    )


def ratio(part: NDArray[np.int64], whole: NDArray[np.int64]) -> FloatArray:
    """Return ``part / whole`` as float64, nan where the whole is 0."""
    result = np.full(len(part), np.nan)
    np.divide(part, whole, out=result, where=whole > 0)
    return result


def implied_answer(trace: PathTrace, perturbation_sign: SignArray) -> SignArray:
    """Return the label code that a chain implies: up or down, -1 null.

    Null without a path, with an unsigned edge on one, with paths that disagree, without a
    perturbation sign, or where the search for paths gave up.
    """
    product = trace.sign * perturbation_sign
    result = np.full(len(product), -1, np.int8)
    result[product == 1] = UP
    result[product == -1] = DOWN
    return result
