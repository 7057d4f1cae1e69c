"""Joins gold rows with prediction rows: by id, or by position where there are no ids.

Ids are compared as 64-bit hashes first (a sorted index), and on the id itself when the row is
read. Every row on either side ends in one bucket of the ledger.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import Problem, SourceRef
from eval_tiers.formats.base import BenchmarkFormat
from eval_tiers.io.duplicates import rollouts_of, unique_gold
from eval_tiers.io.indexing import (
    HAS_ID,
    NO_ID,
    UNREADABLE,
    Int64Array,
    ProblemList,
    RowSide,
    index_gold,
    index_predictions,
)
from eval_tiers.io.leftovers import list_without_gold, note_unreadable
from eval_tiers.io.paired_rows import MAX_LISTED, PairedRows
from eval_tiers.io.pairs import FilePair

__all__ = ["MAX_LISTED", "Int64Array", "PairedRows", "ProblemList", "pair_rows"]


def pair_rows(
    pair: FilePair,
    benchmark: BenchmarkFormat,
    scratch: Path,
    problems: ProblemList,
    duplicates: str = "error",
    pairing: str = "auto",
) -> PairedRows | None:
    """Read both files once and join their rows.

    Parameters
    ----------
    pair : FilePair
        The files.
    benchmark : BenchmarkFormat
        How records are read.
    scratch : Path
        Folder for what is rewritten or decompressed.
    problems : ProblemList
        Where bad gold rows and duplicates are noted.
    duplicates : {"error", "first", "last"}
        What to do with an id that is given twice.
    pairing : {"auto", "id", "position"}
        How rows are paired; ``auto``: by id where both files have ids, by position where neither.

    Returns
    -------
    PairedRows or None
        None where problems of this pair were noted.
    """
    before = problems.total
    gold = index_gold(pair.gold, benchmark, scratch, problems)
    places_count = pairing == "position" or (pairing == "auto" and not gold.has_ids)
    predictions, opened = index_predictions(
        pair.predictions, benchmark, scratch, gold, places_count
    )
    if len(gold.table) == 0:
        problems.add(
            Problem("empty-file", "the gold file holds no rows", SourceRef(str(pair.gold)))
        )
    if problems.total > before:
        return None
    findings = list(opened.notes.findings)
    if len(predictions.table) == 0:
        findings.append(
            Finding(
                "no-predictions",
                "the prediction file holds no rows: every sample counts as missing",
                SourceRef(str(pair.predictions)),
            )
        )
    by_position = _by_position(pair, gold, predictions, pairing, problems)
    if problems.total > before:
        return None
    if by_position:
        unique_gold(gold, benchmark, problems, "error")
        if problems.total > before:
            return None
        paired = _pair_by_position(pair, gold, predictions, findings)
    else:
        joined = _pair_by_id(pair, gold, predictions, benchmark, problems, duplicates, findings)
        if joined is None:
            return None
        paired = joined
    paired.prediction_shape = opened.shape.name
    paired.evidence_shown = opened.notes.evidence_shown
    paired.skipped = opened.notes.skipped
    return paired


def _by_position(
    pair: FilePair, gold: RowSide, predictions: RowSide, pairing: str, problems: ProblemList
) -> bool:
    if pairing == "position":
        return True
    if not len(predictions.table):
        return False
    if gold.has_ids == predictions.has_ids:
        if not gold.has_ids and pairing == "id":
            problems.add(
                Problem("no-id", "neither file has ids", SourceRef(str(pair.gold)), "add them")
            )
        return not gold.has_ids
    without = pair.predictions if gold.has_ids else pair.gold
    problems.add(
        Problem(
            "ids-on-one-side",
            "this file has no ids, the file that it belongs to has",
            SourceRef(str(without)),
            "add the ids, or say --pair position if the rows are in the same order",
        )
    )
    return False


def _pair_by_position(
    pair: FilePair, gold: RowSide, predictions: RowSide, findings: list[Finding]
) -> PairedRows:
    n_gold, n_predictions = len(gold.table), len(predictions.table)
    shared = min(n_gold, n_predictions)
    start = np.minimum(np.arange(n_gold + 1), shared)
    extra = n_predictions - shared
    if n_gold != n_predictions:
        findings.append(
            Finding(
                "row-counts-differ",
                f"paired by position, but there are {n_gold} gold rows and "
                f"{n_predictions} predictions",
                SourceRef(str(pair.predictions)),
            )
        )
    both = (gold.state[:shared] == HAS_ID) & (predictions.state[:shared] == HAS_ID)
    differing = int(np.count_nonzero(both & (gold.hashes[:shared] != predictions.hashes[:shared])))
    if differing:
        findings.append(
            Finding(
                "ids-disagree",
                f"paired by position, but the ids of {differing} of {shared} pairs differ",
                SourceRef(str(pair.predictions)),
                fix="leave out --pair position to pair by id",
            )
        )
    listed: list[dict[str, object]] = [
        {"sample_id": None, "path": str(pair.predictions), "line": int(predictions.table.line[row])}
        for row in range(shared, min(n_predictions, shared + MAX_LISTED))
    ]
    ledger = {
        "rows": n_predictions,
        "without_gold": extra,
        "duplicate_dropped": 0,
        "unreadable": 0,
        "no_id": 0,
        "gold_duplicate_dropped": 0,
    }
    return PairedRows(
        pair,
        gold.table,
        predictions.table,
        np.arange(n_gold),
        start.astype(np.int64),
        np.arange(shared, dtype=np.int64),
        True,
        gold.has_ids,
        ledger,
        findings,
        listed,
    )


def _pair_by_id(
    pair: FilePair,
    gold: RowSide,
    predictions: RowSide,
    benchmark: BenchmarkFormat,
    problems: ProblemList,
    duplicates: str,
    findings: list[Finding],
) -> PairedRows | None:
    before = problems.total
    gold_row, gold_dropped = unique_gold(gold, benchmark, problems, duplicates)
    usable = np.flatnonzero(predictions.state == HAS_ID)
    hashes = predictions.hashes[usable]
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    wanted = gold.hashes[gold_row]
    left = np.searchsorted(ordered, wanted, "left")
    right = np.searchsorted(ordered, wanted, "right")
    chosen: dict[int, list[int]] = {}
    dropped = 0
    for place in np.flatnonzero(right - left > 1).tolist():
        rows = usable[np.sort(order[left[place] : right[place]])]
        kept, lost = rollouts_of(predictions.table, rows, benchmark, problems, duplicates)
        chosen[place] = kept
        dropped += lost
    if problems.total > before:
        return None
    matched = np.zeros(len(predictions.table), np.bool_)
    counts = np.minimum(right - left, 1)
    for place, kept in chosen.items():
        counts[place] = len(kept)
    start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    match = np.empty(int(start[-1]), np.int64)
    single = right - left == 1
    match[start[:-1][single]] = usable[order[left[single]]]
    for place, kept in chosen.items():
        match[start[place] : start[place + 1]] = kept
    span_start = np.zeros(len(ordered) + 1, np.int64)
    np.add.at(span_start, left, 1)
    np.add.at(span_start, right, -1)
    matched[usable[order[np.cumsum(span_start[:-1]) > 0]]] = True
    paired = PairedRows(
        pair, gold.table, predictions.table, gold_row, start, match, False, True,
        {
            "rows": len(predictions.table),
            "without_gold": 0,
            "duplicate_dropped": dropped,
            "unreadable": int(np.count_nonzero(predictions.state == UNREADABLE)),
            "no_id": int(np.count_nonzero(predictions.state == NO_ID)),
            "gold_duplicate_dropped": gold_dropped,
        },
        findings,
    )  # fmt: skip
    note_unreadable(paired, predictions, benchmark)
    list_without_gold(paired, usable[~matched[usable]], gold, benchmark)
    return paired
