"""The summary of a merge: rates, verdicts, what the controls showed, what is owed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from eval_tiers.io.reply_files import Replies
from eval_tiers.io.rescue_run import RescueRun
from eval_tiers.metrics.agreement import cohen_kappa
from eval_tiers.pipeline.rescue.cases import choose_rows
from eval_tiers.pipeline.rescue.merged_rates import add_merged_intervals
from eval_tiers.pipeline.rescue.merged_rows import MergedRun, facts_of_rows, is_true
from eval_tiers.pipeline.rescue.replies import Matched
from eval_tiers.rescue.effects import Merged, merge_one
from eval_tiers.rescue.kinds.wrong_correct_chain import KIND as WRONG_CORRECT_CHAIN
from eval_tiers.rescue.merging import Outcome, majority, repeat_agreement
from eval_tiers.rescue.rates import (
    fault_counts,
    rescue_counts,
    rescue_rates,
    trust_figures,
    verdict_counts,
)
from eval_tiers.rescue.registry import known_kinds
from eval_tiers.summaries.rescue_correction import kind_correction
from eval_tiers.summaries.rescue_headline import headline
from eval_tiers.summaries.rescue_judged import Judged

_LISTED = 100


def build_merge_summary(
    run: RescueRun,
    merged: MergedRun,
    replies: Replies,
    matched: Matched,
    owed: Mapping[str, str],
) -> dict[str, Any]:
    """Return the summary of a merge as strict JSON; see docs/rescue.md for its keys."""
    rows = list(merged.rows.values())
    counts = rescue_counts(rows)
    total = len(run.samples)
    right = sum(map(is_true, run.samples.column("answer_correct")))
    rates = rescue_rates(
        total, right, counts["soft"], counts["soft_ref"], counts["recovered"], counts["alternate"]
    )
    chains = _all_close_chains(run, merged)
    corrections = _corrections(merged)
    manifest = merged.export.manifest
    floor = trust_figures(chains.values(), total)
    line = headline(
        total_n=total,
        hard_correct_n=right,
        soft_correct_n=counts["soft"],
        soft_correct_symbolic_n=floor["soft_correct_symbolic"] or 0,
        case_n=len(chains),
        correction=corrections.get(WRONG_CORRECT_CHAIN.name),
    )
    summary = {
        "run_id": run.manifest.get("run_id"),
        "format": run.benchmark,
        "prompt_version": manifest.get("prompt_version"),
        "settings": manifest["settings"],
        **rates,
        "hard_correct_n": right,
        "both_sign_routes_rate": manifest.get("both_sign_routes_rate"),
        "both_sign_routes_n": manifest.get("both_sign_routes_n"),
        **trust_figures(rows, total),
        "soft_correct_symbolic": floor["soft_correct_symbolic"],
        "soft_correct_symbolic_rate": floor["soft_correct_symbolic_rate"],
        "headline": line,
        "verdict_counts": verdict_counts(rows),
        "no_verdict": fault_counts(rows),
        "error_distribution_after_rescue": _distribution(run, merged),
        "rescued_label_counts": dict(sorted(Counter(map(str, merged.rescued_labels.values()))
                                            .items())),
        **_reply_figures(merged, replies, matched, owed),
        "repeats": repeat_agreement(
            [merged.outcomes[one] for one in ids] for ids in merged.of_row.values()
        ),
        "correction": corrections,
        "labels": _label_figures(merged),
        "examiners": sorted({one.model for one in merged.outcomes.values() if one.model}),
        "predictor": manifest.get("predictor"),
    }  # fmt: skip
    add_merged_intervals(summary, line, merged, chains)
    return summary


def _all_close_chains(run: RescueRun, merged: MergedRun) -> dict[int, Merged]:
    """Return every hard row of the kind that earns soft credit, exported or not."""
    asked, _, _ = choose_rows(run, None, 0, {WRONG_CORRECT_CHAIN.name})
    facts = facts_of_rows(run, {one.row: one.kind for one in asked})
    nothing = Outcome(None)
    return {
        row: merged.rows.get(row) or merge_one(of_row, nothing) for row, of_row in facts.items()
    }


def _distribution(run: RescueRun, merged: MergedRun) -> dict[str, int]:
    labels = list(run.samples.column("error_label"))
    for row, one in merged.rows.items():
        labels[row] = one.error_label_after or None
    return dict(sorted(Counter(label or "none" for label in labels).items()))


def _reply_figures(
    merged: MergedRun, replies: Replies, matched: Matched, owed: Mapping[str, str]
) -> dict[str, Any]:
    outcomes = merged.outcomes
    faults = Counter(one.fault for one in outcomes.values() if one.fault is not None)
    by_kind = Counter(merged.asked[custom_id].kind for custom_id in owed)
    return {
        "request_n": len(outcomes),
        "reply_n": len(replies.rows),
        "verdict_n": sum(one.verdict is not None for one in outcomes.values()),
        "missing_n": faults.get("missing", 0),
        "fault_n": {str(fault): n for fault, n in sorted(faults.items(), key=str)},
        "unparsable_n": sum(one.verdict is None and not one.owed for one in outcomes.values()),
        "duplicate_n": sum(len(rows) > 1 for rows in matched.rows.values()),
        "conflicting_n": faults.get("conflicting_replies", 0),
        "unknown_n": len(matched.unknown),
        "unknown": [
            {"id": one.row.custom_id or one.row.sample_id, "path": one.path, "line": one.line}
            for one in matched.unknown[:_LISTED]
        ],
        "not_a_reply_n": replies.not_reply_n,
        "cut_off_files": replies.cut_off,
        "from_reasoning_n": sum(one.from_reasoning for one in outcomes.values()),
        "absent_from_table_n": merged.absent_n,
        "owed_n": len(owed),
        "owed_by_fault": dict(sorted(Counter(owed.values()).items())),
        "owed_by_kind": dict(sorted(by_kind.items())),
    }


def _corrections(merged: MergedRun) -> dict[str, Any]:
    """Return, for each kind with controls or labels, what they make of its verdicts."""
    found = {}
    for kind in known_kinds().values():
        controls = [
            (truth, control) for truth, control in _judged_controls(merged) if truth == kind.name
        ]
        if not controls and merged.human.kind != kind.name:
            continue
        verdicts = kind.verdicts(merged.run.benchmark, merged.run.labels)
        seed = int(merged.export.manifest["settings"].get("seed") or 0)
        found[kind.name] = kind_correction(
            verdicts, [control for _, control in controls], _judged_cases(merged, kind.name),
            seed=seed,
        )  # fmt: skip
    return found


def _judged_controls(merged: MergedRun) -> Sequence[tuple[str, Judged]]:
    found = []
    for repeats in merged.controls.values():
        outcome = majority([merged.outcomes[str(one["custom_id"])] for one in repeats])
        if not outcome.owed:
            first = repeats[0]
            judged = _judged(outcome, str(first["cluster"]), str(first["truth"]))
            found.append((str(first["kind"]), judged))
    return found


def _judged_cases(merged: MergedRun, kind: str) -> list[Judged]:
    keys = merged.run.samples.keys()
    clusters = _clusters(merged.run)
    human = merged.human
    found = []
    for row, one in merged.rows.items():
        if one.facts.kind != kind or one.outcome.owed:
            continue
        key = keys[row]
        truth = human.truth.get(key) if human.kind == kind else None
        inclusion = None if truth is None else human.inclusion[key]
        found.append(_judged(one.outcome, clusters[row] or key[0], truth, inclusion))
    return found


def _clusters(run: RescueRun) -> list[str | None]:
    if "pair" in run.samples:
        return run.samples.column("pair")
    return [
        None if name is None else name.strip().upper()
        for name in run.samples.column("perturbation")
    ]


def _judged(
    outcome: Outcome, cluster: str, truth: str | None, inclusion: float | None = None
) -> Judged:
    return Judged(
        outcome.verdict, cluster, truth, inclusion, outcome.confidence, outcome.verdict_prob
    )


def _label_figures(merged: MergedRun) -> dict[str, Any] | None:
    """Return what became of the sheet of labels, and how far its raters agree."""
    human = merged.human
    if human.kind is None:
        return None
    agreement = None
    if human.pairs:
        first, second = zip(*human.pairs, strict=True)
        agreement = asdict(cohen_kappa(list(first), list(second)))
    return {
        "kind": human.kind,
        "labelled_n": len(human.truth),
        "both_rated_n": len(human.pairs),
        "unsettled_n": human.unsettled_n,
        "blank_n": human.blank_n,
        "rater_agreement": agreement,
    }
