"""``gmt info`` and ``gmt lint`` as they are called."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval_tiers.cli.commands.gmt import command
from eval_tiers.cli.console import run_reporting_errors
from eval_tiers.go.describe import REFERENCE_GENE_N, REFERENCE_SET_N, describe_gmt
from tests.unit.go.samples import WORKED_GMT

FAULTY = b"S\tna\tTP53\tBAX\nT\tBAX\tMDM2\tRB1\nU\t\tTP53\tTP53\tRB1\n"


def run(*argv: str) -> int:
    return run_reporting_errors(command, list(argv))


@pytest.fixture
def sets(tmp_path: Path) -> Path:
    path = tmp_path / "sets.gmt"
    path.write_bytes(WORKED_GMT)
    return path


def test_lint_of_a_clean_file(sets: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("lint", str(sets)) == 0
    lines = capsys.readouterr().out.strip().split("\n")
    assert lines[0] == "No faults found."
    assert lines[-1].startswith("Next: ")


def test_lint_names_lines_and_what_to_do(sets: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sets.write_bytes(FAULTY)
    assert run("lint", str(sets)) == 1
    out = capsys.readouterr().out
    assert f"{sets}:2" in out and f"{sets}:3" in out and f"{sets}:1" not in out
    assert "Found 1 error, 1 warning." in out
    assert out.strip().split("\n")[-1].startswith("Next: mend the file")


def test_lint_limits_what_it_prints(sets: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sets.write_bytes(FAULTY)
    assert run("lint", str(sets), "--limit", "1") == 1
    out = capsys.readouterr().out
    assert "... and 1 more" in out
    assert f"{sets}:2" in out and f"{sets}:3" not in out


def test_lint_as_json(sets: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sets.write_bytes(FAULTY)
    assert run("lint", str(sets), "--json") == 1
    value = json.loads(capsys.readouterr().out)
    assert (value["error_n"], value["warning_n"], value["note_n"]) == (1, 1, 0)
    assert value["finding_n"] == {"duplicate-gene": 1, "missing-description": 1}
    assert [(found["code"], found["line"]) for found in value["findings"]] == [
        ("missing-description", 2),
        ("duplicate-gene", 3),
    ]


def test_notes_alone_are_no_failure(sets: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sets.write_bytes(b"\xef\xbb\xbf# c\r\n\r\nS\t\tA\tB\r\n")
    assert run("lint", str(sets)) == 0
    assert "4 notes" in capsys.readouterr().out


def test_a_web_page_is_one_finding(sets: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sets.write_bytes(b"<!DOCTYPE html>\n<html>\n\t<a>\tx\ty</a>\n</html>\n")
    assert run("lint", str(sets)) == 1
    out = capsys.readouterr().out
    assert out.count("Error:") == 1 and "HTML" in out and f"{sets}:1" in out
    assert run("info", str(sets)) == 3


def test_info(sets: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("info", str(sets)) == 0
    out = capsys.readouterr().out
    assert "sets           3" in out and "genes          5" in out
    assert "findings       none" in out
    assert all(len(line) <= 80 for line in out.split("\n") if str(sets) not in line)


def test_info_as_json(sets: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sets.write_bytes(FAULTY)
    assert run("info", str(sets), "--json") == 0
    value = json.loads(capsys.readouterr().out)
    assert (value["set_n"], value["gene_n"], value["membership_n"]) == (3, 4, 6)
    assert value["set_size"] == dict.fromkeys(("min", "q25", "median", "q75", "max", "mean"), 2)
    assert (value["likely_identifier"], value["symbol_case"]) == ("gene symbol", "upper")
    assert value["likely_organism"] == "human"
    assert value["matches_reference"] is False
    assert len(value["sha256"]) == 64
    assert value["finding_n"] == {"duplicate-gene": 1, "missing-description": 1}


def test_info_says_when_a_file_has_the_reference_counts() -> None:
    lines = [f"T{index}\t\tG0\tG1" for index in range(REFERENCE_SET_N - 1)]
    lines.append("ALL\t\t" + "\t".join(f"G{index}" for index in range(REFERENCE_GENE_N)))
    assert describe_gmt("\n".join(lines).encode(), "x.gmt")["matches_reference"] is True


@pytest.mark.parametrize("name", ["info", "lint"])
def test_missing_file_and_directory(name: str, tmp_path: Path) -> None:
    assert run(name, str(tmp_path / "absent.gmt")) == 4
    assert run(name, str(tmp_path)) == 3
