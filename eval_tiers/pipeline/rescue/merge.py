"""Merges an examiner's replies into a run's samples table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.io.atomic import atomic_writer, render_json
from eval_tiers.io.reply_files import Replies, read_replies
from eval_tiers.io.rescue_files import (
    ExportFiles,
    file_name,
    find_request_files,
    write_owed,
)
from eval_tiers.io.rescue_run import RescueRun, find_run
from eval_tiers.io.samples_csv import render_extended
from eval_tiers.pipeline.rescue.comparison import agreement_by_kind
from eval_tiers.pipeline.rescue.families import families_of
from eval_tiers.pipeline.rescue.merge_summary import build_merge_summary
from eval_tiers.pipeline.rescue.merged_rows import MergedRun, facts_of_rows, merged_columns
from eval_tiers.pipeline.rescue.recompute import labels_of_answers
from eval_tiers.pipeline.rescue.replies import Matched, choose_export, match_replies
from eval_tiers.pipeline.rescue.sheets import HumanLabels, read_labels
from eval_tiers.rescue.effects import merge_one
from eval_tiers.rescue.files import MERGED, MERGED_COLUMNS, OWED
from eval_tiers.rescue.merging import Asked, Outcome, is_unparsable, majority, settle
from eval_tiers.rescue.reply_rows import CUT_OFF, ReplyRow

MAX_LISTED = 100
Duplicates = Literal["unparsable", "last"]


@dataclass(frozen=True, slots=True)
class MergeOptions:
    """What a merge is asked to do.

    Attributes
    ----------
    output, summary_json : Path or None
        Where table and summary go; beside the samples by default.
    labels : Path or None
        Sheet of human labels.
    index : Path or None
        Index of the export; looked for by default.
    duplicates : {"unparsable", "last"}
        What becomes of replies to one request that differ.
    retry_unparsable : bool
        Whether verdicts that can't be read are owed as well.
    compare : tuple of Path
        Replies of another examiner to the same requests.
    """

    output: Path | None = None
    summary_json: Path | None = None
    labels: Path | None = None
    index: Path | None = None
    duplicates: str = "unparsable"
    retry_unparsable: bool = False
    compare: tuple[Path, ...] = ()


@dataclass(slots=True)
class MergedRescue:
    """What a merge wrote.

    Attributes
    ----------
    summary : dict
        Also on disk.
    table_path, summary_path : Path
    owed_path : Path or None
        None where nothing is owed, or the request files are gone.
    findings : list of Finding
    """

    summary: dict[str, Any]
    table_path: Path
    summary_path: Path
    owed_path: Path | None = None
    findings: list[Finding] = field(default_factory=list)


def merge_run(
    samples_csv: Path, reply_paths: Sequence[Path], options: MergeOptions
) -> MergedRescue:
    """Merge replies into a run's samples table; write table, summary and what is owed.

    Raises
    ------
    RepliesError
        There are replies, and none of their ids is known; then nothing is written.
    UsageError, BadInputError, MissingResourceError
        An input isn't there, can't be read, or doesn't belong to the run.
    """
    run = find_run(samples_csv)
    _refuse_merged(run)
    replies = read_replies(reply_paths)
    export, matched = choose_export(run, replies, reply_paths, options.index)
    human = HumanLabels() if options.labels is None else read_labels(options.labels, export)
    merged = _merge(run, export, matched, options)
    merged.human = human
    table = options.output or run.folder / file_name(MERGED, run.timestamp, "csv")
    summary_path = options.summary_json or table.with_suffix(".json")
    owed_path = table.with_name(file_name(OWED, run.timestamp, "jsonl"))
    findings = _findings(replies, matched, merged)
    owed = _owed(merged, options.retry_unparsable)
    written = _write_owed(owed_path, export, matched, merged, owed, findings)
    summary = build_merge_summary(run, merged, replies, matched, owed)
    if options.compare:
        summary["comparison"] = _comparison(export, merged, options)
    summary |= {
        "table": str(table),
        "owed_file": str(owed_path) if written else None,
        "findings": [finding.as_dict() for finding in findings],
    }
    with atomic_writer(table) as handle:
        handle.write(render_extended(run.samples, merged_columns(merged)))
    with atomic_writer(summary_path) as handle:
        handle.write(render_json(summary))
    return MergedRescue(summary, table, summary_path, owed_path if written else None, findings)


def _refuse_merged(run: RescueRun) -> None:
    if MERGED_COLUMNS[0] in run.samples:
        fix = "merge all replies at once into samples_<timestamp>.csv, as eval wrote it"
        where = SourceRef(str(run.samples.path))
        raise BadInputError(
            Problem("already-merged", "replies were merged into this table before", where, fix)
        )


def _merge(
    run: RescueRun, export: ExportFiles, matched: Matched, options: MergeOptions
) -> MergedRun:
    """Settle the replies, bring repeats together, and work out what they change."""
    row_of = {key: row for row, key in enumerate(run.samples.keys())}
    gold = run.samples.column("gold_label")
    labels = tuple(map(str, export.manifest["labels"]))
    benchmark = str(export.manifest["format"])
    blind = bool(export.manifest["settings"].get("blind"))
    asked: dict[str, Asked] = {}
    of_row: dict[int, list[str]] = {}
    kind_of: dict[int, str] = {}
    absent_n = 0
    for entry in sorted(export.index, key=lambda entry: entry.repeat):
        row = row_of.get(entry.key)
        if row is None:
            absent_n += 1
            continue
        asked[entry.custom_id] = Asked(entry.kind, benchmark, labels, gold[row] or "", blind)
        of_row.setdefault(row, []).append(entry.custom_id)
        kind_of[row] = entry.kind
    controls: dict[int, list[dict[str, Any]]] = {}
    for control in sorted(export.controls, key=lambda control: int(control["repeat"])):
        custom_id = str(control["custom_id"])
        asked[custom_id] = Asked(
            str(control["kind"]), benchmark, labels, str(control["gold_answer"]), blind
        )
        controls.setdefault(int(control["number"]), []).append(control)
    outcomes = settle(matched.rows, asked, cast("Duplicates", options.duplicates))
    facts = facts_of_rows(run, kind_of)
    found = {
        row: merge_one(facts[row], majority([outcomes[one] for one in ids]))
        for row, ids in of_row.items()
    }
    answers = {
        row: one.rescued_answer for row, one in found.items() if one.rescued_answer is not None
    }
    return MergedRun(
        run,
        export,
        found,
        labels_of_answers(run, answers),
        outcomes,
        asked,
        of_row,
        controls,
        absent_n,
    )


def _comparison(export: ExportFiles, merged: MergedRun, options: MergeOptions) -> dict[str, Any]:
    """Return how far the verdicts agree with those of another examiner, by kind."""
    replies = read_replies(options.compare)
    rows = match_replies(export, replies).rows
    others = settle(rows, merged.asked, cast("Duplicates", options.duplicates))
    models = sorted(_models(others))
    return {"examiners": models, "kinds": agreement_by_kind(merged, others)}


def _owed(merged: MergedRun, retry_unparsable: bool) -> dict[str, str]:
    """Return the fault of each request that is owed, by id."""
    return {
        custom_id: outcome.fault or ""
        for custom_id, outcome in merged.outcomes.items()
        if outcome.owed or (retry_unparsable and is_unparsable(outcome.fault))
    }


def _write_owed(
    path: Path,
    export: ExportFiles,
    matched: Matched,
    merged: MergedRun,
    owed: Mapping[str, str],
    findings: list[Finding],
) -> bool:
    requests = find_request_files(export)
    if owed and len(requests) < len(export.manifest.get("requests", ())):
        stated = str(next(iter(export.manifest["requests"]))["path"])
        findings.append(
            Finding(
                "requests-missing",
                "the request file isn't there any more: what is owed can't be written",
                SourceRef(stated),
                fix="put it beside the index of the export, or export again",
            )
        )
        return False
    cut_off = {
        custom_id: max(map(_tokens, matched.rows.get(custom_id, ())), default=0)
        for custom_id, fault in owed.items()
        if fault == CUT_OFF
    }
    written = write_owed(path, requests, owed, cut_off)
    if written < len(owed):
        findings.append(
            Finding(
                "requests-differ",
                f"{len(owed) - written} of {len(owed)} owed requests aren't in the request file",
                SourceRef(None if not requests else str(requests[0])),
                fix="put back the request file that was exported, or export again",
            )
        )
    return written > 0


def _tokens(row: ReplyRow) -> int:
    value = (row.usage or {}).get("completion_tokens")
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _findings(replies: Replies, matched: Matched, merged: MergedRun) -> list[Finding]:
    found = list(replies.findings)
    found += [
        Finding(
            "unknown-id",
            f"the export has no request {placed.row.custom_id or placed.row.sample_id!r}",
            SourceRef(placed.path, placed.line),
        )
        for placed in matched.unknown[:MAX_LISTED]
    ]
    predictor = merged.export.manifest.get("predictor")
    for model in sorted(_models(merged.outcomes)):
        shared = families_of(model) & families_of(str(predictor or ""))
        if shared:
            found.append(
                Finding(
                    "same-family",
                    f"the examiner {model} is of the family of the predictor {predictor} "
                    f"({', '.join(sorted(shared))}): it may share its faults",
                    fix="ask an examiner of another family as well",
                )
            )
    return found


def _models(outcomes: Mapping[str, Outcome]) -> set[str]:
    return {outcome.model for outcome in outcomes.values() if outcome.model}
