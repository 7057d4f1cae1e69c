"""Judged rubrics as tables that the pages ask; tasks and reports where they are still there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Final

from eval_tiers.exceptions import EvalTiersError, Problem, UsageError
from eval_tiers.io.hashes import hash_files
from eval_tiers.io.rubric_reports import Reports, find_reports
from eval_tiers.io.rubric_tasks import read_tasks
from eval_tiers.rubrics.scored_rows import ScoredRow
from eval_tiers.rubrics.tasks import RubricTask
from eval_tiers.viewer.run import TableRun

DIMENSIONS: Final = ("domain", "conceptual_breadth", "logical_nesting", "exploration")
_LONGEST_LABEL: Final = 150
_TEXT: Final = "text"
_NUMBER: Final = "number"
_COLUMNS: Final = {
    "sample_id": _TEXT, "rubric_index": "count", "criterion": _TEXT, "axis": _TEXT,
    "weight": _NUMBER, "verdict": _TEXT, "score": _NUMBER, "failed": "flag", "state": _TEXT,
    "unscored_reason": _TEXT, "examiner_confidence": _NUMBER, "reasoning": _TEXT,
    **dict.fromkeys(DIMENSIONS, _TEXT), "compliance_score": _NUMBER, "model": _TEXT,
    "prompt_version": _TEXT,
}  # fmt: skip
"""Columns of the table, and what they hold."""


@dataclass(frozen=True)
class JudgedReports:
    """A system's judged rubrics, and what they were made from.

    Attributes
    ----------
    folder : Path
        As it was named.
    summary : mapping
        Of their scores.
    rows : sequence of ScoredRow
    """

    folder: Path
    summary: Mapping[str, Any]
    rows: Sequence[ScoredRow]

    @cached_property
    def samples(self) -> Mapping[str, Mapping[str, Any]]:
        """What the summary says of each sample."""
        return {one["sample_id"]: one for one in self.summary["samples"]}

    @cached_property
    def rows_of(self) -> Mapping[str, list[int]]:
        """Row numbers by sample."""
        found: dict[str, list[int]] = {}
        for place, row in enumerate(self.rows):
            found.setdefault(row.sample_id, []).append(place)
        return found

    @cached_property
    def tasks(self) -> tuple[Mapping[str, RubricTask], str]:
        """The tasks by id, and why there are none."""
        data = [one for one in self.summary["inputs"] if one["role"] == "data"]
        if not data:
            return {}, "the scores were made without --data"
        stated = str(data[0]["path"])
        path = self._located(stated)
        try:
            if path is None:
                return {}, f"the file of tasks isn't there any more: {stated}"
            if hash_files([path])[str(path)] != data[0]["sha256"]:
                return {}, f"the file of tasks was changed since: {stated}"
            tasks, _ = read_tasks(path, strict=False)
        except EvalTiersError as error:
            return {}, f"the file of tasks can't be read: {error.problems[0].message}"
        return {task.sample_id: task for task in tasks}, ""

    @cached_property
    def _reports(self) -> tuple[Reports | None, str]:
        stated = self.summary.get("responses")
        if not isinstance(stated, str):
            return None, "where the reports lie is not recorded beside the results"
        path = self._located(stated)
        if path is None:
            return None, f"the folder of reports isn't there any more: {stated}"
        known, _ = self.tasks
        blank = RubricTask("", "", "", "", "", "", (), 0)
        tasks = list(known.values()) or [_named(blank, name) for name in self.rows_of]
        try:
            return find_reports(path, tasks), ""
        except EvalTiersError as error:
            return None, f"the folder of reports can't be read: {error.problems[0].message}"

    def prompt(self, sample_id: str) -> tuple[str, str]:
        """Return a task's prompt, or why there is none."""
        tasks, reason = self.tasks
        if sample_id in tasks:
            return tasks[sample_id].prompt, ""
        return "", reason or "no task has this id"

    def report(self, sample_id: str) -> tuple[str, str, str]:
        """Return a report's text as it is now, where it lies, and why there is none."""
        reports, reason = self._reports
        if reports is None:
            return "", "", reason
        found = reports.read(sample_id)
        path = "" if found.path is None else str(found.path)
        if found.text is None:
            return "", path, "there is none" if found.finding is None else found.finding.message
        return found.text, path, ""

    def _located(self, stated: str) -> Path | None:
        """Return where an input lies, from here or from the folder of the scores."""
        for base in (Path(), self.folder, *list(self.folder.absolute().parents)[:3]):
            if (base / stated).exists():
                return base / stated
        return None


def _named(task: RubricTask, sample_id: str) -> RubricTask:
    from dataclasses import replace

    return replace(task, sample_id=sample_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricRun(TableRun):
    """Judged rubrics, as far as they are shown.

    Attributes
    ----------
    judged : JudgedReports
    """

    judged: JudgedReports
    noun: ClassVar[str] = "rubric"
    search: ClassVar[tuple[str, str]] = ("text", "criterion or reasoning")

    @property
    def title(self) -> str:
        """What the folder holds."""
        return "judged rubrics"


def open_rubric_run(judged: JudgedReports, scratch: Path) -> RubricRun:
    """Write judged rubrics as a table into a scratch folder, for the pages to ask.

    Raises
    ------
    UsageError
        There is no rubric.
    """
    import pyarrow.parquet as pq

    if not judged.rows:
        raise UsageError(Problem("no-rows", f"{judged.folder} holds no rubric", fix="score again"))
    path = scratch / "rubrics.parquet"
    pq.write_table(_table(judged), path, row_group_size=4096)
    return RubricRun(
        folder=judged.folder.absolute(),
        timestamp=str(judged.summary["run_id"]),
        manifest=judged.summary,
        columns=tuple(_COLUMNS),
        sample_n=len(judged.rows),
        samples=path.absolute(),
        judged=judged,
    )


def _table(judged: JudgedReports) -> Any:
    import pyarrow as pa

    kinds = {"text": pa.string(), "number": pa.float64(), "count": pa.int64(), "flag": pa.bool_()}
    records = [_record(row, judged.samples.get(row.sample_id, {})) for row in judged.rows]
    return pa.table(
        {
            name: pa.array([record[name] for record in records], kinds[kind])
            for name, kind in _COLUMNS.items()
        }
    )


def _record(row: ScoredRow, sample: Mapping[str, Any]) -> dict[str, Any]:
    failure = row.failure
    return {
        "sample_id": row.sample_id,
        "rubric_index": row.rubric_index,
        "criterion": row.criterion,
        "axis": _label(row.axis),
        "weight": row.weight,
        "verdict": row.verdict,
        "score": row.score,
        "failed": None if failure is None else failure > 0,
        "state": row.state,
        "unscored_reason": _label(row.reason),
        "examiner_confidence": row.confidence,
        "reasoning": row.reasoning,
        **{name: _label(sample.get(name)) for name in DIMENSIONS},
        "compliance_score": sample.get("compliance_score"),
        "model": row.model,
        "prompt_version": row.prompt_version,
    }


def _label(text: str | None) -> str | None:
    """Return a text that rows are filtered by, as a form sends it: on one line, not too long."""
    return " ".join((text or "").split())[:_LONGEST_LABEL] or None
