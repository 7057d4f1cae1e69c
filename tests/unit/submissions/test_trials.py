"""Figures of many trials: hand-worked, and against SciPy and all draws."""

from __future__ import annotations

from itertools import combinations

import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from eval_tiers.submissions.trials import (
    Trial,
    pass_at_k,
    score_interval,
    suite_figures,
    task_figures,
)


def trial(score: float | None, task: str = "a", status: str = "judged") -> Trial:
    return Trial(task, "t", status, score, {"failed_check_n": 0})


@pytest.mark.parametrize("n", range(1, 8))
def test_pass_at_k_is_the_share_of_draws_with_a_pass(n: int) -> None:
    for passed in range(n + 1):
        trials = [True] * passed + [False] * (n - passed)
        for k in range(1, n + 1):
            draws = list(combinations(trials, k))
            expected = sum(map(any, draws)) / len(draws)
            assert pass_at_k(n, passed, k) == pytest.approx(expected)
    assert pass_at_k(n, n, n + 1) is None


def test_the_interval_is_students() -> None:
    scores = [1.0, 0.5, 0.25, 0.75, 0.5]
    expected = stats.t.interval(0.95, 4, loc=0.6, scale=stats.sem(scores))
    assert score_interval(scores) == pytest.approx(expected)


def test_the_interval_stays_between_0_and_1() -> None:
    assert score_interval([0.0, 1.0]) == (0.0, 1.0)


@pytest.mark.parametrize(("score", "n"), [(0.0, 3), (1.0, 5), (1.0, 2)])
def test_equal_scores_have_wilsons(score: float, n: int) -> None:
    expected = proportion_confint(score * n, n, method="wilson")
    assert score_interval([score] * n) == pytest.approx(expected, abs=1e-12)


def test_one_score_has_none() -> None:
    assert score_interval([1.0]) is None and score_interval([]) is None


def test_what_was_not_judged_counts_in_no_mean() -> None:
    trials = [trial(1.0), trial(0.25), trial(None, status="infrastructure failure"),
              trial(None, status="not judged")]  # fmt: skip
    found = task_figures("a", trials, [1, 2, 3], 1.0)
    assert (found["trial_n"], found["judged_n"]) == (4, 2)
    assert (found["not_judged_n"], found["infrastructure_n"]) == (1, 1)
    assert found["score_mean"] == 0.625 and found["passed_n"] == 1
    assert found["pass_at"] == {"1": 0.5, "2": 1.0, "3": None}


def test_tasks_count_alike_whatever_their_trials() -> None:
    tasks = [
        task_figures("a", [trial(1.0)] * 8, [1], 1.0), task_figures("b", [trial(0.0)], [1], 1.0),
        task_figures("c", [trial(None, status="not judged")], [1], 1.0),
    ]  # fmt: skip
    found = suite_figures(tasks, [1])
    assert (found["task_n"], found["trial_n"], found["score_mean"], found["score_n"]) == (
        3,
        10,
        0.5,
        2,
    )
    assert found["pass_at"]["1"]["pass_mean"] == 0.5
    assert suite_figures([], [1])["score_mean"] is None


def test_a_lower_bar_to_pass() -> None:
    found = task_figures("a", [trial(0.75), trial(0.5)], [1], 0.75)
    assert found["passed_n"] == 1 and found["pass_at"] == {"1": 0.5}
