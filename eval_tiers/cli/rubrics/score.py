"""``rubrics score``: compliance scores out of judged rubrics."""

from __future__ import annotations

import sys

import click

from eval_tiers.cli.console import print_json, program_name
from eval_tiers.report.lines import visible

_PATH = click.Path(path_type=str, readable=False)


@click.command("score", short_help="Compliance scores out of judged rubrics.")
@click.argument("results", type=_PATH)
@click.option("--data", type=_PATH, metavar="FILE",
              help="processed_data.jsonl: what is expected; without it coverage is "
              "unknown.")  # fmt: skip
@click.option("--unscored", type=click.Choice(["strict", "exclude", "zero"]), default="strict",
              show_default=True, help="A sample with rubrics that have no score: no score; "
              "without these rubrics; these rubrics as not satisfied.")  # fmt: skip
@click.option("--scale", type=click.Choice(["binary", "ternary"]), default="binary",
              show_default=True, help="ternary: Partially Satisfied scores .5.")  # fmt: skip
@click.option("--binarize", is_flag=True, help="Take Partially Satisfied for Not Satisfied.")
@click.option("--output", "-o", type=_PATH, metavar="DIR",
              help="Folder for summary and tables.")  # fmt: skip
@click.option("--spreadsheet-safe", is_flag=True,
              help="Put ' before cells that a spreadsheet would run.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON on stdout.")
def command(
    results: str,
    data: str | None,
    unscored: str,
    scale: str,
    binarize: bool,
    output: str | None,
    spreadsheet_safe: bool,
    as_json: bool,
) -> None:
    """Score judged rubrics: of each sample the weighted share that it satisfies.

    RESULTS is a batch_evaluation_*.jsonl, or a folder: all of those in it are read together, as
    shards of one evaluation. Example:

    \b
      rubrics score results --data processed_data.jsonl -o scores
    """
    from eval_tiers.api import score_rubrics
    from eval_tiers.report.rubrics_terminal import render_rubrics

    scored = score_rubrics(
        results,
        data,
        unscored=unscored,
        ternary=scale == "ternary",
        binarize=binarize,
        output_dir=output,
        spreadsheet_safe=spreadsheet_safe,
        arguments=sys.argv[1:],
    )
    _tell_findings(scored.summary)
    if as_json:
        print_json(scored.summary)
        return
    click.echo(render_rubrics(scored.summary))
    for path in scored.paths.values():
        click.echo(f"written  {visible(str(path))}")
    if output is not None:
        click.echo(f"Next: {program_name()} report {visible(output)}")


def _tell_findings(summary: dict[str, object]) -> None:
    """Print on stderr what is neither in the table of samples nor under coverage."""
    from eval_tiers.cli.console import print_findings
    from eval_tiers.domain.findings import Finding
    from eval_tiers.exceptions import SourceRef

    listed = [
        one
        for key in ("rejected_rows", "findings")
        for one in summary[key]  # type: ignore[attr-defined]
    ]
    print_findings(
        Finding(
            one["code"],
            one["message"],
            SourceRef(one["path"], one["line"], None, one["sample_id"]),
            one["level"],
            one["fix"],
        )
        for one in listed
    )
