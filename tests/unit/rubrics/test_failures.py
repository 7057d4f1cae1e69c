"""Failures: counted the right way round for penalties; intervals by independent oracles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from eval_tiers.rubrics.coverage import Coverage, build_coverage, expected_of_tasks
from eval_tiers.rubrics.failures import axis_of, failure_figures, failures_by, failures_by_sample
from eval_tiers.rubrics.tasks import parse_task
from tests.rubric_rows import given, rows, task


def covered(samples: dict[str, tuple[list[float], str]], **options: Any) -> Coverage:
    expected = expected_of_tasks(
        [parse_task(task(name, weights))[0] for name, (weights, _) in samples.items()]
    )
    every = [
        given(one)
        for name, (weights, letters) in samples.items()
        for one in rows(name, letters, weights)
    ]
    return build_coverage(every, expected, True, **options)


def test_by_hand() -> None:
    found = covered({"r1": ([5, 4, -4], "SNS"), "r2": ([5, -2, -1], "SNF"), "r3": ([0, 1], "NS")})
    pairs = found.every_pair()
    whole = failure_figures(pairs)
    # fails: 4 not satisfied, -4 satisfied; does not: 5, 5, -2, 1; the weight of 0 is neither
    assert (whole["failure_n"], whole["failure_rate_n"], whole["unscored_n"]) == (2, 6, 1)
    assert whole["failure_rate"] == pytest.approx(1 / 3)
    assert whole["sample_n"] == 3
    axes = failures_by(pairs, axis_of)
    assert (axes["Evidence"]["failure_n"], axes["Evidence"]["failure_rate_n"]) == (1, 4)
    assert (axes["Penalty"]["failure_n"], axes["Penalty"]["failure_rate_n"]) == (1, 2)
    by_sample = failures_by_sample(found.pairs)
    assert by_sample["r1"]["Penalty"]["failure_rate"] == 1.0
    assert by_sample["r2"]["Penalty"] == {
        "failure_rate": 0.0, "failure_rate_n": 1, "failure_n": 0.0, "unscored_n": 1,
    }  # fmt: skip


def test_partially_satisfied_is_half_a_failure() -> None:
    found = covered({"r1": ([5, -4], "PP")}, ternary=True)
    assert failure_figures(found.every_pair())["failure_n"] == 1.0
    binarized = covered({"r1": ([5, -4], "PP")}, binarize=True)
    assert [one["failure_n"] for one in failures_by(binarized.every_pair(), axis_of).values()] == [
        1.0, 0.0,
    ]  # fmt: skip


def test_intervals_are_those_of_statsmodels() -> None:
    api = pytest.importorskip("statsmodels.api")
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    rng = np.random.default_rng(3)
    samples = {
        f"r{i}": ([1.0] * 6, "".join("S" if x else "N" for x in rng.random(6) < rng.random()))
        for i in range(40)
    }
    found = failure_figures(covered(samples).every_pair())
    y = np.array([float(x == "N") for _, letters in samples.values() for x in letters])
    groups = np.repeat(np.arange(40), 6)
    low, high = proportion.proportion_confint(y.sum(), len(y), method="wilson")
    assert (found["failure_rate_low"], found["failure_rate_high"]) == pytest.approx((low, high))
    # the mean as a regression on 1; its small-sample factor is C/(C-1) * (n-1)/(n-1)
    fit = api.OLS(y, np.ones_like(y)).fit(cov_type="cluster", cov_kwds={"groups": groups})
    low, high = fit.conf_int()[0]
    assert found["failure_rate_clustered_low"] == pytest.approx(low)
    assert found["failure_rate_clustered_high"] == pytest.approx(high)


def test_where_nothing_can_be_told() -> None:
    none = failure_figures([])
    assert none["failure_rate"] is None
    assert none["failure_rate_low"] is None
    zero = failure_figures(covered({f"r{i}": ([1.0], "S") for i in range(30)}).every_pair())
    assert zero["failure_rate"] == 0
    assert round(zero["failure_rate_high"], 3) == 0.114  # not [0, 0]
    assert zero["failure_rate_clustered_high"] is None
    alike = failure_figures(covered({f"r{i}": ([1.0, 1.0], "SN") for i in range(4)}).every_pair())
    assert alike["failure_rate"] == 0.5
    assert alike["failure_rate_clustered_low"] is None  # not [.5, .5]
    single = failure_figures(covered({"r1": ([1.0, 1.0], "SN")}).every_pair())
    assert single["failure_rate_clustered_low"] is None
