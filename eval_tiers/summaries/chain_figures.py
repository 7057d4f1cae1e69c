"""Figures of tier 2: error labels, chains against gold and graph, what gold itself allows."""

from __future__ import annotations

from typing import Final

from eval_tiers.domain.taxonomy import CHAIN_VALIDITIES, EDGE_STATUSES, ERROR_LABELS
from eval_tiers.metrics.clustered import ratio_influence
from eval_tiers.metrics.intervals import wilson_interval
from eval_tiers.summaries.cluster_sums import Names
from eval_tiers.summaries.interval_figures import (
    Figures,
    Interval,
    SliceSums,
    add_clustered,
    add_interval,
    add_mean,
    add_share,
    add_shares,
    odds,
    whole_number,
)
from eval_tiers.summaries.measures import ANSWER_STATES, MEANS, SIGN_NAMES

IMPLIED_HEADLINES: Final = (
    "grounded_accuracy",
    "grounded_accuracy_upper",
    "lucky_right_rate",
)
"""Headlines that rest on implied answers; withheld where gold chains contradict their answers."""


def chain_figures(sums: SliceSums) -> Figures:
    """Tier 2: error labels, chain means, grounded accuracy, contradictions, hubs, ceiling."""
    tally = sums.tally
    figures: Figures = error_label_figures(sums)
    for name in MEANS:
        add_mean(figures, name, sums, name)
    for name in ("edge_f1", "edge_f1_relaxed"):
        add_mean(figures, f"{name}_without_empty", sums, f"{name}_without_empty")
    add_mean(figures, "gold_in_kg_rate", sums, "gold_in_kg_rate")
    for name in ("connected", "kg_connected"):
        add_share(figures, f"{name}_rate", sums, f"{name}_w", f"{name}_known_w")
    figures["answer_chain_matrix"] = {
        state: {
            validity: whole_number(tally.real(_matrix(state, validity)))
            for validity in CHAIN_VALIDITIES
        }
        for state in ANSWER_STATES
    }
    valid = _matrix("right", "valid")
    add_share(figures, "grounded_accuracy", sums, valid, "all_w")
    add_share(
        figures, "grounded_accuracy_upper", sums, (valid, _matrix("right", "unverifiable")), "all_w"
    )
    add_share(figures, "lucky_right_rate", sums, _matrix("right", "invalid"), "correct_w")
    figures["gold_self_consistency"] = gold_consistency(sums)
    figures |= _pair_figures(sums)
    for name in (
        "dropped_edge_n", "off_path_edge_n", "off_path_unknown_n", "gold_conflict_n",
        "predicted_conflict_n", "unsigned_shared_n", "no_gold_chain_n", "no_ends_n",
        "no_perturbation_sign_n",
    ):  # fmt: skip
        figures[name] = tally.count(name)
    return figures


def _matrix(state: str, validity: str) -> str:
    return f"matrix_{state}_{validity}_w"


def error_label_figures(sums: SliceSums) -> Figures:
    """Rows by error label, their rates, hard cases, and the ratio of two kinds of wrong chain."""
    tally = sums.tally
    figures: Figures = {}
    figures["error_distribution"] = {name: tally.count(f"label_{name}_n") for name in ERROR_LABELS}
    figures["error_label_null_n"] = tally.count("label_none_n")
    parts: dict[str, Names] = {name: f"label_{name}_w" for name in ERROR_LABELS}
    add_shares(figures, "error_rate_by_label", sums, parts, "all_w")
    _add_ratio(
        figures, "wrong_correct_chain_to_wrong_no_path", sums, "WRONG_CORRECT_CHAIN",
        "WRONG_NO_PATH",
    )  # fmt: skip
    figures["hard_case_n"] = tally.count("hard_case_n")
    add_share(figures, "hard_case_rate", sums, "hard_case_w", "all_w")
    add_share(figures, "correct_clean_rate", sums, "correct_clean_w", "all_w")
    return figures


def _add_ratio(figures: Figures, name: str, sums: SliceSums, one: str, other: str) -> None:
    """Add the ratio of two labels; its intervals are the odds of the first one's share of both."""
    tally = sums.tally
    first, second = tally.count(f"label_{one}_n"), tally.count(f"label_{other}_n")
    figures[name] = first / second if second else None
    figures[f"{name}_n"] = first + second
    parts: tuple[str, str] = (f"label_{one}_w", f"label_{other}_w")
    whole = sums.total(parts)
    for kind, interval in (
        ("", wilson_interval(min(sums.total(parts[0]), whole), whole)),
        ("_clustered", sums.clustered_share(parts[0], parts)),
    ):
        low, high = interval or (None, None)
        defined = second and low is not None and high is not None
        figures[f"{name}{kind}_low"] = odds(max(0.0, low)) if defined and low is not None else None
        figures[f"{name}{kind}_high"] = (
            odds(min(1.0, high)) if defined and high is not None else None
        )


def gold_consistency(sums: SliceSums) -> Figures:
    """Share of directional golds whose gold chain implies the gold answer, by sign; and flipped."""
    names = {sign: ([f"gold_consistent_{sign}_w"], [f"gold_judged_{sign}_w"])
             for sign in SIGN_NAMES.values()}  # fmt: skip
    every: tuple[Names, Names] = (
        tuple(part for parts, _ in names.values() for part in parts),
        tuple(whole for _, wholes in names.values() for whole in wholes),
    )
    result: Figures = {"all": _consistency(sums, *every)}
    for sign, (parts, wholes) in names.items():
        if sign != "unknown":
            result[sign] = _consistency(sums, parts[0], wholes[0])
    return result


def _consistency(sums: SliceSums, part: Names, whole: Names) -> Figures:
    figures: Figures = {}
    add_share(figures, "rate", sums, part, whole)
    judged = sums.total(whole)
    figures["rate_flipped"] = (judged - sums.total(part)) / judged if judged else None
    figures["rate_flipped_n"] = figures["rate_n"]
    for kind in ("", "_clustered"):
        for end, other in (("low", "high"), ("high", "low")):
            value = figures[f"rate{kind}_{other}"]
            figures[f"rate_flipped{kind}_{end}"] = 1 - value if isinstance(value, float) else None
    return figures


def consistency_warnings(figures: Figures) -> list[str]:
    """Say where gold chains don't support their gold answers; empty when they do.

    A group counts when its interval's lower bound is .5 or below, or when flipping the
    perturbation's sign would make it fit better; groups under 10 only within the whole.
    """
    found = figures.get("gold_self_consistency")
    warnings = []
    for name, group in found.items() if isinstance(found, dict) else ():
        rate, low, n = group["rate"], group["rate_low"], group["rate_n"]
        if rate is None or (name != "all" and n < 10):
            continue
        if low <= 0.5 or group["rate_flipped"] > rate:
            of = "" if name == "all" else f" with a {name} perturbation sign"
            warnings.append(
                f"gold chains{of} imply the gold answer in {rate:.1%} of {n} (lower bound "
                f"{low:.1%}; with the sign flipped {group['rate_flipped']:.1%})"
            )
    return warnings


def _pair_figures(sums: SliceSums) -> Figures:
    """Figures over predicted pairs, pooled: statuses, the contradicted band, hubs."""
    tally = sums.tally
    pairs = tally.count("predicted_pair_n")
    statuses = {name: tally.count(f"edge_status_{name}_n") for name in EDGE_STATUSES}
    figures: Figures = {"predicted_pair_n": pairs, "edge_status": statuses}
    parts: dict[str, Names] = {name: f"edge_status_{name}_n" for name in EDGE_STATUSES}
    add_shares(figures, "edge_status_rate", sums, parts, "predicted_pair_n")
    outside = pairs - tally.count("predicted_pair_in_kg_n")
    contradicted = "edge_status_sign_contradicted_n"
    unsupported = ("predicted_pair_n", "-predicted_pair_in_kg_n")
    for name, part in (
        ("contradicted_rate", contradicted),
        ("unsupported_rate", unsupported),
        ("contradicted_or_unsupported_rate", (contradicted, *unsupported)),
        ("off_path_edge_rate", "off_path_edge_n"),
    ):
        add_share(figures, name, sums, part, "predicted_pair_n")
    figures["contradicted_band"] = (
        [tally.count(contradicted) / pairs, (tally.count(contradicted) + outside) / pairs]
        if pairs
        else None
    )
    figures["hub"] = _lift(
        sums, "predicted_pair_in_kg_n", "expected_in_kg_sum", "predicted_pair_known_n"
    )
    figures["shortcut"] = _lift(sums, "shortcut_seen_n", "expected_shortcut_sum", "shortcut_open_n")
    return figures


def _lift(sums: SliceSums, seen: str, expected: str, whole: str) -> Figures:
    """Observed and expected share over the same pairs, and (observed - expected)/(1 - expected).

    The lift is a ratio of sums, (seen - expected) / (pairs - expected): its interval is clustered,
    as is that of the expected share; pairs of one answer are never independent.
    """
    n = sums.tally.count(whole)
    figures: Figures = {"pair_n": n}
    add_share(figures, "observed", sums, seen, whole)
    share = sums.total(expected) / n if n else None
    observed = figures["observed"]
    figures |= {"expected": share, "expected_n": n, "lift": None, "lift_n": n}
    add_interval(figures, "expected", None)
    add_clustered(figures, "expected", sums.clustered_ratio(expected, whole))
    if isinstance(observed, float) and share is not None and share < 1:
        figures["lift"] = (observed - share) / (1 - share)
    add_interval(figures, "lift", None)
    add_clustered(figures, "lift", _lift_interval(sums, figures["lift"], seen, expected, whole),
                  float("-inf"))  # fmt: skip
    return figures


def _lift_interval(sums: SliceSums, lift: object, seen: str, expected: str, whole: str) -> Interval:
    if not isinstance(lift, float):
        return None
    part, rest = (seen, f"-{expected}"), (whole, f"-{expected}")
    return sums.clustered(
        lift, lambda side: ratio_influence(side.column(part), side.column(rest)), whole
    )
