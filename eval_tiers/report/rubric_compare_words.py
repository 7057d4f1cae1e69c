"""The words of a comparison of judged rubrics, the same in the terminal and in HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from eval_tiers.report.compare_words import change_text, counted, p_text, reason_text
from eval_tiers.report.lines import count_text, number, percent

TITLES: Final = {
    "axis": "axis", "domain": "domain", "conceptual_breadth": "conceptual breadth",
    "logical_nesting": "logical nesting", "exploration": "exploration",
}  # fmt: skip
RATES: Final = {"satisfied_rate": "Satisfied", "failure_rate": "Failures"}
WHAT: Final = {"better": "gain", "worse": "loss", "no_weight": "no weight"}
_SIDES: Final = ("first", "second")


def mcnemar_text(found: Mapping[str, Any], rate: str, names: Sequence[str]) -> str:
    """Return McNemar's test of a rate as a sentence."""
    cells = found["measures"][rate]["mcnemar"]
    verb = "Satisfied" if rate == "satisfied_rate" else "Failed"
    return (
        f"{verb} in {names[0]} alone {count_text(cells['first_only_n'])}, in {names[1]} alone "
        f"{count_text(cells['second_only_n'])}; McNemar's exact test, rubrics taken as independent:"
        f" p {p_text(cells['p'])}, Holm {p_text(cells['p_holm'])}."
    )


def verdict_text(found: Mapping[str, Any], measure: str) -> str:
    """Return whether a difference in a measure is shown, and what could have been found."""
    one = found["measures"][measure]
    noun = {"satisfied_rate": "satisfied rubrics", "failure_rate": "failures"}.get(
        measure, "compliance"
    )
    if one["difference_n"] == 0:
        return f"Nothing can be said of {noun}: none is in both."
    if one["difference_shown"]:
        said = "its interval leaves out 0" if measure == "compliance" else "test and interval agree"
        return f"A difference in {noun} is shown: {said}."
    text = f"No difference in {noun} is shown."
    if one["difference_shown"] is None:
        text = f"Whether {noun} differ can't be said: {reason_text(one['null_reason'])}."
    effect = one["minimum_detectable_effect"]
    if effect is None:
        reason = reason_text(one["minimum_detectable_effect_null_reason"])
        return f"{text} No detectable difference can be given: {reason}."
    size = f"{effect:.3f}" if measure == "compliance" else f"{100 * effect:.1f} points"
    return f"{text} One of {size} or more would be found four times out of five."


def agreement_text(found: Mapping[str, Any]) -> str:
    """Return how many rubrics have one and the same verdict in both."""
    agreement = found["agreement"]
    kappa = "undefined" if agreement["kappa"] is None else number(agreement["kappa"])
    return (
        f"The same verdict in both: {count_text(agreement['same_n'])} of "
        f"{counted(found['n'], 'rubric')}, {percent(agreement['raw'])}; Cohen's kappa {kappa}."
    )


def bowker_text(found: Mapping[str, Any]) -> str:
    """Return Bowker's test as a sentence."""
    verdicts = found["verdicts"]
    test = verdicts["bowker"]
    text = f"{counted(verdicts['moved_n'], 'rubric')} with another verdict"
    if test["df"] == 0:
        return f"{text}."
    return (
        f"{text}. Bowker's test, that verdicts move both ways alike (unscored ones left out): "
        f"chi-square {test['statistic']:.2f}, df {test['df']}, p {p_text(test['p'])}."
    )


def left_out_text(found: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """Return what is in no number, and why."""
    lines = []
    for side, name in zip(_SIDES, names, strict=True):
        n = found[f"only_{side}_n"]
        if n:
            lines.append(f"Only {name} has {counted(n, 'rubric')}: {_some(found, f'only_{side}')}")
    n = found["unscored_n"]
    if n:
        verb = "has" if n == 1 else "have"
        lines.append(
            f"{counted(n, 'rubric')} {verb} no verdict in one of them or in both, and no part in "
            f"any number: {_some(found, 'unscored')}"
        )
    if found["other_text_n"]:
        text = f"{counted(found['other_text_n'], 'rubric')} of another text left out"
        lines.append(f"{text}: {_some(found, 'other_text')}")
    n = found["sample_without_score_n"]
    if n:
        lines.append(
            f"Compliance: {counted(n, 'sample')} left out: no full score in one of them, or "
            "rubrics or weights that differ."
        )
    return lines


def _some(found: Mapping[str, Any], key: str) -> str:
    shown = [rubric_name(row) for row in found[key][:5]]
    return ", ".join(shown) + (", ..." if found[f"{key}_n"] > len(shown) else "")


def rubric_name(row: Mapping[str, Any]) -> str:
    """Return a rubric's sample and place; its text where it has no place.

    Examples
    --------
    >>> rubric_name({"sample_id": "r1", "rubric_index": 2, "criterion": "Names OSD-47"})
    'r1 rubric 2'
    """
    index = row["rubric_index"]
    what = repr((row["criterion"] or "")[:40]) if index is None else str(index)
    return f"{row['sample_id']} rubric {what}"


def weight_text(weight: float | None) -> str:
    """Return a weight with its sign.

    Examples
    --------
    >>> weight_text(5.0), weight_text(-4.0), weight_text(None)
    ('+5', '-4', 'unknown')
    """
    return "unknown" if weight is None else f"{weight:+g}"


def confidence_text(flip: Mapping[str, Any], side: str) -> str:
    """Return a verdict with the examiner's confidence."""
    confidence = flip[f"{side}_confidence"]
    said = str(flip[f"{side}_verdict"])
    return said if confidence is None else f"{said} ({confidence:.2f})"


def slice_cells(part: Mapping[str, Any], measure: str) -> tuple[str, str, str]:
    """Return a slice's value in both, and the difference."""
    one = part["measures"].get(measure)
    if one is None:
        return "-", "-", "-"
    value = number if measure == "compliance" else percent
    return value(one["first"]), value(one["second"]), change_text(measure, one["difference"])
