"""How often the intervals hold the truth: 1,500 seeded repetitions, nominally 95 %."""

from __future__ import annotations

import numpy as np

from eval_tiers.rubrics.agreement import kappa_clustered
from eval_tiers.rubrics.coverage import SCORED, Expected, Pair
from eval_tiers.rubrics.failures import failure_figures
from eval_tiers.rubrics.scores import Compliance
from eval_tiers.summaries.rubrics import mean_figures

REPEATS = 1_500


def test_mean_of_few_samples() -> None:
    rng = np.random.default_rng(1)
    inside = 0
    for _ in range(REPEATS):
        values = 1.4 * rng.beta(4, 3, 12) - 0.5  # some are negative
        found = mean_figures([Compliance(float(x)) for x in values])
        inside += found["compliance_mean_low"] <= 1.4 * 4 / 7 - 0.5 <= found["compliance_mean_high"]
    assert 0.93 <= inside / REPEATS <= 0.97


def test_failures_of_reports_that_differ() -> None:
    rng = np.random.default_rng(2)
    clustered = naive = 0
    for _ in range(REPEATS):
        rates = rng.beta(1.2, 2.8, 50)  # mean .3
        pairs = [
            Pair(Expected(f"r{i}", j, "c", 1.0), SCORED, "", float(rng.random() > rate), "", ())
            for i, rate in enumerate(rates)
            for j in range(8)
        ]
        found = failure_figures(pairs)
        clustered += (
            found["failure_rate_clustered_low"] <= 0.3 <= found["failure_rate_clustered_high"]
        )
        naive += found["failure_rate_low"] <= 0.3 <= found["failure_rate_high"]
    assert 0.93 <= clustered / REPEATS <= 0.97
    assert naive / REPEATS < 0.85  # rows of one report are not independent


def test_kappa_of_reports_that_differ() -> None:
    rng = np.random.default_rng(3)
    tasks, rubrics = 80, 5
    clusters = np.repeat(np.arange(tasks), rubrics).tolist()

    def draw(n: int) -> tuple[list[str], list[str]]:
        rate = np.repeat(rng.beta(2, 2, n), rubrics)
        right = np.repeat(rng.beta(8, 2, n), rubrics)  # how often the examiner says what people say
        people = rng.random(n * rubrics) < rate
        examiner = np.where(rng.random(n * rubrics) < right, people, ~people)
        return list(map(str, people)), list(map(str, examiner))

    # in the limit: half of each, agreement .8, chance .5
    truth, inside = 0.6, 0
    for _ in range(REPEATS):
        bounds = kappa_clustered(*draw(tasks), clusters)
        inside += bounds is not None and bounds[0] <= truth <= bounds[1]
    assert 0.93 <= inside / REPEATS <= 0.97
