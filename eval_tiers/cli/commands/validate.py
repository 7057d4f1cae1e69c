"""``validate``: what a file or folder is, what it holds, and what is wrong with it."""

from __future__ import annotations

import shlex
from collections import Counter
from typing import TYPE_CHECKING

import click

from eval_tiers.cli.console import WIDTH, print_json, program_name, wrap
from eval_tiers.report.lines import fitted, visible

if TYPE_CHECKING:
    from eval_tiers.domain.findings import Finding
    from eval_tiers.io.validation.outcome import Figure, Outcome

_LIMIT = 20
_TITLE = 15
_COUNT = 10


@click.command("validate", short_help="Check a benchmark, gold, gene-set or graph file.")
@click.argument("path", type=click.Path(readable=False))
@click.option(
    "--skip-hash",
    is_flag=True,
    help="RR-10: take any file in its format, of any number of items; by default it has to be "
    "the canonical one.",
)
@click.option(
    "--as",
    "kind",
    type=click.Choice(["rr10", "perturbreason", "gmt", "kg", "rubrics"]),
    help="What PATH is; told from its content by default.",
)
@click.option("--all", "list_all", is_flag=True, help="List every finding, not the first 20.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def command(
    ctx: click.Context, path: str, skip_hash: bool, kind: str | None, list_all: bool, as_json: bool
) -> None:
    """Check one file or folder before it is used.

    PATH may be a benchmark in RR-10's format (or the folder of its package), PerturbReason gold
    (a file, or a folder of split folders), gene sets (GMT), a graph, tasks with rubrics, or a
    prediction file; plain, gzip or zstd.

    Exit code 1 when there is any error; warnings and notes alone give 0. What can't be read at
    all gives 3.
    """
    from eval_tiers.io.validation.check import check_path

    outcome = check_path(path, kind, skip_hash)
    if as_json:
        click.echo(f"Note: taken for {outcome.taken_for}", err=True)
        print_json(outcome.as_dict())
    else:
        click.echo("\n".join(_lines(outcome, None if list_all else _LIMIT, skip_hash)))
    if not outcome.ok:
        ctx.exit(1)


def _lines(outcome: Outcome, limit: int | None, skip_hash: bool) -> list[str]:
    lines = [f"{'path':<{_TITLE}}{visible(outcome.path)}"]
    lines += wrap(f"{'taken for':<{_TITLE}}{outcome.taken_for}", " " * _TITLE)
    if outcome.sha256 is not None:
        lines.append(f"{'sha256':<{_TITLE}}{outcome.sha256}")
    lines += [_figure_line(figure) for figure in outcome.figures]
    for level in ("error", "warning", "note"):
        lines += _finding_lines(outcome, level, limit)
    return [*lines, *_verdict_lines(outcome, skip_hash)]


def _figure_line(figure: Figure) -> str:
    start = f"{figure.title:<{_TITLE}}"
    if figure.count is not None:
        start += f"{figure.count:>{_COUNT},}  "
    return (start + fitted(figure.words, WIDTH - len(start))).rstrip()


def _finding_lines(outcome: Outcome, level: str, limit: int | None) -> list[str]:
    """Return the findings of a level, the first of them in full, all of them by code."""
    kept, total = outcome.of_level(level), outcome.level_n(level)
    lines: list[str] = []
    for finding in kept if limit is None else kept[:limit]:
        lines += _lines_of(finding, outcome.path)
    hidden = total - (len(kept) if limit is None else min(limit, len(kept)))
    if hidden:
        more = f"... and {hidden:,} {level}s more"
        lines.append(more + ("; --all lists them" if limit is not None else ", not kept"))
    if total > 1 and level != "note":
        counts = Counter(
            {code: n for (found, code), n in outcome.finding_n.items() if found == level}
        )
        lines.append(f"{level}s by code")
        lines += [f"{'':<{_TITLE}}{n:>{_COUNT},}  {code}" for code, n in counts.most_common()]
    return lines


def _lines_of(finding: Finding, path: str) -> list[str]:
    where = finding.where
    place = [] if where.line is None else [f"line {where.line}"]
    if where.path not in (None, path):
        place.insert(0, visible(str(where.path)))
    if where.sample is not None:
        place.append(fitted(where.sample, 40).rstrip())
    head = f"{finding.level.capitalize()}: [{finding.code}] " + ", ".join(place)
    lines = wrap(head.rstrip(), "  ")
    lines += wrap(f"  {visible(finding.message)}", "  ")
    if finding.fix:
        lines += wrap(f"  fix: {visible(finding.fix)}", " " * 7)
    return lines


def _verdict_lines(outcome: Outcome, skip_hash: bool) -> list[str]:
    error_n, warning_n = outcome.level_n("error"), outcome.level_n("warning")
    counts = f"{error_n:,} error{'' if error_n == 1 else 's'}, "
    counts += f"{warning_n:,} warning{'' if warning_n == 1 else 's'}"
    if outcome.ok:
        return wrap(f"Valid: {counts}. Next: {program_name()} {outcome.next_step}", "  ")
    again = f"{program_name()} validate {shlex.quote(outcome.path)}"
    only_hash = {code for level, code in outcome.finding_n if level == "error"} <= {
        "hash_mismatch", "record_count", "item_type_count", "pair_missing",
    }  # fmt: skip
    if outcome.kind == "rr10" and only_hash and not skip_hash:
        return wrap(
            f"Not valid: {counts}. Does it not claim to be the canonical file? Then: {again} "
            "--skip-hash",
            "  ",
        )
    option = " --skip-hash" if skip_hash else ""
    return wrap(f"Not valid: {counts}. Mend what is listed, then: {again}{option}", "  ")
