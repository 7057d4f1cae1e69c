"""A task folder and a submission folder, read and held against each other."""

from __future__ import annotations

from pathlib import Path

from eval_tiers.io.submission_folder import inspect_submission
from eval_tiers.io.submission_task import LoadedTask, load_task
from eval_tiers.submissions.inspection import Inspection


def inspect_folders(task_dir: Path, submission_dir: Path) -> tuple[LoadedTask, Inspection]:
    """Load a task and inspect one submission to it.

    Raises
    ------
    MissingResourceError, BadInputError
        The task is at fault, or there is no such submission folder; what is wrong in the
        submission is a failed check of the inspection.
    """
    loaded = load_task(task_dir)
    return loaded, inspect_submission(submission_dir, loaded.task, loaded.references)
