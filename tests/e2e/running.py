"""The real command in a fresh folder, its files read back, and toy inputs."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest

from eval_tiers.cli.console import run_reporting_errors
from eval_tiers.cli.main import cli

Record = dict[str, Any]
Edge = tuple[str, int, str]

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"

# Section 7 of the contract.
TOY_KG: list[Edge] = [
    ("P", 1, "A"), ("A", -1, "B"), ("B", 1, "E"), ("P", 1, "C"), ("C", -1, "E"), ("A", -1, "E"),
]  # fmt: skip
TOY_GMT = "T1\t\tA\tB\nT2\t\tB\tC\nT3\t\tC\tD\tE\n"


def shared(name: str) -> Path:
    """A file of the shared folder, or a skip that says what is missing."""
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"the shared file {name} is not beside this repository")
    return path


def command(*arguments: object, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run ``python -m eval_tiers`` in a folder, as a user would."""
    return subprocess.run(
        [sys.executable, "-m", "eval_tiers", *map(str, arguments)],
        cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False, timeout=300,
    )  # fmt: skip


@dataclass
class Done:
    """How a command ended."""

    returncode: int
    stdout: str
    stderr: str


def in_process(*arguments: object, folder: Path) -> Done:
    """Run the command here, in a folder: the same code, without a new interpreter."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        code = run_reporting_errors(cli, [str(argument) for argument in arguments])
    texts = []
    for stream in (out, err):
        stream.seek(0)
        texts.append(stream.read())
    return Done(code, *texts)


@dataclass
class Run:
    """A finished run's files."""

    folder: Path
    stdout: str = ""
    stderr: str = ""

    def path(self, stem: str, suffix: str) -> Path:
        """The one file of that name."""
        found = list(self.folder.glob(f"{stem}_*.{suffix}"))
        assert len(found) == 1, sorted(self.folder.iterdir())
        return found[0]

    @property
    def summary(self) -> Record:
        return strict_json(self.path("summary", "json"))

    @property
    def manifest(self) -> Record:
        return strict_json(self.path("manifest", "json"))

    @property
    def samples(self) -> pd.DataFrame:
        return frame_of(self.path("samples", "parquet"))

    @property
    def chains(self) -> pd.DataFrame:
        return frame_of(self.path("chains", "parquet"))

    @property
    def csv(self) -> list[dict[str, str]]:
        """The cells of samples.csv as they are written."""
        with self.path("samples", "csv").open(encoding="utf-8", newline="") as handle:
            return list(csv.DictReader(handle))


def frame_of(path: Path) -> pd.DataFrame:
    """A Parquet file as a frame."""
    frame: pd.DataFrame = pq.read_table(path).to_pandas()
    return frame


def strict_json(path: Path) -> Record:
    """JSON without NaN and Infinity."""

    def refuse(word: str) -> float:
        raise AssertionError(f"{path} holds {word}")

    found = json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)
    assert isinstance(found, dict)
    return found


def evaluated(*arguments: object, folder: Path) -> Run:
    """Run ``eval`` with these arguments into ``folder/outputs``; it must succeed."""
    parent = folder / "outputs"
    before = set(parent.iterdir()) if parent.exists() else set()
    done = command("eval", *arguments, folder=folder)
    assert done.returncode == 0, done.stderr
    made = set(parent.iterdir()) - before
    assert len(made) == 1
    run_folder = made.pop()
    assert re.fullmatch(r"\d{8}_\d{6}(-\d+)?", run_folder.name)
    return Run(run_folder, done.stdout, done.stderr)


def write_lines(path: Path, records: Sequence[Record]) -> Path:
    """JSON Lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    path.write_text(text, encoding="utf-8")
    return path


def write_kg(path: Path, edges: Sequence[Edge]) -> Path:
    """Source, target, sign with a header."""
    lines = ["source\ttarget\tsign", *(f"{a}\t{b}\t{sign}" for a, sign, b in edges)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def model_text(answer: str | None, chain: Sequence[Sequence[object]]) -> str:
    """What a model writes; no answer block for None."""
    said = "" if answer is None else f"<answer>{answer}</answer>"
    return f"<thinking>so</thinking>\n{said}\n<triplet>{json.dumps(chain)}</triplet>"


def without_run_facts(summary: Record) -> Record:
    """A summary without what differs from run to run: its id, and where files lie."""
    kept = {key: value for key, value in summary.items() if key != "run_id"}
    kept["findings"] = [
        {key: value for key, value in finding.items() if key not in {"path", "line"}}
        for finding in kept["findings"]
    ]
    kept["files"] = [
        {key: value for key, value in row.items() if not key.endswith("_path")}
        for row in kept["files"]
    ]
    kept["predictions_without_gold"] = [
        {key: value for key, value in row.items() if key not in {"path", "line"}}
        for row in kept["predictions_without_gold"]
    ]
    return kept
