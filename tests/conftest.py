"""Hypothesis profiles, marks by folder, golden files, and skips that CI does not let pass."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

TESTS = Path(__file__).parent
REAL_FILES = TESTS.parents[1] / "shared"
KINDS = ("unit", "contract", "property", "golden", "robust", "e2e", "browser", "slurm")
IN_CI = os.environ.get("CI", "").casefold() in {"1", "true"}

settings.register_profile("dev", deadline=None)
settings.register_profile(
    "ci",
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "nightly",
    deadline=None,
    max_examples=2_000,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if IN_CI else "dev"))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--update-golden``."""
    parser.addoption(
        "--update-golden", action="store_true", help="write golden files instead of comparing"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark each test by its folder (doctests are unit tests); nightly ones only when asked for."""
    if "nightly" not in config.getoption("-m"):
        later = [item for item in items if item.get_closest_marker("nightly")]
        items[:] = [item for item in items if not item.get_closest_marker("nightly")]
        config.hook.pytest_deselected(items=later)
    for item in items:
        folder = "unit"
        if TESTS in item.path.parents:
            folder = item.path.relative_to(TESTS).parts[0]
        if folder in KINDS:
            item.add_marker(getattr(pytest.mark, folder))


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, bytes], None]:
    """Return a function that compares bytes with a golden file, or writes it when asked to."""
    update = bool(request.config.getoption("--update-golden"))

    def check(path: Path, found: bytes) -> None:
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(found)
            return
        assert path.is_file(), f"{path} is missing; pytest --update-golden writes it"
        assert found.decode() == path.read_bytes().decode(), "pytest --update-golden if it is meant"

    return check


def _may_skip(reason: str) -> bool:
    """Tell whether CI lets a skip pass: what can't be tested here, or real files that are absent."""
    reason = reason.removeprefix("Skipped: ")
    if reason.startswith("not here:"):
        return True
    return "beside this repository" in reason and not REAL_FILES.is_dir()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn a skip for want of a tool or a file into a failure in CI, where all are expected."""
    report = yield
    if IN_CI and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if not _may_skip(reason):
            report.outcome = "failed"
            report.longrepr = f"skipped, which CI does not allow: {reason}"
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Do the same for a module that skips itself, as with `pytest.importorskip`."""
    report = yield
    if IN_CI and report.outcome == "skipped":
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if not _may_skip(reason):
            report.outcome = "failed"
            report.longrepr = f"skipped, which CI does not allow: {reason}"
    return report
