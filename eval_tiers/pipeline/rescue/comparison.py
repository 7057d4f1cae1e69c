"""How far two examiners of the same requests agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from eval_tiers.metrics.agreement import cohen_kappa
from eval_tiers.pipeline.rescue.merged_rows import MergedRun
from eval_tiers.rescue.merging import Outcome, majority

NO_VERDICT: Final = "no_verdict"


def agreement_by_kind(merged: MergedRun, others: Mapping[str, Outcome]) -> dict[str, Any]:
    """Return agreement and confusion of the verdicts on cases, by kind.

    Parameters
    ----------
    merged : MergedRun
        With the outcomes of the first examiner.
    others : mapping of str to Outcome
        Those of the other, by request.

    Returns
    -------
    dict
        By kind ``confusion`` (verdict of the first to verdict of the other to n; replies that
        came and give no verdict count as ``no_verdict``) and ``agreement`` (Cohen's kappa). Cases
        that either of them owes are left out and counted: ``left_out_n``.
    """
    found: dict[str, Any] = {}
    for row, ids in merged.of_row.items():
        first = merged.rows[row].outcome
        second = majority([others[one] for one in ids])
        entry = found.setdefault(
            merged.rows[row].facts.kind, {"left_out_n": 0, "confusion": {}, "pairs": []}
        )
        if first.owed or second.owed:
            entry["left_out_n"] += 1
            continue
        entry["pairs"].append((first.verdict or NO_VERDICT, second.verdict or NO_VERDICT))
    for entry in found.values():
        pairs = sorted(entry.pop("pairs"))
        for one, other in pairs:
            of_one = entry["confusion"].setdefault(one, {})
            of_one[other] = of_one.get(other, 0) + 1
        entry["agreement"] = asdict(
            cohen_kappa([one for one, _ in pairs], [other for _, other in pairs])
        )
    return dict(sorted(found.items()))
