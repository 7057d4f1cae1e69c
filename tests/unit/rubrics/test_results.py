"""Rows: what is read, and which verdicts and scores go together."""

from __future__ import annotations

import math
from typing import Any

import pytest

from eval_tiers.formats.base import RecordFault
from eval_tiers.rubrics.labels import parse_label
from eval_tiers.rubrics.results import (
    FILE_NAME,
    PUBLISHED,
    SCORES,
    parse_result,
    row_record,
    verdict_score,
)
from tests.rubric_rows import row


def code_of(record: dict[str, Any]) -> str:
    with pytest.raises(RecordFault) as found:
        parse_result(record)
    return found.value.code


def test_published_fields_come_first_and_come_back() -> None:
    record = row("r1", 2, "S", 5, axis="Evidence", model="m", prompt_version="1", chunk_n=3)
    found, findings = parse_result(record)
    assert findings == []
    written = row_record(found)
    assert tuple(written)[: len(PUBLISHED)] == PUBLISHED
    assert written == record
    assert parse_result(written)[0] == found


def test_rows_without_the_added_fields() -> None:
    record = {key: value for key, value in row("r1", 2, "N").items() if key in PUBLISHED}
    assert parse_result(record)[0].rubric_index is None
    assert list(row_record(parse_result(record)[0])) == list(PUBLISHED)


@pytest.mark.parametrize("success", ["false", "true", 0, 1, "", [], {}])
def test_success_is_true_or_false(success: Any) -> None:
    assert code_of(row("r1", 0, "S", success=success)) == "bad-success"


def test_success_has_to_be_there() -> None:
    record = row("r1", 0, "S")
    del record["success"]
    assert code_of(record) == "bad-success"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"sample_id": ""}, "no-sample-id"),
        ({"rubric_title": ""}, "no-rubric-title"),
        ({"rubric_title": 3}, "no-rubric-title"),
        ({"rubric_index": -1}, "bad-rubric-index"),
        ({"rubric_index": 1.5}, "bad-rubric-index"),
        ({"rubric_index": "1"}, "bad-rubric-index"),
        ({"rubric_index": True}, "bad-rubric-index"),
        ({"verdict": 1}, "unknown-verdict"),
        ({"score": "1.0"}, "bad-score"),
        ({"score": True}, "bad-score"),
        ({"score": math.nan}, "bad-score"),
    ],
)
def test_what_a_verdict_rests_on_is_refused(changes: dict[str, Any], code: str) -> None:
    assert code_of(row("r1", 0, "S", **changes)) == code


def test_a_row_without_score() -> None:
    record = row("r1", 0, "S")
    del record["score"]
    assert code_of(record) == "no-score"
    # an outage may hold anything, or nothing
    failed = row("r1", 0, "F", score="?")
    del failed["verdict"]
    found, _ = parse_result(failed)
    assert (found.success, found.verdict, found.score) == (False, "", None)


@pytest.mark.parametrize(
    ("name", "value"),
    [("confidence", 90), ("confidence", "high"), ("cost", -1), ("cost", math.inf),
     ("tokens_used", "many"), ("tokens_used", 1.5), ("weight", "5"), ("weight", 1e-300), ("chunk_n", -2)],
)  # fmt: skip
def test_numbers_beside_the_verdict_are_unknown_where_they_are_bad(name: str, value: Any) -> None:
    found, findings = parse_result(row("r1", 0, "S", **{name: value}))
    assert getattr(found, name) is None
    assert found.score == 1.0
    assert [finding.code for finding in findings] == [f"bad-{name.replace('_', '-')}"]


@pytest.mark.parametrize(
    ("letter", "score", "ternary", "binarize", "expected"),
    [
        ("S", 1.0, False, False, 1.0), ("S", 1, False, False, 1.0),
        ("N", 0.0, False, False, 0.0), ("P", 0.5, True, False, 0.5),
        ("P", 0.5, False, True, 0.0), ("P", 0.5, True, True, 0.0), ("P", 0.0, False, True, 0.0),
        ("S", 1.0, True, False, 1.0), ("S", 1.0, False, True, 1.0),
        # the score of another verdict, or a verdict of another scale
        ("S", 0.0, False, False, "score-not-of-verdict"),
        ("S", 0.5, True, False, "score-not-of-verdict"),
        ("N", 1.0, False, False, "score-not-of-verdict"),
        ("N", 0.5, False, True, "score-not-of-verdict"),
        ("N", 1e-9, False, False, "score-not-of-verdict"),
        ("P", 0.5, False, False, "verdict-not-in-scale"),
        ("P", 1.0, True, False, "score-not-of-verdict"),
        ("P", 0.0, True, False, "score-not-of-verdict"),
        ("P", 1.0, False, True, "score-not-of-verdict"),
    ],
)  # fmt: skip
def test_the_score_is_the_verdict_s(
    letter: str, score: float, ternary: bool, binarize: bool, expected: float | str
) -> None:
    found, _ = parse_result(row("r1", 0, letter, score=score))
    if isinstance(expected, float):
        assert verdict_score(found, ternary, binarize) == expected
        return
    with pytest.raises(RecordFault) as fault:
        verdict_score(found, ternary, binarize)
    assert fault.value.code == expected


@pytest.mark.parametrize("verdict", ["Yes", "", "Satisfied.", "Un satisfied"])
def test_unknown_verdicts(verdict: str) -> None:
    found, _ = parse_result(row("r1", 0, "S", verdict=verdict))
    with pytest.raises(RecordFault) as fault:
        verdict_score(found)
    assert fault.value.code == "unknown-verdict"


@pytest.mark.parametrize(
    ("said", "verdict"), [("satisfied", "Satisfied"), (" NOT  Satisfied\n", "Not Satisfied")]
)
def test_a_verdict_in_any_case(said: str, verdict: str) -> None:
    found, _ = parse_result(row("r1", 0, "S", verdict=said, score=SCORES[verdict]))
    assert (found.verdict, verdict_score(found)) == (verdict, SCORES[verdict])
    # and its score has to be the verdict's all the same
    other, _ = parse_result(row("r1", 0, "S", verdict=said, score=1 - SCORES[verdict]))
    with pytest.raises(RecordFault, match="instead of"):
        verdict_score(other)


def test_labels_of_people() -> None:
    label = {"sample_id": "r1", "rubric_index": 0}
    assert parse_label({**label, "verdict": " not  SATISFIED "}).score == 0.0
    assert parse_label({**label, "verdict": "Partially satisfied"}).score == 0.5
    assert not parse_label({**label, "verdict": " "}).success
    assert not parse_label(label).success
    assert not parse_label({**label, "verdict": "Satisfied", "success": False}).success
    for bad in ({"verdict": "yes"}, {"verdict": 1}, {"verdict": "Satisfied", "score": 0.0}):
        with pytest.raises(RecordFault):
            parse_label({**label, **bad})
    with pytest.raises(RecordFault):
        parse_label({"sample_id": "r1", "verdict": "Satisfied"})


def test_file_names() -> None:
    assert FILE_NAME.fullmatch("batch_evaluation_20260401_120000.jsonl")
    assert FILE_NAME.fullmatch("batch_evaluation_20260401_120000_shard1.jsonl.gz")
    assert not FILE_NAME.fullmatch("batch_evaluation_latest.jsonl")
