"""Finds and reads the reports that are judged: ``agent_responses/<sample_id>.md``."""

from __future__ import annotations

import hashlib
import os
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import quote

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import (
    BadInputError,
    EvalTiersError,
    MissingResourceError,
    Problem,
    SourceRef,
)
from eval_tiers.io.sources import UTF8_BOM, reason_of, refuse_utf16, require_file
from eval_tiers.io.text_lines import decode_text
from eval_tiers.rubrics.tasks import RubricTask

SUFFIX: Final = ".md"
MAX_BYTES: Final = 1 << 26
_LONGEST_NAME: Final = 255
_MISSING: Final = "report-missing"


@dataclass(frozen=True, slots=True)
class Report:
    """A task's report.

    Attributes
    ----------
    sample_id : str
    path : Path or None
        Its file; None where there is none.
    text : str or None
        UTF-8 without a byte order mark, lines ending in LF; None where it is missing, empty or
        can't be read.
    finding : Finding or None
        Why there is no text.
    """

    sample_id: str
    path: Path | None
    text: str | None
    finding: Finding | None = None


@dataclass(frozen=True, slots=True)
class Reports:
    """The reports in a folder.

    Attributes
    ----------
    folder : Path
    files : dict of Path
        By sample_id; ids without one are missing.
    without_task : tuple of str
        Reports that no task asks for, as names in the folder.
    findings : list of Finding
        Warnings: reports without a task, ids whose reports may have one and the same name.
    """

    folder: Path
    files: dict[str, Path]
    without_task: tuple[str, ...]
    findings: list[Finding] = field(default_factory=list)

    def read(self, sample_id: str) -> Report:
        """Return a task's report; one that is missing, empty or unreadable has no text."""
        path = self.files.get(sample_id)
        if path is None:
            names = " or ".join(map(repr, names_of(sample_id)))
            message = f"there is no report: {names} is not in {self.folder}"
            where = SourceRef(str(self.folder), None, None, sample_id)
            return Report(sample_id, None, None, Finding(_MISSING, message, where))
        try:
            return Report(sample_id, path, _read(path, self.folder))
        except EvalTiersError as error:
            problem = error.problems[0]
            where = SourceRef(str(path), problem.where.line, None, sample_id)
            finding = Finding(problem.code, problem.message, where, fix=problem.fix)
            return Report(sample_id, path, None, finding)


def names_of(sample_id: str) -> list[str]:
    """Return the file names under which a report is looked for, best first.

    ``<sample_id>.md``; where the id has characters that a name can't or shouldn't have, also the
    id with those as ``%XX``; where that is longer than a name may be, the SHA-256 of the id.

    Examples
    --------
    >>> names_of("r1"), names_of("a/b"), names_of("../x")
    (['r1.md'], ['a/b.md', 'a%2Fb.md'], ['..%2Fx.md'])
    """
    escaped = quote(sample_id.encode("utf-8", "surrogatepass"), safe=" ") + SUFFIX
    names = []
    if _is_inside(sample_id):
        names.append(sample_id + SUFFIX)
    if not names or (escaped != names[0] and not _is_plain(sample_id)):
        names.append(escaped)
    fitting = [name for name in names if _fits(name)]
    if fitting:
        return fitting
    digest = hashlib.sha256(sample_id.encode("utf-8", "surrogatepass")).hexdigest()
    return [digest + SUFFIX]


def find_reports(folder: Path, tasks: Sequence[RubricTask]) -> Reports:
    """Find the report of each task; nothing is read, and nothing outside the folder is looked at.

    Names are compared as they are written; where there is none, in one Unicode form, as file
    systems may change it.

    Raises
    ------
    MissingResourceError, BadInputError
        The folder isn't there, is no folder or can't be listed.
    """
    present = dict.fromkeys(_markdown_files(folder))
    by_form: dict[str, list[str]] = {}
    for name in present:
        by_form.setdefault(_form(name), []).append(name)
    files: dict[str, Path] = {}
    taken: set[str] = set()
    for place, exact in ((0, True), (1, True), (0, False), (1, False)):
        for task in tasks:
            for wanted in names_of(task.sample_id)[place : place + 1]:
                here = by_form.get(_form(wanted), [])
                name = wanted if exact else here[0] if len(here) == 1 else ""
                if task.sample_id not in files and name in present and name not in taken:
                    files[task.sample_id] = folder / name
                    taken.add(name)
    without_task = tuple(sorted(name for name in present if name not in taken))
    findings = [
        Finding("report-without-task", f"no task has the report {name!r}", SourceRef(str(folder)),
                fix="leave it, or mend its name: <sample_id>.md")
        for name in without_task
    ]  # fmt: skip
    return Reports(folder, files, without_task, findings + _check_ids(tasks, str(folder)))


def _check_ids(tasks: Sequence[RubricTask], folder: str) -> list[Finding]:
    """Warn of ids whose reports may have one and the same name, here or on other file systems."""
    first: dict[str, str] = {}
    findings = []
    for task in tasks:
        names = {_form(name).casefold() for name in names_of(task.sample_id)}
        others = {first.setdefault(name, task.sample_id) for name in names} - {task.sample_id}
        if others:
            message = f"its report may have the name of that of {min(others)!r}"
            where = SourceRef(folder, None, None, task.sample_id)
            fix = "make sure that both reports are there: some file systems keep only one"
            findings.append(Finding("ids-alike", message, where, fix=fix))
    return findings


def _markdown_files(folder: Path) -> Iterator[str]:
    """Yield the reports below a folder, relative to it; links to folders aren't entered."""
    where = SourceRef(str(folder))
    try:
        if not folder.is_dir():
            if folder.exists():
                raise BadInputError(
                    Problem("not-a-directory", "the reports' folder is no folder", where,
                            "name the folder with <sample_id>.md files")
                )  # fmt: skip
            raise MissingResourceError(
                Problem("no-such-file", "the reports' folder does not exist", where,
                        "check the path")
            )  # fmt: skip
        os.listdir(folder)  # tells what os.walk would pass over
    except (OSError, ValueError) as error:
        raise MissingResourceError(
            Problem("unreadable-path", f"the folder can't be read: {reason_of(error)}", where)
        ) from error
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__MACOSX")))
        inner = os.path.relpath(here, folder)
        for name in sorted(names):
            if name.endswith(SUFFIX) and not name.startswith("._"):
                yield name if inner == "." else f"{inner}/{name}".replace(os.sep, "/")


def _read(path: Path, folder: Path) -> str:
    """Return a report's text; raise where there is none that can be judged."""
    where = SourceRef(str(path))
    require_file(path, "report")
    if folder.resolve() not in path.resolve().parents:
        message = "the report is a link that leads out of its folder"
        raise BadInputError(Problem("report-outside", message, where, "put the file itself there"))
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            message = f"the report is larger than {MAX_BYTES >> 20} MB"
            raise BadInputError(Problem("report-too-large", message, where))
        with open(path, "rb") as handle:
            data = handle.read(MAX_BYTES + 1)
    except OSError as error:
        message = f"the report can't be read: {reason_of(error)}"
        raise MissingResourceError(Problem("unreadable-path", message, where)) from error
    refuse_utf16(data[:400], str(path))
    text = decode_text(data.removeprefix(UTF8_BOM), str(path))
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        message = "the report holds NUL bytes: it is damaged, or no text"
        raise BadInputError(Problem("nul-byte", message, SourceRef(str(path), line)))
    if not text.strip("\ufeff\u200b \t\n\v\f\u00a0"):
        raise BadInputError(Problem("report-empty", "the report is empty", where))
    return text


def _is_inside(sample_id: str) -> bool:
    """Whether an id, taken for a path, is a file's name or lies below the folder."""
    parts = sample_id.split("/")
    return "\0" not in sample_id and all(part not in ("", ".", "..") for part in parts)


def _is_plain(sample_id: str) -> bool:
    return not set(sample_id) & set('/\\:*?"<>|%\0\n\r\t')


def _fits(name: str) -> bool:
    parts = name.encode("utf-8", "surrogatepass").split(b"/")
    return max(map(len, parts)) <= _LONGEST_NAME and len(name) <= 1024


def _form(name: str) -> str:
    return unicodedata.normalize("NFC", name)
