"""The published graphs, where they lie beside the repository."""

from __future__ import annotations

import time

import pytest

from eval_tiers.io.graphs import read_edge_table, read_graph
from eval_tiers.kg.source import ReadOptions
from tests.unit.kg.samples import shared_file

KNOWN = {
    "omnipath_carnival.tsv": ("carnival", 19_807, 6_124),
    "collectri_human.csv": ("collectri", 43_178, 6_956),
    "trrust_rawdata.human.tsv": ("trrust", 9_396, 2_862),
    "signed_kg_core.tsv.gz": ("signed_table", 81_274, 10_796),
    "signed_kg_all_incl_dorothea_E.tsv.gz": ("signed_table", 522_555, 20_727),
    "chem_protein_signed_named.tsv": ("signed_table", 6_186, 2_218),
}


@pytest.mark.parametrize("name", KNOWN)
def test_format_rows_and_nodes(name: str) -> None:
    table = read_edge_table(shared_file(f"data/kg/{name}"))
    assert (table.format_name, table.edge_n, len(table.nodes)) == KNOWN[name]
    assert table.counts.row_n == table.edge_n


def test_core_graph() -> None:
    described = read_graph(shared_file("data/kg/signed_kg_core.tsv.gz")).describe()
    assert (described["edge_n"], described["conflicting_n"]) == (70_633, 596)


def test_trrust_conflicts_and_dates() -> None:
    graph = read_graph(shared_file("data/kg/trrust_rawdata.human.tsv"))
    assert graph.describe()["conflicting_n"] == 207
    assert [finding.code for finding in graph.findings] == ["excel-date"]


def test_collectri_has_self_loops() -> None:
    graph = read_graph(shared_file("data/kg/collectri_human.csv"))
    assert graph.describe()["self_loop_n"] == 462


def test_drugs_take_their_names() -> None:
    graph = read_graph(shared_file("data/kg/chem_protein_signed_named.tsv"))
    assert graph.signs_of("Hexadecanoic acid", "NOS3") == {1}
    assert graph.signs_of("Sevoflurane", "GRIA1") == {-1}


def test_formats_agree_on_a_plain_table() -> None:
    path = shared_file("data/kg/omnipath_carnival.tsv")
    one, two = read_graph(path), read_graph(path, ReadOptions("signed_table"))
    assert one.names == two.names
    assert (one.keys == two.keys).all()
    assert (one.masks == two.masks).all()


def test_half_a_million_rows_are_read_soon() -> None:
    path = shared_file("data/kg/signed_kg_all_incl_dorothea_E.tsv.gz")
    read_graph(path)
    best = min(_seconds(path) for _ in range(3))
    assert best < 2  # about .4 s on an idle core


def _seconds(path: object) -> float:
    started = time.process_time()
    read_graph(str(path))
    return time.process_time() - started
