"""Every kind of page: quiet, alone, as wide as its window, and fit for those who can't see it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser.conftest import Shown
from tests.browser.watching import NARROW, WIDE, Scheme, Watched

Window = Callable[..., Watched]


@pytest.fixture(scope="package")
def addresses(chains: Shown, cited: Shown, comparison: str) -> dict[str, str]:
    """One address of each kind of page."""
    return {
        "report of chains": chains.report,
        "report of citations": cited.report,
        "comparison": comparison,
        "list of chains": f"{chains.viewer}?error_label=CORRECT",
        "list of citations": cited.viewer,
        "empty list": f"{chains.viewer}?gene=nothing+of+that+name",
        "sample with chains": f"{chains.viewer}sample/1",
        "sample with a verdict": f"{chains.viewer}sample/0",
        "sample with citations": f"{cited.viewer}sample/4",
    }


PAGES = (
    "report of chains", "report of citations", "comparison", "list of chains", "list of citations",
    "empty list", "sample with chains", "sample with a verdict", "sample with citations",
)  # fmt: skip


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [NARROW, WIDE])
@pytest.mark.parametrize("page", PAGES)
def test_a_page_fits_and_is_accessible(
    window: Window, addresses: dict[str, str], page: str, width: int, scheme: Scheme
) -> None:
    watched = window(addresses[page], width, scheme)
    assert watched.page.title()
    assert watched.sticking_out() == []
    for one in watched.page.locator("summary").all():
        if one.locator("xpath=..").get_attribute("open") is None:
            one.click()
    assert watched.sticking_out() == []
    assert watched.inaccessible() == []


@pytest.mark.parametrize("page", ["report of chains", "report of citations", "comparison"])
def test_a_file_asks_for_itself_alone(window: Window, addresses: dict[str, str], page: str) -> None:
    watched = window(addresses[page])
    watched.page.wait_for_load_state("networkidle")
    asked = [one for one in watched.asked_for if not one.startswith("data:")]
    assert asked == [addresses[page]]
    assert watched.page.locator("script, iframe, object, embed, form").count() == 0


@pytest.mark.parametrize("page", PAGES)
def test_ground_and_ink_follow_the_scheme(
    window: Window, addresses: dict[str, str], page: str
) -> None:
    """Dark on light in one, light on dark in the other."""
    light, dark = (
        [sum(map(float, one[one.index("(") + 1 : -1].split(",")[:3])) for one in colours]
        for scheme in ("light", "dark")
        for colours in [
            window(addresses[page], WIDE, scheme).page.evaluate(
                "[getComputedStyle(document.body).backgroundColor,"
                " getComputedStyle(document.body).color]"
            )
        ]
    )
    assert light[0] - light[1] > 300
    assert dark[1] - dark[0] > 300


@pytest.mark.parametrize("page", PAGES)
def test_paper_shows_all(window: Window, addresses: dict[str, str], page: str) -> None:
    """What is folded on the screen is printed, dark on white whatever the screen's scheme."""
    watched = window(addresses[page], WIDE, "dark")
    watched.page.emulate_media(media="print", color_scheme="light")
    hidden = watched.page.evaluate(
        """() => [...document.querySelectorAll("details, .scroll, .scrolled, .table, .chart")]
            .flatMap((one) => [one, ...one.querySelectorAll("td, th, p, pre")])
            .filter((one) => !one.checkVisibility({contentVisibilityAuto: true}))
            .map((one) => one.outerHTML.slice(0, 120)).slice(0, 5)"""
    )
    assert hidden == []
    cut = watched.page.evaluate(
        """() => [...document.querySelectorAll(".scroll, .scrolled, .table, .chart, pre")]
            .filter((one) => getComputedStyle(one).overflowX !== "visible"
                    || getComputedStyle(one).maxHeight !== "none")
            .map((one) => one.outerHTML.slice(0, 120)).slice(0, 5)"""
    )
    assert cut == []
    assert watched.page.pdf(format="A4")[:5] == b"%PDF-"
