"""Runs an evaluation of RR-10: reads and joins, scores batch by batch, adds everything up."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from eval_tiers.domain.findings import Finding
from eval_tiers.domain.rr10 import Item
from eval_tiers.io.hashes import hash_files
from eval_tiers.io.pairing import MAX_LISTED, PairedRows
from eval_tiers.kg.provenance import ProvenanceGraph
from eval_tiers.pipeline.ledger import start_ledger
from eval_tiers.pipeline.plan import Plan, Progress
from eval_tiers.pipeline.processes import processes_for
from eval_tiers.pipeline.rr10.inputs import Rr10Inputs, read_rr10_inputs
from eval_tiers.pipeline.rr10.scoring import MAX_DIFFERING
from eval_tiers.pipeline.rr10.worker import Rr10Batch, Rr10Context, batches_of, score_parts
from eval_tiers.summaries.rr10_counts import Rr10Counts

if TYPE_CHECKING:
    import pyarrow as pa


class Rr10Sink(Protocol):
    """Takes the tables of a run as they come."""

    def take(self, result: Rr10Batch) -> None:
        """Take one batch, in order."""


@dataclass(slots=True)
class Rr10Result:
    """What a run adds up to, before it is put into words.

    Attributes
    ----------
    plan : Plan
    items : list of Item
    paired : PairedRows
    provenance : ProvenanceGraph or None
    evidence_found : bool or None
    evidence_expected : bool
    counts : Rr10Counts
    ledger : dict
        ``gold`` and ``predictions``: rows by bucket; each adds up.
    findings : list of Finding
    hashes : dict of str to str
        sha256 of every input, by path.
    seconds : dict of str to float
        Wall time by stage.
    confidence : list of pa.Table
        Rows whose prediction states its confidence; empty where none does.
    """

    plan: Plan
    items: list[Item]
    paired: PairedRows
    provenance: ProvenanceGraph | None
    evidence_found: bool | None
    evidence_expected: bool
    counts: Rr10Counts
    ledger: dict[str, dict[str, int]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    hashes: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    confidence: list[pa.Table] = field(default_factory=list)


def run_rr10(plan: Plan, sink: Rr10Sink, progress: Progress | None = None,
             spreadsheet_safe: bool = False, as_csv: bool = True) -> Rr10Result:  # fmt: skip
    """Run a plan and hand its tables to a sink.

    Raises
    ------
    BadInputError, MissingResourceError, UsageError, InfrastructureError
        Before anything is handed over where an input is bad.
    """
    with tempfile.TemporaryDirectory(prefix="eval_tiers-") as folder:
        scratch = Path(folder)
        started = time.perf_counter()
        inputs = read_rr10_inputs(plan, scratch)
        result = _start(plan, inputs)
        result.hashes = hash_files(input_paths(plan))
        read = time.perf_counter()
        context = Rr10Context(
            inputs, plan.tiers | {1}, plan.settings, plan.citations.compat, spreadsheet_safe,
            as_csv, scratch,
        )  # fmt: skip
        parts = batches_of(inputs.paired.start, plan.batch_rows)
        row_n = len(inputs.paired.match)
        for batch in score_parts(context, parts, processes_for(plan.jobs, row_n)):
            sink.take(batch)
            _add(result, batch)
            if progress is not None:
                progress(batch.last, len(inputs.items))
        result.seconds = {"read_inputs": read - started, "score": time.perf_counter() - read}
    return result


def input_paths(plan: Plan) -> list[Path]:
    """Return every input file of a plan."""
    options = plan.citations
    paths = [path for pair in plan.pairs for path in (pair.gold, pair.predictions)]
    paths += plan.graph_paths if 2 in plan.tiers else ()
    paths += [path for path in (plan.gene_sets_path, options.registry_path) if path is not None]
    for named in (
        options.table_paths, options.gene_list_paths, options.graph_paths, options.gene_set_paths,
    ):  # fmt: skip
        paths += named.values()
    return paths


def _start(plan: Plan, inputs: Rr10Inputs) -> Rr10Result:
    return Rr10Result(
        plan,
        inputs.items,
        inputs.paired,
        inputs.resources.provenance,
        inputs.evidence_found,
        inputs.evidence_expected,
        Rr10Counts.empty(len(inputs.items)),
        start_ledger([inputs.paired]),
        [*inputs.paired.findings[:MAX_LISTED], *inputs.findings],
    )


def _add(result: Rr10Result, batch: Rr10Batch) -> None:
    counts, scores = result.counts, batch.scores
    counts.items[batch.first : batch.last] = scores.item_sums
    counts.counts.update(scores.counts)
    counts.differing += scores.differing[: max(0, MAX_DIFFERING - len(counts.differing))]
    for bucket, count in scores.ledger.items():
        result.ledger["gold"][bucket] += count
    if batch.confidence is not None:
        result.confidence.append(batch.confidence)
    result.ledger["predictions"]["unreadable"] += batch.unreadable_n
    result.ledger["predictions"]["matched"] -= batch.unreadable_n
    room = MAX_LISTED - len(result.findings)
    result.findings += batch.findings[: max(0, room)]
