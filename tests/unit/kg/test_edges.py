"""Edge tables: names, repeats, what is left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval_tiers.kg.naming import normalise_symbol
from tests.unit.kg.samples import codes, read, triples


@pytest.mark.parametrize(
    ("spelled", "name"),
    [
        (" tp53 ", "TP53"),
        ("Nkx2-1", "NKX2-1"),
        ("HLA-DRB1", "HLA-DRB1"),
        ("COMPLEX:P1_Q2", "COMPLEX:P1_Q2"),
        ("\u00a0MYC", "MYC"),
        ("a\tb\nc", "A B C"),
        ("5'-UTR", "5'-UTR"),
        ("", ""),
    ],
)
def test_names_are_stripped_and_upper_cased(spelled: str, name: str) -> None:
    assert normalise_symbol(spelled) == name


def test_repeats_and_conflicts_are_kept(tmp_path: Path) -> None:
    table = read(tmp_path, "source\ttarget\tsign\nA\tB\t1\nA\tB\t-1\nA\tB\t1\n")
    assert triples(table) == [("A", -1, "B"), ("A", 1, "B"), ("A", 1, "B")]
    assert table.counts.row_n == 3


def test_a_gene_called_na_is_a_gene(tmp_path: Path) -> None:
    table = read(tmp_path, "source\ttarget\tsign\nNA\tnull\t1\nnan\tNone\t-1\n")
    assert triples(table) == [("NA", 1, "NULL"), ("NAN", -1, "NONE")]


def test_empty_names_are_skipped_and_counted_and_make_no_node(tmp_path: Path) -> None:
    table = read(tmp_path, "source\ttarget\tsign\nA\tB\t1\n\tC\t1\nD\t \t-1\n")
    assert triples(table) == [("A", 1, "B")]
    assert table.nodes == ["A", "B"]
    assert table.counts.empty_name_n == 2
    finding = next(found for found in table.findings if found.code == "empty-name")
    assert finding.where.line == 3
    assert "lines 3, 4" in finding.message


def test_spreadsheet_dates_are_left_and_said(tmp_path: Path) -> None:
    table = read(tmp_path, "source\ttarget\tsign\n7-Sep\tB\t1\nMar-01\tB\t1\nNKX2-1\tB\t1\n")
    assert {"7-SEP", "MAR-01"} <= set(table.nodes)
    finding = next(found for found in table.findings if found.code == "excel-date")
    assert finding.message.startswith("2 names")


def test_names_that_differ_by_case_are_one_node_and_said(tmp_path: Path) -> None:
    table = read(tmp_path, "source\ttarget\tsign\nTp53\tB\t1\nTP53\tB\t1\n")
    assert table.nodes == ["TP53", "B"]
    assert codes(table) == ["case-merged"]


def test_mouse_spelling_is_remembered(tmp_path: Path) -> None:
    table = read(tmp_path, "source\ttarget\tsign\nTrp53\tMYC\t1\nC1orf112\tH2-K1\t1\n")
    assert dict(zip(table.nodes, table.title_case.tolist(), strict=True)) == {
        "TRP53": True,
        "MYC": False,
        "C1ORF112": False,
        "H2-K1": False,
    }


def test_nul_in_a_name_cannot_be_written() -> None:
    assert normalise_symbol("A\0B") == "A?B"
