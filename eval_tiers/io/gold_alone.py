"""Gold files read without predictions: what a baseline answers, it answers from these."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from eval_tiers.domain.batch import Batch
from eval_tiers.exceptions import Problem, SourceRef
from eval_tiers.formats.base import ChainFormat
from eval_tiers.io.batches import ReadOptions, read_batch
from eval_tiers.io.duplicates import unique_gold
from eval_tiers.io.indexing import ProblemList, index_gold
from eval_tiers.io.paired_rows import PairedRows
from eval_tiers.io.pairs import FilePair, GoldFile


def index_gold_alone(
    gold: GoldFile, benchmark: ChainFormat, scratch: Path, duplicates: str = "error"
) -> PairedRows:
    """Note where the rows of a gold file lie; they have no prediction.

    Raises
    ------
    BadInputError
        A row that isn't JSON, lacks an id that others have, or has one that is given twice
        (unless ``duplicates`` says which counts); a file without rows.
    MissingResourceError
        It can't be read.
    """
    problems = ProblemList()
    side = index_gold(gold.path, benchmark, scratch, problems)
    if len(side.table) == 0:
        where = SourceRef(str(gold.path))
        problems.add(Problem("empty-file", "the gold file holds no rows", where))
    kept, dropped = unique_gold(side, benchmark, problems, duplicates)
    problems.raise_if_any()
    return PairedRows(
        FilePair(gold.path, gold.path, gold.split, gold.pert_type),
        side.table,
        side.table,
        kept,
        np.zeros(len(kept) + 1, np.int64),
        np.empty(0, np.int64),
        not side.has_ids,
        side.has_ids,
        {"rows": 0, "gold_duplicate_dropped": dropped},
    )


def iter_gold_batches(
    rows: PairedRows, benchmark: ChainFormat, options: ReadOptions, batch_rows: int
) -> Iterator[Batch]:
    """Yield the rows of a gold file as batches, in file order.

    Raises
    ------
    BadInputError
        A row that can't be scored; those of a batch are told together.
    """
    for first in range(0, len(rows.gold_row), batch_rows):
        last = min(first + batch_rows, len(rows.gold_row))
        read = read_batch(rows, first, last, benchmark, options)
        problems = ProblemList()
        for problem in read.problems:
            problems.add(problem)
        problems.raise_if_any()
        yield read.batch
