"""Runs an evaluation: reads and pairs the inputs, scores batch by batch, adds everything up."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from eval_tiers.domain.findings import Finding
from eval_tiers.io.batches import ReadOptions
from eval_tiers.io.pairing import MAX_LISTED, PairedRows, ProblemList
from eval_tiers.pipeline.inputs import read_inputs
from eval_tiers.pipeline.ledger import start_ledger
from eval_tiers.pipeline.plan import Plan, Progress
from eval_tiers.pipeline.processes import processes_for
from eval_tiers.pipeline.scoring import GoResources
from eval_tiers.pipeline.worker import (
    BaselineRow,
    BatchResult,
    Context,
    Job,
    score_jobs,
)
from eval_tiers.summaries.tally import Tallies

if TYPE_CHECKING:
    import pyarrow as pa

    from eval_tiers.io.training import TrainingMajority
    from eval_tiers.kg.graph import SignedGraph


class Sink(Protocol):
    """Takes the tables of a run as they come."""

    def take(self, result: BatchResult) -> None:
        """Take one batch, in order."""


@dataclass(slots=True)
class RunResult:
    """What a run adds up to, before it is put into words.

    Attributes
    ----------
    plan : Plan
    format_name : str
        The format that records were read in.
    paired : list of PairedRows
        The inputs, joined.
    tallies : Tallies
    ledger : dict
        ``gold`` and ``predictions``: rows by bucket; each adds up.
    counts : dict of str to int
    findings : list of Finding
        Faults that were counted and gone on from, the first of each kind of place.
    without_gold : list of dict
    graph, go : SignedGraph, GoResources or None
    baseline : list of BaselineRow
        The draw for the KG shortest-path baseline.
    chain_genes : list of str
        Some symbols of the chains, to tell what kind of names they are.
    hashes : dict of str to str
        sha256 of every input, by path.
    seconds : dict of str to float
        Wall time by stage.
    confidence : list of pa.Table
        Rows whose prediction states its confidence; empty where none does.
    """

    plan: Plan
    format_name: str
    paired: list[PairedRows] = field(default_factory=list)
    tallies: Tallies = field(default_factory=Tallies)
    ledger: dict[str, dict[str, int]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    without_gold: list[dict[str, object]] = field(default_factory=list)
    graph: SignedGraph | None = None
    go: GoResources | None = None
    training: TrainingMajority | None = None
    baseline: list[BaselineRow] = field(default_factory=list)
    chain_genes: list[str] = field(default_factory=list)
    hashes: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    confidence: list[pa.Table] = field(default_factory=list)


def run(plan: Plan, sink: Sink, progress: Progress | None = None, spreadsheet_safe: bool = False,
        as_csv: bool = True) -> RunResult:  # fmt: skip
    """Run a plan and hand its tables to a sink.

    Raises
    ------
    BadInputError, MissingResourceError, UsageError, InfrastructureError
        Before anything is handed over where an input is bad.
    """
    with tempfile.TemporaryDirectory(prefix="eval_tiers-") as folder:
        scratch = Path(folder)
        started = time.perf_counter()
        inputs = read_inputs(plan, scratch)
        result = RunResult(
            plan,
            inputs.benchmark.name,
            paired=inputs.paired,
            findings=inputs.findings,
            graph=inputs.graph,
            go=inputs.go,
            training=inputs.training,
            hashes=inputs.hashes,
            seconds={"read_inputs": time.perf_counter() - started},
        )
        context = Context(
            inputs.paired,
            plan.tiers | {1},
            plan.settings,
            inputs.benchmark.name,
            ReadOptions(plan.mode_signs, plan.by),
            plan.cluster,
            inputs.graph,
            inputs.go,
            inputs.training,
            spreadsheet_safe,
            as_csv,
            scratch,
        )
        result.ledger = start_ledger(result.paired)
        for paired in result.paired:
            result.findings += paired.findings[:MAX_LISTED]
            result.without_gold += paired.without_gold
        result.without_gold = result.without_gold[:MAX_LISTED]
        with _timed(result, "score"):
            _score(context, plan, sink, progress, result)
    return result


def _score(
    context: Context, plan: Plan, sink: Sink, progress: Progress | None, result: RunResult
) -> None:
    total = sum(len(paired.gold_row) for paired in result.paired)
    jobs = list(_jobs(result.paired, plan.batch_rows))
    done = 0
    problems = ProblemList()
    for part in score_jobs(context, jobs, processes_for(plan.jobs, total)):
        for problem in part.problems:
            problems.add(problem)
        if not problems.total:
            sink.take(part)
            _add(result, part, plan.settings.baseline_sample)
        done += part.job.last - part.job.first
        if progress is not None:
            progress(done, total)
    problems.raise_if_any()


def _add(result: RunResult, part: BatchResult, baseline_sample: int) -> None:
    """Add one batch to the run."""
    result.tallies.add(part.tallies)
    gold, predictions = result.ledger["gold"], result.ledger["predictions"]
    for bucket, count in part.ledger.items():
        gold[bucket] += count
    predictions["unreadable"] += part.unreadable_n
    predictions["matched"] -= part.unreadable_n
    for name, count in part.counts.items():
        result.counts[name] = result.counts.get(name, 0) + count
    room = MAX_LISTED - len(result.findings)
    result.findings += part.findings[: max(0, room)]
    result.chain_genes = result.chain_genes or part.chain_genes
    if part.confidence is not None:
        result.confidence.append(part.confidence.drop_columns(["split", "pert_type", "rollout"]))
    if part.baseline:
        key = lambda row: (row.draw, row.source, row.target)  # noqa: E731 - a name for the line below
        result.baseline = sorted(result.baseline + part.baseline, key=key)[:baseline_sample]


def _jobs(paired: list[PairedRows], batch_rows: int) -> Iterator[Job]:
    for number, rows in enumerate(paired):
        for first in range(0, len(rows.gold_row), batch_rows):
            yield Job(number, first, min(first + batch_rows, len(rows.gold_row)))


@contextmanager
def _timed(result: RunResult, stage: str) -> Iterator[None]:
    """Note the wall time of a stage."""
    started = time.perf_counter()
    yield
    result.seconds[stage] = time.perf_counter() - started
