"""Scores batches of RR-10, in this process or in several; a batch comes back as tables."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from eval_tiers.domain.columns import Column
from eval_tiers.domain.findings import Finding
from eval_tiers.domain.rr10 import LABELS
from eval_tiers.domain.rr10_columns import (
    CITATION_COLUMNS,
    MECHANISM_COLUMNS,
    rr10_columns_for,
)
from eval_tiers.io.answer_rows import read_answers
from eval_tiers.io.confidence_table import confidence_table
from eval_tiers.io.parked import park_table, take_table
from eval_tiers.io.tables import column_array, render_csv, repeated
from eval_tiers.pipeline.processes import worker_pool
from eval_tiers.pipeline.rr10.inputs import Rr10Inputs
from eval_tiers.pipeline.rr10.scoring import Rr10Scores, score_answers
from eval_tiers.settings import Settings

_TABLES: Final = ("samples", "texts", "citations", "chains", "confidence")


@dataclass(slots=True)
class Rr10Context:
    """All that a worker needs; processes that are forked share it."""

    inputs: Rr10Inputs
    tiers: frozenset[int]
    settings: Settings
    compat: bool = False
    spreadsheet_safe: bool = False
    as_csv: bool = True
    scratch: Path | None = None


@dataclass(slots=True)
class Rr10Batch:
    """A scored batch, ready to write; see `Rr10Scores` for what it counts."""

    first: int
    last: int
    samples: pa.Table
    samples_csv: bytes
    texts: pa.Table
    citations: pa.Table | None
    chains: pa.Table | None
    scores: Rr10Scores
    unreadable_n: int
    findings: list[Finding]
    confidence: pa.Table | None = None


def batches_of(
    start: np.ndarray[Any, np.dtype[np.int64]], batch_rows: int
) -> list[tuple[int, int]]:
    """Cut items into batches of at most ``batch_rows`` rows, at least one item each.

    Parameters
    ----------
    start : int64[n_items + 1]
        Where the predictions of each item begin; an item without one still is a row.
    batch_rows : int
        At least 1.
    """
    rows = np.concatenate([[0], np.cumsum(np.maximum(np.diff(start), 1))])
    cuts, first = [], 0
    while first < len(start) - 1:
        last = int(np.searchsorted(rows, rows[first] + batch_rows, "right")) - 1
        last = max(first + 1, last)
        cuts.append((first, last))
        first = last
    return cuts


def score_part(context: Rr10Context, first: int, last: int) -> Rr10Batch:
    """Read, score and tabulate the answers to items ``first`` to ``last``."""
    inputs = context.inputs
    paired = inputs.paired
    answers = read_answers(paired, inputs.items, first, last, inputs.benchmark)
    paths = (paired.gold.path, paired.predictions.path)
    scores = score_answers(
        inputs.items[first:last],
        answers.rows,
        context.tiers,
        inputs.resources,
        context.settings,
        paths,
        context.compat,
        inputs.evidence_expected,
    )
    samples = _table(rr10_columns_for(context.tiers), scores.samples, paths)
    rewritten = paired.predictions.rewritten
    texts = pa.table(
        {
            "sample_id": samples["sample_id"],
            "rollout": samples["rollout"],
            "prediction_path": pa.array(
                [None if row.line is None else paths[1] for row in answers.rows], pa.string()
            ),
            "prediction_line": pa.array([row.line for row in answers.rows], pa.int64()),
            "byte_offset": _places([row.offset for row in answers.rows], rewritten),
            "byte_length": _places([row.length for row in answers.rows], rewritten),
            "crc32": pa.array(
                [None if rewritten else row.crc32 for row in answers.rows], pa.uint32()
            ),
        }
    )
    evidence = 2 in context.tiers
    batch = Rr10Batch(
        first,
        last,
        samples,
        render_csv(samples, context.spreadsheet_safe, header=False) if context.as_csv else b"",
        texts,
        _table(CITATION_COLUMNS, scores.citations, paths) if evidence else None,
        _table(MECHANISM_COLUMNS, scores.mechanism, paths) if evidence else None,
        scores,
        answers.unreadable_n,
        answers.findings,
        confidence_table(
            samples,
            [(n, row.stated) for n, row in enumerate(answers.rows) if row.stated is not None],
            ("sample_id", "rollout", "pair", "gene", "context"),
            LABELS,
        ),
    )
    scores.samples, scores.citations, scores.mechanism = {}, {}, {}
    return batch


def _places(values: Sequence[int | None], rewritten: bool) -> pa.Array:
    """Return byte places; null for rows of a file that was rewritten to be read."""
    return pa.array([None] * len(values) if rewritten else values, pa.int64())


def _table(
    columns: Sequence[Column], values: Mapping[str, list[Any]], paths: tuple[str, str]
) -> pa.Table:
    n = len(next(iter(values.values())))
    arrays = {}
    for column in columns:
        found: Any = values[column.name]
        if column.name == "source_path":
            arrays[column.name] = repeated(paths[0], n)
            continue
        if column.kind in {"sign", "flag", "code"}:
            found = np.array(found, np.int8)
        elif column.kind == "number":
            found = np.array(found, np.float64)
        elif column.kind == "count":
            found = np.array(found, np.int64)
        arrays[column.name] = column_array(column, found, n)
    return pa.table(arrays)


_context: Rr10Context | None = None


def _take_context(context: Rr10Context) -> None:
    global _context
    _context = context


def _score_in_worker(first: int, last: int) -> tuple[Rr10Batch, dict[str, Path]]:
    if _context is None or _context.scratch is None:
        raise RuntimeError("the worker has no context")
    batch = score_part(_context, first, last)
    parked = {}
    for name in _TABLES:
        table = getattr(batch, name)
        if table is not None:
            parked[name] = park_table(table, _context.scratch / f"rr10-{first}.{name}")
            setattr(batch, name, None)
    return batch, parked


def _unpark(result: tuple[Rr10Batch, dict[str, Path]]) -> Rr10Batch:
    batch, parked = result
    for name, path in parked.items():
        setattr(batch, name, take_table(path))
    return batch


def score_parts(
    context: Rr10Context, parts: Sequence[tuple[int, int]], processes: int
) -> Iterator[Rr10Batch]:
    """Yield the results of all parts, in order; no more than a few are held at a time.

    Raises
    ------
    InfrastructureError
        A worker process was killed.
    """
    if processes <= 1 or len(parts) <= 1:
        for first, last in parts:
            yield score_part(context, first, last)
        return
    with worker_pool(min(processes, len(parts)), _take_context, context) as pool:
        pending: deque[Future[tuple[Rr10Batch, dict[str, Path]]]] = deque()
        for first, last in parts:
            pending.append(pool.submit(_score_in_worker, first, last))
            if len(pending) > processes + 1:
                yield _unpark(pending.popleft().result())
        while pending:
            yield _unpark(pending.popleft().result())
