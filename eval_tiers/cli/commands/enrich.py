"""``enrich``: which gene sets the genes of each error label are enriched in."""

from __future__ import annotations

from pathlib import Path

import click

from eval_tiers.cli.console import print_findings, print_json
from eval_tiers.report.lines import visible

_PATH = click.Path(path_type=str, readable=False)


@click.command("enrich", short_help="Gene sets that error labels are enriched in.")
@click.argument("run_dir", type=_PATH)
@click.option("--go-gmt", required=True, type=_PATH, metavar="FILE",
              help="Gene sets (GMT), plain or compressed.")  # fmt: skip
@click.option("--min-genes", type=click.IntRange(1), default=5, show_default=True, metavar="N",
              help="Labels with fewer genes are skipped, and said so.")  # fmt: skip
@click.option("--min-term-genes", type=click.IntRange(1), default=2, show_default=True,
              metavar="N", help="Sets with fewer genes of the background are not "
              "tested.")  # fmt: skip
@click.option("--organism", metavar="NAME", help="RR-10: whose mechanism edges, such as "
              "mus_musculus.")  # fmt: skip
@click.option("--output", "-o", type=_PATH, metavar="DIR",
              help="Where the files go [the run's folder].")  # fmt: skip
@click.option("--force", is_flag=True, help="Replace files of those names.")
@click.option("--json", "as_json", is_flag=True, help="Print what was tested as JSON on stdout.")
def command(
    run_dir: str,
    go_gmt: str,
    min_genes: int,
    min_term_genes: int,
    organism: str | None,
    output: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Find the gene sets that the genes of each error label are enriched in.

    Genes of the predicted chains of a label, against all chain genes of the run that the gene
    sets know. Writes a table, a dot plot and what was tested. Needs gseapy:
    pip install 'eval-tiers[enrich]'.

    \b
      enrich outputs/20260131_120000 --go-gmt GO.gmt
    """
    from eval_tiers.api import enrich
    from eval_tiers.report.enrichment_terminal import render_enrichment

    found = enrich(
        run_dir,
        go_gmt,
        min_genes=min_genes,
        min_term_genes=min_term_genes,
        organism=organism,
        output_dir=None if output is None else Path(output),
        force=force,
    )
    print_findings(found.findings)
    if as_json:
        print_json(found.summary)
        return
    click.echo(render_enrichment(found.rows, found.summary))
    click.echo("")
    for path in found.paths.values():
        click.echo(f"written  {visible(str(path))}")
