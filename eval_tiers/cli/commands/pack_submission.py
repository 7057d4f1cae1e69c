"""``pack-submission``: the agent's side: answer, declared files, manifest with hashes."""

from __future__ import annotations

from pathlib import Path

import click

from eval_tiers.cli.console import print_json
from eval_tiers.report.lines import visible

_PATH = click.Path(path_type=str, readable=False)


@click.command("pack-submission", short_help="Pack an answer and its files for grading.")
@click.option("--from", "source", type=_PATH, default=".", show_default=True, metavar="DIR",
              help="Folder that the files' names are relative to.")  # fmt: skip
@click.option("--answer", type=_PATH, metavar="FILE",
              help="The answer [answer.md in that folder].")  # fmt: skip
@click.option("--artifact", "artifacts", multiple=True, metavar="PATH",
              help="A file to declare, as it is named in that folder; repeat it.")  # fmt: skip
@click.option("--describe", "described", multiple=True, metavar="PATH=TEXT",
              help="What a declared file holds.")  # fmt: skip
@click.option("--manifest", type=_PATH, metavar="FILE",
              help="Instead of --artifact: a manifest, hashes missing or old "
              "[analysis_manifest.json in the folder].")  # fmt: skip
@click.option("--output", "-o", required=True, type=_PATH, metavar="DIR",
              help="A new or empty folder.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print what was packed as JSON.")
def command(
    source: str,
    answer: str | None,
    artifacts: tuple[str, ...],
    described: tuple[str, ...],
    manifest: str | None,
    output: str,
    as_json: bool,
) -> None:
    """Copy an answer and its declared files into a folder that grade-submission takes.

    Only the declared files are copied, under their own relative names, and their SHA-256 go into
    analysis_manifest.json. A link, a pipe, a path that leaves the folder or a file too large is
    refused here, before it costs points.

    \b
      pack-submission --from work --artifact results.csv -o submission
    """
    from eval_tiers.api.submissions import pack_submission

    packed = pack_submission(
        output,
        source=source,
        answer=answer,
        artifacts=artifacts,
        manifest=manifest,
        descriptions=_descriptions(described),
    )
    if as_json:
        print_json({"path": str(packed.path), "artifacts": packed.artifacts})
        return
    files = len(packed.artifacts)
    click.echo(f"packed   answer.md and {files} declared file{'' if files == 1 else 's'}")
    for entry in packed.artifacts:
        click.echo(f"  {str(entry['sha256'])[:12]}  {visible(str(entry['path']))}")
    click.echo(f"written  {visible(str(Path(output)))}")


def _descriptions(described: tuple[str, ...]) -> dict[str, str]:
    from eval_tiers.exceptions import Problem, UsageError

    found: dict[str, str] = {}
    for value in described:
        path, equals, text = value.partition("=")
        if not equals or not path or path in found:
            told = f"--describe {value!r}: " + ("given twice" if path in found else "no '='")
            raise UsageError(Problem("bad-description", told, fix="write PATH=TEXT, a file once"))
        found[path] = text
    return found
