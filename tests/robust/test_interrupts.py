"""Runs that are stopped, killed, out of room, or several at once: nothing half-written."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.robust.samples import COMMAND, GOLD, GRAPH, PREDICTIONS, gold_row, prediction_row

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="not here: reads /proc"),
]
ROW_N = 20_000
PATIENCE = 30.0
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with files that take some seconds in small batches, and short ones."""
    folder = tmp_path_factory.mktemp("inputs")
    for stem, row in (("gold", gold_row("@")), ("model", prediction_row("@"))):
        pattern = json.dumps(row) + "\n"
        rows = [pattern.replace("@", f"g{number}", 1) for number in range(ROW_N)]
        (folder / f"{stem}_chemical.jsonl").write_text("".join(rows))
    (folder / "gold_short.jsonl").write_bytes(GOLD)
    (folder / "model_short.jsonl").write_bytes(PREDICTIONS)
    (folder / "graph.tsv").write_text(GRAPH)
    return folder


class Running:
    """A run in a process of its own, with a scratch folder of its own."""

    def __init__(
        self,
        inputs: Path,
        folder: Path,
        *options: str,
        kind: str = "chemical",
        before: Callable[[], object] | None = None,
    ) -> None:
        self.outputs, self.scratch = folder / "outputs", folder / "scratch"
        self.scratch.mkdir(exist_ok=True)
        arguments = [
            "--gt-file", f"gold_{kind}.jsonl", "--pred-file", f"model_{kind}.jsonl",
            "--external-kg", "graph.tsv", "-o", str(self.outputs), *options,
        ]  # fmt: skip
        self.process = subprocess.Popen(
            [*COMMAND, "eval", *arguments],
            cwd=inputs,
            env=os.environ | {"TMPDIR": str(self.scratch)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=before,
        )

    def wait_for_output(self) -> None:
        """Wait until the first batch is on its way to the disk."""
        until = time.monotonic() + PATIENCE
        while not list(self.outputs.rglob(".texts_*.parquet.part")):
            assert self.process.poll() is None, self.process.communicate()
            assert time.monotonic() < until
            time.sleep(0.02)
        time.sleep(0.3)
        assert self.process.poll() is None, "it ended too early for this test"

    def end(self) -> tuple[int, str, str]:
        """Return exit code, stdout and stderr."""
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out, err

    def workers(self) -> list[int]:
        """Return the processes whose parent this is."""
        found = []
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[1] == str(self.process.pid) and fields[0] != "Z":
                found.append(int(stat.parent.name))
        return found

    def final_names(self) -> list[str]:
        """Return files under a final name."""
        return [
            path.name
            for path in self.outputs.rglob("*")
            if path.is_file() and not path.name.startswith(".")
        ]


def still_there(processes: list[int], patience: float) -> list[int]:
    """Return those that are there after so many seconds."""
    until = time.monotonic() + patience
    while processes and time.monotonic() < until:
        processes = [number for number in processes if _is_alive(number)]
        time.sleep(0.05)
    return processes


def _is_alive(number: int) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture
def start(inputs: Path, tmp_path: Path) -> Iterator[Callable[..., Running]]:
    """Return a function that starts a run; what is left of it is ended after the test."""
    started: list[Running] = []

    def begin(*options: str, **settings: object) -> Running:
        run = Running(inputs, tmp_path, *options, **settings)  # type: ignore[arg-type]
        started.append(run)
        return run

    yield begin
    for run in started:
        if run.process.poll() is None:
            for number in [*run.workers(), run.process.pid]:
                os.kill(number, signal.SIGKILL)
            run.process.communicate()


@pytest.mark.parametrize(
    ("name", "to_all", "jobs"),
    [
        ("SIGINT", False, "1"),
        ("SIGINT", True, "2"),
        ("SIGTERM", False, "2"),
        ("SIGTERM", True, "2"),
        ("SIGHUP", True, "1"),
    ],
)
def test_a_stopped_run_leaves_nothing(
    start: Callable[..., Running], name: str, to_all: bool, jobs: str
) -> None:
    def heed() -> None:  # whoever runs the tests may have been started by nohup
        signal.signal(signal.SIGHUP, signal.SIG_DFL)

    number = getattr(signal, name)
    run = start("--jobs", jobs, "--batch-size", "50", before=heed)
    run.wait_for_output()
    workers = run.workers()
    assert len(workers) == (2 if jobs == "2" else 0)
    (os.killpg if to_all else os.kill)(run.process.pid, number)
    code, out, err = run.end()
    assert code == 128 + number, err
    assert out == ""
    assert err.strip() == "Interrupted: nothing was written under a final name."
    assert not list(run.outputs.iterdir())
    assert not list(run.scratch.iterdir())
    assert not still_there(workers, 5)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_killed_run_leaves_no_final_name_and_no_process(
    start: Callable[..., Running], jobs: str
) -> None:
    run = start("--jobs", jobs, "--batch-size", "50")
    run.wait_for_output()
    workers = run.workers()
    run.process.kill()
    run.process.wait(PATIENCE)
    left = still_there(workers, 5)
    for number in left:
        os.kill(number, signal.SIGKILL)
    assert run.final_names() == []
    assert left == []


def test_a_worker_that_is_killed_is_told(start: Callable[..., Running]) -> None:
    run = start("--jobs", "2", "--batch-size", "50")
    run.wait_for_output()
    workers = run.workers()
    os.kill(workers[0], signal.SIGKILL)
    code, _, err = run.end()
    assert code == 6, err
    assert "[worker-killed]" in err
    assert "Traceback" not in err
    assert not list(run.outputs.iterdir())
    assert not still_there(workers, 5)


def test_nohup_is_heeded(start: Callable[..., Running]) -> None:
    def ignore() -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    run = start("--jobs", "1", "--batch-size", "200", before=ignore)
    run.wait_for_output()
    os.kill(run.process.pid, signal.SIGHUP)
    assert run.end()[0] == 0


@pytest.mark.parametrize(
    ("limit", "jobs"),
    [(2_000, "1"), (100_000, "1"), (100_000, "2")],
    ids=["at the start", "in the middle", "in the middle, jobs"],
)
def test_no_room_left_is_told(start: Callable[..., Running], limit: int, jobs: str) -> None:
    def small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    run = start("--jobs", jobs, "--batch-size", "500", before=small_files)
    code, out, err = run.end()
    assert code == 4, err
    assert err.count("Error: ") == 1
    assert "File too large" in " ".join(err.split())
    assert "Traceback" not in err
    assert "Exception ignored" not in err
    assert out == ""
    assert not list(run.outputs.iterdir())


def test_runs_at_once_dont_meet(start: Callable[..., Running]) -> None:
    runs = [start("--jobs", "1", kind="short") for _ in range(3)]
    assert [run.end()[0] for run in runs] == [0] * 3
    folders = list(runs[0].outputs.iterdir())
    assert len(folders) == 3
    for folder in folders:
        (path,) = folder.glob("manifest_*.json")
        manifest = json.loads(path.read_text())
        assert manifest["run_id"] == folder.name
        assert sorted(manifest["files"]) == sorted(file.name for file in folder.iterdir())


def test_ctrl_c_while_the_program_is_loaded_is_told(tmp_path: Path) -> None:
    """Modules take a third of a second to load: one that interrupts stands for Ctrl-C then."""
    package = tmp_path / "click"
    package.mkdir()
    (package / "__init__.py").write_text("raise KeyboardInterrupt\n", encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "eval_tiers", "--version"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])},
        cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert ran.returncode == 130
    assert ran.stderr.strip() == "Interrupted: nothing was written under a final name."
