"""Judged rubrics as a terminal shows them: at most 80 columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from eval_tiers.report.lines import (
    Summary,
    count_text,
    fitted,
    mean_row,
    number,
    percent,
    rate_row,
    section,
    shown_interval,
    visible,
    wrap,
)

_MOST_LISTED: Final = 20
_POLICIES: Final = ("strict", "exclude", "zero")
_TITLES: Final = {
    "sign": "kind of criterion", "axis": "axis", "domain": "domain",
    "conceptual_breadth": "conceptual breadth", "logical_nesting": "logical nesting",
    "exploration": "exploration",
}  # fmt: skip


def render_rubrics(summary: Summary) -> str:
    """Return each sample's score, the mean, failures, coverage and costs."""
    lines = [*_sample_lines(summary), "", *_mean_lines(summary), "", *_failure_lines(summary)]
    lines += ["", *_coverage_lines(summary), *_cost_lines(summary["costs"])]
    return "\n".join(lines)


def _sample_lines(summary: Summary) -> list[str]:
    three = summary["unscored_matters"]
    head = f"{'sample':<34}{'score':>9}{'scored':>10}"
    if three:
        head += "".join(f"{policy:>9}" for policy in _POLICIES)
    lines = [head]
    for sample in summary["samples"]:
        scored = f"{sample['scored_n']}/{sample['rubric_n']}"
        line = f"{fitted(sample['sample_id'], 33)} {score_text(sample['compliance_score']):>9}"
        line += f"{scored:>10}"
        if three:
            line += "".join(f"{score_text(sample['by_unscored'][name]):>9}" for name in _POLICIES)
        lines.append(line)
        if sample["reason"]:
            lines += wrap(f"  no score: {sample['reason']}", "    ")
    return lines


def _mean_lines(summary: Summary) -> list[str]:
    lines = [section("Compliance, mean over samples"), *_two_means(summary, summary["unscored"])]
    if summary["unscored_matters"]:
        for policy in _POLICIES:
            if policy != summary["unscored"]:
                lines += _two_means(summary["by_unscored"][policy], policy)
        lines += wrap(
            "  Rubrics without a score: strict leaves their samples out, exclude the rubrics; zero "
            "counts them as not satisfied, which raises the score where they are penalties.",
            "  ",
        )
    return lines


def _two_means(figures: Summary, policy: str) -> list[str]:
    return [
        mean_row(figures, f"average ({policy})", "compliance_mean", score_text),
        mean_row(figures, "  clipped at 0", "compliance_mean_clipped_at_0", score_text),
    ]


def score_text(value: float | None) -> str:
    """Return a compliance score with four decimals, ``-`` for None."""
    return "-" if value is None else f"{value:.4f}"


def _failure_lines(summary: Summary) -> list[str]:
    failures = summary["failures"]
    lines = [section("Failures"), _failure_row("all", failures["overall"])]
    for name, title in _TITLES.items():
        groups = failures[f"by_{name}"]
        if groups is None:
            lines.append(f"  by {title}: not known without --data")
            continue
        lines.append(f"  by {title}")
        lines += [_failure_row(f"  {value}", one) for value, one in groups.items()]
    lines += wrap(
        "  A failure: a positive criterion not satisfied, or a penalty satisfied; rubrics without "
        "a score are left out. Intervals are clustered by sample; where samples can't tell (fewer "
        "than two, or none differs), rows count as independent. By sample and "
        "axis: -o and --json.",
        "  ",
    )
    return lines


def _failure_row(name: str, one: Mapping[str, Any]) -> str:
    return rate_row(one, fitted(name, 33).rstrip(), "failure_rate")


def _coverage_lines(summary: Summary) -> list[str]:
    found = summary["coverage"]
    terms = " + ".join(f"{count_text(n)} {name}" for name, n in found["pairs"].items() if n)
    lines = ["Coverage"]
    lines += wrap(
        f"  {count_text(found['pair_n'])} pairs of sample and rubric = {terms or '0'}", "    "
    )
    lines += wrap(
        f"  {count_text(found['row_n'])} rows, {count_text(found['extra_row_n'])} of them of no "
        f"rubric, {count_text(found['unreadable_row_n'])} unreadable, "
        f"{count_text(len(summary['duplicate_rows']))} pairs with several rows",
        "    ",
    )
    if not found["known"]:
        lines += wrap(
            "  Coverage is unknown: without --data, what is expected is what the rows hold, and a "
            "rubric without a row is not seen.",
            "    ",
        )
    for pair in summary["unscored_pairs"][:_MOST_LISTED]:
        place = pair["rubric_index"]
        what = f"rubric {place}" if place is not None else f"rubric {pair['criterion']!r:.40}"
        lines += wrap(
            visible(f"  {pair['state']}: {pair['sample_id'][:60]}, {what}: {pair['reason']}"),
            "    ",
        )
    hidden = len(summary["unscored_pairs"]) - _MOST_LISTED
    if hidden > 0:
        lines.append(f"  ... and {hidden:,} more; -o and --json have all")
    for title, key in (("of no rubric", "extra_rows"), ("several rows", "duplicate_rows")):
        lines += _listed(title, summary[key])
    return lines


def _listed(title: str, found: Sequence[Mapping[str, Any]]) -> list[str]:
    lines: list[str] = []
    for one in found[:_MOST_LISTED]:
        place = f"{one['sample_id']}, line {one['line']}"
        lines += wrap(visible(f"  {title}: {place}: {one['message']}"), "    ")
    if len(found) > _MOST_LISTED:
        lines.append(f"  ... and {len(found) - _MOST_LISTED:,} more")
    return lines


def _cost_lines(costs: Mapping[str, Any]) -> list[str]:
    rows = count_text(costs["row_n"])
    if costs["cost"] is None:
        cost = "cost unknown"
    else:
        cost = f"cost {costs['cost']:.5f} USD ({count_text(costs['cost_row_n'])} of {rows} rows)"
    if costs["tokens_used"] is None:
        tokens = "tokens unknown"
    else:
        known = count_text(costs["tokens_used_row_n"])
        tokens = f"{count_text(costs['tokens_used'])} tokens ({known} of {rows} rows)"
    return ["", *wrap(f"{cost}, {tokens}", "  ")]


def render_agreement(summary: Summary) -> str:
    """Return how far an examiner agrees with people, pooled, by task and by axis."""
    lines = ["Agreement of the examiner with people"]
    counts = summary["counts"]
    terms = " + ".join(f"{count_text(n)} {name.replace('_', ' ')}" for name, n in counts.items()
                       if n)  # fmt: skip
    lines += wrap(f"  {count_text(sum(counts.values()))} pairs = {terms or '0'}", "    ")
    lines += ["", _agreement_head(), _agreement_row("pooled", summary["pooled"])]
    lines += [_agreement_row(f"  {name}", one) for name, one in summary["by_axis"].items()]
    means = summary["mean_over_tasks"]
    lines += ["", section("Mean over tasks")]
    for key, name in (
        ("raw_agreement", "raw agreement"),
        ("kappa", "Cohen's kappa"),
        ("f1_macro", "macro-F1, all labels"),
        ("f1_macro_present", "macro-F1, labels present"),
    ):
        lines.append(mean_row(means, name, key))
    undefined_n = means["task_n"] - means["kappa_n"]
    if undefined_n:
        lines.append(f"  kappa is undefined in {undefined_n:,} of {means['task_n']:,} tasks")
    lines += ["", f"  {'verdict':<22}{'people':>9}{'examiner':>10}{'missed':>9}{'false':>9}"]
    for name, one in summary["pooled"]["categories"].items():
        lines.append(
            f"  {name:<22}{percent(one['people_rate']):>9}{percent(one['examiner_rate']):>10}"
            f"{percent(one['missed_rate']):>9}{percent(one['false_rate']):>9}"
        )
    lines += wrap(
        "  missed: of what people give this verdict, what the examiner doesn't; false: of what "
        "they don't, what it does.",
        "  ",
    )
    return "\n".join(lines)


def _agreement_head() -> str:
    return f"{'':<26}{'n':>7}{'raw':>8}{'kappa':>11}{'95 % interval':>18}{'F1':>5}{'F1 *':>5}"


def _agreement_row(name: str, one: Mapping[str, Any]) -> str:
    kappa = "undefined" if one["kappa"] is None else number(one["kappa"])
    bounds = shown_interval(one, "kappa")
    interval = "" if bounds is None else f"[{number(bounds[0])}, {number(bounds[1])}]"
    f1, present = _short(one["f1_macro"]), _short(one["f1_macro_present"])
    return (
        f"{fitted(name, 25)} {count_text(one['n']):>7}{percent(one['raw_agreement']):>8}"
        f"{kappa:>11}{interval:>18}{f1:>5}{present:>5}"
    )


def _short(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
