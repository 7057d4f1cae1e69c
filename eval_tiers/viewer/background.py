"""What the run's own graph and gene sets hold around a sample; read when first asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from eval_tiers.exceptions import EvalTiersError
from eval_tiers.viewer.run import ViewedRun, locate_input

if TYPE_CHECKING:
    from eval_tiers.go.gene_sets import GeneSets
    from eval_tiers.kg.graph import SignedGraph

MOST_WAYS: Final = 12
MOST_TERMS: Final = 15
_SIGNS: Final = {-1: "−", 0: "?", 1: "+"}

Edges = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Way:
    """A way in the graph: nodes, and between them the signs that the graph has there."""

    nodes: tuple[str, ...]
    signs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ways:
    """Ways of one edge and of two between two ends.

    Attributes
    ----------
    found : tuple of Way
        The edge first; `MOST_WAYS` at most.
    total : int
    reason : str
        Why none were looked for; empty otherwise.
    """

    found: tuple[Way, ...] = ()
    total: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Term:
    """A gene set that holds genes in between of both chains."""

    name: str
    size: int
    gold: tuple[str, ...]
    predicted: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Terms:
    """Shared gene sets, the smallest first; `MOST_TERMS` at most. `reason`: why none."""

    found: tuple[Term, ...] = ()
    total: int = 0
    reason: str = ""


@dataclass
class Background:
    """Graph and gene sets of a run whose answers cite chains. May be used by several threads."""

    run: ViewedRun
    _lock: Lock = field(default_factory=Lock)
    _read: dict[str, tuple[Any, str]] = field(default_factory=dict)

    def ways(self, start: str | None, end: str | None) -> Ways:
        """Return the graph's ways of up to two edges from what is perturbed to the readout."""
        if start is None or end is None:
            return Ways(reason="the sample doesn't name both ends")
        graph, reason = self._resource("knowledge graph", self._read_graph)
        if graph is None:
            return Ways(reason=reason)
        return find_ways(graph, start, end)

    def terms(self, edges: Edges, start: str | None, end: str | None) -> Terms:
        """Return the gene sets that genes in between of gold and of predicted chain share."""
        sets, reason = self._resource("gene sets", self._read_gene_sets)
        if sets is None:
            return Terms(reason=reason)
        ends = {name.casefold() for name in (start, end) if name is not None}
        gold, predicted = (
            sorted(
                {
                    str(edge[node])
                    for edge in edges
                    if edge["side"] == side
                    for node in ("source", "target")
                    if str(edge[node]).casefold() not in ends
                }
            )
            for side in ("gold", "predicted")
        )
        return find_terms(sets, gold, predicted)

    def _resource(self, role: str, read: Callable[[list[Path]], Any]) -> tuple[Any, str]:
        with self._lock:
            if role not in self._read:
                self._read[role] = self._read_role(role, read)
            return self._read[role]

    def _read_role(self, role: str, read: Callable[[list[Path]], Any]) -> tuple[Any, str]:
        from eval_tiers.io.hashes import hash_files

        entries = [one for one in self.run.manifest["inputs"] if one.get("role") == role]
        if not entries:
            return None, f"the run used no {role}"
        paths = []
        try:
            for entry in entries:
                stated = str(entry.get("path"))
                path = locate_input(self.run, stated, frozenset({role}))
                if path is None:
                    return None, f"the {role} file isn't there any more: {stated}"
                if hash_files([path])[str(path)] != entry.get("sha256"):
                    return None, f"the {role} file was changed since the run: {stated}"
                paths.append(path)
            return read(paths), ""
        except (EvalTiersError, OSError) as error:
            return None, f"the {role} can't be read: {str(error).splitlines()[0]}"

    def _read_graph(self, paths: list[Path]) -> SignedGraph:
        from eval_tiers.io.graphs import read_graph
        from eval_tiers.kg.source import ReadOptions

        manifest = self.run.manifest
        options = ReadOptions(
            consensus=bool(manifest.get("consensus")),
            undirected=str(manifest.get("undirected", "skip")),
        )
        return read_graph(paths, options)

    def _read_gene_sets(self, paths: list[Path]) -> GeneSets:
        from eval_tiers.io.gene_sets import read_gene_sets

        return read_gene_sets(paths[0])[0]


def find_ways(graph: SignedGraph, start: str, end: str) -> Ways:
    """Return the edge between two nodes, and the ways over one node in between."""
    from eval_tiers.kg.graph import signs_of_mask

    names = [graph.matched_name(name) for name in (start, end)]
    source, target = graph.ids_of(names).tolist()
    lacking = [name for name, node in zip((start, end), (source, target), strict=True) if node < 0]
    if lacking:
        return Ways(reason=f"the graph lacks {' and '.join(lacking)}")
    after = graph.out_indices[graph.out_indptr[source] : graph.out_indptr[source + 1]]
    before = graph.in_indices[graph.in_indptr[target] : graph.in_indptr[target + 1]]
    middle = np.intersect1d(after, before)
    middle = middle[(middle != source) & (middle != target)]

    def signs(one: int, other: int) -> str:
        mask = int(graph.lookup(np.array([one]), np.array([other]))[0])
        return " and ".join(_SIGNS[sign] for sign in reversed(signs_of_mask(mask)))

    found = []
    direct = signs(source, target)
    if direct:
        found.append(Way((graph.names[source], graph.names[target]), (direct,)))
    total = len(found) + len(middle)
    for via in middle[: MOST_WAYS - len(found)].tolist():
        nodes = (graph.names[source], graph.names[via], graph.names[target])
        found.append(Way(nodes, (signs(source, via), signs(via, target))))
    return Ways(tuple(found), total)


def find_terms(sets: GeneSets, gold: Sequence[str], predicted: Sequence[str]) -> Terms:
    """Return the sets that hold genes of both lists, the smallest first.

    Examples
    --------
    >>> from eval_tiers.go.gene_sets import parse_gmt
    >>> sets, _ = parse_gmt(b"T1\\t\\tA\\tB\\nT2\\t\\tA\\tB\\tC\\nT3\\t\\tC\\n", "toy.gmt")
    >>> [(term.name, term.gold, term.predicted) for term in find_terms(sets, ["A"], ["C"]).found]
    [('T2', ('A',), ('C',))]
    """
    for side, genes in (("gold", gold), ("predicted", predicted)):
        if not genes:
            return Terms(reason=f"the {side} chain has no gene in between")
    term_of = np.repeat(np.arange(len(sets.set_names)), sets.set_size)
    held: list[dict[int, list[str]]] = []
    for genes in (gold, predicted):
        by_term: dict[int, list[str]] = {}
        for gene, code in zip(genes, sets.codes(genes).tolist(), strict=True):
            if code >= 0:
                for term in term_of[sets.indices == code].tolist():
                    by_term.setdefault(term, []).append(gene)
        held.append(by_term)
    shared = sorted(set(held[0]) & set(held[1]), key=lambda term: (sets.set_size[term], term))
    found = tuple(
        Term(sets.set_names[term], int(sets.set_size[term]),
             tuple(held[0][term]), tuple(held[1][term]))
        for term in shared[:MOST_TERMS]
    )  # fmt: skip
    return Terms(found, len(shared))
