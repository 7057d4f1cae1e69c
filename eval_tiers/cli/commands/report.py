"""``report``: a run's folder as one HTML file."""

from __future__ import annotations

import click

from eval_tiers.cli.console import print_json
from eval_tiers.report.lines import visible

_PATH = click.Path(path_type=str, readable=False)


@click.command("report", short_help="Write a run as one HTML file.")
@click.argument("run_dir", type=_PATH, metavar="RUN_DIR")
@click.option("--output", "-o", type=_PATH, metavar="HTML",
              help="Where the page goes [report_<timestamp>.html in the run's "
              "folder].")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print where it was written, as JSON.")
def command(run_dir: str, output: str | None, as_json: bool) -> None:
    """Write a run as one HTML file that needs no network.

    RUN_DIR is the folder that eval wrote, or the one given to rubrics score -o. Figures are
    those of its summary; where an examiner's verdicts were merged, the newest merge is shown as
    well. Examples:

    \b
      report outputs/20260131_120000
      report outputs/20260131_120000 -o report.html
    """
    from eval_tiers.api import write_report

    path = write_report(run_dir, output)
    if as_json:
        print_json({"written": str(path), "bytes": path.stat().st_size})
    else:
        click.echo(f"written  {visible(str(path))}")
