"""What a model wrote, read again at the place that a run's table of texts names."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from zlib import crc32

from eval_tiers.exceptions import EvalTiersError
from eval_tiers.formats.base import RecordFault, content_text
from eval_tiers.formats.registry import known_formats
from eval_tiers.io.hashes import hash_files
from eval_tiers.io.prediction_files.registry import open_predictions
from eval_tiers.io.rows import parse_row
from eval_tiers.io.run_tables import ComparedRun
from eval_tiers.io.sources import compression_of, iter_chunks, require_file

MAX_SHOWN: Final = 2_000
"""Characters of a text that are shown."""

_PARENTS: Final = 3
Shown = tuple[str | None, str | None]


def read_written(
    run: ComparedRun, places: Sequence[Mapping[str, Any]], side: str = ""
) -> list[Shown]:
    """Return the texts of predictions, or why they can't be shown.

    Only files that the run's manifest names as predictions are opened, each once. A compressed
    file is read up to the last text that is wanted; one of a shape that was rewritten to be read is
    gone through by line.

    Parameters
    ----------
    run : ComparedRun
    places : sequence of mapping
        ``sample_id``, ``rollout`` (where there are some), and, of the table of texts,
        ``prediction_path``, ``prediction_line``, ``byte_offset``, ``byte_length``, ``crc32``.
    side : str
        What stands before the names of the table of texts.

    Returns
    -------
    list of (text, reason)
        One of them is None. Long texts are cut, and say so. Reasons: ``no_prediction``,
        ``file_gone``, ``file_changed``, ``unreadable``.
    """
    found: list[Shown] = [(None, "no_prediction")] * len(places)
    by_path: dict[str, list[int]] = {}
    for number, place in enumerate(places):
        if place[f"{side}prediction_path"] is not None:
            by_path.setdefault(place[f"{side}prediction_path"], []).append(number)
    for stated, numbers in by_path.items():
        wanted = [_Place.of(places[number], side) for number in numbers]
        for number, shown in zip(numbers, _of_file(run, stated, wanted), strict=True):
            found[number] = shown
    return found


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a text lies; offset and length are None in a file that was rewritten."""

    sample_id: str
    rollout: str | None
    line: int | None
    offset: int | None
    length: int | None
    crc32: int | None

    @classmethod
    def of(cls, place: Mapping[str, Any], side: str) -> _Place:
        return cls(
            str(place["sample_id"]),
            place.get("rollout"),
            *(
                place[f"{side}{name}"]
                for name in ("prediction_line", "byte_offset", "byte_length", "crc32")
            ),
        )


def _of_file(run: ComparedRun, stated: str, places: Sequence[_Place]) -> list[Shown]:
    path = _located(run, stated)
    if path is None:
        return [(None, "file_gone")] * len(places)
    try:
        require_file(path)
        if all(place.offset is not None and place.length is not None for place in places):
            raws: Sequence[bytes | None] = _spans(path, places)
        elif hash_files([path])[str(path)] not in _stated_hashes(run, stated):
            return [(None, "file_changed")] * len(places)
        else:
            raws = _rewritten(run, path, places)
    except (EvalTiersError, RecordFault, OSError, ValueError):
        return [(None, "unreadable")] * len(places)
    return [_shown(run, raw, place) for raw, place in zip(raws, places, strict=True)]


def _shown(run: ComparedRun, raw: bytes | None, place: _Place) -> Shown:
    if raw is None:
        return None, "unreadable"
    if place.crc32 is not None and crc32(raw) != place.crc32:
        return None, "file_changed"
    try:
        return shortened(_text_of(run, parse_row(raw))), None
    except (RecordFault, ValueError, RecursionError):
        return None, "unreadable"


def _spans(path: Path, places: Sequence[_Place]) -> list[bytes]:
    """Return byte ranges of a file, of a compressed one those of what it holds.

    A range past the end is cut: the file was changed, and its check sum is another.
    """
    spans = [(place.offset or 0, place.length or 0) for place in places]
    if compression_of(path) is None:
        found = []
        size = path.stat().st_size
        with path.open("rb") as handle:
            for offset, length in spans:
                handle.seek(offset)
                found.append(handle.read(min(length, size)))
        return found
    chunks, held, at = iter_chunks(path), b"", 0
    of_span = {}
    for offset, length in sorted(spans):
        while at + len(held) < offset + length and (chunk := next(chunks, b"")):
            dropped = min(offset - at, len(held))
            held, at = held[dropped:] + chunk, at + dropped
        of_span[offset, length] = held[max(0, offset - at) :][:length]
    return [of_span[span] for span in spans]


def _stated_hashes(run: ComparedRun, stated: str) -> set[str]:
    return {
        str(one.get("sha256"))
        for one in run.manifest["inputs"]
        if isinstance(one, Mapping) and one.get("path") == stated
    }


def _rewritten(run: ComparedRun, path: Path, places: Sequence[_Place]) -> list[bytes | None]:
    """Return the rows of a file that isn't one JSON object a row, as the objects it is read as."""
    described = known_formats()[str(run.manifest["format"])]
    on_line: dict[int, list[int]] = {}
    for number, place in enumerate(places):
        on_line.setdefault(place.line or 0, []).append(number)
    found: list[bytes | None] = [None] * len(places)
    by_position = run.manifest.get("pairing") == "position"
    with tempfile.TemporaryDirectory() as scratch:
        opened = open_predictions(
            path,
            described.prediction_fields,
            Path(scratch),
            lambda: [place.sample_id for place in places],
            by_position,
            described.reply_text,
        )
        for block in opened.blocks:
            for line, raw in zip(block.line.tolist(), block.raw, strict=True):
                for number in on_line.get(line, ()):
                    if _is_of(described, raw, places[number]):
                        found[number] = raw
    return found


def _is_of(described: Any, raw: bytes, place: _Place) -> bool:
    """Tell whether a row is that of a sample; a row without an id is that of its line."""
    try:
        read = described.parse_prediction(parse_row(raw))
    except RecordFault:
        return False
    return read.sample_id in (None, place.sample_id) and (
        place.rollout is None or str(read.rollout) == place.rollout
    )


def _located(run: ComparedRun, stated: str) -> Path | None:
    named = any(
        isinstance(one, Mapping) and one.get("path") == stated and one.get("role") == "predictions"
        for one in run.manifest["inputs"]
    )
    if not named:
        return None
    for base in (Path(), run.folder, *list(run.folder.absolute().parents)[:_PARENTS]):
        if (path := base / stated).is_file():
            return path
    return None


def _text_of(run: ComparedRun, record: Mapping[str, Any]) -> str:
    """Return the text that a record holds; several fields as JSON."""
    described = known_formats().get(str(run.manifest["format"]))
    fields = {} if described is None else described.prediction_fields
    names = [
        name for group, several in fields.items() if group not in ("id", "rollout")
        for name in several
    ]  # fmt: skip
    found = {name: record[name] for name in dict.fromkeys(names) if record.get(name) is not None}
    if len(found) == 1:
        try:
            text = content_text(next(iter(found.values())), None)
        except RecordFault:
            text = None
        if text is not None:
            return text
    return json.dumps(found or dict(record), ensure_ascii=False)


def shortened(text: str) -> str:
    """Return a text of which the middle is left out, with how much: answers stand at the end.

    Examples
    --------
    >>> shortened("a" * 2_500)[990:1_050]
    'aaaaaaaaaa ... (500 characters left out) ... aaaaaaaaaaaaaaa'
    """
    if len(text) <= MAX_SHOWN:
        return text
    half = MAX_SHOWN // 2
    left_out = f" ... ({len(text) - MAX_SHOWN:,} characters left out) ... "
    return text[:half] + left_out + text[-half:]
