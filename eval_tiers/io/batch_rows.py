"""What has been read of a batch so far: its columns, its chains, what was met.

Filled row by row (`row_reading`) or a block at a time (`plain_reading`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from eval_tiers.domain.batch import Batch
from eval_tiers.domain.findings import Finding
from eval_tiers.domain.labels import LABELS
from eval_tiers.exceptions import Problem
from eval_tiers.formats.base import ChainFormat
from eval_tiers.io.pairing import PairedRows
from eval_tiers.io.symbols import ChainColumns, SymbolTable
from eval_tiers.texts.stated_confidence import StatedConfidence, read_stated
from eval_tiers.texts.triplets import read_triplets

BATCH_COLUMNS: Final[dict[str, type[np.generic] | None]] = {
    "sample_id": None, "pert_type": None, "cell_line": None, "perturbation": None,
    "readout": None, "rollout": None, "gold_label": np.int8, "predicted_label": np.int8,
    "predicted_label_lenient": np.int8, "parse_failure_reason": np.int8,
    "dropped_edge_n": np.int64, "source_line": np.int64, "prediction_line": None,
    "text_offset": None, "text_length": None, "text_crc32": None, "perturbation_sign": np.int8,
    "perturbation_code": np.int32, "readout_code": np.int32, "has_gold_chain": np.bool_,
    "item": np.int32,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What a run says about how rows are read.

    Attributes
    ----------
    mode_signs : mapping of str to int
        Perturbation sign by type (case-folded) for records that give none.
    by : tuple of str
        Further fields of the gold record to keep as columns ``by:<field>``.
    plain : bool
        Whether plain rows may be read as columns; changes no value.
    """

    mode_signs: Mapping[str, int] = field(default_factory=dict)
    by: tuple[str, ...] = ()
    plain: bool = True


@dataclass(slots=True)
class ReadBatch:
    """A batch and what was met while it was read.

    Attributes
    ----------
    batch : Batch
    ledger : dict of str to int
        Gold rows by bucket: scored, parse_failure, missing_prediction.
    unreadable_n : int
        Prediction rows that couldn't be read.
    findings : list of Finding
        The first of their faults.
    problems : list of Problem
        Gold rows that couldn't be read; they are left out of the batch.
    stated : list of (int, StatedConfidence)
        Rows of the batch whose prediction states its confidence.
    """

    batch: Batch
    ledger: dict[str, int]
    unreadable_n: int = 0
    findings: list[Finding] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    stated: list[tuple[int, StatedConfidence]] = field(default_factory=list)


class CollectedRows:
    """The rows of one batch, as they come.

    Parameters
    ----------
    paired : PairedRows
    benchmark : ChainFormat
    options : ReadOptions
    symbols : SymbolTable
        May hold names of earlier batches.
    """

    def __init__(
        self,
        paired: PairedRows,
        benchmark: ChainFormat,
        options: ReadOptions,
        symbols: SymbolTable,
    ) -> None:
        self.paired, self.benchmark, self.options = paired, benchmark, options
        self.columns: dict[str, list[Any]] = {name: [] for name in BATCH_COLUMNS}
        self.by: dict[str, list[str | None]] = {name: [] for name in options.by}
        self.symbols = symbols
        self.gold, self.predicted = ChainColumns(self.symbols), ChainColumns(self.symbols)
        self.ledger = {"scored": 0, "parse_failure": 0, "missing_prediction": 0}
        self.counts = {
            "template_triplet_n": 0, "unsigned_gold_edge_n": 0, "unsigned_predicted_edge_n": 0,
            "reasoning_text_n": 0,
        }  # fmt: skip
        self.unreadable_n = 0
        self.findings: list[Finding] = []
        self.problems: list[Problem] = []
        self.signs: dict[tuple[str | None, str | None], int] = {}
        self.stated: list[tuple[int, StatedConfidence]] = []

    @property
    def row_n(self) -> int:
        """Rows so far."""
        return len(self.columns["sample_id"])

    def note_stated(self, number: int, confidence: object, label_prob: object) -> None:
        """Note the confidence that a row's prediction states, if it does."""
        stated = read_stated(confidence, label_prob, LABELS)
        if stated is not None:
            self.stated.append((number, stated))

    def made_id(self, pert_type: str | None, line: int) -> str:
        """Return the id of a row that has none."""
        return f"{self.paired.pair.split or '-'}/{pert_type or '-'}/{line}"

    def perturbation_sign(self, pert_type: str | None, mode: str | None) -> int:
        """Return what a perturbation does to its target: 1, -1; 0 where it isn't said."""
        kind = (pert_type, mode)
        sign = self.signs.get(kind)
        if sign is None:
            sign = self.benchmark.perturbation_sign(pert_type, mode)
            sign = sign or self.options.mode_signs.get((pert_type or "").casefold(), 0)
            self.signs[kind] = sign
        return sign

    def add_triplets(self, row: int, block: str) -> int:
        """Add the edges of a triplet block; return how many elements were dropped."""
        triplets = read_triplets(block)
        if triplets.edges:
            self.predicted.add(row, triplets.edges)
        self.counts["template_triplet_n"] += triplets.template_n
        self.counts["unsigned_predicted_edge_n"] += triplets.unsigned_n
        return triplets.dropped_n

    def build(self) -> ReadBatch:
        """Return the batch."""
        columns: dict[str, Any] = {
            name: self.columns[name] if dtype is None else np.array(self.columns[name], dtype)
            for name, dtype in BATCH_COLUMNS.items()
        }
        batch = Batch(
            n=self.row_n,
            perturbation=columns.pop("perturbation_code"),
            readout=columns.pop("readout_code"),
            has_gold_chain=columns.pop("has_gold_chain"),
            item=columns.pop("item"),
            columns=columns | {f"by:{name}": found for name, found in self.by.items()},
            symbols=self.symbols.names,
            gold=self.gold.build(),
            predicted=self.predicted.build(),
            counts=self.counts,
        )
        return ReadBatch(
            batch, self.ledger, self.unreadable_n, self.findings, self.problems, self.stated
        )
