"""Figures of many trials: mean score and interval a task, pass@k, what could not be scored."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from eval_tiers.metrics.clustered import clustered_interval
from eval_tiers.metrics.intervals import wilson_interval
from eval_tiers.submissions.judgement import INFRASTRUCTURE, JUDGED, NOT_JUDGED


@dataclass(frozen=True, slots=True)
class Trial:
    """One submission to one task.

    Attributes
    ----------
    task, trial : str
        Names of their folders.
    status : {"judged", "not judged", "infrastructure failure"}
    score : float or None
        None unless judged.
    record : dict
        A row of ``trials.csv``, without these four.
    """

    task: str
    trial: str
    status: str
    score: float | None
    record: Mapping[str, Any]


def pass_at_k(n: int, passed_n: int, k: int) -> float | None:
    """Return the chance that at least one of ``k`` trials passes: 1 - C(n-c, k) / C(n, k).

    Parameters
    ----------
    n, passed_n : int
        Trials, and those that passed.
    k : int
        At least 1; None is returned for more than ``n``, which nothing is known of.

    References
    ----------
    Chen 2021, arXiv:2107.03374: unbiased.

    Examples
    --------
    >>> pass_at_k(5, 2, 1), pass_at_k(5, 2, 3), pass_at_k(2, 1, 3)
    (0.4, 0.9, None)
    """
    if k > n:
        return None
    return 1 - math.comb(n - passed_n, k) / math.comb(n, k)


def score_interval(scores: Sequence[float]) -> tuple[float, float] | None:
    """Return the 95 % interval of a mean score, within 0 and 1.

    Student's, of independent scores; Wilson's where all are the same, which tell nothing of their
    spread. None with fewer than two.

    Examples
    --------
    >>> low, high = score_interval([1.0, 1.0, 1.0])
    >>> round(low, 3), round(high, 3)
    (0.439, 1.0)
    """
    if len(scores) < 2:
        return None
    if len(set(scores)) == 1:
        return wilson_interval(math.fsum(scores), len(scores))
    interval = clustered_interval(scores, range(len(scores)))
    if interval is None:
        return None
    return max(0.0, interval[0]), min(1.0, interval[1])


def task_figures(
    task: str, trials: Sequence[Trial], ks: Sequence[int], pass_at: float
) -> dict[str, Any]:
    """Return the figures of a task: counts, mean and interval of those judged, pass@k."""
    scores = [trial.score for trial in trials if trial.score is not None]
    passed_n = sum(score >= pass_at for score in scores)
    return {
        "task": task,
        "trial_n": len(trials),
        "judged_n": sum(trial.status == JUDGED for trial in trials),
        "not_judged_n": sum(trial.status == NOT_JUDGED for trial in trials),
        "infrastructure_n": sum(trial.status == INFRASTRUCTURE for trial in trials),
        "failed_check_trial_n": sum(bool(trial.record["failed_check_n"]) for trial in trials),
        **_mean("score", scores),
        "passed_n": passed_n,
        "pass_at": {str(k): pass_at_k(len(scores), passed_n, k) for k in ks},
    }


def suite_figures(tasks: Sequence[Mapping[str, Any]], ks: Sequence[int]) -> dict[str, Any]:
    """Return the figures of a suite: each task with a score counts the same, whatever its trials.

    Parameters
    ----------
    tasks : sequence of mapping
        As `task_figures` gives them.
    ks : sequence of int
    """
    means = [task["score_mean"] for task in tasks if task["score_mean"] is not None]
    counts = (
        "trial_n", "judged_n", "not_judged_n", "infrastructure_n", "failed_check_trial_n",
    )  # fmt: skip
    passes = {}
    for k in ks:
        known = [task["pass_at"][str(k)] for task in tasks if task["pass_at"][str(k)] is not None]
        passes[str(k)] = _mean("pass", known)
    return {
        "task_n": len(tasks),
        **{name: sum(task[name] for task in tasks) for name in counts},
        **_mean("score", means),
        "pass_at": passes,
    }


def _mean(name: str, values: Sequence[float]) -> dict[str, Any]:
    interval = score_interval(values)
    return {
        f"{name}_mean": math.fsum(values) / len(values) if values else None,
        f"{name}_low": None if interval is None else interval[0],
        f"{name}_high": None if interval is None else interval[1],
        f"{name}_n": len(values),
    }
