"""Progress on stderr: a line that changes on a terminal, a line a minute in a log."""

from __future__ import annotations

import sys
import time

import click


class Progress:
    """Tells how far a run is.

    Parameters
    ----------
    what : str
        What is counted, in the plural.
    """

    def __init__(self, what: str) -> None:
        self.what = what
        self.started = self.told = time.monotonic()
        self.terminal = sys.stderr is not None and sys.stderr.isatty()
        self.width = 0

    def __call__(self, done: int, total: int) -> None:
        """Tell that ``done`` of ``total`` are done."""
        now = time.monotonic()
        if now - self.told < (0.2 if self.terminal else 60.0) and not (
            self.terminal and done == total
        ):
            return
        self.told = now
        rate = done / max(now - self.started, 1e-9)
        left = (total - done) / rate if rate else 0.0
        share = 100 * done / max(total, 1)
        line = f"{done:,} of {total:,} {self.what} ({share:.0f} %), {left:.0f} s left"
        if self.terminal:
            shown = "" if done == total else line
            click.echo(f"\r{shown:<{self.width}}\r{shown}", nl=False, err=True)
            self.width = len(shown)
        else:
            click.echo(line, err=True)
