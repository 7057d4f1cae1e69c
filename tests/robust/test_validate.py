"""``validate`` on files that are cut, mangled or something else: one clear word, no traceback."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.robust.samples import Ran, run_command
from tests.unit.formats.rr10_items import control, json_lines, spoilt, trap

ITEMS = [trap(1), control(1), trap(2), control(2)]
DATA = json_lines(ITEMS)
LINES = DATA.splitlines(keepends=True)


def validated(folder: Path, data: bytes, name: str = "b.jsonl") -> tuple[Ran, dict[str, Any]]:
    path = folder / name
    path.write_bytes(data)
    ran = run_command("validate", path, "--skip-hash", "--json")
    assert "Traceback" not in ran.err
    return ran, json.loads(ran.out, parse_constant=pytest.fail) if ran.out else {}


def in_place_of_line_2(raw: bytes) -> bytes:
    return LINES[0] + raw + b"".join(LINES[2:])


BAD_LINES: list[tuple[bytes, str]] = [
    (b'{"id": \n', "bad_json"),
    (b"not json\n", "bad_json"),
    (b"[1, 2]\n", "not_an_object"),
    (b'"text"\n', "not_an_object"),
    (b"null\n", "not_an_object"),
    (b"5\n", "not_an_object"),
    (b"[" * 3000 + b"]" * 3000 + b"\n", "bad_json"),
    (b"\x00\x00\x00\n", "bad_json"),
    (b'{"id": "\xe9"}\n', "not_utf8"),
    (b'{"id": ' + b"1" * 5000 + b"}\n", "bad_json"),
    (b'{"id": 1, "id": 2}\n', "repeated_key"),
    (b'{"evidence": {"max_q": 1, "max_q": 2}}\n', "repeated_key"),
    (b'{"evidence" : {"max_q" : 1, "max_q" : 2}}\n', "repeated_key"),
    (b"\xef\xbb\xbf{}\n", "bad_json"),
]


@pytest.mark.parametrize(("raw", "code"), BAD_LINES, ids=lambda value: str(value)[:30])
def test_a_bad_line_among_good_ones_is_a_finding(tmp_path: Path, raw: bytes, code: str) -> None:
    ran, found = validated(tmp_path, in_place_of_line_2(raw))
    assert ran.code == 1
    assert [(e["code"], e["line"]) for e in found["errors"]] == [(code, 2)]
    assert found["records"] == 3


@pytest.mark.parametrize("value", [5, None, [], {}, "x", True, 0.5], ids=str)
@pytest.mark.parametrize("name", [*ITEMS[0], "evidence.datasets", "provenance.0.q"])
def test_any_type_anywhere(tmp_path: Path, name: str, value: object) -> None:
    ran, found = validated(tmp_path, json_lines([spoilt(ITEMS[0], name, value), *ITEMS[1:]]))
    if name == "provenance.0.q" and value == 0.5:
        assert [e["code"] for e in found["errors"]] == ["max_q_mismatch"]
    elif name in ("prompt", "gene") and value == "x":
        assert ran.code == 0
    else:
        assert ran.code == 1
        assert {e["line"] for e in found["errors"]} <= {1, 2}


KEPT: dict[str, Callable[[bytes], bytes]] = {
    "bom": lambda data: b"\xef\xbb\xbf" + data,
    "crlf": lambda data: data.replace(b"\n", b"\r\n"),
    "cr": lambda data: data.replace(b"\n", b"\r"),
    "blank_line": lambda data: b"\n" + data.replace(b"\n", b"\n \n"),
    "compressed": gzip.compress,
}


@pytest.mark.parametrize("code", KEPT)
def test_how_it_is_written_is_a_note(tmp_path: Path, code: str) -> None:
    ran, found = validated(tmp_path, KEPT[code](DATA))
    assert (ran.code, found["ok"], found["records"]) == (0, True, 4)
    assert found["errors"] == found["warnings"] == []
    text = run_command("validate", tmp_path / "b.jsonl", "--skip-hash").out
    assert f"Note: [{code}]" in text


def test_line_numbers_count_blank_lines(tmp_path: Path) -> None:
    _, found = validated(tmp_path, b"\n\n" + LINES[0] + b"\n" + b"[]\n" + LINES[1])
    assert [(e["code"], e["line"]) for e in found["errors"]] == [("not_an_object", 5)]


def test_line_separators_inside_a_text_are_part_of_it(tmp_path: Path) -> None:
    data = DATA.replace(b"Which way", "Which\u2028\u0085\u2029way".encode(), 1)
    ran, found = validated(tmp_path, data)
    assert (ran.code, found["records"]) == (0, 4)


def test_no_final_newline_and_a_torn_last_line(tmp_path: Path) -> None:
    assert validated(tmp_path, DATA.rstrip())[0].code == 0
    ran, found = validated(tmp_path, DATA[:-50])
    assert (ran.code, found["records"]) == (1, 3)
    assert [(e["code"], e["line"]) for e in found["errors"]] == [("bad_json", 4)]


@pytest.mark.parametrize("indent", [None, 1])
def test_one_array(tmp_path: Path, indent: int | None) -> None:
    ran, found = validated(tmp_path, json.dumps(ITEMS, indent=indent).encode())
    assert (ran.code, found["records"]) == (1, 4)
    assert [(e["code"], e["line"]) for e in found["errors"]] == [("json_array", 1)]


def test_numbers_that_are_none(tmp_path: Path) -> None:
    for word in (b"NaN", b"Infinity", b"-1e999", b"1" * 400):
        _, found = validated(tmp_path, DATA.replace(b": 1.25,", b": " + word + b",", 1))
        assert [(e["code"], e["line"]) for e in found["errors"]] == [("not_finite", 1)]


def test_surrogates_and_control_characters_are_printed_safely(tmp_path: Path) -> None:
    data = DATA.replace(b"OSDR-FRAG-00001", rb"\ud83d\u001b[31m\u202e", 1)
    ran, found = validated(tmp_path, data)
    assert ran.code == 1
    assert found["errors"][0]["code"] == "id_pattern"
    text = run_command("validate", tmp_path / "b.jsonl", "--skip-hash").out
    assert "\x1b" not in text and "\u202e" not in text


UNREADABLE: list[tuple[bytes, str]] = [
    (b"", "empty-file"),
    (b"\n \n\t\n", "empty-file"),
    (b"\xef\xbb\xbf", "empty-file"),
    (DATA.decode().encode("utf-16"), "not-utf8"),
    (DATA.decode().encode("utf-16-le"), "not-utf8"),
    (gzip.compress(DATA, mtime=0)[:-30], "truncated-file"),
    (gzip.compress(DATA, mtime=0)[:3], "truncated-file"),
    (b"PK\x03\x04" + bytes(100), "not-text"),
    (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "unknown-kind"),
    (b"hello\nworld\n", "unknown-kind"),
    (b"<!DOCTYPE html><html></html>\n", "unknown-kind"),
    (bytes(500), "nul-byte"),
]


@pytest.mark.parametrize(("data", "code"), UNREADABLE, ids=lambda value: str(value)[:30])
def test_what_is_no_json_lines_is_unreadable(tmp_path: Path, data: bytes, code: str) -> None:
    ran, _ = validated(tmp_path, data)
    assert (ran.code, ran.out, ran.codes) == (3, "", [code])
    assert "  where: " in ran.err


def test_unreadable_as_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "b.jsonl"
    path.write_bytes(b"hello\nworld\n")
    ran = run_command("validate", path, "--as", "rr10", "--skip-hash")
    assert (ran.code, ran.codes) == (3, ["not-json-lines"])


def test_what_is_not_there(tmp_path: Path) -> None:
    assert run_command("validate", tmp_path / "no.jsonl").code == 4
    assert run_command("validate", "").code == 4
    assert run_command("validate", tmp_path).code == 3
    os.mkfifo(tmp_path / "pipe")
    assert run_command("validate", tmp_path / "pipe").code == 3
    (tmp_path / "link").symlink_to("nowhere")
    assert run_command("validate", tmp_path / "link").code == 4


def test_unknown_json_says_what_it_looks_like(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"foo": 1, "bar": 2}\n')
    ran = run_command("validate", path)
    assert (ran.code, ran.codes) == (3, ["unknown-kind"])
    assert "fields: foo, bar" in ran.said
    assert "--as names one: rr10, perturbreason, gmt, kg" in ran.said


def test_a_manifest_of_any_shape(tmp_path: Path) -> None:
    (tmp_path / "benchmark.jsonl").write_bytes(DATA)
    nested: object = 1
    for _ in range(200):
        nested = {"items": nested}
    for manifest in (None, {}, {"items": None}, nested, {"datasets": {"a": [1, {}]}}, {"n": True},
                     {"contexts": [{"organism": 1}, 2, []], "sha256": ["x"], "files": [None]},
                     {"contexts": {"a::b": None}, "provenance": [1, 2]}):  # fmt: skip
        (tmp_path / "manifest.json").write_text(json.dumps(manifest))
        ran = run_command("validate", tmp_path, "--skip-hash", "--json")
        assert ran.code in (0, 1), ran.err
    (tmp_path / "manifest.json").write_bytes(b"\xff\xfe")
    (tmp_path / "schema.json").write_bytes(b"{")
    ran = run_command("validate", tmp_path, "--skip-hash", "--json")
    assert [e["code"] for e in json.loads(ran.out)["errors"]] == [
        "schema_unreadable", "manifest_unreadable"]  # fmt: skip


def test_a_long_line(tmp_path: Path) -> None:
    data = DATA.replace(b"Which way", b"w" * 5_000_000, 1)
    ran, found = validated(tmp_path, data)
    assert (ran.code, found["records"]) == (0, 4)
