"""The table of wrong answers, as the reference scorer of RR-10 writes it."""

from __future__ import annotations

import csv
import io
from typing import IO, Final

import pyarrow as pa
import pyarrow.compute as pc

HEADER: Final = ("id", "item_type", "context", "expected", "prediction", "correct")
NO_ANSWER: Final = "INVALID/MISSING"
_COLUMNS: Final = ("sample_id", "item_type", "context", "gold_label", "predicted_label")


class ErrorsCsv:
    """Writes the wrong rows of samples tables; one line each.

    Parameters
    ----------
    handle : binary file
        Where they go; the header is written at once.
    """

    def __init__(self, handle: IO[bytes]) -> None:
        self._handle = handle
        self._write([HEADER])

    def add(self, samples: pa.Table) -> None:
        """Append the wrong rows of a samples table."""
        wrong = samples.filter(pc.invert(samples["answer_correct"]))
        columns = [wrong[name].to_pylist() for name in _COLUMNS]
        self._write(
            (*head, NO_ANSWER if answer is None else answer, False)
            for *head, answer in zip(*columns, strict=True)
        )

    def _write(self, rows: object) -> None:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(rows)  # type: ignore[arg-type]
        self._handle.write(text.getvalue().encode("utf-8", "backslashreplace"))
