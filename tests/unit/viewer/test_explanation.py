"""The sentence on what an error label rests on agrees with the rule that gave it."""

from __future__ import annotations

from typing import Any

import pytest

from eval_tiers.domain.rr10 import EVIDENCE_DETAILS
from eval_tiers.domain.rr10_columns import MECHANISM_STATUSES
from eval_tiers.domain.taxonomy import ERROR_LABELS
from eval_tiers.viewer.explanation import EDGE_STATUS_MEANINGS, rests_on

SETTINGS = {"hallucination_threshold": 0.5, "coverage_threshold": 0.5}
CLEAN: dict[str, Any] = {
    "error_label": "CORRECT", "answer_correct": True, "hallucination_rate": 0.0,
    "connected": True, "chain_coverage": 1.0, "sign_flip_n": 0, "predicted_edge_n": 2,
    "parse_failure_reason": None,
}  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, "no rule finds a fault"),
        ({"error_label": "CORRECT_HALLUCINATED_EDGE", "hallucination_rate": 0.75}, "lacks 75 %"),
        ({"error_label": "CORRECT_RIGHT_FOR_WRONG_REASON", "connected": False}, "don't lead"),
        ({"error_label": "CORRECT_RIGHT_FOR_WRONG_REASON", "chain_coverage": 0.25}, "holds 25 %"),
        ({"error_label": "CORRECT_RIGHT_FOR_WRONG_REASON", "sign_flip_n": 2}, "2 signs"),
        ({"error_label": "WRONG_NO_PATH", "answer_correct": False, "predicted_edge_n": 0}, "no edges"),
        ({"error_label": "PARSE_FAIL", "parse_failure_reason": "unclosed_block"}, "unclosed block"),
        ({"error_label": None}, "neither a gold chain"),
    ],
)  # fmt: skip
def test_of_a_chain(changed: dict[str, Any], said: str) -> None:
    assert said in rests_on(CLEAN | changed, SETTINGS)


@pytest.mark.parametrize("label", ERROR_LABELS)
def test_every_label_is_explained(label: str) -> None:
    wrong = label.startswith("WRONG") or label == "UNCLASSIFIED"
    said = rests_on(CLEAN | {"error_label": label, "answer_correct": not wrong}, SETTINGS)
    assert said.endswith(".")
    assert ("answer is wrong" in said) == wrong


@pytest.mark.parametrize("detail", EVIDENCE_DETAILS)
def test_every_detail_is_explained(detail: str) -> None:
    sample = {"error_label": "CORRECT", "evidence_detail": detail, "answer_correct": True,
              "invalid_reason": None}  # fmt: skip
    assert rests_on(sample, SETTINGS).startswith(detail)


def test_without_tier_2() -> None:
    assert "Tier 2 did not run" in rests_on({"answer_correct": True}, SETTINGS)


def test_every_status_has_a_meaning() -> None:
    assert set(EDGE_STATUS_MEANINGS) == set(MECHANISM_STATUSES)
