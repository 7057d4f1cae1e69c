"""Reading a grader's task folder: ``eval_task.toml``, reference tables, observations."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import (
    MAX_PROBLEMS_SHOWN,
    BadInputError,
    EvalTiersError,
    MissingResourceError,
    Problem,
    SourceRef,
)
from eval_tiers.io.sources import UTF8_BOM, iter_chunks, refuse_utf16, require_file
from eval_tiers.io.text_lines import decode_text
from eval_tiers.submissions.csv_rows import TableFault
from eval_tiers.submissions.numbers import is_near
from eval_tiers.submissions.recomputation import recompute, with_expectations
from eval_tiers.submissions.reference import Expectation, ReferenceTable, build_reference, say_key
from eval_tiers.submissions.task import ArtifactSpec, EvalTask
from eval_tiers.submissions.task_file import parse_task

TASK_FILE: Final = "eval_task.toml"
_TASK_BYTES: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class LoadedTask:
    """A task with what its artifacts are held against.

    Attributes
    ----------
    folder : Path
    task : EvalTask
    references : dict
        By path of the artifact; texts have none.
    findings : list of Finding
    """

    folder: Path
    task: EvalTask
    references: dict[str, ReferenceTable]
    findings: list[Finding] = field(default_factory=list)


def read_eval_task(folder: Path) -> tuple[EvalTask, list[Finding]]:
    """Read ``eval_task.toml`` of a folder; reference tables are left alone.

    Raises
    ------
    MissingResourceError
        There is no such folder or file.
    BadInputError
        It is no TOML, or not as `eval_tiers.submissions.task_file.parse_task` wants it.
    """
    if not folder.is_dir():
        told = "the task is no folder" if folder.exists() else "the task folder does not exist"
        fix = f"name the folder that holds {TASK_FILE}"
        raise MissingResourceError(Problem("no-such-folder", told, SourceRef(str(folder)), fix))
    path = require_file(folder / TASK_FILE, "task file")
    where = SourceRef(str(path))
    if path.stat().st_size > _TASK_BYTES:
        told = f"the task file has more than {_TASK_BYTES:,} bytes"
        raise BadInputError(Problem("oversize", told, where, "is it another file?"))
    data = path.read_bytes()
    refuse_utf16(data[:400], str(path))
    text = decode_text(data.removeprefix(UTF8_BOM), str(path))
    try:
        table = tomllib.loads(text.replace("\r\n", "\n"))
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        told = "nested too deep" if isinstance(error, RecursionError) else str(error)
        problem = Problem("bad-toml", f"the task file is no TOML: {told}", where, "mend the line")
        raise BadInputError(problem) from error
    return parse_task(table, where)


def load_task(folder: Path) -> LoadedTask:
    """Read a task folder whole: the task, its reference tables, what its rules give.

    Raises
    ------
    MissingResourceError
        A file is missing.
    BadInputError
        As `read_eval_task`; a reference table that would not pass itself; a rule whose file can't
        be read, or that contradicts the reference. All artifacts are looked at before it is raised.
    """
    task, findings = read_eval_task(folder)
    references: dict[str, ReferenceTable] = {}
    problems: list[Problem] = []
    for spec in task.artifacts:
        if spec.is_table:
            try:
                references[spec.path] = read_reference(folder, spec)
            except BadInputError as error:
                problems += error.problems
    if problems:
        raise BadInputError(problems[:MAX_PROBLEMS_SHOWN], len(problems))
    return LoadedTask(folder, task, references, findings)


def read_reference(folder: Path, spec: ArtifactSpec) -> ReferenceTable:
    """Read an artifact's reference table and what its rules say; raises as `load_task`."""
    path = folder / spec.reference_path
    try:
        reference = build_reference(_chunks(path, "reference table"), spec)
    except TableFault as fault:
        raise _bad_table(path, fault) from fault
    found: list[Expectation] = []
    for rule in spec.recompute:
        source = folder / rule.path
        try:
            found.append(recompute(_chunks(source, "file of a rule"), rule, spec, reference))
        except TableFault as fault:
            raise _bad_table(source, fault) from fault
    problems = [problem for item in found for problem in _contradictions(path, reference, item)]
    if problems:
        raise BadInputError(problems[:MAX_PROBLEMS_SHOWN], len(problems))
    return with_expectations(reference, found)


def _contradictions(
    path: Path, reference: ReferenceTable, expected: Expectation
) -> Iterator[Problem]:
    """Yield a problem for each number of the reference that its own rule would refuse."""
    own = next(item for item in reference.expectations if item.column == expected.column)
    for key, row in reference.keys.items():
        value, wanted = own.values[row], expected.values[row]
        if value is None:
            continue
        if wanted is not None and is_near(
            float(value), repr(value), float(wanted), expected.tolerance
        ):
            continue
        told = f"key {say_key(key)}: the reference has {value!r}, but {expected.origin} "
        told += "gives no number" if wanted is None else f"is {wanted!r}"
        where = SourceRef(str(path), field=expected.column)
        yield Problem("rule-contradicts-reference", told, where, "mend one, or the tolerance")


def _chunks(path: Path, role: str) -> Iterator[bytes]:
    first = True
    for chunk in iter_chunks(require_file(path, role)):
        if first:
            refuse_utf16(chunk[:400], str(path))
            first = False
        yield chunk


def _bad_table(path: Path, fault: TableFault) -> EvalTiersError:
    where = SourceRef(str(path), fault.line, fault.column)
    code = fault.code.replace("_", "-")
    return BadInputError(Problem(code, fault.message, where, "the task's own file: mend it"))
