"""What a rubric export wrote, and what a merge of its replies found, as a terminal shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eval_tiers.report.lines import Summary, count_text, interval_text, percent, visible, wrap
from eval_tiers.report.rescue_export_terminal import LEAST_CONTROLS, quoted, replies_beside

_FAULTS = {
    "missing": "no reply came",
    "http_error": "the request failed",
    "over_length": "the prompt is longer than the model takes",
    "cut_off": "cut off at max_tokens",
    "empty": "empty",
    "withheld": "withheld by a filter",
    "refusal": "refused in words",
    "not_a_verdict": "no word of the scale",
    "conflicting_replies": "replies that differ",
    "no_majority": "repeats without a majority",
}
_MOST_LISTED = 10


def render_export(manifest: Summary, requests: Sequence[str], index_path: str, program: str) -> str:
    """Return what was written: rubrics, parts, controls, what is missing, next commands.

    Parameters
    ----------
    manifest : mapping
        As `eval_tiers.pipeline.rubrics.export` writes it.
    requests : sequence of str
        The request files.
    index_path, program : str
        For the commands.
    """
    settings = manifest["settings"]
    lines = [
        f"Export: {manifest['rubric_n']:,} rubrics of {manifest['report_n']:,} reports, "
        f"{settings['scale']} scale"
    ]
    if manifest["missing"]:
        lines += wrap(
            f"  missing: {len(manifest['missing']):,} of {manifest['task_n']:,} tasks have no "
            f"report that can be judged: {_listed(manifest['missing'])}",
            indent="    ",
        )
    for report in manifest["long_reports"][:_MOST_LISTED]:
        lines += wrap(
            f"  long: {report['sample_id']}, {report['character_n']:,} characters, is judged in "
            f"{report['part_n']} parts, then as a whole",
            indent="    ",
        )
    hidden = len(manifest["long_reports"]) - _MOST_LISTED
    if hidden > 0:
        lines.append(f"  ... and {hidden:,} long reports more")
    lines.append(f"controls        {_controls(manifest['control_n'])}")
    lines += _shortfalls(manifest["control_shortfalls"])
    times = f" ({settings['repeats']} of each)" if settings["repeats"] > 1 else ""
    where = requests[0] if len(requests) == 1 else f"{requests[0]} to {requests[-1]}"
    lines += [
        f"requests        {manifest['request_n']:,}{times}, by report",
        f"longest prompt  {manifest['longest_prompt_n']:,} characters",
        f"longest part    {settings['chunk_tokens']:,} tokens at most "
        f"({visible(settings['counted_by'])})",
        f"prompt          {manifest['prompt_version']}",
        f"written         {visible(where)}",
        f"                {visible(index_path)}, and manifest and key of the controls",
        "Next, with a model:",
    ]
    if len(requests) == 1:
        replies = quoted(replies_beside(requests[0]))
        lines += [
            f"  {program} infer --model MODEL --input {quoted(requests[0])} \\",
            f"    --output {replies}",
        ]
    else:
        stem = quoted(requests[0].rsplit("-", 1)[0])
        replies = f"{stem}-*.replies.jsonl"
        lines += [
            f"  for part in {stem}-?????.jsonl; do",
            f'    {program} infer --model MODEL --input "$part" \\',
            '      --output "${part%.jsonl}.replies.jsonl"; done',
        ]
    return "\n".join(
        [*lines, "then:", f"  {program} rubrics merge --index {quoted(index_path)} {replies}"]
    )


def render_merge(
    summary: Summary, replies: Sequence[str], index: str | None, output: str, program: str
) -> str:
    """Return the merge as text: verdicts, cost, repeats, controls, what to run next.

    Parameters
    ----------
    summary : mapping
        As `eval_tiers.pipeline.rubrics.merge` writes it.
    replies : sequence of str
    index : str or None
    output, program : str
        For the commands.
    """
    parts = [_verdicts(summary), _replies(summary), _repeats(summary), _trust(summary)]
    parts.append(_next(summary, replies, index, output, program))
    return "\n\n".join(part for part in parts if part)


def _verdicts(summary: Summary) -> str:
    lines = [f"Merge: {summary['rubric_n']:,} rubrics, {summary['success_n']:,} with a verdict"]
    lines += [f"  {verdict:<42}{n:>8,}" for verdict, n in summary["verdict_counts"].items()]
    if summary["no_verdict"]:
        lines.append("  no verdict (success false, no score)")
        lines += [f"    {_fault(fault):<40}{n:>8,}" for fault, n in summary["no_verdict"].items()]
    if summary["missing_reports"]:
        lines += wrap(
            f"  no rows: {len(summary['missing_reports']):,} tasks have no report that can be "
            f"judged ({_listed(summary['missing_reports'])}); score them with --data",
            indent="    ",
        )
    return "\n".join(lines)


def _fault(fault: str) -> str:
    return _FAULTS.get(fault, fault.replace("_", " "))


def _listed(missing: Sequence[Mapping[str, Any]]) -> str:
    names = [visible(str(one["sample_id"])) for one in missing[:_MOST_LISTED]]
    hidden = len(missing) - len(names)
    return ", ".join(names) + (f" and {hidden:,} more" if hidden else "")


def _replies(summary: Summary) -> str:
    counts = (
        ("came twice or more", "duplicate_n"),
        ("of ids that the export doesn't have", "unknown_n"),
        ("lines that are no reply", "not_a_reply_n"),
        ("read from the reasoning field", "from_reasoning_n"),
        ("syntheses shortened", "synthesis_shortened_n"),
    )
    said = [f"{summary[key]:,} {name}" for name, key in counts if summary[key]]
    examiners = ", ".join(map(visible, summary["examiners"])) or "not named"
    text = f"Replies: {summary['reply_n']:,} by {examiners}" + "".join(f"; {one}" for one in said)
    lines = wrap(text, indent="  ")
    tokens, cost = summary["tokens_used"], summary["cost"]
    known = f"(of {summary['tokens_known_n']:,} rubrics of {summary['rubric_n']:,})"
    if tokens is not None:
        apart = summary["control_tokens_used"]
        more = "" if apart is None else f"; controls {apart:,} apart"
        lines.append(f"Tokens: {tokens:,} {known}{more}")
    if cost is not None:
        lines.append(f"Cost: {cost:.5f} USD (of {summary['cost_known_n']:,} rubrics)")
    return "\n".join(lines)


def _repeats(summary: Summary) -> str:
    repeats = summary["repeats"]
    if not repeats["repeated_n"]:
        return ""
    text = (
        f"Repeats: {repeats['repeated_n']:,} rubrics; verdicts flip in "
        f"{percent(repeats['flip_rate'])}{interval_text(repeats, 'flip_rate')}, pairs agree in "
        f"{percent(repeats['repeat_agreement'])}{interval_text(repeats, 'repeat_agreement')}"
    )
    return "\n".join(wrap(text, "  "))


def _trust(summary: Summary) -> str:
    controls = summary["controls"]
    lines = [f"What the controls show: {_controls(controls['n'])}"]
    for name in ("all", "positive", "penalty"):
        found = controls.get(name)
        if found is None or not sum(found["control_n"].values()):
            continue
        lines.append(f"  {'all criteria' if name == 'all' else f'{name} criteria'}")
        lines.append(_rate_line("planted found Satisfied (sensitivity)", found["sensitivity"]))
        lines.append(_rate_line("removed not Satisfied (specificity)", found["specificity"]))
        naive = found["naive_share"]["Satisfied"]
        lines.append(_share_line("Satisfied, as judged", naive, found["observed_n"]))
        if found["share"] is None:
            why = found["refusal"]["reason"] if found["refusal"] else "nothing to correct"
            lines += wrap(f"    not corrected: {why}", indent="      ")
        else:
            share = found["share"]["Satisfied"]
            lines.append(_share_line("Satisfied, corrected", share, found["observed_n"]))
        for note in found["notes"]:
            lines += wrap(f"    {note}", indent="      ")
    lines += _shortfalls(summary["control_shortfalls"])
    return "\n".join(lines)


def _rate_line(name: str, rate: Mapping[str, Any]) -> str:
    return _share_line(name, {**rate, "share": rate["rate"]}, rate["n"])


def _share_line(name: str, share: Mapping[str, Any], n: int) -> str:
    low, high = share["low"], share["high"]
    interval = "" if low is None else f"[{percent(low)}, {percent(high)}]"
    return f"    {name:<38}{percent(share['share']):>7}  {interval:<17} n {n:,}"


def _controls(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{kind} {n:,}" for kind, n in counts.items() if n) or "none"


def _shortfalls(shortfalls: Sequence[Mapping[str, Any]]) -> list[str]:
    lines = []
    for short in shortfalls:
        few = "" if short["made"] >= LEAST_CONTROLS else " (too few to correct)"
        lines += wrap(
            f"  controls {short['kind']}: {short['made']} of {short['wanted']}{few}: "
            f"{short['reason']}",
            indent="    ",
        )
    return lines


def _next(
    summary: Summary, replies: Sequence[str], index: str | None, output: str, program: str
) -> str:
    lines: list[str] = []
    if summary["owed_n"]:
        why = ", ".join(f"{n:,} {_fault(fault)}" for fault, n in summary["owed_by_fault"].items())
        text = f"Owed: {count_text(summary['owed_n'])} of {summary['request_n']:,} requests ({why})"
        lines += wrap(text, indent="  ")
    else:
        lines.append("Nothing is owed.")
    more: list[str] = []
    if summary["owed_file"] is not None:
        lines += ["  Run what is owed:", *_infer(summary["owed_file"], more, program)]
    if summary["synthesis_to_ask_n"]:
        lines += [
            f"  Run the synthesis of {summary['synthesis_to_ask_n']:,} whose parts are all in:",
            *_infer(summary["synthesis_file"], more, program),
        ]
    if more:
        named = f" --index {quoted(index or summary['index'])}"
        where = "" if output == "results" else f" -o {quoted(output)}"
        shown = " ".join(quoted(one) for one in dict.fromkeys([*replies, *more]))
        lines += [
            "  then merge all replies:", f"  {program} rubrics merge{named}{where} \\",
            f"    {shown}",
        ]  # fmt: skip
    lines.append(f"written  {visible(summary['rows_file'])} and {visible(_name(summary))}")
    if not more and summary["success_n"]:
        lines.append(f"Next: {program} rubrics score {quoted(summary['rows_file'])} --data DATA")
    return "\n".join(lines)


def _infer(requests: str, more: list[str], program: str) -> list[str]:
    replies = replies_beside(requests)
    more.append(replies)
    return [
        f"  {program} infer --model MODEL --input {quoted(requests)} \\",
        f"    --output {quoted(replies)}",
    ]


def _name(summary: Summary) -> str:
    return f"merge_{summary['timestamp']}.json"
