"""The majority label of each readout gene in a training file: a baseline that knows no biology."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eval_tiers.domain.batch import BoolArray, IntArray, SignArray
from eval_tiers.domain.labels import LABELS
from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.formats.base import ChainFormat, RecordFault
from eval_tiers.io.rows import iter_rows, parse_row
from eval_tiers.io.sources import require_file


@dataclass(frozen=True, slots=True)
class TrainingMajority:
    """Majority labels of a training file.

    Attributes
    ----------
    by_readout : dict of str to int
        Label code by readout gene, upper-cased; ties go to the label that is more frequent in
        the whole file, then to the first of the vocabulary.
    overall : int
        Label code of the whole file; for genes that it doesn't have.
    rows : int
        Training rows.
    """

    by_readout: dict[str, int]
    overall: int
    rows: int

    def predict(self, symbols: Sequence[str], readout: IntArray) -> tuple[SignArray, BoolArray]:
        """Return (label codes, whether the gene is unseen) for readout codes into ``symbols``."""
        get = self.by_readout.get
        of_symbol: NDArray[np.int8] = np.fromiter(
            (get(symbol, -1) for symbol in (*symbols, "")), np.int8, len(symbols) + 1
        )
        label = of_symbol[readout]  # -1 reads the last one: none
        return np.where(label < 0, self.overall, label).astype(np.int8), label < 0


def read_training_majority(path: Path, benchmark: ChainFormat, scratch: Path) -> TrainingMajority:
    """Read a training file in the gold format.

    Raises
    ------
    MissingResourceError
        The file isn't there or can't be read.
    BadInputError
        A row can't be read, or there are none.
    """
    require_file(path, "training file")
    whole: Counter[int] = Counter()
    by_gene: dict[str, Counter[int]] = {}
    for line, raw in iter_rows(path, scratch):
        try:
            record = benchmark.parse_gold(parse_row(raw))
        except RecordFault as fault:
            where = SourceRef(str(path), line, fault.field)
            raise BadInputError(Problem(fault.code, fault.message, where, fault.fix)) from fault
        whole[record.label] += 1
        if record.readout is not None:
            by_gene.setdefault(record.readout.upper(), Counter())[record.label] += 1
    if not whole:
        raise BadInputError(
            Problem("empty-file", "the training file holds no rows", SourceRef(str(path)))
        )

    def majority(counts: Counter[int]) -> int:
        return max(range(len(LABELS)), key=lambda code: (counts[code], whole[code], -code))

    return TrainingMajority(
        {gene: majority(counts) for gene, counts in by_gene.items()},
        majority(whole),
        sum(whole.values()),
    )
