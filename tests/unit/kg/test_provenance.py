"""The provenance graph: what it holds, what it knows, and the same in NetworkX."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest

from eval_tiers.domain.findings import Finding
from eval_tiers.kg.osd_tables import parse_osd_table
from eval_tiers.kg.provenance import ProvenanceGraph, dataset_of, gene_key
from eval_tiers.kg.provenance_checks import check_gene_list, check_table
from eval_tiers.kg.provenance_networkx import check_shape, describe_provenance
from tests.unit.kg.rr10_samples import FLY, HUMAN, MOUSE, item, items, row

TABLE = (
    b"ENSEMBL,SYMBOL,Log2fc_(Space Flight)v(Ground Control),"
    b"Adj.p.value_(Space Flight)v(Ground Control)\n"
    b"ENSMUSG00000000001,Cyp4a14,1.5,0.01\n"
    b"ENSMUSG00000000002,Socs2,-2,0.5\n"
    b"ENSMUSG00000000003,,NA,NA\n"
)


@pytest.mark.parametrize(
    ("text", "dataset"),
    [
        ("OSD-48", "OSD-48"),
        ("GLDS-48", "OSD-48"),
        ("osd 48", "OSD-48"),
        ("OSD_48", "OSD-48"),
        ("OSD-048", "OSD-48"),
        (" osd48 ", "OSD-48"),
        ("OSD - 48", "OSD-48"),
        ("glds\u201348", "OSD-48"),
        ("OSD\u221248", "OSD-48"),
        ("OSD\xa048", "OSD-48"),
        ("OSD-100", "OSD-100"),
        ("OSD-" + "9" * 5000, "OSD-" + "9" * 5000),
        ("48", None),
        (48, None),
        (None, None),
        (True, None),
        (["OSD-48"], None),
        ("", None),
        ("OSD-", None),
        ("OSD-X", None),
        ("OSD-48.1", None),
        ("OSD-48, OSD-47", None),
        ("OSD-0", None),
        ("XOSD-48", None),
        ("OSD-\u0664\u0668", None),
        ("GSE48", None),
    ],
)
def test_accessions(text: object, dataset: str | None) -> None:
    assert dataset_of(text) == dataset


def test_only_human_genes_are_upper_cased() -> None:
    assert gene_key(HUMAN, " tp53\t") == "TP53"
    assert gene_key(MOUSE, " Trp53 ") == "Trp53"
    assert gene_key(FLY, "dl") != gene_key(FLY, "Dl")


def test_rows_in_file_order() -> None:
    graph = ProvenanceGraph.build(items())
    found = graph.rows_of(MOUSE, " Cyp4a14 ", "OSD-47")
    assert [(made.log2fc, made.q, made.item_id, made.line) for made in found] == [
        (1.5, 0.01, "OSDR-FRAG-00001", 1)
    ]
    assert graph.rows_of(HUMAN, "tp53", "OSD-25")[0].sign == -1
    assert graph.rows_of(MOUSE, "cyp4a14", "OSD-47") == ()
    assert graph.rows_of(HUMAN, "Cyp4a14", "OSD-47") == ()
    assert graph.rows_of(MOUSE, "Cyp4a14", "OSD-25") == ()
    twice = ProvenanceGraph.build([*items(), item("Cyp4a14", [("OSD-47", -3.0, 0.2)], number=4)])
    assert [made.line for made in twice.rows_of(MOUSE, "Cyp4a14", "OSD-47")] == [1, 4]


def test_what_a_graph_knows_of_datasets() -> None:
    graph = ProvenanceGraph.build(items())
    assert graph.contexts_of("OSD-47") == {"mus_musculus::liver"}
    assert graph.organisms_of("OSD-25") == {HUMAN}
    assert graph.contexts_of("OSD-1") == graph.organisms_of("OSD-1") == frozenset()
    assert graph.knows_dataset("OSD-47")
    assert not graph.knows_dataset("OSD-1")
    assert not graph.has_registry
    assert not graph.has_table("OSD-47")
    wider = ProvenanceGraph.build(items(), registry=["GLDS-1", "osd 2", "nonsense"])
    assert wider.has_registry
    assert wider.knows_dataset("OSD-1") and wider.knows_dataset("OSD-47")
    assert not wider.knows_dataset("OSD-3")
    assert wider.registry == {"OSD-1", "OSD-2"}
    assert ProvenanceGraph.build(items(), registry=[]).has_registry


def test_a_dataset_of_two_tissues() -> None:
    graph = ProvenanceGraph.build(
        [item("A", [("OSD-1", 1.0, 0.1)]), item("A", [("OSD-1", 1.0, 0.1)], tissue="thymus")]
    )
    assert graph.contexts_of("OSD-1") == {"mus_musculus::liver", "mus_musculus::thymus"}
    assert graph.context_n == 2


def test_what_a_graph_knows_of_genes() -> None:
    graph = ProvenanceGraph.build(items(), genes={MOUSE: [" Actb "], HUMAN: ["gapdh"]})
    assert graph.has_gene_list(MOUSE) and not graph.has_gene_list(FLY)
    assert graph.knows_gene(MOUSE, "Actb")
    assert graph.knows_gene(MOUSE, "Angptl4")  # not in the list, but in a row
    assert not graph.knows_gene(MOUSE, "ACTB")
    assert graph.knows_gene(HUMAN, "Gapdh")
    assert not graph.knows_gene(HUMAN, "Actb")


def test_rows_of_a_table_follow_those_of_the_benchmark() -> None:
    table = parse_osd_table(TABLE, "x/GLDS-47.csv", "OSD-47", [MOUSE])
    graph = ProvenanceGraph.build(items(), tables={"GLDS-47": table})
    first, second = graph.rows_of(MOUSE, "Cyp4a14", "OSD-47")
    assert (first.item_id, second.item_id) == ("OSDR-FRAG-00001", None)
    assert (second.log2fc, second.q, second.line, second.tissue) == (1.5, 0.01, 2, None)
    assert second.source_file == "GLDS-47.csv"
    assert graph.rows_of(MOUSE, "ENSMUSG00000000002", "OSD-47")[0].sign == -1
    assert graph.rows_of(MOUSE, "ENSMUSG00000000003", "OSD-47")[0].sign == 0
    assert graph.rows_of(HUMAN, "Socs2", "OSD-47") == ()
    assert graph.rows_of(FLY, "Socs2", "OSD-47") == ()
    assert graph.rows_of(MOUSE, "Socs2", "OSD-168") == ()
    assert graph.has_table("OSD-47")
    assert graph.knows_gene(MOUSE, "Socs2")
    assert not graph.knows_gene(HUMAN, "Socs2")
    assert graph.contexts_of("OSD-47") == {"mus_musculus::liver"}


def test_a_table_of_a_dataset_outside_the_benchmark() -> None:
    table = parse_osd_table(TABLE, "t.csv", "OSD-900")
    graph = ProvenanceGraph.build(items(), tables={"OSD-900": table})
    assert graph.knows_dataset("OSD-900")
    assert graph.organisms_of("OSD-900") == {MOUSE}
    assert graph.contexts_of("OSD-900") == frozenset()
    assert len(graph.rows_of(MOUSE, "Socs2", "OSD-900")) == 1


def test_a_table_given_as_rows() -> None:
    rows = [row("Socs2", "OSD-47", -1.0, tissue=None, item_id=None)]
    graph = ProvenanceGraph.build(items(), tables={"OSD-47": rows})
    assert graph.rows_of(MOUSE, "Socs2", "OSD-47") == tuple(rows)
    assert graph.has_table("OSD-47")
    assert graph.contexts_of("OSD-47") == {"mus_musculus::liver"}


def test_counts_and_findings() -> None:
    graph = ProvenanceGraph.build(items(), findings=[Finding("x", "y")])
    assert (graph.gene_n, graph.dataset_n, graph.context_n, graph.row_n) == (3, 3, 2, 5)
    assert [finding.code for finding in graph.findings] == ["x"]
    empty = ProvenanceGraph.build([])
    assert (empty.gene_n, empty.dataset_n, empty.context_n, empty.row_n) == (0, 0, 0, 0)
    assert empty.to_networkx().number_of_nodes() == 0
    assert describe_provenance(empty.to_networkx())["contexts"] == {}


def test_a_graph_goes_to_other_processes() -> None:
    table = parse_osd_table(TABLE, "t.csv", "OSD-47", [MOUSE])
    graph = ProvenanceGraph.build(items(), {"OSD-47": table}, ["OSD-1"], {MOUSE: ["Actb"]})
    again = pickle.loads(pickle.dumps(graph))
    assert again.rows_of(MOUSE, "Cyp4a14", "OSD-47") == graph.rows_of(MOUSE, "Cyp4a14", "OSD-47")
    assert again.knows_gene(MOUSE, "Actb") and again.knows_dataset("OSD-1")


def test_networkx_has_an_edge_a_row() -> None:
    made = ProvenanceGraph.build(items()).to_networkx()
    assert made.is_multigraph() and made.is_directed()
    assert made.number_of_edges("gene:mus_musculus::Cyp4a14", "dataset:OSD-47") == 1
    edge = made.edges["gene:mus_musculus::Cyp4a14", "dataset:OSD-168", 0]
    assert edge == {
        "kind": "measured",
        "sign": -1,
        "log2fc": -1.25,
        "q": 0.02,
        "contrast": "(Space Flight)v(Ground Control)",
        "orientation": 1,
        "source_file": "toy.csv",
        "item_id": "OSDR-FRAG-00001",
        "tissue": "liver",
        "line": 1,
        "number": 1,
    }
    assert made.edges["dataset:OSD-25", "context:homo_sapiens::cells", 0] == {"kind": "belongs"}
    assert made.nodes["gene:homo_sapiens::TP53"] == {
        "kind": "gene",
        "name": "TP53",
        "organism": HUMAN,
    }
    assert sum(edge["kind"] == "measured" for *_, edge in made.edges(data=True)) == 5


def test_one_gene_name_in_two_organisms_is_two_nodes() -> None:
    made = ProvenanceGraph.build(
        [item("Tor", [("OSD-1", 1.0, 0.1)], FLY), item("Tor", [("OSD-2", 1.0, 0.1)], MOUSE)]
    ).to_networkx()
    genes = {node for node, kind in made.nodes(data="kind") if kind == "gene"}
    assert genes == {"gene:drosophila_melanogaster::Tor", "gene:mus_musculus::Tor"}


def test_a_table_gene_goes_by_the_name_that_the_benchmark_has() -> None:
    table = parse_osd_table(TABLE, "t.csv", "OSD-47", [MOUSE])
    by_id = item("ENSMUSG00000000002", [("OSD-47", -1.0, 0.1)])
    made = ProvenanceGraph.build([by_id], tables={"OSD-47": table}).to_networkx()
    assert made.number_of_edges("gene:mus_musculus::ENSMUSG00000000002", "dataset:OSD-47") == 2
    assert "gene:mus_musculus::Socs2" not in made
    assert "gene:mus_musculus::Cyp4a14" in made
    assert "q" not in made.edges["gene:mus_musculus::ENSMUSG00000000003", "dataset:OSD-47", 0]


def test_registry_and_gene_lists_are_nodes() -> None:
    made = ProvenanceGraph.build(
        items(), registry=["OSD-100", "OSD-9", "OSD-47"], genes={HUMAN: ["gapdh", "TP53"]}
    ).to_networkx()
    assert {"dataset:OSD-9", "dataset:OSD-100", "gene:homo_sapiens::GAPDH"} <= set(made)
    assert list(made).index("dataset:OSD-9") < list(made).index("dataset:OSD-100")
    assert made.degree("dataset:OSD-9") == 0
    assert made.degree("gene:homo_sapiens::TP53") == 1


def test_description() -> None:
    both = item("Both", [("OSD-47", 2.0, 0.05), ("OSD-47", -2.0, None), ("OSD-47", None, 0.2)])
    turned = replace(
        both, provenance=(*both.provenance[:2], row("Both", "OSD-47", None, 0.2, orientation=-1))
    )
    table = parse_osd_table(TABLE, "t.csv", "OSD-47", [MOUSE])
    made = ProvenanceGraph.build([*items(), turned], {"OSD-47": table}).to_networkx()
    described = describe_provenance(made)
    assert described == {
        "about": {},
        "gene_n": 6,  # Cyp4a14 Angptl4 Both Socs2, an Ensembl id; TP53
        "genes": {HUMAN: 1, MOUSE: 5},
        "dataset_n": 3,
        "context_n": 2,
        "contexts": {"homo_sapiens::cells": 1, "mus_musculus::liver": 2},
        "item_n": 3,  # the last item has the first one's id
        "row_n": 11,
        "benchmark_row_n": 8,
        "table_row_n": 3,
        "positive_n": 5,  # 1.5 1.75 .5, 2; 1.5
        "negative_n": 4,  # -1.25 -.75, -2; -2
        "unsigned_n": 2,
        "not_significant_n": 4,  # .06, .05, .2; .5
        "no_q_n": 2,
        "reversed_n": 1,
        "both_sign_pair_n": 1,
    }


def test_a_graph_of_another_shape_is_refused() -> None:
    made = ProvenanceGraph.build(items()).to_networkx()
    check_shape(made)
    for spoil in ({"sign": 2}, {"orientation": 0}, {"kind": "x"}, {"q": "0.1"}):
        other = made.copy()
        other.edges["gene:mus_musculus::Cyp4a14", "dataset:OSD-47", 0].update(spoil)
        with pytest.raises(ValueError, match="Cyp4a14"):
            check_shape(other)
    made.add_node("X")
    with pytest.raises(ValueError, match="'X'"):
        check_shape(made)


def test_a_gene_list_that_does_not_fit_is_warned_of() -> None:
    graph = ProvenanceGraph.build(items())
    assert check_gene_list(graph, MOUSE, {"Cyp4a14"}, "g.txt") == []
    found = check_gene_list(graph, MOUSE, {"CYP4A14", "ANGPTL4"}, "g.txt")
    assert [finding.code for finding in found] == ["few-genes-known"]
    assert "lacks 2 of the 2 genes" in found[0].message
    assert check_gene_list(graph, FLY, {"dl"}, "g.txt") == []


def test_a_table_that_contradicts_the_benchmark_is_warned_of() -> None:
    graph = ProvenanceGraph.build(items())
    fits = parse_osd_table(TABLE, "t.csv", "OSD-47", [MOUSE])
    assert check_table(graph, fits, "t.csv") == []
    against = parse_osd_table(TABLE, "t.csv", "OSD-168", [MOUSE])
    found = check_table(graph, against, "t.csv")
    assert [finding.code for finding in found] == ["table-contradicts"]
    assert "1 of 2 rows" in found[0].message and "Cyp4a14" in found[0].message
    other = parse_osd_table(TABLE.replace(b"Cyp4a14", b"CYP4A14"), "t.csv", "OSD-47", [MOUSE])
    assert [finding.code for finding in check_table(graph, other, "t.csv")] == ["few-genes-known"]
