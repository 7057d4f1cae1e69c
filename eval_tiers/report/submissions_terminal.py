"""A graded submission as a terminal shows it: 80 columns but for paths and commands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from eval_tiers.report.lines import Summary, fitted, visible, wrap
from eval_tiers.report.rescue_export_terminal import quoted, replies_beside

_SHOWN: Final = 20
_CITATIONS_SHOWN: Final = 3


def render_grade(
    record: Summary, task: str, submission: str, output: str | None, program: str
) -> str:
    """Return a grade as text: checks, execution, leaks, conclusions, caveats, score, what next.

    Parameters
    ----------
    record : mapping
        As in ``judge.json``.
    task, submission, program : str
        For the commands.
    output : str or None
        Where the record was written.
    """
    parts = [_headline(record), _checks(record), _failures(record), _other_steps(record)]
    parts += [_expected(record, "conclusions"), _expected(record, "caveats"), _score(record)]
    parts.append(_next(record, task, submission, program))
    if output is not None:
        parts.append(f"written  {visible(output)}")
    return "\n\n".join(part for part in parts if part)


def _headline(record: Summary) -> str:
    score = "null" if record["score"] is None else f"{record['score']:g}"
    title = f"Submission to {record['task_id']}: score {score}, {record['verdict']}"
    return "\n".join(wrap(visible(title), "  "))


def _checks(record: Summary) -> str:
    evaluator = record["evaluator"]
    counts: dict[str, Counter[str]] = {}
    for step in evaluator["checks"]:
        counts.setdefault(step["step"], Counter())[step["status"]] += 1
    lines = [f"{'Checks':<18}{'passed':>9}{'failed':>9}{'not run':>9}"]
    for name, count in counts.items():
        lines.append(
            f"  {name:<16}{count['passed']:>9,}{count['failed']:>9,}{count['not run']:>9,}"
        )
    lines += [
        line for note in evaluator["notes"] for line in wrap(f"  note: {visible(note)}", "    ")
    ]
    return "\n".join(lines)


def _failures(record: Summary) -> str:
    evaluator = record["evaluator"]
    if not evaluator["failures_n"]:
        return ""
    lines = [f"Failed checks: {evaluator['failures_n']:,}"]
    for check in evaluator["failures"][:_SHOWN]:
        path = check["path"] if len(check["path"]) <= 200 else check["path"][:200] + "..."
        place = path if check["line"] is None else f"{path}:{check['line']}"
        column = "" if check["column"] is None else f", column '{check['column']}'"
        lines.append(f"  [{check['code']}] {visible(place)}{visible(column)}")
        lines += wrap(f"    {visible(check['message'])}", "    ")
    hidden = evaluator["failures_n"] - min(len(evaluator["failures"]), _SHOWN)
    if hidden:
        lines.append(f"  ... and {hidden:,} more")
    lines += [
        line
        for code, meaning in evaluator["codes"].items()
        for line in wrap(f"  {code}: {meaning}", "    ")
    ]
    return "\n".join(lines)


def _other_steps(record: Summary) -> str:
    execution, leakage = record["execution"], record["leakage"]
    word = "verified" if execution["verified"] else "not verified"
    lines = wrap(f"Execution: {word}; {execution['reason']}", "  ")
    if execution["absent"]:
        absent = ", ".join(execution["absent"][:10])
        lines += wrap(f"  not there: {visible(absent)}", "    ")
    trajectory = execution["trajectory"]
    if trajectory is not None:
        lines.append(f"  read from {visible(trajectory['path'])}")
        if trajectory["unreadable_n"]:
            lines.append(f"  {trajectory['unreadable_n']:,} of its lines are no JSON objects")
    found = leakage["found"]
    hits = ", ".join(f"{leak['marker']!r} in {leak['path']}" for leak in found[:10])
    said = f"found {visible(hits)}" if found else f"none of {leakage['marker_n']:,} markers found"
    lines += wrap(f"Leak scan: {said if leakage['marker_n'] else 'the task has no markers'}", "  ")
    if leakage["suspected_by_judge"]:
        lines.append("  the judge suspects leakage")
    return "\n".join(lines)


def _expected(record: Summary, name: str) -> str:
    rows = record[name]
    if not rows:
        return ""
    if record["judge"]["status"] != "judged":
        return f"{name.capitalize()}: {len(rows):,} expected, not judged"
    lines = [f"{name.capitalize():<14}citations that hold"]
    by_row: dict[int, list[Mapping[str, Any]]] = {}
    for citation in record["citations"]:
        if citation["expected"] == name.removesuffix("s"):
            by_row.setdefault(citation["number"], []).append(citation)
    for number, row in enumerate(rows, start=1):
        held = f"{row['citation_holds_n']:,} of {row['citation_n']:,}"
        lines.append(f"  {row['status']:<12}{held:<10}{fitted(row['text'], 54).rstrip()}")
        if row["stated_status"] != row["status"]:
            lines.append(f"    the judge said {row['stated_status']}: no citation of it holds")
        lines += _citation_lines(by_row.get(number, []))
    return "\n".join(lines)


def _citation_lines(citations: Sequence[Mapping[str, Any]]) -> list[str]:
    broken = [citation for citation in citations if not citation["holds"]]
    lines = []
    for citation in broken[:_CITATIONS_SHOWN]:
        lines += wrap(
            f"    [{citation['reason']}] {visible(citation['path'][:200])}: {citation['meaning']}",
            "      ",
        )
    if len(broken) > _CITATIONS_SHOWN:
        lines.append(f"    ... and {len(broken) - _CITATIONS_SHOWN:,} more that don't hold")
    return lines


def _score(record: Summary) -> str:
    judge, definition = record["judge"], record["score_definition"]
    caps = [f"{cap['name']} (at most {cap['limit']:g}: {cap['reason']})" for cap in record["caps"]]
    if record["score"] is None:
        lines = ["Score: null (not judged)"]
        if judge["fault"] is not None:
            lines = wrap(f"Score: null. No judgement [{judge['fault']}]: "
                         f"{visible(judge['message'] or '')}", "  ")  # fmt: skip
        lines += [line for cap in caps for line in wrap(f"  it would be capped: {cap}", "    ")]
        return "\n".join(lines)
    row = definition["rows"][definition["row"] - 1]
    strict = ", strict partials" if definition["strict_partials"] else ""
    lines = wrap(
        f"Score: {record['score']:g}. Row {definition['row']} of the table: {row['condition']}",
        "  ",
    )
    lines += wrap(
        f"  conclusions {definition['conclusion_n']}: matched {definition['matched_n']}, partial "
        f"{definition['partial_n']}, wrong {definition['wrong_n']}; "
        f"c = {definition['c']:.3g}{strict}",
        "    ",
    )
    lines += wrap(
        f"  caveats {definition['caveat_n']}: addressed {definition['caveat_matched_n']}, in part "
        f"{definition['caveat_partial_n']}; k = {definition['k']:.3g}",
        "    ",
    )
    if caps:
        lines.append(f"  before caps: {record['uncapped_score']:g}")
    lines += [line for cap in caps for line in wrap(f"  cap: {cap}", "    ")]
    agreement = judge["agreement"]
    if agreement is not None and agreement["repeat_agreement"] is not None:
        lines.append(
            f"  {len(judge['replies'])} replies: {100 * agreement['flip_rate']:.0f} % of the rows "
            f"flip, {100 * agreement['repeat_agreement']:.0f} % of the pairs agree"
        )
    return "\n".join(lines)


def _next(record: Summary, task: str, submission: str, program: str) -> str:
    if record["judge"]["status"] == "judged":
        return ""
    what = f"--task {quoted(task)} --submission {quoted(submission)}"
    return "\n".join(
        [
            "Next: ask a judge, then grade with its reply.",
            f"  {program} export-judge {what} \\",
            "    -o judge_requests.jsonl",
            f"  {program} infer --model MODEL --input judge_requests.jsonl \\",
            "    --output judge_replies.jsonl",
            f"  {program} grade-submission {what} \\",
            "    --judge judge_replies.jsonl -o judge.json",
        ]
    )


def render_judge_export(
    manifest: Summary, grade_words: Sequence[str], output: str, program: str
) -> str:
    """Return what ``export-judge`` wrote, and the commands that come next.

    Parameters
    ----------
    manifest : mapping
        As `eval_tiers.pipeline.submissions.export_judge` writes it.
    grade_words : sequence of str
        The command that grades the same, without its replies.
    output, program : str
    """
    replies = replies_beside(output)
    found = manifest["submissions"]
    shown_n = sum(len(one["artifacts_shown"]) for one in found)
    cut_n = sum(len(one["artifacts_cut"]) for one in found)
    hidden_n = sum(len(one["artifacts_not_shown"]) for one in found)
    hidden = f"; not shown: {hidden_n:,}" if hidden_n else ""
    failed_n = sum(bool(one["failed_check_n"]) for one in found)
    lines = [
        f"submissions     {len(found):,}; {failed_n:,} with failed checks",
        f"requests        {manifest['request_n']:,}",
        f"files shown     {shown_n:,}, of which cut: {cut_n:,}{hidden}",
        f"longest prompt  {manifest['longest_prompt_n']:,} characters",
        f"written         {visible(output)}",
    ]
    if failed_n:
        lines.append("What failed a check isn't shown, and caps the score.")
    if not manifest["request_n"]:
        return "\n".join([*lines, "Nothing to ask."])
    return "\n".join(
        [
            *lines,
            "Next:",
            f"  {program} infer --model MODEL --input {quoted(output)} \\",
            f"    --output {quoted(replies)}",
            f"  {program} {' '.join(map(quoted, grade_words))} \\",
            f"    --judge {quoted(replies)}",
        ]
    )
