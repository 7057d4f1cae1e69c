"""The provenance graph in NetworkX: gene → dataset → context, and what it holds in numbers."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from eval_tiers.domain.rr10 import ALPHA
from eval_tiers.kg.provenance import ProvenanceGraph, dataset_of, gene_key

if TYPE_CHECKING:
    import networkx as nx

GENE = "gene"
DATASET = "dataset"
CONTEXT = "context"
MEASURED = "measured"
BELONGS = "belongs"

_READER_NOTES = frozenset({"node_default", "edge_default"})  # what NetworkX adds reading GraphML


def build_networkx(graph: ProvenanceGraph) -> nx.MultiDiGraph:
    """Return a provenance graph as a NetworkX multigraph.

    Returns
    -------
    networkx.MultiDiGraph
        Nodes have a ``kind``: ``gene`` (with ``name`` and ``organism``), ``dataset`` and
        ``context`` (with ``organism`` and ``tissue``), and ids such as
        ``gene:mus_musculus::Socs2``, ``dataset:OSD-48``, ``context:mus_musculus::liver``.
        An edge from gene to dataset (``kind`` is ``measured``) is one row of evidence: ``sign``
        (+1, -1, 0 unknown), ``log2fc``, ``q``, ``contrast``, ``orientation``, ``source_file``,
        ``item_id``, ``tissue``, ``line``, ``number``. An edge from dataset to context
        (``belongs``) has nothing else. Attributes that are unknown are left out. Datasets of the
        registry and genes of the lists are nodes without edges where nothing is measured.
    """
    import networkx as nx

    made = nx.MultiDiGraph()
    for row in graph.rows():
        dataset = dataset_of(row.dataset) or row.dataset
        gene = _add_gene(made, row.organism, gene_key(row.organism, row.gene))
        attributes: dict[str, object] = {
            "kind": MEASURED,
            "sign": row.sign,
            "log2fc": None if row.log2fc is None else float(row.log2fc),
            "q": None if row.q is None else float(row.q),
            "contrast": row.contrast,
            "orientation": row.orientation,
            "source_file": row.source_file,
            "item_id": row.item_id,
            "tissue": row.tissue,
            "line": row.line,
            "number": row.number,
        }
        known = {name: value for name, value in attributes.items() if value is not None}
        made.add_edge(gene, _add_dataset(made, dataset), **known)
    for dataset in graph.datasets:
        for context in sorted(graph.contexts_of(dataset)):
            organism, _, tissue = context.partition("::")
            node = f"{CONTEXT}:{context}"
            made.add_node(node, kind=CONTEXT, name=context, organism=organism, tissue=tissue)
            made.add_edge(_add_dataset(made, dataset), node, kind=BELONGS)
    for dataset in sorted(graph.registry or (), key=_number_of):
        _add_dataset(made, dataset)
    for organism in sorted(graph.gene_lists):
        for name in sorted(graph.gene_lists[organism]):
            _add_gene(made, organism, name)
    return made


def _add_gene(made: nx.MultiDiGraph, organism: str, name: str) -> str:
    node = f"{GENE}:{organism}::{name}"
    if node not in made:
        made.add_node(node, kind=GENE, name=name, organism=organism)
    return node


def _add_dataset(made: nx.MultiDiGraph, dataset: str) -> str:
    node = f"{DATASET}:{dataset}"
    if node not in made:
        made.add_node(node, kind=DATASET, name=dataset)
    return node


def _number_of(dataset: str) -> tuple[int, str]:
    """Sort key: OSD-9 before OSD-48, by length first since the digits have no leading zero."""
    return len(dataset), dataset


def describe_provenance(made: nx.MultiDiGraph) -> dict[str, object]:
    """Count what a provenance graph holds.

    Parameters
    ----------
    made : networkx.MultiDiGraph
        From `build_networkx`, or the same read from a file.

    Returns
    -------
    dict
        ``about`` (what the graph says of itself, such as the benchmark); ``gene_n`` and ``genes``
        (by organism); ``dataset_n``; ``context_n`` and ``contexts`` (items of each); ``item_n``;
        ``row_n`` rows of evidence, of which ``benchmark_row_n`` and ``table_row_n``;
        ``positive_n``, ``negative_n``, ``unsigned_n`` rows of that sign; ``not_significant_n``
        rows with q of .05 or more; ``no_q_n`` rows without q; ``reversed_n`` rows with
        orientation -1; ``both_sign_pair_n`` pairs of gene and dataset with rows of both signs.
    """
    kinds: Counter[str] = Counter()
    genes: Counter[str] = Counter()
    items: dict[str, set[str]] = {}
    for _, node in made.nodes(data=True):
        kinds[node["kind"]] += 1
        if node["kind"] == GENE:
            genes[node["organism"]] += 1
        elif node["kind"] == CONTEXT:
            items[node["name"]] = set()
    counts: Counter[str] = Counter()
    signs: dict[tuple[object, object], set[int]] = defaultdict(set)
    for source, target, edge in made.edges(data=True):
        if edge["kind"] != MEASURED:
            continue
        q, item = edge.get("q"), edge.get("item_id")
        counts["row"] += 1
        counts[f"sign{edge['sign']}"] += 1
        counts["no_q"] += q is None
        counts["not_significant"] += q is not None and q >= ALPHA
        counts["reversed"] += edge["orientation"] == -1
        signs[source, target].add(edge["sign"])
        if item is None:
            counts["table"] += 1
        elif "tissue" in edge:
            items.setdefault(f"{made.nodes[source]['organism']}::{edge['tissue']}", set()).add(item)
    return {
        "about": {name: made.graph[name] for name in made.graph if name not in _READER_NOTES},
        "gene_n": kinds[GENE],
        "genes": dict(sorted(genes.items())),
        "dataset_n": kinds[DATASET],
        "context_n": kinds[CONTEXT],
        "contexts": {name: len(found) for name, found in sorted(items.items())},
        "item_n": len(set().union(*items.values())),
        "row_n": counts["row"],
        "benchmark_row_n": counts["row"] - counts["table"],
        "table_row_n": counts["table"],
        "positive_n": counts["sign1"],
        "negative_n": counts["sign-1"],
        "unsigned_n": counts["sign0"],
        "not_significant_n": counts["not_significant"],
        "no_q_n": counts["no_q"],
        "reversed_n": counts["reversed"],
        "both_sign_pair_n": sum({1, -1} <= found for found in signs.values()),
    }


def check_shape(made: nx.MultiDiGraph) -> None:
    """Raise unless a graph that was read from a file has what `describe_provenance` counts.

    Raises
    ------
    ValueError
        With the node or edge that is odd.
    """
    for node, attributes in made.nodes(data=True):
        needed = {GENE: ("name", "organism"), DATASET: ("name",), CONTEXT: ("name",)}.get(
            attributes.get("kind")
        )
        if needed is None or not all(isinstance(attributes.get(name), str) for name in needed):
            raise ValueError(f"node {node!r} has no kind that is known, or lacks its name")
    for source, target, edge in made.edges(data=True):
        kind = edge.get("kind")
        measured = kind == MEASURED and edge.get("sign") in (-1, 0, 1)
        if not (measured and edge.get("orientation") in (-1, 1)) and kind != BELONGS:
            raise ValueError(f"the edge from {source!r} to {target!r} lacks its sign or kind")
        if not isinstance(edge.get("q", 0.0), (int, float)):
            raise ValueError(f"the edge from {source!r} to {target!r} has a q that is no number")
