"""The questions of a gold file as requests, ready for any engine of the OpenAI Batch form."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from eval_tiers import __version__
from eval_tiers.exceptions import BadInputError, Problem, SourceRef, UsageError
from eval_tiers.formats.base import BenchmarkFormat, ChainFormat, CitationFormat, RecordFault
from eval_tiers.formats.registry import known_formats
from eval_tiers.io.atomic import clean_text
from eval_tiers.io.pairing import ProblemList
from eval_tiers.io.request_files import RequestFiles, validate_target
from eval_tiers.io.rows import iter_rows, parse_row
from eval_tiers.io.sources import require_file
from eval_tiers.prompts.base import PromptFormat, build_request
from eval_tiers.prompts.registry import known_prompts
from eval_tiers.texts.custom_ids import custom_id_of


@dataclass(frozen=True, slots=True)
class PromptOptions:
    """How questions are put to a model.

    Attributes
    ----------
    with_evidence : bool
        Whether the published evidence is shown.
    model : str
        The model's name in every request.
    max_tokens : int
        Longest reply.
    split : int or None
        Requests a file at most (200 MB as well); None: one file.
    """

    with_evidence: bool = False
    model: str = "model"
    max_tokens: int = 1024
    split: int | None = None


@dataclass(frozen=True, slots=True)
class PromptExport:
    """What was written: the manifest, and where it lies."""

    manifest_path: Path
    manifest: dict[str, Any]


def write_prompt_files(
    gold: str, output: str, options: PromptOptions | None = None, force: bool = False
) -> PromptExport:
    """Write a request a gold row, in the gold file's order, and a manifest beside them.

    Parameters
    ----------
    gold : str
        Gold file: JSON Lines or one JSON array; plain, gzip or zstd.
    output : str
        Request file; with `PromptOptions.split` its name gets a number. The manifest is
        ``<stem>.manifest.json``.
    options : PromptOptions, optional
    force : bool
        Replace an earlier export of that name.

    Raises
    ------
    UsageError
        There is something of that name, the name is that of the gold file or of a packed one, or
        evidence is asked for where the format has none.
    BadInputError
        A row that can't be asked about or that `eval` would refuse, one without an id, an id given
        twice.
    MissingResourceError
        The gold file can't be read or the output not be written.
    """
    options = options or PromptOptions()
    source, target = require_file(gold, "gold file"), Path(output)
    validate_target(target, source, force)
    before = _state(source)
    questions = _Questions(source, options)
    with RequestFiles(target, options.split) as written:
        with tempfile.TemporaryDirectory(prefix="eval_tiers-") as scratch:
            for line in questions.requests(Path(scratch)):
                written.add(line)
        with open(source, "rb") as handle:
            gold_hash = hashlib.file_digest(handle, "sha256").hexdigest()
        if _state(source) != before:
            message = "the file was changed while it was read"
            fix = "let the job that writes it finish, then run again"
            raise BadInputError(Problem("file-changed", message, SourceRef(gold), fix))
        files = written.complete()
        prompt = questions.prompt
        manifest: dict[str, Any] = {
            "gold": {"path": gold, "sha256": gold_hash},
            "requests": [asdict(file) for file in files],
            "request_n": sum(file.request_n for file in files),
            "format": prompt.name,
            "evidence_shown": options.with_evidence,
            "prompt_version": prompt.version,
            "schema_name": prompt.schema_name,
            "model": options.model,
            "max_tokens": options.max_tokens,
            "longest_prompt_n": questions.longest_n,
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "version": __version__,
        }
        written.finish(manifest)
    return PromptExport(written.manifest_path, manifest)


class _Questions:
    """Turns the rows of a gold file into request lines.

    Attributes
    ----------
    prompt : PromptFormat
        Known once `requests` has run.
    longest_n : int
        Characters of the longest prompt, all its messages together.
    """

    prompt: PromptFormat
    benchmark: BenchmarkFormat

    def __init__(self, path: Path, options: PromptOptions) -> None:
        self._path, self._options = path, options
        self._model = clean_text(options.model)
        self._line_of: dict[str, int] = {}
        self.longest_n = 0

    def requests(self, scratch: Path) -> Iterator[bytes]:
        """Yield a line a row, none after the first fault; faults are raised together at the end."""
        problems = ProblemList()
        row_n = unreadable_n = 0
        for line, raw in iter_rows(self._path, scratch):
            row_n += 1
            try:
                record = parse_row(raw, strict=True)
            except RecordFault as fault:
                unreadable_n += 1
                problems.add(self._problem(fault, line))
                continue
            if row_n - unreadable_n == 1:
                self._choose_format(record, line)
            sample_id = None
            try:
                sample_id = self.benchmark.id_of(record)
                request = self._request(record, line, self._validated(sample_id, line))
            except RecordFault as fault:
                problems.add(self._problem(fault, line, sample_id))
                continue
            if not problems.total:
                yield request
        if row_n == 0:
            raise BadInputError(
                Problem("empty-file", "the gold file holds no rows", SourceRef(str(self._path)))
            )
        if unreadable_n == row_n > 1:
            first = problems.kept[0]
            message = f"no row of the gold file can be read; the first: {first.message}"
            fix = first.fix or "gold files are JSON Lines: one object a line"
            raise BadInputError(Problem("no-readable-row", message, first.where, fix))
        problems.raise_if_any()

    def _choose_format(self, record: dict[str, object], line: int) -> None:
        """Choose the format that the first readable record looks like."""
        where, formats = SourceRef(str(self._path), line), known_formats()
        names = [
            name for name in known_prompts() if name in formats and formats[name].matches(record)
        ]
        if not names:
            raise BadInputError(
                Problem(
                    "unmapped-fields",
                    f"this is no gold file of {' or '.join(known_prompts())}; its fields are: "
                    + ", ".join(record),
                    where,
                    "see eval --help-formats for the names that are read",
                )
            )
        self.prompt, self.benchmark = known_prompts()[names[0]], formats[names[0]]
        if self._options.with_evidence and not self.prompt.has_evidence:
            message = f"{self.prompt.title} has no evidence to show"
            raise UsageError(
                Problem("no-evidence-to-show", message, where, "leave out --with-evidence")
            )

    def _validated(self, sample_id: str | None, line: int) -> str:
        """Return an id that is there, and for the first time."""
        name = self.benchmark.gold_fields["id"][0]
        if sample_id is None:
            message = "the row has no id, so that no reply could be told to be its own"
            raise RecordFault("no-id", message, name, "give the gold rows ids")
        if sample_id in self._line_of:
            lines = f"lines {self._line_of[sample_id]} and {line}"
            message = f"the id '{sample_id}' is given twice: {lines}"
            raise RecordFault("duplicate-id", message, name, "keep one, or give each its own id")
        self._line_of[sample_id] = line
        return sample_id

    def _request(self, record: dict[str, object], line: int, sample_id: str) -> bytes:
        if not self.benchmark.matches(record):
            raise RecordFault(
                "unmapped-fields",
                f"this is no row of {self.prompt.title} as the first is; its fields are: "
                + ", ".join(record),
                fix="put the rows of each benchmark into a file of their own",
            )
        if isinstance(self.benchmark, ChainFormat):  # what eval would refuse isn't asked
            self.benchmark.parse_gold(record)
        elif isinstance(self.benchmark, CitationFormat):
            self.benchmark.parse_item(record, line)
        options = self._options
        messages = self.prompt.messages_of(record, options.with_evidence)
        self.longest_n = max(self.longest_n, sum(len(said["content"]) for said in messages))
        custom_id = custom_id_of(sample_id, options.with_evidence)
        request = build_request(custom_id, messages, self.prompt, self._model, options.max_tokens)
        return orjson.dumps(request, option=orjson.OPT_APPEND_NEWLINE)

    def _problem(self, fault: RecordFault, line: int, sample_id: str | None = None) -> Problem:
        where = SourceRef(str(self._path), line, fault.field, sample_id)
        return Problem(fault.code, fault.message, where, fault.fix)


def _state(path: Path) -> tuple[int, int, int, int]:
    found = os.stat(path)
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
