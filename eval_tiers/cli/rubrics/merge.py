"""``rubrics merge``: an examiner's replies as result rows."""

from __future__ import annotations

import click

from eval_tiers.cli.console import print_findings, print_json, program_name
from eval_tiers.cli.options import FiniteRange

_PATH = click.Path(path_type=str, readable=False)


@click.command("merge", short_help="Merge an examiner's replies into result rows.")
@click.argument("replies", nargs=-1, required=True, type=_PATH)
@click.option("--index", type=_PATH, metavar="FILE",
              help="*.index.csv of the export [beside the replies].")  # fmt: skip
@click.option("--output", "-o", type=_PATH, default="results", show_default=True, metavar="DIR",
              help="Folder for the rows, the summary and the next requests.")  # fmt: skip
@click.option("--duplicates", type=click.Choice(["unparsable", "last"]), default="unparsable",
              show_default=True, help="What becomes of replies to one request that "
              "differ.")  # fmt: skip
@click.option("--retry-unparsable", is_flag=True,
              help="Verdicts that can't be read, and refusals, are owed as well.")  # fmt: skip
@click.option("--price-in", type=FiniteRange(0), metavar="USD",
              help="Price of a million tokens read.")  # fmt: skip
@click.option("--price-out", type=FiniteRange(0), metavar="USD",
              help="Price of a million tokens written.")  # fmt: skip
@click.option("--strict", is_flag=True, help="Exit code 5 when any reply is owed.")
@click.option("--force", is_flag=True, help="Replace the rows of another export.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON on stdout.")
def command(
    replies: tuple[str, ...],
    index: str | None,
    output: str,
    duplicates: str,
    retry_unparsable: bool,
    price_in: float | None,
    price_out: float | None,
    strict: bool,
    force: bool,
    as_json: bool,
) -> None:
    """Merge replies into result rows, results/batch_evaluation_<time>.jsonl.

    REPLIES are any number of files: partial, late, unordered, gzip; name all of them each time.
    Where reports were judged in parts, the requests that bring the parts together are written as
    soon as their replies are in. What is owed is written as a request file of its own. Example:

    \b
      rubrics merge judge/replies.jsonl --price-in 1.25 --price-out 10
    """
    from eval_tiers.api import merge_rubrics
    from eval_tiers.pipeline.rubrics.merge import require_complete
    from eval_tiers.report.rubric_exchange_terminal import render_merge

    merged = merge_rubrics(
        replies,
        index=index,
        output_dir=output,
        duplicates=duplicates,
        retry_unparsable=retry_unparsable,
        price_in=price_in,
        price_out=price_out,
        force=force,
    )
    print_findings(merged.findings)
    if as_json:
        print_json(merged.summary)
    else:
        click.echo(render_merge(merged.summary, list(replies), index, output, program_name()))
    require_complete(merged, strict)
