"""Holds an examiner's verdicts against people's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.io.atomic import render_json
from eval_tiers.io.rubric_results import read_labels, read_results
from eval_tiers.io.rubric_tasks import read_tasks
from eval_tiers.pipeline.manifest import environment
from eval_tiers.pipeline.rubrics.score import describe_inputs, free_stamp, write_files
from eval_tiers.rubrics.agreement import (
    Labelled,
    LabelledPairs,
    agreement_figures,
    labels_of_scale,
    mean_over_tasks,
    pair_labels,
)
from eval_tiers.rubrics.coverage import (
    Coverage,
    build_coverage,
    expected_of_rows,
    expected_of_tasks,
)
from eval_tiers.rubrics.failures import NO_AXIS, UNKNOWN
from eval_tiers.summaries.rubrics import METRICS_VERSION

KIND: Final = "rubric_agreement"


@dataclass(frozen=True, slots=True)
class AgreeOptions:
    """What is compared, and how.

    Attributes
    ----------
    results : Path
        A results file, or the folder with all of them.
    labels : Path
        People's verdicts.
    data : Path or None
    ternary, binarize : bool
        As in scoring.
    output : Path or None
        Folder for the summary; None: nothing is written.
    arguments : tuple of str
    """

    results: Path
    labels: Path
    data: Path | None = None
    ternary: bool = False
    binarize: bool = False
    output: Path | None = None
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RubricAgreement:
    """The summary, what was found on the way, and the file written."""

    summary: dict[str, Any]
    findings: list[Finding]
    paths: dict[str, Path] = field(default_factory=dict)


def compare_with_people(options: AgreeOptions) -> RubricAgreement:
    """Compare an examiner's verdicts with people's, rubric by rubric.

    Raises
    ------
    MissingResourceError, BadInputError
        A file isn't there or can't be read, or no rubric was judged by both.
    """
    tasks, findings = (None, []) if options.data is None else read_tasks(options.data)
    given, said = read_results(options.results), read_labels(options.labels)
    expected = expected_of_rows(given.rows) if tasks is None else expected_of_tasks(tasks)
    scale = options.ternary, options.binarize
    examiner = build_coverage(given.rows, expected, tasks is not None, *scale)
    people = build_coverage(said.rows, expected, tasks is not None, *scale)
    found = pair_labels(examiner, people, options.binarize)
    if not found.compared:
        reasons = [str(one["reason"]) for one in found.left_out]
        reasons += [one.message for one in people.extra]
        message = "no rubric has both a verdict of the examiner and one of people"
        message += f"; of the first label: {reasons[0]}" if reasons else ""
        fix = "check that sample_id, and rubric_index or rubric_title, are the same in both"
        fix += "" if options.data else "; where only one of them has a rubric_index, give --data"
        where = SourceRef(str(options.labels))
        raise BadInputError(Problem("nothing-to-compare", message, where, fix))
    stamp = free_stamp(options.output, KIND)
    inputs = [("results", path) for path in given.paths]
    inputs += [("people", path) for path in said.paths]
    if options.data is not None:
        inputs.append(("data", options.data))
    listed = [
        *findings, *given.unreadable, *given.findings, *said.unreadable,
        *_findings_of(examiner), *_findings_of(people),
    ]  # fmt: skip
    summary = {
        "kind": KIND,
        "metrics_version": METRICS_VERSION,
        **environment(stamp, list(options.arguments)),
        "inputs": describe_inputs(inputs),
        "scale": "binarized" if options.binarize else "ternary" if options.ternary else "binary",
        **_figures(found, labels_of_scale(*scale)),
        "extra_label_n": len(people.extra),
        "findings": [
            {**finding.as_dict(), "sample_id": finding.where.sample} for finding in listed
        ],
    }
    paths: dict[str, Path] = {}
    if options.output is not None:
        paths = write_files(options.output, {f"{KIND}_{stamp}.json": render_json(summary)})
    return RubricAgreement(summary, listed, paths)


def _findings_of(coverage: Coverage) -> list[Finding]:
    return [*coverage.rejected, *coverage.extra, *coverage.duplicates, *coverage.notes]


def _figures(found: LabelledPairs, labels: Sequence[str]) -> dict[str, Any]:
    by_axis: dict[str, list[Labelled]] = {}
    for row in found.compared:
        by_axis.setdefault(UNKNOWN if row.axis is None else row.axis or NO_AXIS, []).append(row)
    return {
        "counts": found.counts,
        "labels": list(labels),
        "pooled": agreement_figures(found.compared, labels),
        "mean_over_tasks": mean_over_tasks(found.compared, labels),
        "by_axis": {
            axis: {
                **agreement_figures(by_axis[axis], labels),
                "mean_over_tasks": mean_over_tasks(by_axis[axis], labels),
            }
            for axis in sorted(by_axis)
        },
        "left_out": found.left_out,
    }
