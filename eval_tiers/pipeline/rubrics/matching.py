"""Which rubric export replies belong to, and which request each of them answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from eval_tiers.exceptions import (
    BadInputError,
    MissingResourceError,
    Problem,
    RepliesError,
    SourceRef,
)
from eval_tiers.io.reply_files import PlacedReply, Replies
from eval_tiers.io.rubric_export import RubricExport, find_indexes, read_rubric_export
from eval_tiers.pipeline.rubrics.judged import Rows
from eval_tiers.rescue.reply_rows import ReplyRow


def choose_rubric_export(
    replies: Replies, reply_paths: Sequence[Path], index: Path | None
) -> tuple[RubricExport, Rows, list[PlacedReply]]:
    """Find the export that replies belong to: the one named, or the first beside them that fits."""
    folders = dict.fromkeys(path.absolute().parent for path in reply_paths)
    candidates = [index] if index is not None else list(find_indexes(folders))
    if not candidates:
        raise MissingResourceError(
            Problem("no-export", "the export that the replies belong to isn't beside them",
                    SourceRef(str(reply_paths[0]) if reply_paths else None),
                    "name its index: --index requests.index.csv")
        )  # fmt: skip
    first: RubricExport | None = None
    for path in candidates:
        try:
            export = read_rubric_export(path)
        except (BadInputError, MissingResourceError):
            if index is not None or len(candidates) == 1:
                raise
            continue
        rows, unknown = _match(export, replies)
        if rows:
            return export, rows, unknown
        first = first or export
    if first is not None and not replies.rows:
        return first, {}, []
    shown = ", ".join(repr(one.row.custom_id or one.row.sample_id) for one in replies.rows[:3])
    raise RepliesError(
        Problem(
            "no-known-id",
            f"none of {len(replies.rows)} replies has an id of the export; the first: {shown}",
            SourceRef(replies.rows[0].path, replies.rows[0].line) if replies.rows else SourceRef(),
            f"looked at {', '.join(str(path) for path in candidates[:3])}; name the index of "
            "their export with --index",
        )
    )


def _match(
    export: RubricExport, replies: Replies
) -> tuple[dict[str, list[ReplyRow]], list[PlacedReply]]:
    known = export.known_ids
    rows: dict[str, list[ReplyRow]] = {}
    unknown = []
    for placed in replies.rows:
        if placed.row.custom_id in known:
            rows.setdefault(str(placed.row.custom_id), []).append(placed.row)
        else:
            unknown.append(placed)
    return rows, unknown
