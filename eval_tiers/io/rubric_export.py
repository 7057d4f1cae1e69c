"""The files of a rubric export: index, manifest, controls; and where merge finds them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from eval_tiers.io.atomic import atomic_writer, clean_text, render_json
from eval_tiers.io.export_files import bad_export_file, read_export_object
from eval_tiers.io.sources import read_bytes, require_file
from eval_tiers.io.text_lines import decode_text
from eval_tiers.rubrics.asked import PART, SYNTHESIS, WHOLE, Entry

_bad = partial(bad_export_file, "rubrics export")
_read_json = partial(read_export_object, "rubrics export")
_COLUMNS: Final = ("custom_id", "sample_id", "rubric_index", "role", "part", "part_n", "repeat")
_INDEX_END: Final = ".index.csv"
_MANIFEST_FIELDS: Final = {
    "kind": str, "timestamp": str, "id_key": str, "settings": dict, "tasks": list, "requests": list,
}  # fmt: skip
_LISTS: Final = {
    "requests": {"path"}, "missing": {"sample_id"},
    "control_shortfalls": {"kind", "made", "wanted", "reason"},
}  # fmt: skip
_SETTINGS: Final = {
    "scale": str, "chunk_tokens": int, "max_tokens": int, "model": str, "seed": int,
}  # fmt: skip
_TIMESTAMP: Final = re.compile(r"\d{8}_\d{6}")
_CONTROL_FIELDS: Final = {"sample_id": str, "rubric_index": int, "kind": str, "requests": list}
EXPORT_KIND: Final = "rubric-export"


@dataclass(frozen=True, slots=True)
class RubricExport:
    """An export, found again.

    Attributes
    ----------
    index_path : Path
    entries : list of Entry
        Of the real requests, those of the synthesis round too.
    manifest : dict
    controls : list of dict
        As exported, each with the entries of its requests under ``entries``.
    """

    index_path: Path
    entries: list[Entry]
    manifest: Mapping[str, Any]
    controls: list[dict[str, Any]]

    @property
    def known_ids(self) -> set[str]:
        """All ids, those of controls too."""
        known = {entry.custom_id for entry in self.entries}
        return known.union(one.custom_id for control in self.controls for one in control["entries"])

    def request_files(self) -> list[Path]:
        """Return the request files that are there, beside the index or as stated."""
        found = []
        for entry in self.manifest["requests"]:
            stated = Path(str(entry["path"]))
            for path in (self.index_path.with_name(stated.name), stated):
                if path.is_file():
                    found.append(path)
                    break
        return found


def index_path_of(requests: Path) -> Path:
    """Return where the index of a request file lies."""
    return requests.with_name(f"{requests.stem}{_INDEX_END}")


def controls_path_of(requests: Path) -> Path:
    """Return where the key of its controls lies."""
    return requests.with_name(f"{requests.stem}.controls.json")


def write_index(path: Path, entries: Iterable[Entry]) -> None:
    """Write the index: one row a request that isn't a control's."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    writer.writerows([getattr(entry, name) for name in _COLUMNS] for entry in entries)
    _write(path, clean_text(text.getvalue()).encode())


def write_controls(path: Path, value: Mapping[str, Any]) -> None:
    """Write the key of the controls."""
    _write(path, render_json(value))


def _write(path: Path, data: bytes) -> None:
    with atomic_writer(path) as handle:
        handle.write(data)


def find_indexes(folders: Iterable[Path]) -> Iterator[Path]:
    """Yield the index files in these folders."""
    seen = set()
    for folder in folders:
        for path in sorted(folder.glob(f"*{_INDEX_END}")):
            if path.resolve() not in seen and path.is_file():
                seen.add(path.resolve())
                yield path


def read_rubric_export(index_path: Path) -> RubricExport:
    """Read an index, and the manifest and the controls beside it.

    Raises
    ------
    MissingResourceError
        The index, or a file that belongs beside it, isn't there.
    BadInputError
        One of them can't be read as what it should be.
    """
    entries = _read_index(index_path)
    stem = index_path.name.removesuffix(_INDEX_END)
    manifest_path = index_path.with_name(f"{stem}.manifest.json")
    require_file(manifest_path, "export's manifest, which belongs beside its index,")
    manifest = _read_json(manifest_path)
    for name, kind in _MANIFEST_FIELDS.items():
        if not isinstance(manifest.get(name), kind):
            raise _bad(manifest_path, f"this is no manifest of a rubric export: no '{name}'")
    if manifest["kind"] != EXPORT_KIND:
        raise _bad(manifest_path, f"this is no manifest of a rubric export: {manifest['kind']!r}")
    controls_path = index_path.with_name(f"{stem}.controls.json")
    controls: list[dict[str, Any]] = []
    if manifest.get("control_n") or controls_path.is_file():
        require_file(controls_path, "key of the controls, which belongs beside the index,")
        listed = _read_json(controls_path).get("controls")
        controls = [_control(one, controls_path) for one in _list(listed, controls_path)]
    _check_manifest(manifest, manifest_path)
    export = RubricExport(index_path, entries, manifest, controls)
    _check_tasks(export, manifest_path)
    return export


def _check_manifest(manifest: Mapping[str, Any], path: Path) -> None:
    """Raise unless all is there that a merge reads."""
    if not _TIMESTAMP.fullmatch(manifest["timestamp"]):
        raise _bad(path, f"the timestamp {manifest['timestamp'][:40]!r} is none")
    for name, fields in _LISTS.items():
        listed = manifest.get(name)
        if not isinstance(listed, list) or not all(
            isinstance(one, dict) and fields <= one.keys() for one in listed
        ):
            raise _bad(path, f"this is no manifest of a rubric export: '{name}' is incomplete")


def _check_tasks(export: RubricExport, path: Path) -> None:
    """Raise unless the manifest has every rubric that is asked about, and how."""
    settings = export.manifest["settings"]
    for name, kind in _SETTINGS.items():
        if type(settings.get(name)) is not kind:
            raise _bad(path, f"the settings have no '{name}'")
    rubric_n: dict[str, int] = {}
    for task in export.manifest["tasks"]:
        try:
            rubrics = [(str(one["criterion"]), float(one["weight"])) for one in task["rubrics"]]
            rubric_n[str(task["sample_id"])] = len(rubrics) if task["prompt"] else 0
        except (KeyError, TypeError, ValueError) as error:
            raise _bad(path, "a task of the manifest is incomplete") from error
    asked = [(entry.sample_id, entry.rubric_index) for entry in export.entries]
    asked += [(one["sample_id"], one["rubric_index"]) for one in export.controls]
    for sample_id, index in asked:
        if not 0 <= index < rubric_n.get(sample_id, 0):
            raise _bad(path, f"the manifest has no rubric {index} of sample '{sample_id}'")


def _read_index(path: Path) -> list[Entry]:
    data = read_bytes(path, "index of the export").removeprefix(b"\xef\xbb\xbf")
    reader = csv.DictReader(io.StringIO(decode_text(data, str(path)), newline=""))
    missing = [name for name in _COLUMNS if name not in (reader.fieldnames or ())]
    if missing:
        raise _bad(path, f"columns of an index are missing: {', '.join(missing)}")
    entries: list[Entry] = []
    seen: set[str] = set()
    for record in reader:
        entry = _entry(record)
        if entry is None or entry.custom_id in seen:
            message = "an id is empty or given twice, or a number is none"
            raise _bad(path, message, reader.line_num)
        seen.add(entry.custom_id)
        entries.append(entry)
    return entries


def _entry(record: Mapping[str, Any]) -> Entry | None:
    """Return an entry; None where it can't be one."""
    numbers = [str(record.get(name)) for name in ("rubric_index", "part", "part_n", "repeat")]
    if not all(text.isascii() and text.isdecimal() and len(text) < 10 for text in numbers):
        return None
    index, part, part_n, repeat = map(int, numbers)
    custom_id, sample_id, role = (record.get(one) for one in ("custom_id", "sample_id", "role"))
    if not custom_id or sample_id is None or role not in (WHOLE, PART, SYNTHESIS) or part_n < 1:
        return None
    return Entry(str(custom_id), str(sample_id), index, str(role), part, part_n, repeat)


def _control(value: object, path: Path) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _bad(path, "this is no key of controls")
    for name, kind in _CONTROL_FIELDS.items():
        if type(value.get(name)) is not kind:
            raise _bad(path, f"a control has no '{name}'")
    entries = [
        _entry(
            one | {"sample_id": value["sample_id"], "rubric_index": value["rubric_index"]}
            if isinstance(one, dict)
            else {}
        )
        for one in value["requests"]
    ]
    if None in entries:
        raise _bad(path, "a request of a control is incomplete")
    return value | {"entries": entries}


def _list(value: object, path: Path) -> Sequence[object]:
    if not isinstance(value, list):
        raise _bad(path, "this is no key of controls")
    return value
