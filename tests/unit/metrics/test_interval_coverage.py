"""Simulated coverage: 95 % intervals hold the truth in 93 to 97 % of runs, naive ones don't."""

from __future__ import annotations

import pytest

from benchmarks.correction_coverage import (
    EXAMINERS,
    Examiner,
    simulate_labels,
    simulate_shares,
    simulate_two_verdicts,
)
from eval_tiers.metrics.corrected_rates import DRAWS

RUNS = 1_500


def test_two_verdicts() -> None:
    covered, naive = simulate_two_verdicts(RUNS)
    assert 0.93 <= covered <= 0.97
    assert naive < 0.32


@pytest.mark.parametrize(("rate", "control_n"), [(0.5, 50), (0.2, 100), (0.95, 400)])
def test_two_verdicts_elsewhere(rate: float, control_n: int) -> None:
    covered, _ = simulate_two_verdicts(RUNS, rate=rate, control_n=control_n)
    assert 0.93 <= covered <= 0.98


def test_labels_by_people() -> None:
    covered, naive = simulate_labels(RUNS)
    assert 0.93 <= covered <= 0.97
    assert naive < 0.10


def test_three_verdicts() -> None:
    found = simulate_shares(EXAMINERS[0], 300, draws=500)
    assert found.refused_n == 0
    assert all(0.93 <= covered <= 0.97 for covered in found.corrected)
    assert found.naive[0] < 0.05


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("examiner", EXAMINERS, ids=lambda examiner: examiner.name)
def test_three_verdicts_at_length(examiner: Examiner) -> None:
    found = simulate_shares(examiner, RUNS, draws=DRAWS)
    # Where hardly any case is an answer bug intervals end at 0 and are on the safe side.
    most = 0.985 if min(examiner.shares) < 0.05 else 0.97
    assert all(0.93 <= covered <= most for covered in found.corrected)
