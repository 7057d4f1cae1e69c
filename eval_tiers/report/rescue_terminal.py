"""What a merge found, as a terminal shows it: at most 80 columns but for paths and commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eval_tiers.report.lines import (
    Summary,
    count_text,
    interval_note,
    interval_text,
    number,
    percent,
    wrap,
)
from eval_tiers.report.rescue_export_terminal import quoted, replies_beside

_FAULTS = {
    "missing": "no reply came",
    "http_error": "the request failed",
    "over_length": "the prompt is longer than the model takes",
    "cut_off": "cut off at max_tokens",
    "empty": "empty",
    "withheld": "withheld by a filter",
    "refusal": "refused in words",
    "conflicting_replies": "replies that differ",
    "no_majority": "repeats without a majority",
}


def render_merge(summary: Summary, samples: str, replies: Sequence[str], program: str) -> str:
    """Return the merge as text: headline, verdicts, controls, repeats, labels, what is owed.

    Parameters
    ----------
    summary : mapping
        As `eval_tiers.pipeline.rescue.merge_summary.build_merge_summary` gives it.
    samples, program : str
    replies : sequence of str
        For the commands.
    """
    parts = [_headline(summary), _verdicts(summary), _replies(summary)]
    parts += [_correction(kind, found) for kind, found in summary["correction"].items()]
    parts += [_repeats(summary), _comparison(summary), _labels(summary)]
    parts += [_owed(summary, samples, replies, program)]
    parts.append(f"written  {summary['table']} (and .json)")
    return "\n\n".join(part for part in parts if part)


def _headline(summary: Summary) -> str:
    line = summary["headline"]
    corrected = summary["correction"].get("wrong_correct_chain")
    lines = [
        f"Merge: {count_text(summary['n'])} samples, {summary['request_n']:,} requests, "
        f"{summary['verdict_n']:,} verdicts",
        *interval_note(summary),
        f"{'Right':<46}{'rate':>8}  {'95 % interval':<16}{'n':>7}",
        _rate_line(line, "hard (no examiner)", "hard_correct_rate"),
        _rate_line(line, "+ soft by sign algebra alone (a floor)", "effective_symbolic_rate"),
        _rate_line(line, "+ ANSWER_BUG only, corrected", "effective_corrected_rate"),
    ]
    if line["effective_corrected_rate"] is None:
        lines += wrap(f"    not corrected: {_why_not(corrected)}", indent="    ")
    for row in line["effective_corrected_if_worse"]:
        if row["rate"] is not None:
            lines.append(
                f"    if it errs {row['worse_points']} points more on cases than on controls: "
                f"{percent(row['rate'])} ({percent(row['low'])} to {percent(row['high'])})"
            )
    lines.append(_rate_line(line, "naive: all soft verdicts taken at their word",
                            "effective_correct_rate"))  # fmt: skip
    if summary["soft_barred_n"]:
        lines.append(
            f"    {summary['soft_barred_n']:,} soft verdicts earn nothing: a sign of their chain "
            "is wrong"
        )
    if summary["recovered_correct_count"]:
        lines.append(
            f"  apart: {summary['recovered_correct_count']:,} unreadable answers recovered and "
            "right"
        )
        lines.append(_rate_line(summary, "  with them", "effective_with_recovered_rate"))
    lines.append(_rate_line(summary, "disputed gold chains (ALTERNATE)", "annotation_dispute_rate"))
    if summary["both_sign_routes_rate"] is not None:
        routes = {**summary, "both_sign_routes_rate_n": summary["both_sign_routes_n"]}
        lines.append(
            _rate_line(routes, "  the graph supports either answer", "both_sign_routes_rate")
        )
    if summary["answer_bug_sign_supported"] is not None:
        name = "ANSWER_BUG whose chain implies gold answer"
        lines.append(_rate_line(summary, name, "answer_bug_sign_supported"))
    return "\n".join(lines)


def _rate_line(line: Mapping[str, Any], name: str, key: str) -> str:
    interval = interval_text(line, key).strip()
    n = "" if line[key] is None else count_text(line[f"{key}_n"])
    return f"  {name:<44}{percent(line[key]):>8}  {interval:<16}{n:>7}".rstrip()


def _why_not(correction: Mapping[str, Any] | None) -> str:
    if correction is None:
        return "the export has no controls of wrong_correct_chain"
    refusal = correction["refusal"]
    return str(refusal["reason"]) if refusal else "there is nothing to correct"


def _verdicts(summary: Summary) -> str:
    lines = [f"{'Verdicts':<46}{'n':>8}"]
    for kind, counts in summary["verdict_counts"].items():
        lines.append(f"  {kind}")
        lines += [f"    {verdict:<42}{n:>8,}" for verdict, n in counts.items()]
    if summary["no_verdict"]:
        lines.append("  no verdict")
        lines += [
            f"    {_FAULTS.get(fault, fault.replace('_', ' ')):<42}{n:>8,}"
            for fault, n in summary["no_verdict"].items()
        ]
    return "\n".join(lines)


def _replies(summary: Summary) -> str:
    counts = (
        ("came twice or more", "duplicate_n"),
        ("of ids that the export doesn't have", "unknown_n"),
        ("lines that are no reply", "not_a_reply_n"),
        ("read from the reasoning field", "from_reasoning_n"),
        ("of samples that this table lacks", "absent_from_table_n"),
    )
    said = [f"{summary[key]:,} {name}" for name, key in counts if summary[key]]
    examiners = ", ".join(summary["examiners"]) or "not named"
    text = f"Replies: {summary['reply_n']:,} by {examiners}" + "".join(f"; {one}" for one in said)
    return "\n".join(wrap(text, indent="  "))


def _correction(kind: str, found: Mapping[str, Any]) -> str:
    truths = found["truths"]
    columns = [*truths, "no_verdict"]
    lines = [f"What the controls show: {kind}"]
    lines.append(f"  {'truth':<14}" + "".join(f"{name:>13}" for name in columns))
    for truth, row in found["confusion"].items():
        lines.append(f"  {truth:<14}" + "".join(f"{row[name]:>13,}" for name in columns))
    observed = found["observed"]
    lines.append(f"  {'(cases)':<14}" + "".join(f"{observed[name]:>13,}" for name in columns))
    if found["share"] is None:
        reason = found["refusal"]["reason"] if found["refusal"] else "nothing to correct"
        lines += wrap(f"  shares not corrected: {reason}", indent="    ")
    else:
        lines.append(f"  shares of the cases ({str(found['method']).replace('_', ' ')}):")
        for truth, share in found["share"].items():
            naive = found["naive_share"][truth]
            said = [
                percent(one["share"])
                + (
                    ""
                    if one["low"] is None
                    else f" [{percent(one['low'])}, {percent(one['high'])}]"
                )
                for one in (share, naive)
            ]
            lines.append(f"    {truth:<14}{said[0]}, naive {said[1]}")
    for name, key in (("claimed confidence", "confidence"), ("verdict_prob", "verdict_prob")):
        measured = found["calibration"][key]
        if measured["n"]:
            error = "expected_calibration_error"
            lines += wrap(
                f"  {name}: Brier {number(measured['brier'])}"
                f"{interval_text(measured, 'brier', number)}, calibration error "
                f"{number(measured[error])}{interval_text(measured, error, number)}, n "
                f"{measured['n']:,}",
                indent="    ",
            )
    for note in found["notes"]:
        lines += wrap(f"  {note}", indent="    ")
    return "\n".join(lines)


def _repeats(summary: Summary) -> str:
    repeats = summary["repeats"]
    if not repeats["repeated_n"]:
        return ""
    text = (
        f"Repeats: {repeats['repeated_n']:,} cases; verdicts flip in "
        f"{percent(repeats['flip_rate'])}{interval_text(repeats, 'flip_rate')}, pairs agree in "
        f"{percent(repeats['repeat_agreement'])}{interval_text(repeats, 'repeat_agreement')}"
    )
    return "\n".join(wrap(text, indent="  "))


def _comparison(summary: Summary) -> str:
    found = summary.get("comparison")
    if not found:
        return ""
    lines = [f"Against {', '.join(found['examiners']) or 'another examiner'}:"]
    for kind, entry in found["kinds"].items():
        agreement = entry["agreement"]
        lines += wrap(f"  {kind}: {_agreement(agreement)}, n {agreement['n']:,}", indent="    ")
    return "\n".join(lines)


def _labels(summary: Summary) -> str:
    labels = summary["labels"]
    if labels is None:
        return ""
    line = (
        f"Labels by people: {labels['labelled_n']:,} of {labels['kind']}, "
        f"{labels['unsettled_n']:,} unsettled, {labels['blank_n']:,} blank"
    )
    agreement = labels["rater_agreement"]
    if agreement is None:
        return line
    raters = wrap(f"  raters: {_agreement(agreement)}, n {labels['both_rated_n']:,}", indent="    ")
    return "\n".join([line, *raters])


def _agreement(found: Mapping[str, Any]) -> str:
    """Return raw agreement and kappa, each with its interval where it has one."""
    raw, kappa = (
        "" if ends is None else f" [{render(ends[0])}, {render(ends[1])}]"
        for ends, render in ((found["raw_interval"], percent), (found["interval"], number))
    )
    return f"agreement {percent(found['raw'])}{raw}, kappa {number(found['kappa'])}{kappa}"


def _owed(summary: Summary, samples: str, replies: Sequence[str], program: str) -> str:
    if not summary["owed_n"]:
        return "Nothing is owed."
    why = ", ".join(
        f"{n:,} {_FAULTS.get(fault, fault)}" for fault, n in summary["owed_by_fault"].items()
    )
    lines = wrap(f"Owed: {summary['owed_n']:,} of {summary['request_n']:,} ({why})", indent="  ")
    owed = summary["owed_file"]
    if owed is None:
        return "\n".join(lines)
    again = replies_beside(owed)
    lines += [
        "  Run just those, then merge all replies:",
        f"  {program} infer --model MODEL --input {quoted(owed)} \\",
        f"    --output {quoted(again)}",
        f"  {program} merge-rescue --samples-csv {quoted(samples)} \\",
        f"    --rescue-responses {' '.join(map(quoted, replies))} \\",
        f"    {quoted(again)}",
    ]
    return "\n".join(lines)
