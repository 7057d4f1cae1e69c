"""Progress on stderr: a line that changes on a terminal, a line a minute in a log."""

from __future__ import annotations

import sys
import time


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
        self.terminal = sys.stderr.isatty()

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
            end = "\r" if done < total else "\r" + " " * len(line) + "\r"
            sys.stderr.write("\r" + line + end)
            sys.stderr.flush()
        else:
            sys.stderr.write(line + "\n")
            sys.stderr.flush()
