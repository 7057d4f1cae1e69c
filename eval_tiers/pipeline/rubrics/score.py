"""Scores judged rubrics: reads rows and data, and writes summary and tables."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import MissingResourceError, Problem, SourceRef
from eval_tiers.io.atomic import atomic_writer, clean_text, render_json
from eval_tiers.io.hashes import hash_files
from eval_tiers.io.rubric_results import read_results
from eval_tiers.io.rubric_scores import PAIRS, find_recorded
from eval_tiers.io.rubric_tasks import read_tasks
from eval_tiers.io.run_folder import TIME_FORMAT
from eval_tiers.io.samples_csv import formula_safe
from eval_tiers.io.sources import reason_of
from eval_tiers.pipeline.manifest import environment
from eval_tiers.rubrics.coverage import (
    STATES,
    Coverage,
    build_coverage,
    expected_of_rows,
    expected_of_tasks,
)
from eval_tiers.rubrics.scored_rows import pair_record
from eval_tiers.rubrics.scores import POLICIES, STRICT
from eval_tiers.rubrics.tasks import RubricTask
from eval_tiers.summaries.rubrics import DIMENSIONS, KIND, METRICS_VERSION, build_rubric_summary

SUMMARY: Final = "rubric_summary"
SCORES: Final = "scores"
FAILURES: Final = "failures"


@dataclass(frozen=True, slots=True)
class ScoreOptions:
    """What is scored, and how.

    Attributes
    ----------
    results : Path
        A results file, or the folder with all of them.
    data : Path or None
        The tasks; without them what is expected is what the rows hold.
    unscored : {"strict", "exclude", "zero"}
        What becomes of a sample with rubrics that have no score.
    ternary : bool
        Whether ``Partially Satisfied`` scores .5.
    binarize : bool
        Whether it counts as ``Not Satisfied``.
    output : Path or None
        Folder for summary and tables; None: nothing is written.
    spreadsheet_safe : bool
        Whether ``'`` goes before cells that a spreadsheet would run.
    arguments : tuple of str
        For the summary.
    """

    results: Path
    data: Path | None = None
    unscored: str = STRICT
    ternary: bool = False
    binarize: bool = False
    output: Path | None = None
    spreadsheet_safe: bool = False
    arguments: tuple[str, ...] = ()

    @property
    def scale(self) -> str:
        """What the three-valued verdict is taken for."""
        return "binarized" if self.binarize else "ternary" if self.ternary else "binary"


@dataclass(frozen=True, slots=True)
class ScoredRubrics:
    """Summary, verdict of each pair, and files written, by stem and suffix."""

    summary: dict[str, Any]
    coverage: Coverage
    paths: dict[str, Path] = field(default_factory=dict)


def score_results(options: ScoreOptions) -> ScoredRubrics:
    """Score judged rubrics, and write what was found if a folder is named.

    Raises
    ------
    MissingResourceError, BadInputError
        A file isn't there, or can't be read as what it should be.
    """
    tasks: list[RubricTask] | None = None
    task_findings: list[Finding] = []
    if options.data is not None:
        tasks, task_findings = read_tasks(options.data)
    given = read_results(options.results)
    expected = expected_of_rows(given.rows) if tasks is None else expected_of_tasks(tasks)
    coverage = build_coverage(
        given.rows, expected, tasks is not None, options.ternary, options.binarize
    )
    stamp = free_stamp(options.output)
    figures = build_rubric_summary(
        coverage, given.rows, tasks, options.unscored, given.unreadable,
        [*task_findings, *given.findings],
    )  # fmt: skip
    inputs = [("results", path) for path in given.paths]
    if options.data is not None:
        inputs.append(("data", options.data))
    summary = {
        "kind": KIND,
        "metrics_version": METRICS_VERSION,
        **environment(stamp, list(options.arguments)),
        "inputs": describe_inputs(inputs),
        "responses": find_recorded(given.paths, "responses"),
        "scale": options.scale,
        "spreadsheet_safe": options.spreadsheet_safe,
        **figures,
    }
    paths = {} if options.output is None else _write(options, stamp, summary, coverage)
    return ScoredRubrics(summary, coverage, paths)


def describe_inputs(inputs: Sequence[tuple[str, Path]]) -> list[dict[str, str]]:
    """Return role, path and SHA-256 of each file."""
    hashes = hash_files(path for _, path in inputs)
    return [{"role": role, "path": str(path), "sha256": hashes[str(path)]} for role, path in inputs]


def free_stamp(folder: Path | None, stem: str = SUMMARY) -> str:
    """Return the time, with a number after it where that second is taken."""
    stamp = time.strftime(TIME_FORMAT)
    number = 1
    name = stamp
    while folder is not None and (folder / f"{stem}_{name}.json").exists():
        number += 1
        name = f"{stamp}-{number}"
    return name


def _write(
    options: ScoreOptions, stamp: str, summary: Mapping[str, Any], coverage: Coverage
) -> dict[str, Path]:
    folder = options.output
    if folder is None:
        return {}
    safe = options.spreadsheet_safe
    files = {
        f"{SCORES}_{stamp}.csv": render_table(_score_rows(summary), safe),
        f"{FAILURES}_{stamp}.csv": render_table(_failure_rows(summary["failures"]), safe),
        f"{PAIRS}_{stamp}.csv": render_table(_pair_rows(coverage), safe),
        f"{SUMMARY}_{stamp}.json": render_json(summary),
    }
    return write_files(folder, files)


def write_files(folder: Path, files: Mapping[str, bytes]) -> dict[str, Path]:
    """Write files into a folder, each whole or not at all; return them by stem and suffix.

    Raises
    ------
    MissingResourceError
        The folder can't be made or written.
    """
    paths = {}
    try:
        if folder.exists() and not folder.is_dir():
            message = "the output folder is there, and is no folder"
            raise MissingResourceError(
                Problem("cannot-write", message, SourceRef(str(folder)), "name another with -o")
            )
    except (OSError, ValueError) as error:
        message = f"the output folder can't be made: {reason_of(error)}"
        raise MissingResourceError(
            Problem("cannot-write", message, SourceRef(str(folder)), "name another with -o")
        ) from error
    for name, data in files.items():
        path = folder / name
        with atomic_writer(path) as handle:
            handle.write(data)
        paths[f"{name.rpartition('_')[0].rpartition('_')[0]}{path.suffix}"] = path
    return paths


Table = Iterable[Mapping[str, Any]]


def render_table(rows: Table, safe: bool) -> bytes:
    """Return rows as CSV with a header; None is an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for number, row in enumerate(rows):
        if number == 0:
            writer.writerow(row)
        writer.writerow([_cell(value, safe) for value in row.values()])
    return clean_text(text.getvalue()).encode()


def _cell(value: Any, safe: bool) -> Any:
    if isinstance(value, str):
        return formula_safe(value) if safe else value
    return value


def _score_rows(summary: Mapping[str, Any]) -> Table:
    for sample in summary["samples"]:
        yield {
            "sample_id": sample["sample_id"],
            "compliance_score": sample["compliance_score"],
            "compliance_score_clipped_at_0": sample["compliance_score_clipped_at_0"],
            "reason": sample["reason"],
            **{f"compliance_score_{policy}": sample["by_unscored"][policy] for policy in POLICIES},
            "rubric_n": sample["rubric_n"],
            **{f"{state}_n": sample[f"{state}_n"] for state in STATES},
            "positive_weight": sample["positive_weight"],
            **{name: sample[name] for name in DIMENSIONS},
            "cost": sample["cost"],
            "tokens_used": sample["tokens_used"],
        }


def _failure_rows(failures: Mapping[str, Any]) -> Table:
    """Yield the pooled failures, then those of each sample by axis."""
    blank = dict.fromkeys(failures["overall"])
    yield {"sample_id": None, "by": "overall", "value": None, **failures["overall"]}
    for by in ("sign", "axis", *DIMENSIONS):
        for value, figures in (failures[f"by_{by}"] or {}).items():
            yield {"sample_id": None, "by": by, "value": value, **figures}
    for sample_id, axes in failures["by_sample"].items():
        for value, figures in axes.items():
            yield {"sample_id": sample_id, "by": "axis", "value": value, **blank, **figures}


def _pair_rows(coverage: Coverage) -> Table:
    return map(pair_record, coverage.every_pair())
