"""Checks tasks and reports before they are judged."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.io.hashes import hash_files
from eval_tiers.io.rubric_reports import find_reports
from eval_tiers.io.rubric_tasks import read_tasks
from eval_tiers.rubrics.tasks import RubricTask

_TOKEN_CHARACTERS: Final = 4  # where no tokenizer is there


@dataclass(slots=True)
class RubricsCheck:
    """What data and reports hold, and what is wrong with them.

    Attributes
    ----------
    figures : dict
        Counts, for the report.
    missing : list of dict
        Tasks whose report is missing, empty or unreadable: sample_id, code, reason.
    without_task : list of str
        Reports that no task asks for.
    findings : list of Finding
    """

    figures: dict[str, Any]
    missing: list[dict[str, str]] = field(default_factory=list)
    without_task: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether there is no error."""
        return not any(finding.level == "error" for finding in self.findings)

    def as_dict(self) -> dict[str, Any]:
        """Return the object of ``--json``."""
        return {
            "ok": self.ok,
            **self.figures,
            "missing_reports": self.missing,
            "reports_without_task": self.without_task,
            "findings": [
                {**finding.as_dict(), "sample_id": finding.where.sample}
                for finding in self.findings
            ],
        }


def check_rubrics(data: Path, responses: Path) -> RubricsCheck:
    """Check a file of tasks and the folder of their reports.

    Raises
    ------
    MissingResourceError
        One of them isn't there or can't be read.
    BadInputError
        The data holds nothing, or no task that can be read.
    """
    tasks, findings = read_tasks(data, strict=False)
    if not tasks:
        errors = [finding for finding in findings if finding.level == "error"]
        raise BadInputError(
            [Problem(one.code, one.message, one.where, one.fix) for one in errors[:20]],
            len(errors),
        )
    reports = find_reports(responses, tasks)
    missing: list[dict[str, str]] = []
    lengths: list[int] = []
    read_findings: list[Finding] = []
    for task in tasks:
        report = reports.read(task.sample_id)
        if report.text is not None:
            lengths.append(len(report.text))
        elif report.finding is not None:
            found = report.finding
            missing.append(
                {"sample_id": task.sample_id, "code": found.code, "reason": found.message}
            )
            read_findings.append(found)
    if len(missing) == len(tasks):
        inner = responses / "agent_responses"
        fix = f"name {inner}" if inner.is_dir() else "reports are named <sample_id>.md"
        message = "no task has a report that can be read"
        where = SourceRef(str(responses))
        read_findings.append(Finding("no-report", message, where, "error", fix))
    figures = _figures(data, tasks, lengths)
    figures["report_n"] = len(lengths)
    figures["missing_report_n"] = len(missing)
    return RubricsCheck(
        figures,
        missing,
        list(reports.without_task),
        [*findings, *read_findings, *reports.findings],
    )


def _figures(data: Path, tasks: list[RubricTask], lengths: list[int]) -> dict[str, Any]:
    rubrics = [rubric for task in tasks for rubric in task.rubrics]
    axes = Counter(rubric.axis or "(none)" for rubric in rubrics)
    return {
        "path": str(data),
        "sha256": hash_files([data])[str(data)],
        "task_n": len(tasks),
        "rubric_n": len(rubrics),
        "penalty_n": sum(rubric.weight < 0 for rubric in rubrics),
        "axes": dict(sorted(axes.items(), key=lambda item: (-item[1], item[0]))),
        "longest_report_n": max(lengths, default=None),
        "longest_report_token_n": None if not lengths else -(-max(lengths) // _TOKEN_CHARACTERS),
    }
