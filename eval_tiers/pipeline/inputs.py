"""Reads what a run needs: paired rows, knowledge graph, gene sets, training questions."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import EvalTiersError
from eval_tiers.formats.base import ChainFormat
from eval_tiers.formats.registry import chain_format_named
from eval_tiers.io.hashes import hash_files
from eval_tiers.io.pairing import PairedRows, ProblemList, pair_rows
from eval_tiers.io.pairs import FilePair
from eval_tiers.pipeline.plan import Plan
from eval_tiers.pipeline.processes import usable_processors, worker_pool
from eval_tiers.pipeline.scoring import GoResources

if TYPE_CHECKING:
    from eval_tiers.io.training import TrainingMajority
    from eval_tiers.kg.graph import SignedGraph

_BYTES_WORTH_A_PROCESS: Final = 1 << 24


@dataclass(slots=True)
class Inputs:
    """What was read.

    Attributes
    ----------
    benchmark : ChainFormat
        The format that records are read in.
    paired : list of PairedRows
        Gold rows joined with prediction rows, by file.
    graph, go, training
        What tiers 2 and 3 and the training baseline need; None where they don't run.
    findings : list of Finding
        What the readers of graph and gene sets found.
    hashes : dict of str to str
        sha256 of every input, by path.
    """

    benchmark: ChainFormat
    paired: list[PairedRows]
    graph: SignedGraph | None = None
    go: GoResources | None = None
    training: TrainingMajority | None = None
    findings: list[Finding] = field(default_factory=list)
    hashes: dict[str, str] = field(default_factory=dict)


def read_inputs(plan: Plan, scratch: Path) -> Inputs:
    """Read all inputs of a plan; large ones in several processes.

    Parameters
    ----------
    plan : Plan
    scratch : Path
        Folder for decompressed copies.

    Raises
    ------
    BadInputError, MissingResourceError, UsageError
        An input isn't there or is bad. Bad rows are told before a bad graph.
    """
    benchmark = chain_format_named(plan.format_name)
    beside = worker_pool(2) if _worth_a_process(plan) else nullcontext()
    with beside as pool, ThreadPoolExecutor(1) as hasher:
        # Forked before the thread that hashes is started. What is costly to hand over stays here.
        graph = pairing = None
        if pool is not None:
            graph = pool.submit(_read_graph, plan)
            pairing = [
                pool.submit(_pair_one, plan, pair, benchmark.name, scratch) for pair in plan.pairs
            ]
        hashes = hasher.submit(hash_files, input_paths(plan))
        inputs = Inputs(benchmark, [])
        go: tuple[GoResources, tuple[Finding, ...]] | None = None
        fault: EvalTiersError | None = None
        if graph is None or pairing is None:
            parts = [_pair_one(plan, pair, benchmark.name, scratch) for pair in plan.pairs]
            inputs.paired = _paired(parts)
            inputs.graph = _read_graph(plan)
            go = _read_gene_sets(plan)
        else:
            try:
                go = _read_gene_sets(plan, common_bins=True)
            except EvalTiersError as error:
                fault = error  # bad rows and graphs are told first
            inputs.paired = _paired([part.result() for part in pairing])
            inputs.graph = graph.result()
            if fault is not None:
                raise fault
        if inputs.graph is not None:
            inputs.findings += inputs.graph.findings
        if go is not None:
            inputs.go = go[0]
            inputs.findings += go[1]
        if plan.train_path is not None:
            from eval_tiers.io.training import read_training_majority

            inputs.training = read_training_majority(plan.train_path, benchmark, scratch)
        inputs.hashes = hashes.result()
    return inputs


def _worth_a_process(plan: Plan) -> bool:
    """Whether reading in further processes gains more than it costs."""
    if (
        3 not in plan.tiers
        or plan.jobs == 1
        or usable_processors() == 1
        or not sys.platform.startswith("linux")
    ):
        return False
    total = 0
    for pair in plan.pairs:
        for path in (pair.gold, pair.predictions):
            try:
                total += path.stat().st_size
            except OSError:
                return False
    return total >= _BYTES_WORTH_A_PROCESS


def _pair_one(
    plan: Plan, pair: FilePair, format_name: str, scratch: Path
) -> tuple[PairedRows | None, ProblemList]:
    """Join one pair of files; return what was wrong with it beside it."""
    problems = ProblemList()
    benchmark = chain_format_named(format_name)
    paired = pair_rows(pair, benchmark, scratch, problems, plan.duplicates, plan.pairing)
    return paired, problems


def _paired(parts: list[tuple[PairedRows | None, ProblemList]]) -> list[PairedRows]:
    """Return the joins of all pairs; raise for the problems of all of them."""
    problems = ProblemList()
    for _, found in parts:
        problems.extend(found)
    problems.raise_if_any()
    return [paired for paired, _ in parts if paired is not None]


def _read_graph(plan: Plan) -> SignedGraph | None:
    if 2 not in plan.tiers:
        return None
    from eval_tiers.io.graphs import read_graph
    from eval_tiers.kg.source import ReadOptions

    options = ReadOptions(consensus=plan.consensus, undirected=plan.undirected)
    return read_graph(plan.graph_paths, options)


def _read_gene_sets(
    plan: Plan, common_bins: bool = False
) -> tuple[GoResources, tuple[Finding, ...]] | None:
    if 3 not in plan.tiers:
        return None
    from eval_tiers.go.nulls import GoNull
    from eval_tiers.go.profiles import GoProfiles
    from eval_tiers.io.gene_sets import read_gene_sets

    gene_sets, findings = read_gene_sets(str(plan.gene_sets_path))
    profiles = GoProfiles.from_gene_sets(gene_sets)
    null = GoNull(profiles, plan.settings.go_null_draws, plan.settings.seed)
    null.prepare(common_bins)
    return GoResources(gene_sets, profiles, null), findings


def input_paths(plan: Plan) -> list[Path]:
    """Return every input file of a plan."""
    paths = [path for pair in plan.pairs for path in (pair.gold, pair.predictions)]
    paths += plan.graph_paths
    return paths + [path for path in (plan.gene_sets_path, plan.train_path) if path is not None]
