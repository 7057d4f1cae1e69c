"""Gives a finished run its error labels anew, under other thresholds, from its own tables.

No text is read again: the tables hold every input of the label rules. What rests on labels is
worked out anew; every other figure is that of the run.
"""

from __future__ import annotations

import hashlib
import re
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from eval_tiers.domain.columns import columns_for
from eval_tiers.domain.rr10_columns import rr10_columns_for
from eval_tiers.exceptions import BadInputError, Problem, SourceRef, UsageError
from eval_tiers.io.run_folder import RunFolder
from eval_tiers.io.run_reading import FinishedRun
from eval_tiers.io.sources import read_bytes
from eval_tiers.io.table_reader import TableReader
from eval_tiers.io.tables import csv_header, render_csv
from eval_tiers.pipeline.labelled_run import (
    clustering_of,
    is_cited,
    is_spreadsheet_safe,
    open_labelled_run,
    settings_of,
    table_of,
    tiers_of,
)
from eval_tiers.pipeline.manifest import environment
from eval_tiers.pipeline.relabel_chains import CHAIN_INPUTS, ChainRelabeller
from eval_tiers.pipeline.relabel_citations import CITATION_INPUTS, CitationRelabeller
from eval_tiers.settings import Settings
from eval_tiers.summaries.relabelled import (
    changed_figures,
    replace_file_rows,
    replaced,
    transition_rows,
)

_THRESHOLDS: Final = ("hallucination_threshold", "coverage_threshold", "unknown_nodes")
_WRITTEN_ANEW: Final = ("samples", "file_summary")


@dataclass(frozen=True, slots=True)
class RelabelOptions:
    """What to label by; None keeps what the run had.

    Attributes
    ----------
    coverage_threshold, hallucination_threshold : float, optional
    unknown_nodes : {"hallucinated", "unverifiable"}, optional
    output_dir : Path, optional
        Parent of the new run's folder; that of the run by default.
    arguments : tuple of str
        For the manifest.
    """

    coverage_threshold: float | None = None
    hallucination_threshold: float | None = None
    unknown_nodes: str | None = None
    output_dir: Path | None = None
    arguments: tuple[str, ...] = ()


@dataclass(slots=True)
class RelabelledRun:
    """The run that was written.

    Attributes
    ----------
    run_dir : Path
    paths : dict of str to Path
        By name without timestamp.
    summary, manifest : dict
    before : dict
        Summary of the run that it came from.
    """

    run_dir: Path
    paths: dict[str, Path]
    summary: dict[str, Any]
    manifest: dict[str, Any]
    before: dict[str, Any]


def relabel_run(run_dir: Path, options: RelabelOptions) -> RelabelledRun:
    """Label a run anew and write a folder of its own.

    Raises
    ------
    UsageError
        No threshold is given, one is out of range, or one has no meaning for the benchmark.
    MissingResourceError
        There is no finished run, or one of its tables is gone.
    BadInputError
        It ran without tier 2, is of another version, or a table is damaged.
    """
    started = time.perf_counter()
    run = open_labelled_run(run_dir)
    old = settings_of(run)
    new = _new_settings(old, options, run)
    cited = is_cited(run)
    columns = (rr10_columns_for if cited else columns_for)(tiers_of(run))
    samples = table_of(run, "samples", [column.name for column in columns])
    labeller = _labeller(run, old, new)
    parent = options.output_dir or run_dir.absolute().parent
    with RunFolder(parent, is_spreadsheet_safe(run)) as folder:
        row_n = _write_samples(folder, samples, labeller, is_spreadsheet_safe(run))
        if row_n != run.summary.get("row_n"):
            raise samples.fault(f"it has {row_n:,} rows, the summary says otherwise")
        _copy_tables(folder, run)
        summary = _summary(run, labeller, new)
        summary["run_id"] = folder.run_id
        _write_file_rows(folder, run, summary, labeller.by_file())
        folder.add_json("summary", summary)
        names = sorted([*folder.names, folder.name_of("manifest", "json")])
        manifest = _manifest(run, options, new, folder.run_id, names)
        manifest["seconds"] = {"relabel": round(time.perf_counter() - started, 3)}
        folder.add_json("manifest", manifest)
        return RelabelledRun(folder.path, folder.finish(), summary, manifest, dict(run.summary))


def _new_settings(old: Settings, options: RelabelOptions, run: FinishedRun) -> Settings:
    given = {name: value for name in _THRESHOLDS if (value := getattr(options, name)) is not None}
    if not given:
        raise UsageError(
            Problem(
                "nothing-to-change",
                "no threshold is given",
                fix="give --coverage, --hallucination or --unknown-nodes",
            )
        )
    if "unknown_nodes" in given and is_cited(run):
        message = f"--unknown-nodes has no meaning for format {run.summary['format']}"
        raise UsageError(Problem("option-without-effect", message, fix="leave it out"))
    return replace(old, **given)


def _labeller(
    run: FinishedRun, old: Settings, new: Settings
) -> ChainRelabeller | CitationRelabeller:
    tiers = tiers_of(run)
    if is_cited(run):
        cites = run.summary.get("cited_citation_n")
        return CitationRelabeller(
            tiers,
            new,
            table_of(run, "citations", CITATION_INPUTS) if cites else None,
            bool(run.manifest.get("evidence_expected")),
            clustering_of(run),
        )
    anew = new.unknown_nodes != old.unknown_nodes
    chains = table_of(run, "chains", CHAIN_INPUTS) if anew else None
    return ChainRelabeller(tiers, new, chains, clustering_of(run))


def _write_samples(
    folder: RunFolder,
    samples: TableReader,
    labeller: ChainRelabeller | CitationRelabeller,
    spreadsheet_safe: bool,
) -> int:
    folder.add_csv_bytes("samples", csv_header(samples.names))
    row_n = 0
    for part in samples.groups():
        try:
            found = labeller.relabel(part)
        except (ValueError, pa.ArrowException) as error:
            raise samples.fault(str(error).splitlines()[0][:160]) from error
        row_n += found.num_rows
        folder.add_table("samples", found)
        folder.add_csv_bytes("samples", render_csv(found, spreadsheet_safe, header=False))
    return row_n


def _copy_tables(folder: RunFolder, run: FinishedRun) -> None:
    """Copy the tables that labels don't change, so that the new folder is a whole run."""
    ending = re.compile(rf"(\w+)_{run.timestamp}\.(parquet|csv)")
    for name in map(str, run.manifest.get("files") or ()):
        found = ending.fullmatch(name)
        if found is None or found[1] in _WRITTEN_ANEW:
            continue
        if found[2] == "csv":
            folder.add_csv_bytes(found[1], read_bytes(run.folder / name, f"table of {found[1]}"))
            continue
        for part in table_of(run, found[1]).groups():
            folder.add_table(found[1], part)


def _summary(
    run: FinishedRun, labeller: ChainRelabeller | CitationRelabeller, new: Settings
) -> dict[str, Any]:
    before, pooled = run.summary, labeller.pooled()
    summary, nulled = replaced(before, pooled, labeller.by_slice())
    matrix = labeller.matrix
    old = settings_of(run).as_dict()
    summary["settings"] = new.as_dict()
    summary["relabelled"] = {
        "from_run_id": run.summary.get("run_id"),
        "settings": {
            name: {"before": old[name], "after": new.as_dict()[name]}
            for name in _THRESHOLDS
            if old[name] != new.as_dict()[name]
        },
        "row_n": int(matrix.sum()),
        "changed_n": int(matrix.sum() - matrix.trace()),
        "hard_case_changed_n": labeller.hard_changed_n,
        "error_distribution": {
            "before": before["error_distribution"],
            "after": summary["error_distribution"],
        },
        "transitions": transition_rows(matrix),
        "figures": changed_figures(before, pooled),
        "not_worked_out": dict.fromkeys(
            nulled, "the samples table doesn't have the field: evaluate again for these slices"
        ),
    }
    return summary


def _write_file_rows(
    folder: RunFolder, run: FinishedRun, summary: dict[str, Any], by_file: dict[str, dict[str, Any]]
) -> None:
    """Write the table of files with its new figures, and put them into the summary."""
    if "files" in summary:
        replace_file_rows(summary["files"], by_file)
        folder.add_csv("file_summary", pa.Table.from_pylist(summary["files"]))
        return
    from pyarrow import csv

    path = run.folder / f"file_summary_{run.timestamp}.csv"
    data = read_bytes(path, "table of files")
    try:
        rows = csv.read_csv(pa.BufferReader(data)).to_pylist()
    except pa.ArrowException as error:
        message = "the table of files can't be read"
        raise BadInputError(Problem("bad-table", message, SourceRef(str(path)))) from error
    replace_file_rows(rows, {str(row.get("gold_path")): by_file[""] for row in rows})
    folder.add_csv("file_summary", pa.Table.from_pylist(rows))


def _manifest(
    run: FinishedRun, options: RelabelOptions, new: Settings, run_id: str, names: list[str]
) -> dict[str, Any]:
    summary = run.folder / f"summary_{run.timestamp}.json"
    source: dict[str, Any] = {
        "run_id": run.summary.get("run_id"),
        "run_dir": str(run.folder),
        "summary_sha256": hashlib.sha256(read_bytes(summary, "run's summary")).hexdigest(),
        "settings": run.manifest["settings"],
        "eval_tiers_version": run.manifest.get("eval_tiers_version"),
        "arguments": run.manifest.get("arguments"),
    }
    if "relabelled_from" in run.manifest:
        source["relabelled_from"] = run.manifest["relabelled_from"]
    return {
        **run.manifest,
        **environment(run_id, list(options.arguments)),
        "settings": new.as_dict(),
        "files": names,
        "relabelled_from": source,
    }
