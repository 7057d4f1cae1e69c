"""A block of gold rows and their predictions, as raw bytes."""

from __future__ import annotations

import numpy as np

from eval_tiers.io.pairing import Int64Array, PairedRows
from eval_tiers.io.rows import read_rows


class GoldBlock:
    """Gold rows and their predictions as raw bytes, in gold order.

    Attributes
    ----------
    item : int
        Number of the block's first gold row within the batch.
    gold, gold_line, gold_row : list
        Raw rows, their lines, their numbers in the table.
    span : list of int
        ``prediction[span[i]:span[i + 1]]`` belong to gold row i.
    prediction, prediction_line, prediction_offset, prediction_row : list
    """

    def __init__(self, paired: PairedRows, first: int, last: int, batch_first: int) -> None:
        gold_row = paired.gold_row[first:last]
        rows = paired.match[paired.start[first] : paired.start[last]]
        self.item = first - batch_first
        self.gold = read_rows(paired.gold, gold_row)
        self.gold_row: list[int] = gold_row.tolist()
        self.gold_line: list[int] = paired.gold.line[gold_row].tolist()
        self.span: list[int] = (paired.start[first : last + 1] - paired.start[first]).tolist()
        self.prediction_row: list[int] = rows.tolist()
        self.prediction = _in_gold_order(paired, rows)
        self.prediction_line: list[int] = paired.predictions.line[rows].tolist()
        self.prediction_offset: list[int] = paired.predictions.offset[rows].tolist()


def _in_gold_order(paired: PairedRows, rows: Int64Array) -> list[bytes]:
    """Read prediction rows in file order (neighbours in one go); return them in gold order."""
    order = np.argsort(rows, kind="stable")
    raw = read_rows(paired.predictions, rows[order])
    placed = [b""] * len(raw)
    for place, data in zip(order.tolist(), raw, strict=True):
        placed[place] = data
    return placed
