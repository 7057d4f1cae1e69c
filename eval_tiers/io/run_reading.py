"""Reading a finished run's folder again: summary, manifest, and counts out of its tables."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson

from eval_tiers.exceptions import (
    BadInputError,
    MissingResourceError,
    Problem,
    SourceRef,
    UsageError,
)
from eval_tiers.io.sources import read_bytes, reason_of

BIN_N: Final = 20
"""Bins of a histogram of a similarity, from 0 to 1."""

_STAMP: Final = re.compile(r"\d{8}_\d{6}")
_NEEDED: Final = ("format", "tiers", "settings", "metrics_version", "n", "ledger")
_MOST_NAMED: Final = 3
_FLOW_COLUMNS: Final = (
    "error_label",
    "llm_rescue_label",
    "llm_rescue_verdict",
    "error_label_after_rescue",
)


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A run's folder, as far as it is read to be looked at.

    Attributes
    ----------
    folder : Path
    timestamp : str
        In the names of the run's files.
    summary, manifest : dict
    rescue : dict or None
        The figures of the newest merge of an examiner's verdicts; None where there was none.
    """

    folder: Path
    timestamp: str
    summary: Mapping[str, Any]
    manifest: Mapping[str, Any]
    rescue: Mapping[str, Any] | None = None

    def path_of(self, stem: str, suffix: str) -> Path | None:
        """Return one of the run's files; None where the run has none."""
        path = self.folder / f"{stem}_{self.timestamp}.{suffix}"
        return path if path.is_file() else None

    @property
    def files(self) -> list[Path]:
        """The run's own files: nothing may be written in their place."""
        return [path for path in self.folder.iterdir() if self.timestamp in path.name]


def read_run(folder: Path, metrics_versions: Mapping[str, str] | None = None) -> FinishedRun:
    """Read the summary and the manifest of a run.

    Parameters
    ----------
    folder : Path
        ``outputs/<timestamp>``.
    metrics_versions : mapping of str to str, optional
        Known metric definitions by format; a run of others is refused.

    Raises
    ------
    MissingResourceError
        There is no such folder, or no finished run in it.
    UsageError
        Several runs lie in it.
    BadInputError
        A file of the run isn't what it should be, or is of another version.
    """
    found = _summaries_in(folder)
    if not found:
        raise _no_run(folder)
    if len(found) > 1:
        raise UsageError(
            Problem(
                "several-runs",
                f"{len(found)} summaries lie in this folder",
                SourceRef(str(folder)),
                "leave one run in a folder, as eval writes it",
            )
        )
    summary = read_object(found[0], "summary")
    _require_known(summary, found[0], metrics_versions)
    stamp = _STAMP.search(found[0].name)
    timestamp = stamp[0] if stamp else found[0].stem.removeprefix("summary_")
    manifest_path = folder / f"manifest_{timestamp}.json"
    manifest = read_object(manifest_path, "manifest") if manifest_path.is_file() else {}
    return FinishedRun(folder, timestamp, summary, manifest, _read_rescue(folder, summary))


def similarity_bins(run: FinishedRun, column: str) -> dict[str | None, list[int]] | None:
    """Return a histogram of a similarity by error label, from the samples table.

    Parameters
    ----------
    run : FinishedRun
    column : str
        Of the samples table; from 0 to 1, null where undefined. Nulls are not counted.

    Returns
    -------
    dict of str or None to list of int, or None
        `BIN_N` counts a label, the last bin with 1 in it; None for rows without a label. None
        where the run has no such table or column.

    Raises
    ------
    BadInputError
        The table can't be read.
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    path = run.path_of("samples", "parquet")
    if path is None:
        return None
    found: dict[str | None, list[int]] = {}
    try:
        with pq.ParquetFile(path) as table:
            if not {column, "error_label"} <= set(table.schema_arrow.names):
                return None
            for batch in table.iter_batches(1 << 16, columns=["error_label", column]):
                rows = pa.Table.from_batches([batch]).filter(pc.is_valid(batch[column]))
                scaled = pc.floor(pc.multiply(pc.cast(rows[column], pa.float64()), float(BIN_N)))
                numbers = np.clip(scaled.to_numpy(), 0, BIN_N - 1).astype(np.int64)
                labels = pc.cast(rows["error_label"], pa.string())
                counted = (
                    pa.table({"label": labels, "bin": numbers})
                    .group_by(["label", "bin"])
                    .aggregate([([], "count_all")])
                )
                for row in counted.to_pylist():
                    bins = found.setdefault(row["label"], [0] * BIN_N)
                    bins[row["bin"]] += row["count_all"]
    except (pa.ArrowException, OSError) as error:
        raise damaged(path, "samples", error) from error
    return found


def rescue_flow(run: FinishedRun) -> list[tuple[str, str, str | None, str, int]] | None:
    """Count the ways from an error label over a verdict to the final label.

    Returns
    -------
    list of tuple, or None
        (error label, kind of question, verdict or None, final label, rows), sorted; only rows
        that an examiner replied to. None where the table of the merge isn't in the folder.

    Raises
    ------
    BadInputError
        The table can't be read.
    """
    import pyarrow as pa
    import pyarrow.csv as csv

    path = _newest_rescue(run.folder, "csv")
    if path is None:
        return None
    try:
        table = csv.read_csv(
            path,
            read_options=csv.ReadOptions(block_size=1 << 24),
            parse_options=csv.ParseOptions(newlines_in_values=True),
            convert_options=csv.ConvertOptions(
                include_columns=list(_FLOW_COLUMNS),
                column_types={name: pa.string() for name in _FLOW_COLUMNS},
                strings_can_be_null=True,
                quoted_strings_can_be_null=True,
            ),
        )
    except (pa.ArrowException, OSError) as error:
        raise damaged(path, "rescued samples", error) from error
    counted = table.group_by(list(_FLOW_COLUMNS)).aggregate([([], "count_all")]).to_pylist()
    rows = [
        (
            row["error_label"] or "none",
            row["llm_rescue_label"],
            row["llm_rescue_verdict"],
            row["error_label_after_rescue"] or "none",
            row["count_all"],
        )
        for row in counted
        if row["llm_rescue_label"] is not None
    ]
    return sorted(rows, key=lambda row: (row[0], row[1], row[2] or "~", row[3]))


def _summaries_in(folder: Path) -> list[Path]:
    where = SourceRef(str(folder))
    fix = "name a run's folder, such as outputs/20260131_120000"
    try:
        if folder.is_dir():
            return sorted(folder.glob("summary_*.json"))
        there = folder.exists()
    except (OSError, ValueError) as error:
        message = f"the run's folder can't be read: {reason_of(error)}"
        raise MissingResourceError(Problem("unreadable-path", message, where, fix)) from error
    if there:
        message = "this is no folder"
        raise BadInputError(Problem("not-a-folder", message, where, fix))
    raise MissingResourceError(Problem("no-such-folder", "there is no such folder", where, fix))


def _no_run(folder: Path) -> MissingResourceError:
    """Return the error that fits what does lie in the folder."""
    where = SourceRef(str(folder))
    if any(folder.glob(".*.part")):
        message = "the run in this folder was never finished, or is still running"
        return MissingResourceError(
            Problem("unfinished-run", message, where, "wait for it, or run eval again")
        )
    runs = sorted({path.parent.name for path in folder.glob("*/summary_*.json")}, reverse=True)
    fix = "name the folder that eval wrote: it holds summary_<timestamp>.json"
    if runs:
        named = ", ".join(runs[:_MOST_NAMED]) + (", ..." if len(runs) > _MOST_NAMED else "")
        fix = f"name one of the runs in it: {named}"
    return MissingResourceError(
        Problem("no-run", "there is no run's summary in this folder", where, fix)
    )


def read_object(path: Path, role: str, fix: str = "run eval again") -> dict[str, Any]:
    """Read a JSON object of a run's folder; raises `BadInputError` for anything else."""
    where = SourceRef(str(path))
    try:
        found = orjson.loads(read_bytes(path, f"run's {role}"))
    except orjson.JSONDecodeError as error:
        message = f"the run's {role} is no JSON: {error}"
        raise BadInputError(Problem(f"bad-{role}", message, where, fix)) from error
    if not isinstance(found, dict):
        message = f"the run's {role} is no JSON object"
        raise BadInputError(Problem(f"bad-{role}", message, where, fix))
    return found


def _require_known(
    summary: Mapping[str, Any], path: Path, versions: Mapping[str, str] | None
) -> None:
    where = SourceRef(str(path))
    lacking = [name for name in _NEEDED if name not in summary]
    if lacking:
        message = f"this is no summary of a run: it lacks {', '.join(lacking)}"
        raise BadInputError(Problem("bad-summary", message, where, "run eval again"))
    if versions is None:
        return
    name, version = str(summary["format"]), str(summary["metrics_version"])
    if versions.get(name) != version:
        message = (
            f"the run is of format {name[:80]!r} by metrics {version[:80]!r}, "
            f"this version knows {', '.join(sorted(versions.values()))}"
        )
        fix = "run eval again, or use the version of eval_tiers that wrote it"
        raise BadInputError(Problem("another-version", message, where, fix))


def _newest_rescue(folder: Path, suffix: str) -> Path | None:
    found = sorted(folder.glob(f"samples_with_rescue_*.{suffix}"))
    return found[-1] if found else None


def _read_rescue(folder: Path, summary: Mapping[str, Any]) -> dict[str, Any] | None:
    path = _newest_rescue(folder, "json")
    if path is None:
        return None
    rescue = read_object(path, "rescue-summary")
    if rescue.get("run_id") != summary.get("run_id"):
        message = "these verdicts were merged into another run"
        fix = "merge again, into this run's samples, or take the file away"
        where = SourceRef(str(path))
        raise BadInputError(Problem("rescue-of-another-run", message, where, fix))
    return rescue


def damaged(path: Path, role: str, error: Exception) -> BadInputError:
    """Return the error of a table that can't be read."""
    reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
    return BadInputError(
        Problem(
            "bad-table",
            f"the table of {role} can't be read: {reason}",
            SourceRef(str(path)),
            "run eval again",
        )
    )
