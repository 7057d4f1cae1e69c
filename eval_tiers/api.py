"""The public Python API: what the command line does, with frames for files."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eval_tiers.exceptions import Problem, UsageError
from eval_tiers.settings import Settings

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from eval_tiers.pipeline.plan import Plan
    from eval_tiers.pipeline.run import Progress
    from eval_tiers.pipeline.worker import BatchResult

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
        on_path. Empty when tiers 2 and 3 did not run.
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
    external_kg: Pathname | Sequence[Pathname] | None = None,
    go_gmt: Pathname | None = None,
    tiers: Iterable[int] = (1, 2),
    format: str = "auto",
    split: str | None = None,
    settings: Settings | None = None,
    duplicates: str = "error",
    pair: str = "auto",
    mode: Mapping[str, int] | None = None,
    by: Sequence[str] = (),
    train_file: Pathname | None = None,
    consensus: bool = False,
    undirected: str = "skip",
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
    external_kg : path-like or sequence of them, optional
        Signed knowledge graph for tier 2, in any format that ``kg info`` reads.
    go_gmt : path-like, optional
        Gene sets for tier 3.
    tiers : iterable of int
        Of 1, 2, 3. Default 1 and 2; tier 1 always runs.
    format : str
        Benchmark format, ``auto`` to tell it from the gold file.
    split : str, optional
        Name of the split of a single pair; the gold file's folder by default.
    settings : Settings, optional
        Thresholds.
    duplicates : {"error", "first", "last"}
        What to do with an id that is given twice.
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
        train_file=train_file, consensus=consensus, undirected=undirected, jobs=jobs,
    )  # fmt: skip
    import pandas as pd
    import pyarrow as pa

    from eval_tiers.pipeline.run import run
    from eval_tiers.pipeline.summary import build_manifest, build_summary, file_rows

    if output_dir is not None:
        written = write_evaluation(plan, output_dir)
        import pyarrow.parquet as pq

        chains = written.paths.get("chains.parquet")
        return Evaluation(
            pq.read_table(written.paths["samples.parquet"]).to_pandas(),
            pd.DataFrame() if chains is None else pq.read_table(chains).to_pandas(),
            pd.read_csv(written.paths["file_summary.csv"]),
            written.summary,
            written.manifest,
            written.paths,
            written.run_dir,
        )
    kept = _KeptTables()
    result = run(plan, kept, as_csv=False)
    return Evaluation(
        pa.concat_tables(kept.samples).to_pandas() if kept.samples else pd.DataFrame(),
        pa.concat_tables(kept.chains).to_pandas() if kept.chains else pd.DataFrame(),
        pd.DataFrame(file_rows(result)),
        build_summary(result),
        build_manifest(result, sys.argv[1:], "", []),
    )


def make_plan(
    *,
    gt_dir: Pathname | None = None,
    pred_dir: Pathname | None = None,
    gt_file: Pathname | None = None,
    pred_file: Pathname | None = None,
    external_kg: Pathname | Sequence[Pathname] | None = None,
    go_gmt: Pathname | None = None,
    tiers: Iterable[int] = (1, 2),
    format: str = "auto",
    split: str | None = None,
    settings: Settings | None = None,
    duplicates: str = "error",
    pair: str = "auto",
    mode: Mapping[str, int] | None = None,
    by: Sequence[str] = (),
    train_file: Pathname | None = None,
    consensus: bool = False,
    undirected: str = "skip",
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
    from eval_tiers.io.demo import demo_inputs
    from eval_tiers.io.pairs import find_pairs, single_pair
    from eval_tiers.pipeline.plan import ALWAYS_SLICED, BATCH_ROWS, Plan

    graphs = [] if external_kg is None else _path_list(external_kg)
    given = [gt_dir, pred_dir, gt_file, pred_file]
    if all(path is None for path in given):
        demo = demo_inputs()
        pairs = find_pairs(demo.gold, demo.predictions)
        graphs = graphs or [demo.graph]
        go_gmt = demo.gene_sets if go_gmt is None else go_gmt
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
    return Plan(
        pairs=tuple(pairs),
        tiers=frozenset(tiers),
        format_name=format,
        graph_paths=tuple(graphs),
        gene_sets_path=None if go_gmt is None else Path(go_gmt),
        settings=settings or Settings(),
        duplicates=duplicates,
        pairing=pair,
        mode_signs={name.casefold(): sign for name, sign in (mode or {}).items()},
        by=tuple(name for name in dict.fromkeys(by) if name not in ALWAYS_SLICED),
        train_path=None if train_file is None else Path(train_file),
        consensus=consensus,
        undirected=undirected,
        jobs=jobs,
        batch_rows=batch_rows or BATCH_ROWS,
    )


def write_evaluation(
    plan: Plan,
    output_dir: Pathname = "outputs",
    *,
    arguments: Sequence[str] = (),
    spreadsheet_safe: bool = False,
    progress: Progress | None = None,
) -> WrittenRun:
    """Run a plan and write its folder; memory is bounded by the batch.

    Raises
    ------
    BadInputError, MissingResourceError, InfrastructureError
        Then no folder is left behind.
    """
    import pyarrow as pa

    from eval_tiers.domain.columns import columns_for
    from eval_tiers.io.run_folder import RunFolder
    from eval_tiers.io.tables import csv_header
    from eval_tiers.pipeline.run import run
    from eval_tiers.pipeline.summary import build_manifest, build_summary, file_rows

    with RunFolder(Path(output_dir), spreadsheet_safe) as folder:
        header = csv_header([column.name for column in columns_for(plan.tiers | {1})])
        folder.add_csv_bytes("samples", header)
        result = run(plan, _FolderSink(folder), progress, spreadsheet_safe)
        summary = build_summary(result)
        summary["run_id"] = folder.run_id
        folder.add_json("summary", summary)
        folder.add_csv("file_summary", pa.Table.from_pylist(file_rows(result)))
        names = sorted([*folder.names, folder.name_of("manifest", "json")])
        manifest = build_manifest(result, list(arguments), folder.run_id, names)
        folder.add_json("manifest", manifest)
        return WrittenRun(folder.path, folder.finish(), summary, manifest)


class _FolderSink:
    """Writes tables as they come."""

    def __init__(self, folder: Any) -> None:
        self.folder = folder

    def take(self, result: BatchResult) -> None:
        self.folder.add_csv_bytes("samples", result.samples_csv)
        self.folder.add_table("samples", result.samples)
        self.folder.add_table("texts", result.texts)
        if result.chains is not None:
            self.folder.add_table("chains", result.chains)


class _KeptTables:
    """Keeps tables in memory."""

    def __init__(self) -> None:
        self.samples: list[pa.Table] = []
        self.chains: list[pa.Table] = []

    def take(self, result: BatchResult) -> None:
        self.samples.append(result.samples)
        if result.chains is not None:
            self.chains.append(result.chains)


def _path_list(paths: Pathname | Sequence[Pathname]) -> list[Path]:
    if isinstance(paths, (str, os.PathLike)):
        return [Path(paths)]
    return [Path(path) for path in paths]
