"""The examiner that needs no model: every rule of docs/rescue_symbolic.md."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from eval_tiers.rescue.cases import Case, Step
from eval_tiers.rescue.merging import Asked, settle
from eval_tiers.rescue.reply_rows import parse_reply_row
from eval_tiers.rescue.requests import RequestOptions, build_request
from eval_tiers.rescue.sign_algebra import implied_by
from eval_tiers.rescue.stated import stated_answers
from eval_tiers.rescue.symbolic import examine
from eval_tiers.texts.fencing import clean_text
from tests.unit.rescue.sample_cases import GOLD_CHAIN, RIGHT_ANSWER, RR10, UNREAD, WRONG_CHAIN


def chain(*steps: str, status: str = "supported") -> tuple[Step, ...]:
    """``"P+A"`` or ``"A-B absent"`` to steps."""
    found = []
    for step in steps:
        edge, _, said = step.partition(" ")
        sign = next(mark for mark in "+-?" if mark in edge)
        source, target = edge.split(sign)
        found.append(Step(source, {"+": 1, "-": -1, "?": 0}[sign], target, said or status))
    return tuple(found)


def reply_of(case: Case, **options: Any) -> dict[str, Any]:
    row: Any = examine(build_request(case, "r-1", RequestOptions(**options))[0])
    assert row["custom_id"] == "r-1" and row["response"]["status_code"] == 200
    (choice,) = row["response"]["body"]["choices"]
    return dict(json.loads(choice["message"]["content"]))


@pytest.mark.parametrize(
    ("steps", "verdict"),
    [
        (("P+A", "A-B", "B+E"), "ANSWER_BUG"),
        (("P+A", "A-B absent", "B+E"), "ANSWER_BUG"),
        (("P+A", "A-B", "B+E", "X+Y absent"), "ANSWER_BUG"),
        (("P+A", "A-B sign_contradicted", "B+E"), "CHAIN_BUG"),
        (("P+A", "A-B", "B+E", "X+Y sign_contradicted"), "CHAIN_BUG"),
        (("P+C", "C+E"), "ALTERNATE"),
        (("P+C", "C+E", "X+Y absent"), "ALTERNATE"),
        (("P+C", "C+E absent"), "CHAIN_BUG"),
        (("P+C", "C+E unsigned_in_kg"), "CHAIN_BUG"),
        (("P+C", "C+E sign_contradicted"), "CHAIN_BUG"),
        (("P+C", "X+E"), "CHAIN_BUG"),
        (("P+C", "C?E"), "CHAIN_BUG"),
        (("P+C", "C+E", "P-D", "D+E"), "CHAIN_BUG"),
        ((), "CHAIN_BUG"),
    ],
)
def test_wrong_answer_where_gold_is_down(steps: tuple[str, ...], verdict: str) -> None:
    found = reply_of(replace(WRONG_CHAIN, chain=chain(*steps)))
    assert found["verdict"] == verdict
    assert found["confidence"] == 1 and found["explanation"]


def test_effect_on_what_is_perturbed_counts() -> None:
    lowered = replace(WRONG_CHAIN, perturbation_sign=-1)
    assert reply_of(lowered)["verdict"] == "ALTERNATE"
    assert reply_of(replace(lowered, gold_answer="up"))["verdict"] == "ANSWER_BUG"
    assert reply_of(replace(WRONG_CHAIN, perturbation_sign=0))["verdict"] == "CHAIN_BUG"
    assert reply_of(replace(WRONG_CHAIN, perturbation="p", readout="e"))["verdict"] == "ANSWER_BUG"


@pytest.mark.parametrize(
    ("steps", "verdict"),
    [
        (("P+C", "C-E"), "YES"),
        (("P+C", "C-E unsigned_in_kg"), "YES"),
        (("P+C", "C-E absent"), "NO"),
        (("P+C", "C-E shortcut"), "NO"),
        (("P+C", "C-E", "X+Y unknown_node"), "NO"),
        (("P+C", "C-E sign_contradicted"), "NO"),
        (("P+C", "C+E"), "NO"),
        (("P+C",), "NO"),
        ((), "NO"),
    ],
)
def test_right_answer_where_gold_is_down(steps: tuple[str, ...], verdict: str) -> None:
    assert reply_of(replace(RIGHT_ANSWER, chain=chain(*steps)))["verdict"] == verdict


def test_a_step_that_nobody_looked_up_is_no_reason() -> None:
    nobody = tuple(replace(step, status=None) for step in RIGHT_ANSWER.chain)
    assert reply_of(replace(RIGHT_ANSWER, chain=nobody))["verdict"] == "NO"
    assert reply_of(replace(WRONG_CHAIN, chain=nobody))["verdict"] == "ANSWER_BUG"


@pytest.mark.parametrize(
    ("signs", "statuses", "gold", "kind", "verdict"),
    [
        ((1, -1), ("SUPPORTED", "SUPPORTED"), "indeterminate", "wrong_correct_chain", "ANSWER_BUG"),
        ((1, 1), ("SUPPORTED", "SUPPORTED"), "upregulated", "wrong_correct_chain", "ANSWER_BUG"),
        ((1, 1), ("SUPPORTED", "SUPPORTED"), "downregulated", "wrong_correct_chain", "CHAIN_BUG"),
        ((1, -1), ("SUPPORTED", "SIGN_MISREAD"), "upregulated", "wrong_correct_chain", "CHAIN_BUG"),
        ((1, -1), ("SUPPORTED", "OFF_TOPIC"), "upregulated", "wrong_correct_chain", "ANSWER_BUG"),
        ((-1, -1), ("SUPPORTED", "SUPPORTED"), "downregulated", "correct_wrong_reason", "YES"),
        ((-1, -1), ("SUPPORTED", "OVERCLAIM"), "downregulated", "correct_wrong_reason", "NO"),
        ((-1, -1), ("SUPPORTED", "SIGN_MISREAD"), "downregulated", "correct_wrong_reason", "NO"),
        ((-1, -1), ("SUPPORTED", "SUPPORTED"), "indeterminate", "correct_wrong_reason", "NO"),
        (
            (-1, -1),
            ("FABRICATED_DATASET", "MALFORMED"),
            "downregulated",
            "correct_wrong_reason",
            "NO",
        ),
    ],
)
def test_citations(
    signs: tuple[int, ...], statuses: tuple[str, ...], gold: str, kind: str, verdict: str
) -> None:
    cited = tuple(Step("Fos", sign, f"OSD-{n}", status)
                  for n, (sign, status) in enumerate(zip(signs, statuses, strict=True)))  # fmt: skip
    assert reply_of(replace(RR10, chain=cited, gold_answer=gold, kind=kind))["verdict"] == verdict


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("I think so. The final answer is: down.", "down"),
        ("**Answer:** Up", "up"),
        ("My conclusion is unchanged", "unchanged"),
        ("<answer>it is increased", "up"),
        ("<answer>up / down / unchanged</answer> Answer: down", "down"),
        ("<thinking>the answer is up</thinking> Answer: down", "down"),
        ("Answer: up. No, the answer is: down.", "NONE"),
        ("Answer: not up", "NONE"),
        ("It goes up and down.", "NONE"),
        ("I think so.", "NONE"),
        ("<triplet>[[answer: up, +, B]]</triplet>", "NONE"),
        ("", "NONE"),
    ],
)
def test_stated_answer(text: str, label: str) -> None:
    assert reply_of(replace(UNREAD, text=text))["verdict"] == label
    found = stated_answers(clean_text(text), UNREAD.labels)
    assert found == [label] if label != "NONE" else len(found) != 1


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ('{"prediction": "Upregulated"}', "upregulated"),
        ("Final answer: down", "downregulated"),
        ("It can not be determined.", "indeterminate"),
        ("not upregulated", "NONE"),
        ("It is unchanged.", "NONE"),
    ],
)
def test_stated_claim(text: str, label: str) -> None:
    case = replace(RR10, kind="parse_fail", text=text)
    assert reply_of(case)["verdict"] == label


def test_of_labels_that_are_not_known_nothing_is_read() -> None:
    assert stated_answers("Answer: ja", ("ja", "nein")) == []


@pytest.mark.parametrize(
    ("steps", "direction", "sound"),
    [
        (("P+A", "A-B", "B+E"), "down", True),
        (("P+C", "C+E"), "up", True),
        (("P+A", "A-B", "B+E absent"), "down", False),
        (("P+A", "A-B", "B+E", "X+Y sign_contradicted"), "down", False),
        (("P+A",), "cannot_tell", True),
    ],
)
def test_blind(steps: tuple[str, ...], direction: str, sound: bool) -> None:
    found = reply_of(replace(WRONG_CHAIN, chain=chain(*steps)), blind=True)
    assert (found["direction"], found["sound"]) == (direction, sound)


def test_a_cut_chain_implies_nothing() -> None:
    padding = tuple(Step(f"X{n}", 1, f"Y{n}", "absent") for n in range(3_000))
    found = reply_of(replace(WRONG_CHAIN, chain=GOLD_CHAIN + padding))
    assert found["verdict"] == "CHAIN_BUG" and "left out" in found["explanation"]


@pytest.mark.parametrize("case", [WRONG_CHAIN, RIGHT_ANSWER, UNREAD, RR10])
@pytest.mark.parametrize("blind", [False, True])
def test_its_rows_merge_and_fit_their_schema(case: Case, blind: bool) -> None:
    request: Any = build_request(case, "r-1", RequestOptions(blind=blind))[0]
    row = parse_reply_row(json.loads(json.dumps(examine(request))))
    assert row is not None and row.content is not None
    asked = Asked(case.kind, case.benchmark, case.labels, case.gold_answer, blind)
    found = settle({"r-1": [row]}, {"r-1": asked})["r-1"]
    assert found.verdict is not None and found.confidence == 1
    schema = request["body"]["response_format"]["json_schema"]["schema"]
    reply = json.loads(row.content)
    assert list(reply) == schema["required"]
    assert re.search(schema["properties"]["explanation"]["pattern"], reply["explanation"])


def test_only_the_prompt_is_read() -> None:
    request: Any = build_request(WRONG_CHAIN, "r-1", RequestOptions())[0]
    body = {"messages": request["body"]["messages"][1:]}
    bare: Any = examine({"custom_id": "r-1", "body": body})
    assert bare == examine(request)


@pytest.mark.parametrize(
    "request_",
    [{}, {"custom_id": "x", "body": None}, {"custom_id": "x", "body": {"messages": "no"}},
     {"custom_id": "x", "body": {"messages": [{"role": "user", "content": "Hello"}]}},
     {"custom_id": "x", "body": {"messages": [{"role": "user", "content":
        "Task: rubric\nLabels: a\nVerdicts: b"}]}}],
)  # fmt: skip
def test_a_request_that_is_none_of_ours_is_an_error_row(request_: dict[str, Any]) -> None:
    row = examine(request_)
    parsed = parse_reply_row(row | {"custom_id": "x"})
    assert parsed is not None and parsed.fault == "http_error"


def test_an_exploding_chain_is_given_up() -> None:
    steps = [Step(f"L{n}{a}", 1, f"L{n + 1}{b}") for n in range(12) for a in "abc" for b in "abc"]
    steps += [Step("P", 1, f"L0{a}") for a in "abc"] + [Step(f"L12{a}", 1, "E") for a in "abc"]
    found = implied_by(steps, "P", "E")
    assert found.connected and found.sign == 0
