"""The text of a contrast: sides, orientation, and what else differs."""

from __future__ import annotations

import time

import pytest

from eval_tiers.kg.contrasts import Contrast, parse_contrast


@pytest.mark.parametrize(
    ("text", "treatment", "control"),
    [
        ("(Space Flight)v(Ground Control)", "Space Flight", "Ground Control"),
        (" (FLT & A)v(GC & A) ", "FLT & A", "GC & A"),
        ("(Space Flight (0 g))v(Ground Control)", "Space Flight (0 g)", "Ground Control"),
        ("(FLT) vs (GC)", "FLT", "GC"),
        ("FLT vs GC", "FLT", "GC"),
        ("FLT_vs_GC", "FLT", "GC"),
        ("Space Flight versus Ground Control", "Space Flight", "Ground Control"),
    ],
)
def test_sides(text: str, treatment: str, control: str) -> None:
    assert parse_contrast(text) == Contrast(treatment, control)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Space Flight",
        "(A)v",
        "()v()",
        "(A)v(B)v(C)",
        "A vs B vs C",
        "(A)",
        "Avs B",
        "v",
        "(A)(B)",
    ],
)
def test_no_contrast(text: str) -> None:
    assert parse_contrast(text) is None


@pytest.mark.parametrize(
    ("text", "orientation"),
    [
        ("(Space Flight)v(Ground Control)", 1),
        ("(Spaceflight)v(Ground Control)", 1),
        ("(space-flight)v(GROUND)", 1),
        ("(SPACE_FLIGHT)v(ground.control)", 1),
        ("(FLT)v(GC)", 1),
        ("(SF)v(GC)", 1),
        ("(Flight & 4 day)v(Ground & 4 day)", 1),
        ("(FLT_C1)v(GC_C1)", 1),
        ("(Ground Control)v(Space Flight)", -1),
        ("(GC & WT)v(FLT & WT)", -1),
        ("(Space Flight)v(Basal Control)", 0),
        ("(Space Flight)v(Vivarium Control)", 0),
        ("(Ground Control)v(Vivarium Control)", 0),
        ("(Space Flight & 1 day)v(Space Flight & 4 day)", 0),
        ("(Space Flight)v(Ground Control & Flight hardware)", 0),
        ("(SFRP1)v(GCK)", 0),
        ("(Inflight)v(Background)", 0),
    ],
)
def test_orientation(text: str, orientation: int) -> None:
    contrast = parse_contrast(text)
    assert contrast is not None
    assert contrast.orientation == orientation
    assert contrast.reversed.orientation == -orientation
    assert parse_contrast(str(contrast)) == contrast


@pytest.mark.parametrize(
    ("text", "compound"),
    [
        ("(Space Flight)v(Ground Control)", False),
        ("(Space Flight & Col-0)v(Ground Control & Col-0)", False),
        ("(Col-0 & FLT & light)v(light & col-0 & GC)", False),
        ("(GC & WT)v(FLT & WT)", False),
        ("(Flight 4 day)v(Ground Control 4 day)", False),
        ("(Space Flight & 4 day)v(Ground Control & 8 day)", True),
        ("(Space Flight & WT)v(Ground Control)", True),
        ("(Space Flight & 1G)v(Ground Control)", True),
        ("(Post-flight)v(Ground Control)", True),
        ("(Space Flight & WT & WT)v(Ground Control & WT)", True),
        ("(Col-0)v(Ler-0)", False),
    ],
)
def test_whether_more_than_flight_differs(text: str, compound: bool) -> None:
    contrast = parse_contrast(text)
    assert contrast is not None
    assert contrast.is_compound is compound
    assert contrast.reversed.is_compound is compound


@pytest.mark.parametrize("part", ["(", ")v(", " v ", "_", "flight & "])
def test_a_long_text_costs_no_time(part: str) -> None:
    begun = time.process_time()
    for length in (990, 100_000):
        contrast = parse_contrast(part * (length // len(part)))
        assert contrast is None or not contrast.is_compound
    assert time.process_time() - begun < 5
