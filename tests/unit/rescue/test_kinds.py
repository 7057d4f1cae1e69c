"""The kinds of question: who is asked what, what may be said, and what it does."""

from __future__ import annotations

import pytest

from eval_tiers.domain import labels, rr10
from eval_tiers.domain.taxonomy import ERROR_LABELS, HARD_LABELS
from eval_tiers.exceptions import BadInputError
from eval_tiers.rescue.kind import CANNOT_TELL, Effect
from eval_tiers.rescue.registry import kind_for, kind_named, known_kinds


def test_hard_cases_and_no_others_are_asked_about() -> None:
    assert {name for name in ERROR_LABELS if kind_for(name, has_text=True)} == HARD_LABELS
    assert kind_for("PARSE_FAIL", has_text=False) is None
    found = kind_for("WRONG_CORRECT_CHAIN", has_text=False)
    assert found is not None and found.name == "wrong_correct_chain"


def test_no_error_label_belongs_to_two_kinds() -> None:
    owners = [label for kind in known_kinds().values() for label in kind.error_labels]
    assert len(owners) == len(set(owners))


@pytest.mark.parametrize(
    ("kind", "family", "verdicts"),
    [
        ("wrong_correct_chain", labels.LABELS, ("ANSWER_BUG", "ALTERNATE", "CHAIN_BUG")),
        ("wrong_correct_chain", rr10.LABELS, ("ANSWER_BUG", "CHAIN_BUG")),
        ("correct_wrong_reason", labels.LABELS, ("YES", "NO")),
        ("correct_wrong_reason", rr10.LABELS, ("YES", "NO")),
        ("parse_fail", labels.LABELS, ("up", "down", "unchanged", "NONE")),
        ("parse_fail", rr10.LABELS, ("upregulated", "downregulated", "indeterminate", "NONE")),
    ],
)
def test_vocabulary(kind: str, family: tuple[str, ...], verdicts: tuple[str, ...]) -> None:
    assert known_kinds()[kind].verdicts("any", family) == verdicts


@pytest.mark.parametrize(
    ("kind", "verdict", "effect"),
    [
        ("wrong_correct_chain", "ANSWER_BUG", Effect(soft=True)),
        ("wrong_correct_chain", "ALTERNATE", Effect(True, "WRONG_CORRECT_CHAIN_ALTERNATE")),
        ("wrong_correct_chain", "CHAIN_BUG", Effect()),
        ("correct_wrong_reason", "YES", Effect(error_label="CORRECT_REASONING_PLAUSIBLE")),
        ("correct_wrong_reason", "NO", Effect()),
        ("parse_fail", "down", Effect(answer="down")),
        ("parse_fail", "NONE", Effect()),
    ],
)
def test_effect(kind: str, verdict: str, effect: Effect) -> None:
    assert known_kinds()[kind].effect(verdict) == effect


@pytest.mark.parametrize(
    ("kind", "direction", "sound", "verdict"),
    [
        ("wrong_correct_chain", "down", True, "ANSWER_BUG"),
        ("wrong_correct_chain", "up", True, "ALTERNATE"),
        ("wrong_correct_chain", "down", False, "CHAIN_BUG"),
        ("wrong_correct_chain", CANNOT_TELL, True, "CHAIN_BUG"),
        ("correct_wrong_reason", "down", True, "YES"),
        ("correct_wrong_reason", "up", True, "NO"),
        ("correct_wrong_reason", "down", False, "NO"),
        ("correct_wrong_reason", CANNOT_TELL, True, "NO"),
    ],
)
def test_blind_verdict_where_gold_is_down(
    kind: str, direction: str, sound: bool, verdict: str
) -> None:
    described = known_kinds()[kind]
    assert described.blind_verdict is not None
    verdicts = described.verdicts("perturbreason", labels.LABELS)
    assert described.blind_verdict(direction, sound, "down", verdicts) == verdict


def test_blind_verdict_is_never_one_that_is_not_offered() -> None:
    described = known_kinds()["wrong_correct_chain"]
    assert described.blind_verdict is not None
    offered = described.verdicts("rr10", rr10.LABELS)
    assert described.blind_verdict("upregulated", True, "indeterminate", offered) == "CHAIN_BUG"


def test_a_reading_of_a_text_has_no_blind_form() -> None:
    assert known_kinds()["parse_fail"].blind_verdict is None


def test_a_kind_that_is_not_known_is_bad_input() -> None:
    with pytest.raises(BadInputError, match=r"unknown-kind.*'rubric'"):
        kind_named("rubric")
