"""A judge's reply: what is read, and what is refused."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest

from eval_tiers.submissions.judge_reply import (
    MALFORMED,
    OUT_OF_VOCABULARY,
    ROWS_DIFFER,
    CellCitation,
    JudgeReply,
    QuoteCitation,
    ReplyFault,
    parse_judge_reply,
)
from tests.toy_submission import CAVEATS, CONCLUSIONS, GOOD_CELLS, good_reply


def read(reply: object) -> JudgeReply:
    content = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
    return parse_judge_reply(content, CONCLUSIONS, CAVEATS)


def fault(reply: object) -> str:
    with pytest.raises(ReplyFault) as caught:
        read(reply)
    assert caught.value.message
    return caught.value.code


def changed(**members: Any) -> dict[str, Any]:
    return good_reply() | members


def with_row(name: str, **members: Any) -> dict[str, Any]:
    reply = deepcopy(good_reply())
    reply[name][0] = reply[name][0] | members
    return reply


def without(reply: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in reply.items() if name not in names}


def test_a_whole_reply() -> None:
    found = read(good_reply(("matched", "partial", "missing", "wrong")))
    assert not found.leakage_suspected and found.explanation == "as the files show"
    assert [row.status for row in found.conclusions] == ["matched", "partial", "missing", "wrong"]
    assert [row.text for row in found.caveats] == CAVEATS
    assert found.conclusions[0].citations == (
        CellCitation("genes.csv", ((None, "Alpha"),), "log2fc", 1.75),
    )
    assert found.conclusions[3].citations == (
        CellCitation("genes.csv", (("gene", "Delta"),), "log2fc", "2.5"),
    )
    assert found.caveats[1].citations == (QuoteCitation("notes.md", "in a single batch"),)


@pytest.mark.parametrize(
    "wrap",
    [
        "{}", "```json\n{}\n```", "Here it is:\n```\n{}\n```\nDone.", "\n {} \n",
        "<think>maybe {{\"conclusions\": 1</think>{}", "My judgement: {}. Thanks.",
    ],
)  # fmt: skip
def test_the_object_may_stand_in_a_fence_in_prose_or_behind_a_thought(wrap: str) -> None:
    assert read(wrap.format(json.dumps(good_reply()))).conclusions[0].status == "matched"


def test_rows_come_in_the_order_of_the_task() -> None:
    reply = good_reply()
    reply["conclusions"].reverse()
    reply["caveats"].reverse()
    assert [row.text for row in read(reply).conclusions] == CONCLUSIONS
    assert [row.text for row in read(reply).caveats] == CAVEATS


def test_what_may_be_left_out() -> None:
    reply = without(good_reply(), "explanation")
    del reply["conclusions"][0]["citations"]
    found = read(reply)
    assert found.explanation == "" and found.conclusions[0].citations == ()
    bare = {"leakage_suspected": True, "conclusions": [{"text": "x", "status": "missing"}]}
    assert parse_judge_reply(json.dumps(bare), ["x"], []).leakage_suspected


def test_null_members_of_a_citation_count_as_left_out() -> None:
    null_filled = {"path": "notes.md", "quote": "in a single batch", "key": None, "column": None,
                   "value": None}  # fmt: skip
    found = read(with_row("conclusions", citations=[null_filled]))
    assert found.conclusions[0].citations == (QuoteCitation("notes.md", "in a single batch"),)


@pytest.mark.parametrize("suspected", ["false", "true", 0, 1, None, [], {}, "no"])
def test_leakage_suspected_is_a_truth_value(suspected: object) -> None:
    assert fault(changed(leakage_suspected=suspected)) == MALFORMED


@pytest.mark.parametrize(
    "reply",
    [
        "", "   ", "I'm sorry, I can't help with that.", "{", "[]", "null", '"matched"', "{}",
        '{"verdict": "YES"}', "42", "[1, 2]",
    ],
)  # fmt: skip
def test_no_reply_at_all(reply: str) -> None:
    assert fault(reply) == MALFORMED


@pytest.mark.parametrize("name", ["leakage_suspected", "conclusions", "caveats"])
def test_a_member_that_is_not_there(name: str) -> None:
    assert fault(without(good_reply(), name)) == MALFORMED


@pytest.mark.parametrize(
    "members",
    [
        {"conclusions": {}}, {"conclusions": "all matched"}, {"conclusions": None},
        {"caveats": 2}, {"explanation": 3}, {"explanation": None}, {"score": 1.0},
        {"conclusions": ["Alpha rises."]}, {"conclusions": [None]},
    ],
)  # fmt: skip
def test_members_of_another_kind(members: dict[str, Any]) -> None:
    assert fault(changed(**members)) == MALFORMED


@pytest.mark.parametrize(
    "status", ["Matched", "MATCHED", "match", "yes", "", " matched", "not matched", "1", "partial "]
)
def test_a_status_of_another_vocabulary(status: str) -> None:
    assert fault(with_row("conclusions", status=status)) == OUT_OF_VOCABULARY
    assert fault(with_row("caveats", status=status)) == OUT_OF_VOCABULARY


@pytest.mark.parametrize("status", [None, True, 1, 0.5, ["matched"], {"matched": 1}])
def test_a_status_that_is_no_text(status: object) -> None:
    assert fault(with_row("conclusions", status=status)) == MALFORMED


@pytest.mark.parametrize(
    "text",
    ["alpha rises.", "Alpha rises", "Alpha rises. ", "Alpha  rises.", "", "1", "Beta falls."],
)
def test_texts_are_copied_exactly(text: str) -> None:
    assert fault(with_row("conclusions", text=text)) == ROWS_DIFFER


def test_one_row_for_each_text() -> None:
    fewer, twice, more = (deepcopy(good_reply()) for _ in range(3))
    fewer["conclusions"].pop()
    twice["caveats"].append(twice["caveats"][0])
    more["conclusions"].append({"text": "Epsilon.", "status": "matched", "citations": []})
    assert [fault(one) for one in (fewer, twice, more)] == [ROWS_DIFFER] * 3
    assert fault(changed(caveats=[])) == ROWS_DIFFER


@pytest.mark.parametrize(
    "citation",
    [
        "notes.md", None, 3, [], {}, {"path": "notes.md"}, {"quote": "in a single batch"},
        {"path": None, "quote": "in a single batch"}, {"path": "notes.md", "quote": 7},
        {"path": "notes.md", "quote": ["in a single batch"]},
        {"path": "notes.md", "quote": "in a single batch", "line": 1},
        {"path": "notes.md", "quote": "in a single batch", "column": "gene"},
        GOOD_CELLS[0] | {"value": True}, GOOD_CELLS[0] | {"value": None},
        GOOD_CELLS[0] | {"value": [1.75]}, GOOD_CELLS[0] | {"column": 3},
        GOOD_CELLS[0] | {"key": []}, GOOD_CELLS[0] | {"key": {}}, GOOD_CELLS[0] | {"key": [[1]]},
        GOOD_CELLS[0] | {"key": {"gene": None}}, GOOD_CELLS[0] | {"key": True},
    ],
)  # fmt: skip
def test_a_citation_of_another_shape(citation: object) -> None:
    assert fault(with_row("conclusions", citations=[citation])) == MALFORMED


def test_citations_that_are_no_list_or_too_many() -> None:
    assert fault(with_row("caveats", citations={})) == MALFORMED
    assert fault(with_row("caveats", citations=None)) == MALFORMED
    assert fault(with_row("caveats", citations=[GOOD_CELLS[0]] * 51)) == MALFORMED


def test_json_that_is_not_strict() -> None:
    whole = json.dumps(good_reply())
    assert fault(whole[:-1]) == MALFORMED
    assert fault(whole[:-1] + ",}") == MALFORMED
    assert fault(whole.replace("1.75", "NaN")) == MALFORMED
    assert (
        fault(whole.replace('"leakage_suspected": false', '"leakage_suspected": False'))
        == MALFORMED
    )
    twice = whole.replace("{", '{"leakage_suspected": true, ', 1)
    assert fault(twice) == MALFORMED
    status_twice = whole.replace('"status": "matched"', '"status": "wrong", "status": "matched"', 1)
    assert fault(status_twice) == MALFORMED
    assert fault('{"conclusions": ' + "[" * 100_000) == MALFORMED
    assert fault(whole + " " + whole) == MALFORMED
    assert fault("x" * 2_000_001) == MALFORMED


def test_reading_is_quick_whatever_the_text() -> None:
    assert fault('{"a' * 100_000) == MALFORMED
    assert fault('{"a": ' * 100_000) == MALFORMED


def test_a_number_of_too_many_digits_is_told_plainly() -> None:
    with pytest.raises(ReplyFault, match="a whole number has too many digits"):
        parse_judge_reply('{"leakage_suspected": %s}' % ("9" * 5_000), [], [])
