"""What a run of RR-10 leaves and shows: nothing half-written, nothing raw, no input replaced."""

from __future__ import annotations

import copy
import csv
import json
import os
import signal
import subprocess
import sys
import time
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.robust.rr10_samples import (
    ANSWERS,
    FIRST,
    GOLD,
    ITEM_N,
    ITEMS,
    PREDICTIONS,
    evaluate_rr10,
)
from tests.robust.samples import COMMAND, Ran, json_lines, run_command

EVIL: Final = "\x1b[31mEVIL\x1b]0;t\x07\x9b31m\u202e\r"
RAW: Final = frozenset("\x1b\x07\x9b\u202e\r\x00")
WRONG: Final = json_lines([row | {"prediction": "no idea"} for row in ANSWERS])
PERMISSIONS: Final = pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="not here: root may write anywhere"
)


def items_with(**fields: Any) -> bytes:
    """The benchmark with these fields in every item."""
    return json_lines([copy.deepcopy(item) | fields for item in ITEMS])


def columns(text: str) -> int:
    """Columns of the longest line on a terminal."""
    wide = {"W": 2, "F": 2}
    return max(
        sum(wide.get(unicodedata.east_asian_width(char), 1) for char in line)
        for line in text.split("\n")
    )


# The terminal


@pytest.mark.parametrize("field", ["id", "gene", "organism", "tissue", "prompt"])
def test_escapes_in_the_benchmark_do_not_reach_the_terminal(tmp_path: Path, field: str) -> None:
    items = [item | {field: f"{EVIL}{number}"} for number, item in enumerate(ITEMS)]
    for tiers in (["1"], ["1", "2", "3"]):
        ran = evaluate_rr10(
            tmp_path, PREDICTIONS, "--tiers", *tiers, gold=json_lines(items), as_json=False
        )
        assert ran.code == 0, ran.err
        assert not RAW & set(ran.out + ran.err)
        assert columns(ran.out.partition("Files in ")[0]) <= 80
    if field == "tissue":
        assert "\\x1b" in ran.out


def test_escapes_in_predictions_do_not_reach_the_terminal(tmp_path: Path) -> None:
    rows = [row | {"id": f"{EVIL}{number}"} for number, row in enumerate(ANSWERS)]
    cited = [[EVIL, "+", EVIL], [EVIL, "+", f"OSD-{EVIL}"]]
    rows += [row | {"rollout": EVIL, "prediction": EVIL, "evidence": cited} for row in ANSWERS]
    ran = evaluate_rr10(tmp_path, json_lines(rows), as_json=False)
    assert ran.code == 0, ran.err
    assert not RAW & set(ran.out + ran.err)
    ran = evaluate_rr10(tmp_path, json_lines([{"id": FIRST["id"], EVIL: 1}] * 2), as_json=False)
    assert ran.codes == ["unmapped-fields"]
    assert not RAW & set(ran.err)


def test_escapes_in_messages_of_validate(tmp_path: Path) -> None:
    path = tmp_path / "benchmark.jsonl"
    path.write_bytes(items_with(gene=EVIL, organism="z" * 200, **{f"more{EVIL}": 1}))
    ran = run_command("validate", "--skip-hash", path)
    assert ran.code == 1
    assert not RAW & set(ran.out + ran.err)


NAMES: Final = {
    "200 characters": "t" * 200,
    "East Asian": "肝臓組織" * 30,
    "combining": "e\u0301" * 100,
    "line breaks": "a\nb\nc",
    "surrogate": "\ud83d" * 20,
    "100 kB": "x" * 100_000,
}


@pytest.mark.parametrize("field", ["organism", "tissue"])
@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_80_columns_hold(tmp_path: Path, field: str, name: str) -> None:
    ran = evaluate_rr10(tmp_path, gold=items_with(**{field: name}), as_json=False)
    assert ran.code == 0, ran.err
    assert columns(ran.out.partition("Files in ")[0]) <= 80
    (pairs,) = ran.outputs.rglob("pairs_*.csv")
    with pairs.open(encoding="utf-8", newline="") as handle:
        assert len(list(csv.DictReader(handle))) == ITEM_N // 2


# Tables


def test_cells_that_a_spreadsheet_would_run(tmp_path: Path) -> None:
    items = [
        item | {"id": f"=1+{number}", "gene": "@SUM(A1)", "organism": "+y", "tissue": "\tx"}
        for number, item in enumerate(ITEMS)
    ]
    rows = [{"id": item["id"], "prediction": "x", "rollout": "-2"} for item in items]
    for options, mark in ((["--spreadsheet-safe"], "'"), ([], "")):
        folder = tmp_path / f"run{len(options)}"
        folder.mkdir()
        ran = evaluate_rr10(folder, json_lines(rows), *options, gold=json_lines(items))
        assert ran.code == 0, ran.err
        (path,) = ran.outputs.rglob("samples_*.csv")
        with path.open(encoding="utf-8", newline="") as handle:
            first = next(csv.DictReader(handle))
        assert first["sample_id"] == f"{mark}=1+0"
        assert first["gene"] == f"{mark}@SUM(A1)"
        assert first["organism"] == f"{mark}+y"
        assert first["rollout"] == f"{mark}-2"


def test_strict_json_whatever_comes_in(tmp_path: Path) -> None:
    gold = items_with(tissue="\ud83d", organism="NaN")
    rows = [{"id": "\ud83d", "prediction": float("nan"), "rollout": "\ud83d"}, *ANSWERS]
    ran = evaluate_rr10(tmp_path, json_lines(rows), gold=gold)
    assert ran.summary["per_context"]
    for path in ran.outputs.rglob("*.json"):
        json.loads(path.read_text(encoding="utf-8"), parse_constant=lambda word: pytest.fail(word))


def test_two_runs_in_one_second_get_two_folders(tmp_path: Path) -> None:
    for _ in range(3):
        assert evaluate_rr10(tmp_path).code == 0
    folders = list((tmp_path / "outputs").iterdir())
    assert len(folders) == 3
    names = [sorted(path.suffix for path in folder.iterdir()) for folder in folders]
    assert names[0] == names[1] == names[2]


# The folder and the table of wrong rows


@pytest.mark.parametrize("place", ["file", "file/below", "x" * 300])
def test_an_output_folder_that_cant_be_made(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("x")
    ran = evaluate_rr10(tmp_path, PREDICTIONS, "-o", tmp_path / place)
    assert (ran.code, ran.codes) == (4, ["cannot-write"])
    assert (tmp_path / "file").read_text() == "x"


@PERMISSIONS
def test_a_folder_without_permission(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    for option in (["-o", closed], ["--errors-csv", closed / "errors.csv"]):
        ran = evaluate_rr10(tmp_path, PREDICTIONS, *option)
        assert (ran.code, ran.codes) == (4, ["cannot-write"])


def wrong_rows(path: Path) -> list[str]:
    """Ids in a table of wrong rows."""
    with path.open(encoding="utf-8", newline="") as handle:
        return [row["id"] for row in csv.DictReader(handle)]


def test_wrong_rows_into_a_folder_that_is_missing(tmp_path: Path) -> None:
    target = tmp_path / "new" / "deep" / "errors.csv"
    ran = evaluate_rr10(tmp_path, WRONG, "--errors-csv", target)
    assert ran.code == 0, ran.err
    assert wrong_rows(target) == [item["id"] for item in ITEMS]
    assert os.listdir(target.parent) == ["errors.csv"]


def test_wrong_rows_replace_an_earlier_table(tmp_path: Path) -> None:
    target = tmp_path / "errors.csv"
    target.write_text("old")
    assert evaluate_rr10(tmp_path, PREDICTIONS, "--errors-csv", target).code == 0
    assert wrong_rows(target) == []


def refused(tmp_path: Path, target: object, code: str, exit_code: int) -> Ran:
    """Run with a table of wrong rows that can't be written there; nothing has changed."""
    gold, model = tmp_path / "benchmark.jsonl", tmp_path / "model.jsonl"
    gold.write_bytes(GOLD)
    model.write_bytes(WRONG)
    before = sorted(os.listdir(tmp_path))
    ran = evaluate_rr10(tmp_path, model, "--errors-csv", target, gold=gold)
    assert (ran.code, ran.codes) == (exit_code, [code]), ran.err
    assert (gold.read_bytes(), model.read_bytes()) == (GOLD, WRONG)
    assert list((tmp_path / "outputs").rglob("*")) == []
    assert sorted(set(os.listdir(tmp_path)) - {"outputs"}) == before
    return ran


def test_wrong_rows_never_replace_an_input(tmp_path: Path) -> None:
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "benchmark.jsonl")
    for name in ("benchmark.jsonl", "model.jsonl", "link.jsonl"):
        refused(tmp_path, tmp_path / name, "output-is-input", 2)
    refused(tmp_path, f"{tmp_path}/./model.jsonl", "output-is-input", 2)
    registry = tmp_path / "registry.txt"
    registry.write_text("OSD-1\n")
    ran = evaluate_rr10(tmp_path, PREDICTIONS, "--osd-registry", registry, "--errors-csv", registry)
    assert ran.codes == ["output-is-input"]
    assert registry.read_text() == "OSD-1\n"


def test_wrong_rows_where_a_file_cant_be(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("x")
    os.mkfifo(tmp_path / "pipe")
    refused(tmp_path, tmp_path / "folder", "not-a-regular-file", 2)
    refused(tmp_path, tmp_path / "pipe", "not-a-regular-file", 2)
    assert (tmp_path / "pipe").is_fifo()
    refused(tmp_path, "", "no-file-name", 2)
    refused(tmp_path, tmp_path / "file" / "errors.csv", "cannot-write", 4)
    refused(tmp_path, tmp_path / ("x" * 300), "cannot-write", 4)


def test_bad_input_leaves_an_earlier_table_alone(tmp_path: Path) -> None:
    target = tmp_path / "errors.csv"
    target.write_text("old")
    ran = evaluate_rr10(tmp_path, PREDICTIONS, "--errors-csv", target, gold=b"not JSON\n")
    assert ran.code == 3
    assert target.read_text() == "old"
    assert not list(tmp_path.glob(".*"))


# Stopped


@pytest.fixture
def running(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Start a run of some seconds in a process of its own; yield it when it writes."""
    rows = [row | {"rollout": number} for number in range(500) for row in ANSWERS]
    (tmp_path / "benchmark.jsonl").write_bytes(GOLD)
    (tmp_path / "model.jsonl").write_bytes(json_lines(rows))
    (tmp_path / "scratch").mkdir()
    process = subprocess.Popen(
        [*COMMAND, "eval", "--gt-file", "benchmark.jsonl", "--pred-file", "model.jsonl", "-o",
         "outputs", "--errors-csv", "errors.csv", "--jobs", "2", "--batch-size", "100"],
        cwd=tmp_path, env=os.environ | {"TMPDIR": str(tmp_path / "scratch")},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    until = time.monotonic() + 60
    while not list(tmp_path.rglob(".texts_*.parquet.part")):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until
        time.sleep(0.02)
    yield process
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.mark.e2e
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="not here: process groups")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_stopped_run_leaves_nothing(
    running: subprocess.Popen[str], tmp_path: Path, name: str
) -> None:
    number = getattr(signal, name)
    os.killpg(running.pid, number)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 128 + number, err
    assert out == ""
    assert err.strip().endswith("Interrupted: nothing was written under a final name.")
    assert "Traceback" not in err
    assert not list((tmp_path / "outputs").iterdir())
    assert not list((tmp_path / "scratch").iterdir())
    assert not (tmp_path / "errors.csv").exists()
    assert not list(tmp_path.glob(".*.part"))
