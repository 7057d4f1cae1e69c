"""Grading a suite: many tasks, many trials each, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import EvalTiersError, MissingResourceError, Problem, SourceRef
from eval_tiers.io.judge_files import read_judge_replies
from eval_tiers.io.reply_files import PlacedReply
from eval_tiers.io.submission_task import LoadedTask, load_task
from eval_tiers.io.suite_folder import Suite, SuiteTrial, find_suite
from eval_tiers.pipeline.submissions.grade import inspect_and_scan, judge_from_files, judge_placed
from eval_tiers.submissions.judge_record import build_judge_record, failed_record
from eval_tiers.submissions.judge_request import base_id_of
from eval_tiers.submissions.judgement import INFRASTRUCTURE, Judgement
from eval_tiers.submissions.trials import Trial, suite_figures, task_figures

SUITE_VERSION: Final = 1
DEFAULT_KS: Final = (1, 2, 5, 10)

Told = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class SuiteOptions:
    """How a suite is graded.

    Attributes
    ----------
    judge : tuple of Path
        Reply files besides those of the suite's own ``judge`` folder.
    strict_partials : bool
    pass_at : float
        Score from which a trial passes.
    ks : tuple of int
        The k of pass@k.
    """

    judge: tuple[Path, ...] = ()
    strict_partials: bool = False
    pass_at: float = 1.0
    ks: tuple[int, ...] = DEFAULT_KS


@dataclass(frozen=True, slots=True)
class GradedSuite:
    """A graded suite.

    Attributes
    ----------
    summary : dict
        As in ``suite.json``.
    trials : list of Trial
    gate_failed : bool
        Whether anything failed in any trial that code checks.
    findings : list of Finding
    """

    summary: dict[str, Any]
    trials: list[Trial]
    gate_failed: bool
    findings: list[Finding] = field(default_factory=list)


def grade_suite(
    root: Path,
    options: SuiteOptions | None = None,
    keep: Callable[[Trial, dict[str, Any]], None] | None = None,
    tell: Told | None = None,
) -> GradedSuite:
    """Grade every trial of a suite; what is wrong with one of them stops no other.

    Parameters
    ----------
    root : Path
        See `eval_tiers.io.suite_folder`.
    options : SuiteOptions, optional
    keep : callable, optional
        Takes each trial with its record, as ``judge.json`` has it.
    tell : callable, optional
        Takes how many of how many trials are done.

    Raises
    ------
    MissingResourceError, BadInputError
        There is no suite, or a reply file can't be read.
    """
    options = options or SuiteOptions()
    suite = find_suite(root)
    findings = list(suite.findings)
    replies = _Replies([*suite.replies, *options.judge])
    total = sum(map(len, suite.trials.values()))
    trials: list[Trial] = []
    gate_failed = False
    for trial, record, failed in _graded(suite, replies, options, findings):
        trials.append(trial)
        gate_failed = gate_failed or failed
        if keep is not None:
            keep(trial, record)
        if tell is not None:
            tell(len(trials), total)
    findings += _unused(replies)
    tasks = [
        task_figures(
            task, [trial for trial in trials if trial.task == task], options.ks, options.pass_at
        )
        for task in suite.tasks
    ]
    summary = {
        "schema_version": SUITE_VERSION,
        "suite": str(root),
        "strict_partials": options.strict_partials,
        "pass_score": options.pass_at,
        **suite_figures(tasks, options.ks),
        "tasks": tasks,
        "infrastructure": [
            {"task": trial.task, "trial": trial.trial, "fault": trial.record["fault"],
             "message": trial.record["message"]}
            for trial in trials
            if trial.status == INFRASTRUCTURE
        ],
        "findings": [finding.as_dict() for finding in findings],
    }  # fmt: skip
    return GradedSuite(summary, trials, gate_failed, findings)


def _unused(replies: _Replies) -> list[Finding]:
    found = replies.unused()
    if not found:
        return []
    n, first = len(found), found[0]
    told = "a reply is" if n == 1 else f"{n:,} replies are"
    told += (
        " about no trial as it is now; the first: " if n > 1 else " about no trial as it is now: "
    )
    told += "without a custom_id" if first.row.custom_id is None else repr(first.row.custom_id)
    where = SourceRef(first.path, first.line)
    return [Finding("unknown-replies", told, where, fix="export and run those trials again")]


class _Replies:
    """Reply rows of all trials, by the beginning of their custom ids."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.any = bool(paths)
        self.used: set[str] = set()
        self._by_base: dict[str, list[PlacedReply]] = {}
        for reply in read_judge_replies(paths):
            base = (reply.row.custom_id or "").rpartition(":r")[0]
            self._by_base.setdefault(base, []).append(reply)

    def of(self, base_id: str) -> list[PlacedReply]:
        """Return the rows about one submission."""
        self.used.add(base_id)
        return self._by_base.get(base_id, [])

    def unused(self) -> list[PlacedReply]:
        """Return the rows that nobody asked for."""
        return [
            reply for base, rows in self._by_base.items() if base not in self.used for reply in rows
        ]


def _graded(
    suite: Suite, replies: _Replies, options: SuiteOptions, findings: list[Finding]
) -> Iterator[tuple[Trial, dict[str, Any], bool]]:
    for task, folder in suite.tasks.items():
        loaded: LoadedTask | EvalTiersError
        try:
            loaded = load_task(folder)
            findings += loaded.findings
        except EvalTiersError as error:
            loaded = error
            findings += [_finding(problem) for problem in error.problems]
        for place in suite.trials[task]:
            try:
                if isinstance(loaded, EvalTiersError):
                    raise loaded
                yield _trial(place, loaded, replies, options)
            except EvalTiersError as error:
                yield _failed(place, error)
            except (OSError, MemoryError, RecursionError) as error:
                yield _failed(place, _of_system(error))


def _trial(
    place: SuiteTrial, loaded: LoadedTask, replies: _Replies, options: SuiteOptions
) -> tuple[Trial, dict[str, Any], bool]:
    place.require_folder()
    task = loaded.task
    found = inspect_and_scan(loaded, place.submission, place.trajectory)
    if place.reply is not None:
        judgement = judge_from_files(task, found.inspection, [place.reply])
    elif replies.any:
        rows = replies.of(base_id_of(task, found.inspection))
        judgement = judge_placed(task, found.inspection, rows)
    else:
        judgement = Judgement("not judged")
    record = build_judge_record(task, found, judgement, options.strict_partials)
    return _row(place, record, found.gate_failed), record, found.gate_failed


def _row(place: SuiteTrial, record: dict[str, Any], gate_failed: bool) -> Trial:
    evaluator, judge, definition = record["evaluator"], record["judge"], record["score_definition"]
    row = {
        "task_id": record["task_id"],
        "verdict": record["verdict"],
        "uncapped_score": record["uncapped_score"],
        "caps": " ".join(cap["name"] for cap in record["caps"]),
        "conclusion_n": definition["conclusion_n"],
        "matched_n": definition["matched_n"],
        "partial_n": definition["partial_n"],
        "wrong_n": definition["wrong_n"],
        "caveat_n": definition["caveat_n"],
        "caveat_matched_n": definition["caveat_matched_n"],
        "caveat_partial_n": definition["caveat_partial_n"],
        "execution_verified": record["execution"]["verified"],
        "leak_n": len(record["leakage"]["found"]),
        "leakage_suspected": record["leakage"]["suspected_by_judge"],
        "failed_check_n": evaluator["failures_n"],
        "failed_codes": " ".join(evaluator["codes"]),
        "gate_failed": gate_failed,
        "fault": judge["fault"],
        "message": judge["message"],
    }
    return Trial(place.task, place.trial, judge["status"], record["score"], row)


def _failed(place: SuiteTrial, error: EvalTiersError) -> tuple[Trial, dict[str, Any], bool]:
    """Return a trial that could not be graded; it is no failed check, and no score."""
    problem = error.problems[0]
    record = failed_record(None, [_finding(problem).as_dict()])
    row = dict.fromkeys(TRIAL_COLUMNS) | {
        "verdict": INFRASTRUCTURE,
        "fault": problem.code,
        "message": f"{problem.where}: {problem.message}".removeprefix(": "),
    }
    return Trial(place.task, place.trial, INFRASTRUCTURE, None, row), record, False


def _of_system(error: BaseException) -> EvalTiersError:
    told = getattr(error, "strerror", None) or type(error).__name__
    return MissingResourceError(Problem("system-error", str(told)))


def _finding(problem: Problem) -> Finding:
    return Finding(problem.code, problem.message, problem.where, "error", problem.fix)


TRIAL_COLUMNS: Final = (
    "task_id", "verdict", "uncapped_score", "caps", "conclusion_n", "matched_n", "partial_n",
    "wrong_n", "caveat_n", "caveat_matched_n", "caveat_partial_n", "execution_verified", "leak_n",
    "leakage_suspected", "failed_check_n", "failed_codes", "gate_failed", "fault", "message",
)  # fmt: skip
"""Columns of ``trials.csv`` after task, trial, status and score."""
