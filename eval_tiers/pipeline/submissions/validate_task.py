"""Validating a task: its files, its oracle, and whether faults put into the oracle are found."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import BadInputError, EvalTiersError, SourceRef
from eval_tiers.io.submission_folder import inspect_submission
from eval_tiers.io.submission_packing import copy_of_folder
from eval_tiers.io.submission_task import LoadedTask, read_eval_task, read_reference
from eval_tiers.io.task_provenance import Provenance, read_provenance
from eval_tiers.pipeline.submissions.grade import (
    inspect_and_scan,
    judge_from_files,
)
from eval_tiers.pipeline.submissions.mutation_trials import (
    Tried,
    missed_mutations,
    try_mutations,
)
from eval_tiers.submissions import codes
from eval_tiers.submissions.inspection import Inspection
from eval_tiers.submissions.judge_record import build_judge_record
from eval_tiers.submissions.leaks import find_leaks
from eval_tiers.submissions.task import EvalTask
from eval_tiers.submissions.task_checks import check_statements

ORACLE: Final = "oracle"
TRAJECTORY_NAME: Final = "trajectory.jsonl"
REPLY_NAMES: Final = ("judge_reply.json", "judge_reply.jsonl")
TASK_VALIDATION_VERSION: Final = 1

Told = Callable[[int, int], None]


@dataclass(slots=True)
class TaskValidation:
    """What came of validating a task.

    Attributes
    ----------
    folder : Path
    task : EvalTask or None
        None where ``eval_task.toml`` is at fault.
    provenance : Provenance
    oracle : dict or None
        The oracle's grade, as in ``judge.json``; None where it could not be graded.
    mutations : list of Tried
        Empty where the oracle doesn't pass.
    findings : list of Finding
    """

    folder: Path
    task: EvalTask | None = None
    provenance: Provenance = field(default_factory=Provenance)
    oracle: dict[str, Any] | None = None
    mutations: list[Tried] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether there is no error."""
        return not any(finding.level == "error" for finding in self.findings)

    def as_dict(self) -> dict[str, object]:
        """Return the object of ``--json``."""
        levels = {"errors": "error", "warnings": "warning", "notes": "note"}
        listed = {
            name: [
                finding.as_dict() | {"field": finding.where.field}
                for finding in self.findings
                if finding.level == level
            ]
            for name, level in levels.items()
        }
        oracle = self.oracle
        return {
            "schema_version": TASK_VALIDATION_VERSION,
            "ok": self.ok,
            "task": str(self.folder),
            "task_id": None if self.task is None else self.task.task_id,
            **listed,
            "provenance": {
                "row_n": self.provenance.row_n,
                "verified_file_n": self.provenance.file_n,
                "verified_byte_n": self.provenance.byte_n,
            },
            "oracle": None if oracle is None else {
                "passed": oracle["evaluator"]["status"] == "passed",
                "failed_check_n": oracle["evaluator"]["failures_n"],
                "execution_verified": oracle["execution"]["verified"],
                "leak_n": len(oracle["leakage"]["found"]),
                "judge": oracle["judge"]["status"],
                "score": oracle["score"],
            },
            "mutation_n": len(self.mutations),
            "found_n": sum(tried.status == "found" for tried in self.mutations),
            "codes": self.codes(),
            "mutations": [tried.as_dict() for tried in self.mutations],
        }  # fmt: skip

    def codes(self) -> dict[str, dict[str, object]]:
        """Return for each code how many mutations have to be found by it, and how many are."""
        found: dict[str, dict[str, object]] = {}
        for code, meaning in codes.CODES.items():
            rows = [tried for tried in self.mutations if tried.code == code]
            if self.mutations:
                made = [tried for tried in rows if tried.status != "not applicable"]
                found[code] = {
                    "meaning": meaning,
                    "made_n": len(made),
                    "found_n": sum(tried.status == "found" for tried in made),
                }
        return found


def validate_task(folder: Path, tell: Told | None = None) -> TaskValidation:
    """Check a task's files and provenance, grade its oracle, and try mutations of the oracle.

    Nothing is written into the folder: mutations are made of copies in a temporary one.

    Parameters
    ----------
    folder : Path
    tell : callable, optional
        Takes how many of how many files' mutations are done.

    Raises
    ------
    MissingResourceError, BadInputError
        There is no folder, or no ``eval_task.toml`` that is TOML. All else is a finding.
    """
    result = TaskValidation(folder)
    result.task = _task(folder, result.findings)
    result.provenance = read_provenance(folder)
    result.findings += result.provenance.findings
    if result.task is None:
        return result
    loaded = _load(folder, result.task, result.findings)
    result.findings += check_statements(result.task, SourceRef(str(folder / "eval_task.toml")))
    if loaded is None:
        return result
    oracle = folder / ORACLE
    if not oracle.is_dir():
        told = "there is no oracle: nobody knows whether a right submission passes"
        where = SourceRef(str(oracle))
        fix = "put a submission there that has to pass (pack-submission makes its manifest)"
        result.findings.append(Finding("no-oracle", told, where, "error", fix))
        return result
    with tempfile.TemporaryDirectory(prefix="eval_tiers-") as scratch:
        graded = _copy_of_links(loaded, oracle, Path(scratch), result.findings)
        inspection = _grade(loaded, graded, oracle, result)
        if inspection is not None and inspection.passed:
            result.mutations = try_mutations(loaded, graded, inspection, Path(scratch), tell)
            result.findings += missed_mutations(result.mutations, oracle)
    return result


def _task(folder: Path, findings: list[Finding]) -> EvalTask | None:
    try:
        task, found = read_eval_task(folder)
    except BadInputError as error:
        if any(problem.where.field is None for problem in error.problems):
            raise  # not TOML at all
        findings += _as_findings(error)
        return None
    findings += found
    return task


def _load(folder: Path, task: EvalTask, findings: list[Finding]) -> LoadedTask | None:
    """Read the reference tables; None, with findings, where one is at fault."""
    references, sound = {}, True
    for spec in task.artifacts:
        if spec.is_table:
            try:
                references[spec.path] = read_reference(folder, spec)
            except EvalTiersError as error:
                findings += _as_findings(error)
                sound = False
    return LoadedTask(folder, task, references) if sound else None


def _as_findings(error: EvalTiersError) -> list[Finding]:
    found = [Finding(one.code, one.message, one.where, "error", one.fix) for one in error.problems]
    hidden = error.total - len(error.problems)
    if hidden > 0:
        where = SourceRef(error.problems[0].where.path)
        told = f"{hidden:,} more faults of this file are counted, not listed"
        found.append(Finding("not-listed", told, where, "error"))
    return found


def _copy_of_links(
    loaded: LoadedTask, oracle: Path, scratch: Path, findings: list[Finding]
) -> Path:
    """Return the oracle, or a copy where its files have other names too.

    Installers and stores of files make hard links; the oracle is the grader's own, so that this is
    no fault of it.
    """
    found = inspect_submission(oracle, loaded.task, loaded.references)
    if not any(check.code == codes.HARD_LINK_DUPLICATE for check in found.failures):
        return oracle
    told = "files of the oracle have other names too (hard links): a copy is checked"
    where = SourceRef(str(oracle))
    fix = "grade-submission refuses them: give it a copy (cp -r)"
    findings.append(Finding("hard-links", told, where, "note", fix))
    return copy_of_folder(oracle, scratch / "oracle")


def _grade(
    loaded: LoadedTask, graded: Path, oracle: Path, result: TaskValidation
) -> Inspection | None:
    """Grade the oracle; what keeps it from a whole score is a finding."""
    task, folder, add = loaded.task, result.folder, result.findings.append
    where = SourceRef(str(oracle))
    trajectory = _first(folder / TRAJECTORY_NAME, oracle / TRAJECTORY_NAME)
    try:
        found = inspect_and_scan(loaded, graded, trajectory)
    except EvalTiersError as error:
        result.findings += _as_findings(error)
        return None
    reply = _first(*(place / name for place in (folder, oracle) for name in REPLY_NAMES))
    replies = [] if reply is None else [reply]
    judgement = judge_from_files(task, found.inspection, replies)
    record = build_judge_record(task, found, judgement, strict_partials=False)
    result.oracle = record
    for check in found.inspection.failures:
        place = SourceRef(str(oracle / check.path), check.line, check.column)
        told = f"the oracle fails: {check.message}"
        add(Finding(check.code.replace("_", "-"), told, place, "error", "mend oracle or task"))
    if not found.execution.verified:
        told = f"the oracle's execution is not verified: {found.execution.reason}"
        fix = f"put a {TRAJECTORY_NAME} with these events beside the oracle"
        add(Finding("oracle-not-executed", told, where, "error", fix))
    for leak in found.leaks:
        told = f"the oracle itself holds the leak marker {leak.marker!r}"
        place = SourceRef(str(oracle / leak.path))
        fix = "take a marker that no right answer needs"
        add(Finding("oracle-leaks", told, place, "error", fix))
    result.findings += _markers_in_observations(task, folder)
    if reply is None:
        told = "there is no judge's reply to the oracle: whether it scores 1 is not known"
        fix = f"write {REPLY_NAMES[0]}: the reply that a good judge would give"
        add(Finding("no-judge-reply", told, SourceRef(str(folder / REPLY_NAMES[0])), "note", fix))
    else:
        result.findings += _of_reply(record, reply)
    return found.inspection


def _first(*paths: Path) -> Path | None:
    """Return the first that is there, be it a file that can be read or not."""
    return next((path for path in paths if os.path.lexists(path)), None)


def _of_reply(record: dict[str, Any], reply: Path) -> Iterator[Finding]:
    """Yield what is wrong with the example reply: it has to give the oracle a score of 1."""
    where = SourceRef(str(reply))
    judge, uncapped = record["judge"], record["uncapped_score"]
    if judge["status"] != "judged":
        told = f"the judge's reply can't be used [{judge['fault']}]: {judge['message']}"
        yield Finding("bad-judge-reply", told, where, "error", "mend the reply")
        return
    for citation in record["citations"]:
        if not citation["holds"]:
            text = record[f"{citation['expected']}s"][citation["number"] - 1]["text"]
            told = f"a citation for {text[:80]!r} does not hold: {citation['meaning']}"
            yield Finding("citation-fails", told, where, "error", "cite what the files hold")
    if record["score"] != 1:
        shown = "null" if uncapped is None else f"{record['score']:g}"
        told = f"the oracle's score is {shown}, not 1"
        caps = ", ".join(cap["reason"] for cap in record["caps"])
        told += f" ({caps})" if caps else ""
        fix = "every conclusion has to be matched and every caveat addressed, with citations"
        yield Finding("oracle-score", told, where, "error", fix)


def _markers_in_observations(task: EvalTask, folder: Path) -> Iterator[Finding]:
    """Yield the markers that the agent is shown anyway."""
    sources = {rule.source for spec in task.artifacts for rule in spec.recompute if rule.source}
    for source in sorted(sources):
        path = folder / source
        if path.stat().st_size > 20_000_000:
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        for leak in find_leaks(task.leak_markers, source, text):
            told = f"the leak marker {leak.marker!r} stands in the observations"
            fix = "take another: an agent that reads them may write it"
            yield Finding("marker-in-observations", told, SourceRef(str(path)), "warning", fix)
