"""What a model wrote, read again at the place that a run's table of texts names."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from zlib import crc32

from eval_tiers.exceptions import EvalTiersError
from eval_tiers.formats.base import RecordFault, content_text
from eval_tiers.formats.registry import known_formats
from eval_tiers.io.rows import parse_row
from eval_tiers.io.run_tables import ComparedRun
from eval_tiers.io.sources import compression_of, require_file

MAX_SHOWN: Final = 2_000
"""Characters of a text that are shown."""

_PARENTS: Final = 3


def read_written(
    run: ComparedRun, place: Mapping[str, Any], side: str = ""
) -> tuple[str | None, str | None]:
    """Return the text of a prediction, or why it can't be shown.

    Only files that the run's manifest names as predictions are opened.

    Parameters
    ----------
    run : ComparedRun
    place : mapping
        ``prediction_path``, ``byte_offset``, ``byte_length`` and ``crc32`` of the table of texts.
    side : str
        What stands before these names.

    Returns
    -------
    (text, reason)
        One of them is None. Long texts are cut, and say so. Reasons: ``no_prediction``,
        ``file_gone``, ``file_changed``, ``not_plain`` (the file is compressed, or was rewritten
        to be read), ``unreadable``.
    """
    stated, offset, length, checksum = (
        place[f"{side}{name}"]
        for name in ("prediction_path", "byte_offset", "byte_length", "crc32")
    )
    if stated is None:
        return None, "no_prediction"
    if offset is None or length is None:
        return None, "not_plain"
    path = _located(run, stated)
    if path is None:
        return None, "file_gone"
    try:
        require_file(path)
        if compression_of(path) is not None:
            return None, "not_plain"
        with path.open("rb") as handle:
            handle.seek(offset)
            raw = handle.read(length)
        if crc32(raw) != checksum:
            return None, "file_changed"
        return shortened(_text_of(run, parse_row(raw))), None
    except (EvalTiersError, RecordFault, OSError, ValueError, RecursionError):
        return None, "unreadable"


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
    """Return a text that is cut, with how much of it is missing.

    Examples
    --------
    >>> shortened("a" * 2_500)[-27:]
    'a ... (500 characters more)'
    """
    if len(text) <= MAX_SHOWN:
        return text
    return f"{text[:MAX_SHOWN]} ... ({len(text) - MAX_SHOWN:,} characters more)"
