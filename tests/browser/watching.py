"""A page in Chromium that is watched: what it says on the console, asks for, and looks like."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page

Scheme = Literal["light", "dark"]
NARROW, WIDE = 320, 1440
# Elements that stick out of the window although nothing around them scrolls.
_STICKING_OUT = """() => {
    const width = document.documentElement.clientWidth;
    const scrolls = (element) => {
        for (let one = element.parentElement; one; one = one.parentElement) {
            if (getComputedStyle(one).overflowX !== "visible") { return true; }
        }
        return false;
    };
    return [...document.body.querySelectorAll("*")]
        .filter((one) => !one.closest("svg") || one.tagName === "svg")
        .filter((one) => !one.classList.contains("skip"))
        .filter((one) => one.getBoundingClientRect().right > width + 1 && !scrolls(one))
        .map((one) => one.outerHTML.slice(0, 200));
}"""


@dataclass
class Watched:
    """A browser's window; `faults` holds all that should not happen in one."""

    page: Page
    faults: list[str] = field(default_factory=list)
    asked_for: list[str] = field(default_factory=list)

    def open(self, address: str) -> None:
        """Go to an address and wait for its load event."""
        self.page.goto(address)

    def sticking_out(self) -> list[str]:
        """What makes the page wider than the window."""
        page = self.page
        over = page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        found: list[str] = page.evaluate(_STICKING_OUT)
        return found or ([f"the page is {over} px too wide"] if over > 0 else [])

    def inaccessible(self) -> list[str]:
        """What axe-core calls a serious or critical fault."""
        from axe_playwright_python.sync_playwright import Axe

        violations: list[dict[str, Any]] = Axe().run(self.page).response["violations"]
        return [
            f"{one['id']} ({one['impact']}): {node['html'][:200]} {node['failureSummary']}"
            for one in violations
            if one["impact"] in ("serious", "critical")
            for node in one["nodes"][:3]
        ]

    def focused(self) -> str:
        """The text of what has the focus."""
        return str(self.page.evaluate("document.activeElement.textContent.trim()"))

    def close(self) -> None:
        """Close the window with its cookies and its cache."""
        self.page.context.close()


def watch(
    browser: Browser, own: str, width: int = WIDE, scheme: Scheme = "light", height: int = 1000
) -> Watched:
    """Open an empty window; whatever it asks for that does not begin with `own` is a fault."""
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    page = context.new_page()
    # Four processes share two cores in CI.
    page.set_default_timeout(30_000)
    watched = Watched(page)

    def asked(address: str) -> None:
        watched.asked_for.append(address)
        if not address.startswith((own, "data:,")):
            watched.faults.append(f"asked for {address}")

    def said(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning", "assert"):
            watched.faults.append(f"console {message.type}: {message.text}")

    def asked_to_answer(dialog: Any) -> None:
        watched.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    context.on("request", lambda request: asked(request.url))
    context.on("console", said)
    context.on("dialog", asked_to_answer)
    context.on("weberror", lambda error: watched.faults.append(f"error: {error.error}"))
    context.on("page", lambda other: watched.faults.append(f"window: {other.url}"))
    return watched


def file_address(path: Path) -> str:
    """The address under which a browser opens a file."""
    return path.resolve().as_uri()
