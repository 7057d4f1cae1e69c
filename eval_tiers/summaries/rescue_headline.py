"""The headline of a merge: a line from what is certain to what the examiner claims.

Source: specification of tier 4, section 5; docs/rescue_correction.md.
"""

from __future__ import annotations

from collections.abc import Mapping

from eval_tiers.summaries.interval_figures import Figures, add_rate

ANSWER_BUG = "ANSWER_BUG"


def headline(
    *,
    total_n: float,
    hard_correct_n: float,
    soft_correct_n: float,
    soft_correct_symbolic_n: float,
    case_n: float,
    correction: Mapping[str, object] | None,
    truth: str = ANSWER_BUG,
) -> Figures:
    """Return the line: hard, symbolic floor, corrected with its interval, naive effective.

    Parameters
    ----------
    total_n : float
        Samples of the run.
    hard_correct_n : float
        Right without any rescue.
    soft_correct_n : float
        Wrong answers that the examiner's verdicts call soft correct.
    soft_correct_symbolic_n : float
        Those that sign algebra alone calls soft correct (`eval_tiers.rescue.rates`).
    case_n : float
        Hard cases that the corrected share stands for.
    correction : mapping or None
        `eval_tiers.summaries.rescue_correction.kind_correction` of their kind; None without one.
    truth : str
        Whose corrected share counts as soft correct.

    Returns
    -------
    dict
        ``hard_correct_rate``, ``effective_symbolic_rate`` and ``effective_correct_rate`` with n
        and Wilson interval, ``effective_corrected_rate`` with the interval of the corrected share
        (the hard rate is taken as it is), and ``effective_corrected_if_worse``. None for 0
        samples, and where nothing could be corrected.
    """
    figures: Figures = {}
    add_rate(figures, "hard_correct_rate", hard_correct_n, total_n)
    add_rate(figures, "effective_symbolic_rate", hard_correct_n + soft_correct_symbolic_n, total_n)

    def rate(share: object) -> float | None:
        if not isinstance(share, int | float) or total_n <= 0:
            return None
        return (hard_correct_n + share * case_n) / total_n

    shares = (correction or {}).get("share")
    of_truth = shares.get(truth, {}) if isinstance(shares, Mapping) else {}
    figures["effective_corrected_rate"] = rate(of_truth.get("share"))
    figures["effective_corrected_rate_n"] = total_n
    figures["effective_corrected_rate_low"] = rate(of_truth.get("low"))
    figures["effective_corrected_rate_high"] = rate(of_truth.get("high"))
    rows = (correction or {}).get("if_worse")
    figures["effective_corrected_if_worse"] = [
        {"worse_points": row["worse_points"]}
        | {
            name: rate((row[key] or {}).get(truth))
            for name, key in (("rate", "share"), ("low", "low"), ("high", "high"))
        }
        for row in (rows if isinstance(rows, list) else [])
    ]
    add_rate(figures, "effective_correct_rate", hard_correct_n + soft_correct_n, total_n)
    return figures
