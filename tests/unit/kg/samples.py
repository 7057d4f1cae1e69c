"""Helpers of the graph tests: reading bytes as a file is read, and tables as plain tuples."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval_tiers.io.graphs import read_edge_table
from eval_tiers.kg.edges import EdgeTable
from eval_tiers.kg.graph import SignedGraph, signs_of_mask
from eval_tiers.kg.source import ReadOptions

Triple = tuple[str, int, str]
SHARED = Path(__file__).resolve().parents[4] / "shared"


def shared_file(name: str) -> Path:
    """Return a real file beside the repository, or skip the test."""
    path = SHARED / name
    if not path.is_file():
        pytest.skip(f"the real file {name} is not beside this repository")
    return path


def read(
    folder: Path, data: bytes | str, name: str = "kg.tsv", options: ReadOptions | None = None
) -> EdgeTable:
    """Write a file and read it the way a command does."""
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return read_edge_table(path, options)


def triples(table: EdgeTable) -> list[Triple]:
    """Return the edges of a table, sorted, repeats kept."""
    return sorted(
        (table.nodes[a], int(sign), table.nodes[b])
        for a, b, sign in zip(table.source, table.target, table.sign, strict=True)
    )


def codes(table: EdgeTable) -> list[str]:
    """Return the codes of the findings, in order."""
    return [finding.code for finding in table.findings]


def pairs(graph: SignedGraph) -> dict[tuple[str, str], tuple[int, ...]]:
    """Return a graph as a dictionary of pairs and their signs."""
    source, target, masks = graph.edges()
    return {
        (graph.names[a], graph.names[b]): signs_of_mask(int(mask))
        for a, b, mask in zip(source, target, masks, strict=True)
    }
