"""The small built files in kg/ and gmt/ are what their sources give."""

from __future__ import annotations

import gzip
from pathlib import Path

from eval_tiers.io.demo import demo_inputs
from eval_tiers.io.graphs import read_graph

ROOT = Path(__file__).resolve().parents[2]


def test_built_graph_is_the_demo_network() -> None:
    """kg/demo.tsv.gz holds the edges of the demo's network."""
    built, demo = read_graph(ROOT / "kg" / "demo.tsv.gz"), read_graph(demo_inputs().graph)
    assert built.names == demo.names
    assert built.keys.tolist() == demo.keys.tolist()
    assert built.masks.tolist() == demo.masks.tolist()


def test_compressed_gene_sets_are_the_demo_sets() -> None:
    """gmt/demo.gmt.gz holds the bytes of the demo's gene sets."""
    built = gzip.decompress((ROOT / "gmt" / "demo.gmt.gz").read_bytes())
    assert built == demo_inputs().gene_sets.read_bytes()
