"""Texts of every shape: never an error, linear time, and what the slow reading gives."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from eval_tiers.texts.triplets import read_triplets
from tests.unit.texts.fragments import answer_blocks, tagged_texts, triplet_blocks, whole_texts
from tests.unit.texts.reading import read, read_many_at_once, read_slowly

# --------------------------------------------------------------------------- never an error

HOSTILE = st.text(
    st.sampled_from("[]()<>/\\\"'`“”‘’{},.#*+-−→ \n\t\x00aA1\ud83d\u2028|:"), max_size=60
)


@given(st.one_of(st.text(max_size=80), HOSTILE, whole_texts()))
@example("<answer>\ud83d</answer><triplet>[[\"\ud83d\",'+',A]]")
@example('<triplet>["\\ud83d", "+", "\\x"]</triplet>')
def test_any_text_is_read(text: str) -> None:
    found = read(text)
    assert (found.strict is None) == (found.reason is not None)
    assert found.strict is None or found.lenient == found.strict
    assert all(sign in {-1, 0, 1} and a and b for a, sign, b in found.edges)


@given(HOSTILE)
def test_any_block_is_read(block: str) -> None:
    found = read_triplets(block)
    assert found.dropped_n >= 0 and found.template_n >= 0
    assert found.unsigned_n == sum(sign == 0 for _, sign, _ in found.edges)
    assert all(a == a.strip() != "" and b == b.strip() != "" for a, _, b in found.edges)


@pytest.mark.parametrize(
    "block",
    ["[a /*", "[[A, +, B /* c", "[[A, +, B], /* the second", "[[A,+,B] /*" + "x" * 3000 + "*/]",
     '[">\t/*', "[{/*", "[a //", "[a #", "[[A, +, B], //", "(A, +, B /*", "[['A', '+', 'B'] /*"],
)  # fmt: skip
def test_reading_ends(block: str) -> None:
    """In a process of its own: a reader that hangs would hang all tests."""
    code = "import sys; from eval_tiers.texts.triplets import read_triplets as r; r(sys.argv[1])"
    done = subprocess.run([sys.executable, "-c", code, block], timeout=5, check=False)
    assert done.returncode == 0


# --------------------------------------------------------------------------- the slow reading


@given(tagged_texts)
def test_slow_reading_agrees_on_tags(text: str) -> None:
    assert read(text) == read_slowly(text) == read_many_at_once(text)


@given(answer_blocks)
def test_slow_reading_agrees_on_answers(block: str) -> None:
    text = f"<thinking>x</thinking><answer>{block}</answer>"
    assert read(text) == read_slowly(text) == read_many_at_once(text)


@given(triplet_blocks())
def test_slow_reading_agrees_on_triplets(block: str) -> None:
    text = f"<answer>up</answer><triplet>{block}</triplet>"
    assert read(text) == read_slowly(text) == read_many_at_once(text)


@given(whole_texts())
def test_slow_reading_agrees_on_whole_texts(text: str) -> None:
    assert read(text) == read_slowly(text) == read_many_at_once(text)


@given(st.one_of(HOSTILE.map(lambda block: f"<triplet>[[{block}</triplet>"), HOSTILE))
def test_one_by_one_and_many_at_once_agree_on_any_text(text: str) -> None:
    assert read(text) == read_many_at_once(text)


def test_one_by_one_and_many_at_once_agree_on_a_seam_in_quotes() -> None:
    text = "<triplet>[['A],[B', '+', 'C']]</triplet>"
    assert read(text) == read_many_at_once(text)


# --------------------------------------------------------------------------- linear time

UNITS = [
    "[", "(", "]", "[[", "[(", "()", "[]", "}{", '"', "'", "“", "`", "['a", '["a",', "a,", "/*",
    "/* x", "//", " #", "\\", '\\"', "[A,+,B]", "[A,+,B],", "(A,+,B),", '["A","+","B"],',
    "['A','+','B'],", "(a", "(a,b", "[a (b", "'],", '"]', "[''", "]['", "1. [", "1. (A,+,B) ",
    "\t,", " ", "\n", "<", "</", "<answer", "<answer>", "</answer>", "<triplet>", "</think>",
    "<answer>up</answer>", "<triplet>[[A,+,B]]", "up/", "or ", "no ", "not up, ", "n't ",
]  # fmt: skip
SHAPES = {
    "a block": "<triplet>{}</triplet>",
    "a list": "<triplet>[[{}]]</triplet>",
    "an unclosed block": '<triplet>[["A","+","B"],{}',
    "after an element": '<triplet>[["A","+","B"]{}x</triplet>',
    "in a quoted symbol": "<triplet>[['A{}', '+', 'B']]</triplet>",
    "an answer": "<answer>{}</answer>",
    "after a label": "<answer>up{}x</answer>",
}
SIZE = 3_000


def seconds(text: str) -> float:
    """Processor time of reading a text, the best of three."""
    best = float("inf")
    for _ in range(3):
        started = time.process_time()
        read(text)
        best = min(best, time.process_time() - started)
    return best


def grows_linearly(shape: str, unit: str, size: int = SIZE) -> bool:
    """Whether four times the text takes less than nine times as long; short times pass."""
    count = size // len(unit)
    short, long = (shape.format(unit * n) for n in (count, 4 * count))
    started = time.process_time()
    read(long)
    if time.process_time() - started < 0.03:
        return True
    return any(seconds(long) < 9 * seconds(short) for _ in range(2))


@pytest.mark.parametrize("shape", SHAPES)
def test_time_is_linear_in_repetition(shape: str) -> None:
    slow = [unit for unit in UNITS if not grows_linearly(SHAPES[shape], unit)]
    assert slow == []


@pytest.mark.parametrize("element", ["[A,+,B]", "['A','+','B']"])
def test_time_is_linear_in_white_space_after_an_element(element: str) -> None:
    shape = "<triplet>[" + element + "{}x</triplet>"
    assert all(grows_linearly(shape, unit, 1_000) for unit in (" ", "\n"))
