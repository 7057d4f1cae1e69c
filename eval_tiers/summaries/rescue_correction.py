"""What the controls, and people's labels, say of an examiner's verdicts on one kind of question.

Source: specification of tier 4, section 5; docs/rescue_correction.md. The arithmetic is in
`eval_tiers.metrics.judge_correction`, `corrected_rates` and `prediction_powered`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Final

import numpy as np
from numpy.typing import NDArray

from eval_tiers.metrics.clustered import effective_n
from eval_tiers.metrics.corrected_rates import DRAWS, corrected_rates
from eval_tiers.metrics.intervals import wilson_interval
from eval_tiers.metrics.judge_correction import (
    error_rates,
    lang_reiczigel,
    refusal,
    rogan_gladen,
    smallest_singular_value,
)
from eval_tiers.metrics.quantiles import FEW_CLUSTERS, cluster_quantile
from eval_tiers.summaries.interval_figures import Figures
from eval_tiers.summaries.rescue_judged import (
    NO_VERDICT,
    Judged,
    build_estimate,
    tally_verdicts,
    verdict_column,
)
from eval_tiers.summaries.rescue_labels import label_figures
from eval_tiers.summaries.rescue_trust import calibration_figures, rows_if_worse

MULTINOMIAL: Final = "multinomial"
ROGAN_GLADEN: Final = "rogan_gladen"
PREDICTION_POWERED: Final = "prediction_powered"


def kind_correction(
    truths: Sequence[str],
    controls: Sequence[Judged],
    cases: Sequence[Judged],
    *,
    draws: int = DRAWS,
    seed: int = 0,
) -> Figures:
    """Work out corrected shares of the truths among the hard cases of one kind.

    Parameters
    ----------
    truths : sequence of str
        The kind's verdicts, in order; with two, the first is the positive one.
    controls, cases : sequences of Judged
        Controls of a truth that isn't among ``truths`` are left out.
    draws, seed : int
        Of the bootstrap.

    Returns
    -------
    dict
        ``method`` (None where nothing can be corrected: ``refusal`` says why), ``share`` by truth
        (share, low, high, unclipped), ``naive_share``, ``confusion``, ``observed``,
        ``if_worse``, ``calibration``, ``labels``; docs/rescue_correction.md defines them.
    """
    controls = [control for control in controls if control.truth in truths]
    columns = (*truths, NO_VERDICT)
    confusion = np.array(
        [tally_verdicts([c for c in controls if c.truth == truth], truths) for truth in truths]
    )
    observed = tally_verdicts(cases, truths)
    clusters = {case.cluster for case in cases} | {control.cluster for control in controls}
    figures: Figures = {
        "truths": list(truths),
        "control_n": {truth: int(row.sum()) for truth, row in zip(truths, confusion, strict=True)},
        "confusion": {
            truth: dict(zip(columns, map(int, row), strict=True))
            for truth, row in zip(truths, confusion, strict=True)
        },
        "observed": dict(zip(columns, map(int, observed), strict=True)),
        "observed_n": len(cases),
        "cluster_n": len(clusters),
        "smallest_singular_value": smallest_singular_value(confusion),
    }
    by_controls = (
        _two_verdicts(truths, controls, cases, confusion, observed)
        if len(truths) == 2
        else _several_verdicts(truths, controls, cases, draws, seed)
    )
    labelled = label_figures(truths, cases)
    found = by_controls
    if isinstance(labelled["share"], dict):
        found = {"method": PREDICTION_POWERED, "refusal": None, "share": labelled["share"]}
    figures |= found
    figures["unlike_controls"] = bool(by_controls.get("unlike_controls"))
    figures["share_by_controls"] = by_controls["share"]
    figures["naive_share"] = _naive(truths, observed)
    figures["if_worse"] = (
        [] if found is not by_controls else rows_if_worse(truths, confusion, observed)
    )
    figures["calibration"] = calibration_figures(truths, controls)
    figures["labels"] = labelled
    figures["notes"] = _notes(found, len(clusters), labelled)
    return figures


def _several_verdicts(
    truths: Sequence[str],
    controls: Sequence[Judged],
    cases: Sequence[Judged],
    draws: int,
    seed: int,
) -> Figures:
    found = corrected_rates(
        [truths.index(control.truth or "") for control in controls],
        [verdict_column(control, truths) for control in controls],
        [control.cluster for control in controls],
        [verdict_column(case, truths) for case in cases],
        [case.cluster for case in cases],
        truth_n=len(truths),
        verdict_n=len(truths) + 1,
        truths=truths,
        draws=draws,
        seed=seed,
    )
    if found.shares is None or found.unclipped is None:
        return {
            "method": None,
            "refusal": asdict(found.refusal) if found.refusal else None,
            "share": None,
        }
    intervals = found.intervals or [None] * len(truths)
    share = {
        truth: build_estimate(value, interval, unclipped)
        for truth, value, interval, unclipped in zip(
            truths, found.shares, intervals, found.unclipped, strict=True
        )
    }
    return {
        "method": MULTINOMIAL,
        "refusal": None,
        "share": share,
        "draw_n": found.draw_n,
        "unlike_controls": found.unlike_controls,
    }


def _two_verdicts(
    truths: Sequence[str],
    controls: Sequence[Judged],
    cases: Sequence[Judged],
    confusion: NDArray[np.int64],
    observed: NDArray[np.int64],
) -> Figures:
    """Rogan-Gladen for the first verdict against everything else, rows worth their clusters."""
    reason = refusal(confusion, observed, truths)
    if reason is not None:
        return {"method": None, "refusal": asdict(reason), "share": None}
    sensitivity, specificity = error_rates(confusion / confusion.sum(axis=1, keepdims=True))
    corrected = rogan_gladen(int(observed[0]), len(cases), sensitivity, specificity)
    if corrected is None:
        return {"method": None, "refusal": None, "share": None}
    groups = [cases, *([c for c in controls if c.truth == truth] for truth in truths)]
    worth = [
        effective_n([one.verdict == truths[0] for one in group], [one.cluster for one in group])
        for group in groups
    ]
    fewest = min(len({one.cluster for one in group}) for group in groups)
    interval = None
    case_worth, hit_worth, miss_worth = worth
    if case_worth is not None and hit_worth is not None and miss_worth is not None:
        interval = lang_reiczigel(
            int(observed[0]) / len(cases) * case_worth,
            case_worth,
            sensitivity * hit_worth,
            hit_worth,
            specificity * miss_worth,
            miss_worth,
            z=cluster_quantile(fewest),
        )
    # Pseudo-counts may move the interval off an estimate at the edge.
    if interval is not None:
        interval = min(interval[0], corrected.rate), max(interval[1], corrected.rate)
    other = None if interval is None else (1 - interval[1], 1 - interval[0])
    share = {
        truths[0]: build_estimate(corrected.rate, interval, corrected.unclipped),
        truths[1]: build_estimate(1 - corrected.rate, other, 1 - corrected.unclipped),
    }
    return {
        "method": ROGAN_GLADEN,
        "refusal": None,
        "share": share,
        "unlike_controls": interval is None and None not in worth,
        "sensitivity_rate": sensitivity,
        "specificity_rate": specificity,
    }


def _naive(truths: Sequence[str], observed: NDArray[np.int64]) -> Figures:
    n = int(observed.sum())
    return {
        truth: build_estimate(int(seen) / n if n else None, wilson_interval(int(seen), n), None)
        for truth, seen in zip(truths, observed, strict=False)
    }


def _notes(found: Figures, cluster_n: int, labelled: Figures) -> list[str]:
    notes = []
    if found["share"] is not None and cluster_n < FEW_CLUSTERS:
        notes.append(
            f"{cluster_n} clusters: intervals of fewer than {FEW_CLUSTERS} are rather too narrow"
        )
    if found.get("unlike_controls"):
        notes.append(
            "the verdicts on the hard cases can't be a mix of those on the controls: the controls "
            "don't stand for the cases"
        )
    if isinstance(labelled["refusal"], dict):
        notes.append(labelled["refusal"]["reason"])
    return notes
