"""Where a suite has its tasks, trials and judge's replies.

::

    SUITE/tasks/TASK/eval_task.toml ...        the grader's tasks
    SUITE/submissions/TASK/TRIAL/answer.md ... an agent's trials
    SUITE/judge/*.jsonl                        replies of `infer`, to any of them
    SUITE/judge/TASK/TRIAL.json                or one bare reply to one trial
    SUITE/trajectories/TASK/TRIAL.jsonl        what the agent did, as the grader recorded it
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import BadInputError, MissingResourceError, Problem, SourceRef
from eval_tiers.io.sources import reason_of

_LAYOUT: Final = "a suite has tasks/TASK/eval_task.toml and submissions/TASK/TRIAL/answer.md"
_REPLIES: Final = (".jsonl", ".jsonl.gz", ".jsonl.zst")


@dataclass(frozen=True, slots=True)
class SuiteTrial:
    """One trial's places; None for what isn't there."""

    task: str
    trial: str
    submission: Path
    reply: Path | None
    trajectory: Path | None

    def require_folder(self) -> None:
        """Raise BadInputError for a symbolic link: only the grader may name what is followed."""
        if self.submission.is_symlink():
            where = SourceRef(str(self.submission))
            fix = "copy the folder into the suite"
            raise BadInputError(Problem("symlink", "the trial is a symbolic link", where, fix))


@dataclass(frozen=True, slots=True)
class Suite:
    """A suite's places.

    Attributes
    ----------
    tasks : dict of str to Path
        Folder by name, sorted.
    trials : dict of str to list of SuiteTrial
        By task; every task has an entry.
    replies : list of Path
        Reply files of all.
    findings : list of Finding
        Submissions to tasks that aren't there, and what is no folder.
    """

    tasks: dict[str, Path]
    trials: dict[str, list[SuiteTrial]]
    replies: list[Path]
    findings: list[Finding]


def find_suite(root: Path) -> Suite:
    """Look a suite's folders over; no file in them is opened.

    Names that begin with a dot, and ``__MACOSX``, are passed over.

    Raises
    ------
    MissingResourceError, BadInputError
        There is no such folder, or no task in it.
    """
    where = SourceRef(str(root))
    if not root.is_dir():
        told = "the suite is no folder" if root.exists() else "the suite folder does not exist"
        raise MissingResourceError(Problem("no-such-folder", told, where, _LAYOUT))
    tasks = {path.name: path for path in _folders(root / "tasks")}
    if not tasks:
        raise BadInputError(Problem("no-tasks", "there is no task in the suite", where, _LAYOUT))
    findings: list[Finding] = []
    for path in _folders(root / "submissions"):
        if path.name not in tasks:
            told = f"there are submissions to {path.name!r}, and no task of that name"
            findings.append(Finding("no-such-task", told, SourceRef(str(path))))
    for task in tasks:
        for path in _entries(root / "submissions" / task):
            if path.is_file() and not path.is_symlink():
                told = "this is no folder: it is no trial"
                findings.append(Finding("not-a-trial", told, SourceRef(str(path)), "note"))
    trials = {
        task: [
            SuiteTrial(
                task,
                path.name,
                path,
                _first(root / "judge" / task, path.name, (".json", *_REPLIES)),
                _first(root / "trajectories" / task, path.name, _REPLIES),
            )
            for path in _entries(root / "submissions" / task)
            if path.is_symlink() or not path.is_file()
        ]
        for task in tasks
    }
    if not any(trials.values()):
        told = "there is no trial in the suite"
        findings.append(
            Finding("no-trials", told, SourceRef(str(root / "submissions")), fix=_LAYOUT)
        )
    replies = []
    for path in _entries(root / "judge"):
        if path.name.endswith(_REPLIES):
            replies.append(path)
        elif path.is_file():
            told = "this is no reply file: those of a suite end in .jsonl"
            findings.append(Finding("not-a-reply-file", told, SourceRef(str(path)), "note"))
    return Suite(tasks, trials, replies, findings)


def _first(folder: Path, stem: str, suffixes: tuple[str, ...]) -> Path | None:
    """Return what is there under the first of these names, be it a file that can be read or not."""
    paths = (folder / f"{stem}{suffix}" for suffix in suffixes)
    return next((path for path in paths if os.path.lexists(path)), None)


def _folders(folder: Path) -> Iterator[Path]:
    return (path for path in _entries(folder) if path.is_dir())


def _entries(folder: Path) -> list[Path]:
    try:
        names = sorted(os.listdir(folder)) if folder.is_dir() else []
    except OSError as error:
        told = f"the folder can't be listed: {reason_of(error)}"
        raise MissingResourceError(
            Problem("unreadable-path", told, SourceRef(str(folder)))
        ) from error
    return [folder / name for name in names if not name.startswith(".") and name != "__MACOSX"]
