"""The score table: the worked numbers, and every combination against a slow reading."""

from __future__ import annotations

from itertools import product

import pytest

from eval_tiers.submissions.score import EVALUATOR_CAP, LEAKAGE_CAP, ROWS, Tally, score_of
from tests.oracle.submission_score import slow_score

# N = 4, K = 2: m, p, w, a, execution, score with half partials, score with strict ones
WORKED = [
    (4, 0, 0, 2, True, 1, 1), (4, 0, 0, 1, True, .75, .75), (4, 0, 0, 0, True, .5, .5),
    (4, 0, 0, 2, False, .25, .25), (3, 0, 0, 1, True, .75, .75), (3, 0, 1, 2, True, .5, .5),
    (2, 2, 0, 2, True, .75, .5), (2, 1, 0, 2, True, .5, .5), (2, 0, 2, 2, True, .5, .5),
    (1, 2, 0, 2, True, .5, .25), (1, 1, 0, 2, True, .25, .25), (0, 1, 0, 0, False, .25, .25),
    (0, 0, 4, 2, True, 0, 0),
]  # fmt: skip


@pytest.mark.parametrize(("m", "p", "w", "a", "execution", "half", "strict"), WORKED)
def test_worked_numbers(
    m: int, p: int, w: int, a: int, execution: bool, half: float, strict: float
) -> None:
    tally = Tally(4, m, p, w, 2, a)
    assert score_of(tally, execution).value == half
    assert score_of(tally, execution, strict_partials=True).value == strict


def test_every_combination_is_scored_as_the_slow_reading_scores_it() -> None:
    checked = 0
    for n, k in product(range(1, 6), range(4)):
        counts = product(range(n + 1), range(n + 1), range(n + 1), range(k + 1), range(k + 1))
        for m, p, w, a, b in counts:
            if m + p + w > n or a + b > k:
                continue
            conclusions = ["matched"] * m + ["partial"] * p + ["wrong"] * w
            conclusions += ["missing"] * (n - len(conclusions))
            caveats = ["matched"] * a + ["partial"] * b + ["missing"] * (k - a - b)
            tally = Tally(n, m, p, w, k, a, b)
            for flags in product((False, True), repeat=4):
                execution, strict, failed, leakage = flags
                found = score_of(tally, execution, failed, leakage, strict)
                uncapped, score = slow_score(
                    conclusions, caveats, execution, strict, failed, leakage
                )
                assert (found.uncapped, found.value) == (uncapped, score), (tally, flags)
                assert found.uncapped == ROWS[found.row][0]
                checked += 1
    assert checked == 16 * 125 * 20  # 125 splits of N over 1..5, 20 splits of K over 0..3


def test_caps_are_no_floors() -> None:
    nothing = Tally(4, 0, 0, 4, 2, 2)
    assert score_of(nothing, True, evaluator_failed=True, leakage=True).value == 0
    everything = Tally(4, 4, 0, 0, 2, 2)
    capped = score_of(everything, True, evaluator_failed=True, leakage=True)
    assert (capped.uncapped, capped.value) == (1, 0.25)
    assert capped.caps == (EVALUATOR_CAP, LEAKAGE_CAP)


def test_without_caveats_all_are_addressed() -> None:
    assert Tally(1, 1, 0, 0).addressed == 1
    assert score_of(Tally(1, 1, 0, 0), True).value == 1


def test_a_partial_caveat_is_not_addressed_in_full() -> None:
    assert Tally(1, 1, 0, 0, 1, 0, 1).addressed == 0.5
    assert score_of(Tally(1, 1, 0, 0, 1, 0, 1), True).value == 0.75


def test_a_wrong_conclusion_bars_the_second_row_only() -> None:
    assert score_of(Tally(5, 4, 0, 1, 0), True).value == 0.5
    assert score_of(Tally(5, 4, 0, 0, 0), True).value == 0.75
    assert score_of(Tally(5, 4, 0, 1, 0), False).value == 0.25


def test_thresholds_are_exact() -> None:
    # 3 of 4 is .75 to the digit; 2 matched and 1 partial of 4 is .625
    assert Tally(4, 3, 0, 0).covered() == 0.75
    assert score_of(Tally(4, 2, 1, 0), True).value == 0.5
    assert score_of(Tally(3, 2, 0, 0), True).value == 0.5  # .67
    assert score_of(Tally(3, 2, 1, 0), True).value == 0.75  # .83
