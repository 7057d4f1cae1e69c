"""Submissions made of an oracle's files with one fault each, in a scratch folder."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from eval_tiers.io.oracle_faults import FILE_FAULTS, OracleFile, Spoil, Spoiling, entry_of
from eval_tiers.io.sources import iter_chunks
from eval_tiers.submissions import codes
from eval_tiers.submissions.inspection import ANSWER_PATH, MANIFEST_PATH
from eval_tiers.submissions.mutations import COLUMNS, first_rows, mutate_table
from eval_tiers.submissions.reference import ReferenceTable
from eval_tiers.submissions.task import ArtifactSpec, EvalTask, Limits


@dataclass(frozen=True, slots=True)
class OracleMutation:
    """A submission with one fault.

    Attributes
    ----------
    name, code : str
        What was done, and the code that it has to be found by.
    path : str
        The file that it was done to, as a failed check calls it.
    column : str or None
    task : EvalTask
        The task, of that one file.
    make : callable or None
        Makes the submission in a new folder; None where it can't be made.
    reason : str or None
        Why it can't be made.
    restless : bool
        Whether the file has to change while it is read; see `touching`.
    reference : ReferenceTable or None
        What the table is held against.
    """

    name: str
    code: str
    path: str
    column: str | None
    task: EvalTask
    make: Callable[[Path], None] | None
    reason: str | None = None
    restless: bool = False
    reference: ReferenceTable | None = None


def mutations_by_file(
    task: EvalTask,
    answer: bytes,
    files: Sequence[OracleFile],
    references: Mapping[str, ReferenceTable],
) -> list[Iterator[OracleMutation]]:
    """Return all mutations: of answer, manifest and smallest file; then of each table.

    Nothing is made before `OracleMutation.make` is called, so that one that is large is held only
    while it is tried.

    Parameters
    ----------
    task : EvalTask
    answer : bytes
    files : sequence of OracleFile
        Those of an oracle that passes.
    references : mapping
        By path of the artifact.
    """
    asked = [file for file in files if file.spec is not None] or list(files)
    smallest = min(asked, key=lambda file: file.size, default=None)
    tables = [
        _of_table(task, answer, file, file.spec, references[file.path])
        for file in files
        if file.spec is not None and file.spec.is_table
    ]
    return [chain(_of_answer(task, answer, smallest), _of_file(task, answer, smallest)), *tables]


def write_submission(
    folder: Path, answer: bytes | None, entries: object, files: Mapping[str, bytes]
) -> None:
    """Write an answer (none for None), a manifest with these entries, and files."""
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    if answer is not None:
        (folder / ANSWER_PATH).write_bytes(answer)
    manifest = json.dumps({"artifacts": entries})
    (folder / MANIFEST_PATH).write_text(manifest, encoding="utf-8")


def _of_one(task: EvalTask, file: OracleFile | None) -> EvalTask:
    """Return the task of one file as a text, with no limits in the way but the file's own."""
    artifacts: tuple[ArtifactSpec, ...] = ()
    if file is not None and file.spec is not None:
        artifacts = (ArtifactSpec(file.path, max_bytes=file.spec.max_bytes),)
    limits = replace(Limits(), file_bytes=task.limits.file_bytes)
    return replace(task, artifacts=artifacts, limits=limits)


def _without_limits(task: EvalTask) -> EvalTask:
    """Return a task whose files may be as large as any."""
    wide = tuple(replace(spec, max_bytes=Limits().file_bytes) for spec in task.artifacts)
    return replace(task, artifacts=wide, limits=Limits())


def _of_answer(task: EvalTask, answer: bytes, file: OracleFile | None) -> Iterator[OracleMutation]:
    """Yield what is done to answer and manifest; the one file comes along where there is one."""
    one = _of_one(task, file)

    def made(
        name: str, code: str, path: str, change: Callable[[Path], None], text: bytes | None = answer
    ) -> OracleMutation:
        def make(folder: Path) -> None:
            data = None if file is None else file.beginning()
            whole = {} if file is None or data is None else {file.path: data}
            entries = [entry_of(path, data) for path, data in whole.items()]
            write_submission(folder, text, entries, whole)
            change(folder)

        return OracleMutation(name, code, path, None, one, make)

    def keep(_: Path) -> None:
        pass

    def manifest(text: str) -> Callable[[Path], None]:
        def write(folder: Path) -> None:
            (folder / MANIFEST_PATH).write_text(text, encoding="utf-8")

        return write

    yield made("no answer", codes.MISSING, ANSWER_PATH, keep, None)
    yield made("blank answer", codes.EMPTY_ANSWER, ANSWER_PATH, keep, b" \n\t\n")
    yield made("answer that is no UTF-8", codes.NOT_UTF8, ANSWER_PATH, keep, answer + b"\xff\n")
    yield made("answer with a NUL byte", codes.NUL_BYTE, ANSWER_PATH, keep, answer + b"\0\n")
    yield made("no manifest", codes.MISSING, MANIFEST_PATH,
               lambda folder: (folder / MANIFEST_PATH).unlink())  # fmt: skip
    for name, text in (("manifest cut off", '{"artifacts": ['), ("manifest without a list", "{}")):
        yield made(name, codes.MANIFEST_MALFORMED, MANIFEST_PATH, manifest(text))
    large = '{"artifacts": [], "more": "' + "A" * one.limits.manifest_bytes + '"}'
    yield made("manifest too large", codes.OVERSIZE, MANIFEST_PATH, manifest(large))


def _of_file(task: EvalTask, answer: bytes, file: OracleFile | None) -> Iterator[OracleMutation]:
    """Yield what is done to one file and its declaration."""
    one = _of_one(task, file)
    for name, code, path_of, spoil in FILE_FAULTS:
        if file is None:
            told = "the oracle declares no file"
            yield OracleMutation(name, code, "", None, one, None, told)
            continue

        def make(folder: Path, spoil: Spoil = spoil, file: OracleFile = file) -> None:
            data = file.beginning()
            write_submission(folder, answer, [entry_of(file.path, data)], {file.path: data})
            entries = spoil(Spoiling(folder, file, data, one.limits))
            (folder / MANIFEST_PATH).write_text(json.dumps({"artifacts": entries}), "utf-8")

        restless = code == codes.CHANGED_WHILE_READ
        asked = _without_limits(one) if restless else one
        yield OracleMutation(name, code, path_of(file.path), None, asked, make, restless=restless)


@contextmanager
def touching(path: Path) -> Iterator[None]:
    """Give a file another time of change, over and over, until the block ends."""
    done = threading.Event()

    def touch() -> None:
        second = 0
        while not done.is_set():
            second += 1
            os.utime(path, (second, second))

    thread = threading.Thread(target=touch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _of_table(
    task: EvalTask, answer: bytes, file: OracleFile, spec: ArtifactSpec, whole: ReferenceTable
) -> Iterator[OracleMutation]:
    """Yield what is done to the beginning of a table, with limits out of the way."""
    one = _without_limits(replace(task, artifacts=(spec,)))
    begun, reference = first_rows(iter_chunks(file.source), spec, whole)
    for mutation in mutate_table(begun, spec):
        data = mutation.data
        make = None
        if data is not None:

            def make(folder: Path, data: bytes = data) -> None:
                write_submission(folder, answer, [entry_of(file.path, data)], {file.path: data})

        yield OracleMutation(mutation.name, mutation.code, file.path, mutation.column, one, make,
                             mutation.reason, reference=reference)  # fmt: skip
    columns = max(len(spec.numeric), len(spec.exact), len(spec.recompute))
    if columns > COLUMNS:
        told = f"only the first {COLUMNS} of {columns:,} columns are tried"
        yield OracleMutation("further columns", codes.OUT_OF_TOLERANCE, file.path, None, one, None,
                             told)  # fmt: skip
