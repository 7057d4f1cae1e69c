"""``rubrics agree``: an examiner's verdicts against people's."""

from __future__ import annotations

import sys

import click

from eval_tiers.cli.console import print_findings, print_json
from eval_tiers.report.lines import visible

_PATH = click.Path(path_type=str, readable=False)


@click.command("agree", short_help="How far the examiner agrees with people.")
@click.argument("results", type=_PATH)
@click.argument("human", type=_PATH)
@click.option("--data", type=_PATH, metavar="FILE",
              help="processed_data.jsonl: tells rubrics and axes.")  # fmt: skip
@click.option("--scale", type=click.Choice(["binary", "ternary"]), default="binary",
              show_default=True, help="ternary: Partially Satisfied is a verdict.")  # fmt: skip
@click.option("--binarize", is_flag=True, help="Take Partially Satisfied for Not Satisfied.")
@click.option("--output", "-o", type=_PATH, metavar="DIR",
              help="Folder for the summary; that of the scores, for the report.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON on stdout.")
def command(
    results: str,
    human: str,
    data: str | None,
    scale: str,
    binarize: bool,
    output: str | None,
    as_json: bool,
) -> None:
    """Compare the examiner's verdicts with people's.

    RESULTS is a batch_evaluation_*.jsonl or the folder with them. HUMAN is one as well, or a CSV
    table with sample_id, verdict, and rubric_index or rubric_title. Example:

    \b
      rubrics agree results labels.csv --data processed_data.jsonl
    """
    from eval_tiers.api import agree_rubrics
    from eval_tiers.report.rubrics_terminal import render_agreement

    found = agree_rubrics(
        results,
        human,
        data,
        ternary=scale == "ternary",
        binarize=binarize,
        output_dir=output,
        arguments=sys.argv[1:],
    )
    print_findings(found.findings)
    if as_json:
        print_json(found.summary)
        return
    click.echo(render_agreement(found.summary))
    for path in found.paths.values():
        click.echo(f"written  {visible(str(path))}")
