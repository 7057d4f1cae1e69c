"""Verdicts, tokens and cost of replies; what is brought together of parts."""

from __future__ import annotations

import json

import pytest

from eval_tiers.rescue.reply_rows import ReplyRow, parse_reply_row
from eval_tiers.rescue.settling import Outcome
from eval_tiers.rubrics.asked import PART, SYNTHESIS, WHOLE, Entry, judgings_of
from eval_tiers.rubrics.replies import (
    Prices,
    Usage,
    read_rubric_verdict,
    settle_rubric,
    usage_of,
)
from eval_tiers.rubrics.synthesis import found_in_parts


def row(content: str | None, fault: str | None = None, **usage: object) -> ReplyRow:
    return ReplyRow("c-1", None, content, fault, usage=dict(usage) or None)


def said(verdict: str, confidence: object = 0.5) -> str:
    return json.dumps({"verdict": verdict, "confidence": confidence, "reasoning": "why"})


@pytest.mark.parametrize(
    ("content", "verdict"),
    [
        (said("Satisfied"), "Satisfied"),
        (said("NOT SATISFIED"), "Not Satisfied"),
        (f"```json\n{said('Satisfied')}\n```", "Satisfied"),
        (f"Sure.\n{said('Satisfied')}\nDone.", "Satisfied"),
        (json.dumps(said("Satisfied")), "Satisfied"),
        ("{'verdict': 'Satisfied', 'reasoning': 'it's there',}", "Satisfied"),
        ('{"verdict": "Satisfied", "confidence": 1, "reasoning": "r"', "Satisfied"),
    ],
)
def test_verdicts_that_can_be_read(content: str, verdict: str) -> None:
    assert read_rubric_verdict(content, ternary=False).verdict == verdict


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("The criterion is Satisfied.", "no_json"),
        (said("Partially Satisfied"), "not_a_verdict"),
        (said("satisfied, mostly"), "not_a_verdict"),
        ('{"verdict": true, "confidence": 1, "reasoning": "r"}', "not_a_verdict"),
        ('{"verdict": 1.0}', "not_a_verdict"),
        ('{"verdict": null}', "not_a_verdict"),
        ('{"score": 1.0}', "no_verdict"),
        ('{"verdict": "Satisfied", "verdict": "Not Satisfied"}', "repeated_key"),
        (said("Satisfied") + said("Not Satisfied"), "several_verdicts"),
        ('{"verdict": "Satisf', "truncated"),
        ("I'm sorry, I can't judge this.", "refusal"),
        ("<think>" + said("Satisfied"), "no_json"),
        ('[{"a": 1}]', "no_verdict"),
    ],
)
def test_verdicts_that_cannot(content: str, fault: str) -> None:
    found = read_rubric_verdict(content, ternary=False)
    assert (found.verdict, found.fault) == (None, fault)


def test_confidence_is_a_share_or_unknown() -> None:
    for confidence, expected in ((0.25, 0.25), ("0.5", 0.5), (1.5, None), (True, None), (-1, None)):
        found = read_rubric_verdict(said("Satisfied", confidence), False)
        assert (found.verdict, found.confidence) == ("Satisfied", expected)
        assert found.explanation == "why"


def test_three_values_on_the_three_valued_scale() -> None:
    assert settle_rubric([row(said("partially satisfied"))], True).verdict == "Partially Satisfied"


def test_cost_of_the_specification() -> None:
    assert Prices(1.25, 10).cost(Usage(2392, 2175, 4567)) == 0.02474
    assert Prices(None, 10).cost(Usage(1, 1, 2)) is None
    assert Prices(1.25, 10).cost(Usage(None, 1, 2)) is None
    assert Prices(0, 0).cost(Usage(1, 1, 2)) == 0


def test_tokens_are_summed_equal_replies_once() -> None:
    first = row("a", prompt_tokens=10, completion_tokens=5)
    cut = row("b", "cut_off", prompt_tokens=10, completion_tokens=7, total_tokens=17)
    assert usage_of([first]) == Usage(10, 5, 15)
    assert usage_of([first, first, cut]) == Usage(20, 12, 32)
    assert usage_of([]) is None
    assert usage_of([row(None, "http_error")]) is None
    assert usage_of([first, row("c")]) == Usage(None, None, None)
    assert usage_of([row("d", prompt_tokens="10", completion_tokens=-1)]) == Usage(None, None, None)
    assert usage_of([row("e", total_tokens=9)]) == Usage(None, None, 9)


def test_a_row_without_content_is_not_zero() -> None:
    parsed = parse_reply_row({"custom_id": "c-1", "response": None, "error": {"message": "down"}})
    assert parsed is not None
    assert settle_rubric([parsed], False).fault == "http_error"
    assert settle_rubric([], False).fault == "missing"


def outcome(verdict: str, text: str = "") -> Outcome:
    return Outcome(verdict, explanation=text)


def test_parts_are_shown_whole_where_they_fit() -> None:
    parts = [outcome("Not Satisfied", "nothing"), outcome("Satisfied", "'OSD-47'\nis named")]
    assert found_in_parts(parts, 1000) == (
        ["Part 1: Not Satisfied. nothing", "Part 2: Satisfied. 'OSD-47' is named"], False,
    )  # fmt: skip


def test_what_is_found_is_shortened_never_its_verdicts() -> None:
    parts = [outcome("Not Satisfied", "n" * 400)] * 30 + [outcome("Satisfied", "s" * 400)]
    lines, shortened = found_in_parts(parts, 500)
    assert shortened  # of the parts that don't meet it
    assert lines == ["Parts 1 to 30: Not Satisfied.", f"Part 31: Satisfied. {'s' * 400}"]
    lines, shortened = found_in_parts(parts, 200)
    assert lines[0] == "Parts 1 to 30: Not Satisfied."
    assert lines[1].startswith("Part 31: Satisfied. sss")
    assert lines[1].endswith("(left out for length)")
    assert sum(len(line) + 1 for line in lines) <= 200
    assert found_in_parts(parts, 10)[0] == ["Parts 1 to 30: Not Satisfied.", "Part 31: Satisfied."]


def test_requests_of_one_verdict_are_brought_together() -> None:
    def entry(role: str, part: int, repeat: int) -> Entry:
        return Entry(f"{role}{part}{repeat}", "r", 0, role, part, 2, repeat)

    entries = [entry(PART, 2, 0), entry(SYNTHESIS, 0, 0), entry(PART, 1, 0), entry(WHOLE, 1, 1)]
    first, second = judgings_of(entries)
    assert [one.part for one in first.parts] == [1, 2]
    assert first.single is not None and first.single.role == SYNTHESIS
    assert second.parts == [] and second.single is not None
