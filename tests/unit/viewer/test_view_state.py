"""The address of a view: read, written, and refused."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest

from eval_tiers.viewer.view_state import BadQuery, View, parse_view

VOCABULARY = {"error_label": ("CORRECT", "PARSE_FAIL", "-"), "split": ("a b", "c&d")}
SORTABLE = ("sample_id", "edge_f1")


def parsed(query: str) -> View:
    return parse_view(parse_qsl(query, keep_blank_values=True), VOCABULARY, SORTABLE)


@pytest.mark.parametrize(
    "query",
    [
        "",
        "error_label=CORRECT&error_label=-",
        "split=c%26d&gene=TP53&id=Q%2F1&sort=-edge_f1&size=25&page=3",
        "gene=%3Cscript%3E",
    ],
)
def test_an_address_opens_the_same_view_again(query: str) -> None:
    view = parsed(query)
    assert view.query() == query
    assert parsed(view.query()) == view


def test_blank_values_are_none_and_repeats_count_once() -> None:
    assert parsed("gene=&split=&page=&error_label=CORRECT&error_label=CORRECT") == View(
        chosen=(("error_label", ("CORRECT",)),)
    )


@pytest.mark.parametrize(
    "query",
    [
        "error_label=NONSENSE",
        "nothing=1",
        "page=0",
        "page=-1",
        "page=1e3",
        "page=99999999999",
        "page=٣",
        "size=7",
        "sort=gold_label",
        "sort=--edge_f1",
        "sort=edge_f1;drop table samples",
        "gene=a%00b",
        "gene=" + "x" * 201,
        "page=1&page=2",
    ],
)
def test_what_there_is_not_is_refused(query: str) -> None:
    with pytest.raises(BadQuery):
        parsed(query)


def test_sorting_turns_and_ends_and_goes_to_the_first_page() -> None:
    first = parsed("page=4").sorted_by("edge_f1")
    assert (first.sort, first.descending, first.page) == ("edge_f1", False, 1)
    second = first.sorted_by("edge_f1")
    assert (second.sort, second.descending) == ("edge_f1", True)
    assert second.sorted_by("edge_f1").sort == ""


def test_a_value_is_chosen_and_left_again() -> None:
    view = parsed("page=4").toggled("split", "c&d")
    assert view.query() == "split=c%26d"
    assert view.toggled("split", "c&d") == View()


def test_a_column_with_more_values_than_are_listed_takes_any() -> None:
    view = parse_view([("split", "never listed")], VOCABULARY, SORTABLE, {"split"})
    assert view.chosen == (("split", ("never listed",)),)
    with pytest.raises(BadQuery):
        parse_view([("error_label", "never listed")], VOCABULARY, SORTABLE, {"split"})
