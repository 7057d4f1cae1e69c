"""Registries, tables and gene lists as they come: encodings, spreadsheets, the wrong file."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from eval_tiers.exceptions import BadInputError, EvalTiersError, MissingResourceError, UsageError
from eval_tiers.io.provenance import (
    check_file_name,
    parse_gene_options,
    parse_table_options,
    read_gene_list,
    read_osd_registry,
    read_osd_table,
    read_provenance,
)
from tests.unit.kg.rr10_samples import FLY, HUMAN, MOUSE, items

COLUMNS = "SYMBOL,Log2fc_(FLT)v(GC),Adj.p.value_(FLT)v(GC)"
TABLE = f"{COLUMNS}\nSocs2,-1.5,0.01\nActb,NA,NA\n"
SOUND = {
    "plain": TABLE.encode(),
    "no final newline": TABLE.encode().rstrip(b"\n"),
    "BOM": b"\xef\xbb\xbf" + TABLE.encode(),
    "CRLF": TABLE.replace("\n", "\r\n").encode(),
    "CR": TABLE.replace("\n", "\r").encode(),
    "gzip": gzip.compress(TABLE.encode()),
    "tabs": TABLE.replace(",", "\t").encode(),
    "semicolons": TABLE.replace(",", ";").encode(),
    "sep= line": b"sep=,\n" + TABLE.encode(),
    "comment": b"# from OSDR\n" + TABLE.encode(),
    "blank lines": TABLE.replace("\n", "\n\n").encode(),
    "quotes": "\n".join(
        ",".join(f'"{cell}"' for cell in line.split(",")) for line in TABLE.split("\n") if line
    ).encode(),
    "a comma in a name": TABLE.replace("\n", ",note\n", 1).replace(".01\n", '.01,"a, b"\n')
    .replace("NA,NA\n", "NA,NA,\n").encode(),
    "U+2028 in a cell": TABLE.replace("\n", ",note\n", 1).replace(".01\n", ".01,a\u2028b\n")
    .replace("NA,NA\n", "NA,NA,\n").encode(),
    "blanks": TABLE.replace(",", " , ").encode(),
    "cells at the end": TABLE.replace("\n", ",,\n").encode(),
}  # fmt: skip


@pytest.mark.parametrize("kind", SOUND)
def test_sound_tables(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "GLDS-47_de.csv"
    path.write_bytes(SOUND[kind])
    table = read_osd_table("OSD-47", path, [MOUSE])
    (made,) = table.rows_of("Socs2")
    assert (made.log2fc, made.q, made.source_file) == (-1.5, 0.01, "GLDS-47_de.csv")
    assert [made.log2fc for made in table.rows_of("Actb")] == [None]
    assert table.gene_row_n == 2


SPOILT: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "empty-file"),
    "blank": (b"\n \n", "empty-file"),
    "web page": (b"<!DOCTYPE html><html><body>Sign in</body></html>\n", "missing-column"),
    "UTF-16": (TABLE.encode("utf-16"), "not-utf8"),
    "Latin-1": (TABLE.replace("Socs2", "Soc\xe9").encode("latin-1"), "not-utf8"),
    "NUL": (TABLE.replace("Socs2", "So\0cs2").encode(), "nul-byte"),
    "zip": (b"PK\x03\x04" + bytes(30), "not-text"),
    "half a gzip file": (gzip.compress(TABLE.encode() * 50)[:-20], "truncated-file"),
    "JSON": (b'{"SYMBOL": "Socs2"}\n', "missing-column"),
    "header alone": (COLUMNS.encode(), "no-rows"),
    "no header": (b"Socs2,-1.5,0.01\nActb,1,0.1\n", "missing-column"),
    "ragged": (TABLE.encode() + b"A,1\nB,1,2,3,4\n", "ragged-rows"),
    "decimal commas": (
        f"{COLUMNS}\nSocs2,-1.5,0.01\n".replace(",", ";").replace(".01", ",01").encode(),
        "bad-number",
    ),
    "other groups": (TABLE.replace("(GC)", "(VIV)").encode(), "no-flight-contrast"),
}


@pytest.mark.parametrize("kind", SPOILT)
def test_spoilt_tables(tmp_path: Path, kind: str) -> None:
    data, code = SPOILT[kind]
    path = tmp_path / "table.csv"
    path.write_bytes(data)
    with pytest.raises(BadInputError) as caught:
        read_osd_table("OSD-47", path, [MOUSE])
    problem = caught.value.problems[0]
    assert problem.code == code
    assert problem.where.path == str(path)
    assert problem.fix


def test_wide_tables(tmp_path: Path) -> None:
    samples = [f"Mmus_C57_LVR_{'x' * 200}_{number}" for number in range(500)]
    path = tmp_path / "table.csv"
    rows = [["SYMBOL", *samples, *COLUMNS.split(",")[1:]], ["Socs2", *["1"] * 500, "-1", "0.5"]]
    path.write_text("\n".join(map(",".join, rows)))
    assert path.stat().st_size > 1 << 16
    assert read_osd_table("OSD-47", path, [MOUSE]).rows_of("Socs2")[0].q == 0.5


@pytest.mark.parametrize("name", ["none.csv", "."])
def test_tables_that_are_not_there(tmp_path: Path, name: str) -> None:
    with pytest.raises(EvalTiersError) as caught:
        read_osd_table("OSD-47", tmp_path / name)
    assert caught.value.exit_code == (4 if name == "none.csv" else 3)


@pytest.mark.parametrize(
    "data",
    [
        b"OSD-1\nOSD-48\n",
        b"OSD-1\r\nOSD-48",
        b"\xef\xbb\xbfGLDS-1\n\nosd 048\n",
        b"accession\ttitle\nOSD-1\tRodent, research\nOSD_48\tx\n",
        b'"Study","Title"\n"OSD-1","a, b"\n"OSD-48",""\n',
        b"# all\nOSD-1;x\nGLDS-48;y\n",
        gzip.compress(b"OSD-1\nOSD-48\n", mtime=0),
        b"OSD-1\nOSD-48\nOSD-1\n",
    ],
)
def test_registries(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "registry.txt"
    path.write_bytes(data)
    assert read_osd_registry(path) == ({"OSD-1", "OSD-48"}, [])


def test_a_registry_with_odd_lines(tmp_path: Path) -> None:
    path = tmp_path / "registry.txt"
    path.write_text("OSD-1\nOSD-X\nGSE1\nOSD-2\n")
    accessions, found = read_osd_registry(path)
    assert accessions == {"OSD-1", "OSD-2"}
    assert [(finding.code, finding.where.line) for finding in found] == [("not-an-accession", 2)]
    assert found[0].message.startswith("2 lines") and "OSD-X" in found[0].message


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "empty-file"),
        (b"accession\n", "no-accession"),
        (b"1\n48\n", "no-accession"),
        (b"title\tOSD-1\n", "no-accession"),
        (b"<html>OSD-1</html>\n", "no-accession"),
        ("OSD-1\n".encode("utf-16"), "not-utf8"),
    ],
)
def test_what_is_no_registry(tmp_path: Path, data: bytes, code: str) -> None:
    path = tmp_path / "registry.txt"
    path.write_bytes(data)
    with pytest.raises(BadInputError) as caught:
        read_osd_registry(path)
    assert caught.value.problems[0].code == code


@pytest.mark.parametrize(
    "data",
    [
        b"Tp53\nACTB\n",
        b"symbol\nTP53\nactb",
        b"Gene\tid\nTP53\t1\nACTB\t2\n",
        b'"TP53",1\n"ACTB",2\n',
    ],
)
def test_gene_lists(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "genes.txt"
    path.write_bytes(data)
    assert read_gene_list(HUMAN, path) == {"TP53", "ACTB"}


def test_genes_of_other_organisms_keep_their_case(tmp_path: Path) -> None:
    path = tmp_path / "genes.txt"
    path.write_text("dl\nDl\n l(2)gl \n\n")
    assert read_gene_list(FLY, path) == {"dl", "Dl", "l(2)gl"}


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"\n", "empty-file"),
        (b"symbol\n", "no-gene"),
        (b"<html></html>", "not-a-gene-list"),
        (b'["TP53"]', "not-a-gene-list"),
        (b"TP53\0\n", "nul-byte"),
    ],
)
def test_what_is_no_gene_list(tmp_path: Path, data: bytes, code: str) -> None:
    path = tmp_path / "genes.txt"
    path.write_bytes(data)
    with pytest.raises(BadInputError) as caught:
        read_gene_list(HUMAN, path)
    assert caught.value.problems[0].code == code


def test_options() -> None:
    assert parse_table_options([]) == {}
    assert parse_table_options(["glds 048=a=b.csv", "OSD-1=c"]) == {
        "OSD-48": "a=b.csv",
        "OSD-1": "c",
    }
    assert parse_gene_options(["Mus musculus=a", "homo_sapiens=b"]) == {MOUSE: "a", HUMAN: "b"}
    for spoilt in (["OSD-48"], ["OSD-48="], ["=f"], ["OSD-X=f"], [""], ["OSD-1=a", "OSD-01=a"]):
        with pytest.raises(UsageError):
            parse_table_options(spoilt)


@pytest.mark.parametrize(
    ("name", "warned"),
    [
        ("OSD-47.csv", False),
        ("x/GLDS-47_rna_seq_differential_expression.csv", False),
        ("GLDS-048_and_OSD-47.csv", False),
        ("OSD-48/table.csv", False),
        ("GLDS-48_rna.csv", True),
        ("osd168.csv", True),
        ("de.csv", False),
    ],
)
def test_the_file_name_of_a_table(name: str, warned: bool) -> None:
    codes = [finding.code for finding in check_file_name("OSD-47", name)]
    assert codes == (["other-accession"] if warned else [])


def test_all_that_widens_a_graph(tmp_path: Path) -> None:
    (tmp_path / "OSD-47.csv").write_text(TABLE)
    (tmp_path / "registry.txt").write_text("OSD-1\nOSD-x\n")
    (tmp_path / "genes.txt").write_text("CYP4A14\nANGPTL4\n")
    graph = read_provenance(
        items(),
        {"OSD-47": tmp_path / "OSD-47.csv"},
        tmp_path / "registry.txt",
        {MOUSE: tmp_path / "genes.txt"},
    )
    assert graph.rows_of(MOUSE, "Socs2", "OSD-47")[0].log2fc == -1.5
    assert graph.knows_dataset("OSD-1") and graph.has_gene_list(MOUSE)
    assert [finding.code for finding in graph.findings] == [
        "few-genes-known",  # of the table: it lacks both of the benchmark's genes
        "not-an-accession",
        "few-genes-known",  # of the list: mouse genes in upper case
    ]


def test_a_gene_list_of_an_organism_that_a_table_has(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(f"FLYBASE{COLUMNS[6:]}\nFBgn0000001,1,0.1\n")
    (tmp_path / "genes.txt").write_text("FBgn0000001\n")
    lists = {FLY: tmp_path / "genes.txt"}
    with pytest.raises(UsageError):
        read_provenance(items(), genes=lists)
    graph = read_provenance(items(), {"OSD-900": tmp_path / "t.csv"}, genes=lists)
    assert graph.knows_gene(FLY, "FBgn0000001")


def test_a_missing_registry(tmp_path: Path) -> None:
    with pytest.raises(MissingResourceError):
        read_provenance(items(), registry=tmp_path / "none.txt")
