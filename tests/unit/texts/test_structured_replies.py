"""Replies in JSON as tagged text, and what is left alone."""

from __future__ import annotations

import json

import pytest

from eval_tiers.texts.answers import read_text
from eval_tiers.texts.structured_replies import perturbreason_text_of
from eval_tiers.texts.triplets import read_triplets

EDGE = {"source": "A", "sign": "+", "target": "B"}
TAGGED = '<answer>up</answer><triplet>[["A", "+", "B"]]</triplet>'
WHOLE = json.dumps({"answer": "up", "triplets": [EDGE], "reason": "because"})


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (WHOLE, TAGGED),
        (f"\n  {WHOLE}\n", TAGGED),
        (json.dumps(json.loads(WHOLE), indent=2), TAGGED),
        (f"```json\n{WHOLE}\n```", TAGGED),
        (f"```\n{WHOLE}\n```\n", TAGGED),
        (f"```JSON\r\n{WHOLE}\r\n```", TAGGED),
        ('{"answer": "up"}', "<answer>up</answer>"),
        ('{"answer": "up", "triplets": null}', "<answer>up</answer>"),
        ('{"answer": "up", "triplets": []}', "<answer>up</answer><triplet>[]</triplet>"),
        ('{"answer": "", "triplets": []}', "<answer></answer><triplet>[]</triplet>"),
        ('{"answer": "up", "triplets": [["A", "+", "B"]]}', TAGGED),
        (json.dumps({"answer": "up", "triplets": EDGE}), TAGGED),
        ('{"answer": "up", "triplets": "[[A, +, B]]"}', "<answer>up</answer><triplet>[[A, +, B]]</triplet>"),
    ],
)  # fmt: skip
def test_one_whole_object_becomes_tagged_text(content: str, text: str) -> None:
    assert perturbreason_text_of(content) == text


@pytest.mark.parametrize(
    "content",
    [
        "", "up", TAGGED, "<thinking>x</thinking> " + TAGGED,
        f"Here it is: {WHOLE}", f"{WHOLE} {WHOLE}", f"```json\n{WHOLE}", f"[{WHOLE}]",
        WHOLE[:-5], WHOLE.replace('"', "'"), WHOLE.replace("because", "because\n"),
        '{"answer": "up", "answer": "down"}', '{"answer": "up", "p": {"x": 1, "x": 2}}',
        '{"answer": 1}', '{"answer": null}', '{"answer": ["up"]}', '{"prediction": "up"}', "{}",
        '{"answer": "up", "p": NaN}', '{"answer": "up", "triplets": [["A", 1e999, "B"]]}',
        '{"answer": "up</answer><answer>down"}',
        '{"answer": "up", "triplets": [["</triplet>", "+", "B"]]}',
        '{"a":' * 100_000 + "1" + "}" * 100_000,
    ],
    ids=lambda content: content[:30] or "empty",
)  # fmt: skip
def test_any_other_content_is_left_alone(content: str) -> None:
    assert perturbreason_text_of(content) == content


def test_what_is_no_triplet_is_counted_by_the_reader() -> None:
    triplets = [EDGE, {"source": "A", "target": "B"}, "A+B", EDGE | {"sign": "−"}]
    read = read_text(perturbreason_text_of(json.dumps({"answer": "up", "triplets": triplets})))
    assert read.triplet_block is not None
    found = read_triplets(read.triplet_block)
    assert (found.edges, found.dropped_n) == ([("A", 1, "B"), ("A", -1, "B")], 2)
