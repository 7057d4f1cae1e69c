"""An agent's own side: its answer and declared files as a submission that can be graded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from eval_tiers.exceptions import BadInputError, Problem, SourceRef, UsageError
from eval_tiers.io.atomic import atomic_writer
from eval_tiers.io.submission_packing import (
    copy_declared,
    new_submission,
    read_answer,
    read_draft,
    write_manifest,
)
from eval_tiers.submissions import codes
from eval_tiers.submissions.inspection import ANSWER_PATH, MANIFEST_PATH, Check
from eval_tiers.submissions.manifest import Declaration, parse_manifest
from eval_tiers.submissions.paths import folded_path
from eval_tiers.submissions.task import Limits


@dataclass(frozen=True, slots=True)
class PackOptions:
    """What goes into a submission.

    Attributes
    ----------
    source : Path
        Folder that the files' names are relative to.
    answer : Path or None
        None: ``answer.md`` of that folder.
    artifacts : tuple of str
        Relative paths.
    manifest : Path or None
        Instead of ``artifacts``: a manifest whose hashes may be missing or old.
    descriptions : mapping
        By path.
    """

    source: Path
    answer: Path | None = None
    artifacts: tuple[str, ...] = ()
    manifest: Path | None = None
    descriptions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PackedSubmission:
    """A submission that was written.

    Attributes
    ----------
    path : Path
    artifacts : list of dict
        Path, sha256 and description, as the manifest has them.
    """

    path: Path
    artifacts: list[dict[str, object]]


def pack_submission(options: PackOptions, output: Path) -> PackedSubmission:
    """Copy the answer and the declared files, and write the manifest with their hashes.

    Nothing else is copied, and nothing is written if one of them would be refused.

    Raises
    ------
    UsageError
        No file is named, or in two ways; the output is there already.
    MissingResourceError, BadInputError
        A file is missing, or is one that grading would refuse.
    """
    declared, rest = _declared(options)
    answer = read_answer(options.answer or options.source / ANSWER_PATH)
    with new_submission(output) as target:
        entries = copy_declared(options.source, declared, target)
        with atomic_writer(target / ANSWER_PATH) as handle:
            handle.write(answer)
        write_manifest(target, {"artifacts": entries, **rest})
    return PackedSubmission(output, entries)


def _declared(options: PackOptions) -> tuple[list[Declaration], dict[str, object]]:
    """Return the files to copy, and the manifest's other keys."""
    if options.artifacts and options.manifest is not None:
        told = "files are named by --artifact and by a manifest"
        raise UsageError(Problem("two-lists", told, fix="give one of them"))
    rest: dict[str, object] = {}
    if options.artifacts:
        listed = [{"path": path} for path in options.artifacts]
        data = json.dumps({"artifacts": listed}).encode()
        where = SourceRef()
    else:
        path = options.manifest or options.source / MANIFEST_PATH
        if options.manifest is None and not path.is_file():
            told = "no file is named"
            fix = "give --artifact PATH for each, or --manifest FILE"
            raise UsageError(Problem("no-artifact", told, fix=fix))
        data, where = read_draft(path), SourceRef(str(path))
    declared, checks = parse_manifest(data, Limits().artifacts, hashed=False)
    problems = [_problem(check, where) for check in checks]
    declared = declared or []
    for item in declared:
        if folded_path(item.path) in {ANSWER_PATH, MANIFEST_PATH}:
            told = f"{item.path!r} is no artifact: it is handed in anyway"
            problems.append(Problem("reserved-path", told, where, "leave it out"))
    paths = {item.path for item in declared}
    for path_described in options.descriptions:
        if path_described not in paths:
            told = f"{path_described!r} is described and not declared"
            problems.append(Problem("unknown-path", told, where, "check the path"))
    if problems:
        raise BadInputError(problems)
    if not options.artifacts:
        rest = json.loads(data.decode("utf-8-sig"))
        del rest["artifacts"]
    return [
        Declaration(item.path, "", options.descriptions.get(item.path, item.description))
        for item in declared
    ], rest


def _problem(check: Check, where: SourceRef) -> Problem:
    told = check.message
    if check.path != MANIFEST_PATH:
        told = f"{check.path!r}: {told}"
    fixes = {
        codes.ABSOLUTE_PATH: "name files from the folder on",
        codes.ESCAPES_ROOT: "name files from the folder on",
        codes.DUPLICATE_DECLARATION: "leave one of them",
    }
    fix = fixes.get(check.code, "mend it" if where.path else "name another file")
    return Problem(check.code.replace("_", "-"), told, where, fix)
