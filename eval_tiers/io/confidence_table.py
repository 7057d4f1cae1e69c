"""The table of answers that state their confidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pyarrow as pa

from eval_tiers.io.tables import text_array
from eval_tiers.texts.stated_confidence import StatedConfidence

_JUDGED: Final = ("gold_label", "predicted_label", "answer_correct")


def confidence_table(
    samples: pa.Table,
    stated: Sequence[tuple[int, StatedConfidence]],
    key: Sequence[str],
    labels: Sequence[str],
) -> pa.Table | None:
    """Return a row an answer that states its confidence, None where none does.

    Parameters
    ----------
    samples : pa.Table
        Samples of the batch.
    stated : sequence of (int, StatedConfidence)
        Row of the batch, and what its prediction states.
    key : sequence of str
        Columns of the samples that are kept beside gold label, predicted label and whether it is
        right; what is no column of them is left out.
    labels : sequence of str
        The vocabulary; each gets a column ``prob_<label>``.
    """
    if not stated:
        return None
    rows = pa.array([row for row, _ in stated], pa.int64())
    said = [found for _, found in stated]
    kept = [name for name in (*key, *_JUDGED) if name in samples.column_names]
    columns = {name: samples[name].take(rows) for name in kept}
    columns["confidence"] = pa.array([found.confidence for found in said], pa.float64())
    for code, label in enumerate(labels):
        columns[f"prob_{label}"] = pa.array(
            [None if found.label_prob is None else found.label_prob[code] for found in said],
            pa.float64(),
        )
    columns["problem"] = text_array([found.problem for found in said])
    return pa.table(columns)
