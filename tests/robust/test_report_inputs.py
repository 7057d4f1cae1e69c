"""Folders that hold no run, half a run, a damaged one, or one of another version: one error."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.running import in_process


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("finished")
    done = in_process("eval", "-q", "--jobs", 1, "--tiers", 1, 2, 3, folder=folder)
    assert done.returncode == 0, done.stderr
    (run,) = (folder / "outputs").iterdir()
    return run


@pytest.fixture
def run(finished: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    shutil.copytree(finished, folder)
    return folder


def the(run: Path, pattern: str) -> Path:
    (path,) = run.glob(pattern)
    return path


def edit(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    found = json.loads(path.read_text(encoding="utf-8"))
    change(found)
    path.write_text(json.dumps(found), encoding="utf-8")


def report(run: object, folder: Path, *more: object) -> tuple[int, str]:
    done = in_process("report", run, *more, folder=folder)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stderr


def test_it_is_written_beside_the_run_and_again(run: Path, tmp_path: Path) -> None:
    for _ in range(2):
        assert report(run, tmp_path) == (0, "")
    first = the(run, "report_*.html").read_bytes()
    assert report(run, tmp_path, "-o", "other.html") == (0, "")
    assert (tmp_path / "other.html").read_bytes() == first
    assert not list(run.glob(".*"))


def test_json_names_the_page(run: Path, tmp_path: Path) -> None:
    done = in_process("report", run, "--json", "-o", "page.html", folder=tmp_path)
    found = json.loads(done.stdout)
    assert found == {"written": "page.html", "bytes": (tmp_path / "page.html").stat().st_size}


@pytest.mark.parametrize(
    ("make", "code", "told"),
    [
        (lambda folder: folder / "nowhere", 4, "no-such-folder"),
        (lambda folder: folder, 4, "no-run"),
        (lambda folder: "x" * 5_000, 4, "unreadable-path"),
    ],
)
def test_no_run(tmp_path: Path, make: Callable[[Path], object], code: int, told: str) -> None:
    found = report(make(tmp_path), tmp_path)
    assert found[0] == code and f"[{told}]" in found[1]


def test_a_file_is_no_folder(run: Path, tmp_path: Path) -> None:
    found = report(the(run, "summary_*.json"), tmp_path)
    assert found[0] == 3 and "[not-a-folder]" in found[1]


def test_the_parent_of_runs_names_them(run: Path, tmp_path: Path) -> None:
    found = report(run.parent, tmp_path)
    assert found[0] == 4 and "[no-run]" in found[1] and "run" in found[1].split("fix:")[1]


def test_an_unfinished_run(tmp_path: Path) -> None:
    (tmp_path / ".summary_20260101_000000.json.part").write_bytes(b"{")
    found = report(tmp_path, tmp_path)
    assert found[0] == 4 and "[unfinished-run]" in found[1]


def test_two_summaries(run: Path, tmp_path: Path) -> None:
    shutil.copy(the(run, "summary_*.json"), run / "summary_20200101_000000.json")
    found = report(run, tmp_path)
    assert found[0] == 2 and "[several-runs]" in found[1]


@pytest.mark.parametrize("name", ["summary", "manifest"])
@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe{}", b"null"])
def test_damaged_json(run: Path, tmp_path: Path, name: str, content: bytes) -> None:
    the(run, f"{name}_*.json").write_bytes(content)
    code, told = report(run, tmp_path)
    assert code == 3 and f"{name}_" in told
    assert not list(run.glob("report_*"))


@pytest.mark.parametrize(
    "change",
    [
        lambda found: found.pop("format"),
        lambda found: found.update(metrics_version="perturbreason-99"),
        lambda found: found.update(format="other"),
        lambda found: found.pop("confusion_matrix"),
        lambda found: found.update(confusion_matrix=[1, 2]),
        lambda found: found.update(edge_status=None),
        lambda found: found.update(by_split={"a": {}}),
        lambda found: found.update(ledger={}),
    ],
)
def test_a_summary_of_another_version(
    run: Path, tmp_path: Path, change: Callable[[dict[str, Any]], object]
) -> None:
    edit(the(run, "summary_*.json"), change)
    code, told = report(run, tmp_path)
    assert (
        code == 3
        and told.startswith("Error: [")
        and told.count("\nError: [") == 0
        and "run eval again" in told
    )
    assert not list(run.glob("report_*"))


def test_without_manifest_and_tables(run: Path, tmp_path: Path) -> None:
    for pattern in ("manifest_*", "samples_*.parquet", "chains_*", "texts_*"):
        the(run, pattern).unlink()
    assert report(run, tmp_path) == (0, "")
    assert "There is nothing to draw" in the(run, "report_*.html").read_text(encoding="utf-8")


def test_a_damaged_samples_table(run: Path, tmp_path: Path) -> None:
    path = the(run, "samples_*.parquet")
    path.write_bytes(path.read_bytes()[:-300])
    code, told = report(run, tmp_path)
    assert code == 3 and "[bad-table]" in told and path.name in told


def test_verdicts_of_another_run(run: Path, tmp_path: Path) -> None:
    (run / "samples_with_rescue_20260101_000000.json").write_text('{"run_id": "other"}')
    code, told = report(run, tmp_path)
    assert code == 3 and "[rescue-of-another-run]" in told


def test_no_file_of_the_run_is_replaced(run: Path, tmp_path: Path) -> None:
    target = the(run, "samples_*.csv")
    before = target.read_bytes()
    code, told = report(run, tmp_path, "-o", target)
    assert code == 2 and "[output-is-input]" in told
    assert target.read_bytes() == before
    code, told = report(run, tmp_path, "-o", run)
    assert code == 2 and "[not-a-regular-file]" in told
