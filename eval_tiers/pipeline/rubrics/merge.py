"""Merges an examiner's replies on rubrics into result rows, and writes what is to be asked next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

import orjson

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import (
    InfrastructureError,
    Problem,
    RepliesError,
    SourceRef,
    UsageError,
)
from eval_tiers.io.atomic import atomic_writer, render_json
from eval_tiers.io.reply_files import PlacedReply, read_replies
from eval_tiers.io.rubric_export import RubricExport
from eval_tiers.pipeline.rescue.families import families_of
from eval_tiers.pipeline.rubrics.judged import JudgedExport, judge_export
from eval_tiers.pipeline.rubrics.matching import choose_rubric_export
from eval_tiers.pipeline.rubrics.merge_summary import (
    build_merge_summary,
    export_id,
)
from eval_tiers.pipeline.rubrics.merged_rows import build_rows
from eval_tiers.pipeline.rubrics.next_round import (
    owed_requests,
    write_owed_requests,
    write_synthesis,
)
from eval_tiers.rescue.reply_rows import MISSING, OWED
from eval_tiers.rescue.settling import Duplicates
from eval_tiers.rubrics.replies import Prices
from eval_tiers.rubrics.results import FILE_STEM, ResultRow, row_record

MAX_LISTED: Final = 100


@dataclass(frozen=True, slots=True)
class RubricMergeOptions:
    """What a merge is asked to do.

    Attributes
    ----------
    index : Path or None
        ``*.index.csv`` of the export; looked for beside the replies by default.
    output_dir : Path
        Where rows, summary and the next requests go.
    duplicates : {"unparsable", "last"}
        What becomes of replies to one request that differ.
    retry_unparsable : bool
        Whether verdicts that can't be read are owed as well.
    prices : Prices
    force : bool
        Whether the rows of another export may be replaced.
    """

    index: Path | None = None
    output_dir: Path = Path("results")
    duplicates: str = "unparsable"
    retry_unparsable: bool = False
    prices: Prices = field(default_factory=Prices)
    force: bool = False


@dataclass(slots=True)
class MergedRubrics:
    """What a merge wrote.

    Attributes
    ----------
    summary : dict
        Also on disk.
    rows : list of ResultRow
    rows_path, summary_path : Path
    synthesis_path, owed_path : Path or None
        Requests to run next; None where there are none.
    findings : list of Finding
    """

    summary: dict[str, Any]
    rows: list[ResultRow]
    rows_path: Path
    summary_path: Path
    synthesis_path: Path | None = None
    owed_path: Path | None = None
    findings: list[Finding] = field(default_factory=list)


def merge_rubrics(reply_paths: Sequence[Path], options: RubricMergeOptions) -> MergedRubrics:
    """Merge replies; write result rows, summary, the synthesis round and what is owed.

    The names hold the export's time: merging again replaces what was merged before.

    Raises
    ------
    RepliesError
        There are replies, and none of their ids is known; then nothing is written.
    UsageError, BadInputError, MissingResourceError
        An input isn't there or can't be read, or the folder holds the rows of another export.
    """
    replies = read_replies(reply_paths)
    export, rows, unknown = choose_rubric_export(replies, reply_paths, options.index)
    stamp = str(export.manifest["timestamp"])
    folder = options.output_dir
    merged = MergedRubrics(
        {}, [], folder / f"{FILE_STEM}_{stamp}.jsonl", folder / f"merge_{stamp}.json"
    )
    _refuse_other_rows(merged, export, options.force)
    judged = judge_export(export, rows, cast("Duplicates", options.duplicates))
    merged.rows = build_rows(export, judged, options.prices)
    merged.findings = [*replies.findings, *_unknown_ids(unknown), *_same_family(export, judged)]
    synthesis_path = folder / f"synthesis_requests_{stamp}.jsonl"
    shortened_n = write_synthesis(synthesis_path, export, judged)
    merged.synthesis_path = synthesis_path if judged.ready else None
    owed = owed_requests(judged, options.retry_unparsable)
    merged.owed_path = write_owed_requests(
        folder / f"owed_requests_{stamp}.jsonl", export, judged, rows, owed,
        merged.synthesis_path, merged.findings,
    )  # fmt: skip
    merged.summary = build_merge_summary(
        export, judged, replies, len(unknown), owed, merged.rows
    ) | {
        "synthesis_shortened_n": shortened_n,
        "rows_file": str(merged.rows_path),
        "synthesis_file": None if merged.synthesis_path is None else str(merged.synthesis_path),
        "owed_file": None if merged.owed_path is None else str(merged.owed_path),
        "findings": [finding.as_dict() for finding in merged.findings],
    }
    with atomic_writer(merged.rows_path) as handle:
        for row in merged.rows:
            handle.write(orjson.dumps(row_record(row), option=orjson.OPT_APPEND_NEWLINE))
    with atomic_writer(merged.summary_path) as handle:
        handle.write(render_json(merged.summary))
    return merged


def require_complete(merged: MergedRubrics, strict: bool) -> None:
    """Raise where no verdict could be had of the engine, or where ``strict`` and any is owed.

    Raises
    ------
    InfrastructureError
        Replies came, and all of them are failures that another run may mend.
    RepliesError
        ``strict``, and something is owed.
    """
    summary = merged.summary
    failed = {fault for fault in summary["fault_n"] if fault != MISSING}
    if summary["matched_n"] and not summary["verdict_n"] and failed and failed <= set(OWED):
        raise InfrastructureError(
            Problem(
                "no-verdict-at-all",
                f"none of {summary['matched_n']:,} replies holds a verdict: "
                + ", ".join(f"{n:,} {name}" for name, n in summary["fault_n"].items()),
                SourceRef(str(merged.rows_path)),
                "run what is owed; nothing was scored, and every row says success false",
            )
        )
    if strict and summary["owed_n"]:
        raise RepliesError(
            Problem(
                "replies-owed",
                f"{summary['owed_n']:,} of {summary['request_n']:,} replies are owed (--strict)",
                fix="run the owed requests, then merge all reply files again",
            )
        )


def _refuse_other_rows(merged: MergedRubrics, export: RubricExport, force: bool) -> None:
    """Raise where rows of that name are there that another export's merge has written."""
    if force or not merged.rows_path.exists():
        return
    try:
        earlier = orjson.loads(merged.summary_path.read_bytes())
        same = earlier["export_id"] == export_id(export)
    except (OSError, orjson.JSONDecodeError, KeyError, TypeError):
        same = False
    if not same:
        raise UsageError(
            Problem("output-exists", "this folder holds the rows of another export by that name",
                    SourceRef(str(merged.rows_path)),
                    "name another folder with -o, or replace them with --force")
        )  # fmt: skip


def _same_family(export: RubricExport, judged: JudgedExport) -> list[Finding]:
    """Warn of an examiner that may share the faults of the model that wrote the reports."""
    predictor = str(export.manifest.get("predictor") or "")
    models = sorted({one.model for one in judged.outcomes.values() if one.model})
    shared = {model: families_of(model) & families_of(predictor) for model in models}
    return [
        Finding("same-family",
                f"the examiner {model} is of the family of {predictor}, which wrote the reports "
                f"({', '.join(sorted(names))}): it may share its faults",
                fix="ask an examiner of another family as well")
        for model, names in shared.items()
        if names
    ]  # fmt: skip


def _unknown_ids(unknown: Sequence[PlacedReply]) -> list[Finding]:
    return [
        Finding("unknown-id",
                f"the export has no request {one.row.custom_id or one.row.sample_id!r}",
                SourceRef(one.path, one.line))
        for one in unknown[:MAX_LISTED]
    ]  # fmt: skip
