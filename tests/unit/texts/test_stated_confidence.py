"""What is taken for a stated confidence, and what is not."""

from __future__ import annotations

import pytest

from eval_tiers.texts.stated_confidence import StatedConfidence, read_stated

LABELS = ("up", "down", "unchanged")


@pytest.mark.parametrize(
    ("confidence", "number"),
    [(0, 0.0), (1, 1.0), (0.25, 0.25), (" .5 ", 0.5), ("1e-3", 0.001)],
)
def test_numbers_from_0_to_1(confidence: object, number: float) -> None:
    assert read_stated(confidence, None, LABELS) == StatedConfidence(number, None)


@pytest.mark.parametrize(
    "confidence", [1.0001, -0.1, 90, "90%", "high", True, [0.5], {}, float("nan"), 10**400]
)
def test_anything_else_is_told(confidence: object) -> None:
    found = read_stated(confidence, None, LABELS)
    assert found is not None
    assert found.confidence is None
    assert found.problem is not None and "no number from 0 to 1" in found.problem


@pytest.mark.parametrize("nothing", [None, "", "  "])
def test_null_and_blank_state_nothing(nothing: object) -> None:
    assert read_stated(nothing, nothing, LABELS) is None


@pytest.mark.parametrize(
    ("label_prob", "shares"),
    [
        ({"up": 0.2, "down": 0.3, "unchanged": 0.5}, (0.2, 0.3, 0.5)),
        ({"DOWN ": 1}, (0, 1, 0)),
        ('{"up": 0.5, "unchanged": "0.5"}', (0.5, 0, 0.5)),
        ({"up": 0.33, "down": 0.33, "unchanged": 0.33}, (1 / 3, 1 / 3, 1 / 3)),
    ],
)
def test_probabilities_of_labels(label_prob: object, shares: tuple[float, ...]) -> None:
    found = read_stated(None, label_prob, LABELS)
    assert found is not None and found.label_prob is not None
    assert found.label_prob == pytest.approx(shares)
    assert sum(found.label_prob) == pytest.approx(1)
    assert found.problem is None


@pytest.mark.parametrize(
    ("label_prob", "said"),
    [
        ({"up": 0.5}, "adds up to 0.5"),
        ({}, "adds up to 0"),
        ({"up": 1, "sideways": 0}, "none of up, down, unchanged"),
        ({"up": 1.5}, "no number from 0 to 1"),
        ({"up": 1, "UP": 0}, "twice"),
        ([0.1, 0.9], "no object"),
        ("up", "no JSON object"),
        ("[" * 10**5, "no JSON object"),
    ],
)
def test_odd_probabilities_are_told(label_prob: object, said: str) -> None:
    found = read_stated(0.5, label_prob, LABELS)
    assert found is not None
    assert found.confidence == 0.5
    assert found.label_prob is None
    assert found.problem is not None and said in found.problem
