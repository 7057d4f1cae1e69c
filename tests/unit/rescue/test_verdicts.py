"""Verdicts as models write them: what is read, and what is not."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_tiers.domain import labels, rr10
from eval_tiers.rescue.registry import known_kinds
from eval_tiers.rescue.verdicts import UNPARSABLE, Verdict, read_verdict

WHOLE = '{"verdict": "CHAIN_BUG", "confidence": 0.5, "explanation": "e"}'


def read(content: str, kind: str = "wrong_correct_chain") -> Verdict:
    return read_verdict(content, kind, "perturbreason", labels.LABELS)


@pytest.mark.parametrize(
    "content",
    [
        WHOLE,
        f"  {WHOLE}\n",
        f"```json\n{WHOLE}\n```",
        f"```\n{WHOLE}\n```\nHope this helps {{}}.",
        f"Here's the verdict: {WHOLE}",
        f"Reasoning: []\n{WHOLE} That's all.",
        f"The set {{A, B}} matters.\n{WHOLE}",
        f'<think>Maybe {{"verdict": "ALTERNATE"}}?</think>\n{WHOLE}',
        f"Thus </think>{WHOLE}",
        f"[{WHOLE}]",
        "{" + WHOLE + "}",
        json.dumps(WHOLE),
        json.dumps(json.dumps(WHOLE)),
        json.dumps(WHOLE)[1:-1],
        f"```json\n{json.dumps(WHOLE)}\n```",
        WHOLE.replace('"', "'"),
        WHOLE.replace('"', "“", 1).replace('"', "”", 1),
        WHOLE.replace("CHAIN_BUG", "chain_bug"),
        WHOLE.replace("CHAIN_BUG", " Chain_Bug "),
        WHOLE.replace('"verdict"', '"Verdict"'),
        WHOLE.replace('"verdict"', "verdict"),
        WHOLE.replace("}", ",}"),
        WHOLE.replace(', "conf', ', // not "ALTERNATE"\n"conf'),
        WHOLE.replace(', "conf', ', /* { */ "conf'),
        WHOLE.replace(', "conf', ' "conf'),
        WHOLE.replace('"e"', '"one\ntwo\tthree"'),
        WHOLE.replace('"e"', '"cost \\$0 \\(none\\)"'),
        WHOLE.replace('"e"', '"the "so-called" arm"'),
        WHOLE.replace('"e"', '"the 5" arm"'),
        WHOLE.replace('"e"', '"P\'s }{ arm"'),
        WHOLE.replace('"e"', '{"verdict": "ALTERNATE"}'),
        WHOLE.replace('"e"', '"I considered \\"verdict\\": \\"ALTERNATE\\""'),
        WHOLE.replace("}", ', "alternatives": [{"verdict": "ALTERNATE"}]}'),
        WHOLE[:-1],
        WHOLE + "\n" + WHOLE,
        '{"verdict": "ALTERNATE", "confid\n\n' + WHOLE,
        '{"verdict": "ALTERNATE", "explanation": "The mod\n```json\n' + WHOLE + "\n```",
        WHOLE + '\n{"verdict": "ALTERNATE", "explanation": "The mod',
    ],
)
def test_is_read(content: str) -> None:
    found = read(content)
    assert (found.verdict, found.fault) == ("CHAIN_BUG", None)
    assert found.confidence == 0.5


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("", "no_json"),
        ("The verdict is CHAIN_BUG.", "no_json"),
        ("CHAIN_BUG", "no_json"),
        ("verdict: CHAIN_BUG", "no_json"),
        ('"CHAIN_BUG"', "no_json"),
        ("<think>" + WHOLE, "no_json"),
        ("I'm sorry, but I can't help with that.", "refusal"),
        ("I cannot judge this.", "refusal"),
        ("As an AI, I must not.", "refusal"),
        ('{"verdict": "CHAIN_BUG", "confidence": 0.9, "explanation": "The mod', "truncated"),
        ('{"verdict": "CHAIN_BUG", "confidence": 0.9', "truncated"),
        ('{"verdict": "CHAIN_BUG", "x": {"verdict": "ALTERNATE"}', "truncated"),
        ('{"verdict": "CHAI', "truncated"),
        ("{", "truncated"),
        ('{"confidence": 1}', "no_verdict"),
        ('{"answer": {"verdict": "CHAIN_BUG"}}', "no_verdict"),
        ('{"verdict": "YES"}', "other_kind"),
        ('{"verdict": "up"}', "other_kind"),
        ('{"verdict": "CHAIN BUG"}', "not_a_verdict"),
        ('{"verdict": "CHAIN_BUG or ALTERNATE"}', "not_a_verdict"),
        ('{"verdict": "ANSWER_BUG|ALTERNATE|CHAIN_BUG"}', "not_a_verdict"),
        ('{"verdict": ["CHAIN_BUG"]}', "not_a_verdict"),
        ('{"verdict": null}', "not_a_verdict"),
        ('{"verdict": ""}', "not_a_verdict"),
        ('{"verdict": "CHAIN_BUG", "verdict": "ALTERNATE"}', "repeated_key"),
        ('{"verdict": "CHAIN_BUG", "Verdict": "CHAIN_BUG"}', "repeated_key"),
        ("{'verdict': 'CHAIN_BUG', 'verdict': 'ALTERNATE',}", "repeated_key"),
        (WHOLE + WHOLE.replace("CHAIN", "ANSWER"), "several_verdicts"),
        (WHOLE + "\nor\n" + '{"verdict": "NO"}', "several_verdicts"),
        ('{"verdict": "CHAIN_BUG", "e": "I saw {"verdict": "ALTERNATE"} but no"}', "repeated_key"),
        ("{" + "x" * 60_000, "too_long"),
    ],
)
def test_is_not_read_and_why(content: str, fault: str) -> None:
    found = read(content)
    assert (found.verdict, found.fault) == (None, fault)
    assert fault in UNPARSABLE | {"refusal"}


@pytest.mark.parametrize(
    ("said", "confidence"),
    [
        ("0.25", 0.25), ("1", 1.0), ("0", 0.0), ('"0.5"', 0.5), ("95", None), ("-0.1", None),
        ('"high"', None), ("null", None), ("true", None), ("NaN", None), ("1e999", None),
    ],
)  # fmt: skip
def test_confidence_that_is_none_leaves_the_verdict(said: str, confidence: float | None) -> None:
    found = read(WHOLE.replace("0.5", said))
    assert (found.verdict, found.confidence) == ("CHAIN_BUG", confidence)


def test_of_equal_objects_the_lowest_confidence_counts() -> None:
    assert read(WHOLE + WHOLE.replace("0.5", "0.2")).confidence == 0.2


def test_explanation_is_one_line_or_blank() -> None:
    assert read(WHOLE.replace('"e"', '"a\\n b"')).explanation == "a b"
    assert read('{"verdict": "CHAIN_BUG"}').explanation == ""


@pytest.mark.parametrize("kind", sorted(known_kinds()))
@pytest.mark.parametrize("family", [labels.LABELS, rr10.LABELS])
def test_every_word_of_every_kind(kind: str, family: tuple[str, ...]) -> None:
    for verdict in known_kinds()[kind].verdicts("", family):
        content = json.dumps({"verdict": verdict.swapcase()})
        assert read_verdict(content, kind, "", family).verdict == verdict


def blind(
    reply: dict[str, object], gold: str | None = "down", family: tuple[str, ...] = labels.LABELS
) -> Verdict:
    return read_verdict(json.dumps(reply), "wrong_correct_chain", "b", family, True, gold)


@pytest.mark.parametrize(
    ("direction", "sound", "verdict"),
    [
        ("down", True, "ANSWER_BUG"), ("DOWN", "true", "ANSWER_BUG"), ("up", True, "ALTERNATE"),
        ("down", False, "CHAIN_BUG"), ("cannot_tell", True, "CHAIN_BUG"), ("up", None, None),
        ("CHAIN_BUG", True, None), ("up", "maybe", None),
    ],
)  # fmt: skip
def test_blind_reply(direction: str, sound: object, verdict: str | None) -> None:
    assert blind({"direction": direction, "sound": sound}).verdict == verdict


def test_blind_reply_needs_the_gold_answer_and_an_open_one_does_not() -> None:
    with pytest.raises(ValueError, match="gold answer"):
        blind({"direction": "up", "sound": True}, None)
    found = read_verdict('{"verdict": "up"}', "parse_fail", "b", labels.LABELS, True)
    assert found.verdict == "up"


def test_no_reply_is_slow_to_read() -> None:
    hostile = ["{" * 49_000, '{"' * 24_000, "{'a':" * 9_000, '{"a":"' * 8_000, '\\"' * 24_000,
               "{" + "[" * 9_000 + "}", '{"a": ' * 4_000 + "}" * 4_000, "{a:b," * 1_900 + "}",
               "{" + "'" * 9_900 + "}", '{"verdict": ' + "(" * 9_000 + "}", "{/*" * 9_000, '{"verdict":' + "a:{" * 3_200 + "}", '{"v":' + "a:{" * 2_400 + "}" * 2_401]  # fmt: skip
    for content in hostile:
        started = time.process_time()
        assert read(content).verdict is None
        assert time.process_time() - started < 5, content[:20]


@given(st.text(alphabet="{}[]\"':,\\/#* \nvaA1", max_size=60) | st.text())
def test_no_text_is_read_with_anything_but_a_verdict_or_a_fault(content: str) -> None:
    for text in (content, '{"verdict": "CHAIN_BUG"' + content, content + WHOLE):
        found = read(text)
        assert (found.verdict is None) != (found.fault is None)
        assert found.verdict in (None, "ANSWER_BUG", "ALTERNATE", "CHAIN_BUG")


@given(
    st.sampled_from(["ANSWER_BUG", "ALTERNATE", "CHAIN_BUG"]),
    st.floats(0, 1),
    st.text(max_size=40),
)
def test_whatever_an_explanation_holds_the_verdict_is_that_of_the_object(
    verdict: str, confidence: float, explanation: str
) -> None:
    fields = {"verdict": verdict, "confidence": confidence, "explanation": explanation}
    for content in (json.dumps(fields), json.dumps(fields, ensure_ascii=False, indent=1)):
        for wrapped in (
            content,
            f"```json\n{content}\n```",
            f"So:\n{content}\n",
            json.dumps(content),
        ):
            found = read(wrapped)
            assert (found.verdict, found.confidence) == (verdict, confidence)
