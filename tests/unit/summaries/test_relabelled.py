"""A summary after relabelling: what is replaced, what becomes null, what is counted."""

from __future__ import annotations

import copy

import numpy as np

from eval_tiers.domain.taxonomy import ERROR_LABEL_CODES
from eval_tiers.summaries.relabelled import (
    changed_figures,
    figures_named,
    replace_file_rows,
    replaced,
    transition_rows,
    transitions,
)


def labels(*names: str | None) -> np.ndarray[tuple[int], np.dtype[np.int8]]:
    codes = [-1 if name is None else ERROR_LABEL_CODES[name] for name in names]
    return np.array(codes, np.int8)


def test_transitions_by_hand() -> None:
    before = labels("CORRECT", "CORRECT", None, "UNCLASSIFIED", "CORRECT")
    after = labels("CORRECT", "CORRECT_SIGN_FLIP", None, None, "CORRECT")
    matrix = transitions(before, after)
    assert matrix.sum() == 5
    assert matrix.trace() == 3
    assert transition_rows(matrix) == {
        "CORRECT": {"CORRECT": 2, "CORRECT_SIGN_FLIP": 1},
        "UNCLASSIFIED": {"none": 1},
        "none": {"none": 1},
    }
    assert transition_rows(transitions(labels(), labels())) == {}


def test_what_stands_beside_a_figure_goes_with_it() -> None:
    figures = {"x": 1, "x_n": 2, "x_low": 0, "x_clustered_high": 3, "x_y": 4, "z": 5}
    assert set(figures_named(figures, ["x"])) == {"x", "x_n", "x_low", "x_clustered_high"}


def test_figures_are_replaced_where_they_are() -> None:
    summary = {
        "n": 4,
        "hard_case_n": 1,
        "by_split": {"a": {"n": 2, "hard_case_n": 1}, "(none)": {"n": 2, "hard_case_n": 0}},
        "by_tissue": {"liver": {"n": 4, "hard_case_n": 1, "accuracy": 0.5}},
    }
    untouched = copy.deepcopy(summary)
    new, nulled = replaced(
        summary,
        {"hard_case_n": 3},
        {"by_split": {"a": {"hard_case_n": 2}, "(none)": {"hard_case_n": 1}}},
    )
    assert summary == untouched
    assert nulled == ["by_tissue"]
    assert new["hard_case_n"] == 3
    assert new["by_split"] == {
        "a": {"n": 2, "hard_case_n": 2},
        "(none)": {"n": 2, "hard_case_n": 1},
    }
    assert new["by_tissue"] == {"liver": {"n": 4, "hard_case_n": None, "accuracy": 0.5}}


def test_rows_of_files() -> None:
    rows = [{"gold_path": "g", "n": 2, "hard_case_n": 0, "CORRECT": 2}, {"gold_path": "h", "n": 1}]
    replace_file_rows(rows, {"g": {"hard_case_n": 1, "error_distribution": {"CORRECT": 1}}})
    assert rows == [
        {"gold_path": "g", "n": 2, "hard_case_n": 1, "CORRECT": 1},
        {"gold_path": "h", "n": 1},
    ]


def test_only_what_differs_is_listed() -> None:
    before = {"a": 1, "b": 0.5, "c": None, "d": {"x": 1}}
    found = changed_figures(before, {"a": 1, "b": 0.25, "c": 0.1, "d": {"x": 2}})
    assert found == {"b": {"before": 0.5, "after": 0.25}, "c": {"before": None, "after": 0.1}}
