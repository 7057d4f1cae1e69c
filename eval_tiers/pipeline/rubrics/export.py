"""Writes the rubrics of tasks with a report, controls among them, as requests for an examiner."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import orjson

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import Problem, SourceRef, UsageError
from eval_tiers.io.hashes import hash_files
from eval_tiers.io.output_paths import require_free_path
from eval_tiers.io.request_files import RequestFiles, validate_target
from eval_tiers.io.rubric_export import (
    controls_path_of,
    index_path_of,
    write_controls,
    write_index,
)
from eval_tiers.io.rubric_reports import Reports, find_reports
from eval_tiers.io.rubric_tasks import read_tasks
from eval_tiers.pipeline.rubrics.export_manifest import (
    build_manifest,
    controls_key,
    long_reports,
)
from eval_tiers.pipeline.rubrics.planned import PlannedPart, Subject, entries_of, plan_parts
from eval_tiers.rubrics.controls import RubricControls, draw_controls
from eval_tiers.rubrics.prompts import PROMPT_VERSION, Question, part_messages, report_text
from eval_tiers.rubrics.requests import Asking, build_request
from eval_tiers.rubrics.tasks import RubricTask
from eval_tiers.rubrics.tokens import Ruler

SPLIT_REQUESTS: Final = 50_000
DEFAULT_CHUNK_TOKENS: Final = 100_000


@dataclass(frozen=True, slots=True)
class RubricExportOptions:
    """What a rubric export is asked to do.

    Attributes
    ----------
    output : Path
        Request file; index, manifest and key of the controls lie beside it.
    ruler : Ruler
        How long a part of a report may be, and how that is counted.
    model : str
        As the engine calls it.
    max_tokens : int
        Longest reply.
    repeats : int
        How often everything is asked, the verdicts in another order each time.
    controls : int
        Controls of each right verdict; 0: none.
    ternary : bool
        Whether "Partially Satisfied" may be said.
    seed : int
        Of all that is drawn.
    predictor : str or None
        The model that wrote the reports: merge warns of an examiner of its family.
    split : bool
        Several files, of 50,000 requests and 200 MB at most.
    force : bool
        Whether an earlier export of that name may be replaced.
    """

    output: Path
    ruler: Ruler = field(default_factory=lambda: Ruler(DEFAULT_CHUNK_TOKENS))
    model: str = "judge"
    max_tokens: int = 512
    repeats: int = 1
    controls: int = 30
    ternary: bool = False
    seed: int = 0
    predictor: str | None = None
    split: bool = False
    force: bool = False


@dataclass(frozen=True, slots=True)
class WrittenRubricExport:
    """What an export wrote.

    Attributes
    ----------
    manifest : dict
        Also on disk.
    request_paths : list of Path
    index_path, manifest_path : Path
    findings : list of Finding
        Of tasks and reports: what is missing, and what `rubrics validate` warns of.
    """

    manifest: dict[str, Any]
    request_paths: list[Path]
    index_path: Path
    manifest_path: Path
    findings: list[Finding]


def export_rubrics(
    data: Path, responses: Path, options: RubricExportOptions
) -> WrittenRubricExport:
    """Write the requests about all rubrics of tasks that have a report.

    Parameters
    ----------
    data : Path
        ``processed_data.jsonl``.
    responses : Path
        Folder of ``<sample_id>.md``.
    options : RubricExportOptions

    Raises
    ------
    UsageError, BadInputError, MissingResourceError
        Then no request file is left behind. A report that is missing, empty or unreadable is a
        finding; none at all is an error.
    """
    tasks, findings = read_tasks(data)
    reports = find_reports(responses, tasks)
    _validate_places(options, data, reports)
    texts, missing = _read_reports(tasks, reports)
    findings += [*reports.findings, *missing]
    if not texts:
        raise UsageError(
            Problem("no-report", "no task has a report that could be judged",
                    SourceRef(str(responses)), "put one file a task there: <sample_id>.md")
        )  # fmt: skip
    drawn = draw_controls(tasks, texts, options.controls, options.seed)
    id_key = _id_key(data, tasks, texts, options)
    subjects = _subjects(tasks, texts, drawn)
    parts = plan_parts(subjects, options.ruler, options.repeats, id_key)
    tally = _Tally()
    with RequestFiles(options.output, SPLIT_REQUESTS if options.split else None) as files:
        for line in _lines(parts, options, tally):
            files.add(line)
        manifest = build_manifest(data, responses, tasks, missing, subjects, drawn, options) | {
            "id_key": id_key,
            "request_n": tally.request_n,
            "longest_prompt_n": tally.longest_n,
            "long_reports": long_reports(parts),
            "requests": [
                {"path": str(Path(one.path).absolute()), "sha256": one.sha256,
                 "request_n": one.request_n, "byte_n": one.byte_n}
                for one in files.complete()
            ],
        }  # fmt: skip
        entries = entries_of(parts, options.repeats, id_key)
        index_path = index_path_of(options.output)
        write_index(index_path, [entry for number, entry in entries if number is None])
        write_controls(controls_path_of(options.output), controls_key(drawn, entries, options))
        paths = [Path(one.path) for one in files.files]
        files.finish(manifest)
    return WrittenRubricExport(manifest, paths, index_path, files.manifest_path, findings)


@dataclass(slots=True)
class _Tally:
    """What was met while requests were made."""

    request_n: int = 0
    longest_n: int = 0


def _validate_places(options: RubricExportOptions, data: Path, reports: Reports) -> None:
    validate_target(options.output, data, options.force)
    for path in (index_path_of(options.output), controls_path_of(options.output)):
        if path.exists() and not options.force:
            raise UsageError(
                Problem("output-exists", "there is a file of that name", SourceRef(str(path)),
                        "name another file with -o, or replace it with --force")
            )  # fmt: skip
        require_free_path(path, [data])
    require_free_path(options.output, [data, *reports.files.values()])


def _read_reports(
    tasks: Sequence[RubricTask], reports: Reports
) -> tuple[dict[str, str], list[Finding]]:
    """Return the texts of the reports as prompts show them, and what is missing."""
    texts: dict[str, str] = {}
    missing: list[Finding] = []
    for task in tasks:
        report = reports.read(task.sample_id)
        if report.text is None:
            if report.finding is not None:
                missing.append(report.finding)
            continue
        text = report_text(report.text)
        if not text.strip():
            message = "the report holds nothing but signs that can't be seen"
            where = SourceRef(str(report.path), None, None, task.sample_id)
            missing.append(Finding("report-empty", message, where))
            continue
        texts[task.sample_id] = text
    return texts, missing


def _id_key(
    data: Path, tasks: Sequence[RubricTask], texts: dict[str, str], options: RubricExportOptions
) -> str:
    """Return the key of the ids: another one for what would be asked in other words."""
    digests = [
        hashlib.sha256(texts[task.sample_id].encode("utf-8", "surrogatepass")).hexdigest()
        for task in tasks
        if task.sample_id in texts
    ]
    asked = [list(hash_files([data]).values()), digests, options.seed, options.ternary,
             options.ruler.token_n, options.ruler.name, PROMPT_VERSION]  # fmt: skip
    return hashlib.sha256(orjson.dumps(asked)).hexdigest()


def _subjects(
    tasks: Sequence[RubricTask], texts: dict[str, str], drawn: RubricControls
) -> list[Subject]:
    """Return every report with the rubrics that it is judged by: the real ones, then controls."""
    by_id = {task.sample_id: task for task in tasks}
    found = [
        Subject(task, tuple(range(len(task.rubrics))), texts[task.sample_id])
        for task in tasks
        if task.sample_id in texts
    ]
    return found + [
        Subject(by_id[control.sample_id], (control.rubric_index,), control.report, number)
        for number, control in enumerate(drawn.controls)
    ]


def _lines(
    parts: Sequence[PlannedPart], options: RubricExportOptions, tally: _Tally
) -> Iterator[bytes]:
    asking = Asking(options.model, options.max_tokens, options.seed)
    for part in parts:
        task = part.subject.task
        for entry in part.entries:
            question = Question(
                task.prompt, task.rubrics[entry.rubric_index].criterion, options.ternary,
                entry.repeat,
            )  # fmt: skip
            messages = part_messages(question, part.text, part.part, part.part_n)
            tally.request_n += 1
            tally.longest_n = max(tally.longest_n, sum(len(one["content"]) for one in messages))
            request = build_request(entry.custom_id, messages, question.verdicts, asking)
            yield orjson.dumps(request, option=orjson.OPT_APPEND_NEWLINE)
