"""``export-labels``: a random sample of the exported cases for people to judge."""

from __future__ import annotations

from pathlib import Path

import click

from eval_tiers.cli.console import program_name
from eval_tiers.report.lines import visible

_PATH = click.Path(path_type=str, readable=False)


@click.command("export-labels", short_help="Draw a sheet of hard cases for people to judge.")
@click.option("--samples-csv", required=True, type=_PATH, metavar="FILE",
              help="The samples table that was exported from.")  # fmt: skip
@click.option("--number", "-n", type=click.IntRange(1), default=100, show_default=True,
              metavar="N", help="Cases to draw.")  # fmt: skip
@click.option("--kind", default="wrong_correct_chain", show_default=True, metavar="NAME",
              help="Kind of question.")  # fmt: skip
@click.option("--index", type=_PATH, metavar="FILE",
              help="rescue_index_*.csv of the export [in the run's folder].")  # fmt: skip
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True,
              metavar="N", help="Seed of the draw.")  # fmt: skip
@click.option("--output", "-o", type=_PATH, metavar="CSV",
              help="The sheet [rescue/rescue_labels_<timestamp>.csv in the run's "
              "folder].")  # fmt: skip
@click.option("--force", is_flag=True, help="Replace a sheet of that name.")
def command(
    samples_csv: str,
    number: int,
    kind: str,
    index: str | None,
    seed: int,
    output: str | None,
    force: bool,
) -> None:
    """Draw a sheet of exported cases for two people to judge, each by themselves.

    Each case is as likely to be drawn; no verdict of an examiner is shown. The sheet, filled in,
    goes into merge-rescue --labels, which then reports how far the raters agree and corrects by
    their labels instead of the controls.

    \b
      export-labels --samples-csv RUN/samples_X.csv -n 60 -o sheet.csv
    """
    from eval_tiers.api import export_labels
    from eval_tiers.pipeline.rescue.labels import SheetOptions

    written = export_labels(
        samples_csv,
        SheetOptions(
            number,
            None if output is None else Path(output),
            kind,
            None if index is None else Path(index),
            seed,
            force,
        ),
    )
    click.echo(
        "\n".join(
            [
                f"drawn    {written.drawn_n:,} of {written.population_n:,} cases",
                f"written  {visible(str(written.path))}",
                f"Fill in rater_1 and rater_2 with one of: {', '.join(written.verdicts)};",
                "where they differ, what was settled on afterwards in settled. Then:",
                f"  {program_name()} merge-rescue ... --labels {visible(str(written.path))}",
            ]
        )
    )
