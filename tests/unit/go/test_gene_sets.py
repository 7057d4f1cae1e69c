"""Reading GMT files."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_tiers.exceptions import BadInputError
from eval_tiers.go.gene_sets import GeneSets, parse_gmt
from eval_tiers.go.profiles import GoProfiles
from eval_tiers.io.gene_sets import read_gene_sets
from tests.unit.go.samples import HUMAN, REAL_GMT, WORKED_GMT, real_file

_REAL = sorted(path.name for path in REAL_GMT.glob("*.gmt.gz")) or [HUMAN]


def as_dict(sets: GeneSets) -> dict[str, set[str]]:
    members = np.split(sets.indices, sets.indptr[1:-1])
    return {
        name: {sets.genes[code] for code in codes.tolist()}
        for name, codes in zip(sets.set_names, members, strict=True)
    }


def test_reads_sets_sorted_and_indexed() -> None:
    sets, found = parse_gmt(b"S2\tabout two\tC\tA\nS1\t\tB\tA\n", "x.gmt")
    assert sets.set_names == ["S2", "S1"]
    assert sets.descriptions == ["about two", ""]
    assert sets.genes == ["A", "B", "C"]
    assert sets.gene_index == {"A": 0, "B": 1, "C": 2}
    assert sets.indptr.tolist() == [0, 2, 4] and sets.indptr.dtype == np.int64
    assert sets.indices.tolist() == [0, 2, 0, 1] and sets.indices.dtype == np.int32
    assert sets.set_size.tolist() == [2, 2]
    assert sets.gene_annotation_n.tolist() == [2, 1, 1]
    assert found == ()


def test_human_symbols_are_upper_cased_and_others_kept() -> None:
    data = b"S\t\tTp53\t mdm2 \n"
    assert parse_gmt(data, "x.gmt")[0].genes == ["MDM2", "TP53"]
    kept = parse_gmt(data, "x.gmt", case="keep")[0]
    assert kept.genes == ["Tp53", "mdm2"]
    assert kept.codes(["TP53", "Tp53"]).tolist() == [-1, 0]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\xef\xbb\xbfS\t\tA\tB\n", {"S": {"A", "B"}}),
        (b"S\t\tA\tB\r\nT\t\tC\tD\r\n", {"S": {"A", "B"}, "T": {"C", "D"}}),
        (b"S\t\tA\tB\rT\t\tC\tD\r", {"S": {"A", "B"}, "T": {"C", "D"}}),
        (b"# made by hand\nS\t\tA\tB\n\n  \nT\t\tC\tD", {"S": {"A", "B"}, "T": {"C", "D"}}),
        (b"S\t\tA\t\tB\t\t\n", {"S": {"A", "B"}}),
        (b"S\t\tA\tB\tA\n", {"S": {"A", "B"}}),
        (b"S\t\tA,1.0\tB,0.5\tC , -2e-3\n", {"S": {"A", "B", "C"}}),
        (b"S\t\tA\tB\nT\t\tC\nS\t\tB\tD\n", {"S": {"A", "B", "D"}, "T": {"C"}}),
        (b"S\t\tA\tB\nT\t\t\t\nU\tonly\nV\n", {"S": {"A", "B"}}),
        (b"S\t\tA\tB\n\tno name\tC\tD\n", {"S": {"A", "B"}}),
        (b"S\tA\tB\tC\nT\t\tA\tD\n", {"S": {"B", "C"}, "T": {"A", "D"}}),
        (b"[2Fe-2S] cluster\t\tA\tB\n", {"[2Fe-2S] cluster": {"A", "B"}}),
        ("S\t\u03b2\tTNF-\u03b1\tNKX2-1\n".encode(), {"S": {"TNF-\u0391", "NKX2-1"}}),
        ("S\t\tA\u2028B\tC\n".encode(), {"S": {"A\u2028B", "C"}}),
    ],
)
def test_mends_what_it_can(data: bytes, expected: dict[str, set[str]]) -> None:
    sets, _ = parse_gmt(data, "x.gmt")
    assert as_dict(sets) == expected
    assert set(sets.genes) == set().union(*expected.values())
    assert (sets.gene_annotation_n > 0).all()


def test_says_what_it_mended() -> None:
    _, found = parse_gmt(b"S\t\tA\tB\nS\t\tC\tD\nT\t\t\nU\t\tA\tB\t\n", "x.gmt")
    assert [(finding.code, finding.where.line) for finding in found] == [
        ("duplicate-set-name", 2),
        ("no-genes", 3),
        ("trailing-tab", 3),
    ]
    assert "(and 1 more of the kind)" in found[2].message


def test_warns_about_mouse_symbols_that_it_upper_cases() -> None:
    data = b"S\t\tTrp53\tMdm2\tBax\n"
    assert [found.code for found in parse_gmt(data, "x.gmt")[1]] == ["title-case-symbols"]
    assert parse_gmt(data, "x.gmt", case="keep")[1] == ()


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (b"", "empty-file", 1),
        (b"\n# nothing\n\n", "empty-file", 1),
        (b"<!DOCTYPE html>\n<html>\n\t<b>x</b>\t\n", "html-page", 1),
        (b"\n\n <HTML><head>\t\n", "html-page", 3),
        (b"<?xml version='1.0'?>\n<a/>\n", "html-page", 1),
        (b'{"S": ["A", "B"]}\n', "not-a-gmt", 1),
        (b'[\n\t"S"\n]\n', "not-a-gmt", 1),
        (b"S na A B\nT na C D\n", "spaces-instead-of-tabs", 1),
        (b"# c\nS,na,A,B\n", "not-a-gmt", 2),
        ("S\t\tA\tB\n".encode("utf-16"), "not-utf8", 1),
        ("S\t\tA\tB\n".encode("utf-16-le"), "not-utf8", 1),
        (b"S\t\tA\tB\nT\t\tA\0\tB\n", "nul-byte", 2),
        (b"S\t\tA\tB\nT\tprot\xe9ine\tA\tB\n", "not-utf8", 2),
        (b"S\tna\nT\t\t\n", "no-genes", 1),
    ],
)
def test_refuses_what_is_no_gmt(data: bytes, code: str, line: int) -> None:
    with pytest.raises(BadInputError) as caught:
        parse_gmt(data, "bad.gmt")
    (problem,) = caught.value.problems
    assert (problem.code, problem.where.path, problem.where.line) == (code, "bad.gmt", line)
    assert problem.fix


@given(
    st.binary(max_size=60) | st.text("aB\t\n\r ,.1#<", max_size=60).map(lambda text: text.encode())
)
def test_never_fails_in_another_way(data: bytes) -> None:
    try:
        sets, _ = parse_gmt(data, "fuzz.gmt")
    except BadInputError:
        return
    assert (sets.set_size > 0).all() and sets.indptr[-1] == len(sets.indices)


@given(
    st.dictionaries(
        st.text("STU123", min_size=1, max_size=5),
        st.sets(st.sampled_from("ABCDEFGH"), min_size=1),
        min_size=1,
    )
)
def test_reads_back_what_was_written(expected: dict[str, set[str]]) -> None:
    text = "".join(f"{name}\tna\t" + "\t".join(genes) + "\n" for name, genes in expected.items())
    assert as_dict(parse_gmt(text.encode(), "x.gmt")[0]) == expected


def test_order_of_lines_does_not_change_gene_codes() -> None:
    turned = b"\n".join(reversed(WORKED_GMT.strip().split(b"\n")))
    assert parse_gmt(turned, "x")[0].gene_index == parse_gmt(WORKED_GMT, "x")[0].gene_index


@pytest.mark.parametrize("name", _REAL)
def test_agrees_with_gseapy(name: str, tmp_path: Path) -> None:
    gseapy = pytest.importorskip("gseapy")
    plain = tmp_path / "real.gmt"
    plain.write_bytes(gzip.decompress(real_file(name).read_bytes()))
    sets, _ = read_gene_sets(plain, case="keep")
    expected = {key: set(genes) for key, genes in gseapy.read_gmt(str(plain)).items()}
    assert as_dict(sets) == expected


def test_reads_compressed_files(tmp_path: Path) -> None:
    path = tmp_path / "sets.gmt.gz"
    path.write_bytes(gzip.compress(WORKED_GMT))
    assert read_gene_sets(path)[0].genes == ["A", "B", "C", "D", "E"]
    path.write_bytes(gzip.compress(WORKED_GMT)[:-6])
    with pytest.raises(BadInputError, match="truncated-file"):
        read_gene_sets(path)


def test_profiles_hold_idf_weights() -> None:
    profiles = GoProfiles.from_gene_sets(parse_gmt(WORKED_GMT, "x")[0])
    half, third = np.log(5 / 2), np.log(5 / 3)
    expected = [[half, 0, 0], [half, half, 0], [0, half, third], [0, 0, third], [0, 0, third]]
    assert np.array_equal(profiles.weights.toarray(), expected)
    assert profiles.annotation_n.tolist() == [1, 2, 2, 1, 1]
    assert profiles.gene_n == 5
    assert profiles.padded.toarray()[-1].tolist() == [0, 0, 0]
