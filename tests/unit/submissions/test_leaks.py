"""Leak markers in texts, however they are written."""

from __future__ import annotations

import time

import pytest

from eval_tiers.submissions import leaks
from eval_tiers.submissions.leaks import find_leaks, is_blank_marker, is_safe_marker


def found(marker: str, text: str) -> bool:
    return bool(find_leaks([marker], "answer.md", text))


@pytest.mark.parametrize(
    "text",
    [
        "GSE00000", "gse00000", "from GSE 00000.", "GSE-00000", "GSE_00000,", "G S E 0 0 0 0 0",
        "ＧＳＥ００００００"[:8], "GSE\u200b00000", "GSE\u00ad00000", "**GSE**00000", "xGSE00000y",
        "GSE\n00000", "GSÉ00000", "GSE\u0301 00000", "GSE00000-A", "GSE00000 12",
    ],
)  # fmt: skip
def test_a_marker_is_found(text: str) -> None:
    assert found("GSE00000", text)


@pytest.mark.parametrize(
    "text", ["", "GSE0000", "GSE000001", "GSE 00000" + "1", "GSE0000x0", "GS 00000", "ESG00000"]
)
def test_another_word_is_no_marker(text: str) -> None:
    assert not found("GSE00000", text)


def test_a_marker_of_several_words() -> None:
    assert found("Smith et al. 2020", "as (Smith ET AL, 2020) say")
    assert found("Smith et al. 2020", "smithetal2020.csv")
    assert not found("Smith et al. 2020", "Smith and 2020")


def test_a_short_marker_is_a_whole_word_only() -> None:
    assert not is_safe_marker("p5") and is_safe_marker("TP53")
    assert found("p5", "see P5.") and found("p5", "p-5")
    assert not found("p5", "p53") and not found("p5", "xp5") and not found("p5", "ép5")


def test_a_marker_of_punctuation_is_never_found() -> None:
    assert is_blank_marker(" -- ") and is_blank_marker("") and not is_blank_marker("a")
    assert not found("--", "a -- b") and not found("", "anything")


def test_other_alphabets() -> None:
    assert found("肝臓データ", "この肝臓データは") and not found("肝臓データ", "肝臓")
    assert found("Ångström-7", "ANGSTROM 7") and found("Ωmega12", "ωmega 12")


def test_each_marker_once_in_the_order_of_the_task() -> None:
    hits = find_leaks(["bbbb", "aaaa", "bbbb", "cccc"], "x.csv", "aaaa bbbb aaaa")
    assert [hit.marker for hit in hits] == ["bbbb", "aaaa"]
    assert {hit.path for hit in hits} == {"x.csv"}


def test_long_texts_are_scanned_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaks, "_PIECE", 128)
    for place in range(300):
        text = "z" * place + " GSE 00000 " + "z" * 200
        assert found("GSE00000", text), place
        assert not found("GSE00000", "z" * place + " GSE000001 " + "z" * 200), place
        assert find_leaks(
            ["GSE00000"], "x", [text[:place], text[place : place + 5], text[place + 5 :]]
        )
        assert not found("1234", "z" * place + " 991234 " + "z" * 200), place


@pytest.mark.parametrize(
    ("marker", "text"),
    [
        ("GSE00000", "\U0001d406\U0001d412\U0001d40400000"),
        ("xii-file", "\u216b \ufb01le"),
        ("\u039f\u0394\u039f\u03a3", "\u03bf\u03b4\u03bf\u03c2"),
        ("GSE00000", "G\U000101fdSE00000"),
        ("\uac01\ub097\ub2e4\ub77c", "\u1100\u1161\u11a8\ub097\ub2e4\ub77c"),
        ("\u0635\u0644\u0649", "x \ufdfa"),
    ],
)
def test_compatible_forms_are_the_same(marker: str, text: str) -> None:
    assert found(marker, text)


@pytest.mark.parametrize("unit", ["\u00e9 a", "\ufdfa ", "\u0315\u0316", "\uac01", "G" + " " * 60])
def test_no_kind_of_character_is_slow(unit: str) -> None:
    begun = time.process_time()
    assert not found("GSE00000", unit * (4_000_000 // len(unit)))
    assert time.process_time() - begun < 2


def test_hostile_texts_are_quick() -> None:
    assert not found("aaaaaaaaab", "a " * 1_000_000)
    assert not found("GSE00000", "G" * 3_000_000 + "é" * 10)
