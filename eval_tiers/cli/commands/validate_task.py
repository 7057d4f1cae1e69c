"""``validate-task``: a grader's task, its oracle, and faults that have to be found."""

from __future__ import annotations

import click

from eval_tiers.cli.console import print_json, program_name


@click.command("validate-task", short_help="Check a task for grading submissions, and its oracle.")
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(readable=False))
@click.option("--all", "list_all", is_flag=True, help="List every mutation and finding.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def command(ctx: click.Context, folder: str | None, list_all: bool, as_json: bool) -> None:
    """Check a task before agents are graded with it.

    DIR holds eval_task.toml, reference, provenance.tsv, PROVENANCE.md and oracle, a submission
    that has to pass; without it, the bundled example. The oracle is graded, then faults are put
    into copies of it, one at a time (a dropped column, a symlink, a wrong hash, ...): each has to
    be found by its code. The folder itself is left as it is.

    Exit code 1 when there is any error; warnings and notes alone give 0. A folder without a task
    file that can be read gives 3 or 4.

    \b
      validate-task TASK
    """
    from eval_tiers.api import validate_task
    from eval_tiers.cli.progress import Progress
    from eval_tiers.report.validate_task_terminal import render_validation

    result = validate_task(folder, Progress("files' mutations"))
    record = result.as_dict()
    if as_json:
        print_json(record)
    else:
        click.echo(render_validation(record, program_name(), folder is None, list_all))
    if not result.ok:
        ctx.exit(1)
