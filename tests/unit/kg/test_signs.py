"""Words, symbols and numbers that mean a sign."""

from __future__ import annotations

import pytest

from eval_tiers.kg.coded import encode_column
from eval_tiers.kg.flags import flag_of_word
from eval_tiers.kg.signs import is_clear_sign, read_signs, sign_of_word


@pytest.mark.parametrize(
    ("word", "sign"),
    [
        *[(word, 1) for word in ("1", "+1", "+", "1.0", "0.35", "activates", "Activation", "UP")],
        *[(word, 1) for word in ("->", "→", "-->", "stimulates", "up-regulates activity", " + ")],
        *[(word, -1) for word in ("-1", "-", "−1", "–", "-|", "⊣", "--|", "Repression", "-2.5")],
        *[(word, -1) for word in ("inhibits", "down-regulates", "DOWN", "-0,5", "\uff0d1")],
        *[(word, 0) for word in ("0", "0.0", "Unknown", "?", "pp", "interacts with", "NA", "nan")],
        *[(word, None) for word in ("", "purple", "TP53", "1_000", "upstream", "notch")],
    ],
)
def test_sign_of_word(word: str, sign: int | None) -> None:
    assert sign_of_word(word) == sign


@pytest.mark.parametrize(
    ("word", "clear"),
    [("1", True), ("-1.0", True), ("0", True), ("+", True), ("inhibits", True)]
    + [("0.7", False), ("1026", False), ("TP53", False), ("", False)],
)
def test_is_clear_sign(word: str, clear: bool) -> None:
    assert is_clear_sign(word) is clear


def read(*cells: str) -> tuple[list[int], list[str], int]:
    signs, found, unknown_n = read_signs(
        encode_column(cells), path="kg.tsv", field="sign", line_of=lambda row: row + 2
    )
    return signs.tolist(), [finding.message for finding in found], unknown_n


def test_unknown_words_are_unsigned_counted_and_listed_with_the_first_line() -> None:
    cells = ["1", "a", "b", "", "c", "d", "e", "f", "a"]
    signs, messages, unknown_n = read(*cells)
    assert signs == [1, 0, 0, 0, 0, 0, 0, 0, 0]
    assert unknown_n == 8
    assert "8 rows" in messages[0]
    assert "'a', 'b', (empty), 'c', 'd' and 2 more" in messages[0]
    _, found, _ = read_signs(
        encode_column(cells), path="kg.tsv", field="sign", line_of=lambda row: row + 2
    )
    assert found[0].where.line == 3


def test_fractions_without_a_negative_look_like_confidence() -> None:
    assert "confidence" in read("0.9", "0.4", "1")[1][0]
    assert read("0.9", "-0.4")[1] == []
    assert read("1", "0", "1.0")[1] == []


@pytest.mark.parametrize(
    ("word", "flag"),
    [("True", True), ("1", True), ("0", False), ("", False), ("FALSE", False), ("maybe", None)],
)
def test_flags(word: str, flag: bool | None) -> None:
    assert flag_of_word(word) is flag
