"""Reads gold rows with their predictions one by one: the reading that decides."""

from __future__ import annotations

from typing import Any, Final
from zlib import crc32

from eval_tiers.domain.findings import Finding
from eval_tiers.domain.labels import NO_LABEL, REASON_CODES
from eval_tiers.exceptions import Problem
from eval_tiers.formats.base import ChainFormat, GoldRecord, PredictionRecord, RecordFault
from eval_tiers.io.batch_rows import CollectedRows
from eval_tiers.io.gold_blocks import GoldBlock
from eval_tiers.io.pairing import MAX_LISTED
from eval_tiers.io.rows import parse_row
from eval_tiers.texts.answers import read_text
from eval_tiers.texts.stated_confidence import CONFIDENCE, LABEL_PROB

_MISSING: Final = REASON_CODES["missing_prediction"]


class RowReader:
    """Reads blocks row by row into collected rows."""

    def __init__(self, rows: CollectedRows) -> None:
        self.rows = rows

    def add(self, block: GoldBlock) -> None:
        """Add a block; a gold row that can't be read is left out and noted as a problem."""
        rows: list[tuple[Any, ...]] = []
        base = self.rows.row_n
        for number in range(len(block.gold)):
            rows += self._gold_rows(block, number, base + len(rows))
        columns = self.rows.columns.values()
        for column, values in zip(columns, zip(*rows, strict=True), strict=False):
            column += values

    def _gold_rows(self, block: GoldBlock, number: int, row: int) -> list[tuple[Any, ...]]:
        """Read one gold row with its predictions: none, one, or one a rollout."""
        raw = block.gold[number]
        try:
            fields = parse_row(raw, strict=True)
            gold = self.rows.benchmark.parse_gold(fields)
        except RecordFault as fault:
            sample_id = _id_or_none(self.rows.benchmark, raw)
            where = self.rows.paired.gold.where(block.gold_row[number], fault.field, sample_id)
            self.rows.problems.append(Problem(fault.code, fault.message, where, fault.fix))
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
                self.rows.gold.add(row + len(rows), gold.chain)
                self.rows.counts["unsigned_gold_edge_n"] += gold.unsigned_n
            rows.append(self._row(block, number, place, gold, prediction, answer))
            for name, values in self.rows.by.items():
                value = fields.get(name)
                values.append(None if value is None else str(value))
        self.rows.ledger[bucket] += 1
        return rows

    def _row(
        self,
        block: GoldBlock,
        number: int,
        place: int,
        gold: GoldRecord,
        prediction: PredictionRecord | None,
        answer: tuple[int, int, int, int],
    ) -> tuple[Any, ...]:
        """Return the values of one row, in the order of `BATCH_COLUMNS`."""
        pert_type = gold.pert_type or self.rows.paired.pair.pert_type
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
        code = self.rows.symbols.code
        return (
            gold.sample_id if gold.sample_id is not None else self.rows.made_id(pert_type, line),
            pert_type, gold.cell_line, gold.perturbation, gold.readout,
            None if prediction is None else prediction.rollout,
            gold.label, label, lenient, reason, dropped_n, line, *text,
            self.rows.perturbation_sign(pert_type, gold.mode),
            -1 if gold.perturbation is None else code(gold.perturbation),
            -1 if gold.readout is None else code(gold.readout),
            gold.chain is not None, block.item + number,
        )  # fmt: skip

    def _answer(self, row: int, text: str | None) -> tuple[int, int, int, int]:
        """Read a text: label, lenient label, reason, dropped elements; its edges are added."""
        reading = read_text(text)
        dropped_n = 0
        if reading.triplet_block is not None:
            dropped_n = self.rows.add_triplets(row, reading.triplet_block)
        return reading.label, reading.lenient, reading.reason, dropped_n

    def _prediction(
        self, block: GoldBlock, place: int, sample_id: str | None, number: int
    ) -> PredictionRecord | None:
        """Parse a prediction row; None, counted and listed, where it can't be."""
        try:
            row = parse_row(block.prediction[place], strict=True)
            prediction = self.rows.benchmark.parse_prediction(row)
            if prediction.sample_id != sample_id and not self.rows.paired.by_position:
                raise RecordFault("id-mismatch", f"the row's id reads {prediction.sample_id!r}")
        except RecordFault as fault:
            self.rows.unreadable_n += 1
            if len(self.rows.findings) < MAX_LISTED:
                where = self.rows.paired.predictions.where(
                    block.prediction_row[place], fault.field, sample_id
                )
                self.rows.findings.append(Finding("unreadable-prediction", fault.message, where))
            return None
        self.rows.counts["reasoning_text_n"] += prediction.from_reasoning
        self.rows.note_stated(number, row.get(CONFIDENCE), row.get(LABEL_PROB))
        return prediction


def _id_or_none(benchmark: ChainFormat, raw: bytes) -> str | None:
    try:
        return benchmark.id_of(parse_row(raw))
    except RecordFault:
        return None
