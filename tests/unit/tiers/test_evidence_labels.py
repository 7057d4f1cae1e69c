"""The label table for cited evidence: enumerated against the slow reading, and row by row."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest

from eval_tiers.domain.rr10 import (
    CITATION_VERDICTS,
    DOWN,
    EVIDENCE_DETAILS,
    FABRICATED_VERDICTS,
    INDETERMINATE,
    LABELS,
    NO_LABEL,
    UP,
    VERDICT_CODES,
)
from eval_tiers.domain.taxonomy import ERROR_LABELS
from eval_tiers.tiers.citations import CitationFacts
from eval_tiers.tiers.evidence_labels import evidence_label, is_hard, most_frequent_fault
from tests.oracle import rr10_evidence

RFWR = "CORRECT_RIGHT_FOR_WRONG_REASON"
ANSWERS = (UP, DOWN, INDETERMINATE, NO_LABEL)
GRID = [
    verdicts
    for length in range(4)
    for verdicts in itertools.combinations_with_replacement(CITATION_VERDICTS, length)
] + [
    ("SUPPORTED",) * supported + ("SIGN_MISREAD",) * misread + failing
    for supported in (1, 2, 3)
    for misread in (0, 1, 2, 3)
    for failing in ((), ("MALFORMED",) * 2, ("OFF_TOPIC", "OFF_TOPIC", "WRONG_CONTEXT"))
]


def facts_of(
    verdicts: tuple[str, ...], implied: int = NO_LABEL, repaired: int = NO_LABEL,
    recall: float | None = 1.0,
) -> CitationFacts:  # fmt: skip
    """Facts with rates that follow from the verdicts."""
    n = len(verdicts)
    facts = CitationFacts(n, recall=recall, implied=implied, repaired=repaired)
    for name in verdicts:
        facts.verdict_n[VERDICT_CODES[name]] += 1
    if n:
        facts.precision = verdicts.count("SUPPORTED") / n
        facts.fabrication_rate = sum(name in FABRICATED_VERDICTS for name in verdicts) / n
    return facts


def words(found: tuple[int, int]) -> tuple[str | None, str]:
    label, detail = found
    return (None if label < 0 else ERROR_LABELS[label]), EVIDENCE_DETAILS[detail]


def word(label: int) -> str | None:
    return None if label < 0 else LABELS[label]


def test_the_table_is_total_and_as_the_slow_reading_has_it() -> None:
    labels: Counter[str | None] = Counter()
    details: Counter[str] = Counter()
    for verdicts in GRID:
        for gold, predicted, implied, repaired, recall, expected in itertools.product(
            ANSWERS[:3], ANSWERS, ANSWERS, (UP, INDETERMINATE), (0.49, 0.5), (True, False),
        ):  # fmt: skip
            facts = facts_of(verdicts, implied, repaired, recall)
            codes = evidence_label(gold, predicted, facts, expected)
            found = words(codes)
            slow = rr10_evidence.error_label(
                {
                    "label": word(predicted),
                    "gold": word(gold),
                    "evidence": expected,
                    "verdicts": list(verdicts),
                    "implied_answer": word(implied),
                    "repaired_answer": word(repaired),
                    "evidence_recall": recall,
                }
            )
            assert found == slow, (verdicts, gold, predicted, implied, repaired, recall, expected)
            assert is_hard(*codes) == rr10_evidence.is_hard(*slow), found
            labels[found[0]] += 1
            details[found[1]] += 1
    assert set(labels) == {*ERROR_LABELS, None}
    assert set(details) == set(EVIDENCE_DETAILS)


def test_a_label_says_whether_the_answer_is_right() -> None:
    for verdicts in GRID:
        for gold, predicted in itertools.product(ANSWERS[:3], ANSWERS):
            label, _ = words(evidence_label(gold, predicted, facts_of(verdicts, gold)))
            assert label is not None
            if predicted == NO_LABEL:
                assert label == "PARSE_FAIL"
            else:
                assert label.startswith("CORRECT") == (predicted == gold)


S, M, X = "SUPPORTED", "SIGN_MISREAD", "OFF_TOPIC"


@pytest.mark.parametrize(
    ("gold", "predicted", "facts", "label", "detail"),
    [
        (UP, NO_LABEL, facts_of((S,), UP), "PARSE_FAIL", "PARSE_FAIL"),  # 1
        (UP, UP, facts_of(()), RFWR, "UNCITED"),  # 3
        (UP, DOWN, facts_of(()), "UNCLASSIFIED", "UNCITED"),
        (UP, UP, facts_of((S, "MALFORMED"), UP), "CORRECT_HALLUCINATED_EDGE", "FABRICATED"),  # 4
        (UP, DOWN, facts_of((S, "UNKNOWN_GENE"), UP), "WRONG_HALLUCINATED_EDGE", "FABRICATED"),
        (UP, UP, facts_of((S, S, S, "MALFORMED"), UP), "CORRECT", "PARTIAL"),
        (UP, UP, facts_of((X,)), RFWR, X),  # 5
        (UP, UP, facts_of((M, M, X)), RFWR, M),
        (UP, UP, facts_of((X, "WRONG_CONTEXT")), RFWR, "WRONG_CONTEXT"),  # a tie
        (UP, UP, facts_of(("NOT_IN_BENCHMARK", "WRONG_CONTEXT")), RFWR, "NOT_IN_BENCHMARK"),
        (INDETERMINATE, INDETERMINATE, facts_of((S,), UP), RFWR, "ONE_SIDED"),  # 6
        (UP, UP, facts_of((S,), INDETERMINATE), RFWR, "ONE_SIDED"),
        (UP, UP, facts_of((S, M), UP), "CORRECT_SIGN_FLIP", M),  # 7
        (UP, UP, facts_of((S, M), UP, recall=0.2), "CORRECT_SIGN_FLIP", M),  # before 8
        (UP, UP, facts_of((S, M, M), UP), RFWR, M),  # 8
        (UP, UP, facts_of((S,), UP, recall=0.49), RFWR, "LOW_COVERAGE"),
        (UP, UP, facts_of((S,), UP, recall=0.5), "CORRECT", S),  # 9
        (UP, UP, facts_of((S, X), UP), "CORRECT", "PARTIAL"),
        (UP, DOWN, facts_of((M,), NO_LABEL, UP), "WRONG_SIGN_FLIP", M),  # 10
        (UP, DOWN, facts_of((S, M), UP, UP), "WRONG_SIGN_FLIP", M),  # before 11
        (UP, DOWN, facts_of((S,), UP, UP), "WRONG_CORRECT_CHAIN", "CONTRADICTS_OWN_EVIDENCE"),
        (INDETERMINATE, UP, facts_of((S,), UP, UP), "WRONG_CORRECT_CHAIN", "CHERRY_PICKED"),  # 12
        (INDETERMINATE, UP, facts_of((S,), INDETERMINATE, INDETERMINATE), "WRONG_CORRECT_CHAIN",
         "CONTRADICTS_OWN_EVIDENCE"),
        (UP, DOWN, facts_of((X,)), "WRONG_NO_PATH", X),  # 13
        (UP, DOWN, facts_of((S,), DOWN, DOWN), "WRONG_NO_PATH", S),  # nothing failed
        (INDETERMINATE, UP, facts_of((X,)), "WRONG_NO_PATH", X),
    ],
)  # fmt: skip
def test_rows_of_the_table(
    gold: int, predicted: int, facts: CitationFacts, label: str, detail: str
) -> None:
    assert words(evidence_label(gold, predicted, facts)) == (label, detail)


def test_no_evidence_expected() -> None:
    cited = facts_of(("MALFORMED",))
    assert words(evidence_label(UP, UP, cited, False)) == (None, "NOT_GIVEN")
    assert words(evidence_label(UP, DOWN, cited, False)) == ("UNCLASSIFIED", "NOT_GIVEN")
    assert words(evidence_label(UP, NO_LABEL, cited, False)) == ("PARSE_FAIL", "PARSE_FAIL")


def test_thresholds_can_be_set() -> None:
    facts = facts_of((S, S, S, "MALFORMED"), UP, recall=0.6)
    assert words(evidence_label(UP, UP, facts, fabrication_threshold=0.25))[1] == "FABRICATED"
    assert words(evidence_label(UP, UP, facts, recall_threshold=0.61))[1] == "LOW_COVERAGE"


def test_ties_of_the_most_frequent_fault() -> None:
    for first, second in itertools.combinations(CITATION_VERDICTS[:-1], 2):
        assert most_frequent_fault(facts_of((second, first, S, S, S))) == first
        assert most_frequent_fault(facts_of((second, second, first))) == second
    assert most_frequent_fault(facts_of((S,))) == S


def test_a_cherry_picked_trap_is_never_hard() -> None:
    facts = facts_of((S,), UP, UP)
    assert not is_hard(*evidence_label(INDETERMINATE, UP, facts))
    assert not is_hard(*evidence_label(INDETERMINATE, DOWN, facts))
    assert is_hard(*evidence_label(UP, DOWN, facts))  # CONTRADICTS_OWN_EVIDENCE
    assert is_hard(*evidence_label(INDETERMINATE, INDETERMINATE, facts))  # ONE_SIDED
    assert not is_hard(NO_LABEL, EVIDENCE_DETAILS.index("NOT_GIVEN"))
