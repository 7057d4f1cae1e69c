"""Coverage: every expected pair in one state; duplicates, order, titles, weights."""

from __future__ import annotations

from typing import Any

import pytest

from eval_tiers.rubrics.coverage import (
    Coverage,
    build_coverage,
    count_states,
    expected_of_rows,
    expected_of_tasks,
)
from eval_tiers.rubrics.scores import sample_compliance
from eval_tiers.rubrics.tasks import parse_task
from tests.rubric_rows import Record, given, row, task


def covered(
    records: list[Record], tasks: list[Record] | None, paths: list[str] | None = None, **more: bool
) -> Coverage:
    every = [
        given(record, line, "a" if paths is None else paths[line - 1])
        for line, record in enumerate(records, 1)
    ]
    if tasks is None:
        return build_coverage(every, expected_of_rows(every), False, **more)
    expected = expected_of_tasks([parse_task(one)[0] for one in tasks])
    return build_coverage(every, expected, True, **more)


def states(coverage: Coverage, sample_id: str = "r1") -> list[str]:
    return [pair.state for pair in coverage.pairs[sample_id]]


def codes(findings: list[Any]) -> list[str]:
    return [finding.code for finding in findings]


def test_missing_extra_failed_rejected() -> None:
    found = covered(
        [row("r1", 0, "S"), row("r1", 1, "F"), row("r1", 2, "S", score=0.0), row("r1", 9, "S"),
         row("r9", 0, "S")],
        [task("r1", [1, 2, 3, 4]), task("r2", [1])],
    )  # fmt: skip
    assert states(found) == ["scored", "failed", "rejected", "missing"]
    assert states(found, "r2") == ["missing"]
    assert codes(found.extra) == ["extra-row", "extra-row"]
    assert codes(found.rejected) == ["score-not-of-verdict"]
    assert found.rejected[0].where.line == 3
    counts = count_states(found.every_pair())
    assert sum(counts.values()) == 5
    assert counts["missing"] == 2


def test_duplicates_that_agree_count_once_and_others_not_at_all() -> None:
    tasks = [task("r1", [5, 4])]
    alike = covered(
        [row("r1", 0, "S"), row("r1", 1, "N"), row("r1", 0, "S", confidence=0.1)], tasks
    )
    assert states(alike) == ["scored", "scored"]
    assert codes(alike.duplicates) == ["duplicate-row"]
    parted = covered([row("r1", 0, "S"), row("r1", 1, "N"), row("r1", 0, "N")], tasks)
    assert states(parted) == ["conflict", "scored"]
    assert codes(parted.duplicates) == ["conflicting-rows"]
    assert sample_compliance(parted.pairs["r1"], "strict").value is None


def test_partial_beside_not_satisfied_is_a_conflict_even_when_binarized() -> None:
    found = covered([row("r1", 0, "P"), row("r1", 0, "N")], [task("r1", [5])], binarize=True)
    assert states(found) == ["conflict"]


def test_a_failed_row_gives_way_to_a_verdict() -> None:
    for records in ([row("r1", 0, "F"), row("r1", 0, "S")], [row("r1", 0, "S"), row("r1", 0, "F")]):
        found = covered(records, [task("r1", [5])])
        assert states(found) == ["scored"]
        assert codes(found.duplicates) == ["retried-row"]


def test_a_rejected_row_says_nothing() -> None:
    found = covered([row("r1", 0, "S"), row("r1", 0, "N", score=1.0)], [task("r1", [5])])
    assert states(found) == ["scored"]
    assert codes(found.rejected) == ["score-not-of-verdict"]


def test_a_row_of_another_text_is_rejected() -> None:
    found = covered([row("r1", 0, "S", rubric_title="c1")], [task("r1", [5, 4])])
    assert states(found) == ["rejected", "missing"]
    assert codes(found.rejected) == ["title-not-of-rubric"]
    spaced = covered([row("r1", 0, "S", rubric_title=" c0\n")], [task("r1", [5])])
    assert states(spaced) == ["scored"]


def test_the_data_s_weight_counts() -> None:
    found = covered([row("r1", 0, "S", 1), row("r1", 1, "N", 4)], [task("r1", [5, 4])])
    assert [pair.expected.weight for pair in found.pairs["r1"]] == [5, 4]
    assert codes(found.notes) == ["weight-not-of-data"]
    assert sample_compliance(found.pairs["r1"], "strict").value == pytest.approx(5 / 9)


def loose(index: int, letter: str, title: str, weight: float = 1) -> Record:
    """A row without rubric_index."""
    record = row("r1", index, letter, weight, rubric_title=title)
    del record["rubric_index"]
    return record


SAME = [{"criterion": "same", "weight": 5, "axis": "A"}, {"criterion": "other", "weight": 2, "axis": "A"},
        {"criterion": "same", "weight": 3, "axis": "A"}]  # fmt: skip


def test_rubrics_of_one_text_are_told_apart_by_order() -> None:
    tasks = [task("r1", [], rubrics=SAME)]
    records = [loose(0, "S", "same", 5), loose(1, "S", "other", 2), loose(2, "N", "same", 3)]
    found = covered(records, tasks)
    assert [pair.verdict for pair in found.pairs["r1"]] == [
        "Satisfied",
        "Satisfied",
        "Not Satisfied",
    ]
    assert codes(found.notes) == ["matched-by-order"]
    assert sample_compliance(found.pairs["r1"], "strict").value == pytest.approx(0.7)
    turned = covered([records[2], records[1], records[0]], tasks)
    assert sample_compliance(turned.pairs["r1"], "strict").value == pytest.approx(0.5)


@pytest.mark.parametrize("n", [1, 3])
def test_another_number_of_rows_is_ambiguous(n: int) -> None:
    records = [loose(i, "S", "same", 5) for i in range(n)] + [loose(9, "S", "other", 2)]
    found = covered(records, [task("r1", [], rubrics=SAME)])
    assert states(found) == ["ambiguous", "scored", "ambiguous"]
    assert "ambiguous-rows" in codes(found.notes)


def test_the_same_two_rows_twice_in_a_file_count_once() -> None:
    records = [loose(0, "S", "same", 5), loose(2, "N", "same", 3)]
    found = covered([*records, *records], [task("r1", [], rubrics=SAME)])
    assert states(found) == ["scored", "missing", "scored"]
    assert "duplicate-row" in codes(found.duplicates)


def test_each_file_is_ordered_by_itself() -> None:
    first = [loose(0, "S", "same", 5), loose(2, "N", "same", 3)]
    again = [loose(0, "S", "same", 5), loose(2, "S", "same", 3)]
    found = covered([*first, *again], [task("r1", [], rubrics=SAME)], ["a", "a", "b", "b"])
    assert states(found) == ["scored", "missing", "conflict"]


def test_without_data_the_rows_say_what_is_expected() -> None:
    found = covered([row("r1", 0, "S", 5), row("r1", 2, "S", 4), row("r2", 0, "N", 1)], None)
    assert not found.is_known
    assert states(found) == ["scored", "scored"]
    assert sample_compliance(found.pairs["r1"], "strict").value == 1.0
    assert sample_compliance(found.pairs["r2"], "strict").value == 0.0


def test_without_data_and_index_titles_tell_rubrics_apart() -> None:
    found = covered([loose(0, "S", "x", 5), loose(1, "N", "y", 3), loose(0, "S", "x", 5)], None)
    assert states(found) == ["scored", "scored"]  # the first and the last are one row
    assert sample_compliance(found.pairs["r1"], "strict").value == 0.625
    two = covered([loose(0, "S", "x", 5), loose(1, "N", "x", 3)], None)
    assert states(two) == ["scored", "scored"]
    assert codes(two.notes) == ["matched-by-order"]


def test_without_data_weights_that_differ_are_unknown() -> None:
    found = covered([row("r1", 0, "S", 5), row("r1", 0, "S", 4), row("r1", 1, "S", 1)], None)
    assert codes(found.notes) == ["weights-differ"]
    assert sample_compliance(found.pairs["r1"], "exclude").value is None
    none = covered([row("r1", 0, "S", None), row("r1", 1, "S", 1)], None)
    assert sample_compliance(none.pairs["r1"], "strict").reason == "1 rubrics of unknown weight"


def test_without_data_one_index_with_two_titles_is_rejected() -> None:
    found = covered([row("r1", 0, "S"), row("r1", 0, "S", rubric_title="z")], None)
    assert states(found) == ["rejected"]
    assert codes(found.rejected) == ["title-not-of-rubric"] * 2
