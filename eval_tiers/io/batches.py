"""Reads paired rows into a `Batch`: parses records, reads texts, interns symbols."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from eval_tiers.domain.batch import Batch, Chains
from eval_tiers.domain.findings import Finding
from eval_tiers.domain.labels import NO_LABEL, REASON_CODES
from eval_tiers.formats.base import BenchmarkFormat, PredictionRecord, RecordFault
from eval_tiers.io.pairing import MAX_LISTED, PairedRows, key_probes
from eval_tiers.io.rows import parse_row, read_rows
from eval_tiers.texts.answers import read_text
from eval_tiers.texts.triplets import Triplets, read_triplets

_MISSING = REASON_CODES["missing_prediction"]
_NO_TRIPLETS = Triplets()


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
    """

    batch: Batch
    ledger: dict[str, int]
    unreadable_n: int = 0
    findings: list[Finding] = field(default_factory=list)


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
    """Edges of one side, collected row by row."""

    def __init__(self, symbols: _SymbolTable) -> None:
        self.symbols = symbols
        self.sample: list[int] = []
        self.source: list[int] = []
        self.sign: list[int] = []
        self.target: list[int] = []

    def add(self, row: int, edges: list[tuple[str, int, str]]) -> None:
        """Add the edges of one row."""
        known, code = self.symbols.as_written.get, self.symbols.code
        for source, sign, target in edges:
            self.sample.append(row)
            a, b = known(source), known(target)
            self.source.append(code(source) if a is None else a)
            self.target.append(code(target) if b is None else b)
            self.sign.append(sign)

    def build(self) -> Chains:
        """Return the arrays."""
        return Chains(
            np.array(self.sample, np.int32),
            np.array(self.source, np.int32),
            np.array(self.sign, np.int8),
            np.array(self.target, np.int32),
        )


_COLUMNS = (
    "sample_id", "pert_type", "cell_line", "perturbation", "readout", "rollout", "mode",
    "gold_label", "predicted_label", "predicted_label_lenient", "parse_failure_reason",
    "dropped_edge_n", "source_line", "prediction_line",
    "text_offset", "text_length", "text_crc32",
)  # fmt: skip


def read_batch(
    paired: PairedRows,
    first: int,
    last: int,
    benchmark: BenchmarkFormat,
    options: ReadOptions | None = None,
) -> ReadBatch:
    """Read gold rows ``first`` to ``last`` (of `PairedRows.gold_row`) with their predictions.

    A prediction that can't be read keeps its place: its sample has no text
    (``missing_prediction``), and the fault is counted and listed.
    """
    options = options or ReadOptions()
    gold_rows = paired.gold_row[first:last]
    spans = (paired.start[first : last + 1] - paired.start[first]).tolist()
    prediction_rows = paired.match[paired.start[first] : paired.start[last]]
    gold_raw = read_rows(paired.gold, gold_rows)
    # Read in file order (neighbours in one go), used in gold order.
    by_place = np.sort(prediction_rows)
    raw_of = dict(zip(by_place.tolist(), read_rows(paired.predictions, by_place), strict=True))
    gold_lines = paired.gold.line[gold_rows].tolist()
    prediction_lines = paired.predictions.line[prediction_rows].tolist()
    offsets = paired.predictions.offset[prediction_rows].tolist()
    row_numbers = prediction_rows.tolist()

    columns: dict[str, list[Any]] = {name: [] for name in _COLUMNS}
    symbols = _SymbolTable()
    gold, predicted = _ChainColumns(symbols), _ChainColumns(symbols)
    perturbation: list[int] = []
    readout: list[int] = []
    has_chain: list[bool] = []
    weight: list[float] = []
    item: list[int] = []
    unreadable_n = 0
    findings: list[Finding] = []
    ledger = {"scored": 0, "parse_failure": 0, "missing_prediction": 0}
    signs: list[int] = []
    sign_of: dict[tuple[str | None, str | None], int] = {}
    by: dict[str, list[str | None]] = {name: [] for name in options.by}
    counts = {"template_triplet_n": 0, "unsigned_predicted_edge_n": 0, "reasoning_text_n": 0}
    probes = key_probes(
        (benchmark.prediction_fields["id"][0], benchmark.prediction_fields["text"][0])
    )
    row = 0
    for number, raw in enumerate(gold_raw):
        fields = parse_row(raw)
        record = benchmark.parse_gold(fields)
        line = gold_lines[number]
        pert_type = record.pert_type or paired.pair.pert_type
        sample_id = record.sample_id
        if sample_id is None:
            sample_id = f"{paired.pair.split or '-'}/{pert_type or '-'}/{line}"
        kind = (pert_type, record.mode)
        sign = sign_of.get(kind)
        if sign is None:
            sign = benchmark.perturbation_sign(*kind)
            sign = sign or options.mode_signs.get((pert_type or "").casefold(), 0)
            sign_of[kind] = sign
        bucket = "missing_prediction"
        ends = (
            -1 if record.perturbation is None else symbols.code(record.perturbation),
            -1 if record.readout is None else symbols.code(record.readout),
        )
        here, beyond = spans[number], spans[number + 1]
        share = 1.0 / max(1, beyond - here)
        for place in range(here, max(beyond, here + 1)):
            prediction: PredictionRecord | None = None
            prediction_line = offset = length = crc = None
            if place < beyond:
                prediction_line, offset = prediction_lines[place], offsets[place]
                raw_prediction = raw_of[row_numbers[place]]
                length, crc = len(raw_prediction), zlib.crc32(raw_prediction)
                try:
                    prediction = benchmark.parse_prediction(parse_row(raw_prediction, probes))
                    if not paired.by_position and prediction.sample_id != record.sample_id:
                        raise RecordFault(
                            "id-mismatch", f"the row's id reads {prediction.sample_id!r}"
                        )
                except RecordFault as fault:
                    prediction = None
                    unreadable_n += 1
                    if len(findings) < MAX_LISTED:
                        where = paired.predictions.where(row_numbers[place], fault.field, sample_id)
                        findings.append(
                            Finding("unreadable-prediction", fault.message, where)
                        )
            if prediction is None:
                label, reason, lenient, triplets = NO_LABEL, _MISSING, NO_LABEL, _NO_TRIPLETS
            else:
                reading = read_text(prediction.text)
                label, reason, lenient = reading.label, reading.reason, reading.lenient
                if label >= 0:
                    bucket = "scored"
                elif bucket != "scored":
                    bucket = "parse_failure"
                block = reading.triplet_block
                triplets = _NO_TRIPLETS if block is None else read_triplets(block)
                if triplets.edges:
                    predicted.add(row, triplets.edges)
                counts["template_triplet_n"] += triplets.template_n
                counts["unsigned_predicted_edge_n"] += triplets.unsigned_n
                counts["reasoning_text_n"] += prediction.from_reasoning
            if record.chain:
                gold.add(row, record.chain)
            for column, value in zip(
                columns.values(),
                (
                    sample_id, pert_type, record.cell_line, record.perturbation, record.readout,
                    None if prediction is None else prediction.rollout, record.mode,
                    record.label, label, lenient, reason,
                    triplets.dropped_n, line, prediction_line, offset, length, crc,
                ),
                strict=True,
            ):  # fmt: skip
                column.append(value)
            perturbation.append(ends[0])
            readout.append(ends[1])
            has_chain.append(record.chain is not None)
            weight.append(share)
            item.append(number)
            signs.append(sign)
            for name, values in by.items():
                value = fields.get(name)
                values.append(None if value is None else str(value))
            row += 1
        ledger[bucket] += 1
    arrays: dict[str, Any] = dict(columns)
    for name in ("gold_label", "predicted_label", "predicted_label_lenient", "parse_failure_reason"):
        arrays[name] = np.array(columns[name], np.int8)
    for name in ("dropped_edge_n", "source_line"):
        arrays[name] = np.array(columns[name], np.int64)
    arrays["perturbation_sign"] = np.array(signs, np.int8)
    for name, values in by.items():
        arrays[f"by:{name}"] = values
    batch = Batch(
        n=row,
        columns=arrays,
        symbols=symbols.names,
        perturbation=np.array(perturbation, np.int32),
        readout=np.array(readout, np.int32),
        has_gold_chain=np.array(has_chain, np.bool_),
        gold=gold.build(),
        predicted=predicted.build(),
        weight=np.array(weight, np.float64),
        item=np.array(item, np.int32),
        counts=counts,
    )
    return ReadBatch(batch, ledger, unreadable_n, findings)


