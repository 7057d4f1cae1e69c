"""The label table for cited evidence: thirteen rules, first match wins.

Source: specification of RR-10, section 4.
"""

from __future__ import annotations

from typing import Final

from eval_tiers.domain.rr10 import CITATION_VERDICTS, DETAIL_CODES, INDETERMINATE, NO_LABEL
from eval_tiers.domain.taxonomy import ERROR_LABEL_CODES, HARD_LABELS
from eval_tiers.tiers.citations import SIGN_MISREAD, SUPPORTED, CitationFacts

FABRICATION_THRESHOLD: Final = 0.5
RECALL_THRESHOLD: Final = 0.5

_LABEL: Final = ERROR_LABEL_CODES
_HARD: Final = frozenset(ERROR_LABEL_CODES[name] for name in HARD_LABELS)
_CHERRY_PICKED: Final = DETAIL_CODES["CHERRY_PICKED"]


def evidence_label(
    gold: int,
    predicted: int,
    facts: CitationFacts,
    evidence_expected: bool = True,
    fabrication_threshold: float = FABRICATION_THRESHOLD,
    recall_threshold: float = RECALL_THRESHOLD,
) -> tuple[int, int]:
    """Return the codes of error label and evidence detail; label -1 where there is none.

    Parameters
    ----------
    gold, predicted : int
        Label codes; ``predicted`` -1 for no valid label.
    facts : CitationFacts
        Of the answer's citations.
    evidence_expected : bool
        Whether the predictions were to cite evidence (rule 2).
    fabrication_threshold : float
        Share from which citations count as fabricated, inclusive. In [0, 1].
    recall_threshold : float
        Share of the gold datasets to be cited and supported; below it coverage is low. In [0, 1].
    """
    right = predicted == gold
    if predicted == NO_LABEL:
        return _codes("PARSE_FAIL", "PARSE_FAIL")
    if not evidence_expected:
        return (NO_LABEL if right else _LABEL["UNCLASSIFIED"]), DETAIL_CODES["NOT_GIVEN"]
    if facts.n == 0:
        return _codes("CORRECT_RIGHT_FOR_WRONG_REASON" if right else "UNCLASSIFIED", "UNCITED")
    if (facts.fabrication_rate or 0.0) >= fabrication_threshold:
        side = "CORRECT" if right else "WRONG"
        return _codes(f"{side}_HALLUCINATED_EDGE", "FABRICATED")
    if right:
        return _label_of_right(gold, facts, recall_threshold)
    return _label_of_wrong(gold, facts)


def _label_of_right(gold: int, facts: CitationFacts, recall_threshold: float) -> tuple[int, int]:
    wrong_reason = "CORRECT_RIGHT_FOR_WRONG_REASON"
    misread_n = facts.verdict_n[SIGN_MISREAD]
    if facts.supported_n == 0:
        return _codes(wrong_reason, most_frequent_fault(facts))
    if facts.implied != gold:
        return _codes(wrong_reason, "ONE_SIDED")
    if misread_n == 1:
        return _codes("CORRECT_SIGN_FLIP", "SIGN_MISREAD")
    if misread_n > 1:
        return _codes(wrong_reason, "SIGN_MISREAD")
    if facts.recall is not None and facts.recall < recall_threshold:
        return _codes(wrong_reason, "LOW_COVERAGE")
    return _codes("CORRECT", "SUPPORTED" if facts.supported_n == facts.n else "PARTIAL")


def _label_of_wrong(gold: int, facts: CitationFacts) -> tuple[int, int]:
    if facts.verdict_n[SIGN_MISREAD] and facts.repaired == gold:
        return _codes("WRONG_SIGN_FLIP", "SIGN_MISREAD")
    if facts.implied == gold:
        return _codes("WRONG_CORRECT_CHAIN", "CONTRADICTS_OWN_EVIDENCE")
    if gold == INDETERMINATE and facts.implied != NO_LABEL:
        return _codes("WRONG_CORRECT_CHAIN", "CHERRY_PICKED")
    return _codes("WRONG_NO_PATH", most_frequent_fault(facts))


def most_frequent_fault(facts: CitationFacts) -> str:
    """Return the failing verdict given most often, ties in the order of `CITATION_VERDICTS`.

    SUPPORTED where no citation failed.
    """
    most = max(facts.verdict_n[:SUPPORTED])
    return CITATION_VERDICTS[facts.verdict_n.index(most)] if most else "SUPPORTED"


def is_hard(label: int, detail: int) -> bool:
    """Whether rules can't settle the case; what a trap tests is never left to an examiner."""
    return label in _HARD and detail != _CHERRY_PICKED


def _codes(label: str, detail: str) -> tuple[int, int]:
    return _LABEL[label], DETAIL_CODES[detail]
