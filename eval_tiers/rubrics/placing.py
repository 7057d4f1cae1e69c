"""Rows given to the rubrics that they are of: by place, else by title."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from eval_tiers.domain.findings import Finding
from eval_tiers.formats.base import RecordFault
from eval_tiers.rubrics.pairs import Coverage, Expected, words_of
from eval_tiers.rubrics.results import GivenRow

Placed = dict[tuple[str, int], list[GivenRow]]


def place_by_index(
    coverage: Coverage, given: GivenRow, listed: Sequence[Expected], placed: Placed
) -> None:
    """Place a row with rubric_index; one of another text is rejected."""
    row = given.row
    place = next((i for i, one in enumerate(listed) if one.index == row.rubric_index), None)
    if place is None:
        add_extra(coverage, given, f"the task has no rubric {row.rubric_index}")
        return
    criterion = listed[place].criterion
    if given.fault is None and criterion is None:
        message = f"rows with rubric_index {row.rubric_index} have different titles"
        fault = RecordFault("title-not-of-rubric", message, "rubric_title", "give --data")
        given = replace(given, fault=fault)
    elif (
        given.fault is None
        and row.rubric_title
        and words_of(row.rubric_title) != words_of(criterion or "")
    ):
        message = f"rubric {row.rubric_index} of the task has another text than the row"
        fix = "give the data that was judged, or judge it again"
        fault = RecordFault("title-not-of-rubric", message, "rubric_title", fix)
        given = replace(given, fault=fault)
    placed.setdefault((row.sample_id, place), []).append(given)


def place_by_title(
    coverage: Coverage,
    group: list[GivenRow],
    title: str,
    listed: Sequence[Expected],
    placed: Placed,
    unclear: dict[tuple[str, int], int],
) -> None:
    """Place the rows of one file, sample and title that have no rubric_index."""
    sample_id, where = group[0].row.sample_id, replace(group[0].where, field="rubric_title")
    places = [i for i, one in enumerate(listed) if words_of(one.criterion or "") == title]
    if not places:
        for given in group:
            add_extra(coverage, given, f"no rubric of the task reads {title[:60]!r}")
        return
    if len(places) == 1:
        placed.setdefault((sample_id, places[0]), []).extend(group)
        return
    distinct = list({given.digest: given for given in group}.values())
    if len(group) != len(places) and len(distinct) == len(places):
        coverage.duplicates.append(
            Finding("duplicate-row", f"{len(group)} rows of {len(places)} rubrics of one text; "
                    "those of the same content count once", where)
        )  # fmt: skip
        group = distinct
    if len(group) == len(places):
        message = f"{len(places)} rubrics have the text {title[:60]!r}: told apart by their order"
        coverage.notes.append(
            Finding("matched-by-order", message, where, fix="give the rows a rubric_index")
        )
        for place, given in zip(places, group, strict=True):
            placed.setdefault((sample_id, place), []).append(given)
        return
    message = (
        f"{len(group)} rows, but {len(places)} rubrics have the text {title[:60]!r}: which row is "
        "whose can't be told"
    )
    coverage.notes.append(
        Finding("ambiguous-rows", message, where, fix="give the rows a rubric_index")
    )
    for place in places:
        unclear[sample_id, place] = unclear.get((sample_id, place), 0) + len(group)


def add_extra(coverage: Coverage, given: GivenRow, message: str) -> None:
    """List a row that belongs to no rubric."""
    where = replace(given.where, sample=given.row.sample_id)
    fix = "leave it out, or give the data that was judged"
    coverage.extra.append(Finding("extra-row", message, where, fix=fix))
