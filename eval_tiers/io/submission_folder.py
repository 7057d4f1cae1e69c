"""Looking a submission over: what it declares, whether the files are safe, whole and right."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from eval_tiers.io.sources import UTF8_BOM
from eval_tiers.io.submission_files import FileContent, FileFault, OpenFile, SubmissionFolder
from eval_tiers.io.submission_reading import FileHead, HashedChunks, hash_with_lf
from eval_tiers.submissions import codes
from eval_tiers.submissions.failures import Failures
from eval_tiers.submissions.inspection import (
    ANSWER_PATH,
    MANIFEST_PATH,
    Check,
    Inspection,
    Step,
    StepName,
    StepStatus,
    VerifiedArtifact,
)
from eval_tiers.submissions.manifest import Declaration, parse_manifest
from eval_tiers.submissions.paths import folded_path
from eval_tiers.submissions.reference import ReferenceTable
from eval_tiers.submissions.tables import check_table
from eval_tiers.submissions.task import ArtifactSpec, EvalTask

_STOPPING: Final = (
    codes.HEADER_MISMATCH,
    codes.NOT_UTF8,
    codes.NUL_BYTE,
    codes.MALFORMED_CSV,
    codes.TOO_WIDE,
)  # of a table that can't be read on


def inspect_submission(
    folder: Path, task: EvalTask, references: Mapping[str, ReferenceTable]
) -> Inspection:
    """Check a submission's manifest, answer and declared files; undeclared ones are not looked at.

    Parameters
    ----------
    folder : Path
        The submission. Nothing outside it is read, nothing in it is run or unpacked.
    task : EvalTask
    references : mapping
        `ReferenceTable` by path of the artifact, as `eval_tiers.io.submission_task.load_task`
        reads them.

    Raises
    ------
    MissingResourceError, BadInputError
        The folder itself can't be opened. Whatever is wrong in it is a failed check.
    """
    with SubmissionFolder(folder) as opened:
        return _Inspector(folder, opened, task, references).inspect()


class _Inspector:
    """One pass over one submission."""

    def __init__(
        self,
        folder: Path,
        opened: SubmissionFolder,
        task: EvalTask,
        references: Mapping[str, ReferenceTable],
    ) -> None:
        self.folder = folder
        self.opened = opened
        self.task = task
        self.references = references
        self.specs = {spec.path: spec for spec in task.artifacts}
        self.failures: list[Check] = []
        self.failures_n = 0
        self.steps: dict[tuple[StepName, str], StepStatus] = {}
        self.notes: list[str] = []
        self.readable: list[VerifiedArtifact] = []
        self.read_bytes = 0  # of declared files

    def inspect(self) -> Inspection:
        declared, manifest = self._manifest()
        answer = self._answer()
        artifacts = [
            self._declared_file(entry) for entry in declared or () if entry.path != ANSWER_PATH
        ]
        for entry in declared or ():
            if entry.path == ANSWER_PATH:
                self._declared_answer(entry)
        self._undeclared(declared)
        verified = tuple(artifact for artifact in artifacts if artifact is not None)
        paths = {artifact.path for artifact in verified}
        manifest["artifacts"] = [
            {
                "path": entry.path,
                "sha256": entry.sha256,
                "description": entry.description,
                "verified": entry.path in paths,
            }
            for entry in declared or ()
        ]
        return Inspection(
            answer, manifest, verified, tuple(self.failures), self.failures_n,
            tuple(Step(name, path, status) for (name, path), status in self.steps.items()),
            tuple(self.notes), tuple(self.readable),
        )  # fmt: skip

    def _manifest(self) -> tuple[list[Declaration] | None, dict[str, object]]:
        """Return the entries that can be used, None where the manifest can't be read."""
        record: dict[str, object] = {"path": MANIFEST_PATH, "sha256": None, "size": None}
        try:
            data = self.opened.read(MANIFEST_PATH, self.task.limits.manifest_bytes)
        except FileFault as fault:
            told = "there is no manifest" if fault.code == codes.MISSING else fault.message
            self._fail("structure", MANIFEST_PATH, Check(fault.code, MANIFEST_PATH, told))
            return None, record
        record |= {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
        declared, checks = parse_manifest(data, self.task.limits.artifacts)
        for check in checks:
            self._keep(check)
        self._step("structure", MANIFEST_PATH, "failed" if checks else "passed")
        return declared, record

    def _answer(self) -> str | None:
        try:
            data = self.opened.read(ANSWER_PATH, self.task.limits.answer_bytes)
            text = data.removeprefix(UTF8_BOM).decode("utf-8")
            if not text.strip():
                raise FileFault(codes.EMPTY_ANSWER, "the answer is empty")
            if "\0" in text:
                raise FileFault(codes.NUL_BYTE, "the answer holds NUL bytes")
        except UnicodeDecodeError as error:
            told = f"byte 0x{data[error.start]:02x} is no UTF-8"
            line = data.count(b"\n", 0, error.start) + 1
            self._fail("structure", ANSWER_PATH, Check(codes.NOT_UTF8, ANSWER_PATH, told, line))
            return None
        except FileFault as fault:
            told = "there is no answer" if fault.code == codes.MISSING else fault.message
            self._fail("structure", ANSWER_PATH, Check(fault.code, ANSWER_PATH, told))
            return None
        self._step("structure", ANSWER_PATH, "passed")
        return text

    def _declared_answer(self, entry: Declaration) -> None:
        """Check the hash of an answer that the manifest lists; it is no evidence for itself."""
        self.notes.append(f"{ANSWER_PATH} is declared too: it is no artifact, and can't be cited")
        if not entry.usable:
            return
        try:
            data = self.opened.read(ANSWER_PATH, self.task.limits.answer_bytes)
        except FileFault:
            return  # said of the answer
        if hashlib.sha256(data).hexdigest() != entry.sha256:
            told = "the SHA-256 is not that of the manifest"
            self._fail("structure", ANSWER_PATH, Check(codes.HASH_MISMATCH, ANSWER_PATH, told))

    def _undeclared(self, declared: list[Declaration] | None) -> None:
        """Note the files that are asked for and not declared."""
        if declared is None:  # the manifest's fault is said already
            for path in self.specs:
                self._not_run(path, "structure")
            return
        named = {path for _, path in self.steps}
        folds = {folded_path(entry.path): entry.path for entry in declared}
        for path in self.specs:
            if path in named:
                continue
            other = folds.get(folded_path(path))
            told = "no usable entry of the manifest declares it"
            if other is not None:
                told += f"; it declares {other[:200]!r}, which differs by case or Unicode form"
            self._fail("structure", path, Check(codes.MISSING, path, told))
            self._not_run(path, "table")

    def _declared_file(self, entry: Declaration) -> VerifiedArtifact | None:
        """Check one declared file; return it if nothing is wrong with it."""
        path = entry.path
        if not entry.usable:
            self._step("structure", path, "failed")
            self._not_run(path, "table")
            return None
        spec = self.specs.get(path)
        limits = self.task.limits
        try:
            with self.opened.open(path, spec.max_bytes if spec else limits.file_bytes) as file:
                if self.read_bytes + file.size > limits.total_bytes:
                    told = f"all declared files have more than {limits.total_bytes:,} bytes"
                    raise FileFault(codes.OVERSIZE, told)
                self.read_bytes += file.size
                head = FileHead(file.chunks())
                if head.sha256 != entry.sha256:
                    told = "the SHA-256 is not that of the manifest"
                    if hash_with_lf(file) == entry.sha256:
                        told += "; it matches with LF line endings"
                    raise FileFault(codes.HASH_MISMATCH, told)
                text = self._text(entry, file, head)
                if spec is not None and not spec.is_table and head.text is None:
                    raise FileFault(head.code, "a text is asked for, and it is none")
                self.readable.append(text)
                self._step("structure", path, "passed")
                if spec is None or not spec.is_table:
                    return text
                return self._table(text, file, head, spec)
        except FileFault as fault:
            self._fail("structure", path, Check(fault.code, path, fault.message))
            self._not_run(path, "table")
            return None

    def _text(self, entry: Declaration, file: OpenFile, head: FileHead) -> VerifiedArtifact:
        content = FileContent(self.folder, entry.path, file.size, entry.sha256)
        return VerifiedArtifact(
            entry.path, entry.sha256, file.size, "binary" if head.text is None else "text", content,
            head.text or "", head.cut, entry.description,
        )  # fmt: skip

    def _table(
        self, text: VerifiedArtifact, file: OpenFile, head: FileHead, spec: ArtifactSpec
    ) -> VerifiedArtifact | None:
        path = text.path
        if head.packed:
            self._fail("table", path, Check(codes.NOT_UTF8, path, head.packed, 1))
            self._not_run(path, "recomputation")
            return None
        again = HashedChunks(file.chunks())
        failures, rows_n = check_table(again, spec, self.references[path])
        if not failures.total and again.sha256() != text.sha256:
            raise FileFault(codes.CHANGED_WHILE_READ, "it changed while it was read")
        self._take(path, failures, bool(spec.recompute))
        if failures.total:
            return None
        return replace(text, kind="table", header=spec.header, key=spec.key, rows_n=rows_n)

    def _take(self, path: str, failures: Failures, recomputed: bool) -> None:
        """Keep the failed checks of a table, and say which steps they are of."""
        self.failures += failures.checks
        self.failures_n += failures.total
        hidden = failures.total - len(failures.checks)
        if hidden:
            self.notes.append(f"{path}: {hidden:,} more failed checks are not listed")
        wrong = failures.has(codes.RECOMPUTATION_MISMATCH)
        by_table = any(check.code != codes.RECOMPUTATION_MISMATCH for check in failures.checks)
        self._step("table", path, "failed" if by_table else "passed")
        if any(failures.has(code) for code in _STOPPING):
            self._not_run(path, "recomputation")
        elif recomputed:
            self._step("recomputation", path, "failed" if wrong else "passed")

    def _not_run(self, path: str, first: StepName) -> None:
        """Say that a step of a file that is asked for, and those after it, were not made."""
        spec = self.specs.get(path)
        if spec is None:
            return
        steps: list[StepName] = ["structure"]
        steps += ["table"] if spec.is_table else []
        steps += ["recomputation"] if spec.recompute else []
        for name in steps[steps.index(first) :] if first in steps else ():
            self._step(name, path, "not run")

    def _fail(self, name: StepName, path: str, check: Check) -> None:
        self._keep(check)
        self._step(name, path, "failed")

    def _keep(self, check: Check) -> None:
        self.failures.append(check)
        self.failures_n += 1

    def _step(self, name: StepName, path: str, status: StepStatus) -> None:
        self.steps[name, path] = status
