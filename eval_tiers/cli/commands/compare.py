"""``compare``: runs on the same questions, paired row by row."""

from __future__ import annotations

from pathlib import Path

import click

from eval_tiers.cli.console import print_findings, print_json

_PATH = click.Path(path_type=str, readable=False)


@click.command("compare", short_help="Compare runs on the same questions, row by row.")
@click.argument("runs", nargs=-1, required=True, type=_PATH, metavar="RUN_A RUN_B [RUN_C]...")
@click.option("--cluster", metavar="FIELD",
              help="Whose equal values belong together: readout, perturbation, "
              "perturbation+readout (two-way), none; RR-10: pair, gene, none [readout; pair]."
              )  # fmt: skip
@click.option("--force-different", "forced", multiple=True,
              type=click.Choice(["gold", "metrics", "evidence", "tasks", "judge", "prompt"]),
              help="Compare although this differs between the runs; the last three are of judged "
              "rubrics. Repeatable.")  # fmt: skip
@click.option("--gate", "gates", multiple=True, metavar='"MEASURE -X"',
              help="Exit code 1 when a measure falls by more than X against the first run (+X: "
              "rises); repeatable.")  # fmt: skip
@click.option("--gate-interval", is_flag=True,
              help="Gates hold the far end of the 95 % interval, not the difference.")  # fmt: skip
@click.option("--output", "-o", type=_PATH, metavar="HTML", help="Write a page.")
@click.option("--flips-csv", type=_PATH, metavar="CSV",
              help="Write all flips, and the rows that only one run has.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the comparison as JSON on stdout.")
def command(
    runs: tuple[str, ...],
    cluster: str | None,
    forced: tuple[str, ...],
    gates: tuple[str, ...],
    gate_interval: bool,
    output: str | None,
    flips_csv: str | None,
    as_json: bool,
) -> int:
    """Compare runs of the same benchmark, each with each; the first named is the reference.

    A RUN is a folder that eval wrote. Rows are paired by their id. Of judged rubrics it is a
    folder of rubrics score -o, a batch_evaluation_*.jsonl or a folder of them: several systems'
    reports on the same tasks, paired by sample and rubric. Examples:

    \b
      compare outputs/20260131_120000 outputs/20260201_093000 -o compare.html
      compare BASE NEW --gate "accuracy -0.01" --gate "parse_failure_rate +0.02"
      compare scores/a scores/b --gate "compliance -0.02" -o compare.html
    """
    from eval_tiers.api import compare_runs
    from eval_tiers.api.rubrics import are_judged_rubrics
    from eval_tiers.cli.rubric_comparison import Outputs, compare_judged_rubrics
    from eval_tiers.pipeline.comparison import CompareOptions, write_comparison
    from eval_tiers.report.compare_html import render_comparison_html
    from eval_tiers.report.compare_terminal import render_comparison

    if are_judged_rubrics(runs):
        outputs = Outputs(output, flips_csv, as_json)
        return compare_judged_rubrics(runs, cluster, forced, gates, gate_interval, outputs)
    options = CompareOptions(cluster, forced, gates, gate_interval)
    compared = compare_runs(*runs, options=options)
    page = None if output is None else render_comparison_html(compared.summary)
    write_comparison(
        compared,
        page,
        None if output is None else Path(output),
        None if flips_csv is None else Path(flips_csv),
    )
    print_findings(compared.findings)
    if as_json:
        print_json(compared.summary)
    else:
        click.echo(render_comparison(compared.summary))
        for path in (output, flips_csv):
            if path is not None:
                click.echo(f"\nwritten  {path}")
    return 0 if compared.passed else 1
