"""What is printed and written: strict JSON, 80 columns, plain text in a log, safe cells."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from eval_tiers.cli.progress import Progress
from eval_tiers.report.lines import fitted
from eval_tiers.report.terminal import render_summary
from tests.robust.samples import (
    COMMAND,
    GENE_SETS,
    GOLD,
    GRAPH,
    PREDICTIONS,
    Ran,
    Row,
    check_counted,
    evaluate_pair,
    gold_row,
    json_lines,
    prediction_row,
    run_command,
)

WIDTH = 80
ODD_TEXT = "Zürich→\u2028名"


def lines_too_long(text: str) -> list[str]:
    """Return lines over 80 columns, but for those that name a path."""
    return [
        line
        for line in text.split("\n")
        if len(line) > WIDTH and not line.startswith(("  where: ", "Files in "))
    ]


def in_process(folder: Path, *options: str, **settings: Any) -> subprocess.CompletedProcess[bytes]:
    """Evaluate an odd pair of files in a process of its own."""
    gold = json_lines([gold_row(ODD_TEXT, cell_line=ODD_TEXT), gold_row("b\ud83d")])
    (folder / "gold.jsonl").write_bytes(gold)
    (folder / "model.jsonl").write_bytes(json_lines([prediction_row("other→")]))
    arguments = ["--gt-file", "gold.jsonl", "--pred-file", "model.jsonl", "--tiers", "1"]
    return subprocess.run(
        [*COMMAND, "eval", *arguments, *options],
        cwd=folder,
        check=False,
        timeout=60,
        **{"capture_output": True} | settings,
    )


@pytest.mark.e2e
@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
    ids=["C", "ASCII"],
)
def test_any_terminal_encoding(tmp_path: Path, environment: dict[str, str]) -> None:
    ran = in_process(tmp_path, "--json", env=os.environ | environment)
    assert ran.returncode == 0, ran.stderr
    assert ODD_TEXT in json.loads(ran.stdout)["by_cell_line"]
    assert b"[prediction-without-gold]" in ran.stderr
    assert b"Traceback" not in ran.stderr
    plain = in_process(tmp_path, env=os.environ | environment)
    assert plain.returncode == 0
    assert b"\r" not in plain.stdout + plain.stderr


@pytest.mark.e2e
@pytest.mark.parametrize("options", [(), ("--json",)], ids=["text", "JSON"])
def test_a_reader_that_goes_is_no_error(tmp_path: Path, options: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe:
        ran = in_process(
            tmp_path, *options, capture_output=False, stdout=pipe, stderr=subprocess.PIPE
        )
    assert ran.returncode == 0, ran.stderr
    assert b"Traceback" not in ran.stderr
    assert b"BrokenPipe" not in ran.stderr


@pytest.mark.e2e
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="not here: no /dev/full")
def test_a_full_disk_below_stdout_is_told(tmp_path: Path) -> None:
    with open("/dev/full", "wb") as full:
        ran = in_process(tmp_path, capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert ran.returncode == 4
    assert b"[system-error] No space left" in ran.stderr
    assert b"Traceback" not in ran.stderr


@pytest.mark.e2e
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_streams_may_be_closed(tmp_path: Path, closed: str) -> None:
    (tmp_path / "gold.jsonl").write_bytes(GOLD)
    (tmp_path / "model.jsonl").write_bytes(PREDICTIONS)
    command = "eval --gt-file gold.jsonl --pred-file model.jsonl --tiers 1 --json"
    ran = subprocess.run(
        f"{sys.executable} -m eval_tiers {command} {closed}",
        shell=True, cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0
    assert len(list((tmp_path / "outputs").rglob("summary_*.json"))) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        ("eval", "--help"),
        ("eval", "--help-formats"),
        ("kg", "--help"),
        ("kg", "info", "--help"),
        ("gmt", "lint", "--help"),
    ],
    ids=" ".join,
)
def test_help_fits_80_columns(arguments: tuple[str, ...]) -> None:
    ran = run_command(*arguments)
    assert ran.code == 0
    assert [line for line in ran.out.split("\n") if len(line) > WIDTH] == []


SAID: dict[str, tuple[bytes, bytes, tuple[str, ...]]] = {
    "all well": (GOLD, PREDICTIONS, ()),
    "rollouts": (
        GOLD,
        json_lines([prediction_row(f"g{n}", rollout=k) for n in range(1, 6) for k in range(9)]),
        (),
    ),
    "torn": (GOLD, PREDICTIONS[:-30] + b"\n" + b"{torn\n" * 30, ()),
    "none": (GOLD, b"", ()),
    "no answers": (GOLD, json_lines([prediction_row(f"g{n}", "?") for n in range(1, 6)]), ()),
    "other genes": (
        json_lines([gold_row("a", path=[["ENSG00000141510", "+", "ENSG00000124762"]])]),
        json_lines([prediction_row("a", "<triplet>[[X, +, Y]]</triplet>")]),
        (),
    ),
    "gold at odds with its chains": (
        json_lines([gold_row(f"g{n}", answer="up") for n in range(60)]),
        json_lines([prediction_row(f"g{n}") for n in range(60)]),
        (),
    ),
    "no fields": (GOLD, json_lines([{f"field {n}": n for n in range(40)}]), ()),
    "bad labels": (
        json_lines([gold_row("a", answer="up or down " * 20)]),
        json_lines([prediction_row("a")]),
        (),
    ),
    "ids on one side": (GOLD, json_lines([{"output": "x"}]), ()),
    "duplicates": (GOLD, PREDICTIONS * 2, ()),
    "split": (GOLD, PREDICTIONS, ("--tiers", "9")),
}


@pytest.mark.parametrize(("gold", "predictions", "options"), SAID.values(), ids=SAID)
def test_all_that_is_said_fits_80_columns(
    tmp_path: Path, gold: bytes, predictions: bytes, options: tuple[str, ...]
) -> None:
    ran = evaluate_pair(tmp_path, gold, predictions, *options)
    sets = tmp_path / "sets.gmt"
    sets.write_text(GENE_SETS)
    shown = run_command(
        "eval", "--gt-file", tmp_path / "gold_chemical.jsonl",
        "--pred-file", tmp_path / "model_chemical.jsonl", "--external-kg", tmp_path / "graph.tsv",
        "--go-gmt", sets, "--tiers", "1", "2", "3", "-o", ran.outputs, *options,
    )  # fmt: skip
    assert shown.code == ran.code
    assert lines_too_long(shown.out + shown.err) == []
    assert "None" not in shown.out
    assert "nan" not in shown.out.split()


def test_large_counts_and_odd_names_fit_80_columns(tmp_path: Path) -> None:
    summary = evaluate_pair(tmp_path).summary
    large = _times(summary, 400_000) | {"tiers": summary["tiers"]}
    figures = next(iter(large["by_split"].values()))
    names = ("a\nb\x1b[31m", "名前" * 20, "a" * 60, "", "e\u0301" * 30)
    text = render_summary(large | {"by_split": dict.fromkeys(names, figures)}, "Evaluation")
    assert "2,000,000 questions" in text
    assert "\x1b" not in text
    assert [line for line in text.split("\n") if len(line) > WIDTH] == []


def _times(value: Any, factor: int) -> Any:
    if isinstance(value, dict):
        return {key: _times(item, factor) for key, item in value.items()}
    if isinstance(value, list):
        return [_times(item, factor) for item in value]
    return value * factor if isinstance(value, int) and not isinstance(value, bool) else value


def test_names_are_cut_by_their_width() -> None:
    assert fitted("ab", 4) == "ab  "
    assert fitted("abcdef", 4) == "abc~"
    assert fitted("名前名前", 5) == "名前~"
    assert fitted("名前名前", 6) == "名前~ "


def test_progress_in_a_log_is_a_line_a_minute(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [0.0]
    monkeypatch.setattr("eval_tiers.cli.progress.time.monotonic", lambda: now[0])
    progress = Progress("questions")
    for second in range(0, 181):
        now[0] = float(second)
        progress(second, 180)
    err = capsys.readouterr().err
    assert err.count("\n") == 3
    assert "\r" not in err


def test_progress_on_a_terminal_wipes_its_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [0.0]
    monkeypatch.setattr("eval_tiers.cli.progress.time.monotonic", lambda: now[0])
    progress = Progress("questions")
    progress.terminal = True
    for done in (1, 10, 100, 200):
        now[0] += 1.0
        progress(done, 200)
    screen = ""
    for part in capsys.readouterr().err.split("\r"):
        screen = part + screen[len(part) :]
    assert screen.strip() == ""


FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "=cmd|' /C calc'!A0"]


@pytest.mark.parametrize("safe", [True, False])
def test_formulas_are_made_safe_on_demand(tmp_path: Path, safe: bool) -> None:
    rows: list[Row] = [
        gold_row(f"{text}{number}", cell_line=text, gene=text, pert=text)
        for number, text in enumerate(FORMULAS)
    ]
    options = ("--spreadsheet-safe",) if safe else ()
    split = ("--split", "=1+1")
    predictions = json_lines([prediction_row(row["id"], rollout="=1") for row in rows])
    ran = evaluate_pair(tmp_path, json_lines(rows), predictions, *options, *split)
    check_counted(ran, {"scored": len(rows)}, {"matched": len(rows)})
    cells = [cell for table in _tables(ran) for row in table[1:] for cell in row]
    risky = [cell for cell in cells if cell.startswith(("=", "+", "@", "\t", "\r", "-"))]
    if safe:
        assert [cell for cell in risky if not _is_number(cell)] == []
        assert "'=1+1" in cells
    else:
        assert "=1+1" in cells
        assert not [cell for cell in cells if cell.startswith("'")]
    assert [row["sample_id"] for row in ran.samples()] == [row["id"].strip() for row in rows]


def _tables(ran: Ran) -> list[list[list[str]]]:
    paths = sorted(ran.outputs.rglob("*.csv"))
    assert len(paths) == 2
    return [list(csv.reader(io.StringIO(path.read_text("utf-8"), newline=""))) for path in paths]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def test_both_tables_hold_the_same(tmp_path: Path) -> None:
    rows = [gold_row(text) for text in ['a"b', "a,b", "a\nb", "a\r\nb", " a", "é", "a\x00b", "NA"]]
    ran = evaluate_pair(tmp_path, json_lines(rows), json_lines([prediction_row('a"b')]))
    assert ran.code == 0
    (path,) = ran.outputs.rglob("samples_*.csv")
    with open(path, encoding="utf-8", newline="") as handle:
        written = [row["sample_id"] for row in csv.DictReader(handle)]
    assert written == [row["sample_id"] for row in ran.samples()]


def test_json_of_every_run_is_strict(tmp_path: Path) -> None:
    ran = evaluate_pair(tmp_path, GOLD, b"")
    for path in ran.outputs.rglob("*.json"):
        text = path.read_text("utf-8")
        assert json.loads(text, parse_constant=pytest.fail) is not None
    assert ran.summary["hallucination_rate"] is None


def test_output_folders_that_cant_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text(GRAPH)
    for name in ("file", "file/below", "x" * 300):
        ran = evaluate_pair(tmp_path, GOLD, PREDICTIONS, "-o", tmp_path / name)
        assert ran.code == 4
        assert ran.codes == ["cannot-write"]
        assert "Errno" not in ran.err
        assert "name another with -o" in ran.err
