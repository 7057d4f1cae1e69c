"""Rows out of bytes, however these are cut up."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_tiers.submissions.csv_rows import CELL_CHARACTERS, LINE_BYTES, TableFault, iter_rows


def rows_of(data: bytes, size: int = 1 << 20, delimiter: str = ",") -> list[tuple[int, list[str]]]:
    pieces = [data[start : start + size] for start in range(0, len(data), size)]
    return list(iter_rows(pieces, delimiter))


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_what_is_accepted(size: int, bom: bytes, end: bytes, last: bool) -> None:
    lines = [
        "gene,n",
        '"A, ""b""",1',
        "Å\u2028\u0085x,2",
        '"two\nlines",3'.replace("\n", end.decode()),
    ]
    data = bom + end.join(line.encode() for line in lines) + (end if last else b"")
    assert rows_of(data, size) == [
        (1, ["gene", "n"]),
        (2, ['A, "b"', "1"]),
        (3, ["Å\u2028\u0085x", "2"]),
        (5, [f"two{end.decode()}lines", "3"]),
    ]


def test_blank_lines() -> None:
    assert rows_of(b"a,b\n1,2\n\n\r\n\n") == [(1, ["a", "b"]), (2, ["1", "2"])]
    assert rows_of(b"a,b\n\n1,2\n") == [(1, ["a", "b"]), (2, []), (3, ["1", "2"])]
    assert len(rows_of(b"a\n" + b"\n" * 1_000)) == 1_001
    assert rows_of(b"") == [] and rows_of(b"\xef\xbb\xbf") == [] and rows_of(b"\n") == []


def test_tabs_and_cells_that_are_formulas() -> None:
    assert rows_of(b"a\tb\n=1+1\t@x,y\n", delimiter="\t") == [
        (1, ["a", "b"]),
        (2, ["=1+1", "@x,y"]),
    ]


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (b"a,b\n1,\xe9\n", "not_utf8", 2),
        (b"a,b\n1,\xed\xa0\xbd\n", "not_utf8", 2),
        (b"a,b\n1,2\n3,\xc3", "not_utf8", 3),
        (b"a,b\n1,\0\n", "nul_byte", 2),
        (b"a,b\n1,\0\n\xff", "nul_byte", 2),
        (b"a,b\n1,\xff\0\n", "not_utf8", 2),
        (b'a,b\n"1,2\n', "malformed_csv", 2),
        (b'a,b\n"1"x,2\n', "malformed_csv", 2),
        (b"a,b\r1,2\r", "malformed_csv", 1),
        (b"a,b\n1,x\ry\n", "malformed_csv", 2),
        (b"a,b\n" + b"x" * (CELL_CHARACTERS + 1) + b",1\n", "too_wide", 2),
        (b"a,b\n1,2\n" + b"x," * (LINE_BYTES // 2 + 1), "too_wide", 3),
        (b"a,b\n1,2\n" + b'"\n",' * (LINE_BYTES // 4 + 1), "too_wide", None),
    ],
    ids=range(13),
)
@pytest.mark.parametrize("size", [1000, 1 << 24])
def test_what_is_not(data: bytes, code: str, line: int | None, size: int) -> None:
    with pytest.raises(TableFault) as fault:
        rows_of(data, size)
    assert fault.value.code == code
    assert line is None or fault.value.line == line


def test_what_fits_just() -> None:
    cell = "x" * CELL_CHARACTERS
    assert rows_of(f"a\n{cell}\n".encode())[1][1] == [cell]


def test_no_more_is_read_than_is_asked_for() -> None:
    given_n = 0

    def endless() -> Iterator[bytes]:
        nonlocal given_n
        while True:
            given_n += 1
            yield b"a,b\n" * 1000

    rows = iter_rows(endless())
    for _ in range(10):
        next(rows)
    assert given_n == 1


@given(
    st.lists(st.lists(st.text(st.characters(blacklist_characters="\0\r", blacklist_categories=["Cs"])),
                      min_size=2, max_size=4), max_size=6),
    st.integers(1, 9),
)  # fmt: skip
def test_what_csv_writes_comes_back(rows: list[list[str]], size: int) -> None:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    data = out.getvalue().encode()
    if data.startswith(b"\xef\xbb\xbf"):
        return
    assert [cells for _, cells in rows_of(data, size)] == rows


@given(st.binary(max_size=200), st.integers(1, 50))
def test_any_bytes_give_rows_or_a_fault(data: bytes, size: int) -> None:
    def outcome(size: int) -> object:
        try:
            return rows_of(data, size)
        except TableFault as fault:
            return fault.code

    found = outcome(size)
    assert isinstance(found, list) or found in {"not_utf8", "nul_byte", "malformed_csv"}
    assert isinstance(outcome(1000), list) == isinstance(found, list)
