"""The shared cases modelled on public bug reports, run by their own runner."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.e2e.running import shared


def test_every_case_that_needs_the_main_job(tmp_path: Path) -> None:
    runner = shared("cases/files/run_cases.py")
    done = subprocess.run(
        [sys.executable, str(runner), "--cmd", f"{sys.executable} -m eval_tiers", "--needs",
         "main job"],
        capture_output=True, text=True, check=False, timeout=600, cwd=tmp_path,
    )  # fmt: skip
    counts = re.search(r"(\d+) of (\d+) runs as expected", done.stdout)
    assert counts is not None, done.stdout + done.stderr
    failures = [line for line in done.stdout.splitlines() if line.startswith("FAIL")]
    assert failures == []
    assert int(counts[1]) == int(counts[2]) >= 10
    assert done.returncode == 0
