"""Controls: what is taken out and planted, and which criteria give none."""

from __future__ import annotations

import pytest

from eval_tiers.rubrics.content import Rarity, content_terms, named_terms, share_held
from eval_tiers.rubrics.controls import (
    PLANTED,
    REMOVED,
    RubricControl,
    draw_controls,
)
from eval_tiers.rubrics.statements import statement_of
from eval_tiers.rubrics.tasks import Rubric, RubricTask

REPORT = """\
# Liver in space

The samples come from OSD-47, an archive entry.

Lipid metabolism was induced, by Cyp4a10 above all.

Mice lost weight during the flight.

Immune cells were fewer.
"""


def task(*criteria: str, sample_id: str = "r1", weight: float = 5) -> RubricTask:
    rubrics = tuple(Rubric(criterion, weight, "Evidence") for criterion in criteria)
    return RubricTask(sample_id, "Report.", "Biology", "Simple", "Simple", "Low", rubrics, 1)


def drawn(*criteria: str, report: str = REPORT, weight: float = 5) -> dict[str, RubricControl]:
    found = draw_controls([task(*criteria, weight=weight)], {"r1": report}, 10, 0)
    return {one.kind: one for one in found.controls}


def reason(*criteria: str, report: str = REPORT) -> dict[str, str]:
    found = draw_controls([task(*criteria)], {"r1": report}, 10, 0)
    return {one.kind: one.reason for one in found.shortfalls}


def test_what_the_criterion_is_about_is_taken_out() -> None:
    control = drawn("Names OSD-47")[REMOVED]
    assert control.truth == "Not Satisfied"
    assert "OSD-47" not in control.report
    assert control.report == REPORT.replace(
        "The samples come from OSD-47, an archive entry.\n\n", ""
    )


def test_a_sentence_is_planted_where_the_content_was_taken_out() -> None:
    control = drawn("States that lipid metabolism is induced by Cyp4a10")[PLANTED]
    assert control.truth == "Satisfied"
    assert control.report.count("Cyp4a10") == 1
    assert "Lipid metabolism is induced by Cyp4a10." in control.report
    assert "above all" not in control.report
    # within a paragraph of prose, not after a heading
    assert "space Lipid" not in control.report


def test_penalties_give_controls_like_any_criterion() -> None:
    found = drawn("States that mice lost weight during the flight", weight=-4)
    assert "lost weight" not in found[REMOVED].report
    assert "Mice lost weight during the flight." in found[PLANTED].report


@pytest.mark.parametrize(
    "criterion",
    ["Does not claim causality", "Avoids the word cure of OSD-47", "Is well structured",
     "Uses OSD-47 without naming mice", "Gives a table of lipid metabolism"],
)  # fmt: skip
def test_absence_and_form_give_none(criterion: str) -> None:
    assert drawn(criterion) == {}
    assert set(reason(criterion)) == {PLANTED, REMOVED}
    assert "asks for an absence or for form" in reason(criterion)[REMOVED]


def test_what_no_paragraph_holds_is_not_taken_out_but_may_be_planted() -> None:
    found = drawn("Names GSE12345")
    assert set(found) == {PLANTED}
    assert found[PLANTED].report.replace(" Of note here is GSE12345.", "") == REPORT
    assert "held by no paragraph" in reason("Names GSE12345")[REMOVED]


def test_a_report_of_which_too_little_would_be_left_gives_none() -> None:
    report = "OSD-47 and its samples, in OSD-47.\n\nNo more.\n"
    assert drawn("Names OSD-47", report=report) == {}
    assert "too much of its report" in reason("Names OSD-47", report=report)[REMOVED]


def test_too_few_are_counted_with_their_reasons() -> None:
    found = draw_controls([task("Names OSD-47", "Is clear")], {"r1": REPORT}, 30, 0)
    (planted, removed) = found.shortfalls
    assert (planted.wanted, planted.made, removed.made) == (30, 1, 1)
    assert planted.reason == "of 2 rubrics with a report: 1 asks for an absence or for form"


def test_no_report_no_controls() -> None:
    found = draw_controls([task("Names OSD-47")], {}, 5, 0)
    assert found.controls == []
    assert {one.reason for one in found.shortfalls} == {"no task has a report"}
    assert draw_controls([task("Names OSD-47")], {"r1": REPORT}, 0, 0).shortfalls == []


def test_the_seed_decides_and_nothing_else() -> None:
    tasks = [task("Names OSD-47", sample_id=f"r{n}") for n in range(20)]
    reports = {one.sample_id: REPORT for one in tasks}
    first = draw_controls(tasks, reports, 5, 1)
    assert draw_controls(tasks, reports, 5, 1) == first
    assert draw_controls(tasks, reports, 5, 2) != first
    assert len(first.controls) == 10 and not first.shortfalls


@pytest.mark.parametrize(
    ("criterion", "statement"),
    [
        ("The response states that TP53 is induced.", "TP53 is induced."),
        ("Explicitly notes that the liver is affected", "The liver is affected."),
        ("Mentions OSD-47 and Cyp4a10", "Of note here is OSD-47 and Cyp4a10."),
        ("Identifies p53 as a tumour suppressor", "p53 is a tumour suppressor."),
        ("Identifies at least one gene as induced", None),
        ("States which gene is induced", None),
        ("Names at least two datasets, such as OSD-47", None),
        ("Names the mission on which OSD-47 flew, or when", None),
        ("Explains OSD-47", None),
        ("Gives a q-value", None),
        ("States that " + "x" * 400, None),
    ],
)
def test_what_a_sentence_can_state(criterion: str, statement: str | None) -> None:
    assert statement_of(criterion) == statement


def test_words_are_weighed_by_how_few_paragraphs_have_them() -> None:
    rarity = Rarity()
    for terms in ({"liver"}, {"liver"}, {"liver", "tp53"}):
        rarity.add(terms)
    weights = rarity.weights({"liver", "tp53", "gone"})
    assert weights["liver"] < weights["tp53"] < weights["gone"]
    assert share_held({"liver", "tp53", "gone"}, weights) == 1
    assert share_held(set(), weights) == 0 == share_held({"a"}, {})


def test_endings_do_not_matter_and_ids_are_whole() -> None:
    assert content_terms("inducing genes") == content_terms("gene induced") == {"gen", "induc"}
    assert named_terms("OSD-47, OSD-471; HLA-DRB1") == {"osd-47", "osd-471", "hla-drb1"}
