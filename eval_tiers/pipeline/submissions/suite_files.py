"""The files of a graded suite: a record a trial, two tables, the summary last."""

from __future__ import annotations

import csv
import hashlib
import io
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from eval_tiers.exceptions import Problem, SourceRef, UsageError
from eval_tiers.io.atomic import atomic_writer, render_json
from eval_tiers.pipeline.submissions.suite import TRIAL_COLUMNS, GradedSuite
from eval_tiers.submissions.trials import Trial

SUMMARY_NAME: Final = "suite.json"
_NAME_BYTES: Final = 200
_TASK_COLUMNS: Final = (
    "task", "trial_n", "judged_n", "not_judged_n", "infrastructure_n", "failed_check_trial_n",
    "score_mean", "score_low", "score_high", "score_n", "passed_n",
)  # fmt: skip


class SuiteFiles:
    """Writes a graded suite into a folder.

    Parameters
    ----------
    folder : Path
        ``grades/TASK/TRIAL.json``, ``trials.csv``, ``tasks.csv`` and ``suite.json``.
    force : bool
        Whether an earlier suite may be replaced.

    Raises
    ------
    UsageError
        There is a suite in the folder, or something that is no folder.
    """

    def __init__(self, folder: Path, force: bool = False) -> None:
        self.folder = folder
        where = SourceRef(str(folder))
        if folder.exists() and not folder.is_dir():
            told = "there is something of that name that is no folder"
            raise UsageError(Problem("output-exists", told, where, "name another folder with -o"))
        summary = folder / SUMMARY_NAME
        if summary.exists() and not force:
            told = "there is a graded suite in this folder"
            fix = "name another folder with -o, or replace it with --force"
            raise UsageError(Problem("output-exists", told, where, fix))
        self._left = set(folder.glob("grades/*/*.json")) if summary.exists() else set()
        summary.unlink(missing_ok=True)

    def keep(self, trial: Trial, record: dict[str, Any]) -> None:
        """Write the record of a trial."""
        path = self.folder / "grades" / trial.task / record_name(trial.trial)
        self._left.discard(path)
        _write(path, render_json(record))

    def finish(self, graded: GradedSuite, ks: Sequence[int]) -> None:
        """Write the tables, then the summary; records of an earlier suite's trials go."""
        for path in self._left:
            path.unlink(missing_ok=True)
        rows = (
            [trial.task, trial.trial, trial.status, trial.score]
            + [trial.record[name] for name in TRIAL_COLUMNS]
            for trial in graded.trials
        )
        header = ["task", "trial", "status", "score", *TRIAL_COLUMNS]
        _write(self.folder / "trials.csv", _csv([header, *rows]))
        tasks = graded.summary["tasks"]
        table: list[list[object]] = [[*_TASK_COLUMNS, *(f"pass_at_{k}" for k in ks)]]
        for task in tasks:
            row = [task[name] for name in _TASK_COLUMNS]
            table.append([*row, *(task["pass_at"][str(k)] for k in ks)])
        _write(self.folder / "tasks.csv", _csv(table))
        _write(self.folder / SUMMARY_NAME, render_json(graded.summary))


def record_name(trial: str) -> str:
    """Return the file name of a trial's record; a hash stands for the end of a long name.

    Examples
    --------
    >>> record_name("t1"), len(record_name("t" * 255))
    ('t1.json', 218)
    """
    name = os.fsencode(trial)
    if len(name) <= _NAME_BYTES:
        return f"{trial}.json"
    start = name[:_NAME_BYTES].decode("utf-8", "ignore")
    return f"{start}-{hashlib.sha256(name).hexdigest()[:12]}.json"


def _csv(rows: Iterable[Sequence[object]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode("utf-8", "backslashreplace")


def _write(path: Path, data: bytes) -> None:
    with atomic_writer(path) as handle:
        handle.write(data)
