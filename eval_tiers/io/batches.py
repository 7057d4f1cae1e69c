"""Reads paired rows into a `Batch`: parses records, reads texts, interns symbols."""

from __future__ import annotations

import gc
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from eval_tiers.domain.batch import Batch, Chains
from eval_tiers.domain.findings import Finding
from eval_tiers.domain.labels import NO_LABEL, REASON_CODES
from eval_tiers.exceptions import Problem
from eval_tiers.formats.base import BenchmarkFormat, PredictionRecord, RecordFault
from eval_tiers.io.pairing import MAX_LISTED, Int64Array, PairedRows, key_probes
from eval_tiers.io.rows import parse_row, read_rows
from eval_tiers.texts.answers import read_text
from eval_tiers.texts.triplets import read_triplets

_MISSING = REASON_CODES["missing_prediction"]


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What a run says about how rows are read.

    Attributes
    ----------
    mode_signs : mapping of str to int
        Perturbation sign by type (case-folded) for records that give none.
    by : tuple of str
        Further fields of the gold record to keep as columns ``by:<field>``.
    """

    mode_signs: Mapping[str, int] = field(default_factory=dict)
    by: tuple[str, ...] = ()


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
    """

    batch: Batch
    ledger: dict[str, int]
    unreadable_n: int = 0
    findings: list[Finding] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


class _SymbolTable:
    """Interns symbols of one batch: as written to a code, by their matched form."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.by_name: dict[str, int] = {}
        self.as_written: dict[str, int] = {}

    def code(self, written: str) -> int:
        """Return the code of a symbol; upper-cased and stripped for matching."""
        code = self.as_written.get(written)
        if code is None:
            name = written.strip().upper()
            code = self.by_name.setdefault(name, len(self.names))
            if code == len(self.names):
                self.names.append(name)
            self.as_written[written] = code
        return code


class _ChainColumns:
    """Edges of one side, collected row by row: source, sign, target in one flat list."""

    def __init__(self, symbols: _SymbolTable) -> None:
        self.symbols = symbols
        self.rows: list[int] = []
        self.edge_n: list[int] = []
        self.flat: list[int] = []

    def add(self, row: int, edges: list[tuple[str, int, str]]) -> None:
        """Add the edges of one row."""
        known, code, flat = self.symbols.as_written, self.symbols.code, self.flat
        for source, sign, target in edges:
            flat += (
                known[source] if source in known else code(source),
                sign,
                known[target] if target in known else code(target),
            )
        self.rows.append(row)
        self.edge_n.append(len(edges))

    def build(self) -> Chains:
        """Return the arrays."""
        edges = np.array(self.flat, np.int32).reshape(-1, 3)
        sample = np.repeat(np.array(self.rows, np.int32), self.edge_n)
        return Chains(sample, edges[:, 0], edges[:, 1].astype(np.int8), edges[:, 2])


_COLUMNS = (
    "sample_id", "pert_type", "cell_line", "perturbation", "readout", "rollout", "gold_label",
    "predicted_label", "predicted_label_lenient", "parse_failure_reason", "dropped_edge_n",
    "source_line", "prediction_line", "text_offset", "text_length", "text_crc32",
    "perturbation_sign", "perturbation_code", "readout_code", "has_gold_chain", "weight", "item",
)  # fmt: skip
_DTYPES: dict[str, type[np.generic]] = {
    "gold_label": np.int8, "predicted_label": np.int8, "predicted_label_lenient": np.int8,
    "parse_failure_reason": np.int8, "dropped_edge_n": np.int64, "source_line": np.int64,
    "perturbation_sign": np.int8, "perturbation_code": np.int32, "readout_code": np.int32,
    "has_gold_chain": np.bool_, "weight": np.float64, "item": np.int32,
}  # fmt: skip


def read_batch(
    paired: PairedRows,
    first: int,
    last: int,
    benchmark: BenchmarkFormat,
    options: ReadOptions | None = None,
) -> ReadBatch:
    """Read gold rows ``first`` to ``last`` (of `PairedRows.gold_row`) with their predictions.

    A prediction that can't be read keeps its place: its sample has no text
    (``missing_prediction``), and the fault is counted and listed. A gold row that can't be read
    is left out and noted as a problem: the run must not go on.
    """
    with _collector_paused():
        return _read_batch(paired, first, last, benchmark, options or ReadOptions())


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


def _read_batch(
    paired: PairedRows, first: int, last: int, benchmark: BenchmarkFormat, options: ReadOptions
) -> ReadBatch:
    reader = _BatchReader(paired, benchmark, options)
    gold_rows = paired.gold_row[first:last]
    spans = (paired.start[first : last + 1] - paired.start[first]).tolist()
    prediction_rows = paired.match[paired.start[first] : paired.start[last]]
    predictions = _prediction_places(paired, prediction_rows)
    for number, (raw, row) in enumerate(
        zip(read_rows(paired.gold, gold_rows), gold_rows.tolist(), strict=True)
    ):
        reader.add(number, row, raw, predictions[spans[number] : spans[number + 1]])
    return reader.build()


@dataclass(slots=True)
class _Place:
    """A prediction row: number, line, byte offset, raw bytes."""

    row: int
    line: int
    offset: int
    raw: bytes


def _prediction_places(paired: PairedRows, rows: Int64Array) -> list[_Place]:
    """Read prediction rows in file order (neighbours in one go); return them in gold order."""
    in_file_order = np.sort(rows)
    raw_of = dict(
        zip(in_file_order.tolist(), read_rows(paired.predictions, in_file_order), strict=True)
    )
    lines = paired.predictions.line[rows].tolist()
    offsets = paired.predictions.offset[rows].tolist()
    return [
        _Place(row, line, offset, raw_of[row])
        for row, line, offset in zip(rows.tolist(), lines, offsets, strict=True)
    ]


class _BatchReader:
    """Collects the rows of one batch."""

    def __init__(
        self, paired: PairedRows, benchmark: BenchmarkFormat, options: ReadOptions
    ) -> None:
        self.paired, self.benchmark, self.options = paired, benchmark, options
        self.rows: list[tuple[Any, ...]] = []
        self.symbols = _SymbolTable()
        self.gold, self.predicted = _ChainColumns(self.symbols), _ChainColumns(self.symbols)
        self.ledger = {"scored": 0, "parse_failure": 0, "missing_prediction": 0}
        self.counts = {
            "template_triplet_n": 0, "unsigned_predicted_edge_n": 0, "reasoning_text_n": 0,
        }  # fmt: skip
        self.unreadable_n = 0
        self.findings: list[Finding] = []
        self.problems: list[Problem] = []
        self.by: dict[str, list[str | None]] = {name: [] for name in options.by}
        self.signs: dict[tuple[str | None, str | None], int] = {}
        self.gold_probes = key_probes(
            tuple(benchmark.gold_fields[field][0] for field in ("id", "answer", "path"))
        )
        self.probes = key_probes(
            tuple(benchmark.prediction_fields[field][0] for field in ("id", "text"))
        )

    def add(self, number: int, gold_row: int, raw: bytes, places: list[_Place]) -> None:
        """Add one gold row with its predictions: none, one, or one a rollout."""
        try:
            fields = parse_row(raw, self.gold_probes)
            gold = self.benchmark.parse_gold(fields)
        except RecordFault as fault:
            where = self.paired.gold.where(gold_row, fault.field, _id_or_none(self.benchmark, raw))
            self.problems.append(Problem(fault.code, fault.message, where, fault.fix))
            return
        line = int(self.paired.gold.line[gold_row])
        pert_type = gold.pert_type or self.paired.pair.pert_type
        sample_id = gold.sample_id
        if sample_id is None:
            sample_id = f"{self.paired.pair.split or '-'}/{pert_type or '-'}/{line}"
        sign = self._perturbation_sign(pert_type, gold.mode)
        code = self.symbols.code
        start = -1 if gold.perturbation is None else code(gold.perturbation)
        end = -1 if gold.readout is None else code(gold.readout)
        weight = 1.0 / max(1, len(places))
        bucket = "missing_prediction"
        for place in places or (None,):
            prediction = None if place is None else self._prediction(place, gold.sample_id)
            row = len(self.rows)
            if prediction is None:
                label, reason, lenient, dropped_n = NO_LABEL, _MISSING, NO_LABEL, 0
            else:
                reading = read_text(prediction.text)
                label, reason, lenient = reading.label, reading.reason, reading.lenient
                dropped_n = self._add_triplets(row, reading.triplet_block)
                if label >= 0:
                    bucket = "scored"
                elif bucket != "scored":
                    bucket = "parse_failure"
            if gold.chain:
                self.gold.add(row, gold.chain)
            where_text = (
                (None, None, None, None)
                if place is None
                else (place.line, place.offset, len(place.raw), zlib.crc32(place.raw))
            )
            self.rows.append((
                sample_id, pert_type, gold.cell_line, gold.perturbation, gold.readout,
                None if prediction is None else prediction.rollout, gold.label,
                label, lenient, reason, dropped_n, line, *where_text,
                sign, start, end, gold.chain is not None, weight, number,
            ))  # fmt: skip
            for name, values in self.by.items():
                value = fields.get(name)
                values.append(None if value is None else str(value))
        self.ledger[bucket] += 1

    def _add_triplets(self, row: int, block: str | None) -> int:
        """Add the edges of a triplet block; return how many elements were dropped."""
        if block is None:
            return 0
        triplets = read_triplets(block)
        if triplets.edges:
            self.predicted.add(row, triplets.edges)
        self.counts["template_triplet_n"] += triplets.template_n
        self.counts["unsigned_predicted_edge_n"] += triplets.unsigned_n
        return triplets.dropped_n

    def _prediction(self, place: _Place, sample_id: str | None) -> PredictionRecord | None:
        """Parse a prediction row; None, counted and listed, where it can't be."""
        try:
            prediction = self.benchmark.parse_prediction(parse_row(place.raw, self.probes))
            if prediction.sample_id != sample_id and not self.paired.by_position:
                raise RecordFault("id-mismatch", f"the row's id reads {prediction.sample_id!r}")
        except RecordFault as fault:
            self.unreadable_n += 1
            if len(self.findings) < MAX_LISTED:
                where = self.paired.predictions.where(place.row, fault.field, sample_id)
                self.findings.append(Finding("unreadable-prediction", fault.message, where))
            return None
        self.counts["reasoning_text_n"] += prediction.from_reasoning
        return prediction

    def _perturbation_sign(self, pert_type: str | None, mode: str | None) -> int:
        kind = (pert_type, mode)
        sign = self.signs.get(kind)
        if sign is None:
            sign = self.benchmark.perturbation_sign(pert_type, mode)
            sign = sign or self.options.mode_signs.get((pert_type or "").casefold(), 0)
            self.signs[kind] = sign
        return sign

    def build(self) -> ReadBatch:
        """Return the batch."""
        values = zip(*self.rows, strict=True) if self.rows else ((),) * len(_COLUMNS)
        columns: dict[str, Any] = dict(zip(_COLUMNS, values, strict=True))
        for name, dtype in _DTYPES.items():
            columns[name] = np.array(columns[name], dtype)
        batch = Batch(
            n=len(self.rows),
            perturbation=columns.pop("perturbation_code"),
            readout=columns.pop("readout_code"),
            has_gold_chain=columns.pop("has_gold_chain"),
            weight=columns.pop("weight"),
            item=columns.pop("item"),
            columns=columns | {f"by:{name}": found for name, found in self.by.items()},
            symbols=self.symbols.names,
            gold=self.gold.build(),
            predicted=self.predicted.build(),
            counts=self.counts,
        )
        return ReadBatch(batch, self.ledger, self.unreadable_n, self.findings, self.problems)


def _id_or_none(benchmark: BenchmarkFormat, raw: bytes) -> str | None:
    try:
        return benchmark.id_of(parse_row(raw))
    except RecordFault:
        return None
