"""Prediction rows that no sample gets: what can't be read, has no id, or has no gold row."""

from __future__ import annotations

from itertools import islice
from typing import Final

import numpy as np

from eval_tiers.domain.findings import Finding
from eval_tiers.formats.base import BenchmarkFormat, RecordFault
from eval_tiers.io.indexing import NO_ID, UNREADABLE, Int64Array, RowSide
from eval_tiers.io.paired_rows import MAX_LISTED, PairedRows
from eval_tiers.io.rows import parse_row, read_rows

_FOLDED_IDS: Final = 50_000


def note_unreadable(paired: PairedRows, predictions: RowSide, benchmark: BenchmarkFormat) -> None:
    """List the first of the prediction rows that can't be read, and of those without an id."""
    for row in np.flatnonzero(predictions.state == UNREADABLE)[:MAX_LISTED].tolist():
        message = "unreadable"
        try:
            benchmark.id_of(parse_row(read_rows(predictions.table, np.array([row]))[0]))
        except RecordFault as fault:
            message = fault.message
        paired.findings.append(
            Finding("unreadable-prediction", message, predictions.table.where(row))
        )
    paired.findings += [
        Finding(
            "prediction-without-id",
            "the row has no id, others of the file have",
            predictions.table.where(row),
        )
        for row in np.flatnonzero(predictions.state == NO_ID)[:MAX_LISTED].tolist()
    ]


def list_without_gold(
    paired: PairedRows, rows: Int64Array, gold: RowSide, benchmark: BenchmarkFormat
) -> None:
    """Count the predictions that no gold row asks for, and list the first of them."""
    table = paired.predictions
    folded: set[int] | None = None
    for place in range(0, len(rows), 1024):
        part = rows[place : place + 1024]
        for row, raw in zip(part.tolist(), read_rows(table, part), strict=True):
            try:
                sample_id = benchmark.parse_prediction(parse_row(raw)).sample_id
            except RecordFault as fault:
                paired.ledger["unreadable"] += 1
                if len(paired.findings) < MAX_LISTED:
                    paired.findings.append(
                        Finding("unreadable-prediction", fault.message, table.where(row))
                    )
                continue
            paired.ledger["without_gold"] += 1
            if len(paired.without_gold) >= MAX_LISTED:
                continue
            if folded is None:
                first_ids = islice(gold.ids(benchmark), _FOLDED_IDS)
                folded = {hash(first_id.casefold()) for first_id in first_ids}
            listed: dict[str, object] = {
                "sample_id": sample_id,
                "path": table.path,
                "line": int(table.line[row]),
            }
            if sample_id is not None and hash(sample_id.casefold()) in folded:
                listed["hint"] = "a gold id differs only in case"
            paired.without_gold.append(listed)
