"""Prediction files that aren't JSON Lines, whole and spoilt, through the command."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import pytest
import zstandard

from tests.robust.samples import (
    GOLD,
    ROW_N,
    TEXT,
    Row,
    all_well,
    check_counted,
    check_refused,
    evaluate_pair,
    gold_row,
    json_lines,
    prediction_row,
    without_ids,
)

ROWS: Final = [prediction_row(f"g{number}") for number in range(1, ROW_N + 1)]
BOM: Final = b"\xef\xbb\xbf"


def table(rows: Sequence[Row] = ROWS, head: str = "", **layout: Any) -> bytes:
    """Return rows as a table."""
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(rows[0]), **layout)
    writer.writeheader()
    writer.writerows(rows)
    return (head + out.getvalue()).encode()


def replies(rows: Sequence[Row] = ROWS, suffix: str = "") -> bytes:
    """Return rows as replies of a Batch API."""
    return json_lines(
        [
            {
                "id": f"batch_req_{number}",
                "custom_id": row["id"] + suffix,
                "response": {
                    "status_code": 200,
                    "body": {
                        "model": "m",
                        "choices": [
                            {
                                "index": 0,
                                "message": {"role": "assistant", "content": row["output"]},
                                "finish_reason": "stop",
                            }
                        ],
                    },
                },
                "error": None,
            }
            for number, row in enumerate(rows)
        ]
    )


def renamed(names: dict[str, str]) -> list[Row]:
    """Return the rows under other names."""
    return [{names.get(key, key): value for key, value in row.items()} for row in ROWS]


WRITTEN: Final[dict[str, Callable[[], bytes]]] = {
    "CSV": table,
    "CSV, all quoted": lambda: table(quoting=csv.QUOTE_ALL),
    "CSV with LF": lambda: table(lineterminator="\n"),
    "CSV with CR": lambda: table(lineterminator="\r"),
    "CSV, no final line end": lambda: table().rstrip(),
    "TSV": lambda: table(dialect=csv.excel_tab),
    "semicolons": lambda: table(delimiter=";"),
    "bars": lambda: table(delimiter="|"),
    "Excel": lambda: table(head="sep=;\r\n", delimiter=";"),
    "odd header": lambda: table(renamed({"id": " Sample_ID ", "output": "TEXT\t"})),
    "row names": lambda: table([{"": number, **row} for number, row in enumerate(ROWS)]),
    "line breaks in cells": lambda: table(
        [row | {"output": row["output"].replace(" ", "\r\n\n")} for row in ROWS]
    ),
    "map": lambda: json.dumps({row["id"]: row["output"] for row in ROWS}).encode(),
    "map over lines": lambda: json.dumps(
        {row["id"]: row["output"] for row in ROWS}, indent=1
    ).encode(),
    "map to objects": lambda: json.dumps(
        {row["id"]: {"text": row["output"]} for row in ROWS}, indent=4
    ).encode(),
    "map by row number": lambda: json.dumps(dict(enumerate(ROWS))).encode(),
    "Batch replies": replies,
    "Batch replies in an array": lambda: json.dumps(
        list(map(json.loads, replies().splitlines()))
    ).encode(),
    "Batch replies with evidence": lambda: replies(suffix=":with-evidence"),
}

PACKED: Final[dict[str, tuple[str, Callable[[bytes], bytes]]]] = {
    "plain": ("", lambda data: data),
    "BOM": ("", lambda data: BOM + data),
    "gzip": (".gz", lambda data: gzip.compress(BOM + data)),
    "zstd": (".zst", zstandard.ZstdCompressor().compress),
}

every_shape = pytest.mark.parametrize("write", WRITTEN.values(), ids=WRITTEN)


@every_shape
@pytest.mark.parametrize(("suffix", "pack"), PACKED.values(), ids=PACKED)
def test_every_shape_reads_alike(
    tmp_path: Path, write: Callable[[], bytes], suffix: str, pack: Callable[[bytes], bytes]
) -> None:
    name = "model_chemical.csv" + suffix
    all_well(evaluate_pair(tmp_path, GOLD, pack(write()), prediction_name=name))


@every_shape
def test_every_shape_reads_alike_in_two_processes(
    tmp_path: Path, write: Callable[[], bytes]
) -> None:
    all_well(evaluate_pair(tmp_path, GOLD, write(), "--batch-size", "2", "--jobs", "2"))


@every_shape
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf16_is_refused_by_name(
    tmp_path: Path, write: Callable[[], bytes], encoding: str
) -> None:
    data = write().decode().encode(encoding)
    ran = evaluate_pair(tmp_path, GOLD, data, prediction_name="model.csv")
    check_refused(ran, "not-utf8")
    assert "UTF-16" in ran.err
    assert "iconv" in ran.err


@every_shape
def test_a_packed_file_that_is_cut_off_is_refused(
    tmp_path: Path, write: Callable[[], bytes]
) -> None:
    data = gzip.compress(write())[:-9]
    ran = evaluate_pair(tmp_path, GOLD, data, prediction_name="model.csv.gz")
    check_refused(ran, "truncated-file")


def test_workbooks_are_refused_by_name(tmp_path: Path) -> None:
    for data in (
        b"PK\x03\x04" + bytes(26) + b"[Content_Types].xml",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    ):
        ran = evaluate_pair(tmp_path, GOLD, data)
        check_refused(ran, "not-text")
        assert "Excel workbook" in ran.err
        assert "CSV UTF-8" in ran.said


SPOILT: Final[dict[str, tuple[str, bytes]]] = {
    "no header": ("no-header", table().partition(b"\n")[2]),
    "no id": ("no-id-column", table(renamed({"id": "item"}))),
    "id twice": ("repeated-column", b"id,output,ID\ng1,x,g1\n"),
    "open quote": ("unclosed-quote", table() + b'g6,"up\r\n'),
    "rows too long": ("no-readable-row", b"id,output\n" + b"g1,x,y\n" * 3),
    "no known answer": ("unmapped-fields", b"id,says\ng1,x\n"),
    "map cut off": ("bad-json-object", WRITTEN["map"]()[:-30]),
    "map with more after it": ("bad-json-object", WRITTEN["map over lines"]() + b"\n{}"),
    "wrapper": ("records-under-a-key", json.dumps({"data": ROWS}).encode()),
    "mixed replies": ("mixed-evidence-conditions", replies(ROWS[:2]) + replies(suffix=":with-evidence")),
}  # fmt: skip


@pytest.mark.parametrize(("code", "data"), SPOILT.values(), ids=SPOILT)
def test_one_clear_error(tmp_path: Path, code: str, data: bytes) -> None:
    ran = evaluate_pair(tmp_path, GOLD, data, prediction_name="model.csv")
    check_refused(ran, code)
    assert "model.csv" in ran.err
    assert "  fix: " in ran.err


ONE_BAD_ROW: Final[dict[str, bytes]] = {
    "a cell too many": table(ROWS[:4], lineterminator="\n") + b"g5,down,x\n",
    "Latin-1": table(ROWS[:4], lineterminator="\n") + b"g5,d\xf6wn\n",
    "torn reply": replies(ROWS[:4]) + replies(ROWS[4:])[:-20],
    "log line": replies(ROWS[:4]) + b"INFO: shutting down\n",
    "reply without choices": replies(ROWS[:4])
    + b'{"custom_id": "g5", "response": {"status_code": 200, "body": {}}}\n',
    "map to a number": json.dumps({row["id"]: row["output"] for row in ROWS} | {"g5": 5}).encode(),
}


@pytest.mark.parametrize("data", ONE_BAD_ROW.values(), ids=ONE_BAD_ROW)
def test_one_row_that_cant_be_read_is_counted(tmp_path: Path, data: bytes) -> None:
    ran = evaluate_pair(tmp_path, GOLD, data, prediction_name="model.csv")
    check_counted(
        ran,
        {"scored": ROW_N - 1, "missing_prediction": 1},
        {"matched": ROW_N - 1, "unreadable": 1},
        ["unreadable-prediction"],
    )
    if not data.startswith(b'{"g1"'):
        line = len(data.splitlines())
        assert f"model.csv:{line}\n" in ran.err


def test_failed_requests_are_counted_and_score_nothing(tmp_path: Path) -> None:
    failed = b'{"custom_id": "g5", "response": null, "error": {"message": "expired"}}\n'
    ran = evaluate_pair(tmp_path, GOLD, replies(ROWS[:4]) + failed)
    check_counted(ran, {"scored": 4, "parse_failure": 1}, {"matched": ROW_N}, ["failed-requests"])
    assert "model_chemical.jsonl:5\n" in ran.err
    assert ran.summary["accuracy"] == 0.8


def test_empty_rows_are_counted(tmp_path: Path) -> None:
    ran = evaluate_pair(tmp_path, GOLD, table().rstrip() + b"\r\n,\r\n,\r\n")
    check_counted(ran, {"scored": ROW_N}, {"matched": ROW_N})
    (finding,) = ran.summary["findings"]
    assert (finding["code"], finding["level"], finding["line"]) == ("blank-rows", "note", 7)


@pytest.mark.parametrize(
    "data",
    [
        table(ROWS + ROWS[:1]),
        replies(ROWS + ROWS[:1]),
        b"{" + b",".join(json.dumps({row["id"]: row["output"]}).encode()[1:-1]
                         for row in ROWS + ROWS[:1]) + b"}",
    ],
    ids=["table", "replies", "map"],
)  # fmt: skip
def test_an_id_given_twice_is_a_duplicate_in_every_shape(tmp_path: Path, data: bytes) -> None:
    ran = evaluate_pair(tmp_path, GOLD, data)
    check_refused(ran, "duplicate-id")
    assert "'g1'" in ran.err
    ran = evaluate_pair(tmp_path, GOLD, data, "--duplicates", "first")
    check_counted(ran, {"scored": ROW_N}, {"matched": ROW_N, "duplicate_dropped": 1})


def test_several_choices_are_rollouts(tmp_path: Path) -> None:
    rows = list(map(json.loads, replies().splitlines()))
    choices = rows[0]["response"]["body"]["choices"]
    choices.append(choices[0] | {"index": 1, "message": {"content": "<answer>up</answer>"}})
    ran = evaluate_pair(tmp_path, GOLD, json_lines(rows))
    check_counted(ran, {"scored": ROW_N}, {"matched": ROW_N + 1})
    assert [row["rollout"] for row in ran.samples()] == ["0", "1", None, None, None, None]
    assert ran.summary["accuracy"] == pytest.approx(0.9)


def test_ids_of_hashes_find_their_samples(tmp_path: Path) -> None:
    from eval_tiers.texts.custom_ids import custom_id_of

    names = [f"a sample / {number}" for number in range(ROW_N)]
    gold = json_lines([gold_row(name) for name in names])
    rows = [prediction_row(custom_id_of(name, with_evidence=False)) for name in names]
    all_well(evaluate_pair(tmp_path, gold, replies(rows[::-1])))


def test_ids_stay_text(tmp_path: Path) -> None:
    names = ["00123", "123", "1e3", "NA", "1.10"]
    gold = json_lines([gold_row(name) for name in names])
    all_well(evaluate_pair(tmp_path, gold, table([prediction_row(name) for name in names[::-1]])))


def test_by_position(tmp_path: Path) -> None:
    data = table([{"output": TEXT}] * ROW_N)
    check_refused(evaluate_pair(tmp_path, GOLD, data), "no-id-column")
    all_well(evaluate_pair(tmp_path, GOLD, data, "--pair", "position"))


def test_by_position_where_gold_has_no_ids_either(tmp_path: Path) -> None:
    all_well(evaluate_pair(tmp_path, without_ids(GOLD), table([{"output": TEXT}] * ROW_N)))


def test_by_position_an_empty_cell_keeps_its_place(tmp_path: Path) -> None:
    rows = [{"output": TEXT}, {"output": ""}, {"output": "x"}, *[{"output": TEXT}] * 2]
    ran = evaluate_pair(tmp_path, GOLD, table(rows), "--pair", "position")
    check_counted(ran, {"scored": 3, "parse_failure": 2}, {"matched": ROW_N})
    assert [row["parse_failure_reason"] for row in ran.samples()] == [
        None, "empty", "no_answer_block", None, None,
    ]  # fmt: skip


@every_shape
def test_lines_are_lines_of_the_file(tmp_path: Path, write: Callable[[], bytes]) -> None:
    import pyarrow.parquet as pq

    data = write()
    ran = evaluate_pair(tmp_path, GOLD, data, prediction_name="model.csv")
    (path,) = ran.outputs.rglob("texts_*.parquet")
    rows = pq.read_table(path).to_pylist()
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    for row in rows:
        assert row["prediction_path"].endswith("model.csv")
        held = lines[row["prediction_line"] - 1]
        assert row["sample_id"].encode() in held
