"""Pickled NetworkX graphs, of NetworkX 1, 2 and 3, read by a restricted unpickler."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator

from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.kg.attributed import Attributes, Edge, build_from_attributes
from eval_tiers.kg.edges import EdgeTable
from eval_tiers.kg.pickles import CONVERT, StoredGraph, load_pickle
from eval_tiers.kg.source import Head, KGSource, ReadOptions

_TEXT_PICKLE = re.compile(rb"c(copy_reg|copyreg|networkx[\w.]*|__builtin__|builtins)\n\w+\n")
_SUFFIXES = (".pkl", ".pickle", ".gpickle", ".p")


def matches(head: Head) -> int:
    """Return 95 for a pickle by its first bytes, 90 by the suffix of what is no table."""
    data = head.data
    if len(data) > 1 and data[0] == 0x80 and 2 <= data[1] <= 5:
        return 95
    if _TEXT_PICKLE.match(data):
        return 95
    text = not head.binary and bool(head.lines) and "\t" in head.lines[0]
    return 90 if head.suffix in _SUFFIXES and not text else 0


def parse(data: bytes, path: str, options: ReadOptions) -> EdgeTable:
    """Read the graph; of an undirected one, edges are skipped or taken unsigned both ways."""
    stored = load_pickle(data, path)
    if not isinstance(stored, StoredGraph):
        raise _fault(path, f"the pickle holds a {type(stored).__name__}, not a NetworkX graph")
    nodes, adjacency = _parts(stored, path)
    directed = stored.class_name.endswith("DiGraph")
    multi = "Multi" in stored.class_name
    return build_from_attributes(
        [(node, _attributes(found, path)) for node, found in nodes.items()],
        list(_edges(adjacency, multi, directed, path)),
        directed=directed,
        format_name=SOURCE.name,
        path=path,
        options=options,
    )


def _parts(stored: StoredGraph, path: str) -> tuple[dict[object, object], Attributes]:
    """Return node -> attributes and node -> neighbours, by whichever names the version used."""
    state = stored.state
    adjacency = next(
        (state[name] for name in ("_adj", "adj", "_succ", "succ", "edge") if name in state), None
    )
    nodes = state.get("_node", state.get("node"))
    if not isinstance(adjacency, dict) or not isinstance(nodes, dict):
        raise _fault(path, "the pickle's graph has no nodes and edges where any NetworkX has them")
    everything: dict[object, object] = dict(nodes)
    for node, neighbours in adjacency.items():
        everything.setdefault(node, {})
        for other in _attributes(neighbours, path):
            everything.setdefault(other, {})
    return everything, adjacency


def _edges(adjacency: Attributes, multi: bool, directed: bool, path: str) -> Iterator[Edge]:
    """Yield every edge; of an undirected graph, each once."""
    place = {node: number for number, node in enumerate(adjacency)}
    for source, neighbours in adjacency.items():
        for target, found in _attributes(neighbours, path).items():
            if not directed and place.get(target, -1) < place[source] and target in place:
                continue
            if multi:
                for attributes in _attributes(found, path).values():
                    yield source, target, _attributes(attributes, path)
            else:
                yield source, target, _attributes(found, path)


def _attributes(found: object, path: str) -> Attributes:
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise _fault(path, "the pickle's graph is not made of dictionaries")
    return found


def _fault(path: str, message: str) -> BadInputError:
    return BadInputError(Problem("bad-pickle", message, SourceRef(path), CONVERT))


SOURCE = KGSource(
    name="pickle",
    title="NetworkX pickle",
    description=(
        "Graph, DiGraph, MultiGraph or MultiDiGraph of NetworkX 1, 2 or 3, read without running "
        "anything in the file. Signs in an attribute sign, effect, mode, mor, interaction, "
        "weight, ... or in is_stimulation and is_inhibition; numeric ids give way to a unique "
        "name, shared name, label or symbol."
    ),
    reference="https://networkx.org/documentation/stable/reference/classes/digraph.html",
    example=base64.b64decode(
        "gAJjbmV0d29ya3guY2xhc3Nlcy5kaWdyYXBoCkRpR3JhcGgKcQApgXEBfXECKFgFAAAAZ3JhcGhxA31xBFgF"
        "AAAAX25vZGVxBX1xBihYBAAAAFRQNTNxB31xCFgGAAAAQ0RLTjFBcQl9cQpYBAAAAENESzJxC31xDHVYBAAA"
        "AF9hZGpxDX1xDihoB31xD2gJfXEQWAQAAABzaWducRFLAXNzaAl9cRJoC31xE2gRSv////9zc2gLfXEUdVgF"
        "AAAAX3N1Y2NxFWgOWAUAAABfcHJlZHEWfXEXKGgHfXEYaAl9cRloB2gQc2gLfXEaaAloE3N1WBIAAABfX25l"
        "dHdvcmt4X2NhY2hlX19xG31xHHViLg=="
    ),
    example_edges=(("CDKN1A", -1, "CDK2"), ("TP53", 1, "CDKN1A")),
    matches=matches,
    parse=parse,
    uses=frozenset({"consensus", "undirected"}),
    binary=True,
)
