"""JSON Lines, or one JSON array: rows are read where they lie."""

from __future__ import annotations

from typing import Final

from eval_tiers.io.prediction_files.shape import Head, PredictionShape


def matches(head: Head) -> int:
    """Take any file that no other shape takes: its rows are read, or refused, one by one."""
    return 1


SHAPE: Final = PredictionShape(
    name="json_lines",
    title="JSON Lines: one object a line",
    matches=matches,
    rows=None,
    advice="predictions are JSON Lines, one object a line (eval --help-formats)",
    example=b'{"id": "a", "output": "up"}\n{"id": "b", "output": "down"}\n',
    example_rows=({"id": "a", "output": "up"}, {"id": "b", "output": "down"}),
    reference="https://jsonlines.org",
)
