"""Mechanism edges of one answer against the signed graph of their organism.

Source: specification of RR-10, section 4; statuses as in that of PerturbReason, M4.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from eval_tiers.domain.batch import Chains
from eval_tiers.kg.graph import SignedGraph
from eval_tiers.tiers.edges import distinct_edges
from eval_tiers.tiers.evidence import find_evidence, look_up_pairs, node_codes


def edge_statuses(edges: Sequence[tuple[str, int, str]], graph: SignedGraph) -> list[int]:
    """Return the status of each edge, a code into `eval_tiers.domain.taxonomy.EDGE_STATUSES`.

    Names are matched as the graph matches its own: `SignedGraph.matched_name`.
    """
    names = [
        (graph.matched_name(source), graph.matched_name(target)) for source, _, target in edges
    ]
    symbols = sorted({name for pair in names for name in pair})
    code = {name: place for place, name in enumerate(symbols)}
    statuses = []
    nodes = node_codes(symbols, graph)
    for (source, target), (_, sign, _) in zip(names, edges, strict=True):
        chains = Chains(
            np.zeros(1, np.int32),
            np.array([code[source]], np.int32),
            np.array([sign], np.int8),
            np.array([code[target]], np.int32),
        )
        pair = distinct_edges(chains, 1, len(symbols))
        facts = look_up_pairs((pair,), nodes, graph)
        found = find_evidence(pair, facts, np.zeros(1, np.bool_))
        statuses.append(int(found.status[0]))
    return statuses
