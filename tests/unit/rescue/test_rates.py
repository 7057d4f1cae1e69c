"""The rates after rescue: the hand-worked fixture, the published arithmetic, what is barred."""

from __future__ import annotations

from typing import Any

import pytest

from eval_tiers.rescue.effects import Facts, Merged, merge_one, soft_credit
from eval_tiers.rescue.merging import Outcome
from eval_tiers.rescue.rates import (
    fault_counts,
    rescue_counts,
    rescue_rates,
    trust_figures,
    verdict_counts,
)

WRONG = Facts("wrong_correct_chain", "WRONG_CORRECT_CHAIN", "down", False, implied_answer="down")


def facts(**others: Any) -> Facts:
    known = {"kind": WRONG.kind, "error_label": WRONG.error_label, "gold_answer": "down",
             "answer_correct": False, "implied_answer": "down"}  # fmt: skip
    return Facts(**(known | others))


def merged(verdict: str | None, **others: Any) -> Merged:
    fault = None if verdict else "missing"
    return merge_one(facts(**others), Outcome(verdict, fault))


def fixture() -> dict[str, Merged]:
    """Return the seven hard cases of the 15-sample fixture with the replies of the specification."""
    reason = {"kind": "correct_wrong_reason", "answer_correct": True,
              "error_label": "CORRECT_RIGHT_FOR_WRONG_REASON"}  # fmt: skip
    hallucinated = reason | {"error_label": "CORRECT_HALLUCINATED_EDGE"}
    unread = {"kind": "parse_fail", "error_label": "PARSE_FAIL", "implied_answer": None}
    return {
        "05": merged("ANSWER_BUG", sign_match=1.0),
        "13": merged("ALTERNATE", sign_match=None),
        "03": merged("YES", **reason),
        "12": merged("NO", **reason, implied_answer=None),
        "02": merged("NO", **hallucinated),
        "09": merged("down", **unread),
        "10": merged(None, **unread),
    }


def rates_of(found: dict[str, Merged], total: int, right: int) -> dict[str, Any]:
    counts = rescue_counts(found.values())
    return rescue_rates(
        total, right, counts["soft"], counts["soft_ref"], counts["recovered"], counts["alternate"]
    )


def test_hand_worked_fixture() -> None:
    found = fixture()
    rates = rates_of(found, 15, 6)
    assert rates["hard_correct_rate"] == 0.4
    assert rates["soft_correct_count"] == rates["soft_correct_count_ref"] == 2
    assert rates["effective_correct_rate"] == rates["effective_correct_rate_ref"] == 8 / 15
    assert rates["recovered_correct_count"] == 1
    assert rates["effective_with_recovered_rate"] == 9 / 15
    assert rates["annotation_dispute_rate"] == 1 / 15
    assert rates["soft_barred_n"] == 0
    after = {name: one.error_label_after for name, one in found.items()}
    assert after == {
        "05": "WRONG_CORRECT_CHAIN", "13": "WRONG_CORRECT_CHAIN_ALTERNATE",
        "03": "CORRECT_REASONING_PLAUSIBLE", "12": "CORRECT_RIGHT_FOR_WRONG_REASON",
        "02": "CORRECT_HALLUCINATED_EDGE", "09": "PARSE_FAIL", "10": "PARSE_FAIL",
    }  # fmt: skip
    assert {name: one.rescued_answer for name, one in found.items() if one.rescued_answer} == {
        "09": "down"
    }
    assert verdict_counts(found.values()) == {
        "correct_wrong_reason": {"NO": 2, "YES": 1},
        "parse_fail": {"down": 1},
        "wrong_correct_chain": {"ALTERNATE": 1, "ANSWER_BUG": 1},
    }
    assert fault_counts(found.values()) == {"missing": 1}


def test_published_arithmetic() -> None:
    rates = rescue_rates(39_830, 16_436, 18_058 + 3_411, 18_058 + 3_411, 0, 3_411)
    assert rates["soft_correct_count"] == 21_469
    assert round(100 * float(rates["hard_correct_rate"] or 0), 1) == 41.3
    assert rates["effective_correct_rate"] == 37_905 / 39_830
    assert round(100 * float(rates["effective_correct_rate"] or 0), 1) == 95.2


def test_of_no_samples_there_are_no_rates() -> None:
    rates = rescue_rates(0, 0, 0, 0, 0, 0)
    assert [name for name, value in rates.items() if value is None] == [
        "hard_correct_rate", "effective_correct_rate", "effective_correct_rate_ref",
        "effective_with_recovered_rate", "annotation_dispute_rate",
    ]  # fmt: skip
    assert trust_figures([], 0)["soft_correct_symbolic_rate"] is None


@pytest.mark.parametrize(
    "counts", [(3, 2, 2, 2, 0, 0), (3, 4, 0, 0, 0, 0), (3, 0, 2, 1, 0, 0), (3, -1, 0, 0, 0, 0)]
)
def test_counts_that_can_not_be(counts: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="can't be"):
        rescue_rates(*counts)


@pytest.mark.parametrize("verdict", ["ANSWER_BUG", "ALTERNATE"])
@pytest.mark.parametrize("bar", [{"sign_match": 0.99}, {"contradicted_n": 1}])
def test_a_faulty_chain_earns_no_credit_whatever_is_said_of_it(
    verdict: str, bar: dict[str, Any]
) -> None:
    found = {"a": merged(verdict, **bar), "b": merged(verdict), "c": merged("CHAIN_BUG")}
    assert soft_credit(found) == {
        "soft_correct_count": 1, "soft_correct_count_ref": 2, "soft_barred_n": 1,
    }  # fmt: skip
    rates = rates_of(found, 10, 3)
    assert rates["effective_correct_rate"] == 0.4 and rates["effective_correct_rate_ref"] == 0.5
    changed = verdict == "ALTERNATE"
    assert (found["a"].error_label_after == "WRONG_CORRECT_CHAIN_ALTERNATE") == changed


def test_a_right_answer_earns_no_soft_credit() -> None:
    found = merged("ANSWER_BUG", answer_correct=True)
    assert not found.soft and not found.soft_ref


def test_without_a_verdict_nothing_changes() -> None:
    found = merged(None)
    assert (found.soft, found.soft_ref, found.rescued_answer, found.recovered) == (
        False,
        False,
        None,
        False,
    )
    assert found.error_label_after == WRONG.error_label


def test_sign_algebra_beside_the_verdicts() -> None:
    found = [merged("ANSWER_BUG"), merged("ANSWER_BUG", implied_answer="up"), merged(None),
             merged("ANSWER_BUG", implied_answer=None), merged("CHAIN_BUG", contradicted_n=1),
             merged("NO", kind="correct_wrong_reason", answer_correct=True)]  # fmt: skip
    figures = trust_figures(found, 10)
    assert figures["answer_bug_n"] == 3 and figures["answer_bug_sign_supported"] == 1 / 3
    assert figures["soft_correct_symbolic"] == 2
    assert figures["soft_correct_symbolic_rate"] == 0.2
    assert trust_figures([merged(None)], 1)["answer_bug_sign_supported"] is None
