"""The run that is looked at: its files, checked before anything is served."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

import orjson

from eval_tiers.exceptions import BadInputError, MissingResourceError, Problem, SourceRef
from eval_tiers.formats.base import BenchmarkFormat
from eval_tiers.formats.registry import known_formats
from eval_tiers.io.sources import read_bytes, reason_of, require_file

_MANIFEST: Final = re.compile(r"manifest_(\d{8}_\d{6})\.json")
PARQUET: Final = ("chains", "citations", "confidence", "texts")
_NEEDED: Final = {
    "samples": (
        "sample_id", "rollout", "gold_label", "predicted_label", "source_path", "source_line",
    ),
    "chains": ("sample_id", "rollout", "source", "sign", "target", "status"),
    "citations": (
        "sample_id", "rollout", "number", "written", "gene", "sign", "dataset", "verdict",
    ),
    "confidence": ("sample_id", "rollout", "predicted_label", "confidence", "problem"),
    "texts": (
        "sample_id", "rollout", "prediction_path", "prediction_line", "byte_offset", "byte_length",
        "crc32",
    ),
}  # fmt: skip
"""Columns that each table has to have."""

_PARENTS: Final = 3
_FIX: Final = "name the folder that eval wrote, such as outputs/20260101_120000"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRun:
    """A folder's tables, as far as they are shown.

    Attributes
    ----------
    folder : Path
        Absolute.
    timestamp : str
        In the names of its files.
    manifest : dict
    columns : tuple of str
        Of the table that is listed, in order.
    sample_n : int
        Its rows.
    samples : Path
    chains, citations, confidence, texts, rescued, pairs : Path or None
        None where the run has no such table.
    lost : frozenset of str
        Tables that the manifest names and that aren't there any more.
    noun : str
        What a row is, in addresses too.
    search : (str, str)
        What is searched for beside ids: its name in addresses, and on the page.
    """

    folder: Path
    timestamp: str
    manifest: Mapping[str, Any]
    columns: tuple[str, ...]
    sample_n: int
    samples: Path
    chains: Path | None = None
    citations: Path | None = None
    confidence: Path | None = None
    texts: Path | None = None
    rescued: Path | None = None
    pairs: Path | None = None
    lost: frozenset[str] = frozenset()
    noun: ClassVar[str] = "sample"
    search: ClassVar[tuple[str, str]] = ("gene", "gene")

    @property
    def title(self) -> str:
        """What the folder holds."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewedRun(TableRun):
    """A run's folder, as far as it is shown.

    Attributes
    ----------
    benchmark : BenchmarkFormat
    """

    benchmark: BenchmarkFormat

    @property
    def title(self) -> str:
        """The name of the benchmark."""
        return self.benchmark.name

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
    columns, sample_n = _read_footer(samples, "samples")
    tables = {name: _table(folder / f"{name}_{timestamp}.parquet", name) for name in PARQUET}
    rescued, pairs = (
        _file(folder / f"{name}_{timestamp}.csv", name) for name in ("samples_with_rescue", "pairs")
    )
    written = manifest.get("files")
    named = [str(one).partition("_")[0] for one in written] if isinstance(written, list) else []
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
        confidence=tables["confidence"],
        texts=tables["texts"],
        rescued=rescued,
        pairs=pairs,
        lost=frozenset(name for name in PARQUET if name in named and tables[name] is None),
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
    try:
        found = [path for path in sorted(folder.iterdir()) if _is_manifest(path)]
    except OSError as error:
        raise MissingResourceError(
            Problem("no-access", f"the folder can't be read: {reason_of(error)}", where)
        ) from error
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
        path.parent.name for path in folder.glob("*/manifest_*.json") if _is_manifest(path)
    )
    fix = _FIX
    if inside:
        fix = f"it holds the folders of runs: name one, such as {folder / inside[-1]}"
    elif any(map(_is_manifest, folder.absolute().parent.glob("manifest_*.json"))):
        fix = f"the run is the folder above: {folder.absolute().parent}"
    raise MissingResourceError(
        Problem("no-run", "the folder holds no run: no manifest_<timestamp>.json", where, fix)
    )


def _is_manifest(path: Path) -> bool:
    return _MANIFEST.fullmatch(path.name) is not None


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


def _file(path: Path, role: str) -> Path | None:
    """Return a file of a run, None where there is none."""
    return require_file(path, f"{role} table").absolute() if path.exists() else None


def _table(path: Path, name: str) -> Path | None:
    """Return a Parquet table of a run, checked; None where there is none."""
    found = _file(path, name)
    if found is not None:
        _read_footer(found, name)
    return found


def _read_footer(path: Path, name: str) -> tuple[tuple[str, ...], int]:
    """Return a Parquet table's columns and number of rows; it has to be what it is called."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(require_file(path, f"{name} table")) as table:
            schema, row_n = table.schema_arrow, int(table.metadata.num_rows)
    except (pa.ArrowException, OSError) as error:
        raise BadInputError(
            Problem(
                "damaged-file",
                "the Parquet table can't be read: it is damaged, or cut off",
                SourceRef(str(path)),
                "copy the run again, or evaluate again",
            )
        ) from error
    missing = sorted(set(_NEEDED[name]).difference(schema.names))
    fault = f"lacks {', '.join(missing)}" if missing else ""
    if not missing and schema.field("sample_id").type not in (pa.string(), pa.large_string()):
        fault = "has ids that are no texts"
    if fault:
        raise BadInputError(
            Problem(
                "bad-table",
                f"the {name} table {fault}: no table of this version's eval",
                SourceRef(str(path)),
                "evaluate again with this version",
            )
        )
    return tuple(schema.names), row_n
