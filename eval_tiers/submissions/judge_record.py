"""``judge.json``: all that was found of a submission, and the score that follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from eval_tiers.submissions.citations import REASONS, CheckedCitation, CreditedRow
from eval_tiers.submissions.codes import CODES
from eval_tiers.submissions.execution import Execution
from eval_tiers.submissions.inspection import Check, Inspection
from eval_tiers.submissions.judge_reply import QuoteCitation, Scalar
from eval_tiers.submissions.judgement import INFRASTRUCTURE, NOT_JUDGED, Judgement
from eval_tiers.submissions.leaks import Leak, is_safe_marker
from eval_tiers.submissions.score import (
    CAP,
    EVALUATOR_CAP,
    LEAKAGE_CAP,
    ROWS,
    Score,
    score_of,
)
from eval_tiers.submissions.task import EvalTask

SCHEMA_VERSION: Final = 1

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Findings:
    """What code found of a submission, before any judge.

    Attributes
    ----------
    inspection : Inspection
    execution : Execution
    leaks : tuple of Leak
    late_failures : tuple of Check
        Of files that changed after they were checked.
    """

    inspection: Inspection
    execution: Execution
    leaks: tuple[Leak, ...] = ()
    late_failures: tuple[Check, ...] = ()

    @property
    def evaluator_failed(self) -> bool:
        """Whether any check of the files failed."""
        return not self.inspection.passed or bool(self.late_failures)

    @property
    def gate_failed(self) -> bool:
        """Whether anything failed that code checks: files, execution, leak scan."""
        return self.evaluator_failed or not self.execution.verified or bool(self.leaks)


def build_judge_record(
    task: EvalTask, findings: Findings, judgement: Judgement, strict_partials: bool = False
) -> Record:
    """Return the record of a graded submission.

    The score is null unless the submission was judged; every other field is filled all the same.
    """
    leakage = bool(findings.leaks) or bool(judgement.leakage_suspected)
    score: Score | None = None
    if judgement.status == "judged":
        score = score_of(
            judgement.tally,
            findings.execution.verified,
            findings.evaluator_failed,
            leakage,
            strict_partials,
        )
    rows = [*judgement.conclusions, *judgement.caveats]
    kinds = ["conclusion"] * len(judgement.conclusions) + ["caveat"] * len(judgement.caveats)
    numbers = [*range(1, len(judgement.conclusions) + 1), *range(1, len(judgement.caveats) + 1)]
    return {
        "schema_version": SCHEMA_VERSION,
        "task_id": task.task_id,
        "evaluator": _evaluator(findings),
        "manifest": dict(findings.inspection.manifest),
        "execution": _execution(findings.execution),
        "judge": _judge(judgement),
        "conclusions": _rows(task.conclusions, judgement.conclusions),
        "caveats": _rows(task.caveats, judgement.caveats),
        "citations": [
            {"expected": kind, "number": number} | _citation(one)
            for kind, number, row in zip(kinds, numbers, rows, strict=True)
            for one in row.citations
        ],
        "leakage": _leakage(task, findings.leaks, judgement.leakage_suspected),
        "score_definition": _definition(task, findings, judgement, score, strict_partials),
        "uncapped_score": None if score is None else score.uncapped,
        "caps": _caps(findings, leakage),
        "score": None if score is None else score.value,
        "verdict": _verdict(judgement, score),
    }


def _evaluator(findings: Findings) -> Record:
    inspection = findings.inspection
    failures = [*inspection.failures, *findings.late_failures]
    codes = dict.fromkeys(check.code for check in failures)
    return {
        "status": "failed" if findings.evaluator_failed else "passed",
        "failures": [check.as_dict() for check in failures],
        "failures_n": inspection.failures_n + len(findings.late_failures),
        "codes": {code: CODES.get(code, "") for code in codes},
        "checks": [step.as_dict() for step in inspection.steps],
        "notes": list(inspection.notes),
    }


def _execution(execution: Execution) -> Record:
    trajectory = execution.trajectory
    source: Record | None = None
    if trajectory is not None:
        source = {
            "path": trajectory.path,
            "record_n": trajectory.record_n,
            "unreadable_n": trajectory.unreadable_n,
            "fault": trajectory.fault,
        }
    lines = {} if trajectory is None else trajectory.first_lines or {}
    return {
        "verified": execution.verified,
        "reason": execution.reason,
        "required_events": list(execution.required),
        "found": [{"event": event, "line": lines.get(event)} for event in execution.found],
        "absent": list(execution.absent),
        "trajectory": source,
    }


def _judge(judgement: Judgement) -> Record:
    return {
        "status": judgement.status,
        "fault": judgement.fault,
        "message": judgement.message,
        "explanation": judgement.explanation,
        "agreement": judgement.agreement,
        "replies": [
            {
                "custom_id": outcome.custom_id,
                "model": outcome.model,
                "path": outcome.path,
                "line": outcome.line,
                "fault": outcome.fault,
                "message": outcome.message,
            }
            for outcome in judgement.outcomes
        ],
    }


def _rows(texts: Sequence[str], rows: Sequence[CreditedRow]) -> list[Record]:
    if not rows:
        return [
            {"text": text, "status": None, "stated_status": None, "citation_n": None,
             "citation_holds_n": None}
            for text in texts
        ]  # fmt: skip
    return [
        {
            "text": row.text,
            "status": row.status,
            "stated_status": row.stated,
            "citation_n": len(row.citations),
            "citation_holds_n": sum(one.holds for one in row.citations),
        }
        for row in rows
    ]


def _citation(checked: CheckedCitation) -> Record:
    citation = checked.citation
    if isinstance(citation, QuoteCitation):
        said: Record = {"path": citation.path, "quote": citation.quote}
    else:
        names = [name for name, _ in citation.key]
        values = [_jsonable(value) for _, value in citation.key]
        key = values if None in names else dict(zip(names, values, strict=True))
        said = {
            "path": citation.path, "key": key, "column": citation.column,
            "value": _jsonable(citation.value),
        }  # fmt: skip
    reason = checked.reason
    return said | {
        "holds": checked.holds,
        "reason": reason,
        "meaning": None if reason is None else REASONS[reason],
    }


def _jsonable(value: Scalar) -> Scalar:
    """Return a cited value; a whole number that has no place in 64 bits as its digits."""
    return str(value) if isinstance(value, int) and abs(value) >= 1 << 63 else value


def _leakage(task: EvalTask, leaks: Sequence[Leak], suspected: bool | None) -> Record:
    return {
        "found": [{"marker": leak.marker, "path": leak.path} for leak in leaks],
        "suspected_by_judge": suspected,
        "marker_n": len(task.leak_markers),
        "short_markers": [one for one in task.leak_markers if not is_safe_marker(one)],
    }


def _definition(
    task: EvalTask,
    findings: Findings,
    judgement: Judgement,
    score: Score | None,
    strict_partials: bool,
) -> Record:
    tally = None if score is None else judgement.tally
    return {
        "rows": [{"score": value, "condition": condition} for value, condition in ROWS],
        "row": None if score is None else score.row + 1,
        "strict_partials": strict_partials,
        "execution_verified": findings.execution.verified,
        "conclusion_n": len(task.conclusions),
        "matched_n": None if tally is None else tally.matched_n,
        "partial_n": None if tally is None else tally.partial_n,
        "wrong_n": None if tally is None else tally.wrong_n,
        "c": None if tally is None else tally.covered(strict_partials),
        "caveat_n": len(task.caveats),
        "caveat_matched_n": None if tally is None else tally.caveat_matched_n,
        "caveat_partial_n": None if tally is None else tally.caveat_partial_n,
        "k": None if tally is None else tally.addressed,
        "cap": CAP,
    }


def _caps(findings: Findings, leakage: bool) -> list[Record]:
    applied = (
        (EVALUATOR_CAP, findings.evaluator_failed, "a check of the files failed"),
        (LEAKAGE_CAP, leakage, "the expected answer leaked, or the judge suspects so"),
    )
    return [
        {"name": name, "limit": CAP, "reason": reason}
        for name, applies, reason in applied
        if applies
    ]


def _verdict(judgement: Judgement, score: Score | None) -> str:
    if score is None:
        return INFRASTRUCTURE if judgement.status == INFRASTRUCTURE else NOT_JUDGED
    if score.value == 1:
        return "right"
    return "not right" if score.value == 0 else "right in part"


def failed_record(task_id: str | None, problems: Sequence[Mapping[str, object]]) -> Record:
    """Return the record of a submission that could not be graded for a fault of the task."""
    return {
        "schema_version": SCHEMA_VERSION,
        "task_id": task_id,
        "evaluator": {"status": "not run", "failures": [], "failures_n": None, "codes": {},
                      "checks": [], "notes": []},
        "manifest": None,
        "execution": None,
        "judge": {"status": INFRASTRUCTURE, "fault": "task", "message": "the task can't be read",
                  "problems": list(problems)},
        "conclusions": [],
        "caveats": [],
        "citations": [],
        "leakage": None,
        "score_definition": None,
        "uncapped_score": None,
        "caps": [],
        "score": None,
        "verdict": INFRASTRUCTURE,
    }  # fmt: skip
