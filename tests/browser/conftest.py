"""A real Chromium, real runs, and the viewer over them. Missing ones skip, which CI doesn't allow."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.hostile import ATTACKS, hostile_chain_runs, hostile_cited_runs
from tests.browser.watching import WIDE, Scheme, Watched, file_address, watch
from tests.e2e.running import command, write_lines

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@dataclass(frozen=True)
class Shown:
    """A run and where its pages are."""

    folder: Path
    report: str
    viewer: str


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium; Playwright downloads none."""
    sync_api = pytest.importorskip("playwright.sync_api")
    program = os.environ.get("EVAL_TIERS_CHROMIUM") or shutil.which("chromium")
    if program is None:
        pytest.skip("no Chromium here: apt-get install chromium (EVAL_TIERS_CHROMIUM names one)")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program)
        yield browser
        browser.close()


@pytest.fixture
def window(chromium: Browser) -> Iterator[Callable[..., Watched]]:
    """Opens windows; at the end none of them may have had a fault."""
    opened: list[Watched] = []

    def open_window(address: str, width: int = WIDE, scheme: Scheme = "light") -> Watched:
        own = re.sub(r"(?<=:\d{4}/).*|(?<=:\d{5}/).*|[?#].*", "", address)
        watched = watch(chromium, own, width, scheme)
        opened.append(watched)
        watched.open(address)
        return watched

    yield open_window
    faults = [fault for watched in opened for fault in watched.faults]
    for watched in opened:
        watched.close()
    assert faults == []


@contextmanager
def served(run: Path) -> Iterator[str]:
    """The viewer over a run, as the command serves it; its address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "eval_tiers", "view", str(run), "--no-browser", "--port", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None and process.stderr is not None
        address = process.stdout.readline().strip()
        if not re.fullmatch(r"http://127\.0\.0\.1:\d{4,5}/", address):
            pytest.fail(f"the viewer does not start: {address} {process.stderr.read()}")
        yield address
    finally:
        process.terminate()
        process.wait(timeout=30)


def did(folder: Path, *arguments: object) -> None:
    """Run a command that has to succeed."""
    done = command(*arguments, folder=folder)
    assert done.returncode == 0, done.stderr


def run_of(folder: Path, *arguments: object) -> Path:
    """Evaluate in a folder; the run's own folder."""
    before = set((folder / "outputs").glob("*"))
    did(folder, "eval", "-q", *arguments)
    (made,) = set((folder / "outputs").iterdir()) - before
    return made


def rescued(run: Path, says: str | None = None) -> None:
    """Let the symbolic examiner settle a run's hard cases, and explain itself in these words."""
    stamp, rescue = run.name, run / "rescue"
    samples = run / f"samples_{stamp}.csv"
    requests, replies = (
        rescue / f"rescue_{name}_{stamp}.jsonl" for name in ("requests", "replies")
    )
    did(run, "export-rescue", "--samples-csv", samples)
    did(run, "infer", "--backend", "symbolic", "--input", requests, "--output", replies)
    if says is not None:
        lines = replies.read_text(encoding="utf-8").rstrip("\n").split("\n")
        rows = [json.loads(line) for line in lines]
        for row in rows:
            message = row["response"]["body"]["choices"][0]["message"]
            message["content"] = json.dumps({**json.loads(message["content"]), "explanation": says})
        write_lines(replies, rows)
    did(run, "merge-rescue", "--samples-csv", samples, "--rescue-responses", replies)


def report_of(run: Path) -> str:
    """The address of a run's report, which is written here."""
    did(run, "report", run)
    return file_address(run / f"report_{run.name}.html")


def comparison_of(folder: Path, first: Path, second: Path) -> str:
    """The address of a comparison of two runs, which is written here."""
    did(folder, "compare", first, second, "-o", "compare.html")
    return file_address(folder / "compare.html")


@pytest.fixture(scope="package")
def chain_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled chains, their hard cases settled by rules."""
    run = run_of(tmp_path_factory.mktemp("chains"), "--tiers", 1, 2, 3)
    rescued(run)
    return run


@pytest.fixture(scope="package")
def cited_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled citations."""
    return run_of(tmp_path_factory.mktemp("cited"), "--format", "rr10", "--tiers", 1, 2, 3)


@pytest.fixture(scope="package")
def chains(chromium: Browser, chain_run: Path) -> Iterator[Shown]:
    with served(chain_run) as viewer:
        yield Shown(chain_run, report_of(chain_run), viewer)


@pytest.fixture(scope="package")
def cited(chromium: Browser, cited_run: Path) -> Iterator[Shown]:
    with served(cited_run) as viewer:
        yield Shown(cited_run, report_of(cited_run), viewer)


@pytest.fixture(scope="package")
def comparison(chromium: Browser, chain_run: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The planted answers to the bundled questions held against those of a small model."""
    folder = tmp_path_factory.mktemp("compared")
    demo = Path(__file__).parents[2] / "eval_tiers" / "demo"
    other = run_of(
        folder, "--tiers", 1, 2, 3,
        "--gt-dir", demo / "questions" / "gt", "--pred-dir", demo / "predictions" / "smollm2",
        "--external-kg", demo / "kg_demo.tsv", "--go-gmt", demo / "go_demo.gmt",
    )  # fmt: skip
    return comparison_of(folder, chain_run, other)


@pytest.fixture(scope="package")
def hostile_chains(
    chromium: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Shown, str]]:
    """Chains whose every text is an attack; and the comparison of two such runs."""
    folder = tmp_path_factory.mktemp("hostile_chains")
    first, second = (run_of(folder, *options) for options in hostile_chain_runs(folder))
    rescued(first, "\n".join(ATTACKS))
    with served(first) as viewer:
        yield Shown(first, report_of(first), viewer), comparison_of(folder, first, second)


@pytest.fixture(scope="package")
def hostile_cited(
    chromium: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Shown, str]]:
    """The same of citations."""
    folder = tmp_path_factory.mktemp("hostile_cited")
    first, second = (run_of(folder, *options) for options in hostile_cited_runs(folder))
    with served(first) as viewer:
        yield Shown(first, report_of(first), viewer), comparison_of(folder, first, second)
