"""The files of an export: index, manifest, controls; where merge finds them; what is owed."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any, Final

import orjson

from eval_tiers.io.atomic import atomic_writer, render_json
from eval_tiers.io.export_files import bad_export_file, read_export_object
from eval_tiers.io.sources import read_bytes, require_file
from eval_tiers.io.text_lines import decode_text, iter_lines
from eval_tiers.rescue.cases import SampleKey
from eval_tiers.rescue.files import CONTROLS, INDEX, INDEX_COLUMNS, MANIFEST

_bad = partial(bad_export_file, "export-rescue")
_read_json = partial(read_export_object, "export-rescue")
_CONTROL_FIELDS: Final = frozenset(
    {"custom_id", "number", "kind", "truth", "repeat", "gold_answer", "cluster"}
)
_MANIFEST_FIELDS: Final = {
    "format": str, "labels": list, "settings": dict, "id_key": str, "requests": list,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class IndexRow:
    """One real request: its id, its sample, what it asks, and which repeat it is."""

    custom_id: str
    key: SampleKey
    kind: str
    repeat: int


@dataclass(frozen=True, slots=True)
class ExportFiles:
    """An export, found again.

    Attributes
    ----------
    index_path : Path
    index : list of IndexRow
    manifest : dict
    controls : list of dict
        As exported; empty where there were none.
    """

    index_path: Path
    index: list[IndexRow]
    manifest: Mapping[str, Any]
    controls: list[dict[str, Any]]


def file_name(stem: str, timestamp: str, suffix: str) -> str:
    """Return the name of a file of tier 4."""
    return f"{stem}_{timestamp}.{suffix}"


def write_index(folder: Path, timestamp: str, rows: Iterable[IndexRow]) -> Path:
    """Write ``rescue_index_<timestamp>.csv``."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(INDEX_COLUMNS)
    writer.writerows((row.custom_id, *row.key, row.kind, row.repeat) for row in rows)
    return _write(folder / file_name(INDEX, timestamp, "csv"), text.getvalue().encode())


def write_controls(folder: Path, timestamp: str, value: Mapping[str, Any]) -> Path:
    """Write ``rescue_controls_<timestamp>.json``, the key of the controls."""
    return _write(folder / file_name(CONTROLS, timestamp, "json"), render_json(value))


def write_manifest(folder: Path, timestamp: str, value: Mapping[str, Any]) -> Path:
    """Write ``rescue_manifest_<timestamp>.json``."""
    return _write(folder / file_name(MANIFEST, timestamp, "json"), render_json(value))


def _write(path: Path, data: bytes) -> Path:
    with atomic_writer(path) as handle:
        handle.write(data)
    return path


def read_rescue_manifest(folder: Path, timestamp: str) -> dict[str, Any] | None:
    """Return the manifest of the export in a folder, None where there is none."""
    path = folder / file_name(MANIFEST, timestamp, "json")
    return _read_json(path) if path.is_file() else None


def find_indexes(folders: Iterable[Path], timestamp: str) -> Iterator[Path]:
    """Yield the index files in these folders: the run's own first, then any others there."""
    seen = set()
    for folder in folders:
        own = folder / file_name(INDEX, timestamp, "csv")
        for path in (own, *sorted(folder.glob(f"{INDEX}_*.csv"))):
            if path.resolve() not in seen and path.is_file():
                seen.add(path.resolve())
                yield path


def read_export(index_path: Path) -> ExportFiles:
    """Read an index, and the manifest and the controls beside it.

    Raises
    ------
    MissingResourceError
        The index, or the manifest beside it, isn't there.
    BadInputError
        One of them can't be read as what it should be.
    """
    index = read_index(index_path)
    stamp = index_path.stem.removeprefix(f"{INDEX}_")
    manifest_path = index_path.with_name(file_name(MANIFEST, stamp, "json"))
    require_file(manifest_path, "export's manifest, which belongs beside its index,")
    manifest = _read_json(manifest_path)
    for name, kind in _MANIFEST_FIELDS.items():
        if not isinstance(manifest.get(name), kind):
            raise _bad(manifest_path, f"this is no manifest of an export: '{name}' is missing")
    controls_path = index_path.with_name(file_name(CONTROLS, stamp, "json"))
    controls: list[dict[str, Any]] = []
    if controls_path.is_file():
        listed = _read_json(controls_path).get("controls")
        if not isinstance(listed, list) or not all(_is_control(one) for one in listed):
            raise _bad(controls_path, "this is no key of controls")
        controls = listed
    return ExportFiles(index_path, index, manifest, controls)


def _is_control(value: object) -> bool:
    if not isinstance(value, dict) or not set(value) >= _CONTROL_FIELDS:
        return False
    return type(value["number"]) is int and type(value["repeat"]) is int


def read_index(path: Path) -> list[IndexRow]:
    """Read an index file.

    Raises
    ------
    MissingResourceError, BadInputError
        It isn't there, lacks a column, or holds an id twice.
    """
    text = decode_text(
        read_bytes(path, "index of the export").removeprefix(b"\xef\xbb\xbf"), str(path)
    )
    reader = csv.DictReader(io.StringIO(text, newline=""))
    missing = [name for name in INDEX_COLUMNS if name not in (reader.fieldnames or ())]
    if missing:
        raise _bad(path, f"columns of an index are missing: {', '.join(missing)}")
    rows: list[IndexRow] = []
    seen: set[str] = set()
    for record in reader:
        custom_id, repeat = record["custom_id"], record["repeat"]
        if not custom_id or custom_id in seen or not (repeat or "").isdecimal():
            raise _bad(path, "an id is empty or given twice, or a repeat is no number",
                       reader.line_num)  # fmt: skip
        seen.add(custom_id)
        key = (record["sample_id"] or "", record["split"] or None, record["pert_type"] or None,
               record["rollout"] or None)  # fmt: skip
        rows.append(IndexRow(custom_id, key, record["kind"] or "", int(repeat)))
    return rows


def find_request_files(export: ExportFiles) -> list[Path]:
    """Return the request files of an export that are there, beside the index or as stated."""
    found = []
    for entry in export.manifest.get("requests", ()):
        stated = Path(str(entry["path"]))
        for path in (export.index_path.with_name(stated.name), stated):
            if path.is_file():
                found.append(path)
                break
    return found


def write_owed(
    path: Path, requests: Sequence[Path], owed: Collection[str], cut_off: Mapping[str, int]
) -> int:
    """Write the owed requests again, those that were cut off with room for twice the tokens.

    Parameters
    ----------
    path : Path
    requests : sequence of Path
        Request files of the export.
    owed : collection of str
        Ids.
    cut_off : mapping of str to int
        Those among `owed` that were cut off, with the tokens that they had written (0: unknown).

    Returns
    -------
    int
        How many were found and written. A file of an earlier merge is replaced, or goes when
        nothing is owed.

    Raises
    ------
    BadInputError
        A request file isn't what was exported.
    """
    if not owed:
        path.unlink(missing_ok=True)
        return 0
    written = 0
    with atomic_writer(path) as handle:
        for source in requests:
            for number, line in enumerate(iter_lines(source), 1):
                if not line.strip():
                    continue
                try:
                    written += _copy_owed(handle, line, owed, cut_off)
                except (orjson.JSONDecodeError, KeyError, TypeError, ValueError) as error:
                    raise _bad(source, "this is no request of the export", number) from error
    return written


def _copy_owed(
    handle: IO[bytes], line: bytes, owed: Collection[str], cut_off: Mapping[str, int]
) -> bool:
    request = orjson.loads(line)
    custom_id = request["custom_id"]
    if custom_id not in owed:
        return False
    if custom_id in cut_off:
        body = request["body"]
        body["max_tokens"] = 2 * max(int(body["max_tokens"]), cut_off[custom_id])
        line = orjson.dumps(request)
    handle.write(line.rstrip(b"\r\n") + b"\n")
    return True
