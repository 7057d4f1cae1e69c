"""The words of a comparison of runs, the same in the terminal and in HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from eval_tiers.report.lines import count_text, number, percent
from eval_tiers.summaries.comparison import SHARES

MEASURES: Final = {
    "accuracy": "accuracy",
    "parse_failure_rate": "no answer found",
    "hard_case_rate": "hard cases",
    "paired_directional_robustness": "trap and control right",
    "edge_f1": "edge F1, with signs",
    "hallucination_rate": "hallucinated pairs",
    "go_sim": "GO similarity",
    "citation_precision": "citation precision",
    "evidence_recall": "evidence recall",
    "fabrication_rate": "made-up citations",
    "satisfied_rate": "rubrics satisfied",
    "failure_rate": "failures",
    "compliance": "compliance, mean",
}
_REASONS: Final = {
    "no_pair": "no row has a value in both runs",
    "one_cluster": "all rows are one cluster",
    "no_variation": "all differ by the same",
    "too_few_pairs": "under six rows, which can't differ enough for the test",
    "too_much_variation": "not even the largest would be found",
    "no_prediction": "no prediction",
    "file_gone": "the prediction file isn't there any more",
    "file_changed": "the prediction file was changed since the run",
    "unreadable": "it can't be read",
}
_EXCERPT: Final = 140  # characters: two lines of a terminal
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def counted(n: int, noun: str) -> str:
    """Return a number of things.

    Examples
    --------
    >>> counted(1, "row"), counted(1_000, "row")
    ('1 row', '1,000 rows')
    """
    return f"{count_text(n)} {noun}{'' if n == 1 else 's'}"


def run_name(place: int) -> str:
    """Return the letter of a run by its place on the command line.

    Examples
    --------
    >>> run_name(0), run_name(27)
    ('A', 'B2')
    """
    turn, letter = divmod(place, len(_LETTERS))
    return _LETTERS[letter] + (str(turn + 1) if turn else "")


def cluster_text(cluster: str) -> str:
    """Return by what rows were clustered.

    Examples
    --------
    >>> cluster_text("none"), cluster_text("perturbation+readout")
    ('each question by itself', 'clustered by perturbation and readout')
    """
    if cluster == "none":
        return "each question by itself"
    return f"clustered by {' and '.join(cluster.split('+'))}"


def value_text(name: str, value: float | None) -> str:
    """Return a measure's value."""
    return percent(value) if name in SHARES else number(value)


def change_text(name: str, value: float | None) -> str:
    """Return a difference: points of per cent of shares, else a number; with its sign.

    Examples
    --------
    >>> change_text("accuracy", -0.0125), change_text("edge_f1", 0.5), change_text("accuracy", 0)
    ('-1.2', '+0.500', '0.0')
    """
    if value is None:
        return "-"
    text = f"{100 * value:+.1f}" if name in SHARES else f"{value:+.3f}"
    return text if text.strip("+-0.") else text.lstrip("+-")


def interval_text(name: str, found: Mapping[str, Any]) -> str:
    """Return the interval of a difference, or why there is none."""
    low, high = found["difference_low"], found["difference_high"]
    if low is None:
        return reason_text(found["null_reason"])
    return f"[{change_text(name, low)}, {change_text(name, high)}]"


def reason_text(reason: str | None) -> str:
    """Return why a number is undefined."""
    return "" if reason is None else _REASONS.get(reason, reason.replace("_", " "))


def p_text(p: float | None) -> str:
    """Return a p value.

    Examples
    --------
    >>> p_text(0.0312), p_text(1e-9), p_text(1), p_text(None)
    ('.031', '<.001', '1.000', '-')
    """
    if p is None:
        return "-"
    return "<.001" if p < 0.0005 else f"{p:.3f}".removeprefix("0")


def names_of(found: Mapping[str, Any]) -> tuple[str, str]:
    """Return the letters of the two runs of a comparison."""
    return run_name(found["first"]), run_name(found["second"])


def mcnemar_text(found: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return McNemar's test as a sentence."""
    cells = found["mcnemar"]
    return (
        f"Right in {names[0]} alone {count_text(cells['right_to_wrong_n'])}, in {names[1]} alone "
        f"{count_text(cells['wrong_to_right_n'])}; McNemar's exact test: p {p_text(cells['p'])}, "
        f"Holm {p_text(cells['p_holm'])}."
    )


def verdict_text(found: Mapping[str, Any]) -> str:
    """Return whether a difference in accuracy is shown, and what could have been found."""
    shown = found["difference_shown"]
    if shown:
        return "A difference in accuracy is shown: test and interval agree."
    if found["n"] == 0:
        return "Nothing can be said: no row is in both runs."
    text = "No difference in accuracy is shown."
    if shown is None:
        text = "Whether accuracy differs can't be said: "
        text += f"{reason_text(found['measures']['accuracy']['null_reason'])}."
    effect = found["minimum_detectable_effect"]
    if effect is None:
        reason = reason_text(found["minimum_detectable_effect_null_reason"])
        return f"{text} No detectable difference can be given: {reason}."
    return (
        f"{text} One of {100 * effect:.1f} points or more would be found four times out of five; "
        "a smaller one may be there."
    )


def bowker_text(found: Mapping[str, Any]) -> str:
    """Return how many labels moved and Bowker's test as a sentence."""
    moves, n = found["labels"], found["n"]
    test = moves["bowker"]
    verb = "has" if moves["moved_n"] == 1 else "have"
    text = f"{count_text(moves['moved_n'])} of {counted(n, 'row')} {verb} another label."
    if test["df"] == 0:
        return text
    return (
        f"{text} Bowker's test, that they move both ways alike: chi-square "
        f"{test['statistic']:.2f}, df {test['df']}, p {p_text(test['p'])}."
    )


def only_text(found: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """Return how many rows only one side has, and the first of them."""
    lines = []
    for side, name in zip(("first", "second"), names, strict=True):
        n = found[f"only_{side}_n"]
        if n:
            ids = [str(row["sample_id"]) for row in found[f"only_{side}"][:5]]
            more = ", ..." if n > len(ids) else ""
            lines.append(f"Only {name} has {counted(n, 'row')}: {', '.join(ids)}{more}")
    return lines


def gate_text(gate: Mapping[str, Any], names: Sequence[str], by_interval: bool) -> str:
    """Return what became of a gate."""
    said = "passed" if gate["passed"] else "FAILED"
    held = "far end of the interval" if by_interval else "difference"
    measure = gate["gate"].split()[0]
    value = change_text(measure, gate["value"])
    if gate["value"] is None:
        value = f"undefined, {reason_text(gate['reason'])}"
    return f"Gate '{gate['gate']}', {names[1]} against {names[0]}: {said} ({held} {value})"


def flip_labels(flip: Mapping[str, Any], side: str) -> str:
    """Return what a run answered, and its label."""
    said = flip[f"{side}_predicted_label"] or "no answer"
    label = flip[f"{side}_error_label"]
    return f"{said} ({label})" if label else str(said)


def flip_place(flip: Mapping[str, Any], side: str) -> str:
    """Return where a run's text lies."""
    path = flip[f"{side}_prediction_path"]
    return "no text" if path is None else f"{path}:{flip[f'{side}_prediction_line']}"


def flip_excerpt(flip: Mapping[str, Any], side: str) -> str:
    """Return the beginning and the end of what a run's model wrote, on one line.

    Examples
    --------
    >>> flip_excerpt({"a_text": "I think:\\n <answer>up</answer>"}, "a")
    'I think: <answer>up</answer>'
    """
    text = " ".join(flip_text(flip, side).split())
    if len(text) <= _EXCERPT:
        return text
    half = (_EXCERPT - 5) // 2
    return f"{text[:half].rstrip()} ... {text[-half:].lstrip()}"


def detectable_text(found: Mapping[str, Any]) -> str:
    """Return the least difference in accuracy that would be found, or ``-``."""
    effect = found["minimum_detectable_effect"]
    return "-" if effect is None else f"{100 * effect:.1f}"


def flip_text(flip: Mapping[str, Any], side: str) -> str:
    """Return what a run's model wrote, or why it can't be shown."""
    text = flip[f"{side}_text"]
    return f"({reason_text(flip[f'{side}_text_null_reason'])})" if text is None else str(text)
