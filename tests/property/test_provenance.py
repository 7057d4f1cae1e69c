"""The provenance graph agrees with a slow reading of its rows; readers never crash."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import networkx as nx
import orjson
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from eval_tiers.domain.rr10 import Item, ProvenanceRow
from eval_tiers.exceptions import EvalTiersError
from eval_tiers.io.provenance import read_gene_list, read_osd_registry, read_osd_table
from eval_tiers.io.provenance_files import read_provenance_graph, write_provenance_graph
from eval_tiers.kg.contrasts import parse_contrast
from eval_tiers.kg.osd_tables import parse_osd_table
from eval_tiers.kg.provenance import ProvenanceGraph, dataset_of, gene_key
from eval_tiers.kg.provenance_networkx import check_shape, describe_provenance
from tests.unit.kg.rr10_samples import HUMAN, MOUSE, item

organisms = st.sampled_from([MOUSE, HUMAN])
genes = st.sampled_from(["Tp53", "TP53", "tp53", "Actb", "2-Sep", "<&>", "a|b", "é"])
datasets = st.sampled_from(["OSD-1", "OSD-2", "OSD-30"])
folds = st.none() | st.floats(-5, 5)
measured = st.lists(st.tuples(datasets, folds, st.none() | st.floats(0, 1)), min_size=1, max_size=4)
benchmarks = st.lists(
    st.builds(
        item,
        genes,
        measured,
        organisms,
        st.sampled_from(["liver", "cells"]),
        st.integers(1, 99),
        st.sampled_from([0, 1, 2]),
    ),
    max_size=8,
)
words = st.sampled_from(
    ["OSD-1", "GLDS-1", "Socs2", "SYMBOL", "ENSEMBL", ",", ",", "\t", ";", "\n", "\n", '"', "NA"]
    + ["Log2fc_(FLT)v(GC)", "Adj.p.value_(FLT)v(GC)", "Log2fc_(GC)v(FLT)", "1", "-1", "1e999", "x"]
    + ["Adj.p.value_(GC)v(FLT)", "\r", "#", "\ufeff", "\0", "|", " ", "sep=,", "\x85", "\u2028"]
    + ["ENSMUSG00000000001", "ENSG00000000001", "é", "\ud83d", "<html>", "{", "nan", "_"]
)
files = st.binary(max_size=200) | st.lists(words, max_size=60).map(
    lambda parts: "".join(parts).encode("utf-8", "replace")
)


def all_rows(made: list[Item]) -> list[ProvenanceRow]:
    return [row for one in made for row in one.provenance]


@given(made=benchmarks, organism=organisms, gene=genes, dataset=datasets)
def test_look_ups_agree_with_a_slow_reading(
    made: list[Item], organism: str, gene: str, dataset: str
) -> None:
    graph = ProvenanceGraph.build(made)
    wanted = gene.upper() if organism == HUMAN else gene
    found = [
        row
        for row in all_rows(made)
        if row.organism == organism
        and row.dataset == dataset
        and (row.gene.upper() if organism == HUMAN else row.gene) == wanted
    ]
    assert list(graph.rows_of(organism, f" {gene} ", dataset)) == found
    mine = [row for row in all_rows(made) if row.dataset == dataset]
    assert graph.contexts_of(dataset) == {f"{row.organism}::{row.tissue}" for row in mine}
    assert graph.organisms_of(dataset) == {row.organism for row in mine}
    assert graph.knows_dataset(dataset) == bool(mine)
    assert not found or graph.knows_gene(organism, gene)


@given(made=benchmarks)
def test_networkx_has_every_row_once(made: list[Item]) -> None:
    graph = ProvenanceGraph.build(made).to_networkx()
    check_shape(graph)
    rows = sorted(
        (row.dataset, gene_key(row.organism, row.gene), row.organism, row.sign, str(row.item_id))
        for row in all_rows(made)
    )
    edges = sorted(
        (target.removeprefix("dataset:"), graph.nodes[source]["name"],
         graph.nodes[source]["organism"], edge["sign"], edge["item_id"])
        for source, target, edge in graph.edges(data=True) if edge["kind"] == "measured"
    )  # fmt: skip
    assert edges == rows
    described = describe_provenance(graph)
    assert described["row_n"] == len(rows)
    assert described["item_n"] == len({one.sample_id for one in made})
    signs = [row.sign for row in all_rows(made)]
    assert described["positive_n"] == signs.count(1)
    assert described["negative_n"] == signs.count(-1)
    assert described["unsigned_n"] == signs.count(0)


@settings(max_examples=50)
@given(made=benchmarks)
def test_both_kinds_of_file_hold_the_same_graph(made: list[Item]) -> None:
    graph = ProvenanceGraph.build(made).to_networkx()
    with tempfile.TemporaryDirectory() as folder:
        for name in ("kg.json", "kg.graphml"):
            path = Path(folder) / name
            write_provenance_graph(graph, path)
            data = path.read_bytes()
            if name == "kg.json":
                again = nx.node_link_graph(orjson.loads(data), edges="edges")
            else:
                again = nx.read_graphml(BytesIO(data), edge_key_type=int, force_multigraph=True)
            read = read_provenance_graph(str(path))
            assert read is not None
            for other in (again, read[0]):
                assert dict(other.nodes(data=True)) == dict(graph.nodes(data=True))
                assert list(other.edges(keys=True, data=True)) == list(
                    graph.edges(keys=True, data=True)
                )


@given(made=benchmarks, order=st.randoms(use_true_random=False))
def test_the_order_of_items_changes_no_count(made: list[Item], order: object) -> None:
    shuffled = made.copy()
    order.shuffle(shuffled)  # type: ignore[attr-defined]
    first, second = (ProvenanceGraph.build(rows).to_networkx() for rows in (made, shuffled))
    assert describe_provenance(first) == describe_provenance(second)
    assert set(first) == set(second)


@given(log2fc=st.lists(folds, min_size=1, max_size=12), turned=st.booleans())
def test_a_table_read_either_way_says_the_same(log2fc: list[float | None], turned: bool) -> None:
    contrast = "(GC)v(FLT)" if turned else "(FLT)v(GC)"
    lines = [f"SYMBOL,Log2fc_{contrast},Adj.p.value_{contrast}"]
    for number, value in enumerate(log2fc):
        cell = "NA" if value is None else repr(-value if turned else value)
        lines.append(f"G{number},{cell},0.5")
    table = parse_osd_table("\n".join(lines).encode(), "t.csv", "OSD-1", [MOUSE])
    assert [table.rows_of(f"G{number}")[0].log2fc for number in range(len(log2fc))] == log2fc
    assert [made.line for made in table.rows()] == list(range(2, len(log2fc) + 2))


@settings(max_examples=300)
@given(data=files)
@example(data=b"SYMBOL,Log2fc_(FLT)v(GC),Adj.p.value_(FLT)v(GC)\nA,1,0\n")
@example(data=b"\x1f\x8b")
@example(data=b'{"graph": {"kind": "eval_tiers provenance graph", "format_version": 1}}')
@example(data=b"<!-- eval_tiers provenance graph -->")
def test_readers_raise_nothing_but_our_own_errors(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file.csv"
        path.write_bytes(data)
        for read in (
            lambda: list(read_osd_table("OSD-1", path, [MOUSE]).rows()),
            lambda: read_osd_table("OSD-1", path),
            lambda: read_osd_registry(path),
            lambda: read_gene_list(HUMAN, path),
            lambda: read_provenance_graph(str(path)),
        ):
            with suppress(EvalTiersError):
                read()


@given(
    number=st.integers(1, 10**12), zeros=st.integers(0, 3), name=st.sampled_from(["OSD", "glds"])
)
def test_accessions_have_one_spelling(number: int, zeros: int, name: str) -> None:
    for mark in ("-", "_", " ", "\u2013", ""):
        assert dataset_of(f" {name}{mark}{'0' * zeros}{number} ") == f"OSD-{number}"
    assert dataset_of(f"OSD-{number}") == dataset_of(dataset_of(f"OSD-{number}"))


@given(
    text=st.text(max_size=60)
    | st.lists(st.sampled_from(["(", ")", "v", " ", "&", "FLT", "GC"])).map("".join)
)
def test_contrasts_never_crash_and_are_one_thing(text: str) -> None:
    dataset_of(text)
    contrast = parse_contrast(text)
    if contrast is None:
        return
    assert contrast.orientation in (-1, 0, 1)
    assert contrast.reversed.orientation == -contrast.orientation
    assert not (contrast.is_compound and contrast.orientation == 0)


@pytest.mark.parametrize("organism", [MOUSE, HUMAN])
def test_a_key_is_its_own_key(organism: str) -> None:
    for name in ("Tp53", "ß", "\u0131", " x "):
        key = gene_key(organism, name)
        assert gene_key(organism, key) == key
