"""Trying faults: each is put into a copy of the oracle, and has to be found by its code."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import SourceRef
from eval_tiers.io.oracle_faults import CannotMake, OracleFile
from eval_tiers.io.oracle_mutations import OracleMutation, mutations_by_file, touching
from eval_tiers.io.submission_folder import inspect_submission
from eval_tiers.io.submission_task import LoadedTask
from eval_tiers.submissions.inspection import ANSWER_PATH, MANIFEST_PATH, Check, Inspection
from eval_tiers.submissions.leaks import find_leaks, is_blank_marker
from eval_tiers.submissions.task import EvalTask

_CHANCES: Final = 20

Status = Literal["found", "not found", "not applicable"]


@dataclass(frozen=True, slots=True)
class Tried:
    """A mutation of the oracle, and what was found of it.

    Attributes
    ----------
    name, code, path : str
        What was done, the code that was expected, the file.
    column : str or None
    found : tuple of str
        Codes that were found.
    status : {"found", "not found", "not applicable"}
    reason : str or None
        Why it could not be made.
    """

    name: str
    code: str
    path: str
    column: str | None
    found: tuple[str, ...]
    status: Status
    reason: str | None = None

    def as_dict(self) -> dict[str, object]:
        """Return the row as a JSON object."""
        return {
            "mutation": self.name,
            "path": self.path or None,
            "column": self.column,
            "expected": self.code,
            "found": list(self.found),
            "status": self.status,
            "reason": self.reason,
        }


def try_mutations(
    loaded: LoadedTask,
    oracle: Path,
    inspection: Inspection,
    scratch: Path,
    tell: Callable[[int, int], None] | None = None,
) -> list[Tried]:
    """Make every mutation of an oracle that passes, and inspect it.

    Parameters
    ----------
    loaded : LoadedTask
    oracle : Path
        Only read.
    inspection : Inspection
        What was found of the oracle.
    scratch : Path
        Where mutations are made, one at a time.
    tell : callable, optional
        Takes how many of how many files are done.
    """
    specs = {spec.path: spec for spec in loaded.task.artifacts}
    files = [
        OracleFile(one.path, specs.get(one.path), oracle / one.path, one.size)
        for one in inspection.artifacts
    ]
    answer = (oracle / ANSWER_PATH).read_bytes()
    groups = mutations_by_file(loaded.task, answer, files, loaded.references)
    tried = []
    for number, group in enumerate(groups, 1):
        tried += [_try(mutation, scratch) for mutation in group]
        if tell is not None:
            tell(number, len(groups))
    return [*tried, *_leaks_planted(loaded.task, answer)]


def _try(mutation: OracleMutation, scratch: Path) -> Tried:
    name, code, path, column = mutation.name, mutation.code, mutation.path, mutation.column
    if mutation.make is None:
        return Tried(name, code, path, column, (), "not applicable", mutation.reason)
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        try:
            mutation.make(Path(folder))
        except CannotMake as error:
            return Tried(name, code, path, column, (), "not applicable", str(error))
        found, hit = _inspected(mutation, Path(folder))
    if mutation.restless and not hit:
        told = "no change fell into the reading"
        return Tried(name, code, path, column, (), "not applicable", told)
    shown = tuple(dict.fromkeys(check.code for check in found))
    return Tried(name, code, path, column, shown, "found" if hit else "not found")


def _inspected(mutation: OracleMutation, folder: Path) -> tuple[Sequence[Check], bool]:
    """Return what failed, and whether the expected code is among it; a restless file is tried on.

    Whether a change falls into the reading is chance, so that one is given some more.
    """
    references = {} if mutation.reference is None else {mutation.path: mutation.reference}
    found: Sequence[Check] = ()
    for _ in range(_CHANCES if mutation.restless else 1):
        with touching(folder / mutation.path) if mutation.restless else nullcontext():
            found = inspect_submission(folder, mutation.task, references).failures
        if any(
            check.code == mutation.code
            and check.path == mutation.path
            and mutation.column in {None, check.column}
            for check in found
        ):
            return found, True
    return found, False


def _leaks_planted(task: EvalTask, answer: bytes) -> Iterator[Tried]:
    """Yield what comes of each marker written below the answer."""
    text = answer.decode("utf-8-sig")
    for marker in task.leak_markers:
        name = f"answer with the marker {marker!r}"
        if is_blank_marker(marker):
            told = "the marker has no letter or digit"
            yield Tried(name, "leak", ANSWER_PATH, None, (), "not applicable", told)
            continue
        hits = find_leaks([marker], ANSWER_PATH, f"{text}\n{marker}\n")
        shown = ("leak",) if hits else ()
        yield Tried(name, "leak", ANSWER_PATH, None, shown, "found" if hits else "not found")


def missed_mutations(mutations: list[Tried], oracle: Path) -> Iterator[Finding]:
    """Yield an error for each mutation that was not found by its code."""
    for tried in mutations:
        if tried.status == "not found":
            place = SourceRef(str(oracle / (tried.path or MANIFEST_PATH)), field=tried.column)
            shown = ", ".join(tried.found) or "nothing"
            column = "" if tried.column is None else f" in column '{tried.column}'"
            told = f"{tried.name}{column}: {tried.code} expected, {shown} found"
            fix = "a fault like that would pass: narrow the tolerance, or check the column"
            yield Finding("mutation-not-found", told, place, "error", fix)
