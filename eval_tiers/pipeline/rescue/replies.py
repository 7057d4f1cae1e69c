"""Which export replies belong to, and which request each of them answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from eval_tiers.exceptions import (
    BadInputError,
    MissingResourceError,
    Problem,
    RepliesError,
    SourceRef,
)
from eval_tiers.io.reply_files import PlacedReply, Replies
from eval_tiers.io.rescue_files import ExportFiles, find_indexes, read_export
from eval_tiers.io.rescue_run import RescueRun
from eval_tiers.rescue.reply_rows import ReplyRow


@dataclass(slots=True)
class Matched:
    """Replies by the request that they answer.

    Attributes
    ----------
    rows : dict of str to list of ReplyRow
        By custom_id, in the order in which they came.
    unknown : list of PlacedReply
        Those whose id the export doesn't have, or that fits several samples.
    """

    rows: dict[str, list[ReplyRow]] = field(default_factory=dict)
    unknown: list[PlacedReply] = field(default_factory=list)


def choose_export(
    run: RescueRun, replies: Replies, reply_paths: Sequence[Path], index: Path | None
) -> tuple[ExportFiles, Matched]:
    """Find the export that replies belong to, and match them.

    Looked for beside the replies, then in the run's folder; the first that knows any of the ids
    is taken, the first of all where there are no replies.

    Raises
    ------
    MissingResourceError
        There is no export.
    RepliesError
        There are replies, and none of their ids is known.
    BadInputError
        The export is of another run, or one of its files is spoilt.
    """
    if index is not None:
        candidates = [index]
    else:
        folders = [path.absolute().parent for path in reply_paths]
        folders += [run.rescue_folder, run.folder]
        candidates = list(find_indexes(dict.fromkeys(folders), run.timestamp))
    if not candidates:
        raise MissingResourceError(
            Problem(
                "no-export",
                "the export that the replies belong to isn't beside them, nor in the run's folder",
                SourceRef(str(run.rescue_folder)),
                "name its index: --index rescue_index_<timestamp>.csv",
            )
        )
    first: tuple[ExportFiles, Matched] | None = None
    other_run: ExportFiles | None = None
    for path in candidates:
        export = read_export(path)
        if export.manifest.get("run_id") != run.manifest.get("run_id"):
            other_run = other_run or export
            continue
        matched = match_replies(export, replies)
        if matched.rows:
            return export, matched
        first = first or (export, matched)
    if first is None:
        raise _of_another_run(run, other_run)
    if not replies.rows:
        return first
    shown = ", ".join(repr(_id_of(placed.row)) for placed in replies.rows[:3])
    raise RepliesError(
        Problem(
            "no-known-id",
            f"none of {len(replies.rows)} replies has an id of the export; the first: {shown}",
            SourceRef(replies.rows[0].path, replies.rows[0].line),
            f"looked at {', '.join(str(path) for path in candidates[:3])}; name the index of "
            "their export with --index",
        )
    )


def match_replies(export: ExportFiles, replies: Replies) -> Matched:
    """Match replies by custom_id, plain ones that have none by sample_id where it fits one sample.

    Of a sample that was asked several times, a reply by sample_id is one to the first request.
    """
    known = {row.custom_id for row in export.index}
    known |= {str(control["custom_id"]) for control in export.controls}
    by_sample: dict[str, str | None] = {}
    for row in export.index:
        if row.repeat == 0:
            sample_id = row.key[0]
            by_sample[sample_id] = None if sample_id in by_sample else row.custom_id
    found = Matched()
    for placed in replies.rows:
        custom_id = placed.row.custom_id
        if custom_id is None:
            custom_id = by_sample.get(placed.row.sample_id or "")
        if custom_id in known:
            found.rows.setdefault(str(custom_id), []).append(placed.row)
        else:
            found.unknown.append(placed)
    return found


def _id_of(row: ReplyRow) -> str:
    return str(row.custom_id or row.sample_id)


def _of_another_run(run: RescueRun, export: ExportFiles | None) -> BadInputError:
    where = None if export is None else str(export.index_path)
    stated = None if export is None else export.manifest.get("run_id")
    return BadInputError(
        Problem(
            "other-run",
            f"the export is of run {stated}, the samples are of run {run.manifest.get('run_id')}",
            SourceRef(where),
            "merge replies into the samples that were exported from",
        )
    )
