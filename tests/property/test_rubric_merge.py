"""Laws of merging rubrics: nothing, twice, any order; parts before their whole; no score unsaid."""

from __future__ import annotations

from itertools import permutations
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from eval_tiers.io.rubric_export import RubricExport
from eval_tiers.pipeline.rubrics.judged import judge_export
from eval_tiers.pipeline.rubrics.merged_rows import build_rows
from eval_tiers.rescue.reply_rows import ReplyRow, parse_reply_row
from eval_tiers.rubrics.asked import PART, SYNTHESIS, WHOLE, Entry
from eval_tiers.rubrics.replies import Prices
from eval_tiers.rubrics.results import SCORES
from tests.rubric_judge import content, reply

ENTRIES = [
    Entry("whole", "r", 0, WHOLE, 1, 1, 0),
    *(Entry(f"part{n}", "r", 1, PART, n, 3, 0) for n in (1, 2, 3)),
    Entry("syn", "r", 1, SYNTHESIS, 0, 3, 0),
    Entry("again0", "r", 2, WHOLE, 1, 1, 0),
    Entry("again1", "r", 2, WHOLE, 1, 1, 1),
]
TASK: dict[str, Any] = {
    "sample_id": "r", "prompt": "p", "domain": "d",
    "rubrics": [{"criterion": f"c{n}", "weight": 1.0, "axis": "a"} for n in range(3)],
}  # fmt: skip
SETTINGS = {"scale": "binary", "chunk_tokens": 100, "max_tokens": 64, "model": "m", "seed": 0}

texts = st.sampled_from(
    [content("Satisfied"), content("Not Satisfied", 0.2), content("Maybe"), "prose", "", None]
)
replies = st.lists(
    st.tuples(st.sampled_from([one.custom_id for one in ENTRIES]), texts), max_size=14
)


def export() -> RubricExport:
    manifest = {"tasks": [TASK], "settings": SETTINGS, "prompt_version": "v"}
    return RubricExport(None, ENTRIES, manifest, [])  # type: ignore[arg-type]


def rows_by_id(said: list[tuple[str, str | None]]) -> dict[str, list[ReplyRow]]:
    found: dict[str, list[ReplyRow]] = {}
    for custom_id, text in said:
        row = parse_reply_row(reply(custom_id, text))
        assert row is not None
        found.setdefault(custom_id, []).append(row)
    return found


@given(replies, st.randoms())
def test_order_and_repetition_do_not_matter(said: list[tuple[str, str | None]], order: Any) -> None:
    once = build_rows(
        export(), judge_export(export(), rows_by_id(said), "unparsable"), Prices(1, 1)
    )
    shuffled = said * 2
    order.shuffle(shuffled)
    twice = judge_export(export(), rows_by_id(shuffled), "unparsable")
    assert build_rows(export(), twice, Prices(1, 1)) == once


@given(replies)
def test_every_rubric_has_a_row_and_a_score_only_with_a_verdict(
    said: list[tuple[str, str | None]],
) -> None:
    rows = build_rows(export(), judge_export(export(), rows_by_id(said), "unparsable"), Prices())
    assert [row.rubric_index for row in rows] == [0, 1, 2]
    for row in rows:
        assert row.success == (row.score is not None) == (row.verdict in SCORES)
        if row.success:
            assert row.score == SCORES[row.verdict]


@given(replies)
def test_a_synthesis_is_asked_when_all_parts_are_in_and_not_before(
    said: list[tuple[str, str | None]],
) -> None:
    judged = judge_export(export(), rows_by_id(said), "unparsable")
    parts = [judged.outcomes[f"part{n}"].verdict for n in (1, 2, 3)]
    assert bool(judged.ready) == (None not in parts)
    assert all(one.parts[0].verdict == parts[0] for one in judged.ready)
    for custom_id in judged.faults:
        assert judged.outcomes[custom_id].verdict is None


def test_nothing_is_owed_but_what_was_asked() -> None:
    judged = judge_export(export(), {}, "unparsable")
    assert set(judged.faults) == {one.custom_id for one in ENTRIES} - {"syn"}
    for order in permutations(["part1", "part2", "part3"]):
        said = [(one, content("Satisfied")) for one in order]
        judged = judge_export(export(), rows_by_id(said), "unparsable")
        assert "syn" in judged.faults and "part1" not in judged.faults
