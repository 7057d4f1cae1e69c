"""``baselines`` on bad input: one clear error, the right exit code, and nothing is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval_tiers.io.demo import demo_inputs, rr10_demo_inputs
from tests.e2e.running import in_process, write_lines

GOLD, RR10 = demo_inputs().gold, rr10_demo_inputs().gold


def refused(folder: Path, code: int, name: str, *arguments: object) -> None:
    """Run the command; it must end with that exit code and error, and write nothing."""
    before = sorted(folder.rglob("*"))
    done = in_process("baselines", *arguments, folder=folder)
    assert done.returncode == code, done.stderr
    assert f"[{name}]" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize(
    ("code", "name", "arguments"),
    [
        (2, "two-golds", ("--gt-dir", GOLD, "--gt-file", RR10)),
        (4, "no-such-folder", ("--gt-dir", "nothing")),
        (4, "no-such-file", ("--gt-file", "nothing")),
        (3, "is-a-directory", ("--gt-file", GOLD)),
        (3, "not-a-folder", ("--gt-dir", RR10)),
        (2, "unknown-format", ("--gt-dir", GOLD, "--format", "odd")),
        (4, "no-such-file", ("--gt-dir", GOLD, "--train-file", "nothing")),
        (4, "no-such-file", ("--gt-dir", GOLD, "--external-kg", "nothing")),
        (2, "option-without-effect", ("--gt-file", RR10, "--train-file", RR10)),
        (2, "option-without-effect", ("--gt-file", RR10, "--external-kg", RR10)),
        (2, "option-without-effect", ("--gt-file", RR10, "--mode", "genetic=1")),
        (3, "unmapped-fields", ("--gt-file", RR10, "--format", "perturbreason")),
    ],
)
def test_what_cannot_be_done(
    tmp_path: Path, code: int, name: str, arguments: tuple[object, ...]
) -> None:
    refused(tmp_path, code, name, *arguments, "-o", "made")


def test_bad_rows_are_told_before_anything_is_written(tmp_path: Path) -> None:
    rows = [{"id": "a", "answer": "up"}, {"id": "b", "answer": "upp"}]
    gold = write_lines(tmp_path / "g.jsonl", rows)
    refused(tmp_path, 3, "unknown-label", "--gt-file", gold, "-o", "made")
    gold.write_text("\n\n")
    refused(tmp_path, 3, "empty-file", "--gt-file", gold, "-o", "made")
    gold.write_text('{"id": "a", "answer": "up"}\n{"answer": "up"}\n')
    refused(tmp_path, 3, "no-id", "--gt-file", gold, "-o", "made")
    gold.write_text('{"id": "a", "answer": "up"}\n{"id": \n')
    refused(tmp_path, 3, "bad-json", "--gt-file", gold, "-o", "made")


def test_a_split_folder_with_one_file_too_few(tmp_path: Path) -> None:
    write_lines(tmp_path / "gold" / "id_test" / "chemical.jsonl", [{"id": "a", "answer": "up"}])
    refused(tmp_path, 3, "missing-file", "--gt-dir", "gold", "-o", "made")


def test_results_do_not_mingle_with_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "kept.txt").write_text("x")
    refused(tmp_path, 2, "output-exists", "-o", "full")
    (tmp_path / "file").write_text("x")
    refused(tmp_path, 2, "not-a-folder", "-o", "file")
    for name in ("chemical", "genetic"):
        write_lines(tmp_path / "gold" / "id_test" / f"{name}.jsonl", [{"id": name, "answer": "up"}])
    refused(tmp_path, 2, "output-in-input", "--gt-dir", "gold", "-o", "gold/baselines")


def test_an_empty_folder_will_do(tmp_path: Path) -> None:
    (tmp_path / "made").mkdir()
    assert in_process("baselines", "-o", "made", folder=tmp_path).returncode == 0
