"""Corrected shares by hand, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from eval_tiers.metrics.judge_correction import (
    lang_reiczigel,
    multinomial_shares,
    refusal,
    rogan_gladen,
    smallest_singular_value,
    worse,
)

CONFUSION = [[80, 10, 8, 2], [20, 65, 12, 3], [25, 10, 60, 5]]
OBSERVED = [149, 60, 144, 15]  # 400 cases of which .1, .1 and .8 would give 112, 62, 201, 18
TRUTHS = ("ANSWER_BUG", "ALTERNATE", "CHAIN_BUG")


def test_shares_by_hand() -> None:
    # .5 of the first, .2 of the second, .3 of the third: columns by hand, times 1,000.
    observed = [515, 210, 244, 31]
    found, reason = multinomial_shares(CONFUSION, observed)
    assert reason is None
    assert found == pytest.approx((0.5, 0.2, 0.3), abs=1e-6)


def test_few_controls_are_refused_and_named() -> None:
    few = [[24, 3, 2, 0], [20, 65, 12, 3], [5, 2, 12, 1]]
    found, reason = multinomial_shares(few, OBSERVED, TRUTHS)
    assert found is None and reason is not None
    assert reason.code == "few-controls"
    assert "ANSWER_BUG 29, CHAIN_BUG 20" in reason.reason
    assert refusal([[30, 0, 0, 0], [0, 30, 0, 0], [0, 0, 30, 0]], OBSERVED) is None


def test_a_near_singular_matrix_is_refused() -> None:
    # Truths 1 and 3 get much the same verdicts.
    same = [[80, 10, 8, 2], [20, 65, 12, 3], [75, 11, 12, 2]]
    found, reason = multinomial_shares(same, OBSERVED)
    assert found is None and reason is not None and reason.code == "near-singular"
    assert smallest_singular_value(same) == pytest.approx(0.0305, abs=5e-4)
    assert smallest_singular_value(CONFUSION) == pytest.approx(
        float(np.sqrt(np.linalg.eigvalsh(np.array(CONFUSION) @ np.array(CONFUSION).T)[0])) / 100
    )
    assert smallest_singular_value([[0, 0], [1, 1]]) is None


@pytest.mark.parametrize(("right", "refused"), [(70, False), (69, True)])
def test_the_bound_of_singular_values(right: int, refused: bool) -> None:
    # The eigenvalues of a symmetric matrix a on the diagonal and b off it: a + 2b and a - b.
    off = (100 - right) / 2 / 100
    rows = np.full((3, 3), off) + (right / 100 - off) * np.eye(3)
    assert smallest_singular_value(rows) == pytest.approx(right / 100 - off)
    scaled = rows * 0.2 / 0.55 + (1 - 0.2 / 0.55) / 3  # .7 right gives .2 exactly
    assert (refusal(scaled * 300, [10, 10, 10]) is not None) is refused


def test_no_replies_and_verdicts_that_no_control_got() -> None:
    assert multinomial_shares(CONFUSION, [0, 0, 0, 0])[1].code == "no-cases"  # type: ignore[union-attr]
    without_none = [[90, 5, 5, 0], [5, 90, 5, 0], [5, 5, 90, 0]]
    assert multinomial_shares(without_none, [0, 0, 0, 7])[1].code == "unknown-verdicts"  # type: ignore[union-attr]


def test_rogan_gladen_by_hand() -> None:
    # (.72 + .8 - 1) / (.85 + .8 - 1) = .52 / .65
    found = rogan_gladen(144, 200, 0.85, 0.80)
    assert found is not None and found.rate == pytest.approx(0.8)
    high = rogan_gladen(190, 200, 0.85, 0.80)  # .75 / .65
    assert high is not None and high.rate == 1 and high.unclipped == pytest.approx(15 / 13)
    assert rogan_gladen(0, 0, 0.85, 0.80) is None


@pytest.mark.parametrize(
    ("sensitivity", "specificity", "refused"),
    [(0.6, 0.6, False), (0.6, 0.59, True), (0.85, 0.35, False), (0.5, 0.5, True), (0.2, 0.3, True)],
)
def test_near_chance_is_refused(sensitivity: float, specificity: float, refused: bool) -> None:
    assert (rogan_gladen(50, 100, sensitivity, specificity) is None) is refused
    counts = (sensitivity * 100, 100, specificity * 100, 100)
    assert (lang_reiczigel(50, 100, *counts) is None) is refused


def test_two_truths_are_refused_by_their_youden_index() -> None:
    confusion = [[60, 35, 5], [45, 50, 5]]
    reason = refusal(confusion, [50, 50, 0], ("YES", "NO"))
    assert reason is not None and reason.code == "near-chance" and "0.15" in reason.reason
    assert refusal([[60, 40, 0], [40, 60, 0]], [50, 50, 0]) is None


def test_lang_reiczigel_by_hand() -> None:
    # N' = 203.8415, p' = .715854; Se' = 86/102, Sp' = 81/102; rate' = .800264;
    # se = .0682608, shift = .0055125.
    found = lang_reiczigel(144, 200, 85, 100, 80, 100)
    assert found == pytest.approx((0.671988, 0.939566), abs=2e-6)


def test_lang_reiczigel_at_the_edges() -> None:
    low, high = lang_reiczigel(0, 200, 100, 100, 100, 100) or (None, None)
    assert low == 0 and high is not None and 0 < high < 0.05
    low, high = lang_reiczigel(200, 200, 100, 100, 100, 100) or (None, None)
    assert high == 1 and low is not None and 0.95 < low < 1
    # Half the negatives are called positive, yet none of 200 was.
    assert lang_reiczigel(0, 200, 90, 100, 50, 100) is None
    assert lang_reiczigel(0, 0, 85, 100, 80, 100) is None
    assert lang_reiczigel(5, 10, 0, 0, 80, 100) is None


def test_more_controls_give_a_narrower_interval() -> None:
    few = lang_reiczigel(144, 200, 34, 40, 32, 40)
    many = lang_reiczigel(144, 200, 850, 1000, 800, 1000)
    assert few is not None and many is not None
    assert few[1] - few[0] > many[1] - many[0]


def test_worse_by_hand() -> None:
    rows = np.array(CONFUSION) / 100
    found = worse(rows, 0.10)
    assert found.sum(axis=1) == pytest.approx([1, 1, 1])
    assert np.diag(found) == pytest.approx([0.70, 0.55, 0.50])
    assert found[0] == pytest.approx([0.70, 0.15, 0.12, 0.03])  # .10, .08 and .02 grow by half
    one = worse(rows, 0.10, [2])
    assert one[:2] == pytest.approx(rows[:2]) and one[2, 2] == pytest.approx(0.5)
    assert worse([[0.04, 0.96], [0.5, 0.5]], 0.1)[0] == pytest.approx([0, 1])
    assert rows[0, 0] == 0.8  # what was given is left as it was
