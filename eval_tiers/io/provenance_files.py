"""Files of a provenance graph: node-link JSON and GraphML, both as NetworkX has them."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eval_tiers.exceptions import BadInputError, Problem, SourceRef, UsageError
from eval_tiers.io.atomic import atomic_writer, clean_text, render_json
from eval_tiers.io.sources import UTF8_BOM, iter_chunks, read_bytes
from eval_tiers.kg.provenance_networkx import check_shape

if TYPE_CHECKING:
    import networkx as nx

Pathname = str | os.PathLike[str]

KIND = "eval_tiers provenance graph"
FORMAT_VERSION = 1
JSON_FORMAT = "node-link JSON"
GRAPHML_FORMAT = "GraphML"

_HEAD_BYTES = 1 << 16
_SUFFIXES = {".json": JSON_FORMAT, ".graphml": GRAPHML_FORMAT}
_NOT_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def require_graph_suffix(path: Path) -> str:
    """Return the format that a file's name asks for: `JSON_FORMAT` or `GRAPHML_FORMAT`.

    Raises
    ------
    UsageError
        It ends in neither ``.json`` nor ``.graphml``, with or without ``.gz``.
    """
    name = path.name.lower().removesuffix(".gz")
    for suffix, format_name in _SUFFIXES.items():
        if name.endswith(suffix):
            return format_name
    raise UsageError(
        Problem(
            "output-suffix",
            "a provenance graph is written as node-link JSON or GraphML",
            SourceRef(str(path)),
            "name it .json, .json.gz, .graphml or .graphml.gz",
        )
    )


def about_inputs(
    benchmark: Pathname,
    tables: Mapping[str, Pathname] | None = None,
    registry: Pathname | None = None,
    genes: Mapping[str, Pathname] | None = None,
) -> dict[str, object]:
    """Return what a graph file says of what the graph was made of.

    Returns
    -------
    dict
        ``benchmark`` (file name), ``benchmark_sha256`` (of its decompressed bytes), ``tables``
        (``OSD-48=FILE``, sorted), and ``registry`` and ``gene_lists`` where there are any.
    """
    digest = hashlib.sha256()
    for chunk in iter_chunks(Path(benchmark)):
        digest.update(chunk)
    about: dict[str, object] = {
        "benchmark": os.path.basename(benchmark),
        "benchmark_sha256": digest.hexdigest(),
        "tables": _named(tables),
    }
    if registry is not None:
        about["registry"] = os.path.basename(registry)
    if genes:
        about["gene_lists"] = _named(genes)
    return about


def write_provenance_graph(made: nx.MultiDiGraph, path: Path) -> None:
    """Write a graph in the format of its suffix; the same graph gives the same bytes.

    Parameters
    ----------
    made : networkx.MultiDiGraph
        From `ProvenanceGraph.to_networkx`; `about_inputs` may have been added to its ``graph``.
        In GraphML a list among that is one text, its parts separated by ``"; "``.
    path : Path
        ``.json`` (``networkx.node_link_graph(..., edges="edges")`` reads it) or ``.graphml``,
        each also with ``.gz``.

    Raises
    ------
    UsageError
        The suffix is another one.
    MissingResourceError
        The folder can't be written.
    """
    format_name = require_graph_suffix(path)
    about = {"kind": KIND, "format_version": FORMAT_VERSION, **made.graph}
    render = _render_json if format_name == JSON_FORMAT else _render_graphml
    data = render(made, about)
    with atomic_writer(path) as handle:
        if path.suffix.lower() == ".gz":
            with gzip.GzipFile("", "wb", 6, handle, mtime=0) as packed:
                packed.write(data)
        else:
            handle.write(data)


def read_provenance_graph(path: str) -> tuple[nx.MultiDiGraph, str] | None:
    """Read a file that `write_provenance_graph` wrote; None for any other kind of file.

    Returns
    -------
    made : networkx.MultiDiGraph
    format_name : str

    Raises
    ------
    MissingResourceError
        The file isn't there or can't be read.
    BadInputError
        It was written by `write_provenance_graph` and is damaged since, or of a later version; or
        it is an RR-10 benchmark.
    """
    data = read_bytes(path, "graph file").removeprefix(UTF8_BOM)
    start = data[:64].lstrip()[:1]
    head = data[:_HEAD_BYTES]
    if start in (b"{", b"[") and b'"provenance"' in head and b'"item_type"' in head:
        raise BadInputError(
            Problem(
                "benchmark-not-graph",
                "this is an RR-10 benchmark, not a graph",
                SourceRef(path),
                f"build its graph: kg build --rr10 {path} -o kg/rr10.json",
            )
        )
    if KIND.encode() not in data or start not in (b"{", b"<"):
        return None
    try:
        made = _parse_json(data) if start == b"{" else _parse_graphml(data)
        if made is None:
            return None
        if made.graph.get("format_version") != FORMAT_VERSION:
            raise BadInputError(
                Problem(
                    "unknown-version",
                    f"the graph is of version {made.graph.get('format_version')}, "
                    f"read is {FORMAT_VERSION}",
                    SourceRef(path),
                    "build it again with kg build --rr10",
                )
            )
        check_shape(made)
    except BadInputError:
        raise
    except Exception as error:  # expat's, NetworkX's and our own ways of saying the same
        reason = str(error).split("\n", 1)[0][:200]
        raise BadInputError(
            Problem(
                "damaged-graph",
                f"this provenance graph can't be read: {reason or type(error).__name__}",
                SourceRef(path),
                "build it again with kg build --rr10",
            )
        ) from error
    return made, JSON_FORMAT if start == b"{" else GRAPHML_FORMAT


def _named(files: Mapping[str, Pathname] | None) -> list[str]:
    return sorted(f"{name}={os.path.basename(path)}" for name, path in (files or {}).items())


def _render_json(made: nx.MultiDiGraph, about: Mapping[str, object]) -> bytes:
    return render_json(
        {
            "directed": True,
            "multigraph": True,
            "graph": about,
            "nodes": [{"id": node, **attributes} for node, attributes in made.nodes(data=True)],
            "edges": [
                {"source": source, "target": target, "key": key, **attributes}
                for source, target, key, attributes in made.edges(keys=True, data=True)
            ],
        }
    )


def _parse_json(data: bytes) -> nx.MultiDiGraph | None:
    import networkx as nx

    document = json.loads(data)
    if not isinstance(document, dict) or not isinstance(document.get("graph"), dict):
        return None
    if document["graph"].get("kind") != KIND:
        return None
    made = nx.MultiDiGraph()
    made.graph.update(document["graph"])
    for node in document["nodes"]:
        made.add_node(node.pop("id"), **node)
    for edge in document["edges"]:
        made.add_edge(edge.pop("source"), edge.pop("target"), edge.pop("key"), **edge)
    return made


def _render_graphml(made: nx.MultiDiGraph, about: Mapping[str, object]) -> bytes:
    import networkx as nx

    clean = nx.MultiDiGraph()
    clean.graph.update(_scalars(about))
    for node, attributes in made.nodes(data=True):
        clean.add_node(_xml_text(node), **_scalars(attributes))
    for source, target, key, attributes in made.edges(keys=True, data=True):
        clean.add_edge(_xml_text(source), _xml_text(target), key, **_scalars(attributes))
    buffer = io.BytesIO()
    nx.write_graphml_xml(clean, buffer)
    return buffer.getvalue()


def _parse_graphml(data: bytes) -> nx.MultiDiGraph | None:
    import networkx as nx

    made = nx.read_graphml(io.BytesIO(data), edge_key_type=int, force_multigraph=True)
    return made if made.graph.get("kind") == KIND else None


def _scalars(attributes: Mapping[str, object]) -> dict[str, Any]:
    return {name: _scalar(value) for name, value in attributes.items()}


def _scalar(value: object) -> object:
    if isinstance(value, (list, tuple)):
        value = "; ".join(map(str, value))
    return _xml_text(value) if isinstance(value, str) else value


def _xml_text(text: str) -> str:
    """Return a text that XML can hold: what it can't becomes a replacement character."""
    return _NOT_XML.sub("\ufffd", clean_text(text))
