"""Finding the graph formats, and choosing one for a file."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from eval_tiers.exceptions import BadInputError, Problem, SourceRef, UsageError
from eval_tiers.kg import sources
from eval_tiers.kg.source import Head, KGSource

_BINARY_KINDS = (
    (b"PK\x03\x04", "a zip archive or an Excel workbook"),
    (b"PAR1\x15", "a Parquet file"),
    (b"\x89HDF", "an HDF5 file"),
    (b"SQLite format 3", "an SQLite database"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook"),
    (b"%PDF", "a PDF"),
    (b"\x89PNG", "a picture"),
    (b"BZh", "a bzip2 file"),
    (b"\xfd7zXZ\x00", "an xz file"),
    (b"RDX2\n", "an R data file"),
    (b"RDX3\n", "an R data file"),
)


@cache
def source_names() -> tuple[str, ...]:
    """Return the names of all formats, sorted, without importing them."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(sources.__path__)))


def load_source(name: str) -> KGSource:
    """Return a format by name.

    Raises
    ------
    UsageError
        There is none of that name.
    """
    if name not in source_names():
        raise UsageError(
            Problem(
                "unknown-format",
                f"there is no graph format '{name}'",
                fix="one of: " + ", ".join(source_names()),
            )
        )
    source = importlib.import_module(f"{sources.__name__}.{name}").SOURCE
    if not isinstance(source, KGSource):
        raise TypeError(f"SOURCE of {name} is no KGSource")
    return source


def discover_sources() -> tuple[KGSource, ...]:
    """Return all formats, sorted by name."""
    return tuple(load_source(name) for name in source_names())


def binary_source(head: Head, name: str | None = None) -> KGSource | None:
    """Return the format that takes this file's bytes as they are; None for a text file."""
    if name is not None:
        source = load_source(name)
        return source if source.binary else None
    found = [source for source in discover_sources() if source.binary and source.matches(head)]
    return found[0] if found else None


def choose_source(head: Head, name: str | None = None) -> KGSource:
    """Return the format to read a file with.

    Parameters
    ----------
    head : Head
        The file's first bytes, decompressed.
    name : str, optional
        The format asked for; it is then taken, unless the file is plainly something else.

    Raises
    ------
    BadInputError
        The file is empty, a web page or of a kind that isn't read, or no format fits.
    """
    refuse_foreign(head)
    if name is not None:
        return load_source(name)
    ranked = sorted(
        ((source.matches(head), source) for source in discover_sources()),
        key=lambda pair: (-pair[0], pair[1].name),
    )
    if ranked and ranked[0][0] > 0:
        return ranked[0][1]
    raise BadInputError(_no_format(head))


def refuse_foreign(head: Head) -> None:
    """Raise for an empty file, a web page and other kinds that can hold no graph."""
    where = SourceRef(head.path)
    if not head.data.strip():
        raise BadInputError(
            Problem("empty-file", "the graph file is empty", where, "get the file again")
        )
    start = head.data.removeprefix(b"\xef\xbb\xbf").lstrip()[:512].lower()
    kinds = ", ".join(source_names())
    if start.startswith((b"<!doctype html", b"<html")) or (
        start.startswith(b"<") and b"<html" in start
    ):
        raise BadInputError(
            Problem(
                "html-page",
                "this is a web page, not a graph (an error or login page was saved?)",
                where,
                "download the file itself; look at what it says in a browser",
            )
        )
    for magic, kind in _BINARY_KINDS:
        if head.data.startswith(magic):
            raise BadInputError(
                Problem(
                    "not-a-graph-file",
                    f"this is {kind}, not a graph file",
                    where,
                    f"read are: {kinds}; export a tab-separated table with a header "
                    "'source target sign'",
                )
            )


def _no_format(head: Head) -> Problem:
    """Say why no format fits, and how to convert what the file seems to be."""
    where = SourceRef(head.path, 1)
    kinds = "read are: " + ", ".join(source_names())
    zero = head.data.find(b"\0")
    if zero >= 0:
        return Problem(
            "nul-byte",
            "the file holds NUL bytes: it is damaged, or no text",
            SourceRef(head.path, head.data.count(b"\n", 0, zero) + 1),
            f"get the file again; {kinds}",
        )
    start = head.data.lstrip()[:1]
    if start in (b"{", b"["):
        return Problem(
            "json-not-read",
            "JSON graphs of this kind are not read",
            where,
            f"{kinds}; in Python, for a node-link file: "
            "G = networkx.node_link_graph(json.load(open(FILE))), then write one line "
            "'source<TAB>target<TAB>sign' for each of G.edges(data=True)",
        )
    if start == b"<":
        return Problem(
            "xml-not-read",
            "XML graphs of this kind (GraphML, GEXF, XGMML, SBML) are not read",
            where,
            f"{kinds}; in Python, for GraphML: G = networkx.read_graphml(FILE), then write one "
            "line 'source<TAB>target<TAB>sign' for each of G.edges(data=True); in Cytoscape: "
            "File > Export > Network to File, as SIF",
        )
    text = head.lines[0].strip()[:60] if head.lines and not head.binary else ""
    return Problem(
        "unknown-graph-format",
        "can't tell what kind of graph this is" + (f"; it begins: {text}" if text else ""),
        where,
        f"{kinds}; simplest is a table with a header 'source target sign', tab-separated, "
        "signs 1, -1 or 0",
    )
