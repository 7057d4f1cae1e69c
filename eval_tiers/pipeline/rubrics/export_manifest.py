"""The manifest of a rubric export, and the key of its controls."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eval_tiers import __version__
from eval_tiers.domain.findings import Finding
from eval_tiers.io.hashes import hash_files
from eval_tiers.io.rubric_export import EXPORT_KIND
from eval_tiers.io.run_folder import TIME_FORMAT
from eval_tiers.pipeline.rubrics.planned import PlannedPart, Subject
from eval_tiers.rubrics.asked import Entry
from eval_tiers.rubrics.controls import RubricControls
from eval_tiers.rubrics.prompts import PROMPT_VERSION
from eval_tiers.rubrics.tasks import RubricTask

if TYPE_CHECKING:
    from eval_tiers.pipeline.rubrics.export import RubricExportOptions


def build_manifest(
    data: Path,
    responses: Path,
    tasks: Sequence[RubricTask],
    missing: Sequence[Finding],
    subjects: Sequence[Subject],
    drawn: RubricControls,
    options: RubricExportOptions,
) -> dict[str, Any]:
    """Return what is known before the requests are made, as strict JSON."""
    of_kind = Counter(control.kind for control in drawn.controls)
    return {
        "kind": EXPORT_KIND,
        "eval_tiers_version": __version__,
        "timestamp": time.strftime(TIME_FORMAT),
        "prompt_version": PROMPT_VERSION,
        "data": {"path": str(data.absolute()), "sha256": next(iter(hash_files([data]).values()))},
        "responses": str(responses.absolute()),
        "settings": {
            "model": options.model, "max_tokens": options.max_tokens,
            "chunk_tokens": options.ruler.token_n, "counted_by": options.ruler.name,
            "repeats": options.repeats, "controls": options.controls,
            "scale": "ternary" if options.ternary else "binary", "seed": options.seed,
        },
        "predictor": options.predictor,
        "task_n": len(tasks),
        "report_n": sum(subject.control is None for subject in subjects),
        "rubric_n": sum(len(one.rubrics) for one in subjects if one.control is None),
        "missing": [
            {"sample_id": finding.where.sample, "code": finding.code, "message": finding.message}
            for finding in missing
        ],
        "control_n": dict(sorted(of_kind.items())),
        "control_shortfalls": [asdict(one) for one in drawn.shortfalls],
        "tasks": [
            {
                "sample_id": task.sample_id, "prompt": task.prompt, "domain": task.domain,
                "rubrics": [asdict(rubric) for rubric in task.rubrics],
            }
            for task in tasks
        ],
    }  # fmt: skip


def long_reports(parts: Sequence[PlannedPart]) -> list[dict[str, Any]]:
    """Return the reports that are judged in parts, without those of controls."""
    found: dict[str, dict[str, Any]] = {}
    for part in parts:
        subject = part.subject
        if part.part_n > 1 and subject.control is None:
            found[subject.task.sample_id] = {
                "sample_id": subject.task.sample_id,
                "character_n": len(subject.report),
                "part_n": part.part_n,
            }
    return [found[sample_id] for sample_id in sorted(found)]


def controls_key(
    drawn: RubricControls, entries: Sequence[tuple[int | None, Entry]], options: RubricExportOptions
) -> dict[str, Any]:
    """Return which requests are controls, and their right verdicts, as strict JSON."""
    by_number: dict[int, list[dict[str, Any]]] = {}
    for number, entry in entries:
        if number is not None:
            asked = {name: value for name, value in asdict(entry).items()
                     if name not in ("sample_id", "rubric_index")}  # fmt: skip
            by_number.setdefault(number, []).append(asked)
    return {
        "seed": options.seed,
        "controls": [
            {
                "number": number, "kind": control.kind, "truth": control.truth,
                "sample_id": control.sample_id, "rubric_index": control.rubric_index,
                "requests": by_number.get(number, []),
            }
            for number, control in enumerate(drawn.controls)
        ],
        "shortfalls": [asdict(one) for one in drawn.shortfalls],
    }  # fmt: skip
