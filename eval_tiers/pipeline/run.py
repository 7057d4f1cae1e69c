"""Runs an evaluation: reads and pairs the inputs, scores batch by batch, adds everything up."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import MissingResourceError, Problem
from eval_tiers.formats.base import BenchmarkFormat, RecordFault
from eval_tiers.formats.registry import format_named, known_formats
from eval_tiers.io.batches import ReadOptions
from eval_tiers.io.pairing import MAX_LISTED, PairedRows, ProblemList, pair_rows
from eval_tiers.io.rows import iter_rows, parse_row
from eval_tiers.io.sources import require_file
from eval_tiers.pipeline.plan import Plan
from eval_tiers.pipeline.scoring import GoResources
from eval_tiers.pipeline.worker import (
    BaselineRow,
    BatchResult,
    Context,
    Job,
    score_jobs,
    usable_processors,
)
from eval_tiers.summaries.tally import Tallies

if TYPE_CHECKING:
    from eval_tiers.io.training import TrainingMajority
    from eval_tiers.kg.graph import SignedGraph

_ROWS_WORTH_A_PROCESS = 4000
Progress = Callable[[int, int], None]


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
        with ThreadPoolExecutor(1) as hasher:
            hashes = hasher.submit(_hash_inputs, plan)
            benchmark = _choose_format(plan, scratch)
            result = RunResult(plan, benchmark.name)
            with _timed(result, "pair_rows"):
                result.paired = _pair_all(plan, benchmark, scratch)
            with _timed(result, "read_resources"):
                _read_resources(plan, benchmark, scratch, result)
            result.hashes = hashes.result()
        context = Context(
            result.paired,
            plan.tiers | {1},
            plan.settings,
            benchmark.name,
            ReadOptions(plan.mode_signs, plan.by),
            result.graph,
            result.go,
            result.training,
            spreadsheet_safe,
            as_csv,
            scratch,
        )
        _start_ledger(result)
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
    for part in score_jobs(context, jobs, _processes(plan.jobs, total)):
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
    if part.baseline:
        key = lambda row: (row.draw, row.source, row.target)  # noqa: E731
        result.baseline = sorted(result.baseline + part.baseline, key=key)[:baseline_sample]


def _start_ledger(result: RunResult) -> None:
    """Put what the join knows into the ledger; batches move rows on from ``matched``."""
    gold = {"scored": 0, "parse_failure": 0, "missing_prediction": 0, "duplicate_dropped": 0}
    predictions = {
        "matched": 0, "without_gold": 0, "duplicate_dropped": 0, "unreadable": 0, "no_id": 0,
    }  # fmt: skip
    for paired in result.paired:
        gold["duplicate_dropped"] += paired.ledger["gold_duplicate_dropped"]
        for bucket in ("without_gold", "duplicate_dropped", "unreadable", "no_id"):
            predictions[bucket] += paired.ledger[bucket]
        predictions["matched"] += paired.ledger["rows"] - sum(
            paired.ledger[bucket]
            for bucket in ("without_gold", "duplicate_dropped", "unreadable", "no_id")
        )
        result.findings += paired.findings[:MAX_LISTED]
        result.without_gold += paired.without_gold
    gold_rows = sum(len(paired.gold) for paired in result.paired)
    prediction_rows = sum(len(paired.predictions) for paired in result.paired)
    result.ledger = {
        "gold": {"rows": gold_rows} | gold,
        "predictions": {"rows": prediction_rows} | predictions,
    }
    result.without_gold = result.without_gold[:MAX_LISTED]


def _jobs(paired: list[PairedRows], batch_rows: int) -> Iterator[Job]:
    for number, rows in enumerate(paired):
        for first in range(0, len(rows.gold_row), batch_rows):
            yield Job(number, first, min(first + batch_rows, len(rows.gold_row)))


def _processes(asked: int, rows: int) -> int:
    if asked > 0:
        return asked
    return min(usable_processors(), max(1, rows // _ROWS_WORTH_A_PROCESS))


def _choose_format(plan: Plan, scratch: Path) -> BenchmarkFormat:
    """Return the format named, or the one that the first gold record looks like."""
    if plan.format_name != "auto":
        return format_named(plan.format_name)
    formats = list(known_formats().values())
    for _, raw in iter_rows(plan.pairs[0].gold, scratch):
        try:
            record = parse_row(raw)
        except RecordFault:  # reported with all others when the file is read
            break
        for candidate in formats:
            if candidate.matches(record):
                return candidate
        break
    return formats[0]


def _pair_all(plan: Plan, benchmark: BenchmarkFormat, scratch: Path) -> list[PairedRows]:
    problems = ProblemList()
    paired = [
        pair_rows(pair, benchmark, scratch, problems, plan.duplicates, plan.pairing)
        for pair in plan.pairs
    ]
    problems.raise_if_any()
    return [rows for rows in paired if rows is not None]


def _read_resources(
    plan: Plan, benchmark: BenchmarkFormat, scratch: Path, result: RunResult
) -> None:
    if 2 in plan.tiers:
        from eval_tiers.io.graphs import read_graph
        from eval_tiers.kg.source import ReadOptions as GraphOptions

        result.graph = read_graph(
            plan.graph_paths, GraphOptions(consensus=plan.consensus, undirected=plan.undirected)
        )
        result.findings += result.graph.findings
    if 3 in plan.tiers and plan.gene_sets_path is not None:
        from eval_tiers.go.nulls import GoNull
        from eval_tiers.go.profiles import GoProfiles
        from eval_tiers.io.gene_sets import read_gene_sets

        gene_sets, findings = read_gene_sets(plan.gene_sets_path)
        result.findings += findings
        profiles = GoProfiles.from_gene_sets(gene_sets)
        null = GoNull(profiles, plan.settings.go_null_draws, plan.settings.seed)
        null.prepare()
        result.go = GoResources(gene_sets, profiles, null)
    if plan.train_path is not None:
        from eval_tiers.io.training import read_training_majority

        result.training = read_training_majority(plan.train_path, benchmark, scratch)


def _hash_inputs(plan: Plan) -> dict[str, str]:
    """Return the sha256 of every input file that is there, by path."""
    import hashlib

    paths = [path for pair in plan.pairs for path in (pair.gold, pair.predictions)]
    paths += plan.graph_paths
    paths += [path for path in (plan.gene_sets_path, plan.train_path) if path is not None]
    hashes = {}
    for path in paths:
        try:
            require_file(path)  # opening a pipe would wait for ever
            with open(path, "rb") as handle:
                hashes[str(path)] = hashlib.file_digest(handle, "sha256").hexdigest()
        except OSError as error:
            raise MissingResourceError(
                Problem("unreadable-path", f"{path} can't be read: {error}")
            ) from error
    return hashes


@contextmanager
def _timed(result: RunResult, stage: str) -> Iterator[None]:
    """Note the wall time of a stage."""
    started = time.perf_counter()
    yield
    result.seconds[stage] = time.perf_counter() - started
