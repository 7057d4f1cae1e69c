"""A graded suite as a terminal shows it: 80 columns but for paths."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from eval_tiers.report.compare_words import counted
from eval_tiers.report.lines import Summary, fitted, number, percent, visible, wrap

_SHOWN: Final = 10


def render_suite(summary: Summary, ks: Sequence[int], output: str | None) -> str:
    """Return a suite as text: a line a task, all tasks, pass@k, what could not be scored.

    Parameters
    ----------
    summary : mapping
        As in ``suite.json``.
    ks : sequence of int
    output : str or None
        Folder that was written.
    """
    lines = [
        f"Suite: tasks {summary['task_n']:,}, trials {summary['trial_n']:,}; judged "
        f"{summary['judged_n']:,}, not judged {summary['not_judged_n']:,}, infrastructure "
        f"failures {summary['infrastructure_n']:,}"
    ]
    lines = wrap(lines[0], "  ")
    lines.append(
        f"{'task':<30}{'trials':>7}{'judged':>7}{'mean':>7}  {'95 % interval':<15}{'pass@1':>8}"
    )
    lines += [_row(task, str(task["task"]), task["trial_n"], task["judged_n"])
              for task in summary["tasks"]]  # fmt: skip
    lines.append(_row(summary, "all tasks alike", summary["trial_n"], summary["judged_n"]))
    parts = ["\n".join(lines), _passes(summary, ks), _infrastructure(summary)]
    if summary["failed_check_trial_n"]:
        parts.append(
            f"Trials with failed checks: {summary['failed_check_trial_n']:,} (score at most .25)"
        )
    if output is not None:
        parts.append(f"written  {visible(output)}/suite.json, tasks.csv, trials.csv, grades/")
    return "\n\n".join(part for part in parts if part)


def _row(figures: Summary, name: str, trial_n: int, judged_n: int) -> str:
    low, high = figures["score_low"], figures["score_high"]
    interval = "-" if low is None else f"[{low:.3f}, {high:.3f}]"
    first = figures["pass_at"].get("1")
    passed = first["pass_mean"] if isinstance(first, dict) else first
    return (
        f"{fitted(name, 30)}{trial_n:>7,}{judged_n:>7,}{number(figures['score_mean']):>7}  "
        f"{interval:<15}{percent(passed):>8}"
    )


def _passes(summary: Summary, ks: Sequence[int]) -> str:
    lines = [f"A trial passes with a score of {summary['pass_score']:g} or more"]
    for k in ks:
        found = summary["pass_at"][str(k)]
        if not found["pass_n"]:
            lines.append(f"  pass@{k:<6}-  no task has {counted(k, 'judged trial')}")
            continue
        low, high = found["pass_low"], found["pass_high"]
        interval = "-" if low is None else f"[{percent(low)}, {percent(high)}]"
        lines.append(
            f"  pass@{k:<6}{percent(found['pass_mean'])}  {interval}, mean of "
            f"{counted(found['pass_n'], 'task')}"
        )
    return "\n".join(lines)


def _infrastructure(summary: Summary) -> str:
    failures = summary["infrastructure"]
    if not failures:
        return ""
    counts = "which counts" if len(failures) == 1 else "which count"
    lines = [f"No score for {counted(len(failures), 'trial')}, {counts} in no mean:"]
    for failure in failures[:_SHOWN]:
        name = f"{failure['task']}/{failure['trial']}"
        told = f"  {visible(name)} [{failure['fault']}] {visible(failure['message'] or '')}"
        lines += wrap(told, "    ")
    if len(failures) > _SHOWN:
        lines.append(f"  ... and {len(failures) - _SHOWN:,} more")
    return "\n".join(lines)
