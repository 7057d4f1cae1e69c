"""Evaluations: in memory as frames, or written to a folder."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eval_tiers.api.paths import Pathname
from eval_tiers.api.plans import make_plan
from eval_tiers.settings import Settings

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from eval_tiers.io.errors_csv import ErrorsCsv
    from eval_tiers.pipeline.plan import Plan, Progress

_KEPT = ("samples", "chains", "citations")
_TABLES = (*_KEPT, "texts", "confidence")


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
    cluster: str | None = None,
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
    cluster : str, optional
        Which rows belong together where intervals are worked out: ``readout`` (default),
        ``perturbation``, ``perturbation+readout``, ``cell_line`` or ``none``; of RR-10 ``pair``
        (default), ``gene``, ``context`` or ``none``.
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
        settings=settings, duplicates=duplicates, pair=pair, mode=mode, by=by, cluster=cluster,
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
        _file_frame(evaluator.file_rows(result)),
        evaluator.build_summary(result),
        evaluator.build_manifest(result, sys.argv[1:], "", []),
    )


def _file_frame(rows: Sequence[Mapping[str, object]]) -> pd.DataFrame:
    """Return the table of files; a column of nulls alone is one of numbers, as read from CSV."""
    import pandas as pd

    frame = pd.DataFrame(rows)
    empty = [name for name in frame.columns if frame[name].isna().all()]
    return frame.astype(dict.fromkeys(empty, "float64"))


def _read_table(path: Path | None) -> pd.DataFrame:
    import pandas as pd
    import pyarrow.parquet as pq

    return pd.DataFrame() if path is None else pq.read_table(path).to_pandas()


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


def _open_errors(opened: ExitStack, path: Path) -> ErrorsCsv:
    from eval_tiers.io.atomic import atomic_writer
    from eval_tiers.io.errors_csv import ErrorsCsv

    return ErrorsCsv(opened.enter_context(atomic_writer(path)))


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
