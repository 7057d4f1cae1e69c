"""Plain tables in all the shapes that people write them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
import zstandard

from eval_tiers.exceptions import BadInputError
from tests.unit.kg.samples import codes, read, triples

EDGES = [("CDKN1A", -1, "CDK2"), ("TP53", 1, "CDKN1A")]

SHAPES = {
    "plain": "source\ttarget\tsign\nTP53\tCDKN1A\t1\nCDKN1A\tCDK2\t-1\n",
    "no final newline": "source\ttarget\tsign\nTP53\tCDKN1A\t1\nCDKN1A\tCDK2\t-1",
    "crlf": "source\ttarget\tsign\r\nTP53\tCDKN1A\t1\r\nCDKN1A\tCDK2\t-1\r\n",
    "cr": "source\ttarget\tsign\rTP53\tCDKN1A\t1\rCDKN1A\tCDK2\t-1\r",
    "bom": "\ufeffsource\ttarget\tsign\nTP53\tCDKN1A\t1\nCDKN1A\tCDK2\t-1\n",
    "blank lines": "\nsource\ttarget\tsign\n\nTP53\tCDKN1A\t1\n   \nCDKN1A\tCDK2\t-1\n\n",
    "comments": "# by hand\nsource\ttarget\tsign\nTP53\tCDKN1A\t1\n# half\nCDKN1A\tCDK2\t-1\n",
    "commented header": "#x\n#source\ttarget\tsign\nTP53\tCDKN1A\t1\nCDKN1A\tCDK2\t-1\n",
    "excel sep": "sep=;\nSource;Target;Sign\nTP53;CDKN1A;1\nCDKN1A;CDK2;-1\n",
    "csv quoted": '"source","target","sign"\n"TP53","CDKN1A","1"\n"CDKN1A","CDK2","-1"\n',
    "semicolons": "From;To;Effect\nTP53;CDKN1A;activation\nCDKN1A;CDK2;inhibition\n",
    "bars": "gene_a|gene_b|weight\nTP53|CDKN1A|0.8\nCDKN1A|CDK2|-0.3\n",
    "other order": "MODE\tTF\tTarget Gene\nup\tTP53\tCDKN1A\ndown\tCDKN1A\tCDK2\n",
    "nodes": "Node1,Node2,Interaction\nTP53,CDKN1A,+\nCDKN1A,CDK2,-\n",
    "dotted names": "Gene.A,Gene.B,mor\nTP53,CDKN1A,1\nCDKN1A,CDK2,-1\n",
    "entities": "ENTITYA\tENTITYB\tEFFECT\nTP53\tCDKN1A\tup-regulates\nCDKN1A\tCDK2\tdown-regulates\n",
    "r row names": '"source"\t"target"\t"sign"\n"1"\t"TP53"\t"CDKN1A"\t1\n"2"\t"CDKN1A"\t"CDK2"\t-1\n',
    "pandas index": ",source,target,sign\n0,TP53,CDKN1A,1\n1,CDKN1A,CDK2,-1\n",
    "trailing tabs": "source\ttarget\tsign\t\nTP53\tCDKN1A\t1\nCDKN1A\tCDK2\t-1\t\t\n",
    "no header, sign third": "TP53\tCDKN1A\t1\nCDKN1A\tCDK2\t-1\n",
    "no header, sign second": "TP53\tactivates\tCDKN1A\nCDKN1A\tinhibits\tCDK2\n",
    "no header, more columns": "TP53,CDKN1A,+,12\nCDKN1A,CDK2,-,13\n",
    "header in other words": "who\twhom\thow\nTP53\tCDKN1A\t1\nCDKN1A\tCDK2\t-1\n",
    "lower case, blanks": "source\ttarget\tsign\n tp53 \tcdkn1a\t 1\ncdkn1a\tcdk2 \t-1\n",
    "unicode minus": "source\ttarget\tsign\nTP53\tCDKN1A\t+1\nCDKN1A\tCDK2\t\u22121\n",
    "weight beside the sign": "source,target,weight,type\nTP53,CDKN1A,0.9,activates\nCDKN1A,CDK2,0.8,inhibits\n",
    "commas in unused cells": 'source,target,sign,note\nTP53,CDKN1A,1,"a, b"\nCDKN1A,CDK2,-1,"c\nd"\n',
}


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes(tmp_path: Path, shape: str) -> None:
    assert triples(read(tmp_path, SHAPES[shape])) == EDGES


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_compressed_whatever_the_name(tmp_path: Path, pack: object) -> None:
    assert callable(pack)
    assert triples(read(tmp_path, pack(SHAPES["plain"].encode()), "kg.tsv")) == EDGES


def test_names_with_commas_and_quotes(tmp_path: Path) -> None:
    data = 'source\ttarget\tsign\n"Acid, ""weak"""\tNOS3\t1\n5\'-AMP\tB, C\t-1\nx"y\tD\t1\n'
    assert triples(read(tmp_path, data)) == [
        ("5'-AMP", -1, "B, C"),
        ('ACID, "WEAK"', 1, "NOS3"),
        ('X"Y', 1, "D"),
    ]


def test_a_source_alone_is_a_node(tmp_path: Path) -> None:
    table = read(tmp_path, "source\ttarget\tsign\nA\tB\t1\nE2F1\t\t\n")
    assert table.nodes == ["A", "B", "E2F1"]
    assert codes(table) == []


def test_without_signs_edges_are_unsigned_and_it_is_said(tmp_path: Path) -> None:
    table = read(tmp_path, "source,target\nA,B\n")
    assert triples(table) == [("A", 0, "B")]
    assert codes(table) == ["no-sign-column"]


def test_a_few_ragged_rows_are_left_out_and_said(tmp_path: Path) -> None:
    rows = [f"G{i}\tH{i}\t1\n" for i in range(60)]
    rows[10] = "torn\n"
    rows[20] = "A\tB\t1\tmore\n"
    table = read(tmp_path, "source\ttarget\tsign\n" + "".join(rows))
    assert table.edge_n == 58
    assert (table.counts.row_n, table.counts.ragged_n) == (60, 2)
    assert codes(table) == ["ragged-row"]
    assert "lines 12, 22" in table.findings[0].message


def test_lines_are_physical_ones_on_both_paths(tmp_path: Path) -> None:
    fast = read(tmp_path, "# note\n\nsource\ttarget\tsign\nA\tB\t1\n\nC\tD\tpurple\n")
    slow = read(tmp_path, "# note\n\nsource\ttarget\tsign\nA\tB\t1\n# x\nC\tD\tpurple\n")
    assert [table.findings[0].where.line for table in (fast, slow)] == [6, 6]


BAD = {
    "empty": (b"", "empty-file"),
    "blank": (b"\n \n\t\n", "empty-file"),
    "header only": (b"source\ttarget\tsign\n", "no-rows"),
    "nul bytes": (b"source\ttarget\tsign\nA\tB\t1\nC\0\tD\t1\n", "nul-byte"),
    "latin-1": ("source\ttarget\tsign\nA\tB\t1\nTNF-\xe9\tB\t1\n".encode("latin-1"), "not-utf8"),
    "utf-16": ("source\ttarget\tsign\nA\tB\t1\n".encode("utf-16"), "not-utf8"),
    "utf-16 without a mark": ("source\ttarget\tsign\nA\tB\t1\n".encode("utf-16-le"), "not-utf8"),
    "html": (b"<!DOCTYPE html>\n<html><body>Sign in</body></html>\n", "html-page"),
    "html after xml": (b'<?xml version="1.0"?>\n<html xmlns="x"></html>', "html-page"),
    "ragged": (b"source\ttarget\tsign\n" + b"A\tB\t1\nC\tD\n" * 9, "ragged-rows"),
    "prose": (b"These are my edges.\nThere are many.\n", "unknown-graph-format"),
    "other columns": (b"alpha\tbeta\n1\t2\n", "unknown-graph-format"),
    "zip": (b"PK\x03\x04 workbook", "not-a-graph-file"),
    "parquet": (b"PAR1\x15\x04\x15.", "not-a-graph-file"),
    "json": (b'{"nodes": [], "links": []}', "json-not-read"),
    "json lines": (b'["A", "B", 1]\n["B", "C", -1]\n', "json-not-read"),
    "graphml": (b'<?xml version="1.0"?><graphml></graphml>', "xml-not-read"),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_files(tmp_path: Path, kind: str) -> None:
    data, code = BAD[kind]
    with pytest.raises(BadInputError) as caught:
        read(tmp_path, data)
    assert [problem.code for problem in caught.value.problems] == [code]


def test_where_a_wrong_byte_is(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="0xe9") as caught:
        read(tmp_path, BAD["latin-1"][0])
    assert caught.value.problems[0].where.line == 3


def test_what_is_not_read_says_what_is(tmp_path: Path) -> None:
    for kind in ("json", "graphml", "prose"):
        with pytest.raises(BadInputError, match=r"read are: .*omnipath.*source"):
            read(tmp_path, BAD[kind][0])
