"""How prediction files of each shape become rows: hand-worked records, lines and counts."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eval_tiers.exceptions import BadInputError
from eval_tiers.formats.base import RecordFault
from eval_tiers.formats.registry import format_named
from eval_tiers.io.json_rows import parse_row, unreadable_row
from eval_tiers.io.pairing import PairedRows, ProblemList, pair_rows
from eval_tiers.io.pairs import single_pair
from eval_tiers.io.prediction_files.registry import open_predictions, prediction_shapes
from eval_tiers.io.prediction_files.shape import Notes, PredictionShape, json_row
from eval_tiers.io.rows import RowTableBuilder, read_rows
from eval_tiers.texts.custom_ids import custom_id_of

FIELDS = {
    "id": ("id", "sample_id", "custom_id"),
    "prediction": ("prediction", "answer", "label", "response"),
    "evidence": ("evidence", "citations"),
    "text": ("output", "text"),
    "rollout": ("rollout", "epoch"),
}
SHAPES = tuple(prediction_shapes().values())


@dataclass
class Read:
    """A prediction file, read."""

    shape: str
    rows: list[tuple[int, Any]]
    notes: Notes

    @property
    def records(self) -> list[Any]:
        return [record for _, record in self.rows]


def read(tmp_path: Path, data: bytes | str, by_position: bool = False, gold: Any = tuple) -> Read:
    """Read a file; a row that can't be read is its fault's message."""
    path = tmp_path / "predictions.txt"
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    opened = open_predictions(path, FIELDS, tmp_path, gold, by_position)
    rows: list[tuple[int, Any]] = []
    for block in opened.blocks:
        for line, raw in zip(block.line.tolist(), block.raw, strict=True):
            try:
                rows.append((line, parse_row(raw)))
            except RecordFault as fault:
                rows.append((line, fault.message))
    return Read(opened.shape.name, rows, opened.notes)


def refused(tmp_path: Path, data: bytes | str, by_position: bool = False) -> Any:
    """The one problem for which a file is refused."""
    with pytest.raises(BadInputError) as caught:
        read(tmp_path, data, by_position)
    (problem,) = caught.value.problems
    assert problem.where.path == str(tmp_path / "predictions.txt")
    assert problem.fix
    return problem


# Shapes


def test_shapes_are_found() -> None:
    assert list(prediction_shapes()) == [
        "json_array", "json_lines", "json_map", "openai_batch", "table",
    ]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: str(shape.name))
def test_example(tmp_path: Path, shape: PredictionShape) -> None:
    found = read(tmp_path, shape.example)
    assert found.shape == shape.name
    assert found.records == list(shape.example_rows)
    assert shape.title and shape.advice and shape.reference.startswith("https://")
    with pytest.raises(AttributeError):
        shape.name = "other"  # type: ignore[misc]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: str(shape.name))
def test_only_files_of_other_shapes_are_rewritten(tmp_path: Path, shape: PredictionShape) -> None:
    path = tmp_path / "p"
    path.write_bytes(shape.example)
    opened = open_predictions(path, FIELDS, tmp_path)
    builder = RowTableBuilder()
    for block in opened.blocks:
        builder.add(block)
    table = builder.build(path, tmp_path, opened.rewritten)
    in_place = shape.name in {"json_lines", "json_array"}
    assert table.rewritten is not in_place
    assert table.path == str(path)
    assert (table.data_path == str(path)) is in_place
    raw = read_rows(table, np.arange(len(table))[::-1])
    assert [json.loads(row) for row in raw] == list(shape.example_rows)[::-1]
    assert path.read_bytes() == shape.example


@pytest.mark.parametrize(
    ("data", "shape"),
    [
        (b"", "json_lines"),
        (b"\xef\xbb\xbf \n", "json_lines"),
        (b'{"id": "a", "output": "x"}', "json_lines"),
        (b'{"output": "x"}', "json_lines"),
        (b'{"a": "up"}', "json_map"),
        (b'{"a": "up"}\n{"b": "up"}\n', "json_lines"),
        (b"{}", "json_map"),
        (b"{\n}\n", "json_map"),
        (b'{"id": "a", "outp\n{"id": "b", "output": "x"}\n', "json_lines"),
        (b'{"doc": 1, "id": "a", "outp\n{"doc": 2, "id": "b", "output": "x"}\n', "json_lines"),
        (b'{"doc": None, "id": "a"}\n{"doc": None, "id": "b"}\n', "json_lines"),
        (b'{\n"id": "a",\n"output": "x"}\n', "json_lines"),
        (b'{\n"a": {"output": "x",\n"evidence": [\n{"gene": "G"}\n]}}\n', "json_map"),
        (b"\xef\xbb\xbf[]", "json_array"),
        (b"id,output\n", "table"),
        (b"output\n", "table"),
        (b"a,up\n", "table"),
        (b'2026, starting\n{"id": "a", "output": "x"}\n', "json_lines"),
        (b"<html>, x\n", "json_lines"),
        (b"\x01\tid\tx\n", "json_lines"),
        (b'{"custom_id": "a", "response": "up"}\n', "json_lines"),
        (b'{"custom_id": "a", "response": {"prediction": "up"}}\n', "json_lines"),
        (b'{"custom_id": "a", "response": {"body": null}}\n', "openai_batch"),
        (b'log\n{"custom_id": "a", "response": null, "error": "x"}\n', "openai_batch"),
        (b'[{"custom_id": "a", "response": {"choices": []}}]', "openai_batch"),
    ],
)
def test_shape_is_told_from_the_file(tmp_path: Path, data: bytes, shape: str) -> None:
    (tmp_path / "p.csv").write_bytes(data)
    assert open_predictions(tmp_path / "p.csv", FIELDS, tmp_path).shape.name == shape


def test_a_first_line_of_megabytes_is_still_a_line(tmp_path: Path) -> None:
    long = json.dumps({"doc": "x" * 3_000_000, "id": "a", "output": "up"})
    found = read(tmp_path, long + '\n{"id": "b", "output": "up"}\n')
    assert (found.shape, len(found.rows)) == ("json_lines", 2)
    big = json.dumps({f"q{n}": "up" for n in range(200_000)})
    assert len(big) > 2_000_000
    found = read(tmp_path, big)
    assert (found.shape, found.records[-1]) == ("json_map", {"id": "q199999", "prediction": "up"})


def test_what_stands_for_an_unreadable_row() -> None:
    with pytest.raises(RecordFault, match=r"^the row has 4 cells$") as caught:
        parse_row(unreadable_row("the row has 4 cells"))
    assert caught.value.code == "bad-row"


def test_what_is_nested_too_deep_is_an_unreadable_row() -> None:
    nested: list[Any] = []
    for _ in range(10_000):
        nested = [nested]
    assert json_row({"id": "a", "output": [1]}) == b'{"id":"a","output":[1]}'
    with pytest.raises(RecordFault, match=r"^nested too deep$"):
        parse_row(json_row({"id": "a", "output": nested}))


# Tables


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("sep", [False, True])
def test_delimiters(tmp_path: Path, delimiter: str, mark: str, sep: bool) -> None:
    lines = [" ID ", "Prediction"], ["00123", "up"], ["1e3", "down"], ["1.10", "x"]
    text = "".join(delimiter.join(cells) + "\r\n" for cells in lines)
    found = read(tmp_path, mark + (f"sep={delimiter}\r\n" if sep else "") + text)
    assert found.shape == "table"
    assert found.rows == [
        (2 + sep, {"id": "00123", "prediction": "up"}),
        (3 + sep, {"id": "1e3", "prediction": "down"}),
        (4 + sep, {"id": "1.10", "prediction": "x"}),
    ]


@pytest.mark.parametrize("sep", ['"sep=;"', "SEP=;", "sep=;;;", "\nsep=;"])
def test_sep_line_goes_before_what_the_header_looks_like(tmp_path: Path, sep: str) -> None:
    found = read(tmp_path, sep + "\nid;output,text\na;up, or down\n")
    assert found.records == [{"id": "a", "output,text": "up, or down"}]
    problem = refused(tmp_path, "sep=#\nid,output\na,up\n")
    assert (problem.code, problem.where.line) == ("no-header", 2)


def test_missing_values_are_no_values(tmp_path: Path) -> None:
    text = (
        'id,prediction,answer,label\nNA,NA,nan,up\nnull,Null,down,\n, NaN ,"",up\nb,up,"NA",N/A\n'
    )
    found = read(tmp_path, text)
    assert found.records == [
        {"id": "NA", "label": "up"},
        {"id": "null", "answer": "down", "label": ""},
        {"answer": "", "label": "up"},
        {"id": "b", "prediction": "up", "label": "N/A"},
    ]


def test_a_row_that_answers_nothing_says_so(tmp_path: Path) -> None:
    found = read(tmp_path, "id,output,rollout,note\na,NA,1,x\nb,,,\n")
    assert found.records == [
        {"id": "a", "output": None, "rollout": "1", "note": "x"},
        {"id": "b", "output": ""},
    ]


def test_row_names_of_r_are_no_ids(tmp_path: Path) -> None:
    text = '"","id","output"\n"1","a","up"\n"2","b","down"\n'
    assert read(tmp_path, text).records == [
        {"id": "a", "output": "up"},
        {"id": "b", "output": "down"},
    ]
    assert refused(tmp_path, '"","output"\n"1","up"\n').code == "no-id-column"


def test_empty_rows_are_counted(tmp_path: Path) -> None:
    text = "id;output\n;;\na;up\n \n\n;\nb;down\n;\n"
    found = read(tmp_path, text)
    assert found.rows == [
        (3, {"id": "a", "output": "up"}),
        (7, {"id": "b", "output": "down"}),
    ]
    assert found.notes.skipped == {"blank_rows": 4}
    (finding,) = found.notes.findings
    assert (finding.code, finding.level, finding.where.line) == ("blank-rows", "note", 2)


def test_by_position_an_empty_row_keeps_its_place(tmp_path: Path) -> None:
    found = read(tmp_path, 'output\nup\n""\n""\ndown\n""\n', by_position=True)
    assert found.rows == [
        (2, {"output": "up"}),
        (3, {"output": None}),
        (4, {"output": None}),
        (5, {"output": "down"}),
    ]
    assert found.notes.skipped == {"blank_rows": 1}


def test_quoted_cells(tmp_path: Path) -> None:
    text = (
        'id,output,evidence\r\na,"up,\r\nsaid ""it"";\n\nso","[[""G"", ""+"", ""OSD-1""]]"\r\n'
        'b, "down", {"gene": 5}\r\nc,5" nails,x\r\n'
    )
    assert read(tmp_path, text).rows == [
        (2, {"id": "a", "output": 'up,\r\nsaid "it";\n\nso', "evidence": '[["G", "+", "OSD-1"]]'}),
        (6, {"id": "b", "output": "down", "evidence": '{"gene": 5}'}),
        (7, {"id": "c", "output": '5" nails', "evidence": "x"}),
    ]


def test_rows_of_another_width(tmp_path: Path) -> None:
    found = read(tmp_path, "id,output,note\na\nb,up,x,y\nc,up,x,\nd,up,x\n")
    assert found.rows == [
        (2, {"id": "a", "output": None}),
        (3, "the row has 4 cells, the header has 3"),
        (4, {"id": "c", "output": "up", "note": "x"}),
        (5, {"id": "d", "output": "up", "note": "x"}),
    ]


def test_a_row_in_another_encoding_is_one_faulty_row(tmp_path: Path) -> None:
    found = read(tmp_path, b'id,output\na,"up\nor \xe9,"\nb,down\n')
    assert found.rows == [
        (2, "not UTF-8: byte 0xe9 at column 4 of line 3"),
        (4, {"id": "b", "output": "down"}),
    ]


def test_a_stray_carriage_return_is_one_faulty_row(tmp_path: Path) -> None:
    found = read(tmp_path, b"id,output\na,up\rdown\nb,down\n")
    assert found.rows == [
        (2, "not a row of a table: a line break (CR) outside quotes"),
        (3, {"id": "b", "output": "down"}),
    ]


def test_carriage_returns_alone_end_lines(tmp_path: Path) -> None:
    found = read(tmp_path, b'id,output\ra,"up\ror"\rb,down\r')
    assert found.rows == [(2, {"id": "a", "output": "up\ror"}), (4, {"id": "b", "output": "down"})]


def test_line_separators_end_no_lines(tmp_path: Path) -> None:
    found = read(tmp_path, "id,output\na,up\u2028x\u0085\x0cy\nb,z\n")
    assert found.rows == [(2, {"id": "a", "output": "up\u2028x\u0085\x0cy"}),
                          (3, {"id": "b", "output": "z"})]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('id,output\na,"up\nb,down\n', 2),
        ('id,output\na,"x ""\n y""","\nb,down\n', 3),
        ('id,output\na,"x ""\n y""",z\nb,"""', 4),
        ('id,output\na,up\n"', 3),
        ('id,"output\na,up\n', 1),
        ('sep=,\nid,output\n\na, "up\n\n\n', 4),
        ('id,output\ra,"up\rb,down\r', 2),
    ],
)
def test_a_quote_that_is_never_closed(tmp_path: Path, text: str, line: int) -> None:
    problem = refused(tmp_path, text)
    assert (problem.code, problem.where.line) == ("unclosed-quote", line)


def test_an_open_quote_does_not_take_the_whole_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eval_tiers.io.prediction_files.table_lines.MOST_IN_A_ROW", 1 << 20)
    problem = refused(tmp_path, 'id,output\na,"up\n' + "b,down\n" * 200_000 + '"\n')
    assert "not closed within 1 MB" in problem.message
    assert problem.where.line == 2


def test_a_cell_of_megabytes(tmp_path: Path) -> None:
    found = read(tmp_path, "id,output\na," + "x" * 5_000_000 + "\nb,up\n")
    assert [len(record["output"]) for record in found.records] == [5_000_000, 2]


@pytest.mark.parametrize("text", ["id,output,ID\n", "id,output,Output \n", "id,id\n"])
def test_a_name_that_is_read_is_given_twice(tmp_path: Path, text: str) -> None:
    assert refused(tmp_path, text + "a,b,c\n").code == "repeated-column"


def test_a_name_that_is_not_read_may_come_twice(tmp_path: Path) -> None:
    found = read(tmp_path, "note,id,Note,output\nx,a,y,up\n")
    assert found.records == [{"id": "a", "note": "x", "output": "up"}]


def test_the_first_id_column_with_a_value_counts(tmp_path: Path) -> None:
    found = read(tmp_path, "custom_id,sample_id,output\nx,a,up\ny,,down\n")
    assert found.records == [{"id": "a", "output": "up"}, {"id": "y", "output": "down"}]


def test_no_id_column(tmp_path: Path) -> None:
    problem = refused(tmp_path, "Item,output\na,up\n")
    assert problem.code == "no-id-column"
    assert "'Item', 'output'" in problem.message
    assert "--pair position" in problem.fix
    found = read(tmp_path, "Item,output\na,up\n", by_position=True)
    assert found.records == [{"item": "a", "output": "up"}]


def test_no_header(tmp_path: Path) -> None:
    problem = refused(tmp_path, "\nOSDR-FRAG-00001;up\nOSDR-CTRL-00001;down\n")
    assert (problem.code, problem.where.line) == ("no-header", 2)
    assert "'OSDR-FRAG-00001', 'up'" in problem.message


def test_a_header_alone_is_no_rows(tmp_path: Path) -> None:
    assert read(tmp_path, "id,output\n").rows == []


# Maps


def test_map(tmp_path: Path) -> None:
    text = """{
 "a": "up", "a": null,
 "b": {"output": "down", "epoch": 2},
 "c": {},

 "d\\ud83d": NaN, "1": 5, "e": ["up", "down"]
}
"""
    found = read(tmp_path, text)
    nan = found.rows.pop(4)
    assert nan[1]["id"] == "d\ud83d" and nan[1]["prediction"] != nan[1]["prediction"]
    assert found.rows == [
        (2, {"id": "a", "prediction": "up"}),
        (2, {"id": "a", "prediction": None}),
        (3, {"id": "b", "output": "down", "epoch": 2}),
        (4, {"id": "c"}),
        (6, {"id": "1", "prediction": 5}),
        (6, {"id": "e", "prediction": ["up", "down"]}),
    ]


def test_a_key_twice_within_a_value_is_a_faulty_row(tmp_path: Path) -> None:
    path = tmp_path / "p"
    path.write_text('{"a": {"output": "x", "output": "y"}}', encoding="utf-8")
    (block,) = open_predictions(path, FIELDS, tmp_path).blocks
    with pytest.raises(RecordFault, match="'output' is given twice"):
        parse_row(block.raw[0], strict=True)


def test_values_that_have_an_id_keep_it(tmp_path: Path) -> None:
    text = '{"0": {"id": "a", "output": "x"}, "b": {"id": null, "output": "y"}}'
    assert read(tmp_path, text).records == [
        {"id": "a", "output": "x"},
        {"id": "b", "output": "y"},
    ]


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ('{"a": "up",\n"b": "do', "bad-json-object", 2),
        ('{"a": "up",\n"b": "down"', "bad-json-object", 2),
        ('{"a": "up",\n"b" "down"}', "bad-json-object", 2),
        ('{"a": "up"\n"b": "down"}', "bad-json-object", 2),
        ('{"a": "up",\n\nb: "down"}', "bad-json-object", 3),
        ('{"a": "up",\n5: "down"}', "bad-json-object", 2),
        ('{\n"a": "up"}\nx', "bad-json-object", 2),
        ('{\n"a": ' + "[" * 100_000, "bad-json-object", 2),
        ('{\n"a": ' + "9" * 5000 + "}", "bad-json-object", 2),
        ('{\n"question": "?",\n"id": "a"}', "record-over-lines", 3),
        ('{\n"model": "m",\n"predictions": [{"id": "a"}]}', "records-under-a-key", 3),
        (b'{\n"a": "\xe9"}', "not-utf8", 2),
    ],
)
def test_what_is_no_map(tmp_path: Path, text: bytes | str, code: str, line: int) -> None:
    problem = refused(tmp_path, text)
    assert (problem.code, problem.where.line) == (code, line)


def test_a_broken_array_with_endless_digits_is_refused(tmp_path: Path) -> None:
    assert refused(tmp_path, "[" + "9" * 5000 + "]").code == "bad-json-array"


# Replies of a Batch API


def reply(custom_id: str, *contents: object, **message: object) -> dict[str, Any]:
    """Return a row of a Batch API's output, a choice a content."""
    choices = [
        {"index": index, "message": {"content": content, **message}, "finish_reason": "stop"}
        for index, content in enumerate(contents)
    ]
    body = {"model": "m", "choices": choices}
    response = {"status_code": 200, "request_id": "r", "body": body}
    return {"id": "x", "custom_id": custom_id, "response": response, "error": None}


def batch(*rows: dict[str, Any] | bytes) -> bytes:
    return b"".join(
        row if isinstance(row, bytes) else json.dumps(row).encode() + b"\n" for row in rows
    )


ENDS = {"finish_reason": "stop", "model": "m"}


def test_replies(tmp_path: Path) -> None:
    parts = [
        {"type": "thinking", "thinking": "down?"},
        {"type": "text", "text": "up"},
        {"type": "output_text", "text": "!"},
    ]
    old = {"custom_id": "d", "response": {"choices": [{"message": {"content": "up"}}]}}
    data = batch(
        reply("a", "up"),
        reply("b", "up", "down"),
        reply("c", parts),
        old,
        {"custom_id": "e", "response": "up"},
        {"custom_id": "f", "response": {"body": {"choices": [{"text": "up"}]}}, "error": {}},
        reply("g\ud83d", "x\ud83d"),
    )
    found = read(tmp_path, data)
    assert found.rows == [
        (1, {"id": "a", "output": "up", **ENDS}),
        (2, {"id": "b", "output": "up", "rollout": 0, **ENDS}),
        (2, {"id": "b", "output": "down", "rollout": 1, **ENDS}),
        (3, {"id": "c", "output": "up!", **ENDS}),
        (4, {"id": "d", "output": "up"}),
        (5, {"id": "e", "output": "up"}),
        (6, {"id": "f", "output": "up"}),
        (7, {"id": "g\ud83d", "output": "x\ud83d", **ENDS}),
    ]
    assert (found.notes.skipped, found.notes.findings) == ({}, [])
    assert found.notes.evidence_shown is False


def test_reasoning_is_kept_where_there_is_no_content(tmp_path: Path) -> None:
    data = batch(
        reply("a", None, reasoning_content="up"),
        reply("b", " ", reasoning="up"),
        reply("c", "down", reasoning="up"),
        reply("d", None, reasoning=None),
    )
    assert read(tmp_path, data).records == [
        {"id": "a", "output": None, "reasoning_content": "up", **ENDS},
        {"id": "b", "output": " ", "reasoning_content": "up", **ENDS},
        {"id": "c", "output": "down", **ENDS},
        {"id": "d", "output": None, **ENDS},
    ]


FAILED = {
    "429": ({"status_code": 429, "body": {"error": {"message": "limit", "code": "rate"}}}, None,
            "rate: limit"),
    "expired": (None, {"code": "batch_expired", "message": "late"}, "batch_expired: late"),
    "error is a text": ({"status_code": 400, "body": None}, "too long", "too long"),
    "empty error": ({"status_code": 500, "body": {"error": {"message": "server"}}},
                    {"code": "", "message": ""}, "server"),
    "status alone": ({"status_code": 503, "body": {}}, None, "HTTP status 503"),
    "no body": ({"status_code": 200, "body": None}, None, "HTTP status 200, without a body"),
    "nothing": (None, None, "no response"),
    "vLLM": ({"status_code": 200, "body": {"object": "error", "message": "bad", "code": 400}},
             None, "400: bad"),
    "old vLLM": ({"object": "error", "message": "bad", "status_code": 200}, None, "bad"),
}  # fmt: skip


@pytest.mark.parametrize(("response", "error", "message"), FAILED.values(), ids=FAILED)
def test_a_failed_request_is_a_row_without_text(
    tmp_path: Path, response: Any, error: Any, message: str
) -> None:
    row = {"custom_id": "b", "response": response, "error": error}
    found = read(tmp_path, batch(reply("a", "up"), row, row))
    assert found.records[1:] == [{"id": "b", "output": None}] * 2
    assert found.notes.skipped == {"failed_requests": 2}
    (finding,) = found.notes.findings
    assert (finding.code, finding.where.line) == ("failed-requests", 2)
    assert finding.message.startswith("2 request(s) failed")
    assert finding.message.endswith(f"the first: {message}")


def test_rows_that_are_no_replies(tmp_path: Path) -> None:
    data = batch(
        b"INFO starting\n",
        reply("a", "up"),
        b'{"level": "info"}\n',
        {"custom_id": "b", "response": {"status_code": 200, "body": {"choices": []}}},
        {"custom_id": "c", "response": {"status_code": 200, "body": {"choices": [5]}}},
        reply("e", {"answer": "up"}),
        b'{"custom_id": "d", "resp',
    )
    found = read(tmp_path, data)
    assert [line for line, _ in found.rows] == [1, 2, 3, 4, 5, 6, 7]
    messages = [record for record in found.records if isinstance(record, str)]
    assert messages[0].startswith("not JSON")
    assert messages[1] == "the row has no custom_id, others of the file have"
    assert messages[2] == "the response holds no choices"
    assert messages[3] == "choice 1 of the response holds no message"
    assert messages[4] == "the reply's content is a dict, no text"
    assert messages[5].startswith("not JSON")


def test_ids_with_evidence(tmp_path: Path) -> None:
    data = batch(reply("a:with-evidence", "up"), reply("b:with-evidence", "down"))
    found = read(tmp_path, data)
    assert [record["id"] for record in found.records] == ["a", "b"]
    assert found.notes.evidence_shown is True


def test_evidence_conditions_are_never_mixed(tmp_path: Path) -> None:
    problem = refused(tmp_path, batch(reply("a", "up"), b"x\n", reply("a:with-evidence", "up")))
    assert (problem.code, problem.where.line) == ("mixed-evidence-conditions", 3)
    assert "'a' (line 1) is without, 'a:with-evidence' with evidence" in problem.message


@pytest.mark.parametrize("with_evidence", [False, True])
def test_hashed_ids_are_looked_up_among_the_gold_ids(tmp_path: Path, with_evidence: bool) -> None:
    asked: list[int] = []

    def gold() -> list[str]:
        asked.append(1)
        return ["a", "a b", "x" * 300]

    ids = [custom_id_of(name, with_evidence) for name in ("x" * 300, "a", "a b", "not gold")]
    found = read(tmp_path, batch(*(reply(name, "up") for name in ids)), gold=gold)
    assert [record["id"] for record in found.records] == ["x" * 300, "a", "a b", ids[3]]
    assert asked == [1]
    read(tmp_path, batch(reply(custom_id_of("a", with_evidence), "up")), gold=gold)
    assert asked == [1]


# The join


GOLD = b"".join(
    json.dumps({"id": name, "answer": "up", "question": "?"}).encode() + b"\n" for name in "abc"
)


def paired(tmp_path: Path, data: bytes, **options: str) -> tuple[PairedRows | None, ProblemList]:
    gold, predictions, problems = tmp_path / "gold", tmp_path / "predictions", ProblemList()
    gold.write_bytes(GOLD)
    predictions.write_bytes(data)
    benchmark = format_named("perturbreason")
    found = pair_rows(single_pair(gold, predictions), benchmark, tmp_path, problems, **options)
    return found, problems


def test_join_of_replies(tmp_path: Path) -> None:
    error = {"custom_id": "c:with-evidence", "response": None, "error": "x"}
    data = batch(reply("b:with-evidence", "up"), b"log\n", error)
    found, _ = paired(tmp_path, data)
    assert found is not None
    assert found.prediction_shape == "openai_batch"
    assert found.evidence_shown is True
    assert found.skipped == {"failed_requests": 1}
    assert [finding.code for finding in found.findings] == [
        "failed-requests",
        "unreadable-prediction",
    ]
    assert found.match.tolist() == [0, 2]
    assert found.start.tolist() == [0, 0, 1, 2]
    assert found.predictions.rewritten
    assert found.predictions.line.tolist() == [1, 2, 3]


def test_join_of_a_map_with_an_id_twice(tmp_path: Path) -> None:
    data = b'{"a": "up",\n "b": "up",\n "a": "down"}'
    found, problems = paired(tmp_path, data)
    assert found is None
    (problem,) = problems.kept
    assert (problem.code, problem.where.line) == ("duplicate-id", 3)
    assert "lines 1 and 3" in problem.message
    found, _ = paired(tmp_path, data, duplicates="last")
    assert found is not None
    assert found.match.tolist() == [2, 1]


def test_join_of_json_lines_is_as_ever(tmp_path: Path) -> None:
    found, _ = paired(tmp_path, b'{"id": "a", "output": "up"}\n')
    assert found is not None
    assert (found.prediction_shape, found.evidence_shown, found.skipped) == ("json_lines", None, {})
    assert not found.predictions.rewritten
    assert found.predictions.data_path == str(tmp_path / "predictions")


def test_join_of_a_table_without_ids(tmp_path: Path) -> None:
    data = b"output\nup\ndown\nup\n"
    with pytest.raises(BadInputError) as caught:
        paired(tmp_path, data)
    assert caught.value.problems[0].code == "no-id-column"
    found, _ = paired(tmp_path, data, pairing="position")
    assert found is not None
    assert found.match.tolist() == [0, 1, 2]
