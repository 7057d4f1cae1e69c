"""``validate-task`` as a user runs it: the bundled example, copies of it with one fault."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eval_tiers.io.demo import example_task
from eval_tiers.submissions import codes
from tests.e2e.running import command, in_process

Record = dict[str, Any]

NAMED = (  # of the specification: what has to be done to the oracle, and the code it is found by
    ("dropped column", codes.HEADER_MISMATCH),
    ("reordered header", codes.HEADER_MISMATCH),
    ("extra row", codes.ROW_COUNT),
    ("short row", codes.ROW_LENGTH),
    ("duplicate key", codes.DUPLICATE_KEY),
    ("nan", codes.NOT_FINITE),
    ("inf", codes.NOT_FINITE),
    ("wrong hash", codes.HASH_MISMATCH),
    ("symlink", codes.SYMLINK),
    ("absolute path", codes.ABSOLUTE_PATH),
    ("oversize", codes.OVERSIZE),
)


@pytest.fixture
def task(tmp_path: Path) -> Path:
    """A copy of the example that may be changed."""
    return Path(shutil.copytree(example_task(), tmp_path / "task"))


def validate(task: Path | str, *options: str) -> tuple[int, Record]:
    """The exit code and the JSON report."""
    done = in_process("validate-task", task, "--json", *options, folder=Path.cwd())
    assert done.returncode in {0, 1}, done.stderr
    return done.returncode, json.loads(done.stdout)


def error_codes(record: Record) -> list[str]:
    return [row["code"] for row in record["errors"]]


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_the_bundled_example_is_valid_without_arguments(tmp_path: Path) -> None:
    done = command("validate-task", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "the bundled example" in done.stdout
    assert "Valid: 0 errors, 0 warnings." in done.stdout
    lines = done.stdout.split("\n")
    assert [line for line in lines if len(line) > 80 and str(example_task()) not in line] == []
    for code in codes.CODES:
        (row,) = [line.split() for line in lines if line.split()[:1] == [code]]
        made, found, skipped = map(int, row[1:])
        assert made == found, code
        unmade = os.geteuid() == 0 and code == codes.UNREADABLE
        assert (made > 0) is not unmade, code
        assert unmade <= (skipped > 0)
    assert list(tmp_path.iterdir()) == []


def test_json_of_the_example(tmp_path: Path) -> None:
    code, record = validate(example_task())
    assert (code, record["ok"], record["errors"], record["warnings"], record["notes"]) \
        == (0, True, [], [], [])  # fmt: skip
    assert record["task_id"] == "liver-two-way-genes"
    size = sum((example_task() / name).stat().st_size for name in (
        "observations/liver.csv", "reference/genes.csv", "reference/datasets.csv"))  # fmt: skip
    assert record["provenance"] == {"row_n": 3, "verified_file_n": 3, "verified_byte_n": size}
    assert record["oracle"] == {
        "passed": True, "failed_check_n": 0, "execution_verified": True, "leak_n": 0,
        "judge": "judged", "score": 1.0,
    }  # fmt: skip
    rows = record["mutations"]
    for name, code_name in NAMED:
        mine = [row for row in rows if row["mutation"] == name]
        assert mine, name
        assert all(
            row["expected"] == code_name and code_name in row["found"] and row["status"] == "found"
            for row in mine
        ), name
    skipped = [row for row in rows if row["status"] == "not applicable"]
    assert all(row["reason"] and row["found"] == [] for row in skipped)
    assert record["found_n"] + len(skipped) == record["mutation_n"] == len(rows)


def test_all_lists_every_mutation() -> None:
    done = in_process("validate-task", "--all", folder=Path.cwd())
    assert done.returncode == 0
    assert "dropped column" in done.stdout and "genes.csv, mean_log2fc" in done.stdout
    assert max(len(line) for line in done.stdout.split("\n") if "/" not in line) <= 80


def test_the_folder_is_left_as_it_is(task: Path) -> None:
    def state() -> dict[str, tuple[int, bytes]]:
        files = [path for path in task.rglob("*") if path.is_file()]
        return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in files}

    before = state()
    assert validate(task)[0] == 0
    assert state() == before


@pytest.mark.parametrize(
    ("spoil", "expected"),
    [
        (lambda t: edit(t / "oracle/genes.csv", "Acaca,3", "Acaca,4"), ["hash-mismatch"]),
        (lambda t: (t / "oracle/answer.md").write_text(" \n", encoding="utf-8"),
         ["empty-answer"]),
        (lambda t: (t / "oracle/methods.md").unlink(), ["missing", "citation-fails"]),
        (lambda t: shutil.rmtree(t / "oracle"), ["no-oracle"]),
        (lambda t: (t / "trajectory.jsonl").unlink(), ["oracle-not-executed", "oracle-score"]),
        (lambda t: edit(t / "eval_task.toml", '"concordant_control"', '"Srebf1"'),
         ["oracle-leaks", "oracle-score"]),
        (lambda t: edit(t / "judge_reply.json", '"matched"', '"partial"'), ["oracle-score"]),
        (lambda t: edit(t / "judge_reply.json", "false", '"false"'), ["bad-judge-reply"]),
        (lambda t: edit(t / "judge_reply.json", '"value": "21"', '"value": "22"'),
         ["citation-fails", "oracle-score"]),
        (lambda t: edit(t / "eval_task.toml", 'rows = 46', 'rows = 47'), ["row-count"]),
        (lambda t: edit(t / "eval_task.toml", 'key = ["gene"]', 'keys = ["gene"]'),
         ["unknown-key"]),
        (lambda t: edit(t / "observations/liver.csv", "1.8248", "2.8248"),
         ["hash-mismatch", "rule-contradicts-reference"]),
        (lambda t: (t / "provenance.tsv").unlink(), ["no-such-file"]),
        (lambda t: edit(t / "PROVENANCE.md", "## Terms", "## Thanks"), ["no-section"]),
        (lambda t: edit(t / "eval_task.toml", "rel = 1e-6  ", "rel = 5.0 "),
         ["mutation-not-found"]),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, list) else "",
)  # fmt: skip
def test_one_fault_is_found(task: Path, spoil: Callable[[Path], None], expected: list[str]) -> None:
    spoil(task)
    code, record = validate(task)
    found = list(dict.fromkeys(error_codes(record)))
    assert code == 1
    assert record["ok"] is False
    assert [name for name in expected if name not in found] == []
    assert all(row["fix"] for row in record["errors"])


def test_warnings_and_notes_leave_the_task_valid(task: Path) -> None:
    edit(task / "eval_task.toml", 'leak_markers = ["synthetic_rr10_benchmark"',
         'leak_markers = ["p5", "OSD-168"')  # fmt: skip
    (task / "judge_reply.json").unlink()
    (task / "observations/more.csv").write_text("a\n1\n", encoding="utf-8")
    code, record = validate(task)
    assert (code, error_codes(record)) == (1, ["oracle-leaks"] * 2)  # answer and datasets.csv
    edit(task / "eval_task.toml", '"OSD-168"', '"OSD-1684"')
    code, record = validate(task)
    assert (code, record["errors"]) == (0, [])
    assert [row["code"] for row in record["warnings"]] == ["short-leak-marker", "unlisted-file"]
    assert [row["code"] for row in record["notes"]] == ["no-judge-reply"]
    assert record["oracle"]["score"] is None


def test_a_marker_in_what_the_agent_is_shown_is_a_warning(task: Path) -> None:
    edit(task / "eval_task.toml", '"concordant_control"', '"OSD-47,-1.969", "which both ways"')
    code, record = validate(task)
    assert code == 0
    assert [row["code"] for row in record["warnings"]] == [
        "marker-in-statement", "marker-in-observations"
    ]  # fmt: skip


def test_an_oracle_of_hard_links_is_checked_as_a_copy(task: Path) -> None:
    for path in list((task / "oracle").iterdir()):
        os.link(path, task / f"second name of {path.name}")
    code, record = validate(task)
    assert (code, [row["code"] for row in record["notes"]]) == (0, ["hard-links"])
    assert record["found_n"] > 80


def test_the_copy_of_hard_links_holds_no_huge_file_and_no_pipe(task: Path) -> None:
    os.link(task / "oracle/genes.csv", task / "second name")
    os.mkfifo(task / "oracle/pipe")
    (task / "oracle/huge").touch()
    os.truncate(task / "oracle/huge", 10**12)
    code, record = validate(task)
    assert (code, [row["code"] for row in record["notes"]]) == (0, ["hard-links"])


@pytest.mark.parametrize(
    ("name", "code"),
    [("judge_reply.json", "bad-judge-reply"), ("trajectory.jsonl", "not-a-regular-file")],
)
def test_a_pipe_is_no_missing_file(task: Path, name: str, code: str) -> None:
    (task / name).unlink()
    os.mkfifo(task / name)
    status, record = validate(task)
    assert (status, error_codes(record)) == (1, [code])


def test_a_task_of_a_text_alone(tmp_path: Path) -> None:
    (tmp_path / "oracle").mkdir()
    (tmp_path / "eval_task.toml").write_text(
        'id = "t"\n[[artifact]]\npath = "notes.md"\n[[conclusion]]\ntext = "It rises."\n',
        encoding="utf-8",
    )
    (tmp_path / "PROVENANCE.md").write_text(
        "Citation: none.\nTransformations: none.\nTerms: CC0.\n", encoding="utf-8"
    )
    notes = b"It rises.\n"
    digest = hashlib.sha256(notes).hexdigest()
    (tmp_path / "oracle/notes.md").write_bytes(notes)
    (tmp_path / "oracle/answer.md").write_bytes(notes)
    (tmp_path / "oracle/analysis_manifest.json").write_text(
        json.dumps({"artifacts": [{"path": "notes.md", "sha256": digest}]}), encoding="utf-8"
    )
    (tmp_path / "provenance.tsv").write_text(
        f"\ufeffpath\tbytes\tsha256\r\noracle/notes.md\t{len(notes)}\t{digest.upper()}\r\n",
        encoding="utf-8",
    )
    code, record = validate(tmp_path)
    assert (code, record["errors"], record["warnings"]) == (0, [], [])
    assert record["provenance"]["verified_file_n"] == 1
    assert record["codes"]["header_mismatch"]["made_n"] == 0
    assert record["codes"]["symlink"]["found_n"] == 2


@pytest.mark.parametrize(
    ("content", "code"),
    [(None, 4), (b"id = ", 3), (b"\xff\xfei\0d\0", 3), (b"\0\0\0\0", 3), (b"id = 'x\xe9'", 3)],
    ids=["missing", "cut", "utf-16", "nul", "latin-1"],
)
def test_a_task_file_that_cannot_be_read(tmp_path: Path, content: bytes | None, code: int) -> None:
    if content is not None:
        (tmp_path / "eval_task.toml").write_bytes(content)
    done = in_process("validate-task", tmp_path, folder=tmp_path)
    assert done.returncode == code
    assert done.stdout == ""
    assert done.stderr.startswith("Error: [")
    assert "Traceback" not in done.stderr


def test_no_such_folder(tmp_path: Path) -> None:
    done = in_process("validate-task", "nowhere", folder=tmp_path)
    assert (done.returncode, done.stderr[:24]) == (4, "Error: [no-such-folder] ")
