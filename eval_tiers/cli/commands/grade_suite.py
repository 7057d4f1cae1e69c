"""``grade-suite``: many tasks and trials graded, with intervals and pass@k."""

from __future__ import annotations

from pathlib import Path

import click

from eval_tiers.cli.console import print_findings, print_json
from eval_tiers.cli.options import FiniteRange

_PATH = click.Path(path_type=str, readable=False)


@click.command("grade-suite", short_help="Grade many submissions to many tasks.")
@click.argument("suite", type=_PATH, metavar="DIR")
@click.option("--judge", multiple=True, type=_PATH, metavar="REPLIES",
              help="Reply files besides those in DIR/judge.")  # fmt: skip
@click.option("--strict-partials", is_flag=True, help="A partial conclusion counts nothing.")
@click.option("--pass-at", type=FiniteRange(0, 1), default=1.0, show_default=True,
              metavar="SCORE", help="Score from which a trial passes.")  # fmt: skip
@click.option("--k", "ks", type=click.IntRange(1, 10_000), multiple=True, metavar="K",
              help="pass@K; several times for several [1 2 5 10].")  # fmt: skip
@click.option("--gate", is_flag=True, help="Exit code 1 when a check of any trial failed.")
@click.option("--output", "-o", type=_PATH, metavar="DIR",
              help="Folder for suite.json, tasks.csv, trials.csv and a judge.json a "
              "trial.")  # fmt: skip
@click.option("--force", is_flag=True, help="Replace a graded suite in that folder.")
@click.option("--json", "as_json", is_flag=True, help="Print suite.json on stdout.")
@click.pass_context
def command(
    ctx: click.Context,
    suite: str,
    judge: tuple[str, ...],
    strict_partials: bool,
    pass_at: float,
    ks: tuple[int, ...],
    gate: bool,
    output: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Grade every trial of a suite.

    DIR holds tasks/TASK, submissions/TASK/TRIAL and judge/*.jsonl, the replies to what
    export-judge --suite wrote. A trial whose judge failed is counted apart: it is no score, and
    never zero.

    \b
      grade-suite SUITE -o graded
    """
    from eval_tiers.api.submissions import grade_suite
    from eval_tiers.cli.progress import Progress
    from eval_tiers.exceptions import InfrastructureError, Problem, SourceRef
    from eval_tiers.pipeline.submissions.suite import DEFAULT_KS, SuiteOptions
    from eval_tiers.report.suite_terminal import render_suite

    wanted = tuple(sorted(set(ks))) or DEFAULT_KS
    options = SuiteOptions(tuple(map(Path, judge)), strict_partials, pass_at, wanted)
    graded = grade_suite(suite, options, output, force, Progress("trials"))
    print_findings(graded.findings)
    if as_json:
        print_json(graded.summary)
    else:
        click.echo(render_suite(graded.summary, wanted, output))
    failed_n = graded.summary["infrastructure_n"]
    if failed_n and failed_n == graded.summary["trial_n"]:
        raise InfrastructureError(
            Problem("no-trial-scored", f"none of {failed_n:,} trials could be scored",
                    SourceRef(suite), "the first reasons are listed above")
        )  # fmt: skip
    if gate and graded.gate_failed:
        click.echo("Gate: a check of files, execution or leaks failed in some trial.", err=True)
        ctx.exit(1)
