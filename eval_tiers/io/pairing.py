"""Joins gold rows with prediction rows: by id, or by position where there are no ids.

Ids are compared as 64-bit hashes first (a sorted index), and on the id itself when the row is
read. Every row on either side ends in one bucket of the ledger.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.formats.base import BenchmarkFormat, RecordFault
from eval_tiers.io.pairs import FilePair
from eval_tiers.io.rows import RowTable, RowTableBuilder, locate_rows, parse_row, read_rows

MAX_LISTED = 100
_PROBED_ROWS = 20
Int64Array = NDArray[np.int64]

_HAS_ID, _NO_ID, _UNREADABLE = 0, 1, 2
_AFTER_ID = frozenset({b",", b"}"})
_SPACE = 32


@dataclass(slots=True)
class PairedRows:
    """The join of one file pair.

    Attributes
    ----------
    pair : FilePair
        The files.
    gold, predictions : RowTable
        Their rows.
    gold_row : int64[n]
        Gold rows that are scored, in file order.
    start : int64[n + 1]
        ``match[start[i]:start[i + 1]]`` are the prediction rows of gold row i (one a rollout).
    match : int64[m]
        Prediction rows.
    by_position : bool
        Paired by position: ids aren't compared.
    gold_has_ids : bool
        Without them the id is split/type/line.
    ledger : dict
        Counts of prediction rows by bucket, as far as the join knows, and of dropped gold rows.
    findings : list of Finding
        What was counted and can be gone on from.
    without_gold : list of dict
        The first of the predictions whose id no gold row has.
    """

    pair: FilePair
    gold: RowTable
    predictions: RowTable
    gold_row: Int64Array
    start: Int64Array
    match: Int64Array
    by_position: bool
    gold_has_ids: bool
    ledger: dict[str, int]
    findings: list[Finding] = field(default_factory=list)
    without_gold: list[dict[str, object]] = field(default_factory=list)


@dataclass(slots=True)
class _Side:
    """Rows of one file with their id hashes."""

    table: RowTable
    hashes: Int64Array
    state: NDArray[np.uint8]

    @property
    def has_ids(self) -> bool:
        return bool(np.any(self.state == _HAS_ID))


class ProblemList:
    """Problems of several files, the first of them kept, all counted."""

    def __init__(self, limit: int = 20) -> None:
        self.limit, self.kept, self.total = limit, list[Problem](), 0

    def add(self, problem: Problem) -> None:
        """Note one problem."""
        self.total += 1
        if len(self.kept) < self.limit:
            self.kept.append(problem)

    def extend(self, others: ProblemList) -> None:
        """Note the problems of another list."""
        self.kept += others.kept[: max(0, self.limit - len(self.kept))]
        self.total += others.total

    def raise_if_any(self) -> None:
        """Raise `BadInputError` when there was one."""
        if self.total:
            raise BadInputError(self.kept, self.total)


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
        Folder for decompressed copies.
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
    gold = _index_gold(pair.gold, benchmark, scratch, problems)
    predictions = _index_predictions(pair.predictions, benchmark, scratch)
    if len(gold.table) == 0:
        problems.add(
            Problem("empty-file", "the gold file holds no rows", SourceRef(str(pair.gold)))
        )
    if problems.total > before:
        return None
    findings: list[Finding] = []
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
        _unique_gold(gold, benchmark, problems, "error")
        if problems.total > before:
            return None
        return _pair_by_position(pair, gold, predictions, findings)
    return _pair_by_id(pair, gold, predictions, benchmark, problems, duplicates, findings)


def _index_gold(
    path: Path, benchmark: BenchmarkFormat, scratch: Path, problems: ProblemList
) -> _Side:
    """Note where gold rows lie and what their ids hash to; rows are checked when scored."""
    index = _Indexer(benchmark, benchmark.gold_fields["id"])
    builder = RowTableBuilder()
    checked = False
    unreadable = ProblemList()
    for block in locate_rows(path, scratch):
        builder.add(block)
        for place, record, fault in index.add(block.raw):
            line = int(block.line[place])
            if fault is not None:
                where = SourceRef(str(path), line, fault.field)
                unreadable.add(Problem(fault.code, fault.message, where, fault.fix))
            elif not checked and record is not None:
                checked = True
                if not benchmark.matches(record):
                    raise BadInputError(
                        Problem(
                            "unmapped-fields",
                            f"this is no {benchmark.name} gold file; its fields are: "
                            + ", ".join(map(str, record)),
                            SourceRef(str(path), line),
                            "see eval --help-formats for the names that are read",
                        )
                    )
    side = index.side(builder.build(path, scratch))
    if unreadable.total > 1 and unreadable.total == len(side.table):
        first = unreadable.kept[0]
        raise BadInputError(
            Problem(
                "no-readable-row",
                f"no row of the gold file can be read; the first: {first.message}",
                first.where,
                first.fix or "gold files are JSON Lines: one object a line (eval --help-formats)",
            )
        )
    problems.extend(unreadable)
    if side.has_ids:
        for row in np.flatnonzero(side.state == _NO_ID).tolist():
            problems.add(
                Problem(
                    "no-id",
                    "the gold row has no id that can be read, others of the file have",
                    side.table.where(row, benchmark.gold_fields["id"][0]),
                    "give it one: text or a whole number",
                )
            )
    return side


def _index_predictions(path: Path, benchmark: BenchmarkFormat, scratch: Path) -> _Side:
    """Note where prediction rows lie and what their ids hash to, parsing as little as it takes."""
    index = _Indexer(benchmark, benchmark.prediction_fields["id"])
    builder = RowTableBuilder()
    probed, mapped = 0, 0
    fault_of_fields: RecordFault | None = None
    first_bad: tuple[int, RecordFault] | None = None
    for block in locate_rows(path, scratch):
        builder.add(block)
        for place, record, fault in index.add(block.raw):
            if fault is not None:
                first_bad = first_bad or (int(block.line[place]), fault)
            elif record is not None and probed < _PROBED_ROWS:
                probed += 1
                try:
                    benchmark.parse_prediction(record)
                    mapped += 1
                except RecordFault as found:
                    if found.code == "unmapped-fields":
                        fault_of_fields = fault_of_fields or found
                    else:
                        mapped += 1
    readable = int(np.count_nonzero(np.frombuffer(index.state, np.uint8) != _UNREADABLE))
    if probed and not mapped and fault_of_fields is not None:
        fault = fault_of_fields
        raise BadInputError(
            Problem(fault.code, fault.message, SourceRef(str(path), None, fault.field), fault.fix)
        )
    if not readable and first_bad is not None:
        line, fault = first_bad
        raise BadInputError(
            Problem(
                "no-readable-row",
                f"no row of the prediction file can be read; the first: {fault.message}",
                SourceRef(str(path), line),
                fault.fix or "predictions are JSON Lines: one object a line (eval --help-formats)",
            )
        )
    return index.side(builder.build(path, scratch))


class _Indexer:
    """Takes ids off raw rows: by a pattern where the row begins with its id, else by parsing."""

    def __init__(self, benchmark: BenchmarkFormat, names: tuple[str, ...]) -> None:
        self.benchmark = benchmark
        self.names = names
        self.hashes, self.state = array("q"), bytearray()
        self.quick: Callable[[bytes], re.Match[bytes] | None] | None = None
        self.prefix = b""

    def add(
        self, rows: list[bytes]
    ) -> Iterator[tuple[int, dict[str, object] | None, RecordFault | None]]:
        """Note rows; yield the place and the record, or its fault, of those that were parsed."""
        hashes, state = self.hashes.append, self.state.append
        for place, raw in enumerate(rows):
            if self.quick is None:
                yield place, *self._parse(raw)
                continue
            found: bytes | None = None
            if raw.startswith(self.prefix):  # the row begins like the last one did
                start = len(self.prefix)
                end = raw.find(b'"', start)
                if raw[end + 1 : end + 2] in _AFTER_ID:
                    found = raw[start:end]
            if not found or b"\\" in found or found[0] <= _SPACE or found[-1] <= _SPACE:
                match = self.quick(raw)
                if match is None:
                    yield place, *self._parse(raw)
                    continue
                found = match[1] or match[2]
                if match[1]:
                    self.prefix = raw[: match.start(1)]
            if not found.isascii():
                yield place, *self._parse(raw)
                continue
            hashes(hash(found.decode("ascii").strip()))
            state(_HAS_ID)

    def _parse(self, raw: bytes) -> tuple[dict[str, object] | None, RecordFault | None]:
        """Note a row by its record."""
        try:
            record = parse_row(raw)
            sample_id = self.benchmark.id_of(record)
        except RecordFault as fault:
            self.hashes.append(0)
            self.state.append(_UNREADABLE)
            return None, fault
        self.hashes.append(0 if sample_id is None else hash(sample_id))
        self.state.append(_NO_ID if sample_id is None else _HAS_ID)
        if self.quick is None and sample_id is not None and len(self.state) >= _PROBED_ROWS:
            first = next(iter(record))
            if first in self.names and (first == self.names[0] or self.names[0] not in record):
                self.quick = re.compile(
                    rb'\s*\{\s*"'
                    + re.escape(first.encode("utf-8", "surrogatepass"))
                    + rb'"\s*:\s*(?:"\s*([^"\\\s][^"\\]*)"|(-?[1-9]\d*|0))\s*[,}]'
                ).match
        return record, None

    def side(self, table: RowTable) -> _Side:
        """Return the rows with their hashes."""
        return _Side(table, _as_int64(self.hashes), np.frombuffer(self.state, np.uint8))


def _as_int64(values: array[int]) -> Int64Array:
    return np.frombuffer(values, dtype=np.int64) if len(values) else np.empty(0, np.int64)


def _by_position(
    pair: FilePair, gold: _Side, predictions: _Side, pairing: str, problems: ProblemList
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
    pair: FilePair, gold: _Side, predictions: _Side, findings: list[Finding]
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
    both = (gold.state[:shared] == _HAS_ID) & (predictions.state[:shared] == _HAS_ID)
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
    gold: _Side,
    predictions: _Side,
    benchmark: BenchmarkFormat,
    problems: ProblemList,
    duplicates: str,
    findings: list[Finding],
) -> PairedRows | None:
    before = problems.total
    gold_row, gold_dropped = _unique_gold(gold, benchmark, problems, duplicates)
    usable = np.flatnonzero(predictions.state == _HAS_ID)
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
        kept, lost = _rollouts_of(predictions.table, rows, benchmark, problems, duplicates)
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
            "unreadable": int(np.count_nonzero(predictions.state == _UNREADABLE)),
            "no_id": int(np.count_nonzero(predictions.state == _NO_ID)),
            "gold_duplicate_dropped": gold_dropped,
        },
        findings,
    )  # fmt: skip
    _note_unreadable(paired, predictions, benchmark)
    _list_without_gold(paired, usable[~matched[usable]], gold, benchmark)
    return paired


def _unique_gold(
    gold: _Side, benchmark: BenchmarkFormat, problems: ProblemList, duplicates: str
) -> tuple[Int64Array, int]:
    """Return the gold rows to score; ids given twice are problems or, by choice, dropped."""
    order = np.flatnonzero(gold.state == _HAS_ID)
    order = order[np.argsort(gold.hashes[order], kind="stable")]
    again = np.flatnonzero(np.diff(gold.hashes[order]) == 0)
    if len(again) == 0:
        return np.arange(len(gold.table)), 0
    lost: list[int] = []
    for place in again.tolist():
        first, second = int(order[place]), int(order[place + 1])
        ids = [_row_id(gold.table, row, benchmark) for row in (first, second)]
        if ids[0] != ids[1]:
            continue
        if duplicates == "error":
            fix = "keep one, or go on with --duplicates first (or last)"
            problems.add(_duplicate(gold.table, first, second, ids[1], fix))
        lost.append(first if duplicates == "last" else second)
    keep = np.ones(len(gold.table), np.bool_)
    keep[lost] = False
    return np.flatnonzero(keep), len(set(lost))


def _row_id(table: RowTable, row: int, benchmark: BenchmarkFormat) -> str | None:
    try:
        return benchmark.id_of(parse_row(read_rows(table, np.array([row]))[0]))
    except RecordFault:
        return None


def _duplicate(
    table: RowTable,
    first: int,
    second: int,
    sample_id: str | None,
    fix: str = "give each answer its own 'rollout', or go on with --duplicates first (or last)",
) -> Problem:
    lines = f"lines {int(table.line[first])} and {int(table.line[second])}"
    return Problem(
        "duplicate-id",
        f"the id '{sample_id}' is given twice: {lines}",
        table.where(second, None, sample_id),
        fix,
    )


def _rollouts_of(
    table: RowTable,
    rows: Int64Array,
    benchmark: BenchmarkFormat,
    problems: ProblemList,
    duplicates: str,
) -> tuple[list[int], int]:
    """Sort the rows of one id by rollout; return those to score and how many were dropped."""
    by_rollout: dict[str | None, int] = {}
    unreadable: list[int] = []
    dropped = 0
    for row, raw in zip(rows.tolist(), read_rows(table, rows), strict=True):
        try:
            parsed = benchmark.parse_prediction(parse_row(raw))
        except RecordFault:
            unreadable.append(row)
            continue
        earlier = by_rollout.get(parsed.rollout)
        if earlier is None:
            by_rollout[parsed.rollout] = row
            continue
        dropped += 1
        if duplicates == "error":
            problems.add(_duplicate(table, earlier, row, parsed.sample_id))
        elif duplicates == "last":
            by_rollout[parsed.rollout] = row
    if not by_rollout:
        return unreadable[:1], len(unreadable) - 1
    ordered = sorted(by_rollout.items(), key=lambda item: _rollout_key(item[0]))
    return [row for _, row in ordered], dropped + len(unreadable)


def _rollout_key(rollout: str | None) -> tuple[int, int, str]:
    if rollout is None:
        return (0, 0, "")
    is_number = rollout.isdecimal() and len(rollout) < 19
    return (1, int(rollout), "") if is_number else (2, 0, rollout)


def _note_unreadable(paired: PairedRows, predictions: _Side, benchmark: BenchmarkFormat) -> None:
    for row in np.flatnonzero(predictions.state == _UNREADABLE)[:MAX_LISTED].tolist():
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
        for row in np.flatnonzero(predictions.state == _NO_ID)[:MAX_LISTED].tolist()
    ]


def _list_without_gold(
    paired: PairedRows, rows: Int64Array, gold: _Side, benchmark: BenchmarkFormat
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
                folded = _folded_ids(gold, benchmark)
            listed: dict[str, object] = {
                "sample_id": sample_id,
                "path": table.path,
                "line": int(table.line[row]),
            }
            if sample_id is not None and hash(sample_id.casefold()) in folded:
                listed["hint"] = "a gold id differs only in case"
            paired.without_gold.append(listed)


def _folded_ids(gold: _Side, benchmark: BenchmarkFormat) -> set[int]:
    """Hashes of the case-folded ids of the first gold rows, for a hint."""
    rows = np.arange(min(len(gold.table), 50_000))
    found = set()
    for raw in read_rows(gold.table, rows):
        try:
            sample_id = benchmark.id_of(parse_row(raw))
        except RecordFault:
            continue
        if sample_id is not None:
            found.add(hash(sample_id.casefold()))
    return found
