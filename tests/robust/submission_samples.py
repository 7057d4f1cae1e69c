"""A small task, a submission that passes, and how to spoil it."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from eval_tiers.io.submission_folder import inspect_submission
from eval_tiers.io.submission_task import load_task
from eval_tiers.submissions.inspection import Inspection

TASK: Final = """\
id = "toy"
[[artifact]]
path = "results.csv"
header = ["gene", "n", "log2fc"]
key = ["gene"]
rows = 3
[artifact.numeric.n]
integer = true
[artifact.numeric.log2fc]
[[conclusion]]
text = "Angptl4 rises."
"""
TABLE: Final = b"gene,n,log2fc\nAngptl4,6,1.75\nCyp4a14,6,-1.25\nHsp70Ba,4,0.5\n"
ANSWER: Final = b"Angptl4 rises in liver.\n"
FILES: Final[Mapping[str, bytes]] = {"results.csv": TABLE}

# What the subprocess prints: the codes, and what became of its memory.
_RUN: Final = """
import json, sys
from pathlib import Path
{before}
from eval_tiers.pipeline.submissions.inspect import inspect_folders
{ready}
found = inspect_folders(Path(sys.argv[1]), Path(sys.argv[2]))[1]
with open("/proc/self/status", encoding="ascii") as status:
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
print(json.dumps({{
    "codes": sorted({{check.code for check in found.failures}}),
    "paths": sorted({{check.path for check in found.failures}}),
    "verified": [artifact.path for artifact in found.artifacts],
    "peak_kb": peak,
    "extra": {extra},
}}))
"""


def write_task(folder: Path, task: str = TASK, table: bytes = TABLE) -> Path:
    """The grader's folder."""
    (folder / "reference").mkdir(parents=True)
    (folder / "eval_task.toml").write_text(task, encoding="utf-8")
    (folder / "reference" / "results.csv").write_bytes(table)
    return folder


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def write_submission(
    folder: Path,
    files: Mapping[str, bytes] = FILES,
    *,
    answer: bytes | None = ANSWER,
    manifest: bytes | None = None,
    entries: Sequence[Any] | None = None,
) -> Path:
    """A submission with these files, declared with their hashes unless entries say otherwise."""
    folder.mkdir(parents=True)
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    if answer is not None:
        (folder / "answer.md").write_bytes(answer)
    if entries is None:
        entries = [{"path": name, "sha256": sha256(data)} for name, data in files.items()]
    if manifest is None:
        manifest = json.dumps({"artifacts": list(entries)}).encode()
    (folder / "analysis_manifest.json").write_bytes(manifest)
    return folder


def inspect(tmp_path: Path, submission: Path, task: str = TASK) -> Inspection:
    """Inspect a submission to the small task, in this process."""
    loaded = load_task(write_task(tmp_path / "task", task))
    return inspect_submission(submission, loaded.task, loaded.references)


def codes_of(inspection: Inspection) -> set[str]:
    return {check.code for check in inspection.failures}


@dataclass
class Inspected:
    """What a process of its own found."""

    codes: set[str]
    paths: set[str]
    verified: list[str]
    peak_mb: float
    extra: Any


def inspect_apart(
    task: Path, submission: Path, *, before: str = "", ready: str = "", extra: str = "None"
) -> Inspected:
    """Inspect in a process of its own, of which 10 seconds are the limit."""
    script = _RUN.format(before=before, ready=ready, extra=extra)
    done = subprocess.run(
        [sys.executable, "-c", script, str(task), str(submission)],
        capture_output=True, text=True, encoding="utf-8", timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    return Inspected(
        set(found["codes"]), set(found["paths"]), found["verified"], found["peak_kb"] / 1000,
        found["extra"],
    )  # fmt: skip
