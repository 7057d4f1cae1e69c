"""What a model's text holds: the first whole object, blocks, or words."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_tiers.texts.replies import first_object, read_reply

KEYS = frozenset({"answer", "prediction", "evidence"})


@pytest.mark.parametrize(
    "text",
    [
        '{"answer": "up"}',
        'Sure!\n```json\n{"answer": "up"}\n```\nHope this helps.',
        '\ufeff  {"answer": "up"} {"answer": "down"}',
        'Set {A, B} says {"answer": "up"}',
        '{"thought": 1} {"answer": "up"}',
        '{"thought": {"answer": "down"}} {"answer": "up"}',  # not what is inside another
        '{"answer": NaN} {"answer": "up"}',
        '{"answer": "down", "p": Infinity} {"answer": "up"}',
        '{"answer": "down",} {"answer": "up"}',
        "{'answer': 'down'} {\"answer\": \"up\"}",
        '[{"answer": "up"}]',
        '{"answer": "down", "answer": "up"}',  # of a key that is given twice the last counts
        '{"evidence": [["A", "+", "OSD-1"]  {"answer": "up"}',
    ],
)
def test_the_first_whole_object_with_a_key_counts(text: str) -> None:
    assert first_object(text, KEYS) == {"answer": "up"}
    reply = read_reply(text, KEYS)
    assert (reply.fields, reply.answer, reply.triplet_block) == ({"answer": "up"}, None, None)


@pytest.mark.parametrize(
    "text",
    ["", "no object", '{"answer": "up"', '{"other": "up"}', '{"answer": "up" "x"}', '["answer"]',
     "{", "{{{{", '{"answer": "u\np"}'],
)  # fmt: skip
def test_a_broken_object_is_never_repaired(text: str) -> None:
    assert first_object(text, KEYS) is None
    assert read_reply(text, KEYS).fields is None


def test_keys_are_found_in_any_case_and_kept_as_written() -> None:
    assert first_object('{"Answer": 1}', KEYS) == {"Answer": 1}


@given(
    st.dictionaries(st.sampled_from(sorted(KEYS)), st.text(max_size=8), min_size=1),
    st.text("ab{[]} \n`", max_size=20),
    st.text(max_size=20),
)
def test_prose_around_an_object_does_not_matter(
    record: dict[str, str], before: str, after: str
) -> None:
    written = json.dumps(record)
    assert first_object(before + written + after, KEYS) == record


@pytest.mark.parametrize(
    ("text", "answer", "block"),
    [
        ("It is up.", "It is up.", None),
        ("<answer>up</answer>", "up", None),
        ("<answer>down</answer> no: <answer>up</answer>", "up", None),
        ("<think>down</think><answer>up", "up", None),
        ("<think><answer>down</answer></think>It is up", "It is up", None),
        ("<think>down?</think> It is up", " It is up", None),
        ("<think>It is up</think>", "<think>It is up</think>", None),
        ("<answer>up</answer><triplet>[[A, +, OSD-1]]</triplet>", "up", "[[A, +, OSD-1]]"),
        ("up <triplet>[[A, +, OSD-1]]</triplet>", "up  ", "[[A, +, OSD-1]]"),
        ("up <triplet>[[A, +, OSD-1]", "up  ", "[[A, +, OSD-1]"),
        ('<answer>up</answer> {"answer": "dow', "up", None),
    ],
)
def test_without_an_object_blocks_else_words(text: str, answer: str, block: str | None) -> None:
    reply = read_reply(text, KEYS)
    assert reply.fields is None
    assert (reply.answer, reply.triplet_block) == (answer, block)


@pytest.mark.parametrize(
    "text",
    ["{" * 200_000, '{"a":' * 50_000, '{"answer": ' * 20_000 + "1", '{"x": 1} ' * 100_000,
     '{"answer": "' * 20_000],
    ids=["braces", "nested", "nested answers", "many objects", "open strings"],
)  # fmt: skip
def test_texts_made_to_be_slow_are_given_up(text: str) -> None:
    started = time.process_time()
    assert first_object(text, KEYS) is None
    assert time.process_time() - started < 5
