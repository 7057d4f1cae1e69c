"""``relabel``: a run's error labels under other thresholds, without reading texts again."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from eval_tiers.cli.console import print_json
from eval_tiers.cli.options import FiniteRange
from eval_tiers.report.lines import visible

_PATH = click.Path(path_type=str, readable=False)
_SHARE = FiniteRange(0, 1)


@click.command("relabel", short_help="A run's error labels under other thresholds.")
@click.argument("run_dir", type=_PATH)
@click.option("--coverage", "--coverage-threshold", "coverage", type=_SHARE, metavar="X",
              help="Share of gold pairs (RR-10: gold datasets) that passes, "
              "inclusive.")  # fmt: skip
@click.option("--hallucination", "--hallucination-threshold", "hallucination", type=_SHARE,
              metavar="X", help="Share of pairs outside the graph (RR-10: of made-up citations) "
              "that counts as hallucinated, inclusive.")  # fmt: skip
@click.option("--unknown-nodes", type=click.Choice(["hallucinated", "unverifiable"]),
              help="What pairs with a node that the graph doesn't know are.")  # fmt: skip
@click.option("--output", "-o", type=_PATH, metavar="PARENT",
              help="Folder in which the new run gets its own [beside the run].")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the new summary as JSON on stdout.")
def command(
    run_dir: str,
    coverage: float | None,
    hallucination: float | None,
    unknown_nodes: str | None,
    output: str | None,
    as_json: bool,
) -> None:
    """Give the error labels of a finished run anew, under other thresholds.

    Works from the run's tables; gold, predictions, graph and texts are not read. The run stays
    as it is: a new one is written, with what changed. A threshold that isn't given stays.

    \b
      relabel outputs/20260131_120000 --coverage 0.7
    """
    from eval_tiers.api import relabel
    from eval_tiers.report.relabel_terminal import render_relabelled

    done = relabel(
        run_dir,
        coverage=coverage,
        hallucination=hallucination,
        unknown_nodes=unknown_nodes,
        output_dir=None if output is None else Path(output),
        arguments=sys.argv[1:],
    )
    if as_json:
        print_json(done.summary)
        return
    click.echo(render_relabelled(done.before, done.summary))
    click.echo(f"\nFiles in {visible(str(done.run_dir))}/")
    for path in done.paths.values():
        click.echo(f"  {visible(path.name)}")
