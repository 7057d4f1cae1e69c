"""What every command shares: exit codes, messages on stderr, JSON and notes."""

from __future__ import annotations

import os
import signal
import sys
import textwrap
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

import click

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import (
    MAX_PROBLEMS_SHOWN,
    EvalTiersError,
    MissingResourceError,
    Problem,
    SourceRef,
)
from eval_tiers.report.lines import visible

BUG_EXIT_CODE = 70
WIDTH = 80
_MOST_SHOWN = 2_000  # of a message that holds a value as long as a file


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
    stopped: list[int] = []
    stdout = sys.stdout
    try:
        with _stopping_on_signals(stopped):
            result = command.main(args=argv, prog_name=program, standalone_mode=False)
            if sys.stdout is not None:  # closed by the shell: >&-
                sys.stdout.flush()
    except click.exceptions.Exit as error:
        return int(error.exit_code)
    except click.ClickException as error:
        error.show(file=sys.stderr)
        return int(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        _say("Interrupted: nothing was written under a final name.")
        return 128 + (stopped[0] if stopped else signal.SIGINT)
    except EvalTiersError as error:
        return _tell(error, debug)
    except BrokenPipeError:
        _drop_broken_stdout()
        return 0
    except SystemExit:
        if sys.stdout is stdout:
            raise
        return 0  # the reader of a pipe has gone: click muffles the streams and leaves
    except OSError as error:  # the system's doing: a full disk, no permission, no process left
        _drop_broken_stdout()
        where = SourceRef(None if error.filename is None else str(error.filename))
        message = error.strerror or str(error)
        return _tell(MissingResourceError(Problem("system-error", message, where)), debug)
    except MemoryError:
        fix = "use fewer --jobs or a smaller --batch-size"
        return _tell(
            MissingResourceError(Problem("out-of-memory", "the memory is used up", fix=fix)), debug
        )
    except Exception:  # the last resort: a bug of ours, with its traceback
        traceback.print_exc()
        _say(
            "Error: [bug] this is a fault of eval_tiers, not of your input. "
            "Please report the lines above."
        )
        return BUG_EXIT_CODE
    return result if isinstance(result, int) else 0


@contextmanager
def _stopping_on_signals(stopped: list[int]) -> Iterator[None]:
    """Make SIGTERM and SIGHUP end the run as Ctrl-C does, so that it cleans up; note which."""
    owner = os.getpid()

    def stop(number: int, frame: FrameType | None) -> None:
        if os.getpid() != owner:  # a forked worker: it has nothing to clean up
            os._exit(128 + number)
        signal.signal(number, signal.SIG_IGN)
        stopped.append(number)
        raise KeyboardInterrupt

    before = {}
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:  # nohup ignores it
            try:
                before[number] = signal.signal(number, stop)
            except ValueError:  # not in the main thread
                break
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _tell(error: EvalTiersError, debug: bool) -> int:
    """Print an error's problems on stderr; return its exit code."""
    if debug:
        traceback.print_exc()
    lines: list[str] = []
    for problem in error.problems[:MAX_PROBLEMS_SHOWN]:
        lines += _message_lines("Error", problem)
    hidden = error.total - min(len(error.problems), MAX_PROBLEMS_SHOWN)
    if hidden > 0:
        lines.append(f"... and {hidden:,} more of the kind")
    _say("\n".join(lines))
    return error.exit_code


def _say(text: str) -> None:
    """Print on stderr; the exit code must tell what went wrong even where stderr is no use."""
    with suppress(OSError):
        click.echo(text, err=True)


def _drop_broken_stdout() -> None:
    """Send what can't be flushed to nowhere: the reader has gone, or the disk is full."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except AttributeError:  # closed by the shell
        pass


def program_name() -> str:
    """Return how the running command was started: ``eval-tiers`` or ``python -m eval_tiers``."""
    ctx = click.get_current_context(silent=True)
    return (ctx.find_root().info_name if ctx is not None else None) or "eval-tiers"


def print_json(value: object) -> None:
    """Print one strict-JSON document on stdout."""
    from eval_tiers.io.atomic import render_json

    click.echo(render_json(value), nl=False)  # bytes: UTF-8 whatever the terminal's encoding


def print_findings(findings: Iterable[Finding], limit: int = 20, err: bool = True) -> None:
    """Print findings, up to ``limit``, then how many more there are.

    Messages and advice are wrapped at 80 columns; paths stay whole.
    """
    hidden = 0
    for number, finding in enumerate(findings):
        if number >= limit:
            hidden += 1
            continue
        click.echo("\n".join(_message_lines(finding.level.capitalize(), finding)), err=err)
    if hidden:
        click.echo(f"... and {hidden} more", err=err)


def _message_lines(level: str, found: Problem | Finding) -> list[str]:
    """Return the lines of one problem or finding: what, where, how to mend it."""
    message = visible(found.message[:_MOST_SHOWN])
    message += "..." if len(found.message) > _MOST_SHOWN else ""
    lines = wrap(f"{level}: [{found.code}] {message}", "  ")
    where = str(found.where)
    if where:
        lines.append(f"  where: {visible(where[:_MOST_SHOWN])}")
    if found.fix:
        lines += wrap(f"  fix:   {visible(found.fix)}", " " * 9)
    return lines


def wrap(text: str, indent: str) -> list[str]:
    """Break a text at blanks; a word longer than a line, such as a path, stays whole."""
    return textwrap.wrap(
        text,
        WIDTH,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
