"""``compare`` where what is named are judged rubrics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from eval_tiers.cli.console import print_findings, print_json


@dataclass(frozen=True, slots=True)
class Outputs:
    """Where a comparison goes: a page, a table of flips, JSON on stdout."""

    page: str | None
    flips_csv: str | None
    as_json: bool


def compare_judged_rubrics(
    paths: Sequence[str],
    cluster: str | None,
    forced: tuple[str, ...],
    gates: tuple[str, ...],
    by_interval: bool,
    outputs: Outputs,
) -> int:
    """Compare judged rubrics and tell how they differ; return the exit code.

    Raises
    ------
    UsageError
        ``--cluster`` is given: rubrics are clustered by sample.
    """
    from eval_tiers.api import compare_rubrics
    from eval_tiers.exceptions import Problem, UsageError
    from eval_tiers.pipeline.rubrics.compare import RubricCompareOptions, write_rubric_comparison
    from eval_tiers.report.rubric_compare_html import render_rubric_comparison_html
    from eval_tiers.report.rubric_compare_terminal import render_rubric_comparison

    if cluster:
        message = "--cluster: not for judged rubrics, which are clustered by sample"
        raise UsageError(Problem("option-not-used", message, fix="leave it out"))
    compared = compare_rubrics(*paths, options=RubricCompareOptions(forced, gates, by_interval))
    page, flips_csv = outputs.page, outputs.flips_csv
    write_rubric_comparison(
        compared,
        None if page is None else render_rubric_comparison_html(compared.summary),
        None if page is None else Path(page),
        None if flips_csv is None else Path(flips_csv),
    )
    print_findings(compared.findings)
    if outputs.as_json:
        print_json(compared.summary)
    else:
        click.echo(render_rubric_comparison(compared.summary))
        for path in (page, flips_csv):
            if path is not None:
                click.echo(f"\nwritten  {path}")
    return 0 if compared.passed else 1
