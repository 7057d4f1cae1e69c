"""``export-judge``: a submission as a request to a judge."""

from __future__ import annotations

import click

from eval_tiers.cli.console import print_findings, print_json, program_name

_PATH = click.Path(path_type=str, readable=False)


@click.command("export-judge", short_help="Write a submission as a request to a judge.")
@click.option("--task", type=_PATH, metavar="DIR", help="The grader's task folder.")
@click.option("--submission", type=_PATH, metavar="DIR", help="What the agent handed in.")
@click.option("--suite", type=_PATH, metavar="DIR",
              help="Instead of both: all trials of a suite, see grade-suite.")  # fmt: skip
@click.option("--output", "-o", required=True, type=_PATH, metavar="FILE", help="Request file.")
@click.option("--model", default="judge", show_default=True, metavar="NAME",
              help="The judge's name in the request, as the engine calls it.")  # fmt: skip
@click.option("--repeats", type=click.IntRange(1, 100), default=1, show_default=True, metavar="K",
              help="Ask K times, at temperature 1: each row's median status counts.")  # fmt: skip
@click.option("--max-tokens", type=click.IntRange(16), default=4096, show_default=True,
              metavar="N", help="Longest reply.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0, 2**31 - 1), default=0, show_default=True,
              metavar="N", help="Seed of the engine, of the first request.")  # fmt: skip
@click.option("--force", is_flag=True, help="Replace a file of that name.")
@click.option("--json", "as_json", is_flag=True, help="Print the manifest as JSON on stdout.")
def command(
    task: str | None,
    submission: str | None,
    suite: str | None,
    output: str,
    model: str,
    repeats: int,
    max_tokens: int,
    seed: int,
    force: bool,
    as_json: bool,
) -> None:
    """Write what was verified of a submission as a request to a judge.

    Answer and files are shown as data, in fences that they can't close, up to 20,000 characters
    each and 80,000 in all. What failed a check isn't shown. The reply is bound to a JSON schema.

    \b
      export-judge --task TASK --submission DIR -o judge_requests.jsonl
    """
    from eval_tiers.api.submissions import export_judge, export_suite_judge
    from eval_tiers.report.submissions_terminal import render_judge_export
    from eval_tiers.submissions.judge_request import JudgeOptions

    options = JudgeOptions(model, repeats, max_tokens, seed)
    if suite is not None and task is None and submission is None:
        written = export_suite_judge(suite, output, options, force)
        words = ["grade-suite", suite]
    elif suite is None and task is not None and submission is not None:
        written = export_judge(task, submission, output, options, force)
        words = ["grade-submission", "--task", task, "--submission", submission]
    else:
        raise click.UsageError("name --task and --submission, or --suite alone")
    print_findings(written.findings)
    if as_json:
        print_json(written.manifest)
        return
    click.echo(render_judge_export(written.manifest, words, output, program_name()))
