"""Tells which format a benchmark file is in, by its first row."""

from __future__ import annotations

import tempfile
from pathlib import Path

from eval_tiers.exceptions import EvalTiersError
from eval_tiers.formats.base import BenchmarkFormat, RecordFault
from eval_tiers.formats.registry import format_named, known_formats
from eval_tiers.io.rows import iter_rows, parse_row


def choose_format(gold: Path, name: str = "auto") -> BenchmarkFormat:
    """Return the format named, or the one that the first row looks like.

    A file that can't be read or looks like none is taken for the first format of all: its reader
    tells what is wrong with it.

    Raises
    ------
    UsageError
        No format has the name.
    """
    if name != "auto":
        return format_named(name)
    formats = list(known_formats().values())
    try:
        with tempfile.TemporaryDirectory(prefix="eval_tiers-") as scratch:
            _, raw = next(iter_rows(gold, Path(scratch)))
            record = parse_row(raw)
    except (EvalTiersError, RecordFault, StopIteration):
        return formats[0]
    return next((found for found in formats if found.matches(record)), formats[0])
