"""Tier 2 against the knowledge graph: what each predicted pair has behind it.

Source: specification of PerturbReason, section 4, M3 and M4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eval_tiers.domain.batch import BoolArray, FloatArray, SignArray
from eval_tiers.domain.taxonomy import EDGE_STATUSES, STATUS_CODES
from eval_tiers.kg.graph import NEGATIVE, POSITIVE, UNSIGNED, SignedGraph
from eval_tiers.tiers.chains import ratio
from eval_tiers.tiers.edges import EdgeSet

_SIGN_BIT = np.array([NEGATIVE, UNSIGNED, POSITIVE], np.uint8)  # by sign + 1


@dataclass(slots=True)
class KgEvidence:
    """Evidence for the pairs of one side, and what it gives each sample; nan is null.

    Attributes
    ----------
    status : int8[n_pairs]
        Code into `EDGE_STATUSES`.
    in_kg : bool[n_pairs]
    status_n : int64[n, n_statuses]
        Pairs by status.
    hallucination_rate, hallucination_rate_excl_gold : float64[n]
        Share of pairs outside the KG, nan without pairs.
    kg_sign_match : float64[n]
        Share of pairs in the KG whose sign the KG has; unsigned on either side matches.
    known : bool[n_pairs]
        Both nodes are in the KG.
    expected_in_kg, expected_shortcut : float64[n_pairs]
        Chance that nodes of these degrees are joined by an edge, or by two; 0 where not `known`.
    """

    status: SignArray
    in_kg: BoolArray
    status_n: NDArray[np.int64]
    hallucination_rate: FloatArray
    hallucination_rate_excl_gold: FloatArray
    kg_sign_match: FloatArray
    known: BoolArray
    expected_in_kg: FloatArray
    expected_shortcut: FloatArray


def node_codes(symbols: list[str], graph: SignedGraph) -> NDArray[np.int64]:
    """Return the graph's node id of each symbol, -1 where it has none."""
    get = graph.index.get
    return np.fromiter((get(symbol, -1) for symbol in symbols), np.int64, len(symbols))


def find_evidence(
    edges: EdgeSet,
    nodes: NDArray[np.int64],
    graph: SignedGraph,
    in_gold: BoolArray,
    unknown_nodes: str = "hallucinated",
) -> KgEvidence:
    """Look up every distinct pair in the graph.

    Parameters
    ----------
    edges : EdgeSet
        Distinct pairs of a batch.
    nodes : int64[n_symbols]
        From `node_codes`.
    graph : SignedGraph
        The knowledge graph.
    in_gold : bool[n_pairs]
        Pairs that never count as hallucinated in ``hallucination_rate_excl_gold``.
    unknown_nodes : {"hallucinated", "unverifiable"}
        Whether pairs with an unknown node stay in the denominator.
    """
    source, target = nodes[edges.source], nodes[edges.target]
    known = (source >= 0) & (target >= 0)
    mask = graph.lookup(source, target)
    in_kg = mask != 0
    signed_in_kg = (mask & (POSITIVE | NEGATIVE)) != 0
    same_sign = (edges.sign != 0) & ((mask & _SIGN_BIT[edges.sign + 1]) != 0)
    supported = same_sign | ((edges.sign == 0) & signed_in_kg)
    backward = graph.lookup(target, source) != 0
    status = np.full(len(edges), STATUS_CODES["absent"], np.int8)
    open_pairs = np.flatnonzero(known & ~in_kg & ~backward)
    shortcut = graph.has_two_step(source[open_pairs], target[open_pairs])
    status[open_pairs[shortcut]] = STATUS_CODES["shortcut"]
    status[backward] = STATUS_CODES["reversed"]
    status[~known] = STATUS_CODES["unknown_node"]
    status[in_kg] = STATUS_CODES["sign_contradicted"]
    status[in_kg & ((mask & UNSIGNED) != 0)] = STATUS_CODES["unsigned_in_kg"]
    status[in_kg & supported] = STATUS_CODES["supported"]

    n_statuses = len(EDGE_STATUSES)
    status_n = np.bincount(
        edges.sample.astype(np.int64) * n_statuses + status, minlength=edges.n_samples * n_statuses
    ).reshape(edges.n_samples, n_statuses)
    total, outside = edges.count(), edges.count(~in_kg)
    outside_excl_gold = edges.count(~in_kg & ~in_gold)
    if unknown_nodes == "unverifiable":
        unknown = edges.count(~known)
        total, outside = total - unknown, outside - unknown
        outside_excl_gold = edges.count(~in_kg & ~in_gold & known)
    matches = in_kg & (same_sign | (edges.sign == 0) | ((mask & UNSIGNED) != 0))
    expected_in_kg, expected_shortcut = _expected_by_degree(source, target, known, graph)
    return KgEvidence(
        status,
        in_kg,
        status_n,
        ratio(outside, total),
        ratio(outside_excl_gold, total),
        ratio(edges.count(matches), edges.count(in_kg)),
        known,
        expected_in_kg,
        expected_shortcut,
    )


def _expected_by_degree(
    source: NDArray[np.int64], target: NDArray[np.int64], known: BoolArray, graph: SignedGraph
) -> tuple[FloatArray, FloatArray]:
    """Chance of an edge, and of a two-step route, between nodes of these degrees.

    In a random graph with the same degrees a pair is joined with 1 - exp(-k_out k_in / m); a
    two-step route with 1 - exp(-k_out k_in sum_x(k_in(x) k_out(x)) / m^2).
    """
    edge, route = np.zeros(len(source)), np.zeros(len(source))
    pairs_n = len(graph.keys)
    if pairs_n:
        degrees = graph.out_degree[source[known]].astype(np.float64) * graph.in_degree[target[known]]
        through = float(np.dot(graph.in_degree.astype(np.float64), graph.out_degree))
        edge[known] = -np.expm1(-degrees / pairs_n)
        route[known] = -np.expm1(-degrees * (through / pairs_n**2))
    return edge, route
