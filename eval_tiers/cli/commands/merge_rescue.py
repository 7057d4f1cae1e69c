"""``merge-rescue``: an examiner's replies into the samples table, and what they are worth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from eval_tiers.cli.console import print_findings, print_json, program_name

_PATH = click.Path(path_type=str, readable=False)


class _SeveralFiles(click.Command):
    """Takes ``--rescue-responses A B C``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words of the command line, the options repeated before each of their files."""
        args = repeat_option(repeat_option(args, "--rescue-responses"), "--compare")
        return super().parse_args(ctx, args)


def repeat_option(args: list[str], option: str) -> list[str]:
    """Repeat an option before each further word that follows it.

    Examples
    --------
    >>> repeat_option(["--in", "a", "b", "-o", "c"], "--in")
    ['--in', 'a', '--in', 'b', '-o', 'c']
    """
    found: list[str] = []
    following = 0
    for number, word in enumerate(args):
        if word == "--":
            return found + args[number:]
        if word == option or word.startswith(f"{option}="):
            following = 1 if word == option else 2
        elif word.startswith("-"):
            following = 0
        elif following:
            if following > 1:
                found.append(option)
            following += 1
        found.append(word)
    return found


@click.command("merge-rescue", cls=_SeveralFiles,
               short_help="Merge an examiner's replies into the samples table.")  # fmt: skip
@click.option("--samples-csv", required=True, type=_PATH, metavar="FILE",
              help="The samples table that was exported from.")  # fmt: skip
@click.option("--rescue-responses", "replies", required=True, multiple=True, type=_PATH,
              metavar="FILE...",
              help="Reply files, any number: partial, late, unordered, gzip.")  # fmt: skip
@click.option("--labels", type=_PATH, metavar="FILE",
              help="A sheet of export-labels, filled in: then it corrects, not the "
              "controls.")  # fmt: skip
@click.option("--compare", multiple=True, type=_PATH, metavar="FILE...",
              help="Replies of another examiner to the same requests: how far the two "
              "agree.")  # fmt: skip
@click.option("--index", type=_PATH, metavar="FILE",
              help="rescue_index_*.csv of the export [beside the replies, or in the run's "
              "folder].")  # fmt: skip
@click.option("--duplicates", type=click.Choice(["unparsable", "last"]), default="unparsable",
              show_default=True, help="What becomes of replies to one request that "
              "differ.")  # fmt: skip
@click.option("--retry-unparsable", is_flag=True,
              help="Verdicts that can't be read, and refusals, are owed as well.")  # fmt: skip
@click.option("--strict", is_flag=True, help="Exit code 5 when any reply is owed.")
@click.option("--output", "-o", type=_PATH, metavar="CSV",
              help="Where the table goes [samples_with_rescue_<timestamp>.csv beside the "
              "samples].")  # fmt: skip
@click.option("--summary-json", type=_PATH, metavar="JSON",
              help="Where the summary goes [beside the table].")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON on stdout.")
def command(
    samples_csv: str,
    replies: tuple[str, ...],
    compare: tuple[str, ...],
    strict: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Merge an examiner's replies into a run's samples table.

    Replies are matched by their id, never by their order. Nothing that was scored changes; columns
    are added. What is owed is written as a request file of its own. Examples:

    \b
      merge-rescue --samples-csv RUN/samples_X.csv --rescue-responses replies*.jsonl
    """
    from eval_tiers.api import merge_rescue
    from eval_tiers.exceptions import Problem, RepliesError
    from eval_tiers.pipeline.rescue.merge import MergeOptions
    from eval_tiers.report.rescue_terminal import render_merge

    output, summary_json, labels, index = (
        None if path is None else Path(path)
        for path in map(options.pop, ("output", "summary_json", "labels", "index"))
    )
    merged = merge_rescue(
        samples_csv,
        replies,
        MergeOptions(
            output,
            summary_json,
            labels,
            index,
            compare=tuple(map(Path, compare)),
            **options,
        ),
    )
    print_findings(merged.findings)
    if as_json:
        print_json(merged.summary)
    else:
        click.echo(render_merge(merged.summary, samples_csv, list(replies), program_name()))
    owed_n = merged.summary["owed_n"]
    if strict and owed_n:
        raise RepliesError(
            Problem(
                "replies-owed",
                f"{owed_n} of {merged.summary['request_n']} replies are owed (--strict)",
                fix="run the owed requests, then merge all reply files again",
            )
        )
