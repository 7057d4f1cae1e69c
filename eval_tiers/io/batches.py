"""Reads paired rows into a `Batch`: parses records, reads texts, interns symbols.

Rows are taken in blocks. A block of plain rows is read as columns (`plain_reading`); any other row
by row (`row_reading`), which is the reading that decides.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from eval_tiers.formats.base import ChainFormat
from eval_tiers.io.batch_rows import CollectedRows, ReadBatch, ReadOptions
from eval_tiers.io.gold_blocks import GoldBlock
from eval_tiers.io.pairing import PairedRows
from eval_tiers.io.plain_reading import PlainReader
from eval_tiers.io.row_reading import RowReader
from eval_tiers.io.symbols import SymbolTable

__all__ = ["BLOCK_ROWS", "ReadBatch", "ReadOptions", "read_batch"]

BLOCK_ROWS: Final = 512


def read_batch(
    paired: PairedRows,
    first: int,
    last: int,
    benchmark: ChainFormat,
    options: ReadOptions | None = None,
    symbols: SymbolTable | None = None,
) -> ReadBatch:
    """Read gold rows ``first`` to ``last`` (of `PairedRows.gold_row`) with their predictions.

    A prediction that can't be read keeps its place: its sample has no text
    (``missing_prediction``), and the fault is counted and listed. A gold row that can't be read
    is left out and noted as a problem: the run must not go on. ``symbols`` may hold names of
    earlier batches.
    """
    with _collector_paused():
        options = options or ReadOptions()
        rows = CollectedRows(paired, benchmark, options, symbols or SymbolTable())
        plain, one_by_one = PlainReader(rows), RowReader(rows)
        for start in range(first, last, BLOCK_ROWS):
            block = GoldBlock(paired, start, min(start + BLOCK_ROWS, last), first)
            if not (options.plain and plain.add(block)):
                one_by_one.add(block)
        return rows.build()


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Pause the cyclic garbage collector: reading makes many objects and no cycles."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
