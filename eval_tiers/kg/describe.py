"""What a graph consists of, in numbers: for ``kg info`` and the manifest."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import SourceRef
from eval_tiers.kg.identifiers import MOUSE_SYMBOL, SYMBOL, likely_identifiers

if TYPE_CHECKING:
    from eval_tiers.kg.graph import SignedGraph

FINGERPRINTS = {(19_840, 284_347): "the PerturbReason KG"}

MIN_IDENTIFIER_RATE = 0.5
IDENTIFIER_SAMPLE = 2_000

_PART = re.compile(r"[A-Z][A-Z0-9-]*\Z")
_REFSEQ = re.compile(r"[NX][MPR]_\d")


def is_complex(name: str, index: dict[str, int]) -> bool:
    """Tell whether a node is a protein complex: ``COMPLEX:A_B``, or ``A_B`` with gene-like parts.

    Every part must be a node itself or look like a symbol with two or more characters.
    """
    if name.startswith("COMPLEX:"):
        return True
    if "_" not in name or _REFSEQ.match(name):
        return False
    return all(
        part in index or (len(part) > 1 and _PART.match(part) is not None)
        for part in name.split("_")
    )


def describe_graph(graph: SignedGraph) -> dict[str, object]:
    """Count what a graph consists of.

    Returns
    -------
    dict
        ``node_n``; ``edge_n`` distinct ordered pairs; ``positive_n, negative_n, unsigned_n``
        pairs that have that sign (a pair may have several); ``conflicting_n`` pairs with + and
        -; ``self_loop_n``; ``lone_node_n``; ``complex_n``; ``identifier`` (None for no nodes)
        and ``identifier_rate``, the likely kind of identifier and its share of the nodes that
        are no complexes; ``fingerprint``, the published graph with these very sizes, or None.
    """
    masks = graph.masks
    n = graph.node_n
    self_loops = np.arange(n, dtype=np.int64) * (n + 1)
    place = np.searchsorted(graph.keys, self_loops)
    place[place == graph.keys.size] = 0
    self_loop_n = int(np.count_nonzero(graph.keys[place] == self_loops)) if graph.edge_n else 0
    complexes = [is_complex(name, graph.index) for name in graph.names]
    plain = [name for name, hit in zip(graph.names, complexes, strict=True) if not hit]
    identifier, rate = likely_identifiers(plain, graph.title_case[~np.asarray(complexes, bool)])
    return {
        "node_n": n,
        "edge_n": graph.edge_n,
        "positive_n": int(np.count_nonzero(masks & 1)),
        "negative_n": int(np.count_nonzero(masks & 2)),
        "unsigned_n": int(np.count_nonzero(masks & 4)),
        "conflicting_n": int(np.count_nonzero((masks & 3) == 3)),
        "self_loop_n": self_loop_n,
        "lone_node_n": int(np.count_nonzero((graph.out_degree == 0) & (graph.in_degree == 0))),
        "complex_n": sum(complexes),
        "identifier": identifier,
        "identifier_rate": rate,
        "fingerprint": FINGERPRINTS.get((n, graph.edge_n)),
    }


def check_identifiers(graph: SignedGraph, path: str | None = None) -> list[Finding]:
    """Return a warning where most nodes are no human symbols (ids, or mouse symbols).

    Up to 2,000 nodes, spread evenly, are looked at.
    """
    step = max(1, graph.node_n // IDENTIFIER_SAMPLE)
    kind, rate = likely_identifiers(graph.names[::step], graph.title_case[::step])
    if kind is None or kind in (SYMBOL, "other") or rate < MIN_IDENTIFIER_RATE:
        return []
    if kind == MOUSE_SYMBOL:
        message = f"{rate:.0%} of the nodes are spelled like mouse symbols (Trp53)"
        fix = "map them to human symbols by orthology; upper-casing is wrong for one in six"
    else:
        message = f"{rate:.0%} of the nodes look like {kind.capitalize()} ids, not gene symbols"
        fix = "map them to gene symbols, or every edge of a chain written in symbols is unknown"
    return [Finding("not-symbols", message, SourceRef(path), "warning", fix)]
