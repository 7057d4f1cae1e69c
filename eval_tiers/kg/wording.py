"""Small pieces of messages."""

from __future__ import annotations

from collections.abc import Sequence

LINES_SHOWN = 5


def plural(count: int, noun: str) -> str:
    """Return the noun, with an s unless the count is 1."""
    return noun if count == 1 else f"{noun}s"


def say_lines(lines: Sequence[int | None]) -> str:
    """Return `` (lines 3, 9)`` for the lines that are known, else an empty string."""
    known = [str(line) for line in lines if line is not None]
    return f" ({plural(len(known), 'line')} {', '.join(known)})" if known else ""
