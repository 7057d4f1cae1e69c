"""Shares of the truths where people labelled a random sample of the hard cases.

Source: specification of tier 4, section 5; docs/rescue_correction.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Final

from eval_tiers.metrics.agreement import cohen_kappa
from eval_tiers.metrics.judge_correction import Refusal
from eval_tiers.metrics.prediction_powered import prediction_powered_mean
from eval_tiers.summaries.interval_figures import Figures
from eval_tiers.summaries.rescue_judged import NO_VERDICT, Judged, build_estimate

LEAST_LABELS: Final = 10
"""Labels by people from which they replace the controls."""


def label_figures(truths: Sequence[str], cases: Sequence[Judged]) -> Figures:
    """PPI++ where people labelled a random sample of the cases."""
    known = [case for case in cases if case.truth is not None]
    rest = [case for case in cases if case.truth is None]
    figures: Figures = {"label_n": len(known), "agreement": None, "share": None, "refusal": None}
    if not known:
        return figures
    figures["agreement"] = asdict(
        cohen_kappa(
            [case.truth or NO_VERDICT for case in known],
            [case.verdict or NO_VERDICT for case in known],
        )
    )
    if len(known) < LEAST_LABELS:
        reason = Refusal(
            "few-labels", f"{len(known)} labels by people, {LEAST_LABELS} needed: not used"
        )
        return figures | {"refusal": asdict(reason)}
    chances = [case.inclusion for case in known if case.inclusion and case.inclusion <= 1]
    if chances and len(chances) < len(known):
        reason = Refusal(
            "inclusion-missing",
            f"{len(known) - len(chances)} of {len(known)} labels lack the chance with which they "
            "were drawn: labels not used",
        )
        return figures | {"refusal": asdict(reason)}
    share = {}
    for truth in truths:
        found = prediction_powered_mean(
            [case.truth == truth for case in known],
            [case.verdict == truth for case in known],
            [case.verdict == truth for case in rest],
            inclusion=chances or None,
            clusters=[case.cluster for case in known],
            other_clusters=[case.cluster for case in rest],
        )
        if found is not None:
            clipped = min(1.0, max(0.0, found.mean))
            share[truth] = build_estimate(clipped, found.interval, found.mean) | {
                "weight_of_judge": found.weight_of_judge
            }
    figures["share"] = share
    return figures
