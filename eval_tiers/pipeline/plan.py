"""What a run is asked to do: inputs, tiers, settings, and how it is spread out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from eval_tiers.exceptions import Problem, UsageError
from eval_tiers.io.pairs import FilePair
from eval_tiers.settings import Settings

ALL_TIERS: Final = frozenset({1, 2, 3})
DEFAULT_TIERS: Final = frozenset({1, 2})
BATCH_ROWS: Final = 8192
Progress = Callable[[int, int], None]
"""Told how many of how many questions are done."""

ALWAYS_SLICED: Final = frozenset({"split", "pert_type", "cell_line"})


@dataclass(frozen=True, slots=True)
class CitationOptions:
    """What a run of a format with cited evidence says beyond any run.

    Attributes
    ----------
    compat : bool
        Score as the reference scorer does, bit for bit.
    evidence : {"auto", "expected", "none"}
        Whether predictions were to cite evidence; ``auto``: whether any of the file does.
    evidence_shown : bool or None
        Whether the model was shown the evidence when it answered; None: as the prediction file
        says, if it does.
    registry_path : Path or None
        List of all accessions.
    table_paths : dict of str to Path
        Whole differential-expression tables, by accession.
    gene_list_paths, graph_paths, gene_set_paths : dict of str to Path
        Gene list, signed graph and GMT file, by organism.
    """

    compat: bool = False
    evidence: str = "auto"
    evidence_shown: bool | None = None
    registry_path: Path | None = None
    table_paths: dict[str, Path] = field(default_factory=dict)
    gene_list_paths: dict[str, Path] = field(default_factory=dict)
    graph_paths: dict[str, Path] = field(default_factory=dict)
    gene_set_paths: dict[str, Path] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Plan:
    """One evaluation.

    Attributes
    ----------
    pairs : tuple of FilePair
        What is scored against what.
    tiers : frozenset of int
        Of 1, 2, 3; tier 1 always runs.
    format_name : str
        Benchmark format, or ``auto``: PerturbReason unless the first gold row says otherwise.
    graph_paths : tuple of Path
        Knowledge graph, for tier 2 (several files are united).
    gene_sets_path : Path or None
        GMT file, for tier 3.
    settings : Settings
        What can change a score.
    duplicates, pairing : str
        As `eval_tiers.io.pairing.pair_rows`.
    mode_signs : dict of str to int
        Perturbation sign by type, for records that give none.
    by : tuple of str
        Gold fields to slice by.
    cluster : str
        Which rows belong together where intervals are worked out (`eval_tiers.domain.clusterings`).
    train_path : Path or None
        Gold file of training questions, for the baseline of readout majorities.
    consensus, undirected : bool, str
        How graph files are read.
    citations : CitationOptions
        For formats with cited evidence.
    jobs : int
        Processes; 0: as many as there are processors, and one for small inputs.
    batch_rows : int
        Gold rows a batch. Changes no number.
    """

    pairs: tuple[FilePair, ...]
    tiers: frozenset[int] = DEFAULT_TIERS
    format_name: str = "auto"
    graph_paths: tuple[Path, ...] = ()
    gene_sets_path: Path | None = None
    settings: Settings = field(default_factory=Settings)
    duplicates: str = "error"
    pairing: str = "auto"
    mode_signs: dict[str, int] = field(default_factory=dict)
    by: tuple[str, ...] = ()
    cluster: str = "readout"
    train_path: Path | None = None
    consensus: bool = False
    undirected: str = "skip"
    citations: CitationOptions = field(default_factory=CitationOptions)
    jobs: int = 0
    batch_rows: int = BATCH_ROWS

    def __post_init__(self) -> None:
        if not self.tiers or not self.tiers <= ALL_TIERS:
            raise UsageError(
                Problem("unknown-tier", f"tiers are {sorted(self.tiers)}", fix="of 1, 2 and 3")
            )


def require_chain_resources(plan: Plan) -> None:
    """Raise where tiers 2 and 3 of chains lack what they need.

    Raises
    ------
    UsageError
        Tier 2 without a knowledge graph, tier 3 without gene sets, options for cited evidence.
    """
    options = plan.citations
    for name, given in (
        ("--rr10-compat", options.compat),
        ("--evidence", options.evidence != "auto"),
        ("--osd-registry", options.registry_path is not None),
        ("--osd-table", bool(options.table_paths)),
        ("--genes", bool(options.gene_list_paths)),
        ("--external-kg ORGANISM=FILE", bool(options.graph_paths)),
        ("--go-gmt ORGANISM=FILE", bool(options.gene_set_paths)),
    ):
        if given:
            raise UsageError(
                Problem(
                    "option-without-effect",
                    f"{name} has no meaning for format {plan.format_name}",
                    fix="leave it out, or name the format: --format rr10",
                )
            )
    if 2 in plan.tiers and not plan.graph_paths:
        raise UsageError(
            Problem(
                "no-knowledge-graph",
                "tier 2 checks chains against a knowledge graph, and none is given",
                fix="name one with --external-kg FILE, or leave out tier 2 (--tiers 1)",
            )
        )
    if 3 in plan.tiers and plan.gene_sets_path is None:
        raise UsageError(
            Problem(
                "no-gene-sets",
                "tier 3 compares GO sets, and no gene-set file is given",
                fix="name one with --go-gmt FILE, or leave out tier 3",
            )
        )
