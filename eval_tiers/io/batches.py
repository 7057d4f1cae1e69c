"""Reads paired rows into a `Batch`: parses records, reads texts, interns symbols.

Rows are taken in blocks. A block of plain rows is read as columns (`plain_rows`); any other row
by row, which is the reading that decides.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final
from zlib import crc32

import numpy as np

from eval_tiers.domain.batch import Batch
from eval_tiers.domain.findings import Finding
from eval_tiers.domain.labels import LABELS, NO_LABEL, REASON_CODES
from eval_tiers.exceptions import Problem
from eval_tiers.formats.base import ChainFormat, GoldRecord, PredictionRecord, RecordFault
from eval_tiers.io.pairing import MAX_LISTED, Int64Array, PairedRows
from eval_tiers.io.plain_rows import (
    PlainGold,
    PlainPredictions,
    plain_edges,
    plain_triplets,
    read_plain_gold,
    read_plain_predictions,
)
from eval_tiers.io.rows import parse_row, read_rows
from eval_tiers.io.symbols import ChainColumns, SymbolTable
from eval_tiers.texts.answers import read_text, read_texts
from eval_tiers.texts.stated_confidence import (
    CONFIDENCE,
    LABEL_PROB,
    StatedConfidence,
    read_stated,
)
from eval_tiers.texts.triplets import read_triplets

BLOCK_ROWS: Final = 512
_MISSING: Final = REASON_CODES["missing_prediction"]
_COLUMNS: Final[dict[str, type[np.generic] | None]] = {
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
        reader = _BatchReader(paired, benchmark, options or ReadOptions(), symbols or SymbolTable())
        for start in range(first, last, BLOCK_ROWS):
            reader.add_block(_Block(paired, start, min(start + BLOCK_ROWS, last), first))
        return reader.build()


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


class _Block:
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


class _BatchReader:
    """Collects the rows of one batch."""

    def __init__(
        self,
        paired: PairedRows,
        benchmark: ChainFormat,
        options: ReadOptions,
        symbols: SymbolTable,
    ) -> None:
        self.paired, self.benchmark, self.options = paired, benchmark, options
        self.columns: dict[str, list[Any]] = {name: [] for name in _COLUMNS}
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

    def add_block(self, block: _Block) -> None:
        """Add a block: as columns where it is plain, else row by row."""
        if self.options.plain and self._add_plain(block):
            return
        rows: list[tuple[Any, ...]] = []
        base = self.row_n
        for number in range(len(block.gold)):
            rows += self._gold_rows(block, number, base + len(rows))
        for column, values in zip(self.columns.values(), zip(*rows, strict=True), strict=False):
            column += values

    # Row by row

    def _gold_rows(self, block: _Block, number: int, row: int) -> list[tuple[Any, ...]]:
        """Read one gold row with its predictions: none, one, or one a rollout."""
        raw = block.gold[number]
        try:
            fields = parse_row(raw, strict=True)
            gold = self.benchmark.parse_gold(fields)
        except RecordFault as fault:
            sample_id = _id_or_none(self.benchmark, raw)
            where = self.paired.gold.where(block.gold_row[number], fault.field, sample_id)
            self.problems.append(Problem(fault.code, fault.message, where, fault.fix))
            return []
        places = range(block.span[number], block.span[number + 1])
        rows: list[tuple[Any, ...]] = []
        bucket = "missing_prediction"
        for place in places or (-1,):
            prediction = None
            if place >= 0:
                prediction = self._prediction(block, place, gold.sample_id, row + len(rows))
            answer = (NO_LABEL, NO_LABEL, _MISSING, 0)
            if prediction is not None:
                answer = self._answer(row + len(rows), prediction.text)
                if answer[0] >= 0:
                    bucket = "scored"
                elif bucket != "scored":
                    bucket = "parse_failure"
            if gold.chain:
                self.gold.add(row + len(rows), gold.chain)
                self.counts["unsigned_gold_edge_n"] += gold.unsigned_n
            rows.append(self._row(block, number, place, gold, prediction, answer))
            for name, values in self.by.items():
                value = fields.get(name)
                values.append(None if value is None else str(value))
        self.ledger[bucket] += 1
        return rows

    def _row(
        self,
        block: _Block,
        number: int,
        place: int,
        gold: GoldRecord,
        prediction: PredictionRecord | None,
        answer: tuple[int, int, int, int],
    ) -> tuple[Any, ...]:
        """Return the values of one row, in the order of `_COLUMNS`."""
        pert_type = gold.pert_type or self.paired.pair.pert_type
        line = block.gold_line[number]
        label, lenient, reason, dropped_n = answer
        text: tuple[int | None, ...] = (None, None, None, None)
        if place >= 0:
            raw = block.prediction[place]
            text = (
                block.prediction_line[place],
                block.prediction_offset[place],
                len(raw),
                crc32(raw),
            )
        code = self.symbols.code
        return (
            gold.sample_id if gold.sample_id is not None else self._made_id(pert_type, line),
            pert_type, gold.cell_line, gold.perturbation, gold.readout,
            None if prediction is None else prediction.rollout,
            gold.label, label, lenient, reason, dropped_n, line, *text,
            self._perturbation_sign(pert_type, gold.mode),
            -1 if gold.perturbation is None else code(gold.perturbation),
            -1 if gold.readout is None else code(gold.readout),
            gold.chain is not None, block.item + number,
        )  # fmt: skip

    def _answer(self, row: int, text: str | None) -> tuple[int, int, int, int]:
        """Read a text: label, lenient label, reason, dropped elements; its edges are added."""
        reading = read_text(text)
        dropped_n = 0
        if reading.triplet_block is not None:
            triplets = read_triplets(reading.triplet_block)
            if triplets.edges:
                self.predicted.add(row, triplets.edges)
            self.counts["template_triplet_n"] += triplets.template_n
            self.counts["unsigned_predicted_edge_n"] += triplets.unsigned_n
            dropped_n = triplets.dropped_n
        return reading.label, reading.lenient, reading.reason, dropped_n

    def _prediction(
        self, block: _Block, place: int, sample_id: str | None, number: int
    ) -> PredictionRecord | None:
        """Parse a prediction row; None, counted and listed, where it can't be."""
        try:
            row = parse_row(block.prediction[place], strict=True)
            prediction = self.benchmark.parse_prediction(row)
            if prediction.sample_id != sample_id and not self.paired.by_position:
                raise RecordFault("id-mismatch", f"the row's id reads {prediction.sample_id!r}")
        except RecordFault as fault:
            self.unreadable_n += 1
            if len(self.findings) < MAX_LISTED:
                where = self.paired.predictions.where(
                    block.prediction_row[place], fault.field, sample_id
                )
                self.findings.append(Finding("unreadable-prediction", fault.message, where))
            return None
        self.counts["reasoning_text_n"] += prediction.from_reasoning
        self._note_stated(number, row.get(CONFIDENCE), row.get(LABEL_PROB))
        return prediction

    def _note_stated(self, number: int, confidence: object, label_prob: object) -> None:
        """Note the confidence that a row's prediction states, if it does."""
        stated = read_stated(confidence, label_prob, LABELS)
        if stated is not None:
            self.stated.append((number, stated))

    def _made_id(self, pert_type: str | None, line: int) -> str:
        return f"{self.paired.pair.split or '-'}/{pert_type or '-'}/{line}"

    def _perturbation_sign(self, pert_type: str | None, mode: str | None) -> int:
        kind = (pert_type, mode)
        sign = self.signs.get(kind)
        if sign is None:
            sign = self.benchmark.perturbation_sign(pert_type, mode)
            sign = sign or self.options.mode_signs.get((pert_type or "").casefold(), 0)
            self.signs[kind] = sign
        return sign

    # As columns

    def _add_plain(self, block: _Block) -> bool:
        """Add a block of plain rows, each with one prediction or none; False where it isn't."""
        n = len(block.gold)
        if len(block.prediction) < n and not set(map(int.__sub__, block.span[1:], block.span)) <= {
            0,
            1,
        }:
            return False
        if len(block.prediction) > n:
            return False
        gold = read_plain_gold(block.gold, self.benchmark.gold_fields, self.options.by)
        if gold is None or (len(block.prediction) == n and block.span[-1] != n):
            return False
        answered = [i for i in range(n) if block.span[i + 1] > block.span[i]]
        predictions = PlainPredictions(None, [])
        if block.prediction:
            found = read_plain_predictions(block.prediction, self.benchmark.prediction_fields)
            if found is None or not self._ids_agree(gold, found, answered):
                return False
            predictions = found
        self._take_plain(block, gold, predictions, answered)
        return True

    def _ids_agree(self, gold: PlainGold, found: PlainPredictions, answered: Sequence[int]) -> bool:
        if self.paired.by_position:
            return True
        if gold.sample_id is None or found.sample_id is None:
            return False
        return found.sample_id == [gold.sample_id[i] for i in answered]

    def _take_plain(
        self,
        block: _Block,
        gold: PlainGold,
        predictions: PlainPredictions,
        answered: Sequence[int],
    ) -> None:
        n, base = len(block.gold), self.row_n
        default = self.paired.pair.pert_type
        pert_type = [kind or default for kind in gold.pert_type]
        answers = self._plain_answers(predictions.text, [base + i for i in answered])
        text = [
            block.prediction_line,
            block.prediction_offset,
            list(map(len, block.prediction)),
            list(map(crc32, block.prediction)),
        ]
        columns: list[Sequence[Any]] = [*answers, *text]
        if len(answered) < n:
            missing = (NO_LABEL, NO_LABEL, _MISSING, 0, None, None, None, None)
            columns = [
                _spread(values, answered, n, filler)
                for values, filler in zip(columns, missing, strict=True)
            ]
        label, lenient, reason, dropped_n, *text_columns = columns
        scored = sum(code >= 0 for code in label)
        self.ledger["scored"] += scored
        self.ledger["parse_failure"] += len(answered) - scored
        self.ledger["missing_prediction"] += n - len(answered)
        sample_id: Sequence[str] = gold.sample_id or [
            self._made_id(kind, line) for kind, line in zip(pert_type, block.gold_line, strict=True)
        ]
        values = (
            sample_id, pert_type, gold.cell_line, gold.perturbation, gold.readout, [None] * n,
            gold.label, label, lenient, reason, dropped_n, block.gold_line, *text_columns,
            list(map(self._perturbation_sign, pert_type, gold.mode)),
            self._end_codes(gold.perturbation), self._end_codes(gold.readout),
            gold.has_chain, range(block.item, block.item + n),
        )  # fmt: skip
        edges = gold.edges
        self.gold.add_many(
            [base + row for row in edges.rows], edges.edge_n, edges.source, edges.sign, edges.target
        )
        for column, added in zip(self.columns.values(), values, strict=True):
            column += added
        if predictions.stated:
            nothing = (None,) * len(answered)
            stated = [predictions.stated.get(name, nothing) for name in (CONFIDENCE, LABEL_PROB)]
            for place, *said in zip(answered, *stated, strict=True):
                self._note_stated(base + place, *said)
        for name, found in gold.by.items():
            self.by[name] += found

    def _end_codes(self, names: list[str | None]) -> list[int]:
        known, code = self.symbols.as_written, self.symbols.code
        return [
            -1 if name is None else known[name] if name in known else code(name) for name in names
        ]

    def _plain_answers(
        self, texts: list[str], rows: list[int]
    ) -> tuple[list[int], list[int], list[int], list[int]]:
        """Read many texts: labels, lenient labels, reasons, dropped elements; add their edges."""
        read = read_texts(texts)
        dropped = [0] * len(texts)
        plain: list[tuple[int, str, list[Any]]] = []
        for place, block in enumerate(read.triplet_block):
            if block is None:
                continue
            lists = plain_triplets(block)
            if lists is None:
                dropped[place] = self._add_triplets(rows[place], block)
            else:
                plain.append((place, block, lists))
        if not self._add_plain_edges([rows[place] for place, _, _ in plain], plain):
            odd = [entry for entry in plain if plain_edges([0], [entry[2]]) is None]
            for place, block, _ in odd:
                dropped[place] = self._add_triplets(rows[place], block)
            still = {place for place, _, _ in odd}
            plain = [entry for entry in plain if entry[0] not in still]
            self._add_plain_edges([rows[place] for place, _, _ in plain], plain)
        return read.label, read.lenient, read.reason, dropped

    def _add_plain_edges(self, rows: list[int], plain: list[tuple[int, str, list[Any]]]) -> bool:
        """Add the edges of many lists; False, and nothing added, where one isn't plain."""
        edges = plain_edges(rows, [lists for _, _, lists in plain])
        if edges is None:
            return False
        self.predicted.add_many(edges.rows, edges.edge_n, edges.source, edges.sign, edges.target)
        return True

    def _add_triplets(self, row: int, block: str) -> int:
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
            for name, dtype in _COLUMNS.items()
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


def _spread(values: Sequence[Any], places: Sequence[int], n: int, filler: Any) -> list[Any]:
    """Return ``n`` values: those given at their places, the filler elsewhere."""
    spread = [filler] * n
    for place, value in zip(places, values, strict=True):
        spread[place] = value
    return spread


def _id_or_none(benchmark: ChainFormat, raw: bytes) -> str | None:
    try:
        return benchmark.id_of(parse_row(raw))
    except RecordFault:
        return None
