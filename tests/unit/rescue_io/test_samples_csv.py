"""A samples table as it is handed over: its rows kept byte for byte, its values read as text."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from eval_tiers.exceptions import BadInputError
from eval_tiers.io.samples_csv import NEEDED, formula_safe, read_samples, render_extended

HEADER = ",".join(f'"{name}"' for name in (*NEEDED, "split"))


def row(sample_id: str, split: str = '"s"', gold: str = '"up"') -> str:
    return f'{sample_id},{gold},"down",False,"PARSE_FAIL",True,"gold.jsonl",7,{split}'


def write(path: Path, *rows: str, end: str = "\n", header: str = HEADER) -> Path:
    path.write_bytes(end.join([header, *rows, ""]).encode())
    return path


def test_values_are_text_and_an_empty_cell_is_none(tmp_path: Path) -> None:
    found = read_samples(write(tmp_path / "s.csv", row('"007"'), row("x", split="")))
    assert found.column("sample_id") == ["007", "x"]
    assert found.column("answer_correct") == ["False", "False"]
    assert found.keys() == [("007", "s", None, None), ("x", None, None, None)]
    assert found.column("no such column") == [None, None]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_columns_go_after_rows_that_stay_as_they_were(tmp_path: Path, end: str) -> None:
    odd = row('"a ""quoted"",\nname"')
    path = write(tmp_path / "s.csv", odd, row("1.0"), end=end)
    table = read_samples(path)
    out = render_extended(table, {"one": ['say "x"', None], "two": [None, "b\nc"]})
    lines = csv.reader(io.StringIO(out.decode(), newline=""))
    cells = list(lines)
    assert cells[0][-2:] == ["one", "two"]
    assert cells[1][0] == 'a "quoted",\nname'
    assert [line[-2:] for line in cells[1:]] == [['say "x"', ""], ["", "b\nc"]]
    assert odd.encode() + b',"say ""x""",' + end.encode() in out
    assert out.endswith(end.encode())


def test_a_byte_order_mark_and_blank_lines_are_no_rows(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_bytes(b"\xef\xbb\xbf" + f"{HEADER}\n\n{row('a')}\n\n".encode())
    assert read_samples(path).keys() == [("a", "s", None, None)]


def test_spreadsheet_safe_cells_are_read_without_their_mark(tmp_path: Path) -> None:
    path = write(tmp_path / "s.csv", row('"\'=A1"'), row('"\'plain"'))
    assert read_samples(path, spreadsheet_safe=True).column("sample_id") == ["=A1", "'plain"]
    assert read_samples(path).column("sample_id") == ["'=A1", "'plain"]
    assert formula_safe("=A1") == "'=A1"
    assert formula_safe("a=b") == "a=b"


@pytest.mark.parametrize(
    ("header", "code"),
    [
        (HEADER.replace('"gold_label",', ""), "missing-columns"),
        (HEADER.replace('"error_label","hard_case",', ""), "no-error-labels"),
        (f'{HEADER},"split"', "repeated-column"),
        ("sample_id;gold_label", "missing-columns"),
        ("", "missing-columns"),
    ],
)
def test_a_table_without_its_columns_is_refused(tmp_path: Path, header: str, code: str) -> None:
    with pytest.raises(BadInputError) as caught:
        read_samples(write(tmp_path / "s.csv", header=header))
    assert caught.value.problems[0].code == code


def test_a_row_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "s.csv", row("a"), row("b"), row("a", gold='"down"'))
    with pytest.raises(BadInputError, match="duplicate-row"):
        read_samples(path)
    assert len(read_samples(write(path, row("a"), row("a", split='"t"')))) == 2


def test_a_row_with_a_cell_too_many_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="bad-table"):
        read_samples(write(tmp_path / "s.csv", row("a") + ',"more"'))


def test_numbers_are_finite_or_an_error_that_names_the_sample(tmp_path: Path) -> None:
    table = read_samples(write(tmp_path / "s.csv", row("a"), row("b", split="")))
    assert table.numbers("source_line") == [7.0, 7.0]
    assert table.numbers("no such column") == [None, None]
    for cell in ('"0,5"', "nan", "inf"):
        table = read_samples(write(tmp_path / "s.csv", row("a", split=cell)))
        with pytest.raises(BadInputError, match=r"not-a-number(?s:.)*sample 'a'"):
            table.numbers("split")
