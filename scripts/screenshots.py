"""Take the pictures of README.md: the bundled demo's report, and the viewer over it.

    python scripts/screenshots.py [FOLDER]      default: docs/images

Needs Playwright and a Chromium (Debian: apt-get install chromium; EVAL_TIERS_CHROMIUM names
another). The demo is evaluated in a folder of its own. Its time is shown as that of README's
examples, so that the pictures change only when the pages do.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = "id_test-chemical-005"
TIME = "20260131_120000"
WIDTH, HEIGHT = 1280, 900
REPLACE_TEXT = """([from, to]) => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        texts.currentNode.data = texts.currentNode.data.replaceAll(from, to);
    }
}"""


def main() -> None:
    """Evaluate the demo and take the pictures."""
    images = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "images"
    chromium = os.environ.get("EVAL_TIERS_CHROMIUM") or shutil.which("chromium")
    if chromium is None:
        sys.exit("Error: there is no Chromium.\n  fix:   Debian: apt-get install chromium")
    images.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        run = demo_run(Path(folder))
        browser = playwright.chromium.launch(executable_path=chromium)
        page = browser.new_page(
            viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light", device_scale_factor=1
        )
        page.goto((run / f"report_{run.name}.html").as_uri())
        take(page, run, images / "report.png")
        with served(run) as address:
            page.goto(address)
            take(page, run, images / "viewer-list.png")
            page.get_by_role("link", name=SAMPLE, exact=True).click()
            page.get_by_role("heading", name=SAMPLE).wait_for()
            take(page, run, images / "viewer-sample.png")
        browser.close()


def demo_run(folder: Path) -> Path:
    """Evaluate the bundled chains, let rules settle the hard cases, write the report."""
    evaluate(folder, "eval", "-q", "--tiers", "1", "2", "3")
    (run,) = (folder / "outputs").iterdir()
    rescue = ["sh", str(ROOT / "scripts" / "demo_rescue.sh"), sys.executable]
    subprocess.run(rescue, cwd=folder, check=True, capture_output=True)
    evaluate(folder, "report", str(run))
    return run


def evaluate(folder: Path, *words: str) -> None:
    """Run the command in a folder."""
    command = [sys.executable, "-m", "eval_tiers", *words]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)


@contextmanager
def served(run: Path) -> Iterator[str]:
    """Serve the viewer over a run and give its address."""
    command = [sys.executable, "-m", "eval_tiers", "view", str(run), "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process.stdout.readline().strip() if process.stdout else ""
        finally:
            process.terminate()


def take(page: Page, run: Path, path: Path) -> None:
    """Take a picture of what the window shows."""
    page.evaluate(REPLACE_TEXT, [run.name, TIME])
    page.screenshot(path=path, animations="disabled")
    print(f"{path}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
