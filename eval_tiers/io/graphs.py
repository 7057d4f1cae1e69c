"""Reading graph files into one signed graph, and writing a graph as a table."""

from __future__ import annotations

import gzip
import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import SourceRef
from eval_tiers.io.atomic import atomic_writer
from eval_tiers.io.sources import UTF8_BOM, read_bytes, refuse_utf16
from eval_tiers.kg.describe import check_identifiers
from eval_tiers.kg.edges import EdgeTable
from eval_tiers.kg.graph import SignedGraph, signs_of_mask
from eval_tiers.kg.registry import binary_source, choose_source, refuse_foreign
from eval_tiers.kg.source import HEAD_BYTES, Head, KGSource, ReadOptions

Pathname = str | os.PathLike[str]


def read_edge_table(path: Pathname, options: ReadOptions | None = None) -> EdgeTable:
    """Read one graph file, plain, gzip or zstd, in any of the known formats.

    Parameters
    ----------
    path : path-like
        The file.
    options : ReadOptions, optional
        The format (told from the file by default) and how rows are taken.

    Returns
    -------
    EdgeTable
        With findings for all that was skipped or doubtful.

    Raises
    ------
    MissingResourceError
        The file isn't there or can't be read.
    BadInputError
        It isn't a graph in a known format.
    UsageError
        The format asked for does not exist.
    """
    options = ReadOptions() if options is None else options
    name = str(path)
    data = read_bytes(path, "graph file")
    head = Head(name, data[:HEAD_BYTES])
    refuse_foreign(head)
    source = binary_source(head, options.format_name)
    if source is None:
        data = _text(data, name)
        source = choose_source(Head(name, data[:HEAD_BYTES]), options.format_name)
    return _with_notes(source.parse(data, name, options), source, options)


def read_graph(
    paths: Pathname | Sequence[Pathname], options: ReadOptions | None = None
) -> SignedGraph:
    """Read one or several graph files and unite them; raises as `read_edge_table`.

    What the readers found is in the graph's `findings` and `counts`, with a warning where its
    nodes are no gene symbols.
    """
    if isinstance(paths, (str, os.PathLike)):
        paths = (paths,)
    graph = SignedGraph.from_edges([read_edge_table(path, options) for path in paths])
    found = check_identifiers(graph, ", ".join(map(str, paths)))
    return replace(graph, findings=(*graph.findings, *found)) if found else graph


def describe_graph_file(
    paths: Pathname | Sequence[Pathname], options: ReadOptions | None = None
) -> tuple[SignedGraph, dict[str, object]]:
    """Read graph files and say what they hold.

    Returns
    -------
    graph : SignedGraph
    described : dict
        ``files`` (path, format and sha256 of each), the keys of
        `eval_tiers.kg.describe.describe_graph`, those of `ReadCounts`, and ``findings``.
    """
    if isinstance(paths, (str, os.PathLike)):
        paths = (paths,)
    graph = read_graph(paths, options)
    files = [
        {"path": str(path), "format": name, "sha256": sha256_of(path)}
        for path, name in zip(paths, graph.format_names, strict=True)
    ]
    described: dict[str, object] = {
        "files": files,
        **graph.describe(),
        **asdict(graph.counts),
        "findings": [finding.as_dict() for finding in graph.findings],
    }
    return graph, described


def sha256_of(path: Pathname) -> str:
    """Return the sha256 of a file as it lies on disk (compressed, if it is)."""
    with open(path, "rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def write_graph_tsv(graph: SignedGraph, path: Path) -> None:
    """Write ``source target sign``, a row for each pair and sign, sorted; gzip by the suffix.

    A node without edges is a row with its name alone, so that what is read again is the same
    graph. The same graph gives the same bytes (no time, no file name inside).

    Raises
    ------
    MissingResourceError
        The folder can't be written.
    """
    with atomic_writer(path) as handle:
        if path.suffix.lower() == ".gz":
            with gzip.GzipFile("", "wb", 6, handle, mtime=0) as packed:
                packed.writelines(_tsv_blocks(graph))
        else:
            handle.writelines(_tsv_blocks(graph))


def _tsv_blocks(graph: SignedGraph, rows: int = 1 << 15) -> Iterator[bytes]:
    yield b"source\ttarget\tsign\n"
    cells = [_cell(name) for name in graph.names]
    source, target, masks = graph.edges()
    text = [[f"\t{sign}\n" for sign in signs_of_mask(mask)] for mask in range(8)]
    for start in range(0, graph.edge_n, rows):
        part = slice(start, start + rows)
        yield "".join(
            f"{cells[a]}\t{cells[b]}{end}"
            for a, b, mask in zip(
                source[part].tolist(), target[part].tolist(), masks[part].tolist(), strict=True
            )
            for end in text[mask]
        ).encode()
    alone = ((graph.out_degree == 0) & (graph.in_degree == 0)).nonzero()[0].tolist()
    if alone:
        yield "".join(f"{cells[node]}\t\t\n" for node in alone).encode()


def _cell(name: str) -> str:
    """Quote a name that a reader would take for a quoted cell or a comment."""
    return '"' + name.replace('"', '""') + '"' if '"' in name or name.startswith("#") else name


def _text(data: bytes, path: str) -> bytes:
    """Return UTF-8 text without a BOM, its lines ending in LF; raise for UTF-16."""
    refuse_utf16(data[:400], path)
    data = data.removeprefix(UTF8_BOM)
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return data


def _with_notes(table: EdgeTable, source: KGSource, options: ReadOptions) -> EdgeTable:
    """Add findings for an option without effect and for a graph without edges."""
    found = list(table.findings)
    where = SourceRef(table.path)
    if options.consensus and "consensus" not in source.uses:
        found.append(
            Finding(
                "option-without-effect",
                f"consensus columns are asked for; format '{source.name}' has none",
                where,
                "note",
            )
        )
    if not table.edge_n:
        skipped = table.counts.undirected_skipped_n
        found.append(
            Finding(
                "no-edges",
                "the graph has no edge"
                + (f": {skipped} undirected ones were skipped" if skipped else ""),
                where,
                fix="take them both ways, unsigned: --undirected both" if skipped else None,
            )
        )
    return replace(table, findings=tuple(found)) if found else table
