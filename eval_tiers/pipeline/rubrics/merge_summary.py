"""The summary of a merge of rubrics."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

import orjson

from eval_tiers.io.reply_files import Replies
from eval_tiers.io.rubric_export import RubricExport
from eval_tiers.pipeline.rubrics.judged import JudgedExport
from eval_tiers.pipeline.rubrics.reliability import control_figures, repeat_figures
from eval_tiers.rescue.reply_rows import MISSING
from eval_tiers.rubrics.results import ResultRow

MERGE_KIND: Final = "rubric-merge"


def export_id(export: RubricExport) -> str:
    """Return what tells an export from any other."""
    identity = [export.manifest["id_key"], export.manifest["timestamp"]]
    return hashlib.sha256(orjson.dumps(identity)).hexdigest()[:16]


def waiting_syntheses(judged: JudgedExport, owed: Mapping[str, str]) -> set[str]:
    """Return the owed ones that stand in the file of the synthesis round, as they are."""
    ready = {one.entry.custom_id for one in judged.ready}
    return {
        custom_id for custom_id, fault in owed.items() if custom_id in ready and fault == MISSING
    }


def build_merge_summary(
    export: RubricExport,
    judged: JudgedExport,
    replies: Replies,
    unknown_n: int,
    owed: Mapping[str, str],
    rows: Sequence[ResultRow],
) -> dict[str, Any]:
    """Return the summary of a merge as strict JSON; see docs/rubrics.md for its keys."""
    manifest = export.manifest
    outcomes = judged.outcomes
    faults = Counter(judged.faults.values())
    not_asked = waiting_syntheses(judged, owed)
    tokens = [row.tokens_used for row in rows if row.tokens_used is not None]
    costs = [row.cost for row in rows if row.cost is not None]
    verdicts = Counter(row.verdict for row in rows if row.success)
    no_verdict = Counter(one.outcome.fault or "" for one in judged.cases.values()
                         if one.outcome.verdict is None)  # fmt: skip
    return {
        "kind": MERGE_KIND,
        "export_id": export_id(export),
        "index": str(export.index_path),
        "timestamp": manifest["timestamp"],
        "prompt_version": manifest.get("prompt_version"),
        "responses": manifest.get("responses"),
        "settings": manifest["settings"],
        "rubric_n": len(rows),
        "success_n": sum(row.success for row in rows),
        "verdict_counts": dict(sorted(verdicts.items())),
        "no_verdict": dict(sorted(no_verdict.items())),
        "missing_reports": list(manifest.get("missing", [])),
        "request_n": len(outcomes),
        "reply_n": len(replies.rows),
        "matched_n": len(replies.rows) - unknown_n,
        "verdict_n": sum(one.verdict is not None for one in outcomes.values()),
        "fault_n": dict(sorted(faults.items())),
        "duplicate_n": sum(one.reply_n > 1 for one in outcomes.values()),
        "unknown_n": unknown_n,
        "not_a_reply_n": replies.not_reply_n,
        "cut_off_files": replies.cut_off,
        "from_reasoning_n": sum(one.from_reasoning for one in outcomes.values()),
        "owed_n": len(owed),
        "owed_by_fault": dict(sorted(Counter(owed.values()).items())),
        "synthesis_n": len(judged.ready),
        "synthesis_to_ask_n": len(not_asked),
        "tokens_used": sum(tokens) if tokens else None,
        "tokens_known_n": len(tokens),
        "control_tokens_used": _total(judged),
        "cost": sum(costs) if costs else None,
        "cost_known_n": len(costs),
        "repeats": repeat_figures(judged),
        "controls": control_figures(export, judged),
        "control_shortfalls": list(manifest.get("control_shortfalls", [])),
        "examiners": sorted({one.model for one in outcomes.values() if one.model}),
    }


def _total(judged: JudgedExport) -> int | None:
    """Return the tokens of the controls that tell any."""
    known = [one.usage.total_n for one in judged.controls if one.usage is not None]
    totals = [total for total in known if total is not None]
    return sum(totals) if totals else None
