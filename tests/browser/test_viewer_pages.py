"""The viewer as it is used: by keyboard alone, by link, and out to a table."""

from __future__ import annotations

import re
from collections.abc import Callable

import pandas as pd
import pytest

from tests.browser.conftest import Shown
from tests.browser.watching import NARROW, WIDE, Watched

Window = Callable[..., Watched]


def frame_of(shown: Shown) -> pd.DataFrame:
    frame: pd.DataFrame = pd.read_parquet(shown.folder / f"samples_{shown.folder.name}.parquet")
    return frame


def ids_in(watched: Watched) -> list[str]:
    return watched.page.locator("a[data-row]").all_inner_texts()


def heading(watched: Watched) -> str:
    return watched.page.locator("h1").inner_text()


def tab_to(watched: Watched, css: str) -> None:
    """Press Tab until an element has the focus."""
    for _ in range(60):
        watched.page.keyboard.press("Tab")
        if watched.page.evaluate("css => document.activeElement.matches(css)", css):
            return
    raise AssertionError(f"Tab does not reach {css}")


def pressed(watched: Watched, key: str) -> None:
    """Press a key that leads to another page, and wait for it."""
    with watched.page.expect_navigation():
        watched.page.keyboard.press(key)


def test_filter_page_sample_and_back_by_keyboard(window: Window, chains: Shown) -> None:
    frame = frame_of(chains)
    chosen = frame[frame["gold_label"] == "up"]["sample_id"].tolist()
    assert len(chosen) > 50
    watched = window(chains.viewer)
    page = watched.page
    tab_to(watched, "select[name=gold_label]")
    page.keyboard.type("up")
    tab_to(watched, "select[name=size]")
    page.keyboard.type("25")
    tab_to(watched, "button")
    pressed(watched, "Enter")
    assert re.fullmatch(r".*/\?gold_label=up&size=25|.*/\?size=25&gold_label=up", page.url)
    assert ids_in(watched) == chosen[:25]
    assert f"{len(chosen)} samples" in page.get_by_role("status").inner_text()
    pressed(watched, "ArrowRight")
    assert ids_in(watched) == chosen[25:50]
    listed = page.url
    for key in ("j", "j", "j", "k"):
        page.keyboard.press(key)
    assert watched.focused() == chosen[26]
    pressed(watched, "Enter")
    assert heading(watched) == chosen[26]
    pressed(watched, "j")
    assert heading(watched) == chosen[27]
    pressed(watched, "ArrowRight")
    assert heading(watched) == chosen[28]
    for key in ("k", "ArrowLeft"):
        pressed(watched, key)
    assert heading(watched) == chosen[26]
    pressed(watched, "u")
    assert page.url.partition("#")[0] == listed
    page.wait_for_function("id => document.activeElement.textContent.trim() === id", arg=chosen[26])
    assert page.locator("a[data-row]:focus").evaluate(
        "one => { const box = one.getBoundingClientRect();"
        " return box.top >= 0 && box.bottom <= innerHeight; }"
    )
    page.keyboard.press("j")
    assert watched.focused() == chosen[27]


def test_the_last_sample_of_a_page_leads_to_the_next_page(window: Window, chains: Shown) -> None:
    ids = frame_of(chains)["sample_id"].tolist()
    watched = window(f"{chains.viewer}?size=25")
    watched.page.keyboard.press("k")
    assert watched.focused() == ids[24]
    pressed(watched, "Enter")
    pressed(watched, "j")
    assert heading(watched) == ids[25]
    pressed(watched, "u")
    assert ids_in(watched) == ids[25:50]


def test_a_gene_is_searched_for_by_keyboard(window: Window, cited: Shown) -> None:
    frame = frame_of(cited)
    gene = str(frame["gene"].iloc[0])
    watched = window(cited.viewer)
    watched.page.keyboard.press("/")
    watched.page.keyboard.type(f"{gene} j k u")  # letters are letters while one types
    for _ in range(6):
        watched.page.keyboard.press("Backspace")
    pressed(watched, "Enter")
    expected = frame[frame["gene"].str.contains(gene, case=False, regex=False)]
    assert ids_in(watched) == expected["sample_id"].tolist()[:50]


def test_keys_of_the_browser_are_left_alone(window: Window, chains: Shown) -> None:
    watched = window(f"{chains.viewer}sample/3")
    for key in ("Control+j", "Alt+k", "Meta+u", "Shift+Tab"):
        watched.page.keyboard.press(key)
    assert heading(watched) == frame_of(chains)["sample_id"].iloc[3]


def test_tab_comes_to_the_content_first(window: Window, chains: Shown) -> None:
    watched = window(chains.viewer)
    watched.page.keyboard.press("Tab")
    assert watched.focused() == "Skip to the content"
    box = watched.page.locator(".skip").bounding_box()
    assert box is not None and box["x"] >= 0
    assert watched.page.evaluate("getComputedStyle(document.activeElement).outlineStyle !== 'none'")


@pytest.mark.parametrize(
    "query",
    [
        "?error_label=CORRECT&error_label=PARSE_FAIL&sort=-edge_f1&size=25&page=2",
        "?gene=tp53&split=id_test",
        "sample/20?hard_case=True&sort=readout",
    ],
)
def test_a_link_opens_the_same_view_elsewhere(window: Window, chains: Shown, query: str) -> None:
    here = window(chains.viewer)
    here.open(chains.viewer + query)
    link = here.page.url
    elsewhere = window(link)
    for watched in (here, elsewhere):
        watched.page.locator("main").wait_for()
    assert elsewhere.page.content() == here.page.content()
    assert elsewhere.page.screenshot() == here.page.screenshot()


@pytest.mark.parametrize("which", ["chains", "cited"])
def test_the_export_is_what_is_filtered(
    window: Window, which: str, request: pytest.FixtureRequest
) -> None:
    shown: Shown = request.getfixturevalue(which)
    watched = window(f"{shown.viewer}?answer_correct=False&size=25")
    with watched.page.expect_download() as found:
        watched.page.locator(".export[href], .export a").first.click()
    assert found.value.suggested_filename.endswith(".csv")
    exported = pd.read_csv(found.value.path())
    frame = frame_of(shown)
    expected = frame[frame["answer_correct"] == False]  # noqa: E712
    assert exported["sample_id"].tolist() == expected["sample_id"].tolist()
    assert set(frame.columns) <= set(exported.columns)
    assert exported["answer_correct"].tolist() == [False] * len(expected)
    with watched.page.expect_download() as found:
        watched.page.get_by_role("link", name="Parquet").click()
    frame_again = pd.read_parquet(found.value.path())
    assert frame_again["sample_id"].tolist() == expected["sample_id"].tolist()


def test_each_edge_says_its_status_and_side_without_colour(window: Window, chains: Shown) -> None:
    """A dash tells gold from predicted, the end of a line the sign, a text the status."""
    edges = pd.read_parquet(chains.folder / f"chains_{chains.folder.name}.parquet")
    ids = frame_of(chains)["sample_id"].tolist()
    seen = set()
    watched = window(chains.viewer)
    for status, group in edges.groupby("status"):
        watched.open(f"{chains.viewer}sample/{ids.index(group['sample_id'].iloc[0])}")
        own = edges[edges["sample_id"] == group["sample_id"].iloc[0]]
        drawn = watched.page.evaluate(
            """() => {
                const labels = [...document.querySelectorAll(".drawing .edge-label")];
                return [...document.querySelectorAll(".drawing .edge")].map((edge, place) => {
                    const line = edge.querySelector(".line"), style = getComputedStyle(line);
                    const end = line.getAttribute("marker-end").slice(5, -1);
                    return {
                        label: labels[place].textContent, dashed: style.strokeDasharray !== "none",
                        side: edge.classList[1], end: end.replace(/-\\d+$/, ""),
                        marker: document.getElementById(end).children.length,
                        tip: edge.querySelector("title").textContent,
                        seen: line.getTotalLength() > 10 && style.stroke !== "none",
                    };
                });
            }"""
        )
        assert len(drawn) == len(own)
        for edge, (_, row) in zip(drawn, own.iterrows(), strict=True):
            words = str(row["status"]).replace("_", " ")
            assert words in edge["label"] and words in edge["tip"]
            assert edge["dashed"] == (row["side"] == "gold") == (edge["side"] == "gold")
            assert edge["end"] == {1: "plus", -1: "minus"}.get(row["sign"], "unsigned")
            assert edge["marker"] == 1 and edge["seen"]
        seen.add(status)
    assert len(seen) >= 4


@pytest.mark.parametrize("which", ["chains", "cited"])
def test_marks_in_a_text_differ_by_their_line(
    window: Window, which: str, request: pytest.FixtureRequest
) -> None:
    """What is supported, contradicted or lacking is told by the line beneath, and by a word."""
    shown: Shown = request.getfixturevalue(which)
    watched = window(shown.viewer)
    good, other = set(), set()
    for row in range(0, 60, 3):
        watched.open(f"{shown.viewer}sample/{row}")
        for name, style, note in watched.page.evaluate(
            """[...document.querySelectorAll(".text mark")].map((one) => [
                one.className, getComputedStyle(one).borderBottomStyle, one.title])"""
        ):
            if "answer" in name or ("status-" not in name and "verdict-" not in name):
                continue
            assert note
            (good if re.search("status-supported|verdict-SUPPORTED", name) else other).add(style)
    assert good == {"solid"} and other and "solid" not in other


def test_words_and_signs_stand_beside_colours(window: Window, cited: Shown) -> None:
    watched = window(f"{cited.viewer}sample/0", NARROW)
    verdicts = watched.page.locator(".verdict").all_inner_texts()
    assert verdicts and all(re.fullmatch(r"[A-Za-z _]+", one) for one in verdicts)
    assert watched.page.locator("dd").filter(has_text=re.compile("[✓✗] ")).count() == 1


@pytest.mark.parametrize(
    ("address", "status"), [("?page=x", 400), ("sample/9999", 404), ("nothing", 404)]
)
def test_what_is_not_there_is_told(
    chains: Shown, window: Window, address: str, status: int
) -> None:
    watched = window(chains.viewer, WIDE)
    found = watched.page.goto(chains.viewer + address)
    assert found is not None and found.status == status
    assert watched.sticking_out() == [] and watched.inaccessible() == []
    watched.page.get_by_role("link", name="All samples of the run").click()
    assert ids_in(watched)
    told = f"console error: Failed to load resource: the server responded with a status of {status}"
    watched.faults[:] = [one for one in watched.faults if not one.startswith(told)]
