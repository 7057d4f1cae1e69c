"""The report as it is drawn: its charts, what they say, and the way through the page."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser.conftest import Shown
from tests.browser.watching import NARROW, WIDE, Watched

Window = Callable[..., Watched]

# Of each figure with a chart: its sentences, and what is drawn in it that can be seen.
_FIGURES = """() => [...document.querySelectorAll(".figure")].map((figure) => {
    const chart = figure.querySelector(".chart svg");
    const marks = chart ? [...chart.querySelectorAll(
        "rect, circle, path, line.whisker, line.band, polyline, polygon")] : [];
    const seen = marks.filter((one) => {
        const box = one.getBoundingClientRect(), style = getComputedStyle(one);
        return (box.width > 0 || box.height > 0)
            && (style.fill !== "none" || style.stroke !== "none");
    });
    return {
        title: figure.querySelector("h3").textContent,
        says: figure.querySelector("p").textContent.trim(),
        reads: (figure.querySelector(".reads") || {textContent: ""}).textContent.trim(),
        chart: Boolean(chart),
        described: chart ? chart.querySelector("desc").textContent.length : 0,
        marks: seen.length,
        undefined: chart ? [...chart.querySelectorAll("text.num")].length > 0
            && [...chart.querySelectorAll("text.num")].every(
                (one) => one.textContent === "undefined") : false,
        tables: figure.querySelectorAll("table").length,
    };
})"""
_CUT_TEXTS = """() => [...document.querySelectorAll(".chart svg")].flatMap((svg) => {
    const edge = svg.getBoundingClientRect();
    return [...svg.querySelectorAll("text")].filter((one) => {
        const box = one.getBoundingClientRect();
        return box.left < edge.left - 1 || box.right > edge.right + 1
            || box.top < edge.top - 1 || box.bottom > edge.bottom + 1;
    }).map((one) => svg.querySelector("title").textContent + ": " + one.textContent);
})"""
# Upright texts of a chart that cover each other by more than a hair.
_COVERED_TEXTS = """() => [...document.querySelectorAll(".chart svg")].flatMap((svg) => {
    const texts = [...svg.querySelectorAll("text:not([transform])")];
    const boxes = texts.map((one) => one.getBoundingClientRect());
    const found = [];
    for (let a = 0; a < boxes.length; a += 1) {
        for (let b = a + 1; b < boxes.length; b += 1) {
            const across = Math.min(boxes[a].right, boxes[b].right)
                - Math.max(boxes[a].left, boxes[b].left);
            const down = Math.min(boxes[a].bottom, boxes[b].bottom)
                - Math.max(boxes[a].top, boxes[b].top);
            if (across > 2 && down > 4) {
                found.push(svg.querySelector("title").textContent + ": "
                    + texts[a].textContent + " / " + texts[b].textContent);
            }
        }
    }
    return found;
})"""


@pytest.fixture(params=["chains", "cited"])
def shown(request: pytest.FixtureRequest) -> Shown:
    found: Shown = request.getfixturevalue(request.param)
    return found


def test_each_figure_is_drawn_and_explained(window: Window, shown: Shown) -> None:
    figures = window(shown.report).page.evaluate(_FIGURES)
    charts = [one for one in figures if one["chart"]]
    assert len(charts) >= 10
    for one in figures:
        assert len(one["says"]) > 20, one
        assert one["tables"] or one["chart"] or "There is nothing to draw" in one["says"], one
    for one in charts:
        assert (one["marks"] > 0) != one["undefined"], one
        assert one["reads"] and one["tables"] > 0, one
        assert one["described"] > 10, one


@pytest.mark.parametrize("width", [NARROW, WIDE])
def test_no_text_of_a_chart_is_cut_or_covered(window: Window, shown: Shown, width: int) -> None:
    page = window(shown.report, width).page
    assert page.evaluate(_CUT_TEXTS) == []
    assert page.evaluate(_COVERED_TEXTS) == []


def test_the_contents_lead_to_each_section(window: Window, shown: Shown) -> None:
    page = window(shown.report, NARROW).page
    links = page.locator("nav a")
    assert links.count() >= 5
    for place in range(links.count()):
        title = links.nth(place).inner_text()
        links.nth(place).focus()
        page.keyboard.press("Enter")
        heading = page.locator("section:target h2")
        assert heading.inner_text() == title
        top = heading.evaluate("one => one.getBoundingClientRect().top")
        assert -1 <= top < 1000


def test_a_table_opens_by_keyboard(window: Window, chains: Shown) -> None:
    page = window(chains.report).page
    table = page.locator("details").nth(2)
    cell = table.locator("td").first
    table.locator("summary").focus()
    for expected in (not cell.is_visible(), cell.is_visible()):
        page.keyboard.press("Enter")
        assert cell.is_visible() == expected


def test_series_differ_by_shape_and_not_by_colour_alone(window: Window, shown: Shown) -> None:
    """Marks of two colours in one chart have two shapes or two texts beside them."""
    same = window(shown.report).page.evaluate(
        """() => [...document.querySelectorAll(".chart svg")].flatMap((svg) => {
            const shapes = {};
            for (const one of svg.querySelectorAll("circle, path, rect")) {
                const series = [...one.classList].find((name) => /^fill[0-3]$/.test(name));
                if (!series || one.tagName === "rect" && one.width.baseVal.value !== 10) { continue; }
                const shape = one.tagName + (one.getAttribute("d") || "").replace(/^M[^a-z]*/, "");
                (shapes[shape] = shapes[shape] || new Set()).add(series);
            }
            return Object.entries(shapes).filter(([_, series]) => series.size > 1)
                .map(([shape]) => svg.querySelector("title").textContent + ": " + shape);
        })"""
    )
    assert same == []


def test_paper_is_black_on_white_and_wide_enough(window: Window, shown: Shown) -> None:
    watched = window(shown.report, 720)
    watched.page.emulate_media(media="print")
    assert watched.sticking_out() == []
    assert watched.page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    wide = window(shown.report, WIDE)
    wide.page.emulate_media(media="print")
    assert wide.page.locator("nav").is_hidden()
