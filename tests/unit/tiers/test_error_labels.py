"""The table of error labels enumerated, and the chain's validity."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest

from eval_tiers.domain.labels import DOWN, UNCHANGED, UP
from eval_tiers.domain.taxonomy import CHAIN_VALIDITIES, ERROR_LABELS
from eval_tiers.tiers.error_labels import chain_validity, error_labels, hard_cases

THRESHOLD = 0.5
NULL = float("nan")


@dataclass(frozen=True)
class Case:
    """One sample's facts; coverage and hallucination None for null, connected -1 unknown."""

    has_label: bool
    right: bool
    gold: str
    has_ends: bool
    predicted_n: int
    hallucination: float | None
    connected: int
    coverage: float | None
    flips: int


GRID = [
    Case(*values)
    for values in itertools.product(
        (True, False),
        (True, False),
        ("missing", "empty", "some"),
        (True, False),
        (0, 1, 3),
        (None, 0.0, 0.49, 0.5, 0.51, 1.0),
        (-1, 0, 1),
        (None, 0.0, 0.49, 0.5, 1.0),
        (-1, 0, 1, 2, 3),
    )
]


def table(case: Case) -> str | None:
    """The contract's table, row by row."""
    if not case.has_label:  # 1
        return "PARSE_FAIL"
    if case.gold == "missing" and not case.has_ends:  # 2
        return None if case.right else "UNCLASSIFIED"
    if case.right and case.gold == "empty" and case.predicted_n == 0:  # 3
        return "CORRECT"
    if case.hallucination is not None and case.hallucination >= THRESHOLD:  # 4
        return "CORRECT_HALLUCINATED_EDGE" if case.right else "WRONG_HALLUCINATED_EDGE"
    if case.right:
        not_covered = case.coverage is not None and case.coverage < THRESHOLD
        if case.connected == 0 or not_covered:  # 5
            return "CORRECT_RIGHT_FOR_WRONG_REASON"
        if case.flips == 1:  # 6
            return "CORRECT_SIGN_FLIP"
        if case.flips >= 2:  # 7
            return "CORRECT_RIGHT_FOR_WRONG_REASON"
        return "CORRECT"  # 8
    if case.connected == 0 or case.predicted_n == 0:  # 9
        return "WRONG_NO_PATH"
    if case.flips in {1, 3}:  # 10
        return "WRONG_SIGN_FLIP"
    return "WRONG_CORRECT_CHAIN"  # 11


def label_all(
    cases: list[Case], hallucination: float = 0.5, coverage: float = 0.5
) -> list[str | None]:
    """The package's labels."""
    gold_n = {"missing": -1, "empty": 0, "some": 3}

    def nulls(values: list[float | None]) -> np.ndarray:
        return np.array([NULL if value is None else value for value in values], np.float64)

    codes = error_labels(
        has_label=np.array([case.has_label for case in cases], np.bool_),
        correct=np.array([case.right for case in cases], np.bool_),
        has_gold_chain=np.array([case.gold != "missing" for case in cases], np.bool_),
        has_ends=np.array([case.has_ends for case in cases], np.bool_),
        gold_edge_n=np.array([gold_n[case.gold] for case in cases], np.int64),
        predicted_edge_n=np.array([case.predicted_n for case in cases], np.int64),
        hallucination_rate=nulls([case.hallucination for case in cases]),
        connected=np.array([case.connected for case in cases], np.int8),
        chain_coverage=nulls([case.coverage for case in cases]),
        sign_flip_n=np.array([case.flips for case in cases], np.int64),
        hallucination_threshold=hallucination,
        coverage_threshold=coverage,
    )
    return [None if code < 0 else ERROR_LABELS[code] for code in codes.tolist()]


def test_the_table_is_total_and_exclusive_and_each_label_is_reached() -> None:
    found = label_all(GRID)
    wrong = [
        (case, label, table(case))
        for case, label in zip(GRID, found, strict=True)
        if label != table(case)
    ]
    assert wrong == []
    reached = Counter(found)
    assert set(reached) == {*ERROR_LABELS, None}
    assert len(ERROR_LABELS) == 10


def test_only_what_is_right_without_anything_to_judge_by_has_no_label() -> None:
    for case, label in zip(GRID, label_all(GRID), strict=True):
        expected = case.has_label and case.right and case.gold == "missing" and not case.has_ends
        assert (label is None) == expected


@pytest.mark.parametrize("threshold", [0.0, 0.25, 0.5, 1.0])
def test_thresholds_are_inclusive(threshold: float) -> None:
    at = Case(True, True, "some", True, 3, threshold, 1, 1.0, 0)
    below = Case(True, True, "some", True, 3, threshold - 1e-9, 1, 1.0, 0)
    assert label_all([at, below], hallucination=threshold) == [
        "CORRECT_HALLUCINATED_EDGE",
        "CORRECT",
    ]
    at = Case(True, True, "some", True, 3, 0.0, 1, threshold, 0)
    below = Case(True, True, "some", True, 3, 0.0, 1, threshold - 1e-9, 0)
    assert label_all([at, below], coverage=threshold) == [
        "CORRECT",
        "CORRECT_RIGHT_FOR_WRONG_REASON",
    ]


def test_hard_cases() -> None:
    hard = {
        "CORRECT_HALLUCINATED_EDGE",
        "CORRECT_RIGHT_FOR_WRONG_REASON",
        "WRONG_CORRECT_CHAIN",
        "PARSE_FAIL",
    }
    found = hard_cases(np.arange(-1, len(ERROR_LABELS), dtype=np.int8))
    assert found.tolist() == [False, *(name in hard for name in ERROR_LABELS)]


def test_no_samples() -> None:
    assert label_all([]) == []


# --------------------------------------------------------------------------- validity


def validity(label: int, edge_n: int, implied: int, kg_connected: int, against_n: int) -> str:
    """The package's verdict on one chain."""
    code = chain_validity(
        predicted_label=np.array([label], np.int8),
        predicted_edge_n=np.array([edge_n], np.int64),
        implied=np.array([implied], np.int8),
        kg_connected=np.array([kg_connected], np.int8),
        contradicted_on_path_n=np.array([against_n], np.int64),
    )
    return CHAIN_VALIDITIES[code[0]]


def test_validity_is_the_contract_s() -> None:
    reached = set()
    for label, edge_n, implied, kg_connected, against_n in itertools.product(
        (-1, UP, DOWN, UNCHANGED), (0, 1, 3), (-1, UP, DOWN), (-1, 0, 1), (0, 1, 2)
    ):
        if edge_n == 0 or label in {-1, UNCHANGED} or implied == -1:
            expected = "unverifiable"
        elif kg_connected == 1 and against_n == 0 and implied == label:
            expected = "valid"
        else:
            expected = "invalid"
        found = validity(label, edge_n, implied, kg_connected, against_n)
        assert found == expected, (label, edge_n, implied, kg_connected, against_n)
        reached.add(found)
    assert reached == set(CHAIN_VALIDITIES)
