"""Parts of a long report: never over the limit, cut where a reader would, joined the report again."""

from __future__ import annotations

import time

import pytest

from eval_tiers.rubrics.chunks import normal_newlines, split_paragraphs, split_report
from eval_tiers.rubrics.tokens import Ruler


def words(text: str) -> int:
    """A tokenizer of a kind: words and line ends."""
    return len(text.split()) + text.count("\n")


def test_a_report_that_fits_is_one_part() -> None:
    assert split_report("One.\n\nTwo.", Ruler(100)) == ["One.\n\nTwo."]
    assert split_report("", Ruler(1)) == []


def test_it_is_cut_at_blank_lines_first() -> None:
    report = "a a\nb b\n\nc c\nd d\n\ne e\n"
    # 9 + 9 + 4 characters; 20 are 5 tokens
    assert split_report(report, Ruler(5)) == ["a a\nb b\n\nc c\nd d\n\n", "e e\n"]
    assert split_report(report, Ruler(3)) == ["a a\nb b\n\n", "c c\nd d\n\n", "e e\n"]


def test_a_paragraph_that_is_too_long_is_cut_at_lines_then_at_blanks() -> None:
    assert split_report("aaaa\nbbbb\ncccc\n", Ruler(2)) == ["aaaa\n", "bbbb\n", "cccc\n"]
    assert split_report("one two three four", Ruler(2)) == ["one two ", "three ", "four"]


def test_a_word_that_is_too_long_is_cut_but_no_sign_within() -> None:
    assert split_report("x" * 10, Ruler(1)) == ["xxx", "xxx", "xxxx"]
    accented = "e\u0301" * 6
    parts = split_report(accented, Ruler(1))
    assert "".join(parts) == accented
    assert all(part[0] == "e" for part in parts)
    family = "\U0001f469\u200d\U0001f52c" * 4
    assert all(part[0] == "\U0001f469" for part in split_report(family, Ruler(1)))


def test_line_ends_are_made_alike() -> None:
    assert normal_newlines("a\r\n\r\nb\rc\n") == "a\n\nb\nc\n"
    assert split_report("aa\r\n\r\nbb\r\n", Ruler(1)) == ["aa\n\n", "bb\n"]
    # other separators are text
    assert split_paragraphs("a\u2028\u2028b\x85") == ["a\u2028\u2028b\x85"]


def test_blank_lines_may_hold_blanks() -> None:
    assert split_paragraphs("\n \na\n\t\n\nb") == ["\n \n", "a\n\t\n\n", "b"]


def test_a_tokenizer_counts() -> None:
    ruler = Ruler(4, words, "words")
    parts = split_report("one two\n\nthree\n\nfour five six seven eight", ruler)
    assert "".join(parts) == "one two\n\nthree\n\nfour five six seven eight"
    assert max(map(words, parts)) <= 4
    assert parts[:2] == ["one two\n\n", "three\n\n"]


def test_a_joint_that_costs_more_is_taken_apart() -> None:
    def dear(text: str) -> int:  # joining costs more than the parts
        return len(text) ** 2

    parts = split_report("ab\n\ncd\n\nef", Ruler(50, dear, "dear"))
    assert "".join(parts) == "ab\n\ncd\n\nef"
    assert max(map(dear, parts)) <= 50


@pytest.mark.parametrize(
    "unit",
    ["A line of a report, with words.\r\n", "A paragraph of a report.\r\n\r\n", "unbroken"],
)
@pytest.mark.parametrize("count", [None, words])
def test_a_very_long_report_takes_linear_time(unit: str, count: object) -> None:
    report = unit * (700_000 // len(unit))
    began = time.process_time()
    ruler = Ruler(1_000, words if count else None)
    parts = split_report(report, ruler)
    assert time.process_time() - began < 5
    assert "".join(parts) == report.replace("\r\n", "\n")
    assert max(map(ruler.tokens, parts)) <= 1_000
