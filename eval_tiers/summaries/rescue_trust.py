"""How far the corrected shares can be trusted: claimed confidence, and a worse examiner.

Source: specification of tier 4, section 5; docs/rescue_correction.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from eval_tiers.metrics.calibration import calibration, multiclass_brier
from eval_tiers.metrics.calibration_error import calibration_error_interval
from eval_tiers.metrics.judge_correction import error_rates, refusal, rogan_gladen, worse
from eval_tiers.metrics.mixture_shares import mixture_shares
from eval_tiers.summaries.calibration import add_group_mean
from eval_tiers.summaries.interval_figures import Figures
from eval_tiers.summaries.rescue_judged import Judged

WORSE_POINTS: Final = (5, 10)


def calibration_figures(truths: Sequence[str], controls: Sequence[Judged]) -> Figures:
    """Hold claimed confidence and verdict probabilities against the truth of the controls.

    Replies without a verdict have no confidence; they count as missing.
    """
    right = [control.verdict == control.truth for control in controls]
    claimed = [_share_or_nan(c.confidence) if c.verdict else math.nan for c in controls]
    probable = [
        _share_or_nan(c.verdict_prob.get(c.verdict)) if c.verdict and c.verdict_prob else math.nan
        for c in controls
    ]
    whole = [
        (control.verdict_prob, truths.index(control.truth))
        for control in controls
        if control.verdict_prob and control.truth in truths
    ]
    clusters = [control.cluster for control in controls]
    return {
        "confidence": _calibration(claimed, right, clusters),
        "verdict_prob": _calibration(probable, right, clusters)
        | {
            "brier_all_verdicts": multiclass_brier(
                [[given.get(truth, 0.0) for truth in truths] for given, _ in whole],
                [truth for _, truth in whole],
            )
        },
    }


def _calibration(
    probabilities: Sequence[float], right: Sequence[bool], clusters: Sequence[str]
) -> Figures:
    """Return figures of calibration; of Brier score and calibration error the intervals too."""
    found: Figures = asdict(calibration(probabilities, right))
    known = [place for place, p in enumerate(probabilities) if not math.isnan(p)]
    p, y = np.array(probabilities)[known], np.array(right, np.bool_)[known]
    groups = np.unique(np.array(clusters, np.str_)[known], return_inverse=True)[1]
    add_group_mean(found, "brier", (p - y) ** 2, groups)
    low, high = calibration_error_interval(p, y, groups) or (None, None)
    return found | {
        "expected_calibration_error_n": len(known),
        "expected_calibration_error_low": low,
        "expected_calibration_error_high": high,
    }


def rows_if_worse(
    truths: Sequence[str], confusion: NDArray[np.int64], observed: NDArray[np.int64]
) -> list[Figures]:
    """Shares if the examiner errs more often on real cases than on controls.

    ``share`` with every truth worse; ``low`` and ``high`` over every choice of truths that are.
    """
    k = len(truths)
    possible = refusal(confusion, observed, truths) is None
    rows: list[Figures] = []
    for points in WORSE_POINTS:
        choices = [chosen for n in range(1, k + 1) for chosen in combinations(range(k), n)]
        found = [
            _shares_if_worse(confusion, observed, points / 100, chosen) if possible else None
            for chosen in choices
        ]
        values = [shares for shares in found if shares is not None]
        bounds = list(zip(*values, strict=True))
        rows.append(
            {
                "worse_points": points,
                "share": _by_truth(truths, found[-1]),
                "low": _by_truth(truths, [min(each) for each in bounds]),
                "high": _by_truth(truths, [max(each) for each in bounds]),
                "undefined_n": len(found) - len(values),
            }
        )
    return rows


def _by_truth(truths: Sequence[str], shares: Sequence[float] | None) -> Figures | None:
    return dict(zip(truths, shares, strict=True)) if shares else None


def _shares_if_worse(
    confusion: NDArray[np.int64],
    observed: NDArray[np.int64],
    points: float,
    chosen: tuple[int, ...],
) -> tuple[float, ...] | None:
    rows = worse(confusion / confusion.sum(axis=1, keepdims=True), points, chosen)
    # As if there were as many controls as there are, with these shares.
    counts = rows * confusion.sum(axis=1, keepdims=True)
    if refusal(counts, observed) is not None:
        return None
    if len(rows) == 2:
        sensitivity, specificity = error_rates(rows)
        found = rogan_gladen(int(observed[0]), int(observed.sum()), sensitivity, specificity)
        return None if found is None else (found.rate, 1 - found.rate)
    return tuple(round(float(share), 10) for share in mixture_shares(rows, observed))


def _share_or_nan(value: float | None) -> float:
    return value if value is not None and 0 <= value <= 1 else math.nan
