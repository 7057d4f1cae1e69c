"""The dot plot: well-formed, every shown dot with its numbers, nothing that runs."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from eval_tiers.go.enrichment import EnrichedTerm
from eval_tiers.report.dot_plot import render_dot_plot

SVG = "{http://www.w3.org/2000/svg}"


def row(group: str, term: str, q_value: float, overlap_n: int = 3) -> EnrichedTerm:
    return EnrichedTerm(group, term, "", overlap_n, 10, 5, 50, 1.0, 2.0, q_value / 2, q_value, ())


def dots(text: str) -> dict[str, ElementTree.Element]:
    """Dots by their title; those of the legend have none."""
    root = ElementTree.fromstring(text)
    return {
        title.text or "": circle
        for circle in root.iter(f"{SVG}circle")
        if (title := circle.find(f"{SVG}title")) is not None
    }


def test_dots_say_what_they_are() -> None:
    text = render_dot_plot([row("A", "T1", 0.001, 8), row("A", "T2", 0.2), row("B", "T1", 1.0, 2)],
                           ["A", "B"])  # fmt: skip
    found = dots(text)
    assert set(found) == {
        "A, T1: 8 of 10 genes (1.0 expected), q = 0.001",
        "A, T2: 3 of 10 genes (1.0 expected), q = 0.2",
        "B, T1: 2 of 10 genes (1.0 expected), q = 1",
    }
    filled = {title for title, dot in found.items() if dot.get("fill")}
    assert filled == {"A, T1: 8 of 10 genes (1.0 expected), q = 0.001"}
    radius = [float(dot.get("r") or 0) for dot in found.values()]
    assert radius[0] > radius[1] > radius[2]


def test_sets_with_the_smallest_q_are_shown() -> None:
    rows = [row("A", f"T{number:03}", 1 / (1 + number)) for number in range(60)]
    found = dots(render_dot_plot(rows, ["A"], most_terms=10))
    shown = sorted(re.findall(r"T\d{3}", " ".join(found)))
    assert shown == [f"T{number:03}" for number in range(50, 60)]


def test_names_are_inert() -> None:
    nasty = '</text><script>alert(1)</script>"&\x00\x1b\u202e\ufffe\ud800'
    text = render_dot_plot([row(nasty, nasty, 0.01)], [nasty])
    text.encode("utf-8")
    root = ElementTree.fromstring(text)
    assert not list(root.iter(f"{SVG}script"))
    assert "<script" not in text


def test_nothing_to_show() -> None:
    for rows, groups in (([], ["A"]), ([row("A", "T", 0.1)], [])):
        text = render_dot_plot(rows, groups)
        ElementTree.fromstring(text)
        assert "No set could be tested" in text
