"""Predictions read alike in every shape; whatever the bytes, only our own errors come of them."""

from __future__ import annotations

import csv
import gzip
import io
import json
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from eval_tiers.exceptions import EvalTiersError
from eval_tiers.formats.base import RecordFault
from eval_tiers.formats.registry import format_named
from eval_tiers.io.pairing import PairedRows, ProblemList, pair_rows
from eval_tiers.io.pairs import single_pair
from eval_tiers.io.prediction_files.registry import open_predictions, prediction_shapes
from eval_tiers.io.rows import parse_row, read_rows
from tests.robust.test_mutations import EDITS, edited

FIELDS = {
    "id": ("id", "sample_id"),
    "text": ("output", "prediction"),
    "evidence": ("evidence",),
    "rollout": ("rollout",),
}
KNOWN = {name for names in FIELDS.values() for name in names} | {"custom_id"}
MISSING = {"", "na", "nan", "null"}

ID = st.text(min_size=1, max_size=8).filter(lambda text: text.strip() and text not in KNOWN)
CELL = st.one_of(
    st.text(max_size=12),
    st.text(alphabet='a"\n\r,;\t| {}[]:', max_size=8),
    st.sampled_from(
        ["NA", "null", " NaN ", "up", '"', "sep=;", "=1+1", "00123", "1e999", "\ufeff"]
    ),
)
ROWS = st.lists(st.tuples(ID, CELL, CELL), max_size=5)


def read(data: bytes) -> tuple[str, list[dict[str, Any]], list[int]]:
    """Shape, records and lines of a prediction file."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "predictions"
        path.write_bytes(data)
        opened = open_predictions(path, FIELDS, Path(name))
        blocks = list(opened.blocks)
    raw = [row for block in blocks for row in block.raw]
    lines = [line for block in blocks for line in block.line.tolist()]
    return opened.shape.name, list(map(parse_row, raw)), lines


@given(
    rows=ROWS,
    delimiter=st.sampled_from(",;\t|"),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    mark=st.sampled_from(["", "\ufeff"]),
    sep=st.booleans(),
)
def test_tables(
    rows: list[tuple[str, str, str]], delimiter: str, quoting: int, mark: str, sep: bool
) -> None:
    out = io.StringIO(newline="")
    writer: Any = csv.writer(out, delimiter=delimiter, quoting=quoting)  # type: ignore[arg-type]
    lines = [0]
    for cells in [("ID", " output", "evidence"), *rows]:
        lines.append(out.getvalue().count("\n") + 1 + sep)
        writer.writerow(cells)
    head = f"sep={delimiter}\r\n" if sep else ""
    shape, found, at = read((mark + head + out.getvalue()).encode())
    assert shape == "table"
    assert at == lines[2:]
    for (sample_id, text, evidence), record in zip(rows, found, strict=True):
        assert record["id"] == sample_id.strip()
        for name, cell in (("output", text), ("evidence", evidence)):
            if not cell.strip():  # blank, which is not the same as missing
                assert record[name] == ""
            elif cell.strip().casefold() in MISSING:
                assert record.get(name) is None
            elif quoting == csv.QUOTE_ALL:
                assert record[name] == cell
            else:  # blanks before a cell without quotes aren't of it
                assert record[name].lstrip(" ") == cell.lstrip(" ")


@given(rows=ROWS, indent=st.sampled_from([None, 0, 2]), objects=st.booleans())
def test_maps(rows: list[tuple[str, str, str]], indent: int | None, objects: bool) -> None:
    """Keys may come again: the text is put together member by member."""
    members = [
        json.dumps({key: {"output": text, "evidence": more} if objects else text}, indent=indent)
        for key, text, more in rows
    ]
    text = "{" + ",".join(member.strip()[1:-1] for member in members) + "}"
    shape, found, _ = read(text.encode())
    assert shape == "json_map"
    name = "output" if objects else "prediction"
    assert [(row["id"], row[name]) for row in found] == [row[:2] for row in rows]


@given(rows=ROWS, as_array=st.booleans())
def test_replies(rows: list[tuple[str, str, str]], as_array: bool) -> None:
    replies = [
        {
            "custom_id": f"x{key}",
            "response": {"body": {"choices": [{"message": {"content": text}}]}},
        }
        for key, text, _ in rows
    ]
    if as_array:
        data = json.dumps(replies, indent=1)
    else:
        data = "".join(json.dumps(reply) + "\n" for reply in replies)
    shape, found, _ = read(data.encode())
    assert shape == "openai_batch" or not rows
    assert [(row["id"], row["output"]) for row in found] == [
        (f"x{key}".strip(), text) for key, text, _ in rows
    ]


@given(
    records=st.lists(
        st.fixed_dictionaries({"id": st.text(max_size=5), "output": CELL}), min_size=1, max_size=4
    )
)
def test_json_lines_are_left_alone(records: list[dict[str, str]]) -> None:
    data = "".join(json.dumps(record) + "\n" for record in records)
    assert read(data.encode()) == ("json_lines", records, list(range(1, len(records) + 1)))


# Spoilt files

GOLD = {
    name: [json.dumps(dict(format_named(name).example_gold) | {"id": key}) for key in "ab"]
    for name in ("perturbreason", "rr10")
}
EXAMPLES = [shape.example for shape in prediction_shapes().values()]
EXAMPLES += [
    b'id,output,evidence\na,"up,\n""down""",[]\nb,down,"[[""G"",""+"",""OSD-1""]]"\n',
    b'{"a": {"prediction": "up"}, "b": null}',
    b'{"custom_id":"a:with-evidence","response":{"choices":[{"text":"up"},{"text":"down"}]}}\n' * 2,
    b'{"custom_id":"q-0123456789abcdef0123456789abcdef","response":{"choices":[{"text":"up"}]}}\n',
]
PIECES = st.lists(
    st.sampled_from(
        [b'"', b",", b";", b"\t", b"|", b"\n", b"\r", b"sep=;\n", b"id", b"output", b"NA", b"{",
         b"}", b"[", b"]", b":", b'"custom_id":"a"', b'"response":', b'"error":', b"null", b"NaN",
         b"9" * 5000, b"\xef\xbb\xbf", b"\xff\xfe", b"\xe9", b"\x00", b"\\ud83d", b"a", b" ",
         b'"choices":', b'"body":', b'"status_code":', b"[" * 2000, b"{" * 2000, b"\x1f\x8b"]
    ),
    max_size=12,
).map(b"".join)  # fmt: skip


def check(data: bytes, benchmark_name: str, pairing: str, duplicates: str) -> None:
    """Join a prediction file with gold; what comes of it is rows, or our own error."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        gold, predictions = folder / "gold", folder / "predictions"
        gold.write_text("\n".join(GOLD[benchmark_name]), encoding="utf-8")
        predictions.write_bytes(data)
        problems = ProblemList()
        try:
            found = pair_rows(
                single_pair(gold, predictions), format_named(benchmark_name), folder, problems,
                duplicates, pairing,
            )  # fmt: skip
        except EvalTiersError as error:
            refused = error
        else:
            refused = None
        if refused is not None:
            assert refused.exit_code in (3, 4)
            assert all(problem.where.path == str(predictions) for problem in refused.problems)
            return
        if found is None:
            assert problems.total
            return
        check_rows(found, data)


def check_rows(found: PairedRows, data: bytes) -> None:
    """Every row is a record or a fault, and lies where the file has a line."""
    table = found.predictions
    assert found.ledger["rows"] == len(table)
    assert all(n > 0 for n in found.skipped.values())
    for raw in read_rows(table, np.arange(len(table))):
        with suppress(RecordFault):
            parse_row(raw)
    if not data.startswith(b"\x1f\x8b"):
        assert all(1 <= line <= data.count(b"\n") + data.count(b"\r") + 1 for line in table.line)
    assert (np.diff(table.line) >= 0).all()


RUNS = {
    "benchmark_name": st.sampled_from(sorted(GOLD)),
    "pairing": st.sampled_from(["auto", "auto", "id", "position"]),
    "duplicates": st.sampled_from(["error", "first", "last"]),
}


@given(data=st.one_of(st.binary(max_size=60), PIECES), **RUNS)
@example(data=b'id,output\na,"', benchmark_name="rr10", pairing="auto", duplicates="error")
@example(data=b'{"a": ' + b"9" * 5000, benchmark_name="rr10", pairing="auto", duplicates="error")
@example(data=b"[" + b"9" * 5000, benchmark_name="rr10", pairing="auto", duplicates="error")
@example(data=b"sep= \nid output\n", benchmark_name="rr10", pairing="auto", duplicates="error")
def test_any_bytes(data: bytes, benchmark_name: str, pairing: str, duplicates: str) -> None:
    check(data, benchmark_name, pairing, duplicates)


@given(data=st.sampled_from(EXAMPLES), edits=EDITS, more=PIECES, packed=st.booleans(), **RUNS)
def test_spoilt_files(
    data: bytes,
    edits: Any,
    more: bytes,
    packed: bool,
    benchmark_name: str,
    pairing: str,
    duplicates: str,
) -> None:
    spoilt = edited(data, edits)
    place = len(more) * 7 % (len(spoilt) + 1)
    spoilt = spoilt[:place] + more + spoilt[place:]
    check(gzip.compress(spoilt, mtime=0) if packed else spoilt, benchmark_name, pairing, duplicates)


@pytest.mark.parametrize("benchmark_name", sorted(GOLD))
@pytest.mark.parametrize("pairing", ["auto", "position"])
def test_every_cut(benchmark_name: str, pairing: str) -> None:
    """A file that ends anywhere."""
    for data in EXAMPLES:
        for end in range(len(data)):
            check(data[:end], benchmark_name, pairing, "last")
