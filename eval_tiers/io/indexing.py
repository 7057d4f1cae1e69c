"""Where rows lie and what their ids hash to: one pass over a gold or a prediction file.

An id is taken off the raw row where it can be, so that most rows aren't parsed.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.formats.base import BenchmarkFormat, RecordFault
from eval_tiers.io.prediction_files.registry import OpenPredictions, open_predictions
from eval_tiers.io.rows import RowTable, RowTableBuilder, locate_rows, parse_row, read_rows

Int64Array = NDArray[np.int64]

HAS_ID, NO_ID, UNREADABLE = 0, 1, 2
_PROBED_ROWS = 20
_READ_ROWS = 1024
_AFTER_ID = frozenset({b",", b"}"})
_SPACE = 32


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


@dataclass(slots=True)
class RowSide:
    """Rows of one file with their id hashes.

    Attributes
    ----------
    table : RowTable
        Where they lie.
    hashes : int64[n]
        Hash of each id; 0 without one.
    state : uint8[n]
        `HAS_ID`, `NO_ID` or `UNREADABLE`.
    """

    table: RowTable
    hashes: Int64Array
    state: NDArray[np.uint8]

    @property
    def has_ids(self) -> bool:
        """Whether any row has an id."""
        return bool(np.any(self.state == HAS_ID))

    def ids(self, benchmark: BenchmarkFormat) -> Iterator[str]:
        """Yield the ids of all rows that have one, by reading them again."""
        for first in range(0, len(self.table), _READ_ROWS):
            rows = np.arange(first, min(first + _READ_ROWS, len(self.table)))
            for raw in read_rows(self.table, rows):
                try:
                    sample_id = benchmark.id_of(parse_row(raw))
                except RecordFault:
                    continue
                if sample_id is not None:
                    yield sample_id


def index_gold(
    path: Path, benchmark: BenchmarkFormat, scratch: Path, problems: ProblemList
) -> RowSide:
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
        for row in np.flatnonzero(side.state == NO_ID).tolist():
            problems.add(
                Problem(
                    "no-id",
                    "the gold row has no id that can be read, others of the file have",
                    side.table.where(row, benchmark.gold_fields["id"][0]),
                    "give it one: text or a whole number",
                )
            )
    return side


def index_predictions(
    path: Path, benchmark: BenchmarkFormat, scratch: Path, gold: RowSide, by_position: bool = False
) -> tuple[RowSide, OpenPredictions]:
    """Note where prediction rows lie and what their ids hash to, parsing as little as it takes.

    Parameters
    ----------
    path : Path
        A prediction file of any shape.
    benchmark : BenchmarkFormat
        How records are read.
    scratch : Path
        Folder for what is rewritten or decompressed.
    gold : RowSide
        Gold rows; asked for their ids where ids of the predictions are hashes.
    by_position : bool
        Whether rows need no ids.

    Returns
    -------
    RowSide, OpenPredictions
        The rows; the file's shape and what was noted of it.

    Raises
    ------
    BadInputError
        No row can be read, or no field of the rows is known.
    """
    opened = open_predictions(
        path,
        benchmark.prediction_fields,
        scratch,
        lambda: gold.ids(benchmark),
        by_position,
        benchmark.reply_text,
    )
    index = _Indexer(benchmark, benchmark.prediction_fields["id"])
    builder = RowTableBuilder()
    probed, mapped = 0, 0
    fault_of_fields: RecordFault | None = None
    first_bad: tuple[int, RecordFault] | None = None
    for block in opened.blocks:
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
    readable = int(np.count_nonzero(np.frombuffer(index.state, np.uint8) != UNREADABLE))
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
                fault.fix or opened.shape.advice,
            )
        )
    return index.side(builder.build(path, scratch, opened.rewritten)), opened


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
            state(HAS_ID)

    def _parse(self, raw: bytes) -> tuple[dict[str, object] | None, RecordFault | None]:
        """Note a row by its record."""
        try:
            record = parse_row(raw)
            sample_id = self.benchmark.id_of(record)
        except RecordFault as fault:
            self.hashes.append(0)
            self.state.append(UNREADABLE)
            return None, fault
        self.hashes.append(0 if sample_id is None else hash(sample_id))
        self.state.append(NO_ID if sample_id is None else HAS_ID)
        if self.quick is None and sample_id is not None and len(self.state) >= _PROBED_ROWS:
            first = next(iter(record))
            if first in self.names and (first == self.names[0] or self.names[0] not in record):
                self.quick = re.compile(
                    rb'\s*\{\s*"'
                    + re.escape(first.encode("utf-8", "surrogatepass"))
                    + rb'"\s*:\s*(?:"\s*([^"\\\s][^"\\]*)"|(-?[1-9]\d*|0))\s*[,}]'
                ).match
        return record, None

    def side(self, table: RowTable) -> RowSide:
        """Return the rows with their hashes."""
        return RowSide(table, _as_int64(self.hashes), np.frombuffer(self.state, np.uint8))


def _as_int64(values: array[int]) -> Int64Array:
    return np.frombuffer(values, dtype=np.int64) if len(values) else np.empty(0, np.int64)
