"""Scores one batch: which tiers run, in which order, and the columns that they add."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eval_tiers.domain.batch import Batch, BoolArray, SignArray
from eval_tiers.domain.taxonomy import EDGE_STATUSES, STATUS_CODES
from eval_tiers.settings import Settings
from eval_tiers.tiers.chains import ChainMatch, implied_answer, match_chains
from eval_tiers.tiers.edges import EdgeSet, distinct_edges, sorted_distinct
from eval_tiers.tiers.error_labels import chain_validity, error_labels, hard_cases
from eval_tiers.tiers.labels import answer_correct
from eval_tiers.tiers.paths import PathTrace, trace_paths

if TYPE_CHECKING:
    from eval_tiers.go.gene_sets import GeneSets
    from eval_tiers.go.nulls import GoNull
    from eval_tiers.go.profiles import GoProfiles
    from eval_tiers.kg.graph import SignedGraph
    from eval_tiers.tiers.evidence import KgEvidence


@dataclass(slots=True)
class GoResources:
    """What tier 3 needs: the sets, their profiles, and the null against chance."""

    gene_sets: GeneSets
    profiles: GoProfiles
    null: GoNull


@dataclass(slots=True)
class ScoredBatch:
    """A batch with every column of its tiers.

    Attributes
    ----------
    batch : Batch
        As read.
    columns : dict of str to array
        Columns of the samples table by name (`eval_tiers.domain.columns`), null codes and all.
    gold, predicted : EdgeSet
        Distinct edges; empty when tier 2 did not run.
    gold_trace, predicted_trace : PathTrace or None
    gold_evidence, predicted_evidence : KgEvidence or None
    match : ChainMatch or None
    """

    batch: Batch
    columns: dict[str, Any]
    gold: EdgeSet
    predicted: EdgeSet
    gold_trace: PathTrace | None = None
    predicted_trace: PathTrace | None = None
    gold_evidence: KgEvidence | None = None
    predicted_evidence: KgEvidence | None = None
    match: ChainMatch | None = None


def score_batch(
    batch: Batch,
    tiers: frozenset[int],
    settings: Settings,
    graph: SignedGraph | None = None,
    go: GoResources | None = None,
) -> ScoredBatch:
    """Run the tiers over a batch.

    Parameters
    ----------
    batch : Batch
        As read; ``columns`` must hold ``gold_label``, ``predicted_label`` and
        ``perturbation_sign`` as int8 codes.
    tiers : frozenset of int
        Of 1, 2, 3. Tier 2 takes `graph`, tier 3 takes `go`.
    settings : Settings
        Thresholds.

    Returns
    -------
    ScoredBatch
    """
    n_symbols = len(batch.symbols)
    scored = ScoredBatch(
        batch,
        dict(batch.columns),
        distinct_edges(batch.gold, batch.n, n_symbols),
        distinct_edges(batch.predicted, batch.n, n_symbols),
    )
    scored.columns["answer_correct"] = answer_correct(
        batch.columns["gold_label"], batch.columns["predicted_label"]
    )
    if 2 in tiers and graph is not None:
        _score_chains(scored, settings, graph)
    if 3 in tiers and go is not None:
        _score_go_sets(scored, go)
    return scored


def _score_chains(scored: ScoredBatch, settings: Settings, graph: SignedGraph) -> None:
    from eval_tiers.tiers.evidence import find_evidence, look_up_pairs, node_codes

    batch, columns = scored.batch, scored.columns
    gold, predicted = scored.gold, scored.predicted
    match = match_chains(gold, predicted, batch.has_gold_chain)
    facts = look_up_pairs((gold, predicted), node_codes(batch.symbols, graph), graph)
    evidence = find_evidence(predicted, facts, match.in_gold, settings.unknown_nodes)
    gold_evidence = find_evidence(
        gold, facts, np.zeros(len(gold), np.bool_), settings.unknown_nodes
    )
    limit = settings.path_visit_limit
    trace = trace_paths(predicted, batch.perturbation, batch.readout, limit)
    kg_trace = trace_paths(
        predicted.subset(evidence.in_kg), batch.perturbation, batch.readout, limit
    )
    gold_trace = trace_paths(gold, batch.perturbation, batch.readout, limit)
    implied = implied_answer(trace, columns["perturbation_sign"])
    contradicted = (evidence.status == STATUS_CODES["sign_contradicted"]) & (trace.on_path == 1)
    labels = error_labels(
        has_label=columns["predicted_label"] >= 0,
        correct=columns["answer_correct"],
        has_gold_chain=batch.has_gold_chain,
        has_ends=(batch.perturbation >= 0) & (batch.readout >= 0),
        gold_edge_n=match.gold_edge_n,
        predicted_edge_n=match.predicted_edge_n,
        hallucination_rate=evidence.hallucination_rate,
        connected=trace.connected,
        chain_coverage=match.chain_coverage,
        sign_flip_n=match.sign_flip_n,
        hallucination_threshold=settings.hallucination_threshold,
        coverage_threshold=settings.coverage_threshold,
    )
    for name in ("gold_edge_n", "predicted_edge_n", "edge_precision", "edge_recall", "edge_f1",
                 "edge_f1_relaxed", "chain_coverage", "sign_match", "sign_flip_n"):  # fmt: skip
        columns[name] = getattr(match, name)
    columns |= {
        "connected": trace.connected,
        "kg_connected": kg_trace.connected,
        "kg_sign_match": evidence.kg_sign_match,
        "implied_answer": implied,
        "gold_implied_answer": _gold_implied(scored, gold_trace),
        "hallucination_rate": evidence.hallucination_rate,
        "hallucination_rate_excl_gold": evidence.hallucination_rate_excl_gold,
        "in_kg_rate": 1.0 - evidence.hallucination_rate,
        "off_path_edge_n": _off_path_n(predicted, trace),
        "error_label": labels,
        "hard_case": hard_cases(labels),
        "chain_validity": chain_validity(
            predicted_label=columns["predicted_label"],
            predicted_edge_n=match.predicted_edge_n,
            implied=implied,
            kg_connected=kg_trace.connected,
            contradicted_on_path_n=predicted.count(contradicted),
        ),
    }
    for code, status in enumerate(EDGE_STATUSES):
        columns[f"edge_status_{status}_n"] = evidence.status_n[:, code]
    scored.match, scored.predicted_trace, scored.gold_trace = match, trace, gold_trace
    scored.predicted_evidence, scored.gold_evidence = evidence, gold_evidence


def _gold_implied(scored: ScoredBatch, gold_trace: PathTrace) -> SignArray:
    implied = implied_answer(gold_trace, scored.columns["perturbation_sign"])
    implied[~scored.batch.has_gold_chain] = -1
    return implied


def _off_path_n(predicted: EdgeSet, trace: PathTrace) -> NDArray[np.int64]:
    """Pairs on no path to the readout; -1 where that isn't known."""
    off = predicted.count(trace.on_path == 0)
    off[(trace.connected < 0) | trace.exhausted] = -1
    return off


def _score_go_sets(scored: ScoredBatch, go: GoResources) -> None:
    from eval_tiers.tiers.go_sets import go_null_columns, go_similarity

    batch, columns = scored.batch, scored.columns
    index = go.gene_sets.gene_index.get
    genes = np.fromiter(
        (index(symbol, -1) for symbol in batch.symbols), np.int32, len(batch.symbols)
    )
    gold_sample, gold_node = intermediate_nodes(scored.gold, batch)
    predicted_sample, predicted_node = intermediate_nodes(scored.predicted, batch)
    result = go_similarity(
        batch.n, gold_sample, genes[gold_node], predicted_sample, genes[predicted_node],
        batch.has_gold_chain, go.profiles,
    )  # fmt: skip
    mean, p95 = go_null_columns(result, go.null)
    columns |= {
        "go_sim": result.go_sim,
        "go_sim_ref": result.go_sim_ref,
        "go_trivial": result.go_trivial,
        "go_null_reason": result.go_null_reason,
        "go_null_mean": mean,
        "go_null_p95": p95,
    }
    sample = np.concatenate([gold_sample, predicted_sample])
    annotated = genes[np.concatenate([gold_node, predicted_node])] >= 0
    columns["chain_gene_n"] = np.bincount(sample, minlength=batch.n)
    columns["chain_gene_in_gmt_n"] = np.bincount(sample[annotated], minlength=batch.n)


def intermediate_nodes(edges: EdgeSet, batch: Batch) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return (sample, symbol code) of each chain's distinct nodes but perturbation and readout."""
    sample = edges.sample.astype(np.int64) * edges.n_symbols
    nodes = sorted_distinct(np.concatenate([sample + edges.source, sample + edges.target]))
    of_sample, node = np.divmod(nodes, edges.n_symbols)
    inner: BoolArray = (node != batch.perturbation[of_sample]) & (node != batch.readout[of_sample])
    return of_sample[inner], node[inner]
