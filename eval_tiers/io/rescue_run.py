"""The run that a samples table belongs to: its manifest, its chains, and its inputs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson
import pyarrow as pa

from eval_tiers.exceptions import (
    BadInputError,
    MissingResourceError,
    Problem,
    SourceRef,
    UsageError,
)
from eval_tiers.io.hashes import hash_files
from eval_tiers.io.samples_csv import SamplesTable, read_samples
from eval_tiers.io.sources import read_bytes, require_file
from eval_tiers.io.tables import SAMPLE_KEY
from eval_tiers.rescue.cases import SampleKey
from eval_tiers.settings import Settings

_TIMESTAMP: Final = re.compile(r"\d{8}_\d{6}")


@dataclass(frozen=True, slots=True)
class RescueRun:
    """A run, as far as tier 4 needs it.

    Attributes
    ----------
    folder : Path
    timestamp : str
        In the names of the run's files, and of those that are made of it.
    manifest : dict
    samples : SamplesTable
        As handed over: maybe not all rows.
    """

    folder: Path
    timestamp: str
    manifest: Mapping[str, Any]
    samples: SamplesTable

    @property
    def benchmark(self) -> str:
        """Name of the benchmark's format."""
        return str(self.manifest["format"])

    @property
    def labels(self) -> tuple[str, ...]:
        """The benchmark's label words."""
        return tuple(map(str, self.manifest["labels"]))

    @property
    def rescue_folder(self) -> Path:
        """Where exports of this run are kept."""
        return self.folder / "rescue"

    @property
    def spreadsheet_safe(self) -> bool:
        """Whether the run wrote tables for spreadsheets."""
        return bool(self.manifest.get("spreadsheet_safe"))


def find_run(samples_csv: Path) -> RescueRun:
    """Read a samples table and the manifest of the run in whose folder it lies.

    Raises
    ------
    MissingResourceError
        No such table, or no manifest beside it.
    BadInputError
        One of them can't be read as what it should be.
    """
    require_file(samples_csv, "samples table")
    folder = samples_csv.parent
    path = _manifest_beside(samples_csv, folder)
    manifest = _read_manifest(path)
    safe = bool(manifest.get("spreadsheet_safe"))
    found = _TIMESTAMP.search(path.stem)
    return RescueRun(
        folder, found[0] if found else path.stem, manifest, read_samples(samples_csv, safe)
    )


def _manifest_beside(samples_csv: Path, folder: Path) -> Path:
    stamp = _TIMESTAMP.search(samples_csv.name)
    if stamp is not None and (named := folder / f"manifest_{stamp[0]}.json").is_file():
        return named
    others = sorted(folder.glob("manifest_*.json"))
    if len(others) == 1:
        return others[0]
    many = "several manifests lie" if others else "no manifest_<timestamp>.json lies"
    raise MissingResourceError(
        Problem(
            "no-manifest",
            f"{many} beside the samples table, so that its run can't be told",
            SourceRef(str(samples_csv)),
            "leave the table in the run's folder (outputs/<timestamp>/), with its name",
        )
    )


def _read_manifest(path: Path) -> dict[str, Any]:
    where = SourceRef(str(path))
    try:
        manifest = orjson.loads(read_bytes(path, "manifest"))
    except orjson.JSONDecodeError as error:
        raise BadInputError(
            Problem("bad-manifest", f"the run's manifest is no JSON: {error}", where)
        ) from error
    needed = ("format", "labels", "inputs", "settings")
    if not isinstance(manifest, dict) or any(name not in manifest for name in needed):
        message = f"this is no manifest of a run; it lacks one of: {', '.join(needed)}"
        raise BadInputError(Problem("bad-manifest", message, where))
    try:
        Settings(**manifest["settings"])
    except (TypeError, UsageError) as error:
        message = f"the run's settings can't be read: {error}"
        raise BadInputError(Problem("bad-manifest", message, where)) from error
    return manifest


@dataclass(frozen=True, slots=True)
class RunInput:
    """An input of a run, found again.

    Attributes
    ----------
    role : str
        As in the manifest: gold, predictions, knowledge graph, ...
    path : Path
        Where it lies now.
    stated : str
        Its path as the run was given it.
    split, pert_type : str or None
        Of the pair that it belongs to.
    """

    role: str
    path: Path
    stated: str
    split: str | None = None
    pert_type: str | None = None


def find_inputs(run: RescueRun, roles: Iterable[str]) -> list[RunInput]:
    """Find a run's inputs of these roles (by their beginning), in the order of the manifest.

    A relative path is tried from the current folder, from the run's folder and from the folders
    above it.

    Raises
    ------
    MissingResourceError
        One isn't there any more.
    BadInputError
        One is another file by now: its sha256 isn't that of the manifest.
    """
    prefixes = tuple(roles)
    return [
        RunInput(
            str(entry["role"]),
            locate_input(run, entry),
            str(entry["path"]),
            entry.get("split"),
            entry.get("pert_type"),
        )
        for entry in run.manifest["inputs"]
        if str(entry["role"]).startswith(prefixes)
    ]


def locate_input(run: RescueRun, entry: Mapping[str, Any]) -> Path:
    """Find the file of one entry of the manifest's inputs; raises as `find_inputs`."""
    path = _locate(run, str(entry["path"]))
    if entry.get("sha256") is not None and hash_files([path])[str(path)] != entry["sha256"]:
        raise BadInputError(
            Problem(
                "input-changed",
                f"the {entry['role']} file was changed since the run: its sha256 is another",
                SourceRef(str(path)),
                "put the file back, or evaluate again and export from that run",
            )
        )
    return path


def _locate(run: RescueRun, stated: str) -> Path:
    for base in (Path(), run.folder, *list(run.folder.absolute().parents)[:3]):
        path = base / stated
        if path.exists():
            return require_file(path)
    raise MissingResourceError(
        Problem(
            "no-such-file",
            "an input of the run isn't there any more",
            SourceRef(stated),
            "put it back, start in the folder of the run, or name it: --gt-file, --gt-dir, "
            "--pred-file, --pred-dir, --external-kg",
        )
    )


def read_keyed_rows(
    run: RescueRun, stem: str, names: Iterable[str], wanted: set[SampleKey], keys: tuple[str, ...]
) -> dict[SampleKey, list[tuple[Any, ...]]]:
    """Return the rows of ``<stem>_<timestamp>.parquet`` of the wanted samples, by key.

    Parameters
    ----------
    run : RescueRun
    stem : str
        ``chains`` or ``citations``.
    names : iterable of str
        Columns of the tuples.
    wanted : set of SampleKey
    keys : tuple of str
        Columns of the key that the table has; the others are None in it.

    Raises
    ------
    MissingResourceError
        The run's folder has no such table.
    """
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    path = run.folder / f"{stem}_{run.timestamp}.parquet"
    require_file(path, f"table of {stem}")
    chosen = list(names)
    try:
        table = pq.read_table(path, columns=[*keys, *chosen])
    except (pa.ArrowInvalid, pa.ArrowKeyError) as error:
        raise BadInputError(
            Problem("bad-table", f"the table of {stem} can't be read", SourceRef(str(path)))
        ) from error
    ids = pa.array({key[0] for key in wanted}, pa.string())
    table = table.filter(pc.is_in(table["sample_id"], value_set=ids))
    columns = [table[name].to_pylist() for name in (*keys, *chosen)]
    found: dict[SampleKey, list[tuple[Any, ...]]] = {}
    nothing = [None] * table.num_rows
    parts = [columns[keys.index(name)] if name in keys else nothing for name in SAMPLE_KEY]
    rows = list(zip(*columns[len(keys) :], strict=True)) if chosen else []
    for key, row in zip(zip(*parts, strict=True), rows, strict=True):
        if key in wanted:
            found.setdefault(key, []).append(row)
    return found
