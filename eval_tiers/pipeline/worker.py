"""Scores batches, in this process or in several; a batch comes back as finished tables."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
import pyarrow as pa

from eval_tiers.domain.clusterings import fields_of
from eval_tiers.domain.columns import columns_for
from eval_tiers.domain.findings import Finding
from eval_tiers.domain.labels import LABELS
from eval_tiers.domain.taxonomy import EDGE_STATUSES
from eval_tiers.exceptions import Problem
from eval_tiers.formats.base import ChainFormat
from eval_tiers.formats.registry import chain_format_named
from eval_tiers.io.batches import ReadOptions, read_batch
from eval_tiers.io.confidence_table import confidence_table
from eval_tiers.io.pairing import PairedRows
from eval_tiers.io.parked import park_bytes, park_table, take_bytes, take_table
from eval_tiers.io.symbols import SymbolTable, symbols_for_next_batch
from eval_tiers.io.tables import SAMPLE_KEY, render_csv, samples_table, text_array
from eval_tiers.pipeline.processes import worker_pool
from eval_tiers.pipeline.scoring import GoResources, ScoredBatch, score_batch
from eval_tiers.settings import Settings
from eval_tiers.summaries.batch_clusters import Coded, batch_clusters, coded, item_name
from eval_tiers.summaries.cluster_sums import ClusterCodes
from eval_tiers.summaries.collect import collect
from eval_tiers.summaries.tally import Tallies

if TYPE_CHECKING:
    from eval_tiers.domain.batch import Batch
    from eval_tiers.io.training import TrainingMajority
    from eval_tiers.kg.graph import SignedGraph
    from eval_tiers.tiers.edges import EdgeSet
    from eval_tiers.tiers.evidence import KgEvidence
    from eval_tiers.tiers.paths import PathTrace


@dataclass(slots=True)
class Context:
    """All that a worker needs; processes that are forked share it."""

    paired: Sequence[PairedRows]
    tiers: frozenset[int]
    settings: Settings
    format_name: str
    read_options: ReadOptions
    clustering: str
    graph: SignedGraph | None = None
    go: GoResources | None = None
    training: TrainingMajority | None = None
    spreadsheet_safe: bool = False
    as_csv: bool = True
    scratch: Path | None = None
    symbols: SymbolTable | None = None

    @property
    def benchmark(self) -> ChainFormat:
        """The format's plug-in."""
        return chain_format_named(self.format_name)


@dataclass(frozen=True, slots=True)
class Job:
    """Gold rows ``first`` to ``last`` of one pair."""

    pair: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class BaselineRow:
    """A gold row drawn for the KG shortest-path baseline; sorts by its draw."""

    draw: int
    source: str
    target: str
    perturbation_sign: int
    gold_label: int
    clusters: tuple[str, ...] = ()


@dataclass(slots=True)
class BatchResult:
    """A scored batch, ready to write."""

    job: Job
    rows: int
    samples: pa.Table
    samples_csv: bytes
    texts: pa.Table
    chains: pa.Table | None
    tallies: Tallies
    ledger: dict[str, int]
    unreadable_n: int
    counts: dict[str, int]
    findings: list[Finding]
    problems: list[Problem]
    baseline: list[BaselineRow]
    chain_genes: list[str] = field(default_factory=list)
    confidence: pa.Table | None = None


def score_job(context: Context, job: Job) -> BatchResult:
    """Read, score and tabulate one batch."""
    paired = context.paired[job.pair]
    context.symbols = symbols_for_next_batch(context.symbols)
    read = read_batch(
        paired, job.first, job.last, context.benchmark, context.read_options, context.symbols
    )
    batch = read.batch
    if context.training is not None:
        labels, unseen = context.training.predict(batch.symbols, batch.readout)
        batch.columns["train_label"], batch.columns["train_unseen"] = labels, unseen
    scored = score_batch(batch, context.tiers, context.settings, context.graph, context.go)
    split = paired.pair.split
    values = scored.columns
    values["split"] = split
    values["source_path"] = paired.gold.path
    n = batch.n
    has_prediction = np.array([line is not None for line in values["prediction_line"]], np.bool_)
    values["prediction_path"] = [
        paired.predictions.path if has else None for has in has_prediction.tolist()
    ]
    clusters = batch_clusters(
        context.clustering,
        lambda name: _coded_column(name, batch),
        lambda row: item_name(split, values["pert_type"][row], values["sample_id"][row]),
    )
    tallies = collect(
        batch,
        values,
        file=f"{job.pair:06d}",
        split=split,
        by=context.read_options.by,
        clusters=clusters,
        gold=scored.gold,
        predicted=scored.predicted,
        match=scored.match,
        gold_evidence=scored.gold_evidence,
        predicted_evidence=scored.predicted_evidence,
    )
    samples = samples_table(columns_for(context.tiers), values, n)
    texts = pa.table(
        {name: samples[name] for name in SAMPLE_KEY}
        | {
            "prediction_path": samples["prediction_path"],
            "prediction_line": samples["prediction_line"],
            "byte_offset": _places(values["text_offset"], paired, pa.int64()),
            "byte_length": _places(values["text_length"], paired, pa.int64()),
            "crc32": _places(values["text_crc32"], paired, pa.uint32()),
        }
    )
    return BatchResult(
        job=job,
        rows=n,
        samples=samples,
        samples_csv=render_csv(samples, context.spreadsheet_safe, header=False)
        if context.as_csv
        else b"",
        texts=texts,
        chains=_chains_table(scored, samples) if context.tiers & {2, 3} else None,
        tallies=tallies,
        ledger=read.ledger,
        unreadable_n=read.unreadable_n,
        counts=batch.counts,
        findings=read.findings,
        problems=read.problems,
        baseline=_draw_baseline(context, scored, clusters),
        chain_genes=batch.symbols[:2000] if job.first == 0 and job.pair == 0 else [],
        confidence=confidence_table(
            samples, read.stated, (*SAMPLE_KEY, "readout", *fields_of(context.clustering)), LABELS
        ),
    )


def _coded_column(name: str, batch: Batch) -> Coded:
    if name == "readout":
        return batch.symbols, batch.readout
    if name == "perturbation":
        return batch.symbols, batch.perturbation
    return coded(batch.columns[name])


def _places(values: Sequence[int | None], paired: PairedRows, kind: pa.DataType) -> pa.Array:
    """Return where texts lie; null for rows of a file that was rewritten to be read."""
    return pa.array([None] * len(values) if paired.predictions.rewritten else values, kind)


def _chains_table(scored: ScoredBatch, samples: pa.Table) -> pa.Table:
    """One row an edge: sample key, side, source, sign, target, status, on_path."""
    sides = [
        _side_columns("gold", scored.gold, scored.gold_evidence, scored.gold_trace),
        _side_columns(
            "predicted", scored.predicted, scored.predicted_evidence, scored.predicted_trace
        ),
    ]
    merged: dict[str, Any] = {
        name: np.concatenate([side[name] for side in sides]) for name in sides[0]
    }
    order = np.lexsort((merged["first"], merged["side"], merged["sample"]))
    sample = pa.array(merged["sample"][order])

    symbols = text_array(scored.batch.symbols)
    status, on_path = merged["status"][order], merged["on_path"][order]
    columns = {name: samples[name].take(sample) for name in SAMPLE_KEY}
    columns |= {
        "side": pa.array(["gold", "predicted"]).take(pa.array(merged["side"][order])),
        "source": symbols.take(pa.array(merged["source"][order])),
        "sign": pa.array(merged["sign"][order]),
        "target": symbols.take(pa.array(merged["target"][order])),
        "status": pa.array(EDGE_STATUSES).take(pa.array(status, mask=status < 0)),
        "on_path": pa.array(on_path == 1, mask=on_path < 0),
    }
    return pa.table(columns)


def _side_columns(
    side: str, edges: EdgeSet, evidence: KgEvidence | None, trace: PathTrace | None
) -> dict[str, Any]:
    unknown = np.full(len(edges), -1, np.int8)
    return {
        "side": np.full(len(edges), 0 if side == "gold" else 1, np.int8),
        "sample": edges.sample,
        "first": edges.first,
        "source": edges.source,
        "sign": edges.sign,
        "target": edges.target,
        "status": unknown if evidence is None else evidence.status,
        "on_path": unknown if trace is None else trace.on_path,
    }


def _draw_baseline(
    context: Context, scored: ScoredBatch, clusters: Sequence[ClusterCodes]
) -> list[BaselineRow]:
    """Draw gold rows by a hash of their key: the same ones whatever the order or the batches."""
    wanted = context.settings.baseline_sample
    if context.graph is None or wanted == 0:
        return []
    batch, columns = scored.batch, scored.columns
    has_ends = (batch.perturbation >= 0) & (batch.readout >= 0)
    rows = np.flatnonzero((np.diff(batch.item, prepend=-1) != 0) & has_ends)
    split, kinds, ids = str(columns["split"]), columns["pert_type"], columns["sample_id"]
    start = {kind: crc32(f"{split}\0{kind}\0".encode("utf-8", "replace")) for kind in set(kinds)}
    if len(start) == 1 and len(rows) == batch.n:  # as nearly always
        (seed,) = start.values()
        draws = [crc32(sample_id.encode("utf-8", "replace"), seed) for sample_id in ids]
    else:
        draws = [
            crc32(ids[row].encode("utf-8", "replace"), start[kinds[row]]) for row in rows.tolist()
        ]
    draw = np.array(draws, np.int64)
    if len(draw) > wanted:  # ties at the edge are settled when batches are put together
        rows, draw = (
            values[draw <= np.partition(draw, wanted - 1)[wanted - 1]] for values in (rows, draw)
        )
    return [
        BaselineRow(
            number,
            batch.symbols[int(batch.perturbation[row])],
            batch.symbols[int(batch.readout[row])],
            int(columns["perturbation_sign"][row]),
            int(columns["gold_label"][row]),
            tuple(one.clusters[int(one.codes[row])] for one in clusters),
        )
        for number, row in zip(draw.tolist(), rows.tolist(), strict=True)
    ]


_context: Context | None = None


def _take_context(context: Context) -> None:
    global _context
    _context = context


@dataclass(frozen=True, slots=True)
class _Parked:
    """A result whose tables wait in files."""

    result: BatchResult
    samples: Path
    csv: Path
    texts: Path
    chains: Path | None


def _score_in_worker(job: Job) -> _Parked:
    if _context is None or _context.scratch is None:
        raise RuntimeError("the worker has no context")
    result = score_job(_context, job)
    stem = _context.scratch / f"batch-{job.pair}-{job.first}"
    parked = _Parked(
        result,
        park_table(result.samples, stem.with_suffix(".samples")),
        park_bytes(result.samples_csv, stem.with_suffix(".csv")),
        park_table(result.texts, stem.with_suffix(".texts")),
        None if result.chains is None else park_table(result.chains, stem.with_suffix(".chains")),
    )
    nothing = pa.table({})
    result.samples, result.samples_csv, result.texts, result.chains = nothing, b"", nothing, None
    return parked


def _unpark(parked: _Parked) -> BatchResult:
    result = parked.result
    result.samples = take_table(parked.samples)
    result.samples_csv = take_bytes(parked.csv)
    result.texts = take_table(parked.texts)
    result.chains = None if parked.chains is None else take_table(parked.chains)
    return result


def score_jobs(context: Context, jobs: Sequence[Job], processes: int) -> Iterator[BatchResult]:
    """Yield the results of all jobs, in order; no more than a few are held at a time.

    Raises
    ------
    InfrastructureError
        A worker process was killed.
    """
    if processes <= 1 or len(jobs) <= 1:
        for job in jobs:
            yield score_job(context, job)
        return
    with worker_pool(min(processes, len(jobs)), _take_context, context) as pool:
        pending: deque[Future[_Parked]] = deque()
        for job in jobs:
            pending.append(pool.submit(_score_in_worker, job))
            if len(pending) > processes + 1:
                yield _unpark(pending.popleft().result())
        while pending:
            yield _unpark(pending.popleft().result())
