"""Grading one submission: what code checks, what the judge said, and the record of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import (
    BadInputError,
    InfrastructureError,
    MissingResourceError,
    Problem,
    SourceRef,
)
from eval_tiers.io.atomic import atomic_writer, render_json
from eval_tiers.io.judge_files import read_judge_replies
from eval_tiers.io.output_paths import require_free_path
from eval_tiers.io.reply_files import PlacedReply
from eval_tiers.io.submission_folder import inspect_submission
from eval_tiers.io.submission_task import TASK_FILE, LoadedTask, load_task
from eval_tiers.io.trajectory import read_trajectory
from eval_tiers.submissions import codes
from eval_tiers.submissions.citations import CHANGED_FAULTS
from eval_tiers.submissions.execution import verify_execution
from eval_tiers.submissions.inspection import ANSWER_PATH, MANIFEST_PATH, Check, Inspection
from eval_tiers.submissions.judge_record import Findings, build_judge_record, failed_record
from eval_tiers.submissions.judge_request import base_id_of
from eval_tiers.submissions.judgement import Judgement, judge_submission
from eval_tiers.submissions.leaks import Leak, find_leaks
from eval_tiers.submissions.replies import settle_replies
from eval_tiers.submissions.task import EvalTask


@dataclass(frozen=True, slots=True)
class GradeOptions:
    """How a submission is graded.

    Attributes
    ----------
    judge : tuple of Path
        Files with the judge's replies; none: the submission is checked, and not scored.
    trajectory : Path or None
        What the agent did, recorded by the grader; one that lies in the submission counts for
        nothing.
    strict_partials : bool
        A partial conclusion counts nothing.
    output : Path or None
        Where ``judge.json`` is written.
    """

    judge: tuple[Path, ...] = ()
    trajectory: Path | None = None
    strict_partials: bool = False
    output: Path | None = None


@dataclass(frozen=True, slots=True)
class Grade:
    """A graded submission.

    Attributes
    ----------
    record : dict
        As in ``judge.json``.
    gate_failed : bool
        Whether anything failed that code checks: files, execution, leak scan.
    findings : list of Finding
        What is odd about the task.
    """

    record: dict[str, Any]
    gate_failed: bool
    findings: list[Finding] = field(default_factory=list)

    @property
    def infrastructure(self) -> InfrastructureError | None:
        """The error that a submission without the judgement it was to have ends in."""
        judge = self.record["judge"]
        if judge["status"] != "infrastructure failure":
            return None
        first: dict[str, Any] = next(iter(judge["replies"]), {})
        return InfrastructureError(
            Problem(
                f"judge-{judge['fault']}".replace("_", "-"),
                f"no judgement could be had: {judge['message']}; the score is null",
                SourceRef(first.get("path"), first.get("line")),
                "ask the judge again (export-judge, infer), then grade with its reply",
            )
        )


def grade_submission(
    task_folder: Path, submission: Path, options: GradeOptions | None = None
) -> Grade:
    """Grade a submission, and write ``judge.json`` where an output is named.

    Raises
    ------
    InfrastructureError
        The task can't be read; ``judge.json`` says so.
    MissingResourceError, BadInputError
        The submission folder or the trajectory isn't there.
    UsageError
        The output is a folder, a device, or a file that is read.
    """
    options = options or GradeOptions()
    if options.output is not None:
        named = () if options.trajectory is None else (options.trajectory,)
        handed_in = (submission / name for name in (ANSWER_PATH, MANIFEST_PATH))
        own = (task_folder / TASK_FILE, *options.judge, *named, *handed_in)
        require_free_path(options.output, own)
    try:
        loaded = load_task(task_folder)
    except (BadInputError, MissingResourceError) as error:
        problems = [_as_dict(problem) for problem in error.problems]
        _write(options.output, failed_record(None, problems))
        raise InfrastructureError(error.problems, error.total) from error
    return grade_loaded(loaded, submission, options)


def grade_loaded(loaded: LoadedTask, submission: Path, options: GradeOptions) -> Grade:
    """Grade a submission to a task that was read; raises as `grade_submission`."""
    task = loaded.task
    findings = inspect_and_scan(loaded, submission, options.trajectory)
    judgement = judge_from_files(task, findings.inspection, options.judge)
    record = build_judge_record(task, findings, judgement, options.strict_partials)
    _write(options.output, record)
    return Grade(record, findings.gate_failed, loaded.findings)


def inspect_and_scan(
    loaded: LoadedTask, submission: Path, trajectory: Path | None = None
) -> Findings:
    """Return all that code finds of a submission; raises as `grade_submission`."""
    task = loaded.task
    inspection = inspect_submission(submission, task, loaded.references)
    events = task.required_events
    recorded = None if trajectory is None else read_trajectory(trajectory, set(events))
    leaks, late = _scan_for_leaks(task, inspection)
    return Findings(inspection, verify_execution(events, recorded), leaks, late)


def _scan_for_leaks(
    task: EvalTask, inspection: Inspection
) -> tuple[tuple[Leak, ...], tuple[Check, ...]]:
    if not task.leak_markers:
        return (), ()
    found = find_leaks(task.leak_markers, ANSWER_PATH, inspection.answer or "")
    late = []
    for artifact in inspection.readable:
        try:
            found += find_leaks(task.leak_markers, artifact.path, artifact.texts())
        except CHANGED_FAULTS:
            told = "it is no longer the file that was checked"
            late.append(Check(codes.CHANGED_WHILE_READ, artifact.path, told))
    return tuple(found), tuple(late)


def judge_from_files(task: EvalTask, inspection: Inspection, paths: Sequence[Path]) -> Judgement:
    """Return what reply files come to; one that can't be read is an infrastructure failure."""
    if not paths:
        return Judgement("not judged")
    try:
        placed = read_judge_replies(paths)
    except (BadInputError, MissingResourceError) as error:
        problem = error.problems[0]
        where = f"{problem.where}: " if str(problem.where) else ""
        return Judgement(
            "infrastructure failure",
            fault=problem.code.replace("-", "_"),
            message=f"{where}{problem.message}",
        )
    return judge_placed(task, inspection, placed)


def judge_placed(
    task: EvalTask, inspection: Inspection, placed: Sequence[PlacedReply]
) -> Judgement:
    """Return what the replies among those read come to that are about this submission."""
    outcomes = settle_replies(
        [(reply.row, reply.path, reply.line) for reply in placed],
        base_id_of(task, inspection),
        task.task_id,
        task.conclusions,
        task.caveats,
    )
    return judge_submission(outcomes, inspection, declared_paths(inspection))


def declared_paths(inspection: Inspection) -> set[str]:
    """Return the paths that the manifest declares."""
    entries = inspection.manifest.get("artifacts")
    return {str(entry["path"]) for entry in entries} if isinstance(entries, list) else set()


def _write(path: Path | None, record: dict[str, Any]) -> None:
    if path is None:
        return
    with atomic_writer(path) as handle:
        handle.write(render_json(record))


def _as_dict(problem: Problem) -> dict[str, object]:
    return {
        "code": problem.code,
        "message": problem.message,
        "path": problem.where.path,
        "line": problem.where.line,
        "fix": problem.fix,
    }
