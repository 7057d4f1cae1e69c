"""Submissions of agents: packed, inspected, graded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from eval_tiers.api.paths import Pathname

if TYPE_CHECKING:
    from eval_tiers.pipeline.submissions.export_judge import WrittenRequests
    from eval_tiers.pipeline.submissions.grade import Grade, GradeOptions
    from eval_tiers.pipeline.submissions.pack import PackedSubmission
    from eval_tiers.pipeline.submissions.suite import GradedSuite, SuiteOptions
    from eval_tiers.pipeline.submissions.validate_task import TaskValidation
    from eval_tiers.submissions.judge_request import JudgeOptions


def pack_submission(
    output_dir: Pathname,
    *,
    source: Pathname = ".",
    answer: Pathname | None = None,
    artifacts: Sequence[str] = (),
    manifest: Pathname | None = None,
    descriptions: Mapping[str, str] | None = None,
) -> PackedSubmission:
    """Copy an answer and declared files, and write the manifest with their hashes.

    Parameters
    ----------
    output_dir : path-like
        A new or empty folder.
    source : path-like
        Folder that the files' names are relative to.
    answer : path-like, optional
        By default ``answer.md`` of that folder.
    artifacts : sequence of str
        Files to declare, relative to ``source``.
    manifest : path-like, optional
        Instead of ``artifacts``: a manifest whose hashes may be missing or old; by default
        ``analysis_manifest.json`` of the folder.
    descriptions : mapping, optional
        What declared files hold, by path.

    Raises
    ------
    UsageError, BadInputError, MissingResourceError
        See `eval_tiers.exceptions`; nothing is written then.
    """
    from eval_tiers.pipeline.submissions import pack

    options = pack.PackOptions(
        Path(source),
        None if answer is None else Path(answer),
        tuple(artifacts),
        None if manifest is None else Path(manifest),
        dict(descriptions or {}),
    )
    return pack.pack_submission(options, Path(output_dir))


def grade_submission(
    task: Pathname, submission: Pathname, options: GradeOptions | None = None
) -> Grade:
    """Check a submission against a task, and score it where a judge's reply is given.

    Parameters
    ----------
    task, submission : path-like
        Folders.
    options : eval_tiers.pipeline.submissions.grade.GradeOptions, optional

    Returns
    -------
    eval_tiers.pipeline.submissions.grade.Grade
        A judge's reply that can't be had or read is in its `infrastructure`, not raised.

    Raises
    ------
    InfrastructureError
        The task can't be read.
    MissingResourceError, BadInputError
        See `eval_tiers.exceptions`.
    """
    from eval_tiers.pipeline.submissions.grade import grade_submission as grade

    return grade(Path(task), Path(submission), options)


def export_judge(
    task: Pathname,
    submission: Pathname,
    output: Pathname,
    options: JudgeOptions | None = None,
    force: bool = False,
) -> WrittenRequests:
    """Write what was verified of a submission as requests to a judge.

    Parameters
    ----------
    task, submission : path-like
        Folders.
    output : path-like
        Request file.
    options : eval_tiers.submissions.judge_request.JudgeOptions, optional
    force : bool
        Whether a file of that name may be replaced.

    Raises
    ------
    UsageError, BadInputError, MissingResourceError
        See `eval_tiers.exceptions`.
    """
    from eval_tiers.pipeline.submissions.export_judge import export_judge_requests

    return export_judge_requests(Path(task), Path(submission), Path(output), options, force)


def export_suite_judge(
    suite: Pathname, output: Pathname, options: JudgeOptions | None = None, force: bool = False
) -> WrittenRequests:
    """Write what was verified of all trials of a suite as requests to a judge.

    Parameters
    ----------
    suite : path-like
        See `eval_tiers.io.suite_folder`.
    output : path-like
        Request file.
    options : eval_tiers.submissions.judge_request.JudgeOptions, optional
    force : bool
        Whether a file of that name may be replaced.

    Raises
    ------
    UsageError, BadInputError, MissingResourceError
        See `eval_tiers.exceptions`.
    """
    from eval_tiers.pipeline.submissions.export_judge import export_suite_requests

    return export_suite_requests(Path(suite), Path(output), options, force)


def grade_suite(
    suite: Pathname,
    options: SuiteOptions | None = None,
    output_dir: Pathname | None = None,
    force: bool = False,
    tell: Callable[[int, int], None] | None = None,
) -> GradedSuite:
    """Grade every trial of a suite of tasks.

    Parameters
    ----------
    suite : path-like
        See `eval_tiers.io.suite_folder`.
    options : eval_tiers.pipeline.submissions.suite.SuiteOptions, optional
    output_dir : path-like, optional
        Where records, tables and summary are written; nowhere without it.
    force : bool
        Whether a graded suite in that folder may be replaced.
    tell : callable, optional
        Takes how many of how many trials are done.

    Raises
    ------
    UsageError, BadInputError, MissingResourceError
        See `eval_tiers.exceptions`.
    """
    from eval_tiers.pipeline.submissions.suite import SuiteOptions
    from eval_tiers.pipeline.submissions.suite import grade_suite as grade
    from eval_tiers.pipeline.submissions.suite_files import SuiteFiles

    options = options or SuiteOptions()
    files = None if output_dir is None else SuiteFiles(Path(output_dir), force)
    graded = grade(Path(suite), options, None if files is None else files.keep, tell)
    if files is not None:
        files.finish(graded, options.ks)
    return graded


def validate_task(
    task: Pathname | None = None, tell: Callable[[int, int], None] | None = None
) -> TaskValidation:
    """Check a task's files, provenance and oracle, and that faults put into the oracle are found.

    Parameters
    ----------
    task : path-like, optional
        The task's folder; without it, the bundled example.
    tell : callable, optional
        Told how many of how many files' mutations are done.

    Raises
    ------
    MissingResourceError, BadInputError
        There is no task there, or its file is no TOML. Whatever else is wrong is a finding.
    """
    from eval_tiers.io.demo import example_task
    from eval_tiers.pipeline.submissions import validate_task as validation

    return validation.validate_task(example_task() if task is None else Path(task), tell)
