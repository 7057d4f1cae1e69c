"""SIF: several targets, lone nodes, tabs or blanks."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval_tiers.exceptions import BadInputError
from tests.unit.kg.samples import codes, read, triples

EDGES = [
    ("CDKN1A", -1, "CCNE1"),
    ("CDKN1A", -1, "CDK2"),
    ("TP53", 1, "CDKN1A"),
    ("TP53", 1, "MDM2"),
]
TAB = "MDM2\nTP53\tactivates\tCDKN1A\tMDM2\nCDKN1A\tinhibits\tCDK2\tCCNE1\nE2F1\n\n"


@pytest.mark.parametrize("data", [TAB, TAB.replace("\t", " "), TAB.replace("\n", "\r\n")])
@pytest.mark.parametrize("name", ["kg.sif", "kg.SIF", "kg.txt"])
def test_many_targets_and_lone_nodes(tmp_path: Path, data: str, name: str) -> None:
    table = read(tmp_path, data, name)
    assert table.format_name == "sif"
    assert triples(table) == EDGES
    assert sorted(table.nodes) == ["CCNE1", "CDK2", "CDKN1A", "E2F1", "MDM2", "TP53"]
    assert codes(table) == []


def test_blanks_in_names_where_there_are_tabs(tmp_path: Path) -> None:
    data = "valproic acid\tdown-regulates\tHDAC1\t\t\nHDAC1\tinteracts with\tSIN3A\n"
    assert triples(read(tmp_path, data, "kg.sif")) == [
        ("HDAC1", 0, "SIN3A"),
        ("VALPROIC ACID", -1, "HDAC1"),
    ]


def test_relations_pp_and_pd_are_unsigned_and_odd_ones_counted(tmp_path: Path) -> None:
    table = read(tmp_path, "A pp B\nA pd C\nA frobs D E\n", "kg.sif")
    assert {sign for _, sign, _ in triples(table)} == {0}
    assert codes(table) == ["unknown-sign"]
    assert table.findings[0].where.line == 3
    assert table.counts.unknown_sign_n == 2


def test_a_line_without_a_target(tmp_path: Path) -> None:
    good = "".join(f"A{i} activates B{i}\n" for i in range(40))
    table = read(tmp_path, good + "X activates\n", "kg.sif")
    assert codes(table) == ["ragged-row"]
    assert "line 41" in table.findings[0].message


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "empty-file"),
        (b"\n\n", "empty-file"),
        (b"# only a comment\n", "unknown-graph-format"),
        (b"A activates\nB activates\n", "ragged-rows"),
        (b"A activates B\0\n", "nul-byte"),
        ("A activates \xe9\n".encode("latin-1"), "not-utf8"),
        ("A activates B\n".encode("utf-16"), "not-utf8"),
        (b"<html></html>", "html-page"),
        (b"<graphml/>", "xml-not-read"),
        (b'{"nodes": []}', "json-not-read"),
        (b"PK\x03\x04", "not-a-graph-file"),
    ],
)
def test_bad_files(tmp_path: Path, data: bytes, code: str) -> None:
    with pytest.raises(BadInputError) as caught:
        read(tmp_path, data, "kg.sif")
    assert caught.value.problems[0].code == code
