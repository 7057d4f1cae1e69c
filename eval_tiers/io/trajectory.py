"""Reads an agent's trajectory for the events that a task requires; whatever it holds, in bounds."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Final

import orjson

from eval_tiers.exceptions import BadInputError
from eval_tiers.io.sources import UTF8_BOM, iter_chunks, refuse_utf16, require_file
from eval_tiers.submissions.execution import Trajectory, events_of

MAX_BYTES: Final = 100_000_000
MAX_LINE: Final = 4_000_000


class _TooLarge(Exception):
    """There is more than may be read."""


def read_trajectory(path: Path, wanted: Collection[str]) -> Trajectory:
    """Read a trajectory that the grader names: JSON Lines, plain, gzip or zstd.

    Lines that are no JSON object, a torn last one among them, are counted and passed over.

    Raises
    ------
    MissingResourceError, BadInputError
        It isn't there, or is no regular file.
    """
    require_file(path, "trajectory")
    return scan_trajectory(iter_chunks(path), str(path), wanted)


def scan_trajectory(chunks: Iterable[bytes], path: str, wanted: Collection[str]) -> Trajectory:
    """Return what a trajectory holds, out of its bytes; what can't be read is its fault."""
    first_lines: dict[str, int] = {}
    record_n = unreadable_n = 0
    try:
        for number, raw in _lines(chunks, path):
            record = _record(raw)
            if record is None:
                unreadable_n += 1
                continue
            record_n += 1
            for event in events_of(record, wanted):
                first_lines.setdefault(event, number)
    except _TooLarge:
        fault: str | None = f"it is larger than {MAX_BYTES:,} bytes"
    except BadInputError as error:
        fault = error.problems[0].message
    else:
        fault = None if record_n or not unreadable_n else "no line of it is a JSON object"
    return Trajectory(path, record_n, unreadable_n, first_lines, fault)


def _record(raw: bytes | None) -> dict[str, object] | None:
    try:
        record = None if raw is None else orjson.loads(raw)
    except orjson.JSONDecodeError:
        return None
    return record if isinstance(record, dict) else None


def _lines(chunks: Iterable[bytes], path: str) -> Iterator[tuple[int, bytes | None]]:
    """Yield number and bytes of each line that isn't blank; None for one that is too long."""
    number, total = 1, 0
    carry, skipping, first = b"", False, True
    for chunk in chunks:
        total += len(chunk)
        if total > MAX_BYTES:
            raise _TooLarge
        if first:
            refuse_utf16(chunk[:400], path)
            chunk, first = chunk.removeprefix(UTF8_BOM), False
        lines = (carry + chunk).split(b"\n")
        carry = lines.pop()
        for raw in lines:
            if skipping or len(raw) > MAX_LINE:
                yield number, None
            elif raw.strip():
                yield number, raw.strip()
            skipping = False
            number += 1
        if len(carry) > MAX_LINE:
            carry, skipping = b"", True
    if skipping:
        yield number, None
    elif carry.strip():
        yield number, carry.strip()
