"""What every command shares: exit codes, messages on stderr, JSON and notes."""

from __future__ import annotations

import os
import sys
import textwrap
import traceback
from collections.abc import Iterable

import click

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import EvalTiersError

BUG_EXIT_CODE = 70
WIDTH = 80


def run_reporting_errors(
    command: click.Command, argv: list[str], program: str = "eval-tiers"
) -> int:
    """Run a click command; return its exit code, with errors told on stderr.

    Parameters
    ----------
    command : click.Command
    argv : list of str
        What follows the program's name.
    program : str
        How it was started; `program_name` gives it to the commands.
    """
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:  # a surrogate in an id must not break the message about it
            reconfigure(errors="backslashreplace")
    debug = "--debug" in argv
    try:
        result = command.main(args=argv, prog_name=program, standalone_mode=False)
    except click.exceptions.Exit as error:
        return int(error.exit_code)
    except click.ClickException as error:
        error.show(file=sys.stderr)
        return int(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted: nothing was written under a final name.", err=True)
        return 130
    except EvalTiersError as error:
        if debug:
            traceback.print_exc()
        click.echo(error.render(), err=True)
        return error.exit_code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception:
        traceback.print_exc()
        click.echo(
            "Error: [bug] this is a fault of eval_tiers, not of your input. "
            "Please report the lines above.",
            err=True,
        )
        return BUG_EXIT_CODE
    return result if isinstance(result, int) else 0


def program_name() -> str:
    """Return how the running command was started: ``eval-tiers`` or ``python -m eval_tiers``."""
    ctx = click.get_current_context(silent=True)
    return (ctx.find_root().info_name if ctx is not None else None) or "eval-tiers"


def print_json(value: object) -> None:
    """Print one strict-JSON document on stdout."""
    from eval_tiers.io.atomic import render_json

    click.echo(render_json(value).decode("utf-8"), nl=False)


def print_findings(findings: Iterable[Finding], limit: int = 20, err: bool = True) -> None:
    """Print findings, up to ``limit``, then how many more there are.

    Messages and advice are wrapped at 80 columns; paths stay whole.
    """
    hidden = 0
    for number, finding in enumerate(findings):
        if number >= limit:
            hidden += 1
            continue
        where = str(finding.where)
        lines = _wrap(f"{finding.level.capitalize()}: [{finding.code}] {finding.message}", "  ")
        if where:
            lines.append(f"  where: {where}")
        if finding.fix:
            lines += _wrap(f"  fix:   {finding.fix}", " " * 9)
        click.echo("\n".join(lines), err=err)
    if hidden:
        click.echo(f"... and {hidden} more", err=err)


def _wrap(text: str, indent: str) -> list[str]:
    """Break a text at blanks; a word longer than a line, such as a path, stays whole."""
    return textwrap.wrap(
        text,
        WIDTH,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
