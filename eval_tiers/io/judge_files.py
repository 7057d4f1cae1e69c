"""Reads a judge's replies: rows as `infer` writes them, or the bare reply as a file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.io.reply_files import PlacedReply, read_replies
from eval_tiers.io.sources import UTF8_BOM, iter_chunks, refuse_utf16, require_file
from eval_tiers.io.text_lines import decode_text
from eval_tiers.rescue.reply_rows import ReplyRow, parse_reply_row

MAX_BARE_BYTES: Final = 16_000_000
"""Of a file with one reply, as it came or as a row."""

_ANY: Final = "\0any"


def read_judge_replies(paths: Sequence[Path]) -> list[PlacedReply]:
    """Read reply files; each holds reply rows, or is one reply.

    Parameters
    ----------
    paths : sequence of Path
        JSON Lines or a JSON array of reply rows (those of `infer`, OpenAI Batch output, plain ones
        with ``sample_id``); or the judge's reply itself, a completion, or whatever a judge wrote.

    Returns
    -------
    list of PlacedReply
        A reply without any id has custom_id None and sample_id None: it is about whatever is
        graded.

    Raises
    ------
    MissingResourceError, BadInputError
        A file isn't there, is no text, or is too large to be one reply.
    """
    found: list[PlacedReply] = []
    for path in paths:
        require_file(path, "reply file")
        found += _bare_reply(path) or read_replies([path]).rows or [_as_text(path)]
    return found


def _bare_reply(path: Path) -> list[PlacedReply]:
    """Return the one reply that a file is; nothing where it is no single JSON object."""
    data = _start_of(path)
    if data is None or not data.strip().startswith(b"{"):
        return []
    try:
        record = json.loads(data)
    except (ValueError, RecursionError):
        return []
    if not isinstance(record, dict):
        return []
    row = _row_of(record, data)
    return [] if row is None else [PlacedReply(row, str(path), 1)]


def _row_of(record: Mapping[str, object], data: bytes) -> ReplyRow | None:
    if "custom_id" in record or "sample_id" in record:
        return parse_reply_row(record)
    if "choices" in record:
        row = parse_reply_row({"custom_id": _ANY, **record})
        return None if row is None else replace(row, custom_id=None)
    return ReplyRow(None, None, data.decode("utf-8"), None)


def _as_text(path: Path) -> PlacedReply:
    """Return a file that holds no reply row as the words of a judge."""
    data = _start_of(path)
    if data is None:
        raise BadInputError(
            Problem(
                "no-reply",
                f"no line is a reply, and more than {MAX_BARE_BYTES:,} bytes are no single one",
                SourceRef(str(path)),
                "name the file that infer wrote",
            )
        )
    text = decode_text(data, str(path))
    fault = None if text.strip() else "empty"
    return PlacedReply(ReplyRow(None, None, text if fault is None else None, fault), str(path), 1)


def _start_of(path: Path) -> bytes | None:
    """Return a file's bytes without a BOM; None for one that is too large to be one reply."""
    data = b""
    for chunk in iter_chunks(path):
        data += chunk
        if len(data) > MAX_BARE_BYTES:
            return None
    refuse_utf16(data[:400], str(path))
    return data.removeprefix(UTF8_BOM)
