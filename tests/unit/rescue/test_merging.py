"""Replies settled: what became of each request, duplicates, repeats."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import permutations

import pytest

from eval_tiers.domain.labels import LABELS
from eval_tiers.rescue.merging import (
    Asked,
    Outcome,
    first_fault,
    majority,
    repeat_agreement,
    settle,
)
from eval_tiers.rescue.reply_rows import ReplyRow

ASKED = Asked("wrong_correct_chain", "perturbreason", LABELS)


def said(verdict: str, confidence: float | None = 0.5, **others: object) -> ReplyRow:
    content = json.dumps({"verdict": verdict, "confidence": confidence, "explanation": "e"})
    row = ReplyRow("r1", None, content, None, "stop")
    return replace(row, **others)  # type: ignore[arg-type]


def failed(fault: str) -> ReplyRow:
    return ReplyRow("r1", None, None, fault)


PROSE = ReplyRow("r1", None, "It is ALTERNATE.", None, "stop")


def one(*rows: ReplyRow, asked: Asked = ASKED) -> Outcome:
    return settle({"r1": rows}, {"r1": asked})["r1"]


def test_every_request_has_an_outcome_and_nothing_else_has() -> None:
    found = settle({"r1": [said("CHAIN_BUG")], "stranger": [said("ALTERNATE")]},
                   {"r1": ASKED, "r2": ASKED})  # fmt: skip
    assert {name: outcome.verdict for name, outcome in found.items()} == {
        "r1": "CHAIN_BUG",
        "r2": None,
    }
    assert found["r2"].fault == "missing" and found["r2"].owed


def test_equal_duplicates_count_once_with_the_lowest_confidence_in_any_order() -> None:
    rows = [said("ALTERNATE", 0.9), said("ALTERNATE", None), said("ALTERNATE", 0.2, model="m")]
    found = [one(*order) for order in permutations(rows)]
    assert all(outcome == found[0] for outcome in found)
    assert (found[0].verdict, found[0].confidence, found[0].reply_n) == ("ALTERNATE", 0.2, 3)


def test_unequal_duplicates_are_no_verdict_unless_the_last_is_asked_for() -> None:
    rows = [said("ALTERNATE"), said("CHAIN_BUG"), failed("http_error")]
    for order in permutations(rows):
        found = one(*order)
        assert (found.verdict, found.fault, found.owed) == (None, "conflicting_replies", False)
    last = settle({"r1": rows}, {"r1": ASKED}, "last")["r1"]
    assert (last.verdict, last.reply_n) == ("CHAIN_BUG", 3)


@pytest.mark.parametrize(
    "other", [failed("http_error"), failed("cut_off"), failed("refusal"), PROSE]
)
def test_a_verdict_is_not_undone_by_a_row_without_one(other: ReplyRow) -> None:
    assert (
        one(said("CHAIN_BUG"), other).verdict
        == one(other, said("CHAIN_BUG")).verdict
        == "CHAIN_BUG"
    )


@pytest.mark.parametrize(
    ("row", "fault", "owed"),
    [
        (PROSE, "no_json", False),
        (failed("refusal"), "refusal", False),
        (failed("cut_off"), "cut_off", True),
        (ReplyRow("r1", None, None, None), "empty", True),
        (ReplyRow("r1", None, '{"verdict": "CHAIN_B', None, None), "cut_off", True),
        (ReplyRow("r1", None, '{"verdict": "CHAIN_B', None, "stop"), "truncated", False),
        (ReplyRow("r1", None, "thoughts {", None, "stop", from_reasoning=True), "empty", True),
    ],
)
def test_fault_and_whether_it_is_owed(row: ReplyRow, fault: str, owed: bool) -> None:
    assert (one(row).verdict, one(row).fault, one(row).owed) == (None, fault, owed)


def test_several_faults_are_one_whatever_their_order() -> None:
    for order in permutations(["http_error", "cut_off", "empty"]):
        assert first_fault(order) == "cut_off"
    assert first_fault(["cut_off", "refusal", "no_json"]) == "no_json"


def test_verdict_from_reasoning_is_marked() -> None:
    assert one(said("CHAIN_BUG", from_reasoning=True)).from_reasoning


def test_probabilities_are_those_of_what_was_offered() -> None:
    row = said("YES", verdict_prob={"YES": 0.9, "NO": 0.1, "ALTERNATE": 0.0})
    asked = Asked("correct_wrong_reason", "b", LABELS, "down")
    assert one(row, asked=asked).verdict_prob == {"YES": 0.9, "NO": 0.1}


def test_blind_duplicates_are_compared_by_what_they_come_to() -> None:
    asked = replace(ASKED, gold_answer="down", blind=True)
    rows = [ReplyRow("r1", None, json.dumps({"direction": direction, "sound": sound}), None)
            for direction, sound in (("up", False), ("cannot_tell", True))]  # fmt: skip
    assert one(*rows, asked=asked).verdict == "CHAIN_BUG"


def outcome(
    verdict: str | None, confidence: float | None = None, fault: str | None = None
) -> Outcome:
    return Outcome(verdict, fault, confidence, str(verdict), reply_n=1)


def test_majority() -> None:
    most = majority([outcome("YES", 0.5), outcome("NO", 1), outcome("YES", 1)])
    assert (most.verdict, most.confidence, most.explanation, most.reply_n) == (
        "YES",
        0.75,
        "YES",
        3,
    )
    assert majority([outcome("YES"), outcome("NO")]).fault == "no_majority"
    two = [outcome("A"), outcome("A"), outcome("B"), outcome("C")]
    assert majority(two).fault == "no_majority"
    assert majority([outcome("YES"), outcome(None, fault="missing")]).verdict == "YES"
    none = majority([outcome(None, fault="missing"), outcome(None, fault="cut_off")])
    assert (none.verdict, none.fault) == (None, "cut_off")
    single = outcome("YES", 0.3)
    assert majority([single]) is single


def test_repeat_agreement() -> None:
    groups = [
        [outcome("YES"), outcome("YES"), outcome("NO")],
        [outcome("YES"), outcome("YES"), outcome(None, fault="missing")],
        [outcome("YES"), outcome(None, fault="missing")],
    ]
    found = repeat_agreement(groups)
    assert found["repeated_n"] == 2 and found["flip_rate"] == 0.5
    assert found["repeat_agreement"] == pytest.approx((1 / 3 + 1) / 2)
    assert (found["flip_rate_n"], found["repeat_agreement_n"]) == (2, 2)
    assert found["flip_rate_low"] == pytest.approx(0.0945, abs=5e-5)  # 1 of 2, Wilson's
    assert found["flip_rate_high"] == pytest.approx(0.9055, abs=5e-5)
    assert found["repeat_agreement_low"] < 2 / 3 < found["repeat_agreement_high"] == 1
    nothing = repeat_agreement([])
    assert nothing["repeated_n"] == nothing["flip_rate_n"] == nothing["repeat_agreement_n"] == 0
    assert {n for key, n in nothing.items() if not key.endswith("_n")} == {None}
