"""One JSON array of objects: rows are read where they lie."""

from __future__ import annotations

from typing import Final

from eval_tiers.io.prediction_files.shape import Head, PredictionShape


def matches(head: Head) -> int:
    """Tell an array by its bracket."""
    return 50 if head.data.lstrip()[:1] == b"[" else 0


SHAPE: Final = PredictionShape(
    name="json_array",
    title="JSON array of objects",
    matches=matches,
    rows=None,
    advice="put one object a prediction into the array (eval --help-formats)",
    example=b'[\n  {"id": "a", "output": "up"},\n  {"id": "b", "output": "down"}\n]\n',
    example_rows=({"id": "a", "output": "up"}, {"id": "b", "output": "down"}),
    reference="https://www.rfc-editor.org/rfc/rfc8259",
)
