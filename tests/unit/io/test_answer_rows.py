"""Prediction rows of a run of items, and whether a file carries evidence at all."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from eval_tiers.formats.base import CitationFormat
from eval_tiers.formats.registry import format_named
from eval_tiers.io.answer_rows import AnswerRows, any_evidence, read_answers
from eval_tiers.io.pairing import PairedRows, ProblemList, pair_rows
from eval_tiers.io.pairs import single_pair
from eval_tiers.io.rr10_benchmark import read_items
from tests.rr10_benchmark import build_items, write_jsonl

RR10 = format_named("rr10")
assert isinstance(RR10, CitationFormat)
TRAP_1, CONTROL_1, TRAP_2, CONTROL_2 = (record["id"] for record in build_items(2))


def joined(folder: Path, lines: Sequence[str], duplicates: str = "error") -> PairedRows:
    gold = write_jsonl(folder / "gold.jsonl", build_items(2))
    predictions = folder / "predictions.jsonl"
    predictions.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    problems = ProblemList()
    assert isinstance(RR10, CitationFormat)
    found = pair_rows(single_pair(gold, predictions, None), RR10, folder, problems, duplicates)
    problems.raise_if_any()
    assert found is not None
    return found


def answered(folder: Path, lines: Sequence[str], first: int = 0, last: int = 4) -> AnswerRows:
    paired = joined(folder, lines)
    items = read_items(folder / "gold.jsonl")
    assert isinstance(RR10, CitationFormat)
    return read_answers(paired, items, first, last, RR10)


def line(sample_id: object, **fields: object) -> str:
    return json.dumps({"id": sample_id, **fields})


def test_rows_come_in_gold_order_and_every_item_has_one(tmp_path: Path) -> None:
    lines = [line(CONTROL_2, prediction="up"), line(TRAP_1, prediction="down")]
    found = answered(tmp_path, lines)
    assert [row.item for row in found.rows] == [0, 1, 2, 3]
    claims = [None if row.record is None else row.record.claim for row in found.rows]
    assert claims == ["down", None, None, "up"]
    assert [row.line for row in found.rows] == [2, None, None, 1]
    assert (found.unreadable_n, found.findings) == (0, [])


def test_a_part_of_the_items(tmp_path: Path) -> None:
    lines = [line(name, prediction=name) for name in (CONTROL_2, TRAP_2, CONTROL_1, TRAP_1)]
    found = answered(tmp_path, lines, 1, 3)
    assert [(row.item, row.record and row.record.claim) for row in found.rows] == [
        (0, CONTROL_1), (1, TRAP_2),
    ]  # fmt: skip


def test_places_of_the_bytes(tmp_path: Path) -> None:
    lines = [line(TRAP_1, prediction="up"), line(CONTROL_1, prediction="a longer one")]
    found = answered(tmp_path, lines)
    raw = (tmp_path / "predictions.jsonl").read_bytes()
    for row, written in zip(found.rows, lines, strict=False):
        assert row.offset is not None and row.length is not None
        assert raw[row.offset : row.offset + row.length].decode().strip() == written


def test_a_row_without_a_field_for_an_answer_is_missing_and_not_unreadable(
    tmp_path: Path,
) -> None:
    found = answered(tmp_path, [line(TRAP_1, colour="up"), line(TRAP_2, prediction="up")])
    assert found.rows[0].record is None
    assert found.rows[0].line == 1
    assert found.unreadable_n == 0


def test_a_row_that_cant_be_read_is_counted_and_told(tmp_path: Path) -> None:
    found = answered(tmp_path, [line(TRAP_1, output={"a": 1}), line(TRAP_2, prediction="up")])
    assert found.rows[0].record is None
    assert found.unreadable_n == 1
    (finding,) = found.findings
    assert finding.code == "unreadable-prediction"
    assert finding.where is not None
    assert (finding.where.line, finding.where.sample) == (1, TRAP_1)


def test_rollouts_are_rows_of_one_item(tmp_path: Path) -> None:
    lines = [line(TRAP_1, rollout=n, prediction="up") for n in (0, 1, 2)]
    found = answered(tmp_path, lines)
    assert [row.item for row in found.rows] == [0, 0, 0, 1, 2, 3]
    rollouts = [row.record.rollout for row in found.rows if row.record is not None]
    assert rollouts == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("row", "found"),
    [
        (line(TRAP_1, prediction="up"), False),
        (line(TRAP_1, prediction="up", evidence=None), False),
        (line(TRAP_1, prediction="up", evidence=""), False),
        (line(TRAP_1, prediction="insufficient evidence"), False),
        (line(TRAP_1, output="<answer>up</answer>"), False),
        (line(TRAP_1, prediction="up", evidence=[]), True),
        (line(TRAP_1, prediction="up", citations=[["A", "+", "OSD-1"]]), True),
        (line(TRAP_1, output="<answer>up</answer><triplet></triplet>"), True),
        (line(TRAP_1, output='{"answer": "up", "evidence": []}'), True),
        (line("nobody", prediction="up", evidence=[["A", "+", "OSD-1"]]), False),
    ],
)
def test_any_evidence(row: str, found: bool, tmp_path: Path) -> None:
    assert isinstance(RR10, CitationFormat)
    lines = [line(CONTROL_1, prediction="up"), row]
    assert any_evidence(joined(tmp_path, lines), RR10) is found
