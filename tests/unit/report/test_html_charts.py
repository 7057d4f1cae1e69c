"""Charts: where marks lie, what is written beside them, and that names are escaped."""

from __future__ import annotations

import itertools
import re
from xml.etree import ElementTree

import pytest

from eval_tiers.report.html.charts import Dot, bars, heat, histograms, interval_dots, shares_of
from eval_tiers.report.html.flows import flow
from eval_tiers.report.html.model import Rate
from eval_tiers.report.html.squares import trade_off

EVIL = '</text><script>alert("x")</script>\u202e'


def parsed(svg: str) -> ElementTree.Element:
    """The chart as XML; each has a title and a description."""
    root = ElementTree.fromstring(svg)
    assert [child.tag for child in root[:2]] == ["title", "desc"]
    assert root.get("aria-labelledby") == f"{root[0].get('id')} {root[1].get('id')}"
    return root


def texts(root: ElementTree.Element) -> list[str]:
    return [str(element.text) for element in root.iter("text")]


def test_interval_dots_put_values_to_scale() -> None:
    dots = [Dot("a", 0.0, None, None, "0.0%"), Dot("b", 1.0, 0.5, 1.0, "100.0%")]
    root = parsed(interval_dots("x", "T", "D", dots))
    left, right = (float(str(circle.get("cx"))) for circle in root.iter("circle"))
    ticks = [line for line in root.iter("line") if line.get("class") == "grid"]
    assert (left, right) == (float(str(ticks[0].get("x1"))), float(str(ticks[-1].get("x1"))))
    (whisker,) = [
        line for line in root.iter("line")
        if "whisker" in str(line.get("class")) and line.get("y1") == line.get("y2")
    ]  # fmt: skip
    assert float(str(whisker.get("x1"))) == pytest.approx((left + right) / 2)
    assert {"a", "b", "0.0%", "100.0%"} <= set(texts(root))


def test_the_axis_begins_below_0_where_marks_or_intervals_do() -> None:
    dots = [Dot("a", -0.5, -3.0, 0.5, "-0.500"), Dot("b", 1.0, None, None, "1.000")]
    root = parsed(interval_dots("x", "T", "D", dots, as_percent=False))
    ticks = [
        float(str(line.get("x1"))) for line in root.iter("line") if line.get("class") == "grid"
    ]
    assert {"-1", "-0.5", "0", "0.5", "1"} <= set(texts(root))
    places = [float(str(circle.get("cx"))) for circle in root.iter("circle")]
    assert places == pytest.approx([ticks[1], ticks[4]])
    whisker = next(line for line in root.iter("line") if "whisker" in str(line.get("class")))
    assert float(str(whisker.get("x1"))) == ticks[0]  # what lies beyond ends at the axis' end
    assert float(str(whisker.get("x2"))) == pytest.approx(ticks[3])


def test_undefined_draws_no_mark_and_values_beyond_stay_inside() -> None:
    assert "circle" not in interval_dots("x", "T", "D", [Dot("a", None, None, None, "undefined")])
    root = parsed(interval_dots("x", "T", "D", [Dot("a", 3.0, -1.0, 9.0, "3")]))
    width = float(str(root.get("viewBox")).split()[2])
    for circle in root.iter("circle"):
        assert 0 < float(str(circle.get("cx"))) < width


def test_each_series_has_its_own_shape() -> None:
    shapes = [
        [element.tag for element in parsed(
            interval_dots("x", "T", "D", [Dot("a", 0.5, None, None, "", series)])
        ).iter() if "fill" in str(element.get("class"))]
        for series in range(4)
    ]  # fmt: skip
    assert shapes == [["circle"], ["rect"], ["path"], ["path"]]
    assert interval_dots("x", "T", "D", [Dot("a", 0.5, None, None, "", 2)]) != interval_dots(
        "x", "T", "D", [Dot("a", 0.5, None, None, "", 3)]
    )


def test_bars_are_as_long_as_their_counts() -> None:
    root = parsed(bars("x", "T", "D", [("a", 10, "10"), ("b", 5, "5"), ("c", 0, "0")]))
    widths = [float(str(rect.get("width"))) for rect in root.iter("rect")]
    assert widths[1] == pytest.approx(widths[0] / 2) and widths[2] == 0
    parsed(bars("x", "T", "D", []))
    parsed(bars("x", "T", "D", [("a", 0, "0")]))


def test_heat_writes_each_number_and_darkens_by_share() -> None:
    root = parsed(heat("x", "T", "D", ["r1", "r2"], ["c1", "c2"], [[3, 1], [0, 0]]))
    cells = list(root.iter("rect"))
    opacity = [float(str(cell.get("fill-opacity"))) for cell in cells]
    assert opacity[0] == pytest.approx(3 * opacity[1], abs=0.01) and opacity[2:] == [0, 0]
    assert texts(root).count("0") == 2 and "75.0%" in texts(root) and "-" in texts(root)


@pytest.mark.parametrize(
    ("by", "wanted"),
    [
        ("row", [[0.25, 0.75], [1.0, 0.0]]),
        ("column", [[0.2, 1.0], [0.8, 0.0]]),
        ("all", [[0.125, 0.375], [0.5, 0.0]]),
    ],
)
def test_shares(by: str, wanted: list[list[float]]) -> None:
    assert shares_of([[1, 3], [4, 0]], by) == wanted


def test_histograms_share_one_scale() -> None:
    rows = [("a", [0, 10], 0.9, 1.0), ("b", [50, 50], None, None)]
    root = parsed(histograms("x", "T", "D", rows))
    heights = [float(str(rect.get("height"))) for rect in root.iter("rect")]
    assert heights[0] == pytest.approx(2 * heights[1], abs=0.1) and heights[1] == heights[2]
    assert "n 100, mean -, median -" in texts(root)
    parsed(histograms("x", "T", "D", [("a", [0, 0], None, None)]))


def test_flow_keeps_the_total_of_every_stage() -> None:
    ways = [(("A", "yes", "A"), 3), (("A", "no", "B"), 1), (("C", "no", "C"), 6)]
    root = parsed(flow("x", "T", "D", ("from", "by", "to"), ways))
    tips = [str(rect[0].text) for rect in root.iter("rect")]
    for stage in (("A: 4", "C: 6"), ("no: 7", "yes: 3"), ("A: 3", "B: 1", "C: 6")):
        assert set(stage) <= set(tips)
    ribbons = [str(path[0].text) for path in root.iter("path")]
    assert ribbons == ["A to no: 1", "A to yes: 3", "C to no: 6", "no to B: 1", "no to C: 6",
                       "yes to A: 3"]  # fmt: skip
    heights = {tip: float(str(rect.get("height"))) for rect, tip in
               zip(root.iter("rect"), tips, strict=True)}  # fmt: skip
    assert heights["C: 6"] == pytest.approx(6 * heights["B: 1"], rel=0.01)
    parsed(flow("x", "T", "D", ("from", "by", "to"), []))


def test_labels_of_a_flow_never_lie_on_each_other() -> None:
    ways = [((f"label {n:02}", "one", f"end {n:02}"), 1 if n else 5_000) for n in range(40)]
    root = parsed(flow("x", "T", "D", ("from", "by", "to"), ways))
    lefts = sorted(
        float(str(text.get("y"))) for text in root.iter("text")
        if str(text.text).startswith("label")
    )  # fmt: skip
    assert min(b - a for a, b in itertools.pairwise(lefts)) > 11


def test_trade_off_puts_the_best_corner_at_the_lower_left() -> None:
    def at(over: float, abstained: float) -> tuple[float, float]:
        root = parsed(trade_off("x", "T", "D", Rate(over), Rate(abstained)))
        (circle,) = root.iter("circle")
        return float(str(circle.get("cx"))), float(str(circle.get("cy")))

    best, worst = at(0, 0), at(1, 1)
    assert best[0] < worst[0] and best[1] > worst[1]
    assert "circle" not in trade_off("x", "T", "D", Rate(None), Rate(0.5))


@pytest.mark.parametrize(
    "svg",
    [
        interval_dots(EVIL[:0] + "x", EVIL, EVIL, [Dot(EVIL, 0.5, 0.1, 0.9, EVIL)]),
        bars("x", EVIL, EVIL, [(EVIL, 1, EVIL)]),
        heat("x", EVIL, EVIL, [EVIL], [EVIL], [[1]]),
        histograms("x", EVIL, EVIL, [(EVIL, [1], 0.5, 0.5)]),
        flow("x", EVIL, EVIL, (EVIL, EVIL, EVIL), [((EVIL, EVIL, EVIL), 1)]),
    ],
    ids=["dots", "bars", "heat", "histograms", "flow"],
)
def test_names_are_text_and_nothing_else(svg: str) -> None:
    root = parsed(svg)
    assert {element.tag for element in root.iter()} <= {
        "svg", "title", "desc", "text", "rect", "line", "path", "circle",
    }  # fmt: skip
    assert "\u202e" not in svg
    assert re.search(r"\son\w+=", svg) is None
