"""Reply files of a judge as they come: missing, malformed, refused. None of them is a score."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval_tiers.io.submission_folder import inspect_submission
from eval_tiers.io.submission_task import load_task
from eval_tiers.pipeline.submissions.grade import declared_paths
from eval_tiers.submissions.judge_reply import ReplyFault, parse_judge_reply
from eval_tiers.submissions.judge_request import base_id_of
from eval_tiers.submissions.judgement import ReplyOutcome, judge_submission
from eval_tiers.submissions.score import score_of
from tests.e2e.running import Done, in_process, strict_json
from tests.openai_server import completion
from tests.oracle.submission_score import slow_score
from tests.toy_submission import (
    CAVEATS,
    CONCLUSIONS,
    GOOD_CELLS,
    GOOD_QUOTES,
    Toy,
    good_reply,
    make_toy,
)

GOOD = json.dumps(good_reply(), ensure_ascii=False)


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Toy:
    return make_toy(tmp_path_factory.mktemp("toy"))


def base_id(toy: Toy) -> str:
    loaded = load_task(toy.task)
    return base_id_of(
        loaded.task, inspect_submission(toy.submission, loaded.task, loaded.references)
    )


def grade(toy: Toy, folder: Path, *replies: Path) -> tuple[Done, dict[str, Any]]:
    named = [word for reply in replies for word in ("--judge", reply)]
    done = in_process("grade-submission", "--task", toy.task, "--submission", toy.submission,
                      *named, "-o", "judge.json", folder=folder)  # fmt: skip
    assert "Traceback" not in done.stderr
    return done, strict_json(folder / "judge.json")


def refused(toy: Toy, folder: Path, data: bytes, name: str = "reply.jsonl") -> str:
    """Grade with a reply that gives no judgement; return the fault."""
    (folder / name).write_bytes(data)
    done, record = grade(toy, folder, folder / name)
    assert done.returncode == 6
    assert (record["score"], record["uncapped_score"]) == (None, None)
    assert record["verdict"] == "infrastructure failure"
    assert record["evaluator"]["status"] == "passed"  # the checks count all the same
    assert record["judge"]["message"] and "fix:" in done.stderr
    assert str(record["judge"]["fault"]).replace("_", "-") in done.stderr
    return str(record["judge"]["fault"])


def row(toy: Toy, repeat: int = 0, **members: Any) -> bytes:
    return json.dumps({"custom_id": f"{base_id(toy)}:r{repeat}", **members}).encode() + b"\n"


def batch_row(toy: Toy, content: object, finish: str = "stop", **message: object) -> bytes:
    body = completion(content, finish, **message)
    return row(toy, response={"status_code": 200, "body": body}, error=None)


@pytest.mark.parametrize(
    "data",
    [
        b"", b"\n \n", b"\xef\xbb\xbf", b"I'm sorry, I can't judge this.", b"{", b"[]", b"null", b"{}",
        GOOD[:-3].encode(), GOOD.replace("false", '"false"').encode(), b"\x00" * 64,
        GOOD.encode("utf-16"), GOOD.replace('"matched"', '"yes"').encode(), b"PK\x03\x04",
        GOOD.replace("Alpha rises.", "alpha rises.").encode(), "Gr\u00f6\u00dfe".encode("latin-1"),
        gzip.compress(GOOD.encode())[:-9], b'{"leakage_suspected": ' + b"[" * 50_000,
        GOOD.replace('"Beta falls."', '"Alpha rises."').encode(), (GOOD + GOOD).encode(),
        GOOD.replace(', "explanation"', ', "score": 1, "explanation"').encode(),
    ],
)  # fmt: skip
def test_a_bare_reply_that_is_none(toy: Toy, tmp_path: Path, data: bytes) -> None:
    assert refused(toy, tmp_path, data)


def test_what_kind_of_fault_it_is(toy: Toy, tmp_path: Path) -> None:
    def fault(data: bytes) -> str:
        return refused(toy, tmp_path, data)

    assert fault(GOOD.replace("false", '"false"').encode()) == "malformed"
    assert fault(GOOD.replace('"matched"', '"yes"').encode()) == "out_of_vocabulary"
    assert fault(GOOD.replace("Alpha rises.", "Alpha.").encode()) == "rows_differ"
    assert fault(row(toy, response=None, error="expired")) == "http_error"
    assert fault(row(toy, response={"status_code": 500, "body": {}}, error=None)) == "http_error"
    assert fault(batch_row(toy, GOOD, refusal="I must decline.")) == "refusal"
    assert fault(batch_row(toy, GOOD[:100], "length")) == "cut_off"
    assert fault(batch_row(toy, GOOD, "content_filter")) == "withheld"
    assert fault(batch_row(toy, "")) == "empty"
    assert fault(batch_row(toy, "Sorry, no.")) == "malformed"
    assert fault(row(toy, response="")) == "empty"
    assert fault(b'{"custom_id": "other:r0", "response": "{}"}\n') == "other_submission"
    both = row(toy, response=GOOD) + row(toy, response=GOOD.replace("matched", "wrong", 1))
    assert fault(both) == "conflicting_replies"


def test_reply_files_that_cannot_be_opened(toy: Toy, tmp_path: Path) -> None:
    for path in (tmp_path / "none.json", tmp_path):
        done, record = grade(toy, tmp_path, path)
        assert done.returncode == 6 and record["score"] is None
        assert str(path) in record["judge"]["message"]


@pytest.mark.parametrize("way", ["bare", "pretty", "fenced", "row", "batch", "task", "sample",
                                 "completion", "gzip", "array", "bom", "crlf"])  # fmt: skip
def test_ways_to_hand_in_a_reply(toy: Toy, tmp_path: Path, way: str) -> None:
    data = {
        "bare": GOOD.encode(),
        "pretty": json.dumps(good_reply(), indent=2).encode(),
        "fenced": f"```json\n{GOOD}\n```\n".encode(),
        "row": row(toy, response=GOOD),
        "batch": b"a log line\n"
        + batch_row(toy, GOOD)
        + b'{"custom_id": "other:r0", "response": ""}',
        "task": json.dumps({"custom_id": "toy-genes", "response": good_reply()}).encode(),
        "sample": json.dumps({"sample_id": "toy-genes", "response": GOOD}).encode(),
        "completion": json.dumps(completion(GOOD)).encode(),
        "gzip": gzip.compress(row(toy, response=GOOD)),
        "array": b"[" + row(toy, response=GOOD) + b"]",
        "bom": b"\xef\xbb\xbf" + GOOD.encode(),
        "crlf": json.dumps(good_reply(), indent=2).replace("\n", "\r\n").encode(),
    }[way]
    (tmp_path / "reply.jsonl").write_bytes(data)
    done, record = grade(toy, tmp_path, tmp_path / "reply.jsonl")
    assert (done.returncode, record["score"]) == (0, 1.0), done.stderr


def test_repeats_that_failed_are_passed_over_and_equal_ones_count_once(
    toy: Toy, tmp_path: Path
) -> None:
    lines = [row(toy, 0, response=GOOD), row(toy, 1, response=None, error="expired"),
             row(toy, 0, response=GOOD)]  # fmt: skip
    (tmp_path / "reply.jsonl").write_bytes(b"".join(lines))
    done, record = grade(toy, tmp_path, tmp_path / "reply.jsonl")
    assert (done.returncode, record["score"]) == (0, 1.0)
    assert [one["fault"] for one in record["judge"]["replies"]] == [None, "http_error"]


# No reply at all can raise the score above what the citations that hold carry.

_PATHS = st.sampled_from(
    ["genes.csv", "notes.md", "answer.md", "hidden.md", "../task/eval_task.toml"]
)
_CITATIONS = st.one_of(
    st.sampled_from(GOOD_CELLS + GOOD_QUOTES),
    st.builds(lambda path, quote: {"path": path, "quote": quote}, _PATHS, st.text(max_size=30)),
    st.builds(
        lambda path, key, value: {"path": path, "key": [key], "column": "log2fc", "value": value},
        _PATHS, st.sampled_from(["Alpha", "Beta", "x"]), st.floats(-3, 3) | st.text(max_size=5),
    ),
)  # fmt: skip
_STATUSES = st.sampled_from(["matched", "partial", "missing", "wrong"])


@st.composite
def replies(draw: st.DrawFn) -> dict[str, Any]:
    def rows(texts: list[str]) -> list[dict[str, Any]]:
        return [
            {
                "text": text,
                "status": draw(_STATUSES),
                "citations": draw(st.lists(_CITATIONS, max_size=3)),
            }
            for text in texts
        ]

    return {
        "leakage_suspected": draw(st.booleans()), "conclusions": rows(CONCLUSIONS),
        "caveats": rows(CAVEATS), "explanation": "",
    }  # fmt: skip


def holds(citation: dict[str, Any]) -> bool:
    """A slow reading of the toy's files: what stands in them."""
    cells = {("Alpha", 1.75), ("Beta", -1.25)}
    if "quote" in citation:
        notes = "Three animals were used, all of them in a single batch. Nothing else"
        return citation["path"] == "notes.md" and len(citation["quote"]) >= 12 and (
            citation["quote"] in notes
        )  # fmt: skip
    if citation in GOOD_CELLS:
        return True
    try:
        value = float(citation["value"])
    except ValueError:
        return False
    return citation["path"] == "genes.csv" and (citation["key"][0], value) in cells


@settings(max_examples=150)
@given(reply=replies())
def test_no_reply_raises_the_score_above_what_valid_citations_carry(
    toy: Toy, reply: dict[str, Any]
) -> None:
    loaded = load_task(toy.task)
    inspection = inspect_submission(toy.submission, loaded.task, loaded.references)
    read = parse_judge_reply(json.dumps(reply), CONCLUSIONS, CAVEATS)
    found = judge_submission([ReplyOutcome(None, read)], inspection, declared_paths(inspection))
    best = [
        ["matched" if any(map(holds, one["citations"])) else "missing" for one in reply[name]]
        for name in ("conclusions", "caveats")
    ]
    worth = [
        [one["status"] if status == "matched" or one["status"] == "wrong" else "missing"
         for one, status in zip(reply[name], statuses, strict=True)]
        for name, statuses in zip(("conclusions", "caveats"), best, strict=True)
    ]  # fmt: skip
    uncapped, score = slow_score(*worth, execution=True, leakage=reply["leakage_suspected"])
    got = score_of(found.tally, True, leakage=bool(found.leakage_suspected))
    assert (got.uncapped, got.value) == (uncapped, score)
    assert got.value <= slow_score(*best, execution=True)[0]


@settings(max_examples=300)
@given(text=st.text(max_size=200) | st.builds(json.dumps, st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["conclusions", "caveats", "text", "status", "leakage_suspected"]), inner),
    max_leaves=12)))  # fmt: skip
def test_reading_never_fails_but_with_a_fault(text: str) -> None:
    with pytest.raises(ReplyFault) as caught:  # no such text is a whole reply
        parse_judge_reply(text, CONCLUSIONS, CAVEATS)
    assert caught.value.message
