"""Tier 3: how far the predicted chain runs through the same biology as the gold chain.

IDF-weighted cosine of the GO-BP profiles of the intermediate genes of the two chains.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eval_tiers.go.bins import bin_codes
from eval_tiers.go.cosines import GeneLists, paired_cosines
from eval_tiers.go.nulls import GoNull
from eval_tiers.go.profiles import GoProfiles

GO_NULL_REASONS = (
    "no_gold_chain",
    "no_gold_gene",
    "gold_unannotated",
    "no_predicted_gene",
    "predicted_unannotated",
    "zero_weight",
)
"""Why go_sim is null, in the order in which they are tried; a code is a position here."""


@dataclass(frozen=True, eq=False, slots=True)
class GoResult:
    """Tier 3 of a batch, one entry a sample.

    Attributes
    ----------
    go_sim : float64[n]
        Cosine in [0, 1]; exactly 1 for equal annotated sets; NaN = null.
    go_sim_ref : float64[n]
        The reference's reading: both annotated sets empty 1, one empty 0, else `go_sim`; NaN
        without a gold chain, and where `go_sim` is null for ``zero_weight``.
    go_trivial : int8[n]
        1 when the annotated sets are equal and not empty, 0 for any other defined `go_sim`,
        -1 = null.
    go_null_reason : int8[n]
        Position in `GO_NULL_REASONS`; -1 where `go_sim` is defined.
    gold_gene_n, predicted_gene_n : int64[n]
        Distinct annotated intermediates.
    gold_bin, predicted_bin : int32[n]
        Bins of the null (`eval_tiers.go.bins`); -1 without an annotated gene.
    """

    go_sim: npt.NDArray[np.float64]
    go_sim_ref: npt.NDArray[np.float64]
    go_trivial: npt.NDArray[np.int8]
    go_null_reason: npt.NDArray[np.int8]
    gold_gene_n: npt.NDArray[np.int64]
    predicted_gene_n: npt.NDArray[np.int64]
    gold_bin: npt.NDArray[np.int32]
    predicted_bin: npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False, slots=True)
class _Side:
    """One side: keys ``sample * profiles.gene_n + gene`` are ascending and distinct."""

    key: npt.NDArray[np.int64]
    genes: GeneLists
    node_n: npt.NDArray[np.int64]
    gene_n: npt.NDArray[np.int64]
    annotation_n: npt.NDArray[np.int64]


def go_similarity(
    n: int,
    gold_sample: npt.NDArray[np.integer],
    gold_gene: npt.NDArray[np.integer],
    predicted_sample: npt.NDArray[np.integer],
    predicted_gene: npt.NDArray[np.integer],
    has_gold_chain: npt.NDArray[np.bool_],
    profiles: GoProfiles,
) -> GoResult:
    """Compare the intermediate genes of gold and predicted chains.

    Parameters
    ----------
    n : int
        Samples of the batch; 0 gives empty arrays.
    gold_sample, predicted_sample : int[nodes]
        Sample of each intermediate node, in [0, n), in any order.
    gold_gene, predicted_gene : int[nodes]
        The node's row in `profiles`, -1 where the GMT doesn't know it. Perturbation and readout
        are to be left out by the caller; a repeated gene counts once.
    has_gold_chain : bool[n]
        False where the gold record has no chain at all.
    profiles : GoProfiles

    Returns
    -------
    GoResult
        A sample's values don't depend on the batch that it is in, to the last bit.

    References
    ----------
    docs/perturbreason.md, section 5.
    """
    gold = _side(n, gold_sample, gold_gene, profiles)
    predicted = _side(n, predicted_sample, predicted_gene, profiles)
    reason = np.full(n, -1, np.int8)
    holds = (
        ~has_gold_chain,
        gold.node_n == 0,
        gold.gene_n == 0,
        predicted.node_n == 0,
        predicted.gene_n == 0,
    )
    for code in reversed(range(len(holds))):
        reason[holds[code]] = code

    shared = np.intersect1d(gold.key, predicted.key, assume_unique=True) // profiles.gene_n
    shared_n = np.bincount(shared, minlength=n)
    equal = (gold.gene_n == predicted.gene_n) & (shared_n == gold.gene_n)
    defined = reason == -1

    sim = np.full(n, np.nan)
    sim[defined & equal] = 1.0
    rest = np.flatnonzero(defined & ~equal)
    sim[rest] = paired_cosines(gold.genes.take(rest), predicted.genes.take(rest), profiles)
    reason[defined & np.isnan(sim)] = GO_NULL_REASONS.index("zero_weight")

    empty_n = (gold.gene_n == 0).astype(np.int8) + (predicted.gene_n == 0)
    reference = np.where(empty_n == 2, 1.0, np.where(empty_n == 1, 0.0, sim))
    reference[~has_gold_chain] = np.nan
    return GoResult(
        go_sim=sim,
        go_sim_ref=reference,
        go_trivial=np.where(reason == -1, equal, -1).astype(np.int8),
        go_null_reason=reason,
        gold_gene_n=gold.gene_n,
        predicted_gene_n=predicted.gene_n,
        gold_bin=bin_codes(gold.gene_n, gold.annotation_n),
        predicted_bin=bin_codes(predicted.gene_n, predicted.annotation_n),
    )


def go_null_columns(
    result: GoResult, null: GoNull
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the null's mean and 95th percentile for each sample.

    Parameters
    ----------
    result : GoResult
    null : GoNull
        Over the same profiles.

    Returns
    -------
    go_null_mean, go_null_p95 : float64[n]
        In [0, 1]; NaN where go_sim is null or the bins can't be filled.
    """
    mean = np.full(len(result.go_sim), np.nan)
    p95 = mean.copy()
    defined = result.go_null_reason == -1
    pairs = np.stack([result.gold_bin[defined], result.predicted_bin[defined]], axis=1)
    mean[defined], p95[defined] = null.mean_and_p95(pairs)
    return mean, p95


def _side(
    n: int,
    sample: npt.NDArray[np.integer],
    gene: npt.NDArray[np.integer],
    profiles: GoProfiles,
) -> _Side:
    sample = sample.astype(np.int64)
    known = gene >= 0
    key = np.sort(sample[known] * profiles.gene_n + gene[known])
    key = key[np.diff(key, prepend=-1) != 0]
    owner, code = key // profiles.gene_n, key % profiles.gene_n
    gene_n = np.bincount(owner, minlength=n)
    indptr = np.concatenate(([0], np.cumsum(gene_n)))
    annotated = np.concatenate(([0], np.cumsum(profiles.annotation_n[code])))
    return _Side(
        key=key,
        genes=GeneLists(indptr, code),
        node_n=np.bincount(sample, minlength=n),
        gene_n=gene_n,
        annotation_n=np.diff(annotated[indptr]),
    )
