"""The run that is looked at: its files, checked before anything is served."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson

from eval_tiers.exceptions import BadInputError, MissingResourceError, Problem, SourceRef
from eval_tiers.formats.base import BenchmarkFormat
from eval_tiers.formats.registry import known_formats
from eval_tiers.io.sources import read_bytes, require_file

_MANIFEST: Final = re.compile(r"manifest_(\d{8}_\d{6})\.json")
NEEDED_COLUMNS: Final = frozenset(
    {"sample_id", "rollout", "gold_label", "predicted_label", "source_path", "source_line"}
)
_PARENTS: Final = 3
_FIX: Final = "name the folder that eval wrote, such as outputs/20260101_120000"


@dataclass(frozen=True, slots=True)
class ViewedRun:
    """A run's folder, as far as it is shown.

    Attributes
    ----------
    folder : Path
        Absolute.
    timestamp : str
        In the names of the run's files.
    manifest : dict
    benchmark : BenchmarkFormat
    columns : tuple of str
        Of the samples table, in order.
    sample_n : int
        Its rows.
    samples : Path
    chains, citations, texts, rescued : Path or None
        None where the run has no such table.
    """

    folder: Path
    timestamp: str
    manifest: Mapping[str, Any]
    benchmark: BenchmarkFormat
    columns: tuple[str, ...]
    sample_n: int
    samples: Path
    chains: Path | None
    citations: Path | None
    texts: Path | None
    rescued: Path | None

    @property
    def is_cited(self) -> bool:
        """Whether answers cite datasets (RR-10) and not chains."""
        return self.citations is not None or "item_type" in self.columns


def open_run(folder: Path) -> ViewedRun:
    """Find the files of a run and check that they can be read.

    Raises
    ------
    MissingResourceError
        No such folder, no run in it, or a run without its samples table.
    BadInputError
        A manifest or table that is none, or one of several runs.
    """
    path = _manifest_in(folder)
    stamp = _MANIFEST.fullmatch(path.name)
    timestamp = stamp[1] if stamp else ""
    manifest = _read_manifest(path)
    samples = folder / f"samples_{timestamp}.parquet"
    if not samples.exists():
        raise MissingResourceError(
            Problem(
                "half-a-run",
                "the run has no samples table: it was not finished, or files were taken away",
                SourceRef(str(samples)),
                "evaluate again, or name the folder of another run",
            )
        )
    columns, sample_n = _read_footer(require_file(samples, "samples table"))
    missing = sorted(NEEDED_COLUMNS.difference(columns))
    if missing:
        raise BadInputError(
            Problem(
                "bad-table",
                f"the samples table lacks {', '.join(missing)}: no table of this version's eval",
                SourceRef(str(samples)),
                "evaluate again with this version",
            )
        )
    tables: dict[str, Path | None] = {}
    for stem, suffix in (
        ("chains", "parquet"),
        ("citations", "parquet"),
        ("texts", "parquet"),
        ("samples_with_rescue", "csv"),
    ):
        table = folder / f"{stem}_{timestamp}.{suffix}"
        tables[stem] = table.absolute() if table.is_file() else None
        if table.is_file() and suffix == "parquet":
            _read_footer(table)
    return ViewedRun(
        folder=folder.absolute(),
        timestamp=timestamp,
        manifest=manifest,
        benchmark=known_formats()[manifest["format"]],
        columns=columns,
        sample_n=sample_n,
        samples=samples.absolute(),
        chains=tables["chains"],
        citations=tables["citations"],
        texts=tables["texts"],
        rescued=tables["samples_with_rescue"],
    )


def locate_input(run: ViewedRun, stated: str, roles: frozenset[str]) -> Path | None:
    """Return where an input of a run lies now, None where it is gone or none of the run's.

    A relative path is tried from the current folder, the run's folder and the three above it.
    """
    named = any(
        one.get("path") == stated and one.get("role") in roles for one in run.manifest["inputs"]
    )
    if not named:
        return None
    for base in (Path(), run.folder, *list(run.folder.parents)[:_PARENTS]):
        if (base / stated).is_file():
            return base / stated
    return None


def _manifest_in(folder: Path) -> Path:
    where = SourceRef(str(folder))
    if not folder.exists():
        raise MissingResourceError(
            Problem("no-such-folder", "there is no such folder", where, _FIX)
        )
    if not folder.is_dir():
        raise BadInputError(
            Problem("not-a-folder", "this is a file, not a run's folder", where, _FIX)
        )
    found = [path for path in sorted(folder.iterdir()) if _MANIFEST.fullmatch(path.name)]
    if len(found) == 1:
        return found[0]
    if found:
        raise BadInputError(
            Problem(
                "several-runs",
                f"the folder holds the manifests of {len(found)} runs",
                where,
                "give each run a folder of its own",
            )
        )
    inside = sorted(
        path.parent.name
        for path in folder.glob("*/manifest_*.json")
        if _MANIFEST.fullmatch(path.name)
    )
    fix = (
        f"it holds the folders of runs: name one, such as {folder / inside[-1]}" if inside else _FIX
    )
    raise MissingResourceError(
        Problem("no-run", "the folder holds no run: no manifest_<timestamp>.json", where, fix)
    )


def _read_manifest(path: Path) -> Mapping[str, Any]:
    where = SourceRef(str(path))
    try:
        manifest = orjson.loads(read_bytes(path, "manifest"))
    except orjson.JSONDecodeError as error:
        raise BadInputError(
            Problem("bad-manifest", f"the run's manifest is no JSON: {error}", where)
        ) from error
    fits = (
        isinstance(manifest, dict)
        and isinstance(manifest.get("inputs"), list)
        and all(isinstance(one, dict) for one in manifest["inputs"])
        and isinstance(manifest.get("settings", {}), dict)
    )
    if not fits:
        raise BadInputError(
            Problem(
                "bad-manifest",
                "this is no manifest of a run: it lists no inputs, or no settings",
                where,
            )
        )
    name = manifest.get("format")
    if not isinstance(name, str) or name not in known_formats():
        message = f"the run is of the format {name!r}, which this version doesn't know"
        raise BadInputError(
            Problem("unknown-format", message, where, f"known are: {', '.join(known_formats())}")
        )
    return dict(manifest)


def _read_footer(path: Path) -> tuple[tuple[str, ...], int]:
    """Return a Parquet table's columns and number of rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as table:
            return tuple(table.schema_arrow.names), int(table.metadata.num_rows)
    except (pa.ArrowException, OSError) as error:
        raise BadInputError(
            Problem(
                "damaged-file",
                "the Parquet table can't be read: it is damaged, or cut off",
                SourceRef(str(path)),
                "copy the run again, or evaluate again",
            )
        ) from error
