"""Reads the prediction rows of a run of items whose answers cite datasets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from zlib import crc32

import numpy as np

from eval_tiers.domain.findings import Finding
from eval_tiers.domain.rr10 import LABELS, Item
from eval_tiers.formats.base import AnswerRecord, CitationFormat, RecordFault
from eval_tiers.io.pairing import MAX_LISTED, PairedRows
from eval_tiers.io.rows import parse_row, read_rows
from eval_tiers.texts.stated_confidence import (
    CONFIDENCE,
    LABEL_PROB,
    StatedConfidence,
    read_stated,
    stated_in_reply,
)

_BLOCK_ROWS: Final = 4096
_EVIDENCE_MARKS: Final = (b"evidence", b"citations", b"triplet")
_NO_FIELD: Final = "unmapped-fields"


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One row to score.

    Attributes
    ----------
    item : int
        Place of its item among the batch's.
    record : AnswerRecord or None
        None where there is no answer, or none that can be read.
    line : int or None
        First physical line of the prediction; None without one.
    offset, length, crc32 : int or None
        Where its bytes lie, and their check sum.
    stated : StatedConfidence or None
        The confidence that it states.
    """

    item: int
    record: AnswerRecord | None
    line: int | None = None
    offset: int | None = None
    length: int | None = None
    crc32: int | None = None
    stated: StatedConfidence | None = None


@dataclass(slots=True)
class AnswerRows:
    """The answers to a run of items, in gold order, at least one an item.

    Attributes
    ----------
    rows : list of AnswerRow
    unreadable_n : int
        Prediction rows that couldn't be read.
    findings : list of Finding
        The first of their faults.
    """

    rows: list[AnswerRow] = field(default_factory=list)
    unreadable_n: int = 0
    findings: list[Finding] = field(default_factory=list)


def read_answers(
    paired: PairedRows, items: Sequence[Item], first: int, last: int, benchmark: CitationFormat
) -> AnswerRows:
    """Read the predictions of items ``first`` to ``last``.

    A row that can't be read is counted and listed; its item has no answer there. A row without a
    field for an answer is an answer that is missing.
    """
    found = AnswerRows()
    chosen = paired.match[paired.start[first] : paired.start[last]]
    order = np.argsort(chosen, kind="stable")
    raw_rows = [b""] * len(chosen)
    in_file_order = read_rows(paired.predictions, chosen[order])
    for place, raw in zip(order.tolist(), in_file_order, strict=True):
        raw_rows[place] = raw
    line = paired.predictions.line[chosen].tolist()
    offset = paired.predictions.offset[chosen].tolist()
    span = (paired.start[first : last + 1] - paired.start[first]).tolist()
    for number in range(last - first):
        item = items[first + number]
        for place in range(span[number], span[number + 1]):
            raw = raw_rows[place]
            record, stated = _parse(
                found, paired, int(chosen[place]), raw, item.sample_id, benchmark
            )
            where = (line[place], offset[place], len(raw), crc32(raw))
            found.rows.append(AnswerRow(number, record, *where, stated))
        if span[number] == span[number + 1]:
            found.rows.append(AnswerRow(number, None))
    return found


def _parse(
    found: AnswerRows,
    paired: PairedRows,
    number: int,
    raw: bytes,
    sample_id: str,
    benchmark: CitationFormat,
) -> tuple[AnswerRecord | None, StatedConfidence | None]:
    try:
        row = parse_row(raw, strict=True)
        record = benchmark.parse_prediction(row)
        if record.sample_id != sample_id and not paired.by_position:
            raise RecordFault("id-mismatch", f"the row's id reads {record.sample_id!r}")
    except RecordFault as fault:
        if fault.code != _NO_FIELD:
            found.unreadable_n += 1
            if len(found.findings) < MAX_LISTED:
                where = paired.predictions.where(number, fault.field, sample_id)
                found.findings.append(Finding("unreadable-prediction", fault.message, where))
        return None, None
    return record, read_stated(*_stated(row, benchmark), LABELS)


def _stated(row: Mapping[str, object], benchmark: CitationFormat) -> tuple[object, object]:
    """Return the confidence that a row states, else that of the JSON it answers with."""
    found = row.get(CONFIDENCE), row.get(LABEL_PROB)
    if found != (None, None):
        return found
    fields = benchmark.prediction_fields
    texts = (row.get(name) for group in ("prediction", "text") for name in fields[group])
    told = (stated_in_reply(text) for text in texts if text is not None)
    return next((stated for stated in told if stated != (None, None)), found)


def any_evidence(paired: PairedRows, benchmark: CitationFormat) -> bool:
    """Whether any matched prediction row carries evidence, be it an empty list."""
    rows = np.sort(paired.match)
    for start in range(0, len(rows), _BLOCK_ROWS):
        for raw in read_rows(paired.predictions, rows[start : start + _BLOCK_ROWS]):
            lower = raw.lower()
            if not any(mark in lower for mark in _EVIDENCE_MARKS):
                continue
            try:
                if benchmark.parse_prediction(parse_row(raw)).evidence.given:
                    return True
            except RecordFault:
                continue
    return False
