"""Texts that attack the page they are shown on: nothing runs, nothing is fetched, all is legible."""

from __future__ import annotations

import urllib.request
from collections.abc import Callable

import pandas as pd
import pytest

from tests.browser.conftest import Shown
from tests.browser.hostile import ATTACKS, LONG_LINE, RIGHT_TO_LEFT
from tests.browser.watching import NARROW, WIDE, Watched

Window = Callable[..., Watched]
KINDS = ("hostile_chains", "hostile_cited")
# What the app itself never makes; its one script and its form aside.
_FOREIGN = """() => [...document.querySelectorAll(
        "iframe, object, embed, img, base, meta[http-equiv=refresh], video, audio, foreignObject,"
        + " script:not([src='/static/view.js']), style ~ style, link[href*=evil], textarea")]
    .concat([...document.querySelectorAll("*")].filter((one) =>
        [...one.attributes].some((attribute) => attribute.name.startsWith("on")
            || /^\\s*javascript:/i.test(attribute.value))))
    .map((one) => one.outerHTML.slice(0, 200))"""
_LINKS = "[...document.links].map((one) => one.protocol)"


@pytest.fixture(params=KINDS)
def hostile(request: pytest.FixtureRequest) -> tuple[Shown, str]:
    found: tuple[Shown, str] = request.getfixturevalue(request.param)
    return found


def assert_inert(watched: Watched) -> None:
    """Nothing ran, also after every mark was pointed at."""
    page = watched.page
    for one in page.locator("mark, .node, abbr").all()[:5]:
        one.hover(force=True)
    assert page.evaluate("window.__pwned") is None
    assert page.evaluate(_FOREIGN) == []
    assert set(page.evaluate(_LINKS)) <= {"http:", "file:"}
    assert page.locator("body").is_visible()
    assert page.evaluate("document.baseURI") == page.url.partition("#")[0] or "#" in page.url
    assert watched.faults == []


def rows_of(shown: Shown) -> pd.DataFrame:
    frame: pd.DataFrame = pd.read_parquet(shown.folder / f"samples_{shown.folder.name}.parquet")
    return frame


def is_long(shown: Shown, row: int) -> bool:
    """Tell whether a sample's page holds the line of a megabyte."""
    with urllib.request.urlopen(f"{shown.viewer}sample/{row}") as page:
        return len(page.read()) > len(LONG_LINE)


def plain(text: str) -> str:
    """A text without its white space, which pages may break."""
    return "".join(text.split())


def test_every_sample_is_inert_and_legible(window: Window, hostile: tuple[Shown, str]) -> None:
    shown, _ = hostile
    watched = window(shown.viewer, WIDE)
    legible: set[str] = set()
    for row in range(len(rows_of(shown))):
        watched.open(f"{shown.viewer}sample/{row}")
        assert_inert(watched)
        for width in (NARROW, WIDE):
            watched.page.set_viewport_size({"width": width, "height": 1000})
            assert watched.sticking_out() == []
        body = watched.page.inner_text("body")
        assert "Not shown" not in body
        for one in "\u202e\u2066\x00\x1b\x7f":
            assert one not in watched.page.content()
        legible |= {text for text in (*ATTACKS, RIGHT_TO_LEFT, "⟨U+202E⟩abc⟨U+2066⟩def⟨U+0000⟩ghi")
                    if plain(text) in plain(body)}  # fmt: skip
    assert len(legible) == len(ATTACKS) + 2


def test_what_an_examiner_writes_is_inert(
    window: Window, hostile_chains: tuple[Shown, str]
) -> None:
    shown, _ = hostile_chains
    watched = window(f"{shown.viewer}sample/0")
    assert_inert(watched)
    told = watched.page.locator("section[aria-labelledby=examiner]").inner_text()
    assert all(plain(attack) in plain(told) for attack in ATTACKS)


@pytest.mark.parametrize("width", [NARROW, WIDE])
def test_the_list_is_inert(window: Window, hostile: tuple[Shown, str], width: int) -> None:
    shown, _ = hostile
    watched = window(f"{shown.viewer}?size=200", width)
    assert_inert(watched)
    assert watched.sticking_out() == []
    assert watched.inaccessible() == []


def test_a_hostile_filter_is_a_text(window: Window, hostile_chains: tuple[Shown, str]) -> None:
    """What is typed comes back as a value, and a hostile name can be filtered by."""
    shown, _ = hostile_chains
    watched = window(shown.viewer)
    for attack in ATTACKS:
        watched.page.fill("#gene", attack[:100])
        with watched.page.expect_navigation():
            watched.page.keyboard.press("Enter")
        assert watched.page.input_value("#gene") == attack[:100]
        assert_inert(watched)
    watched.open(shown.viewer)
    names = rows_of(shown)["cell_line"]
    choice = watched.page.locator("select[name=cell_line]")
    if choice.count():
        choice.select_option(value=ATTACKS[1])
        watched.page.get_by_role("button", name="Show").click()
        watched.page.wait_for_url("**cell_line=**")
        assert watched.page.locator("a[data-row]").count() == (names == ATTACKS[1]).sum()
        assert_inert(watched)


@pytest.mark.parametrize("width", [NARROW, WIDE])
def test_the_report_is_inert(window: Window, hostile: tuple[Shown, str], width: int) -> None:
    shown, _ = hostile
    watched = window(shown.report, width)
    assert_inert(watched)
    assert watched.sticking_out() == []
    assert watched.inaccessible() == []
    body = watched.page.inner_text("body")
    assert plain("<svg onload=alert(") in plain(body)


@pytest.mark.parametrize("width", [NARROW, WIDE])
def test_the_comparison_is_inert(window: Window, hostile: tuple[Shown, str], width: int) -> None:
    _, comparison = hostile
    watched = window(comparison, width)
    assert_inert(watched)
    assert watched.sticking_out() == []
    for one in watched.page.locator("summary").all():
        one.click()
    assert_inert(watched)
    assert watched.sticking_out() == []
    body = plain(watched.page.inner_text("body"))
    assert sum(plain(attack) in body for attack in ATTACKS) >= 3


def test_a_megabyte_is_shown_and_can_be_scrolled(
    window: Window, hostile: tuple[Shown, str]
) -> None:
    shown, _ = hostile
    watched = window(shown.viewer)
    page = watched.page
    (longest, *_) = (row for row in range(len(rows_of(shown))) if is_long(shown, row))
    watched.open(f"{shown.viewer}sample/{longest}")
    assert page.evaluate("document.body.textContent.length") > 2 * len(LONG_LINE)
    page.locator(".text").last.evaluate("one => { one.scrollTop = one.scrollHeight; }")
    page.keyboard.press("u")
    page.wait_for_selector("a[data-row]")
    watched.open(f"{shown.viewer}sample/{longest}")
    assert page.evaluate("document.documentElement.scrollHeight") < 20_000
    assert watched.inaccessible() == []
