"""Checking GMT files: every fault, at its line, once."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from eval_tiers.exceptions import BadInputError
from eval_tiers.go.gene_sets import parse_gmt
from eval_tiers.go.identifiers import identifier_kind, is_spreadsheet_date, symbol_style
from eval_tiers.go.lint import check_gmt
from eval_tiers.io.gene_sets import check_gene_set_file
from tests.unit.go.samples import HUMAN, WORKED_GMT, real_file

FAULTS = {
    "missing description": (b"S\tna\tA\tB\nT\tA\tC\tD\n", [("missing-description", 2, "error")]),
    "blank line": (b"S\t\tA\tB\n\nT\t\tC\tD\n", [("blank-line", 2, "note")]),
    "line of white space": (b"S\t\tA\tB\n \t \n", [("blank-line", 2, "note")]),
    "comment": (b"#c\nS\t\tA\tB\n", [("comment", 1, "note")]),
    "trailing tabs": (b"S\t\tA\tB\t\t\n", [("trailing-tab", 1, "warning")]),
    "empty gene": (b"S\t\tA\t\tB\t \tC\n", [("empty-gene", 1, "warning")]),
    "html": (b"<html>\n<b>\tx\ty</b>\n</html>\n", [("html-page", 1, "error")]),
    "duplicate set": (
        b"S\t\tA\tB\nT\t\tC\tD\nS\t\tE\tF\n",
        [("duplicate-set-name", 3, "error")],
    ),
    "duplicate gene": (b"S\t\tA\tB\tA\tA\n", [("duplicate-gene", 1, "warning")]),
    "weights": (b"S\t\tA,1.0\tB,0.5\n", [("weight", 1, "warning")]),
    "spaces in one line": (
        b"S\t\tA\tB\nT na C D\n",
        [("spaces-instead-of-tabs", 2, "error")],
    ),
    "spaces between genes": (b"S\t\tA B\tC\n", [("space-in-gene", 1, "warning")]),
    "spaces everywhere": (b"S na A B\nT na C\n", [("spaces-instead-of-tabs", 1, "error")]),
    "bom": (b"\xef\xbb\xbfS\t\tA\tB\n", [("byte-order-mark", 1, "note")]),
    "crlf": (b"S\t\tA\tB\r\nT\t\tC\tD\r\n", [("crlf", 1, "note")]),
    "one gene": (b"S\t\tA\nT\t\tC\tC\n", [
        ("one-gene", 1, "warning"), ("duplicate-gene", 2, "warning"), ("one-gene", 2, "warning"),
    ]),
    "no genes": (b"S\t\tA\tB\nT\tna\nU\n", [
        ("no-genes", 2, "warning"), ("no-genes", 3, "warning"),
    ]),
    "no name": (b"S\t\tA\tB\n\tna\tC\tD\n", [("no-set-name", 2, "error")]),
    "entrez": (b"S\t\t7157\t4193\nT\t\t581\t1029\n", [("ids-not-symbols", 1, "warning")]),
    "ensembl": (
        b"S\t\tENSG00000141510.18\tENSG00000135679\n",
        [("ids-not-symbols", 1, "warning")],
    ),
    "uniprot": (b"S\t\tP04637\tQ00987\n", [("ids-not-symbols", 1, "warning")]),
    "locus ids": (b"S\t\tAT1G01010.1\tAT2G01010\n", [("ids-not-symbols", 1, "note")]),
    "an id among symbols": (
        b"S\t\tTP53\tMDM2\nT\t\tBAX\tENSG00000135679\n",
        [("mixed-identifiers", 2, "warning")],
    ),
    "spreadsheet dates": (
        b"S\t\tTP53\tMDM2\nT\t\tBAX\t2-Sep\t1-Mar\n",
        [("spreadsheet-date", 2, "error")],
    ),
    "spellings by case": (
        b"S\t\tTP53\tMDM2\nT\t\tTP53\tBAX\nU\t\tTp53\tRB1\n",
        [("case-variant", 3, "warning")],
    ),
    "json": (b'{"S": ["A"]}', [("not-a-gmt", 1, "error")]),
    "utf-16": ("S\t\tA\tB\n".encode("utf-16"), [("not-utf8", 1, "error")]),
    "latin-1": (b"S\t\tA\tB\nT\t\xe9\tA\tB\n", [("not-utf8", 2, "error")]),
    "nul": (b"S\t\tA\tB\0\n", [("nul-byte", 1, "error")]),
    "empty": (b"", [("empty-file", 1, "error")]),
}  # fmt: skip


@pytest.mark.parametrize(("data", "expected"), FAULTS.values(), ids=FAULTS)
def test_finds_each_fault_once(data: bytes, expected: list[tuple[str, int, str]]) -> None:
    found = check_gmt(data, "x.gmt")
    assert [(one.code, one.where.line, one.level) for one in found] == expected
    assert all(one.where.path == "x.gmt" for one in found)
    assert all(one.fix for one in found if one.level != "note")


@pytest.mark.parametrize(
    "data",
    [
        WORKED_GMT,
        b"S\t\tA\tB\nT\tna\tC\tNA\nU\thttp://x.org/a\tD\tE",  # NA is a gene, na no description
        b"S\t\tNKX2-1\tHLA-DRB1\tC1orf112\tAP-1\n",
        b"S\t\tP2RY10\tTP53\tMDM2\n",
        b"S\tTrp53 targets\tTrp53\tMdm2\n",
    ],
)
def test_clean_files_have_no_faults(data: bytes) -> None:
    assert check_gmt(data, "x.gmt") == []


def test_a_set_name_that_comes_again_names_both_lines() -> None:
    (found,) = check_gmt(FAULTS["duplicate set"][0], "x.gmt")
    assert "lines 1 and 3" in found.message


def test_real_human_file_is_clean() -> None:
    assert check_gene_set_file(real_file(HUMAN)) == []


@example(b"\tna\tA\nx y\n")
@given(
    st.binary(max_size=60) | st.text("aB\t\n\r ,.1#<", max_size=60).map(lambda text: text.encode())
)
def test_never_raises_and_flags_what_cannot_be_read(data: bytes) -> None:
    found = check_gmt(data, "fuzz.gmt")
    kinds = [(one.code, one.where.line) for one in found]
    assert len(kinds) == len(set(kinds))
    assert [one.where.line or 0 for one in found] == sorted(one.where.line or 0 for one in found)
    try:
        parse_gmt(data, "fuzz.gmt")
    except BadInputError:
        assert any(one.level != "note" for one in found)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("7157", "Entrez Gene id"),
        ("ENSMUSG00000059552", "Ensembl id"),
        ("ensg00000141510", "Ensembl id"),
        ("A0A024R161", "UniProt accession"),
        ("NM_000546.6", "RefSeq accession"),
        ("AT1G01010.1", "Arabidopsis locus (AGI)"),
        ("FBgn0039044", "FlyBase id"),
        ("WBGene00000467", "WormBase id"),
        ("YAL001C", "yeast open reading frame"),
        ("HGNC:11998", "HGNC id"),
        ("MGI:98834", "MGI id"),
        ("201746_at", "array probe set"),
        ("TP53", "gene symbol"),
        ("H2AC4", "gene symbol"),
        ("7SK", "gene symbol"),
        ("", "gene symbol"),
    ],
)
def test_tells_kinds_of_identifiers(name: str, kind: str) -> None:
    assert identifier_kind(name) == kind


def test_tells_dates_and_styles() -> None:
    assert all(map(is_spreadsheet_date, ["2-Sep", "1-MAR", "10-Mar", "Dec-01", "1-Sep-2024"]))
    assert not any(map(is_spreadsheet_date, ["SEPTIN2", "NKX2-1", "MAR1", "HLA-A", "1-8D"]))
    assert symbol_style(["TP53", "MDM2", "BAX"]) == "upper"
    assert symbol_style(["Trp53", "Mdm2", "Bax"]) == "title"
    assert symbol_style([]) == symbol_style(["A", "7"]) == symbol_style(["TP53", "Bax"]) == "mixed"


def test_checks_compressed_files(tmp_path: Path) -> None:
    path = tmp_path / "sets.gmt.gz"
    path.write_bytes(gzip.compress(b"\xef\xbb\xbf" + WORKED_GMT))
    assert [found.code for found in check_gene_set_file(path)] == ["byte-order-mark"]
