"""Tier 2 against the knowledge graph: what each predicted pair has behind it.

Source: specification of PerturbReason, section 4, M3 and M4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eval_tiers.domain.batch import BoolArray, FloatArray, SignArray
from eval_tiers.domain.taxonomy import EDGE_STATUSES, STATUS_CODES
from eval_tiers.kg.graph import NEGATIVE, POSITIVE, UNSIGNED, SignedGraph
from eval_tiers.tiers.chains import ratio
from eval_tiers.tiers.edges import EdgeSet, sorted_distinct

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


@dataclass(frozen=True, slots=True)
class PairFacts:
    """What the graph says of each distinct pair of symbols of a batch, on either side.

    Attributes
    ----------
    code : int64[m]
        ``source * n_symbols + target``, ascending.
    mask : uint8[m]
        Signs of the pair in the graph, 0 where it lacks it.
    known, backward, two_step : bool[m]
        Both nodes are known; the graph has the pair the other way round; it has a route of two
        steps (only asked where it has neither).
    expected_in_kg, expected_shortcut : float64[m]
        As in `KgEvidence`.
    """

    code: NDArray[np.int64]
    mask: NDArray[np.uint8]
    known: BoolArray
    backward: BoolArray
    two_step: BoolArray
    expected_in_kg: FloatArray
    expected_shortcut: FloatArray


def look_up_pairs(
    sides: Sequence[EdgeSet], nodes: NDArray[np.int64], graph: SignedGraph
) -> PairFacts:
    """Look up every distinct pair of the chains once.

    Parameters
    ----------
    sides : sequence of EdgeSet
        Distinct edges of a batch, gold and predicted.
    nodes : int64[n_symbols]
        From `node_codes`.
    graph : SignedGraph
        The knowledge graph.
    """
    code = sorted_distinct(np.concatenate([_pair_codes(edges) for edges in sides]))
    source, target = np.divmod(code, sides[0].n_symbols)
    source, target = nodes[source], nodes[target]
    known = (source >= 0) & (target >= 0)
    mask = graph.lookup(source, target)
    backward = graph.lookup(target, source) != 0
    open_pairs = np.flatnonzero(known & (mask == 0) & ~backward)
    two_step = np.zeros(len(code), np.bool_)
    two_step[open_pairs] = graph.has_two_step(source[open_pairs], target[open_pairs])
    return PairFacts(
        code, mask, known, backward, two_step, *_expected_by_degree(source, target, known, graph)
    )


def _pair_codes(edges: EdgeSet) -> NDArray[np.int64]:
    return edges.source.astype(np.int64) * edges.n_symbols + edges.target


def find_evidence(
    edges: EdgeSet, facts: PairFacts, in_gold: BoolArray, unknown_nodes: str = "hallucinated"
) -> KgEvidence:
    """Judge every distinct pair of one side by what the graph says.

    Parameters
    ----------
    edges : EdgeSet
        Distinct pairs of a batch.
    facts : PairFacts
        From `look_up_pairs` over these edges (and others).
    in_gold : bool[n_pairs]
        Pairs that never count as hallucinated in ``hallucination_rate_excl_gold``.
    unknown_nodes : {"hallucinated", "unverifiable"}
        Whether pairs with an unknown node stay in the denominator.
    """
    place = np.searchsorted(facts.code, _pair_codes(edges))
    mask, known = facts.mask[place], facts.known[place]
    in_kg = mask != 0
    signed_in_kg = (mask & (POSITIVE | NEGATIVE)) != 0
    same_sign = (edges.sign != 0) & ((mask & _SIGN_BIT[edges.sign + 1]) != 0)
    status = np.full(len(edges), STATUS_CODES["absent"], np.int8)
    status[facts.two_step[place]] = STATUS_CODES["shortcut"]
    status[facts.backward[place]] = STATUS_CODES["reversed"]
    status[~known] = STATUS_CODES["unknown_node"]
    status[in_kg] = STATUS_CODES["sign_contradicted"]
    status[in_kg & ((mask & UNSIGNED) != 0)] = STATUS_CODES["unsigned_in_kg"]
    status[same_sign | ((edges.sign == 0) & signed_in_kg)] = STATUS_CODES["supported"]

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
    return KgEvidence(
        status,
        in_kg,
        status_n,
        ratio(outside, total),
        ratio(outside_excl_gold, total),
        ratio(edges.count(matches), edges.count(in_kg)),
        known,
        facts.expected_in_kg[place],
        facts.expected_shortcut[place],
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
        degrees = (
            graph.out_degree[source[known]].astype(np.float64) * graph.in_degree[target[known]]
        )
        through = float(np.dot(graph.in_degree.astype(np.float64), graph.out_degree))
        edge[known] = -np.expm1(-degrees / pairs_n)
        route[known] = -np.expm1(-degrees * (through / pairs_n**2))
    return edge, route
