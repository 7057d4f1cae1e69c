"""Which gene sets the genes of each error class are enriched in, against all chain genes.

A class is an error label; its genes are the nodes of the chains predicted under it. The background
is every chain gene of the run, gold ones too, that the gene sets know. The test is gseapy's offline
over-representation test (hypergeometric, one-sided); Benjamini-Hochberg over all tested sets and
classes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from eval_tiers.domain.findings import Finding
from eval_tiers.domain.taxonomy import ERROR_LABELS
from eval_tiers.exceptions import (
    MissingResourceError,
    Problem,
    SourceRef,
    UsageError,
)
from eval_tiers.go.enrichment import ALPHA, EnrichedTerm, TermTest, enriched_terms, terms_within
from eval_tiers.go.gene_sets import GeneSets
from eval_tiers.go.gmt_table import GeneCase
from eval_tiers.io.atomic import atomic_writer, render_json
from eval_tiers.io.gene_sets import read_gene_sets
from eval_tiers.io.hashes import hash_files
from eval_tiers.io.output_paths import require_free_path
from eval_tiers.io.run_reading import FinishedRun
from eval_tiers.io.tables import render_csv
from eval_tiers.kg.provenance import HUMAN
from eval_tiers.pipeline.chain_genes import ChainGenes, read_chain_genes, read_mechanism_genes
from eval_tiers.pipeline.enrichment_overlap import check_overlap
from eval_tiers.pipeline.labelled_run import (
    is_cited,
    is_spreadsheet_safe,
    open_labelled_run,
    table_of,
)

ENRICHMENT_SCHEMA: Final = pa.schema(
    [(name, pa.string()) for name in ("error_label", "term", "description")]
    + [
        (name, pa.int64())
        for name in ("overlap_n", "label_gene_n", "term_gene_n", "background_gene_n")
    ]
    + [(name, pa.float64()) for name in ("expected_n", "odds_ratio", "p_value", "q_value")]
    + [("gene", pa.string())]
)
METHOD: Final = (
    "distinct genes of the predicted chains of an error label (ends included) against all chain "
    "genes of the run that the gene sets know; hypergeometric, one-sided; Benjamini-Hochberg over "
    "all tested sets and labels; sets without a gene of a label count as tests with p = 1"
)
_Draw = Callable[[Sequence[EnrichedTerm], Sequence[str]], str]


@dataclass(frozen=True, slots=True)
class EnrichOptions:
    """What is tested, and where it goes.

    Attributes
    ----------
    min_gene_n : int
        Labels with fewer genes of the background are not tested.
    min_term_gene_n : int
        Sets with fewer genes of the background are not tested.
    organism : str, optional
        RR-10: whose mechanism edges.
    output_dir : Path, optional
        The run's folder by default.
    force : bool
        Replace files of those names.
    """

    min_gene_n: int = 5
    min_term_gene_n: int = 2
    organism: str | None = None
    output_dir: Path | None = None
    force: bool = False


@dataclass(slots=True)
class Enrichment:
    """What was found.

    Attributes
    ----------
    rows : list of EnrichedTerm
        Sets that hold a gene of a tested label.
    summary : dict
        What was tested on what: strict JSON.
    findings : list of Finding
    paths : dict of str to Path
        Files written, by suffix.
    """

    rows: list[EnrichedTerm]
    summary: dict[str, Any]
    findings: list[Finding] = field(default_factory=list)
    paths: dict[str, Path] = field(default_factory=dict)


def enrich_run(run_dir: Path, gmt: Path, options: EnrichOptions, draw: _Draw) -> Enrichment:
    """Test a run's error labels, and write table, summary and dot plot.

    Parameters
    ----------
    run_dir : Path
    gmt : Path
        Gene sets.
    options : EnrichOptions
    draw : callable
        (rows, labels) -> SVG.

    Raises
    ------
    UsageError
        A file would be replaced, or the organism isn't told.
    MissingResourceError
        No finished run, no GMT, or gseapy isn't installed.
    BadInputError
        A file can't be read, or the gene sets know no chain gene.
    """
    _require_gseapy()
    run = open_labelled_run(run_dir)
    paths = _paths(run, gmt, options)
    genes = _read_genes(run, options)
    human = genes.organism in {None, HUMAN}
    case: GeneCase = "upper" if human else "keep"
    sets, findings = read_gene_sets(gmt, case)
    rows, tested, odd = enrichment_of(genes, sets, options, str(gmt))
    tested |= {"run_id": run.summary.get("run_id"), "format": run.summary["format"]}
    tested["gene_sets"] = {"path": str(gmt), "sha256": hash_files([gmt])[str(gmt)]}
    found = Enrichment(rows, tested, [*findings, *odd], paths)
    labels = [name for name, of_label in tested["labels"].items() if of_label["tested"]]
    safe = is_spreadsheet_safe(run)
    for suffix, data in (
        ("csv", render_csv(_table(rows), safe, header=True)),
        ("json", render_json(tested)),
        ("svg", draw(rows, labels).encode("utf-8", "backslashreplace")),
    ):
        with atomic_writer(paths[suffix]) as handle:
            handle.write(data)
    return found


def enrichment_of(
    genes: ChainGenes, sets: GeneSets, options: EnrichOptions, gmt: str
) -> tuple[list[EnrichedTerm], dict[str, Any], list[Finding]]:
    """Return the rows of the table, what was tested, and what is odd about it.

    Raises
    ------
    BadInputError
        The gene sets know no chain gene.
    """
    findings = check_overlap(genes.all, sets, gmt)
    background = _codes(genes.all, sets)
    terms = terms_within(sets, background, options.min_term_gene_n)
    of_label = {name: _codes(genes.by_label[name], sets) for name in ERROR_LABELS}
    groups = {
        name: codes
        for name, codes in of_label.items()
        if len(codes) >= max(1, options.min_gene_n) and terms
    }
    tests = [
        test for name, codes in groups.items() for test in _tests(name, codes, terms, background)
    ]
    rows = enriched_terms(tests, sets, terms, groups, len(background))
    labels = {
        name: {
            "gene_n": len(codes),
            "chain_gene_n": len(genes.by_label[name]),
            "tested": name in groups,
            "reason": None if name in groups else _why_not(len(codes), options, bool(terms)),
            "enriched_n": sum(row.group == name and row.q_value <= ALPHA for row in rows)
            if name in groups
            else None,
        }
        for name, codes in of_label.items()
    }
    return (
        rows,
        {
            "organism": genes.organism,
            "chain_gene_n": len(genes.all),
            "background_gene_n": len(background),
            "term_n": len(terms),
            "test_n": len(terms) * len(groups),
            "min_gene_n": options.min_gene_n,
            "min_term_gene_n": options.min_term_gene_n,
            "alpha": ALPHA,
            "method": METHOD,
            "labels": labels,
        },
        findings,
    )


def _why_not(n: int, options: EnrichOptions, any_term: bool) -> str:
    if not any_term:
        return f"no set holds {options.min_term_gene_n} genes of the background"
    return f"{n} genes that the gene sets know, fewer than {options.min_gene_n}"


def _codes(names: set[str], sets: GeneSets) -> NDArray[np.int32]:
    """Return the distinct gene codes of names that the sets know, ascending."""
    codes = np.unique(sets.codes(sorted(names)))
    known: NDArray[np.int32] = codes[codes >= 0]
    return known


def _tests(
    name: str,
    codes: NDArray[np.int32],
    terms: Mapping[int, NDArray[np.int32]],
    background: NDArray[np.int32],
) -> Iterator[TermTest]:
    """Test one class by gseapy, offline: it gets sets, genes and background as they are here.

    Genes and sets go by number (G12, T3): gseapy guesses at upper case and Entrez ids otherwise.
    """
    import gseapy

    held = np.isin(np.concatenate(list(terms.values())), codes)
    if not held.any():  # gseapy takes it for a fault
        return
    tested = gseapy.enrich(
        gene_list=[f"G{code}" for code in codes.tolist()],
        gene_sets={
            f"T{term}": [f"G{code}" for code in members.tolist()] for term, members in terms.items()
        },
        background=[f"G{code}" for code in background.tolist()],
        outdir=None,
        no_plot=True,
    )
    for row in tested.res2d.to_dict("records"):
        overlap = tuple(sorted(int(gene[1:]) for gene in row["Genes"].split(";")))
        yield TermTest(
            name, int(row["Term"][1:]), overlap, float(row["P-value"]), float(row["Odds Ratio"])
        )


def _require_gseapy() -> None:
    try:
        import gseapy  # noqa: F401 - is it installed
    except ImportError as error:
        raise MissingResourceError(
            Problem(
                "no-gseapy",
                f"enrichment needs gseapy, which can't be imported: {error}",
                fix="pip install 'eval-tiers[enrich]'",
            )
        ) from error


def _read_genes(run: FinishedRun, options: EnrichOptions) -> ChainGenes:
    samples, chains = table_of(run, "samples"), table_of(run, "chains")
    if is_cited(run):
        return read_mechanism_genes(samples, chains, options.organism)
    if options.organism is not None:
        message = f"--organism has no meaning for format {run.summary['format']}"
        raise UsageError(Problem("option-without-effect", message, fix="leave it out"))
    return read_chain_genes(samples, chains)


def _paths(run: FinishedRun, gmt: Path, options: EnrichOptions) -> dict[str, Path]:
    parent = options.output_dir or run.folder
    paths = {
        suffix: parent / f"enrichment_{run.timestamp}.{suffix}" for suffix in ("csv", "json", "svg")
    }
    for path in paths.values():
        require_free_path(path, [gmt])
        if path.exists() and not options.force:
            fix = "name another folder with -o, or replace it with --force"
            raise UsageError(
                Problem("file-exists", "the table is there already", SourceRef(str(path)), fix)
            )
    return paths


def _table(rows: Sequence[EnrichedTerm]) -> pa.Table:
    renamed = {"group": "error_label", "group_gene_n": "label_gene_n"}
    found = []
    for row in rows:
        values = {renamed.get(name, name): value for name, value in asdict(row).items()}
        values["gene"] = ";".join(values.pop("genes"))
        found.append(values)
    return pa.Table.from_pylist(found, ENRICHMENT_SCHEMA)
