"""What is marked in a text is what was read off it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_tiers.texts.answers import find_blocks
from eval_tiers.viewer.highlight import Mark, chain_marks, citation_marks, segments, visible

PIECES = st.sampled_from(
    ["<answer>", "</answer>", "<think>", "</think>", "<triplet>", "</triplet>", "up", "down",
     "[[A, +, B]]", "[", "x", " ", "<Answer >", "</THINKING>"]
)  # fmt: skip


def marked(text: str, kind: str) -> list[str]:
    return [text[one.start : one.end] for one in chain_marks(text, {}) if one.kind == kind]


@given(st.lists(PIECES, max_size=14).map("".join))
def test_the_blocks_that_count_are_marked(text: str) -> None:
    answer, triplets = find_blocks(text)
    assert marked(text, "answer") == ([] if answer is None else [answer])
    assert marked(text, "triplets") == ([] if triplets is None else [triplets])


@given(st.lists(PIECES, max_size=14).map("".join))
def test_segments_add_up_to_the_text(text: str) -> None:
    cut = segments(text, chain_marks(text, {("A", "B"): "absent"}))
    assert "".join(one.text for one in cut) == visible(text)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("<think><answer>up</answer></think><answer>up</answer>", 42),
        ("<think><answer>up</answer></think><answer>up", 42),
        ("<answer>up</answer> <answer>up", 8),  # a whole block before one that never ends
    ],
)
def test_of_blocks_that_read_alike_the_one_that_counts(text: str, place: int) -> None:
    (mark,) = (one for one in chain_marks(text, {}) if one.kind == "answer")
    assert mark.start == place


def test_each_triple_is_marked_by_its_status() -> None:
    text = '<triplet>[["a", "+", "B"], ["B", "-", "c"], ["X", "+", "Y"]]</triplet>'
    marks = chain_marks(text, {("A", "B"): "absent", ("B", "C"): "supported"})
    assert [(text[m.start : m.end], m.kind) for m in marks if m.kind.startswith("status")] == [
        ('["a", "+", "B"]', "status-absent"),
        ('["B", "-", "c"]', "status-supported"),
    ]


def test_datasets_are_marked_by_their_verdicts() -> None:
    text = 'OSD-48 and glds-048, not OSD-4; {"answer": "up"}'
    marks = citation_marks(text, {"48": "SUPPORTED"}, "up")
    found = {(text[m.start : m.end], m.kind) for m in marks}
    assert found == {
        ("OSD-48", "verdict-SUPPORTED"),
        ("glds-048", "verdict-SUPPORTED"),
        ('"up"', "answer"),
    }


def test_several_verdicts_on_one_dataset_have_no_colour_of_one() -> None:
    (mark,) = citation_marks("OSD-48", {"48": "SUPPORTED, OFF_TOPIC"}, None)
    assert (mark.kind, mark.note) == ("verdict-several", "SUPPORTED, OFF_TOPIC")


def test_marks_within_marks() -> None:
    cut = segments("abcd", [Mark(0, 4, "triplets", "chain"), Mark(1, 2, "status-absent", "absent")])
    assert [(one.text, one.kinds, one.note) for one in cut] == [
        ("a", ("triplets",), "chain"),
        ("b", ("triplets", "status-absent"), "absent"),
        ("cd", ("triplets",), "chain"),
    ]


def test_what_turns_or_hides_text_is_spelt_out() -> None:
    assert visible("a\u202eb\ud800c\td\n") == "a⟨U+202E⟩b⟨U+D800⟩c\td\n"
