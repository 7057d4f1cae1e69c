"""OmniPath, CARNIVAL, CollecTRI and TRRUST."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from eval_tiers.exceptions import BadInputError
from eval_tiers.kg.source import ReadOptions
from tests.unit.kg.samples import codes, read, triples

OMNIPATH = (
    "source\ttarget\tsource_genesymbol\ttarget_genesymbol\tis_directed\tis_stimulation\t"
    "is_inhibition\tconsensus_direction\tconsensus_stimulation\tconsensus_inhibition\n"
    "P1\tP2\tA\tB\t1\t1\t0\t1\t1\t0\n"  # plain
    "P1\tP2\tA\tB\t1\t0\t1\t1\t1\t0\n"  # the consensus disagrees
    "P3\tP4\tC\tD\tTrue\tTrue\tTrue\tTrue\tFalse\tTrue\n"  # both signs
    "P5\tP6\tE\tF\t1\t0\t0\t1\t0\t0\n"  # directed, unsigned
    "P7\tP8\tG\tH\t0\t0\t0\t0\t0\t0\n"  # undirected
    "COMPLEX:P1_P3\tP9\tA_C\tI\t1\t1\t0\t1\t1\t0\n"
    "P9\tP10\t\tJ\t1\t1\t0\t1\t1\t0\n"  # no symbol
)


def test_omnipath(tmp_path: Path) -> None:
    table = read(tmp_path, OMNIPATH)
    assert table.format_name == "omnipath"
    assert triples(table) == [
        ("A", -1, "B"),
        ("A", 1, "B"),
        ("A_C", 1, "I"),
        ("C", -1, "D"),
        ("C", 1, "D"),
        ("E", 0, "F"),
    ]
    counts = table.counts
    assert (counts.row_n, counts.undirected_n, counts.undirected_skipped_n) == (7, 1, 1)
    assert (counts.consensus_differs_n, counts.empty_name_n) == (2, 1)
    assert "G" not in table.nodes
    empty = next(found for found in table.findings if found.code == "empty-name")
    assert empty.where.line == 8


def test_omnipath_consensus(tmp_path: Path) -> None:
    table = read(tmp_path, OMNIPATH, options=ReadOptions(consensus=True))
    assert triples(table) == [
        ("A", 1, "B"),
        ("A", 1, "B"),
        ("A_C", 1, "I"),
        ("C", -1, "D"),
        ("E", 0, "F"),
    ]


def test_omnipath_undirected_both(tmp_path: Path) -> None:
    table = read(tmp_path, OMNIPATH, options=ReadOptions(undirected="both"))
    assert {("G", 0, "H"), ("H", 0, "G")} <= set(triples(table))
    assert (table.counts.undirected_n, table.counts.undirected_skipped_n) == (1, 0)


def test_omnipath_by_uniprot_and_without_directions(tmp_path: Path) -> None:
    data = "source,target,is_stimulation,is_inhibition\nP04637,P38936,t,f\nP38936,P24941,F,T\n"
    assert triples(read(tmp_path, data)) == [("P04637", 1, "P38936"), ("P38936", -1, "P24941")]


def test_omnipath_with_consensus_alone(tmp_path: Path) -> None:
    data = "source,target,consensus_stimulation,consensus_inhibition\nA,B,1,0\n"
    table = read(tmp_path, data)
    assert (triples(table), codes(table)) == ([("A", 1, "B")], ["only-consensus"])


def test_omnipath_flags_that_are_none(tmp_path: Path) -> None:
    data = "source,target,is_stimulation,is_inhibition\nA,B,maybe,1\nC,D,1,0\n"
    table = read(tmp_path, data)
    assert triples(table) == [("A", -1, "B"), ("C", 1, "D")]
    assert codes(table) == ["unknown-flag"]


def test_carnival(tmp_path: Path) -> None:
    table = read(tmp_path, "source\tinteraction\ttarget\nA\t-1\tB\nB\t1\tA_C\n", "network.sif")
    assert table.format_name == "carnival"
    assert triples(table) == [("A", -1, "B"), ("B", 1, "A_C")]


def test_collectri(tmp_path: Path) -> None:
    table = read(tmp_path, '"source","target","weight"\n"MYC","NA",1\n"AP1","MYC",-0.5\n')
    assert table.format_name == "collectri"
    assert triples(table) == [("AP1", -1, "MYC"), ("MYC", 1, "NA")]


def test_trrust(tmp_path: Path) -> None:
    data = "A\tB\tActivation\t1;2\nA\tB\tRepression\t3\nA\t7-Sep\tUnknown\t4\nA\tC\tOdd\t5\n"
    table = read(tmp_path, data)
    assert table.format_name == "trrust"
    assert triples(table) == [("A", -1, "B"), ("A", 0, "7-SEP"), ("A", 0, "C"), ("A", 1, "B")]
    assert sorted(codes(table)) == ["excel-date", "unknown-sign"]
    assert next(f for f in table.findings if f.code == "unknown-sign").where.line == 4


FORMATS = {
    "omnipath": "source\ttarget\tis_stimulation\tis_inhibition\n",
    "carnival": "source\tinteraction\ttarget\n",
    "collectri": '"source","target","weight"\n',
    "trrust": "A\tB\tActivation\t1\n",
}
ROW = {
    "omnipath": b"A\tB\t1\t0\n",
    "carnival": b"A\t1\tB\n",
    "collectri": b'"A","B",1\n',
    "trrust": b"A\tB\tActivation\t1\n",
}
KINDS: dict[str, Callable[[bytes, bytes], bytes]] = {
    "empty": lambda head, row: b"",
    "blank": lambda head, row: b" \n\n",
    "header only": lambda head, row: head if not head.startswith(b"A") else b"A\tB\n",
    "nul": lambda head, row: head + row + b"\0" + row,
    "latin-1": lambda head, row: head + row + row.replace(b"A", b"\xe9"),
    "utf-16": lambda head, row: (head + row).decode().encode("utf-16"),
    "html": lambda head, row: b"<html><head></head></html>",
    "ragged": lambda head, row: head + row + b"torn\n" * 9,
    "other table": lambda head, row: b"x\ty\n1\t2\n",
    "binary": lambda head, row: bytes(range(1, 256)) * 4,
    "workbook": lambda head, row: b"PK\x03\x04" + head + row,
    "prose": lambda head, row: b"no graph at all\n",
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("forced", [False, True])
def test_bad_files(tmp_path: Path, name: str, kind: str, forced: bool) -> None:
    data = KINDS[kind](FORMATS[name].encode(), ROW[name])
    with pytest.raises(BadInputError):
        read(tmp_path, data, options=ReadOptions(name if forced else None))
