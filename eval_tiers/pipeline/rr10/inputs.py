"""Reads what a run of RR-10 needs: items, joined predictions, provenance, graphs, gene sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from eval_tiers.domain.findings import Finding
from eval_tiers.domain.rr10 import Item
from eval_tiers.exceptions import Problem, SourceRef, UsageError
from eval_tiers.formats.base import CitationFormat
from eval_tiers.formats.registry import format_named
from eval_tiers.io.answer_rows import any_evidence
from eval_tiers.io.pairing import PairedRows, ProblemList, pair_rows
from eval_tiers.io.rr10_benchmark import read_items
from eval_tiers.kg.provenance import HUMAN, ProvenanceGraph
from eval_tiers.pipeline.plan import Plan
from eval_tiers.pipeline.rr10.scoring import Rr10Resources
from eval_tiers.settings import Settings

if TYPE_CHECKING:
    from eval_tiers.kg.graph import SignedGraph
    from eval_tiers.tiers.go_focus import GoFocus


@dataclass(slots=True)
class Rr10Inputs:
    """What was read.

    Attributes
    ----------
    benchmark : CitationFormat
    items : list of Item
        In file order.
    paired : PairedRows
        Items joined with prediction rows.
    resources : Rr10Resources
    evidence_found : bool or None
        Whether any prediction carries evidence; None where nobody looked.
    evidence_expected : bool
        Whether answers are judged by their evidence.
    findings : list of Finding
    """

    benchmark: CitationFormat
    items: list[Item]
    paired: PairedRows
    resources: Rr10Resources
    evidence_found: bool | None
    evidence_expected: bool
    findings: list[Finding] = field(default_factory=list)


def read_rr10_inputs(plan: Plan, scratch: Path) -> Rr10Inputs:
    """Read all inputs of a plan.

    Raises
    ------
    BadInputError, MissingResourceError, UsageError
        An input isn't there, is bad, or doesn't belong to the benchmark.
    """
    benchmark = format_named(plan.format_name)
    if not isinstance(benchmark, CitationFormat):
        raise TypeError(f"{benchmark.name} is no format of cited evidence")
    _refuse_foreign_options(plan)
    pair = plan.pairs[0]
    gold_duplicates = "error" if plan.citations.compat else plan.duplicates
    items = read_items(pair.gold, scratch, benchmark.name, gold_duplicates)
    problems = ProblemList()
    paired = pair_rows(pair, benchmark, scratch, problems, plan.duplicates, plan.pairing)
    problems.raise_if_any()
    if paired is None:
        raise RuntimeError("no join and no problem")
    findings: list[Finding] = []
    organisms = sorted({item.organism for item in items})
    resources = Rr10Resources()
    found: bool | None = None
    if 2 in plan.tiers:
        resources.provenance = _read_provenance(plan, items, findings)
        resources.graphs = _read_graphs(plan, organisms, findings)
        if plan.citations.evidence == "auto":
            found = any_evidence(paired, benchmark)
    if 3 in plan.tiers:
        resources.go = _read_gene_sets(plan, organisms, findings)
    expected = {"expected": True, "none": False}.get(plan.citations.evidence, bool(found))
    if 2 not in plan.tiers:
        expected = plan.citations.evidence != "none"
    return Rr10Inputs(benchmark, items, paired, resources, found, expected, findings)


def _refuse_foreign_options(plan: Plan) -> None:
    """Raise for options that have no meaning here."""
    defaults = Settings()
    told = [
        ("--mode", bool(plan.mode_signs)),
        ("--train-file", plan.train_path is not None),
        ("--by", bool(plan.by)),
        ("--unknown-nodes", plan.settings.unknown_nodes != defaults.unknown_nodes),
        ("--go-null-draws", plan.settings.go_null_draws != defaults.go_null_draws),
    ]
    for name, given in told:
        if given:
            raise UsageError(
                Problem(
                    "option-without-effect",
                    f"{name} has no meaning for format {plan.format_name}",
                    fix="leave it out",
                )
            )
    if len(plan.pairs) != 1:
        raise UsageError(
            Problem(
                "one-pair-only",
                f"format {plan.format_name} is one benchmark file",
                fix="give --gt-file and --pred-file",
            )
        )


def _read_provenance(plan: Plan, items: list[Item], findings: list[Finding]) -> ProvenanceGraph:
    from eval_tiers.io.provenance import read_provenance

    options = plan.citations
    graph = read_provenance(
        items, options.table_paths, options.registry_path, options.gene_list_paths
    )
    findings += graph.findings
    unknown = [row for item in items for row in item.provenance if row.log2fc is None]
    if unknown:
        findings.append(
            Finding(
                "unknown-log2fc",
                f"{len(unknown):,} provenance row(s) of the benchmark have no finite log2FC: "
                "citations of them can't be verified",
                SourceRef(str(plan.pairs[0].gold), unknown[0].line, "provenance.log2FC_SF_vs_GC"),
                fix="write it as a number; 'eval_tiers validate' lists every fault of the file",
            )
        )
    return graph


def _of_organisms(
    named: Mapping[str, Path], organisms: list[str], option: str, findings: list[Finding]
) -> dict[str, Path]:
    """Return the files of organisms that the benchmark has; tell of the others."""
    for organism in named:
        if organism not in organisms:
            findings.append(
                Finding(
                    "organism-not-in-benchmark",
                    f"no item is of '{organism}', for which {option} names a file",
                    fix=f"the benchmark's organisms are: {', '.join(organisms)}",
                )
            )
    return {organism: path for organism, path in named.items() if organism in organisms}


def _read_graphs(
    plan: Plan, organisms: list[str], findings: list[Finding]
) -> dict[str, SignedGraph]:
    """Read each organism's own graph."""
    named = dict(plan.citations.graph_paths)
    paths: dict[str, tuple[Path, ...]] = {name: (path,) for name, path in named.items()}
    if plan.graph_paths:
        paths.setdefault(_organism_of_graph(plan, organisms, findings), plan.graph_paths)
    _of_organisms(named, organisms, "--external-kg", findings)
    if not paths:
        return {}
    from eval_tiers.io.graphs import read_graph
    from eval_tiers.kg.source import ReadOptions

    graphs = {}
    for organism in sorted(set(paths) & set(organisms)):
        options = ReadOptions(
            consensus=plan.consensus, undirected=plan.undirected, keep_case=organism != HUMAN
        )
        graphs[organism] = read_graph(paths[organism], options)
        findings += graphs[organism].findings
    return graphs


def _organism_of_graph(plan: Plan, organisms: list[str], findings: list[Finding]) -> str:
    """Return whose graph a file without an organism is: the only one's, else human."""
    if len(organisms) == 1:
        return organisms[0]
    path = str(plan.graph_paths[0])
    fix = f"say whose graph it is: --external-kg {organisms[0]}=FILE"
    several = f"the benchmark has {len(organisms)} organisms: {', '.join(organisms)}"
    if HUMAN not in organisms:
        raise UsageError(Problem("graph-of-which-organism", several, SourceRef(path), fix))
    findings.append(
        Finding("graph-taken-for-human", f"taken for the graph of {HUMAN}: {several}",
                SourceRef(path), fix=fix)
    )  # fmt: skip
    return HUMAN


def _read_gene_sets(
    plan: Plan, organisms: list[str], findings: list[Finding]
) -> dict[str, GoFocus]:
    """Read gene sets by organism: its own file, else the one for all."""
    from eval_tiers.io.gene_sets import read_gene_sets
    from eval_tiers.tiers.go_focus import GoFocus

    named = _of_organisms(plan.citations.gene_set_paths, organisms, "--go-gmt", findings)
    read: dict[tuple[Path, bool], GoFocus] = {}
    found = {}
    for organism in organisms:
        path = named.get(organism, plan.gene_sets_path)
        if path is None:
            continue
        human = organism == HUMAN
        if (path, human) not in read:
            sets, faults = read_gene_sets(path, "upper" if human else "keep")
            if (path, not human) not in read:
                findings += faults
            read[path, human] = GoFocus(sets)
        found[organism] = read[path, human]
    return found
