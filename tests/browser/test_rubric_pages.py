"""Judged rubrics in a real browser: list, a rubric's page, the comparison of two systems."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import comparison_of, did, served
from tests.browser.hostile import ATTACKS
from tests.browser.watching import NARROW, WIDE, Scheme, Watched
from tests.e2e.running import write_lines
from tests.rubric_rows import row, task

if TYPE_CHECKING:
    from playwright.sync_api import Browser

Window = Callable[..., Watched]
STAMP = "batch_evaluation_20260401_120000.jsonl"
WEIGHTS = [5, 4, -4]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two systems' judged reports: attacks as ids, criteria and reasoning; one outage."""
    folder = tmp_path_factory.mktemp("judged")
    ids = [f"r{i} {attack[:60]}" for i, attack in enumerate(ATTACKS)]
    tasks = [
        task(
            name, WEIGHTS, prompt=f"Report.\n{attack}", domain=attack[:40] if i % 2 else "Biology",
            rubrics=[{"criterion": f"c{j} {attack}", "weight": w, "axis": "A" if j else attack[:30]}
                     for j, w in enumerate(WEIGHTS)],
        )
        for i, (name, attack) in enumerate(zip(ids, ATTACKS, strict=True))
    ]  # fmt: skip
    write_lines(folder / "data.jsonl", tasks)
    (folder / "reports").mkdir()
    for name, letters in (("a", "SNS"), ("b", "SSN")):
        records = [
            row(
                sample, j, "F" if (i, j) == (0, 0) and name == "b" else letter, weight,
                rubric_title=f"c{j} {attack}", reasoning=attack,
            )
            for i, (sample, attack) in enumerate(zip(ids, ATTACKS, strict=True))
            for j, (letter, weight) in enumerate(zip(letters, WEIGHTS, strict=True))
        ]  # fmt: skip
        write_lines(folder / name / STAMP, records)
        did(folder, "rubrics", "score", name, "--data", "data.jsonl", "-o", f"{name}/scores")
    return folder


@pytest.fixture(scope="module")
def addresses(chromium: Browser, judged: Path) -> Iterator[dict[str, str]]:
    compared = comparison_of(judged, judged / "a" / "scores", judged / "b" / "scores")
    with served(judged / "b" / "scores") as viewer:
        yield {
            "comparison": compared,
            "list": viewer,
            "unscored": f"{viewer}?verdict=-",
            "rubric": f"{viewer}rubric/2",
            "rubric without a verdict": f"{viewer}rubric/0",
        }


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [NARROW, WIDE])
@pytest.mark.parametrize("page", ["comparison", "list", "rubric", "rubric without a verdict"])
def test_a_page_is_quiet_fits_and_is_accessible(
    window: Window, addresses: dict[str, str], page: str, width: int, scheme: Scheme
) -> None:
    watched = window(addresses[page], width, scheme)
    for one in watched.page.locator("summary").all():
        one.click()
    assert watched.sticking_out() == []
    assert watched.inaccessible() == []


def test_keys_lead_through_list_and_rubrics(window: Window, addresses: dict[str, str]) -> None:
    watched = window(addresses["list"])
    page = watched.page

    def press(key: str) -> None:
        with page.expect_navigation():
            page.keyboard.press(key)

    page.keyboard.press("/")
    page.keyboard.type("c1")
    press("Enter")
    assert page.url.endswith("/?text=c1")
    assert page.locator("a[data-row]").count() == len(ATTACKS)
    for key in ("j", "j"):
        page.keyboard.press(key)
    press("Enter")
    assert page.url.endswith("/rubric/4?text=c1")
    press("j")
    assert page.url.endswith("/rubric/7?text=c1")
    press("ArrowLeft")
    press("u")
    assert page.url.partition("#")[0].endswith("/?text=c1")
    page.wait_for_function("() => document.activeElement.dataset.row === '4'")


def test_an_axis_that_attacks_is_filtered_by(window: Window, addresses: dict[str, str]) -> None:
    watched = window(addresses["list"])
    page = watched.page
    for value in page.locator("select[name=axis] option").evaluate_all(
        "all => all.map(o => o.value)"
    ):
        page.goto(addresses["list"])
        page.select_option("select[name=axis]", value)
        with page.expect_navigation():
            page.locator("form button").click()
        assert page.locator("h1").inner_text() == "Rubrics"
        assert page.locator("a[data-row]").count() > 0


def test_an_outage_is_listed_as_unscored(window: Window, addresses: dict[str, str]) -> None:
    watched = window(addresses["unscored"])
    assert watched.page.locator("a[data-row]").count() == 1
    assert "unscored" in watched.page.locator("tbody").inner_text()
