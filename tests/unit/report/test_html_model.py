"""Figures out of a summary: values, shares, intervals, and what is undefined."""

from __future__ import annotations

import pytest

from eval_tiers.exceptions import BadInputError
from eval_tiers.go.enrichment import EnrichedTerm
from eval_tiers.metrics.intervals import wilson_interval
from eval_tiers.report.html.answers import class_table
from eval_tiers.report.html.build import build_report
from eval_tiers.report.html.confidence import confidence_section
from eval_tiers.report.html.enrichment import enrichment_section
from eval_tiers.report.html.examiner import rescue_section
from eval_tiers.report.html.figures import count_figure, matrix_figure, plain_table, rate_figure
from eval_tiers.report.html.model import (
    MOST_ROWS,
    Named,
    Rate,
    interval_text,
    named,
    rate_of,
    value_cell,
)
from eval_tiers.report.html.render import render_report
from eval_tiers.report.html.similarity import distribution


def test_a_rate_takes_what_lies_beside_it() -> None:
    summary = {"a": 0.5, "a_n": 4, "a_low": 0.1, "a_high": 0.9, "b": None, "b_n": 0, "c": 0.25}
    assert rate_of(summary, "a") == Rate(0.5, 0.1, 0.9, 4)
    assert rate_of(summary, "b") == Rate(None, None, None, 0)
    assert rate_of(summary, "c", 8) == Rate(0.25, None, None, 8)
    clustered = summary | {"a_clustered_low": 0.0, "a_clustered_high": 1.0}
    assert rate_of(clustered, "a") == Rate(0.5, 0.0, 1.0, 4, (0.1, 0.9))
    assert [row.key for row in named(summary, [("a", "x"), ("missing", "y")])] == ["a"]


def test_undefined_is_a_word_and_never_0() -> None:
    assert value_cell(None).text == "undefined" and value_cell(None).exact is None
    assert (value_cell(0.0).text, value_cell(0.0).exact) == ("0.0%", 0.0)
    assert interval_text(None, 1.0) == "" and interval_text(0.0, 0.114) == "[0.0%, 11.4%]"


def test_count_figure_gives_wilson_intervals() -> None:
    figure = count_figure("x", "T", "S", "R", {"a": 3, "b": 0}, 30, key="k")
    (table,) = figure.tables
    (first, second) = table.rows
    assert first.key == "k.a" and [cell.text for cell in first.cells[:3]] == ["3", "30", "10.0%"]
    low, high = wilson_interval(0, 30) or (None, None)
    assert second.cells[3].text == interval_text(low, high) == "[0.0%, 11.4%]"


def test_count_figure_of_nothing() -> None:
    (row,) = count_figure("x", "T", "S", "R", {"a": 0}).tables[0].rows
    assert [cell.text for cell in row.cells] == ["0", "0", "undefined", "none"]
    assert count_figure("x", "T", "S", "R", {}).tables[0].rows == ()


def test_a_range_has_no_value() -> None:
    figure = rate_figure("x", "T", "S", "R", [Named("band", "b", Rate(None, 0.1, 0.2, 9))])
    assert [cell.text for cell in figure.tables[0].rows[0].cells] == [
        "a range", "[10.0%, 20.0%]", "9",
    ]  # fmt: skip


def test_intervals_of_independent_rows_get_a_column_of_their_own() -> None:
    rows = [Named("a", "a", Rate(0.5, 0.4, 0.6, 9, (0.3, 0.7))), Named("b", "b", Rate(0.5))]
    table = rate_figure("x", "T", "S", "R", rows).tables[0]
    assert table.columns[-1] == "if rows were independent"
    assert [row.cells[-1].text for row in table.rows] == ["[30.0%, 70.0%]", ""]


def test_long_tables_are_cut_and_counted() -> None:
    rows = [Named(str(n), "", Rate(0.5)) for n in range(MOST_ROWS + 7)]
    assert rate_figure("x", "T", "S", "R", rows).tables[0].left_out_n == 7
    plain = plain_table("T", ("a", "b"), [(str(n), ["x"]) for n in range(MOST_ROWS + 3)])
    assert (len(plain.rows), plain.left_out_n) == (MOST_ROWS, 3)


def test_matrix_shows_counts_with_their_shares() -> None:
    figure = matrix_figure("x", "T", "S", "R", {"r": {"a": 1, "b": 3}}, "corner")
    assert figure.tables[0].columns == ("corner", "a", "b")
    assert [cell.text for cell in figure.tables[0].rows[0].cells] == ["1 (25.0%)", "3 (75.0%)"]


@pytest.mark.parametrize(("bins", "why"), [(None, "no such figure"), ({}, "null everywhere")])
def test_a_distribution_of_nothing_says_why(bins: dict[str | None, list[int]], why: str) -> None:
    figure = distribution(bins, {}, "GO similarity")
    assert figure.chart == "" and why in figure.reads


def test_a_distribution_has_rows_without_a_label_too() -> None:
    figure = distribution({None: [0, 2], "CORRECT": [1, 0]}, None, "GO similarity")
    assert [row.name for row in figure.tables[0].rows] == ["CORRECT", "(none)"]


def test_a_summary_that_lacks_figures_is_one_error() -> None:
    with pytest.raises(BadInputError) as found:
        build_report({"format": "rr10", "n": 1, "tiers": [1], "eval_tiers_version": "9.9"}, {})
    assert "9.9" in str(found.value)


def test_confidence_holds_bins_against_what_they_state() -> None:
    summary = {
        "calibration": {
            "n": 2, "missing_n": 1, "accuracy": 0.5, "accuracy_n": 2, "accuracy_low": 0.1,
            "accuracy_high": 0.9, "mean_confidence": 0.95, "brier": 0.45,
            "expected_calibration_error": 0.45,
            "bins": [
                {"low": 0.0, "high": 0.1, "n": 0, "mean_confidence": None, "accuracy": None},
                {"low": 0.9, "high": 1.0, "n": 2, "mean_confidence": 0.95, "accuracy": 0.5},
            ],
            "risk_coverage": {"n": 2, "aurc": 0.25, "risk": 0.5, "points": [
                {"confidence": 1.0, "n": 1, "coverage": 0.5, "risk": 0.0},
                {"confidence": 0.9, "n": 2, "coverage": 1.0, "risk": 0.5},
            ]},
            "label_prob": None,
        }
    }  # fmt: skip
    section = confidence_section(summary)
    assert section is not None
    bins = section.figures[1].tables[0].rows
    assert [(row.name, row.cells[0].text) for row in bins] == [
        ("confidence 0.9 to 1", "0.500"), ("... stated", "0.950"),
    ]  # fmt: skip
    risks = section.figures[2].tables[0].rows
    assert [(row.name, row.cells[0].text) for row in risks] == [
        ("the surest 50%", "0.0%"), ("the surest 100%", "50.0%"),
    ]  # fmt: skip
    assert confidence_section({}) is None


def test_rescue_without_its_table_says_so() -> None:
    line = {
        f"{key}{part}": None
        for key in ("hard_correct_rate", "effective_symbolic_rate", "effective_corrected_rate",
                    "effective_correct_rate")
        for part in ("", "_n", "_low", "_high")
    }  # fmt: skip
    rescue = {
        "headline": line | {"effective_corrected_if_worse": []}, "correction": {},
        "annotation_dispute_rate": None, "both_sign_routes_rate": None, "verdict_counts": {},
        "no_verdict": {}, "examiners": [], "verdict_n": 0, "reply_n": 0, "request_n": 0,
        "owed_n": 3,
    }  # fmt: skip
    section = rescue_section(rescue, None)
    assert "not in the run's folder" in section.figures[1].reads
    assert "no controls" in section.figures[0].notes[0] and "3 replies are owed" in section.text


def test_precision_and_recall_have_n_and_interval() -> None:
    three = {"precision": 0.75, "precision_n": 4, "precision_low": 0.301, "precision_high": 0.954}
    up = three | {"recall": 0.5, "recall_n": 4, "recall_low": 0.2, "recall_high": 0.8, "f1": 0.75,
                  "recall_clustered_low": 0.1, "recall_clustered_high": 0.9, "support": 4}  # fmt: skip
    down = {"precision": 0.0, "precision_n": 1, "recall": 0.0, "f1": None, "support": 2}
    up_row, down_row = class_table({"up": up, "down": down}).rows
    assert up_row.cells[0].text == "0.750 [0.301, 0.954] (4)"
    assert up_row.cells[1].text == "0.500 [0.100, 0.900] (4)"
    assert down_row.cells[0].text == "0.000 (1)"
    assert down_row.cells[2].text == "undefined"


def test_enrichment_ranks_by_q_and_says_what_was_not_tested() -> None:
    def term(name: str, q: float) -> EnrichedTerm:
        return EnrichedTerm("CORRECT", name, "", 2, 5, 4, 50, 0.4, 9.0, q / 2, q, ("A", "B"))

    tested = {
        "background_gene_n": 50, "test_n": 2, "method": "M",
        "labels": {"CORRECT": {"tested": True, "reason": None},
                   "PARSE_FAIL": {"tested": False, "reason": "too few genes"}},
    }  # fmt: skip
    (figure,) = enrichment_section(tested, [term("<b>late</b>", 0.5), term("early", 0.01)]).figures
    assert [row.name for row in figure.tables[0].rows] == ["early", "<b>late</b>"]
    assert figure.tables[0].rows[0].cells[-1].exact == 0.01
    assert "<b>" not in figure.chart and "PARSE_FAIL: too few genes." in figure.notes
    (nothing,) = enrichment_section(tested, []).figures
    assert nothing.chart == "" and nothing.tables == ()


def test_render_escapes_what_the_model_holds() -> None:
    from eval_tiers.report.html.model import Report, Section, Tile

    evil = "<script>alert(1)</script>\ud800\x07"
    report = Report(
        evil, (evil,), (evil,), (Tile(evil, value_cell(0.5), evil, evil, evil),),
        (Section("a", evil, (count_figure("x", evil, evil, evil, {evil: 1}),), evil),), evil,
    )  # fmt: skip
    page = render_report(report).decode("utf-8")
    assert "<script" not in page and "\x07" not in page
    assert r"\x07" in page
