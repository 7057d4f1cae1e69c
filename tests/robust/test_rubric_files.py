"""Rubric files that were spoilt: one clear error or a listed row, never a traceback or a number."""

from __future__ import annotations

import gzip
import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eval_tiers.exceptions import MissingResourceError
from eval_tiers.io.rubric_reports import find_reports, names_of
from eval_tiers.rubrics.tasks import parse_task
from tests.e2e.running import Done, in_process
from tests.rubric_rows import row, rows, task

DATA = [task("r1", [5, 3, -4]), task("r2", [5, 3, -4])]
ROWS = rows("r1", "SSN", [5, 3, -4]) + rows("r2", "SNN", [5, 3, -4])


def lines(records: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(one) + "\n" for one in records).encode()


def run(folder: Path, *arguments: object) -> Done:
    done = in_process(*arguments, folder=folder)
    assert done.returncode in (0, 1, 2, 3, 4), done.stderr
    assert "Traceback" not in done.stderr
    return done


SPOILT: dict[str, tuple[Callable[[bytes], bytes], int, str]] = {
    "empty": (lambda data: b"", 3, "empty-file"),
    "blank lines": (lambda data: b"\n \n\r\n", 3, "empty-file"),
    "UTF-16": (lambda data: data.decode().encode("utf-16"), 3, "not-utf8"),
    "a zip archive": (lambda data: b"PK\x03\x04" + data, 3, "not-text"),
    "NUL bytes": (lambda data: b"\0" * 400 + data, 3, "nul-byte"),
    "gzip cut off": (lambda data: gzip.compress(data)[:-9], 3, ""),
    "a web page": (lambda data: b"<!doctype html>\n<p>x</p>\n", 3, "bad-json"),
    "an array cut off": (lambda data: b"[" + data.replace(b"\n", b",\n")[:-2], 3, ""),
    "a number": (lambda data: b"17\n", 3, "not-an-object"),
    "the other file": (lambda data: b'{"id": "x", "answer": "up"}\n', 3, ""),
    "pretty-printed": (lambda data: json.dumps(json.loads(data.split(b"\n")[0]), indent=1).encode(), 3, "bad-json"),
}  # fmt: skip


@pytest.mark.parametrize("fault", SPOILT)
@pytest.mark.parametrize("which", ["results", "data", "labels"])
def test_files_that_cannot_be_read(tmp_path: Path, fault: str, which: str) -> None:
    spoil, code, said = SPOILT[fault]
    files = {"results": lines(ROWS), "data": lines(DATA), "labels": lines(ROWS)}
    files[which] = spoil(files[which])
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    if which == "labels":
        done = run(tmp_path, "rubrics", "agree", "results", "labels", "--data", "data")
        said = (
            ""
            if fault in ("a web page", "a number", "an array cut off", "the other file")
            else said
        )
    else:
        done = run(tmp_path, "rubrics", "score", "results", "--data", "data", "-o", "out")
        assert not (tmp_path / "out").exists()
    assert done.returncode == code, done.stderr
    assert said in done.stderr
    assert which in done.stderr
    if which == "data":
        (tmp_path / "reports").mkdir()
        assert run(tmp_path, "rubrics", "validate", "data", "reports").returncode == code


def test_what_is_read_as_it_is(tmp_path: Path) -> None:
    plain = lines(ROWS)
    forms = {
        "bom": b"\xef\xbb\xbf" + plain, "crlf": plain.replace(b"\n", b"\r\n"),
        "cr": plain.replace(b"\n", b"\r"), "no-final": plain.rstrip(b"\n"),
        "gz": gzip.compress(plain), "array": json.dumps(ROWS).encode(),
        "blank": b"\n\n" + plain.replace(b"\n", b"\n\n"),
    }  # fmt: skip
    (tmp_path / "data").write_bytes(lines(DATA))
    for name, data in forms.items():
        (tmp_path / name).write_bytes(data)
        done = run(tmp_path, "rubrics", "score", name, "--data", "data", "--json")
        samples = json.loads(done.stdout)["samples"]
        assert [one["compliance_score"] for one in samples] == [1.0, 0.625], name


def test_a_torn_last_line_is_listed_and_leaves_its_sample_without_a_score(tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(lines(DATA))
    (tmp_path / "results").write_bytes(lines(ROWS)[:-30])
    found = json.loads(
        run(tmp_path, "rubrics", "score", "results", "--data", "data", "--json").stdout
    )
    assert [one["compliance_score"] for one in found["samples"]] == [1.0, None]
    assert found["coverage"]["unreadable_row_n"] == 1
    assert [one["line"] for one in found["rejected_rows"]] == [6]


@pytest.mark.parametrize(
    ("change", "value", "code"),
    [
        ("success", "false", "bad-success"), ("success", "true", "bad-success"),
        ("success", None, "bad-success"), ("success", 1, "bad-success"),
        ("score", "1.0", "bad-score"), ("score", None, "no-score"), ("score", 0.5, "score-not-of-verdict"),
        ("verdict", "not satisfied", "score-not-of-verdict"), ("verdict", "met", "unknown-verdict"), ("verdict", None, "unknown-verdict"),
        ("verdict", "Partially Satisfied", "verdict-not-in-scale"),
        ("rubric_title", "another", "title-not-of-rubric"),
        ("rubric_index", "1", "bad-rubric-index"), ("rubric_index", -1, "bad-rubric-index"),
    ],
)  # fmt: skip
def test_rows_that_are_rejected(tmp_path: Path, change: str, value: Any, code: str) -> None:
    (tmp_path / "data").write_bytes(lines(DATA))
    spoilt = [dict(one) for one in ROWS]
    spoilt[1][change] = value
    (tmp_path / "results").write_bytes(lines(spoilt))
    found = json.loads(
        run(tmp_path, "rubrics", "score", "results", "--data", "data", "--json").stdout
    )
    assert [one["compliance_score"] for one in found["samples"]] == [None, 0.625]
    assert [one["code"] for one in found["rejected_rows"]] == [code]
    (pair,) = found["unscored_pairs"]
    assert (pair["sample_id"], pair["rubric_index"], pair["state"]) == ("r1", 1, "rejected")


def test_a_row_without_a_usable_place_is_not_left_out_of_its_sample(tmp_path: Path) -> None:
    spoilt = [dict(one) for one in ROWS]
    spoilt[1]["rubric_index"] = "1"
    (tmp_path / "results").write_bytes(lines(spoilt))
    found = json.loads(run(tmp_path, "rubrics", "score", "results", "--json").stdout)
    assert [one["compliance_score"] for one in found["samples"]] == [None, 0.625]
    assert found["coverage"]["pairs"]["rejected"] == 1


def test_the_field_of_a_bad_id_is_named(tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(lines([DATA[0] | {"sample_id": 7.5}]))
    (tmp_path / "results").write_bytes(lines([ROWS[0] | {"sample_id": 7.5}]))
    for arguments in (("validate", "data", "."), ("score", "results")):
        assert "field 'sample_id'" in run(tmp_path, "rubrics", *arguments).stderr


def test_a_key_given_twice_is_refused(tmp_path: Path) -> None:
    text = lines(ROWS).decode().replace('"score": 1.0', '"score": 0.0, "score": 1.0', 1)
    (tmp_path / "results").write_text(text, encoding="utf-8")
    found = json.loads(run(tmp_path, "rubrics", "score", "results", "--json").stdout)
    assert [one["code"] for one in found["rejected_rows"]] == ["repeated-key"]


def test_odd_ids_and_texts(tmp_path: Path) -> None:
    ids = [
        "a/b",
        "c d",
        "x" * 300,
        "\ud83d",
        "a\u2028b",
        "=1+1",
        "NA",
        "\u00e9",
        "e\u0301",
        "R",
        "r",
        "..",
        "%2e",
    ]
    tasks = [task(one, [1, -1]) for one in ids]
    (tmp_path / "data").write_bytes(lines(tasks))
    (tmp_path / "results").write_bytes(
        lines([one for name in ids for one in rows(name, "SN", [1, -1])])
    )
    done = run(tmp_path, "rubrics", "score", "results", "--data", "data", "-o", "out", "--json")
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert [one["compliance_score"] for one in found["samples"]] == [1.0] * len(ids)
    assert run(tmp_path, "report", "out").returncode == 0
    text = run(tmp_path, "rubrics", "score", "results", "--data", "data").stdout
    assert "\u2028" not in text


def test_numbers_and_texts_are_one_id(tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(lines([task("x", [1], sample_id=7)]))
    (tmp_path / "results").write_bytes(lines([row("7", 0, "S")]))
    found = json.loads(
        run(tmp_path, "rubrics", "score", "results", "--data", "data", "--json").stdout
    )
    assert [one["compliance_score"] for one in found["samples"]] == [1.0]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("sample_id,verdict\nr1,Satisfied\n", "missing-columns"),
        ("rubric_index,verdict\n0,Satisfied\n", "missing-columns"),
        ("sample_id,rubric_index,verdict,verdict\nr1,0,Satisfied,Satisfied\n", "repeated-column"),
        ("sample_id,rubric_index,verdict\nr1,0,Satisfied,more\n", "bad-row"),
        ('sample_id,rubric_index,verdict\nr1,0,"Satisfied\n', "bad-table"),
        ("sample_id,rubric_index,verdict\n", "empty-file"),
        ("sample_id,rubric_index,verdict\nr1,zero,Satisfied\n", "bad-rubric-index"),
        ("sample_id,rubric_index,verdict\n,0,Satisfied\n", "no-sample-id"),
        ("sample_id,rubric_index,verdict\nr1,0,yes\n", "nothing-to-compare"),
        ("sample_id,rubric_index,verdict\nr1,0,\n", "nothing-to-compare"),
        (
            "sample_id,rubric_index,verdict\nr1,0,Satisfied\nr1,0,Not Satisfied\n",
            "nothing-to-compare",
        ),
    ],
)
def test_tables_of_labels(tmp_path: Path, text: str, code: str) -> None:
    (tmp_path / "results").write_bytes(lines(ROWS))
    (tmp_path / "labels.csv").write_text(text, encoding="utf-8")
    done = run(tmp_path, "rubrics", "agree", "results", "labels.csv")
    assert done.returncode == 3, done.stdout
    assert code in done.stderr


def test_paths_that_are_no_files(tmp_path: Path) -> None:
    (tmp_path / "results").write_bytes(lines(ROWS))
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for arguments, code in (
        (["nowhere"], 4), (["folder"], 3), (["pipe"], 3), (["results", "--data", "nowhere"], 4),
        (["results", "--data", "folder"], 3), (["results", "--data", "pipe"], 3),
        (["results", "-o", "results"], 4),
    ):  # fmt: skip
        assert run(tmp_path, "rubrics", "score", *arguments).returncode == code, arguments
    (tmp_path / "data").write_bytes(lines(DATA))
    assert run(tmp_path, "rubrics", "validate", "data", "nowhere").returncode == 4
    assert run(tmp_path, "rubrics", "validate", "data", "results").returncode == 3
    assert run(tmp_path, "rubrics", "validate", "data", "folder").returncode == 1


BAD_REPORTS: dict[str, tuple[bytes | None, str]] = {
    "missing": (None, "report-missing"), "empty": (b"", "report-empty"),
    "blank": (b"\xef\xbb\xbf \r\n\t", "report-empty"), "latin-1": (b"gr\xf6\xdfe", "not-utf8"),
    "utf-16": ("report".encode("utf-16"), "not-utf8"), "gzip": (gzip.compress(b"report"), "not-text"),
    "pdf-like": (b"%PDF-1.7\n\xff\xfe\xfd", "not-utf8"), "nul": (b"report\0" + b"x" * 400, "nul-byte"),
    "surrogate": (b"\xed\xa0\xbd", "not-utf8"), "word": (b"PK\x03\x04[Content_Types].xml", "not-text"),
}  # fmt: skip


@pytest.mark.parametrize("fault", BAD_REPORTS)
def test_reports_that_are_missing(tmp_path: Path, fault: str) -> None:
    data, code = BAD_REPORTS[fault]
    folder = tmp_path / "r"
    folder.mkdir()
    (folder / "r2.md").write_text("fine", encoding="utf-8")
    if data is not None:
        (folder / "r1.md").write_bytes(data)
    (tmp_path / "data").write_bytes(lines(DATA))
    done = run(tmp_path, "rubrics", "validate", "data", "r", "--json")
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert [(one["sample_id"], one["code"]) for one in found["missing_reports"]] == [("r1", code)]
    assert found["report_n"] == 1


def tasks_of(*ids: str) -> list[Any]:
    return [parse_task(task(one, [1]))[0] for one in ids]


def test_reports_never_come_from_outside(tmp_path: Path) -> None:
    folder = tmp_path / "r"
    (folder / "sub").mkdir(parents=True)
    secret = tmp_path / "secret.md"
    secret.write_text("secret", encoding="utf-8")
    (folder / "link.md").symlink_to(secret)
    (folder / "way").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe.md")
    (folder / "big.md").touch()
    os.truncate(folder / "big.md", 1 << 40)
    (folder / "dir.md").mkdir()
    ids = ["../secret", str(tmp_path / "secret"), "link", "way/secret", "sub/../../secret", "pipe",
           "big", "dir", ".", "", "a\0b"]  # fmt: skip
    tasks = tasks_of(*(one or "x" for one in ids))
    found = find_reports(folder, tasks)
    for one in tasks:
        report = found.read(one.sample_id)
        assert report.text is None, one.sample_id
        assert report.finding is not None
    assert found.read("link").finding.code == "report-outside"  # type: ignore[union-attr]


def test_names_of_odd_ids(tmp_path: Path) -> None:
    ids = ["a/b", "a%2Fb", "x" * 300, "R1", "r1", "c d", "Caf\u00e9", "dots..", "../up"]
    for number, one in enumerate(ids):
        path = tmp_path / names_of(one)[0]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{number}", encoding="utf-8")
    found = find_reports(tmp_path, tasks_of(*ids))
    assert [found.read(one).text for one in ids] == [str(number) for number in range(len(ids))]
    assert found.without_task == ()
    # R1 and r1, a/b and a%2Fb
    assert [finding.where.sample for finding in found.findings] == ["a%2Fb", "r1"]


def test_unicode_forms_of_a_name(tmp_path: Path) -> None:
    (tmp_path / "Cafe\u0301.md").write_text("decomposed", encoding="utf-8")
    assert find_reports(tmp_path, tasks_of("Caf\u00e9")).read("Caf\u00e9").text == "decomposed"
    # two ids, one file: it goes to the one that is written so
    both = find_reports(tmp_path, tasks_of("Caf\u00e9", "Cafe\u0301"))
    assert both.read("Cafe\u0301").text == "decomposed"
    assert both.read("Caf\u00e9").text is None


def test_line_ends_of_reports(tmp_path: Path) -> None:
    (tmp_path / "r1.md").write_bytes(b"\xef\xbb\xbfa\r\nb\rc\nd\xe2\x80\xa8e")
    assert find_reports(tmp_path, tasks_of("r1")).read("r1").text == "a\nb\nc\nd\u2028e"
    with pytest.raises(MissingResourceError):
        find_reports(tmp_path / "nowhere", tasks_of("r1"))


LABELS = (
    b"sample_id,rubric_index,rubric_title,verdict\n"
    b'r1,0,c0,Satisfied\nr1,1,"c1",Not Satisfied\nr2,0,c0,Satisfied\nr2,2,c2,not satisfied\n'
)


@pytest.mark.parametrize("which", ["results", "data", "labels"])
def test_random_damage(tmp_path: Path, which: str) -> None:
    """Flip, cut and repeat bytes: an exit code of ours, never a traceback, never a wild number."""
    rng = random.Random(11)
    files = {"results": lines(ROWS), "data": lines(DATA), "labels": LABELS}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    for _ in range(30):
        spoilt = bytearray(files[which])
        for _ in range(rng.randint(1, 4)):
            place = rng.randrange(len(spoilt))
            kind = rng.randrange(3)
            if kind == 0:
                spoilt[place] = rng.randrange(256)
            elif kind == 1:
                del spoilt[place : place + rng.randrange(40)]
            else:
                spoilt[place:place] = spoilt[place : place + rng.randrange(60)]
        (tmp_path / which).write_bytes(bytes(spoilt))
        if which == "labels":
            done = run(
                tmp_path, "rubrics", "agree", "results", "labels", "--data", "data", "--json"
            )
            if done.returncode == 0:
                raw = json.loads(done.stdout)["pooled"]["raw_agreement"]
                assert 0 <= raw <= 1
            continue
        done = run(tmp_path, "rubrics", "score", "results", "--data", "data", "--json")
        if done.returncode == 0:
            for one in json.loads(done.stdout)["samples"]:
                assert one["compliance_score"] is None or one["compliance_score"] <= 1
