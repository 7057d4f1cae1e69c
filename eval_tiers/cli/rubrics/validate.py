"""``rubrics validate``: tasks and reports before they are judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from eval_tiers.cli.console import print_findings, print_json, program_name, wrap
from eval_tiers.report.lines import fitted, visible

if TYPE_CHECKING:
    from eval_tiers.pipeline.rubrics.validate import RubricsCheck

_PATH = click.Path(path_type=str, readable=False)
_LIMIT = 20
_TITLE = 17


@click.command("validate", short_help="Check tasks and reports before they are judged.")
@click.argument("data", type=_PATH)
@click.argument("responses", type=_PATH)
@click.option("--all", "list_all", is_flag=True, help="List every finding, not the first 20.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def command(ctx: click.Context, data: str, responses: str, list_all: bool, as_json: bool) -> None:
    """Check tasks and the folder of their reports.

    DATA is a processed_data.jsonl, RESPONSES the folder with a SAMPLE_ID.md for each task. A
    report that is missing, empty or unreadable is a warning: its sample has no score.

    Exit code 1 when there is any error; warnings alone give 0. What can't be read at all gives 3.
    """
    from eval_tiers.api import check_rubrics

    check = check_rubrics(data, responses)
    if as_json:
        print_json(check.as_dict())
    else:
        click.echo("\n".join(_lines(check)))
        ranked = sorted(check.findings, key=lambda one: one.level != "error")
        print_findings(ranked, len(ranked) if list_all else _LIMIT, err=False)
        click.echo("\n".join(_verdict(check, data, responses)))
    if not check.ok:
        ctx.exit(1)


def _lines(check: RubricsCheck) -> list[str]:
    figures = check.figures
    rows = [
        ("data", visible(figures["path"])),
        ("sha256", figures["sha256"]),
        ("tasks", f"{figures['task_n']:,}"),
        ("rubrics", f"{figures['rubric_n']:,}, {figures['penalty_n']:,} of them penalties"),
        ("reports", f"{figures['report_n']:,}, {figures['missing_report_n']:,} missing, empty or "
         "unreadable"),
        ("without a task", f"{len(check.without_task):,}"),
    ]  # fmt: skip
    if figures["longest_report_n"] is not None:
        longest = f"{figures['longest_report_n']:,} characters, about "
        longest += f"{figures['longest_report_token_n']:,} tokens"
        rows.append(("longest report", longest))
    lines = [f"{title:<{_TITLE}}{text}" for title, text in rows]
    lines += [f"{'axis':<{_TITLE}}{n:>6,}  {fitted(name, 50).rstrip()}"
              for name, n in list(figures["axes"].items())[:_LIMIT]]  # fmt: skip
    hidden = len(figures["axes"]) - _LIMIT
    if hidden > 0:
        lines.append(f"{'':<{_TITLE}}... and {hidden:,} axes more")
    return lines


def _verdict(check: RubricsCheck, data: str, responses: str) -> list[str]:
    levels = [finding.level for finding in check.findings]
    errors, warnings = levels.count("error"), levels.count("warning")
    counts = f"{errors:,} error{'' if errors == 1 else 's'}, "
    counts += f"{warnings:,} warning{'' if warnings == 1 else 's'}"
    names = f"{visible(data)} {visible(responses)}"
    if check.ok:
        return wrap(f"Valid: {counts}. Next: {program_name()} rubrics export {names}", "  ")
    return wrap(f"Not valid: {counts}. Mend what is listed, then validate again.", "  ")
