"""Reply files and exports of rubrics as jobs and people leave them: one clear error, or counted."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.running import Done, in_process, strict_json, write_lines
from tests.rubric_judge import answers, content, records_of, reply, searching, task, write_data

Record = dict[str, Any]
Spoil = Callable[[Path], object]


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    write_data(tmp_path, [task("r1", ("Names OSD-47", 5), ("Claims causality", -4))],
               {"r1": "OSD-47 was used.\n\nNo more is said of mice.\n"})  # fmt: skip
    done = in_process("rubrics", "export", "processed_data.jsonl", "agent_responses", "-o",
                      "requests.jsonl", folder=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    write_lines(
        tmp_path / "replies.jsonl", answers(records_of(tmp_path / "requests.jsonl"), searching)
    )
    return tmp_path


def merge(folder: Path, *arguments: object) -> Done:
    return in_process(
        "rubrics", "merge", "--index", "requests.index.csv", *arguments, folder=folder
    )


def rows_of(folder: Path) -> list[Record]:
    (found,) = (folder / "results").glob("batch_evaluation_*.jsonl")
    return records_of(found)


def summary_of(folder: Path) -> Record:
    (found,) = (folder / "results").glob("merge_*.json")
    return strict_json(found)


# Replies that no verdict may come of


@pytest.mark.parametrize(
    ("text", "more", "fault"),
    [
        (None, {}, "empty"),
        ("", {}, "empty"),
        ("   \n", {}, "empty"),
        (content("Satisfied"), {"finish_reason": "content_filter"}, "withheld"),
        (content("Satisfied"), {"finish_reason": "length"}, "cut_off"),
        ("I'm sorry, but I can't help with that.", {}, "refusal"),
        ("Satisfied", {}, "no_json"),
        ('{"verdict": "Satisfied"', {}, "truncated"),
        ('{"verdict": ["Satisfied"]}', {}, "not_a_verdict"),
        (content("Satisfied") + " or " + content("Not Satisfied"), {}, "several_verdicts"),
        ('{"verdict": "Satisfied", "verdict": "Satisfied"}', {}, "repeated_key"),
        (content("Satisfied"), {"error": {"code": "expired"}}, "http_error"),
        (content("Satisfied"), {"response": {"status_code": 500, "body": {}}}, "http_error"),
        (content("Satisfied"), {"response": {"status_code": 200, "body": {"choices": []}}}, "empty"),
    ],
)  # fmt: skip
def test_no_verdict_no_score(exported: Path, text: str | None, more: Record, fault: str) -> None:
    requests = records_of(exported / "requests.jsonl")
    index = (exported / "requests.index.csv").read_text()
    real = next(one["custom_id"] for one in requests if one["custom_id"] in index)
    rows = [row for row in records_of(exported / "replies.jsonl") if row["custom_id"] != real]
    done = merge(exported, write_lines(exported / "a.jsonl", [*rows, reply(real, text, **more)]))
    assert done.returncode == 0, done.stderr
    (failed,) = [row for row in rows_of(exported) if not row["success"]]
    assert failed["score"] is None and failed["verdict"] == "Error"
    assert failed["reasoning"] == f"no verdict: {fault}"
    assert summary_of(exported)["no_verdict"] == {fault: 1}


def test_lines_that_are_no_reply_are_counted(exported: Path) -> None:
    whole = (exported / "replies.jsonl").read_bytes()
    lines = whole.split(b"\n")[:-1]
    spoilt = b"\n".join([
        b"INFO 01-01 loading", b"", b"\x00\x00", b"[1, 2]", b"null", b'{"custom_id": 7}', *lines,
        b'{"custom_id": "c-stranger", "response": "x"}', lines[0][: len(lines[0]) // 2],
    ])  # fmt: skip
    (exported / "a.jsonl").write_bytes(b"\xef\xbb\xbf" + spoilt)
    done = merge(exported, "a.jsonl")
    assert done.returncode == 0, done.stderr
    assert all(row["success"] for row in rows_of(exported))
    found = summary_of(exported)
    assert (found["not_a_reply_n"], found["unknown_n"]) == (6, 1)


def test_a_gzip_that_is_cut_off_gives_what_is_whole(exported: Path) -> None:
    whole = (exported / "replies.jsonl").read_bytes()
    packed = gzip.compress(whole)
    (exported / "a.jsonl.gz").write_bytes(packed)
    assert merge(exported, "a.jsonl.gz").returncode == 0
    assert all(row["success"] for row in rows_of(exported))
    (exported / "b.jsonl.gz").write_bytes(packed[:-20])
    done = merge(exported, "b.jsonl.gz")
    assert done.returncode in (0, 5) and "truncated-file" in done.stderr + done.stdout


def test_what_an_examiner_writes_is_written_as_strict_json(exported: Path) -> None:
    rows = records_of(exported / "replies.jsonl")
    for row in rows:
        message = row["response"]["body"]["choices"][0]["message"]
        message["content"] = (
            '{"verdict": "Satisfied", "confidence": NaN, "reasoning": "\ud83d \u2028 x"}'
        )
    lines = "".join(json.dumps(row) + "\n" for row in rows)  # escapes the lone surrogate
    (exported / "a.jsonl").write_text(lines)
    done = merge(exported, "a.jsonl", "--json")
    assert done.returncode == 0, done.stderr
    json.loads(done.stdout, parse_constant=lambda name: pytest.fail(name))
    for row in rows_of(exported):
        assert row["success"] and row["confidence"] is None


# Files that an export is read from


def edit_manifest(change: Callable[[Record], object]) -> Spoil:
    def spoil(folder: Path) -> None:
        path = folder / "requests.manifest.json"
        value = json.loads(path.read_text())
        change(value)
        path.write_text(json.dumps(value))

    return spoil


def edit_index(old: str, new: str) -> Spoil:
    def spoil(folder: Path) -> None:
        path = folder / "requests.index.csv"
        path.write_text(path.read_text().replace(old, new))

    return spoil


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (lambda folder: (folder / "requests.index.csv").unlink(), 4),
        (lambda folder: (folder / "requests.manifest.json").unlink(), 4),
        (lambda folder: (folder / "requests.controls.json").unlink(), 4),
        (lambda folder: (folder / "requests.index.csv").write_bytes(b"\xff\xfe\x00"), 3),
        (lambda folder: (folder / "requests.index.csv").write_text(""), 3),
        (lambda folder: (folder / "requests.manifest.json").write_text("[]"), 3),
        (lambda folder: (folder / "requests.manifest.json").write_text('{"kind": "x"'), 3),
        (lambda folder: (folder / "requests.controls.json").write_text('{"controls": [1]}'), 3),
        (lambda folder: (folder / "requests.controls.json").write_text('{"controls": 1}'), 3),
        (edit_manifest(lambda value: value.update(kind="rescue")), 3),
        (edit_manifest(lambda value: value.update(tasks=[])), 3),
        (edit_manifest(lambda value: value["tasks"][0].pop("rubrics")), 3),
        (edit_manifest(lambda value: value["tasks"][0]["rubrics"].pop()), 3),
        (edit_manifest(lambda value: value["settings"].pop("scale")), 3),
        (edit_manifest(lambda value: value.pop("timestamp")), 3),
        (edit_manifest(lambda value: value.update(timestamp="../../x")), 3),
        (edit_manifest(lambda value: value["tasks"].append("x")), 3),
        (edit_manifest(lambda value: value["requests"].append({})), 3),
        (edit_manifest(lambda value: value.update(missing=["r1"])), 3),
        (edit_manifest(lambda value: value["settings"].update(chunk_tokens=True)), 3),
        (edit_index(",whole,", ",half,"), 3),
        (edit_index(",1,1,0", ",1,1,-1"), 3),
        (edit_index(",1,1,0", ",1,0,0"), 3),
        (edit_index("custom_id,sample_id", "id,sample"), 3),
        (edit_index("r1,0", "r9,0"), 3),
        (edit_index("r1,0", "r1,99999999999999999999"), 3),
    ],
)
def test_spoilt_exports_are_refused_and_nothing_is_written(
    exported: Path, spoil: Spoil, code: int
) -> None:
    spoil(exported)
    done = merge(exported, "replies.jsonl")
    assert done.returncode == code, done.stderr
    assert done.stderr.startswith("Error: [") and "Traceback" not in done.stderr
    assert not (exported / "results").exists()


def test_a_request_file_that_is_gone_is_named(exported: Path) -> None:
    (exported / "requests.jsonl").unlink()
    (exported / "none.jsonl").write_text("")
    done = merge(exported, "none.jsonl")
    assert done.returncode == 0 and "requests-missing" in done.stderr
    assert summary_of(exported)["owed_file"] is None


@pytest.mark.parametrize("where", ["file", "folder-is-file"])
def test_a_place_that_cannot_be_written(exported: Path, where: str) -> None:
    (exported / "taken").write_text("x")
    done = merge(exported, "replies.jsonl", "-o", "taken" if where == "file" else "taken/in")
    assert done.returncode in (2, 4) and "Traceback" not in done.stderr
    assert (exported / "taken").read_text() == "x"


@pytest.mark.parametrize("name", ["none.jsonl", "agent_responses"])
def test_reply_files_that_are_none(exported: Path, name: str) -> None:
    assert merge(exported, name).returncode in (3, 4)


# What is exported


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("processed_data.jsonl", "nowhere"), 4),
        (("nowhere.jsonl", "agent_responses"), 4),
        (("processed_data.jsonl", "processed_data.jsonl"), 3),
        (("agent_responses", "agent_responses"), 3),
        (("processed_data.jsonl", "agent_responses", "--tokenizer", "nowhere"), 4),
        (("processed_data.jsonl", "agent_responses", "--chunk-tokens", "0"), 2),
        (("processed_data.jsonl", "agent_responses", "--repeats", "0"), 2),
        (("processed_data.jsonl", "agent_responses", "--scale", "quaternary"), 2),
    ],
)
def test_exports_that_cannot_be(exported: Path, arguments: tuple[str, ...], code: int) -> None:
    done = in_process("rubrics", "export", *arguments, "-o", "other.jsonl", folder=exported)
    assert done.returncode == code, done.stderr
    assert not (exported / "other.jsonl").exists()


@pytest.mark.parametrize("name", ["", "other.jsonl.gz", "agent_responses", "no/../requests.jsonl"])
def test_names_that_cannot_be_written(exported: Path, name: str) -> None:
    before = (exported / "requests.jsonl").read_bytes()
    (exported / "no").mkdir()
    done = in_process("rubrics", "export", "processed_data.jsonl", "agent_responses", "-o", name,
                      folder=exported)  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert (exported / "requests.jsonl").read_bytes() == before


def test_a_folder_without_any_report(exported: Path) -> None:
    (exported / "empty").mkdir()
    done = in_process("rubrics", "export", "processed_data.jsonl", "empty", "-o", "other.jsonl",
                      folder=exported)  # fmt: skip
    assert done.returncode == 2 and "no-report" in done.stderr


@pytest.mark.parametrize("sample_id", ["a b", "x/y", "é", "=1+1", 'q"u,o\nte', "i" * 300, "007"])
def test_ids_of_every_kind_come_back(tmp_path: Path, sample_id: str) -> None:
    write_data(tmp_path, [task(sample_id, ("Names OSD-47", 5))], {})
    from eval_tiers.io.rubric_reports import names_of

    path = tmp_path / "agent_responses" / names_of(sample_id)[0]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("OSD-47", encoding="utf-8")
    done = in_process("rubrics", "export", "processed_data.jsonl", "agent_responses", "-o",
                      "requests.jsonl", folder=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    write_lines(
        tmp_path / "replies.jsonl", answers(records_of(tmp_path / "requests.jsonl"), searching)
    )
    assert merge(tmp_path, "replies.jsonl").returncode == 0
    assert [(row["sample_id"], row["verdict"]) for row in rows_of(tmp_path)] == [
        (sample_id, "Satisfied")
    ]
