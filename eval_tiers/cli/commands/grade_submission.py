"""``grade-submission``: an agent's submission held against a task, and its score."""

from __future__ import annotations

from pathlib import Path

import click

from eval_tiers.cli.console import print_findings, print_json, program_name

_PATH = click.Path(path_type=str, readable=False)


@click.command("grade-submission", short_help="Check and score an agent's submission to a task.")
@click.option("--task", required=True, type=_PATH, metavar="DIR", help="The grader's task folder.")
@click.option("--submission", required=True, type=_PATH, metavar="DIR",
              help="What the agent handed in: answer, manifest, files.")  # fmt: skip
@click.option("--judge", multiple=True, type=_PATH, metavar="REPLIES",
              help="The judge's reply: the file that infer wrote, or the bare JSON object; "
              "without it, checks only.")  # fmt: skip
@click.option("--trajectory", type=_PATH, metavar="FILE",
              help="What the agent did, JSON Lines, as the grader recorded it: for tasks that "
              "require events.")  # fmt: skip
@click.option("--strict-partials", is_flag=True, help="A partial conclusion counts nothing.")
@click.option("--gate", is_flag=True,
              help="Exit code 1 when a check failed: files, execution, leak scan.")  # fmt: skip
@click.option("--output", "-o", type=_PATH, metavar="FILE", help="Where judge.json is written.")
@click.option("--json", "as_json", is_flag=True, help="Print judge.json on stdout.")
@click.pass_context
def command(
    ctx: click.Context,
    task: str,
    submission: str,
    judge: tuple[str, ...],
    trajectory: str | None,
    strict_partials: bool,
    gate: bool,
    output: str | None,
    as_json: bool,
) -> None:
    """Check an agent's submission against a task, and score it with a judge's reply.

    Nothing in the submission is run, and nothing outside it is read. The judge says which expected
    conclusions and caveats are there; credit counts only with a citation that holds. Without a
    reply the score is null, never 0; a reply that can't be had or read ends in exit code 6.

    \b
      grade-submission --task TASK --submission DIR -o judge.json
    """
    from eval_tiers.api.submissions import grade_submission
    from eval_tiers.pipeline.submissions.grade import GradeOptions
    from eval_tiers.report.submissions_terminal import render_grade

    grade = grade_submission(
        task,
        submission,
        GradeOptions(
            tuple(map(Path, judge)),
            None if trajectory is None else Path(trajectory),
            strict_partials,
            None if output is None else Path(output),
        ),
    )
    print_findings(grade.findings)
    if as_json:
        print_json(grade.record)
    else:
        click.echo(render_grade(grade.record, task, submission, output, program_name()))
    if grade.infrastructure is not None:
        raise grade.infrastructure
    if gate and grade.gate_failed:
        click.echo("Gate: a check of files, execution or leaks failed.", err=True)
        ctx.exit(1)
