"""The public Python API: what the command line does, with frames for files."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eval_tiers.exceptions import Problem, UsageError
from eval_tiers.settings import Settings

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from eval_tiers.io.errors_csv import ErrorsCsv
    from eval_tiers.pipeline.baselines import WrittenBaselines
    from eval_tiers.pipeline.comparison import CompareOptions, RunComparison
    from eval_tiers.pipeline.enrichment import Enrichment
    from eval_tiers.pipeline.plan import Plan, Progress
    from eval_tiers.pipeline.relabel import RelabelledRun
    from eval_tiers.pipeline.rescue.export import ExportOptions, WrittenExport
    from eval_tiers.pipeline.rescue.labels import SheetOptions, WrittenSheet
    from eval_tiers.pipeline.rescue.merge import MergedRescue, MergeOptions

Pathname = str | os.PathLike[str]


@dataclass(slots=True)
class Evaluation:
    """What an evaluation found.

    Attributes
    ----------
    samples : pandas.DataFrame
        One row a gold record and rollout, in gold order; columns as in
        `eval_tiers.domain.columns.SAMPLE_COLUMNS`.
    chains : pandas.DataFrame
        One row an edge: sample key, side (gold, predicted), source, sign, target, status,
        on_path. Empty when tiers 2 and 3 did not run. RR-10: mechanism edges.
    citations : pandas.DataFrame
        RR-10: one row a citation with its verdict and the provenance row it rests on; else empty.
    files : pandas.DataFrame
        One row a file pair.
    summary : dict
        The summary, as in ``summary_<timestamp>.json``.
    manifest : dict
        Arguments, versions, inputs and their hashes.
    paths : dict of str to Path
        Files written, by name without timestamp; empty without an output folder.
    run_dir : Path or None
        The run's folder.
    """

    samples: pd.DataFrame
    chains: pd.DataFrame
    citations: pd.DataFrame
    files: pd.DataFrame
    summary: dict[str, Any]
    manifest: dict[str, Any]
    paths: dict[str, Path] = field(default_factory=dict)
    run_dir: Path | None = None


@dataclass(slots=True)
class WrittenRun:
    """A run that was written to a folder.

    Attributes
    ----------
    run_dir : Path
    paths : dict of str to Path
        By name without timestamp (``samples.csv``).
    summary, manifest : dict
    """

    run_dir: Path
    paths: dict[str, Path]
    summary: dict[str, Any]
    manifest: dict[str, Any]


def evaluate(
    *,
    gt_dir: Pathname | None = None,
    pred_dir: Pathname | None = None,
    gt_file: Pathname | None = None,
    pred_file: Pathname | None = None,
    external_kg: Pathname | Sequence[Pathname] | Mapping[str, Pathname] | None = None,
    go_gmt: Pathname | Mapping[str, Pathname] | None = None,
    tiers: Iterable[int] = (1, 2),
    format: str = "auto",
    split: str | None = None,
    settings: Settings | None = None,
    duplicates: str | None = None,
    pair: str = "auto",
    mode: Mapping[str, int] | None = None,
    by: Sequence[str] = (),
    train_file: Pathname | None = None,
    consensus: bool = False,
    undirected: str = "skip",
    rr10_compat: bool = False,
    evidence: str = "auto",
    evidence_shown: bool | None = None,
    osd_registry: Pathname | None = None,
    osd_table: Mapping[str, Pathname] | None = None,
    genes: Mapping[str, Pathname] | None = None,
    jobs: int = 1,
    output_dir: Pathname | None = None,
) -> Evaluation:
    """Evaluate predictions against a benchmark, tiers 1 to 3.

    Without any of the four paths it runs on the bundled demo data.

    Parameters
    ----------
    gt_dir, pred_dir : path-like, optional
        Folders of splits, each with one chemical and one genetic JSON Lines file.
    gt_file, pred_file : path-like, optional
        One pair of files instead.
    external_kg : path-like, sequence of them or mapping, optional
        Signed knowledge graph for tier 2, in any format that ``kg info`` reads. RR-10: of
        mechanism edges, by organism.
    go_gmt : path-like or mapping, optional
        Gene sets for tier 3. RR-10: also by organism.
    tiers : iterable of int
        Of 1, 2, 3. Default 1 and 2; tier 1 always runs.
    format : str
        Benchmark format, ``auto`` to tell it from the gold file.
    split : str, optional
        Name of the split of a single pair; the gold file's folder by default.
    settings : Settings, optional
        Thresholds.
    duplicates : {"error", "first", "last"}, optional
        What to do with an id that is given twice; an error by default, ``last`` with
        ``rr10_compat``, as the reference does.
    pair : {"auto", "id", "position"}
        How rows are paired.
    mode : mapping of str to int, optional
        Perturbation sign by type for records that give none, such as ``{"genetic": -1}``.
    by : sequence of str
        Gold fields to slice the summary by.
    train_file : path-like, optional
        Training questions, for the baseline of readout majorities.
    consensus, undirected : bool, {"skip", "both"}
        How graph files are read.
    rr10_compat : bool
        RR-10: score as the reference scorer does, bit for bit.
    evidence : {"auto", "expected", "none"}
        RR-10: whether answers were to cite evidence; ``auto``: whether any does.
    evidence_shown : bool, optional
        RR-10: whether the model was shown the evidence; by default as the predictions say.
    osd_registry : path-like, optional
        RR-10: list of all accessions.
    osd_table : mapping of str to path-like, optional
        RR-10: whole differential-expression tables by accession.
    genes : mapping of str to path-like, optional
        RR-10: gene lists by organism.
    jobs : int
        Processes; 0: as many as there are processors.
    output_dir : path-like, optional
        Parent of the run's folder; nothing is written without it.

    Returns
    -------
    Evaluation

    Raises
    ------
    UsageError, BadInputError, MissingResourceError
        See `eval_tiers.exceptions`; each carries its problems with file, line and field.

    Examples
    --------
    >>> import eval_tiers
    >>> found = eval_tiers.evaluate(tiers=(1,))
    >>> found.summary["n"] == len(found.samples)
    True
    """
    plan = make_plan(
        gt_dir=gt_dir, pred_dir=pred_dir, gt_file=gt_file, pred_file=pred_file,
        external_kg=external_kg, go_gmt=go_gmt, tiers=tiers, format=format, split=split,
        settings=settings, duplicates=duplicates, pair=pair, mode=mode, by=by,
        train_file=train_file, consensus=consensus, undirected=undirected,
        rr10_compat=rr10_compat, evidence=evidence, evidence_shown=evidence_shown,
        osd_registry=osd_registry, osd_table=osd_table, genes=genes, jobs=jobs,
    )  # fmt: skip
    import pandas as pd

    from eval_tiers.pipeline.evaluators import evaluator_of

    if output_dir is not None:
        written = write_evaluation(plan, output_dir)
        samples, chains, citations = (
            _read_table(written.paths.get(f"{name}.parquet")) for name in _KEPT
        )
        return Evaluation(
            samples,
            chains,
            citations,
            pd.read_csv(written.paths["file_summary.csv"]),
            written.summary,
            written.manifest,
            written.paths,
            written.run_dir,
        )
    kept = _KeptTables()
    evaluator = evaluator_of(plan.format_name)
    result = evaluator.run(plan, kept, as_csv=False)
    samples, chains, citations = (kept.frame(name) for name in _KEPT)
    return Evaluation(
        samples,
        chains,
        citations,
        pd.DataFrame(evaluator.file_rows(result)),
        evaluator.build_summary(result),
        evaluator.build_manifest(result, sys.argv[1:], "", []),
    )


def _read_table(path: Path | None) -> pd.DataFrame:
    import pandas as pd
    import pyarrow.parquet as pq

    return pd.DataFrame() if path is None else pq.read_table(path).to_pandas()


def make_plan(
    *,
    gt_dir: Pathname | None = None,
    pred_dir: Pathname | None = None,
    gt_file: Pathname | None = None,
    pred_file: Pathname | None = None,
    external_kg: Pathname | Sequence[Pathname] | Mapping[str, Pathname] | None = None,
    go_gmt: Pathname | Mapping[str, Pathname] | None = None,
    tiers: Iterable[int] = (1, 2),
    format: str = "auto",
    split: str | None = None,
    settings: Settings | None = None,
    duplicates: str | None = None,
    pair: str = "auto",
    mode: Mapping[str, int] | None = None,
    by: Sequence[str] = (),
    train_file: Pathname | None = None,
    consensus: bool = False,
    undirected: str = "skip",
    rr10_compat: bool = False,
    evidence: str = "auto",
    evidence_shown: bool | None = None,
    osd_registry: Pathname | None = None,
    osd_table: Mapping[str, Pathname] | None = None,
    genes: Mapping[str, Pathname] | None = None,
    jobs: int = 1,
    batch_rows: int | None = None,
) -> Plan:
    """Return the plan of an evaluation; parameters as `evaluate`.

    Raises
    ------
    UsageError
        Paths or options that don't fit together.
    BadInputError, MissingResourceError
        Folders or files that aren't there or can't be paired.
    """
    from eval_tiers.formats.base import ChainFormat
    from eval_tiers.io.benchmark_kind import choose_format
    from eval_tiers.io.demo import demo_inputs, rr10_demo_inputs
    from eval_tiers.io.pairs import find_pairs, single_pair
    from eval_tiers.pipeline.plan import (
        ALWAYS_SLICED,
        BATCH_ROWS,
        CitationOptions,
        Plan,
        require_chain_resources,
    )

    graphs, organism_graphs = _split_by_organism(external_kg)
    sets, organism_sets = _split_by_organism(go_gmt)
    given = [gt_dir, pred_dir, gt_file, pred_file]
    if all(path is None for path in given) and format == "rr10":
        bundled = rr10_demo_inputs()
        pairs = [single_pair(bundled.gold, bundled.predictions, split)]
        osd_registry = bundled.registry if osd_registry is None else osd_registry
        osd_table = bundled.tables if osd_table is None else osd_table
        genes = bundled.genes if genes is None else genes
    elif all(path is None for path in given):
        demo = demo_inputs()
        pairs = find_pairs(demo.gold, demo.predictions)
        graphs = graphs or [demo.graph]
        sets = sets or [demo.gene_sets]
    elif gt_dir is not None and pred_dir is not None and gt_file is None and pred_file is None:
        pairs = find_pairs(gt_dir, pred_dir)
    elif gt_file is not None and pred_file is not None and gt_dir is None and pred_dir is None:
        pairs = [single_pair(gt_file, pred_file, split)]
    else:
        raise UsageError(
            Problem(
                "half-a-pair",
                "gold and predictions come as two folders or as two files",
                fix="give --gt-dir with --pred-dir, or --gt-file with --pred-file",
            )
        )
    benchmark = choose_format(pairs[0].gold, format)
    citations = CitationOptions(
        compat=rr10_compat,
        evidence=evidence,
        evidence_shown=evidence_shown,
        registry_path=None if osd_registry is None else Path(osd_registry),
        table_paths={name: Path(path) for name, path in (osd_table or {}).items()},
        gene_list_paths={name: Path(path) for name, path in (genes or {}).items()},
        graph_paths=organism_graphs,
        gene_set_paths=organism_sets,
    )
    plan = Plan(
        pairs=tuple(pairs),
        tiers=frozenset(tiers),
        format_name=benchmark.name,
        graph_paths=tuple(graphs),
        gene_sets_path=sets[0] if sets else None,
        settings=settings or Settings(),
        duplicates=duplicates or ("last" if rr10_compat else "error"),
        pairing=pair,
        mode_signs={name.casefold(): sign for name, sign in (mode or {}).items()},
        by=tuple(name for name in dict.fromkeys(by) if name not in ALWAYS_SLICED),
        train_path=None if train_file is None else Path(train_file),
        consensus=consensus,
        undirected=undirected,
        citations=citations,
        jobs=jobs,
        batch_rows=batch_rows or BATCH_ROWS,
    )
    if isinstance(benchmark, ChainFormat):
        require_chain_resources(plan)
    return plan


def write_evaluation(
    plan: Plan,
    output_dir: Pathname = "outputs",
    *,
    arguments: Sequence[str] = (),
    spreadsheet_safe: bool = False,
    progress: Progress | None = None,
    errors_csv: Pathname | None = None,
) -> WrittenRun:
    """Run a plan and write its folder; memory is bounded by the batch.

    ``errors_csv`` names a file for the wrong rows, in the columns of RR-10's reference scorer.

    Raises
    ------
    BadInputError, MissingResourceError, InfrastructureError
        Then no folder is left behind.
    """
    import pyarrow as pa

    from eval_tiers.io.run_folder import RunFolder
    from eval_tiers.io.tables import csv_header
    from eval_tiers.pipeline.evaluators import evaluator_of

    evaluator = evaluator_of(plan.format_name)
    with ExitStack() as opened:
        errors = None if errors_csv is None else _open_errors(opened, Path(errors_csv))
        folder = opened.enter_context(RunFolder(Path(output_dir), spreadsheet_safe))
        columns = evaluator.columns_for(plan.tiers | {1})
        folder.add_csv_bytes("samples", csv_header([column.name for column in columns]))
        result = evaluator.run(plan, _FolderSink(folder, errors), progress, spreadsheet_safe)
        summary = evaluator.build_summary(result)
        summary["run_id"] = folder.run_id
        folder.add_json("summary", summary)
        folder.add_csv("file_summary", pa.Table.from_pylist(evaluator.file_rows(result)))
        pairs = evaluator.pair_rows(result)
        if pairs is not None:
            folder.add_csv("pairs", pairs)
        names = sorted([*folder.names, folder.name_of("manifest", "json")])
        manifest = evaluator.build_manifest(result, list(arguments), folder.run_id, names)
        manifest["spreadsheet_safe"] = spreadsheet_safe
        folder.add_json("manifest", manifest)
        return WrittenRun(folder.path, folder.finish(), summary, manifest)


def write_baselines(
    output_dir: Pathname,
    *,
    gt_dir: Pathname | None = None,
    gt_file: Pathname | None = None,
    format: str = "auto",
    train_file: Pathname | None = None,
    external_kg: Pathname | Sequence[Pathname] | None = None,
    consensus: bool = False,
    undirected: str = "skip",
    mode: Mapping[str, int] | None = None,
    duplicates: str = "error",
    seed: int = 0,
    score: bool = False,
    jobs: int = 1,
    arguments: Sequence[str] = (),
) -> WrittenBaselines:
    """Write answers that take no model as prediction files; score them if asked to.

    Parameters
    ----------
    output_dir : path-like
        A new or empty folder.
    gt_dir, gt_file : path-like, optional
        One of them; without either, the bundled demo data.
    format, train_file, external_kg, consensus, undirected, mode, duplicates
        As `evaluate`.
    seed : int
        Of the random answers.
    score : bool
        Whether to evaluate each (tier 1) into ``runs/<baseline>/``.
    jobs : int
        Processes for that; 0: as many as there are processors.
    arguments : sequence of str
        For the manifests.

    Raises
    ------
    UsageError, BadInputError, MissingResourceError
        See `eval_tiers.exceptions`.
    """
    from eval_tiers.io.benchmark_kind import choose_format
    from eval_tiers.io.demo import demo_inputs, rr10_demo_inputs
    from eval_tiers.io.pairs import find_gold, single_gold
    from eval_tiers.io.prediction_writing import write_baselines_manifest
    from eval_tiers.pipeline.baseline_answers import BaselineOptions
    from eval_tiers.pipeline.baselines import note_run, write_baseline_files

    if gt_dir is not None and gt_file is not None:
        told = "gold comes as a folder or as a file"
        fix = "give --gt-dir or --gt-file"
        raise UsageError(Problem("two-golds", told, fix=fix))
    if gt_dir is None and gt_file is None and format == "rr10":
        gt_file = rr10_demo_inputs().gold
    elif gt_dir is None and gt_file is None:
        demo = demo_inputs()
        gt_dir, external_kg = demo.gold, external_kg or demo.graph
    gold = find_gold(gt_dir) if gt_file is None and gt_dir is not None else []
    if gt_file is not None:
        gold = [single_gold(gt_file)]
    output, signs = Path(output_dir), {name.casefold(): sign for name, sign in (mode or {}).items()}
    written = write_baseline_files(
        gold,
        None if gt_dir is None else Path(gt_dir),
        choose_format(gold[0].path, format),
        output,
        BaselineOptions(
            None if train_file is None else Path(train_file),
            () if external_kg is None else tuple(_path_list(external_kg)),
            seed, duplicates, signs, consensus, undirected,
        ),
        arguments,
    )  # fmt: skip
    for made in written.baselines if score else ():
        plan = make_plan(
            gt_dir=gt_dir, pred_dir=None if gt_dir is None else made.path,
            gt_file=gt_file, pred_file=None if gt_file is None else made.path,
            tiers=(1,), format=written.format_name, duplicates=duplicates, mode=mode, jobs=jobs,
        )  # fmt: skip
        run = write_evaluation(plan, output / "runs" / made.name, arguments=arguments)
        note_run(written, made, run.run_dir, run.summary)
    write_baselines_manifest(output, written.manifest)
    return written


def export_rescue(samples_csv: Pathname, options: ExportOptions | None = None) -> WrittenExport:
    """Write a run's hard cases as requests to an examiner, with controls among them.

    Parameters
    ----------
    samples_csv : path-like
        Samples table of a run, in the run's folder; rows may be left out.
    options : eval_tiers.pipeline.rescue.export.ExportOptions, optional

    Raises
    ------
    UsageError, BadInputError, MissingResourceError
        See `eval_tiers.exceptions`.
    """
    from eval_tiers.pipeline.rescue.export import ExportOptions, export_run

    return export_run(Path(samples_csv), options or ExportOptions())


def merge_rescue(
    samples_csv: Pathname,
    replies: Pathname | Sequence[Pathname],
    options: MergeOptions | None = None,
) -> MergedRescue:
    """Merge an examiner's replies into a run's samples table.

    Parameters
    ----------
    samples_csv : path-like
        The table that was exported from.
    replies : path-like or sequence of them
        Reply files: partial, late, unordered, gzip.
    options : eval_tiers.pipeline.rescue.merge.MergeOptions, optional

    Raises
    ------
    RepliesError
        There are replies, and none of their ids is known.
    UsageError, BadInputError, MissingResourceError
        See `eval_tiers.exceptions`.
    """
    from eval_tiers.pipeline.rescue.merge import MergeOptions, merge_run

    return merge_run(Path(samples_csv), _path_list(replies), options or MergeOptions())


def export_labels(samples_csv: Pathname, options: SheetOptions | None = None) -> WrittenSheet:
    """Draw a sheet of exported cases for two people to judge.

    Parameters
    ----------
    samples_csv : path-like
        The table that was exported from.
    options : eval_tiers.pipeline.rescue.labels.SheetOptions, optional

    Raises
    ------
    UsageError, BadInputError, MissingResourceError
        See `eval_tiers.exceptions`.
    """
    from eval_tiers.pipeline.rescue.labels import SheetOptions, write_sheet

    return write_sheet(Path(samples_csv), options or SheetOptions())


def relabel(
    run_dir: Pathname,
    *,
    coverage: float | None = None,
    hallucination: float | None = None,
    unknown_nodes: str | None = None,
    output_dir: Pathname | None = None,
    arguments: Sequence[str] = (),
) -> RelabelledRun:
    """Give a finished run its error labels anew, under other thresholds, from its tables.

    Parameters
    ----------
    run_dir : path-like
        The run's folder; it stays as it is.
    coverage, hallucination : float, optional
        `Settings.coverage_threshold` and `Settings.hallucination_threshold`.
    unknown_nodes : {"hallucinated", "unverifiable"}, optional
        One of the three has to be given; the others stay as they were.
    output_dir : path-like, optional
        Parent of the new run's folder; that of the run by default.
    arguments : sequence of str
        For the manifest.

    Raises
    ------
    UsageError, BadInputError, MissingResourceError
        See `eval_tiers.exceptions`.
    """
    from eval_tiers.pipeline.relabel import RelabelOptions, relabel_run

    parent = None if output_dir is None else Path(output_dir)
    return relabel_run(
        Path(run_dir),
        RelabelOptions(coverage, hallucination, unknown_nodes, parent, tuple(arguments)),
    )


def write_report(run_dir: Pathname, output: Pathname | None = None) -> Path:
    """Write a run's folder as one HTML file that needs no network; return where it is.

    Parameters
    ----------
    run_dir : path-like
        The folder that an evaluation wrote.
    output : path-like, optional
        By default ``report_<timestamp>.html`` in that folder.

    Raises
    ------
    UsageError, BadInputError, MissingResourceError
        See `eval_tiers.exceptions`.
    """
    from eval_tiers.pipeline.reporting import place_report, read_report_parts, report_path
    from eval_tiers.report.html.build import build_report
    from eval_tiers.report.html.render import render_report

    parts = read_report_parts(Path(run_dir))
    path = report_path(parts.run, None if output is None else Path(output))
    summary, manifest, rescue = parts.figures
    report = build_report(summary, manifest, parts.bins, rescue, parts.ways, parts.enrichment)
    return place_report(render_report(report), path)


def compare_runs(*folders: Pathname, options: CompareOptions | None = None) -> RunComparison:
    """Compare runs on the same questions, row by row, each with each.

    Parameters
    ----------
    *folders : path-like
        Folders of runs, two or more; of two the one that is named first is the reference.
    options : eval_tiers.pipeline.comparison.CompareOptions, optional

    Raises
    ------
    UsageError, BadInputError, MissingResourceError
        See `eval_tiers.exceptions`.
    """
    from eval_tiers.pipeline.comparison import CompareOptions, compare_folders

    return compare_folders(_path_list(folders), options or CompareOptions())


def enrich(
    run_dir: Pathname,
    go_gmt: Pathname,
    *,
    min_genes: int = 5,
    min_term_genes: int = 2,
    organism: str | None = None,
    output_dir: Pathname | None = None,
    force: bool = False,
) -> Enrichment:
    """Find the gene sets that the genes of each error label of a run are enriched in.

    Parameters
    ----------
    run_dir : path-like
        A finished run's folder.
    go_gmt : path-like
        Gene sets.
    min_genes, min_term_genes : int
        Fewest genes of the background that a label, and a set, must have to be tested.
    organism : str, optional
        RR-10: whose mechanism edges.
    output_dir : path-like, optional
        Where table, summary and dot plot go; the run's folder by default.
    force : bool
        Replace files of those names.

    Raises
    ------
    UsageError, BadInputError, MissingResourceError
        See `eval_tiers.exceptions`; also where gseapy isn't installed.
    """
    from eval_tiers.pipeline.enrichment import EnrichOptions, enrich_run
    from eval_tiers.report.dot_plot import render_dot_plot

    parent = None if output_dir is None else Path(output_dir)
    options = EnrichOptions(min_genes, min_term_genes, organism, parent, force)
    return enrich_run(Path(run_dir), Path(go_gmt), options, render_dot_plot)


def _open_errors(opened: ExitStack, path: Path) -> ErrorsCsv:
    from eval_tiers.io.atomic import atomic_writer
    from eval_tiers.io.errors_csv import ErrorsCsv

    return ErrorsCsv(opened.enter_context(atomic_writer(path)))


_KEPT = ("samples", "chains", "citations")
_TABLES = (*_KEPT, "texts", "confidence")


class _FolderSink:
    """Writes tables as they come."""

    def __init__(self, folder: Any, errors: ErrorsCsv | None) -> None:
        self.folder, self.errors = folder, errors

    def take(self, result: Any) -> None:
        self.folder.add_csv_bytes("samples", result.samples_csv)
        for name in _TABLES:
            table = getattr(result, name, None)
            if table is not None:
                self.folder.add_table(name, table)
        if self.errors is not None:
            self.errors.add(result.samples)


def view(run_dir: Pathname, port: int, on_start: Callable[[str], None]) -> None:
    """Serve a web app over a run's folder, on this machine's loopback address, until stopped.

    Parameters
    ----------
    run_dir : path-like
        The folder that `evaluate` or ``eval`` wrote.
    port : int
        0 takes any free one.
    on_start : callable
        Called with the address once it can be opened.

    Raises
    ------
    MissingResourceError
        No run there, a port that is taken, or ``eval-tiers[view]`` isn't installed.
    BadInputError
        A table of the run can't be read.
    """
    from eval_tiers.viewer.server import serve

    serve(Path(run_dir), port, on_start)


class _KeptTables:
    """Keeps tables in memory."""

    def __init__(self) -> None:
        self.tables: dict[str, list[pa.Table]] = {name: [] for name in _KEPT}

    def take(self, result: Any) -> None:
        for name, parts in self.tables.items():
            table = getattr(result, name, None)
            if table is not None:
                parts.append(table)

    def frame(self, name: str) -> pd.DataFrame:
        """Return a table as a frame; an empty one where it was never given."""
        import pandas as pd
        import pyarrow as pa

        parts = self.tables[name]
        return pa.concat_tables(parts).to_pandas() if parts else pd.DataFrame()


def _split_by_organism(
    paths: Pathname | Sequence[Pathname] | Mapping[str, Pathname] | None,
) -> tuple[list[Path], dict[str, Path]]:
    """Return files for all organisms, and files by organism (``""``: for all the others)."""
    if paths is None:
        return [], {}
    if isinstance(paths, Mapping):
        named = {name: Path(path) for name, path in paths.items()}
        rest = named.pop("", None)
        return [] if rest is None else [rest], named
    return _path_list(paths), {}


def _path_list(paths: Pathname | Sequence[Pathname]) -> list[Path]:
    if isinstance(paths, (str, os.PathLike)):
        return [Path(paths)]
    return [Path(path) for path in paths]
