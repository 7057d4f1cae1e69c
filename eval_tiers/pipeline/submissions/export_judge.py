"""The judge's requests about one submission, or about all of a suite, as a request file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import EvalTiersError
from eval_tiers.io.request_files import RequestFiles, validate_target
from eval_tiers.io.submission_folder import inspect_submission
from eval_tiers.io.submission_task import TASK_FILE, LoadedTask, load_task
from eval_tiers.io.suite_folder import find_suite
from eval_tiers.submissions.inspection import Inspection, VerifiedArtifact
from eval_tiers.submissions.judge_request import (
    REQUEST_VERSION,
    JudgeOptions,
    base_id_of,
    build_judge_requests,
    shown_artifacts,
)

Inspected = tuple[LoadedTask, Path, Inspection]


@dataclass(frozen=True, slots=True)
class WrittenRequests:
    """What an export wrote.

    Attributes
    ----------
    manifest : dict
        Also on disk, beside the requests.
    path, manifest_path : Path
    findings : list of Finding
    """

    manifest: dict[str, Any]
    path: Path
    manifest_path: Path
    findings: list[Finding] = field(default_factory=list)


def export_judge_requests(
    task_folder: Path,
    submission: Path,
    output: Path,
    options: JudgeOptions | None = None,
    force: bool = False,
) -> WrittenRequests:
    """Write the judge's requests about a submission.

    Raises
    ------
    BadInputError, MissingResourceError
        The task can't be read, the submission isn't there, or nothing can be written.
    UsageError
        There is a file of that name, and it isn't to be replaced.
    """
    loaded = load_task(task_folder)
    validate_target(output, task_folder / TASK_FILE, force)
    found = inspect_submission(submission, loaded.task, loaded.references)
    written = [(loaded, submission, found)]
    return _write(written, output, options or JudgeOptions(), list(loaded.findings))


def export_suite_requests(
    root: Path, output: Path, options: JudgeOptions | None = None, force: bool = False
) -> WrittenRequests:
    """Write the judge's requests about all trials of a suite, those that are alike once.

    A task or trial that can't be read is a finding.

    Raises
    ------
    BadInputError, MissingResourceError, UsageError
        There is no suite, or nothing can be written; as `export_judge_requests`.
    """
    suite = find_suite(root)
    for folder in suite.tasks.values():
        if (folder / TASK_FILE).exists():
            validate_target(output, folder / TASK_FILE, force)
    findings = list(suite.findings)

    def inspected() -> Iterator[Inspected]:
        for task, folder in suite.tasks.items():
            try:
                loaded = load_task(folder)
            except EvalTiersError as error:
                findings.extend(_findings(error))
                continue
            findings.extend(loaded.findings)
            for trial in suite.trials[task]:
                try:
                    trial.require_folder()
                    found = inspect_submission(trial.submission, loaded.task, loaded.references)
                except EvalTiersError as error:
                    findings.extend(_findings(error))
                    continue
                yield loaded, trial.submission, found

    return _write(inspected(), output, options or JudgeOptions(), findings)


def _findings(error: EvalTiersError) -> list[Finding]:
    return [
        Finding(problem.code, problem.message, problem.where, "error", problem.fix)
        for problem in error.problems
    ]


def _write(
    inspected: Iterable[Inspected], output: Path, options: JudgeOptions, findings: list[Finding]
) -> WrittenRequests:
    submissions: list[dict[str, Any]] = []
    seen: set[str] = set()
    longest = 0
    with RequestFiles(output) as files:
        for loaded, folder, inspection in inspected:
            base_id = base_id_of(loaded.task, inspection)
            if base_id not in seen:
                for request in build_judge_requests(loaded.task, inspection, options):
                    longest = max(longest, _prompt_n(request))
                    files.add(orjson.dumps(request, option=orjson.OPT_APPEND_NEWLINE))
            seen.add(base_id)
            shown = list(shown_artifacts(loaded.task, inspection))
            submissions.append(
                {
                    "task_id": loaded.task.task_id,
                    "submission": str(folder),
                    "base_id": base_id,
                    "failed_check_n": inspection.failures_n,
                    "artifacts_shown": [one.path for one, n in shown if not _hidden(one, n)],
                    "artifacts_cut": [
                        one.path for one, n in shown if n and (one.cut or n < len(one.head))
                    ],
                    "artifacts_not_shown": [one.path for one, n in shown if _hidden(one, n)],
                }
            )
        if not seen:
            files.add(b"")
        manifest: dict[str, Any] = {
            "request_version": REQUEST_VERSION,
            "request_n": len(seen) * options.repeats,
            "model": options.model,
            "repeats": options.repeats,
            "longest_prompt_n": longest,
            "submissions": submissions,
            "requests": [
                {"path": one.path, "sha256": one.sha256, "request_n": one.request_n}
                for one in files.complete()
            ],
        }
        files.finish(manifest)
    return WrittenRequests(manifest, output, files.manifest_path, findings)


def _hidden(artifact: VerifiedArtifact, shown_n: int) -> bool:
    return artifact.kind == "binary" or bool(artifact.head and not shown_n)


def _prompt_n(request: dict[str, object]) -> int:
    body: Any = request["body"]
    return sum(len(message["content"]) for message in body["messages"])
