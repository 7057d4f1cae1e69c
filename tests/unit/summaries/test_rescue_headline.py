"""The headline of a merge."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_tiers.summaries.rescue_headline import headline

CORRECTION: dict[str, object] = {
    "share": {"ANSWER_BUG": {"share": 0.25, "low": 0.1, "high": 0.4}},
    "if_worse": [
        {"worse_points": 5, "share": {"ANSWER_BUG": 0.2}, "low": {"ANSWER_BUG": 0.1},
         "high": {"ANSWER_BUG": 0.3}},
        {"worse_points": 10, "share": None, "low": None, "high": None},
    ],
}  # fmt: skip


def line(total: float = 200, correction: Any = CORRECTION) -> dict[str, Any]:
    return headline(
        total_n=total, hard_correct_n=80, soft_correct_n=48, soft_correct_symbolic_n=10, case_n=60,
        correction=correction,
    )  # fmt: skip


def test_the_line_by_hand() -> None:
    found = line()
    assert found["hard_correct_rate"] == 0.4
    assert found["effective_symbolic_rate"] == 0.45
    assert found["effective_corrected_rate"] == pytest.approx((80 + 0.25 * 60) / 200)
    assert found["effective_corrected_rate_low"] == pytest.approx(86 / 200)
    assert found["effective_corrected_rate_high"] == pytest.approx(104 / 200)
    assert found["effective_correct_rate"] == 0.64
    five, ten = found["effective_corrected_if_worse"]
    assert five == {
        "worse_points": 5, "rate": pytest.approx(92 / 200), "low": pytest.approx(86 / 200),
        "high": pytest.approx(98 / 200),
    }  # fmt: skip
    assert ten == {"worse_points": 10, "rate": None, "low": None, "high": None}


def test_nothing_corrected_is_null() -> None:
    for correction in (None, {"share": None, "if_worse": []}, {}):
        found = line(correction=correction)
        assert found["effective_corrected_rate"] is None
        assert found["effective_corrected_rate_low"] is None
        assert found["hard_correct_rate"] == 0.4


def test_no_samples() -> None:
    found = headline(
        total_n=0, hard_correct_n=0, soft_correct_n=0, soft_correct_symbolic_n=0, case_n=0,
        correction=CORRECTION,
    )  # fmt: skip
    for name in ("hard_correct_rate", "effective_symbolic_rate", "effective_corrected_rate",
                 "effective_corrected_rate_high", "effective_correct_rate"):  # fmt: skip
        assert found[name] is None


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50), st.floats(0, 1), st.floats(0, 1))
def test_rates_stay_within_0_and_1(
    right: int, hard: int, rest: int, share: float, part: float
) -> None:
    total, soft = right + hard + rest, int(part * hard)
    found = headline(
        total_n=total, hard_correct_n=right, soft_correct_n=soft, soft_correct_symbolic_n=soft,
        case_n=hard, correction={"share": {"ANSWER_BUG": {"share": share, "low": 0, "high": 1}}},
    )  # fmt: skip
    for name, value in found.items():
        if "rate" in name and not name.endswith("_n") and value is not None:
            assert 0 <= value <= 1 + 1e-12
