"""slurm/infer.sbatch by itself: what it refuses, what it hands on, and that shellcheck is content."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.slurm.cluster import Cluster
from tests.slurm.conftest import REPOSITORY, wait_for

SCRIPT = REPOSITORY / "slurm" / "infer.sbatch"
SHELL_SCRIPTS = (SCRIPT, REPOSITORY / ".ci" / "run", *sorted((REPOSITORY / "scripts").glob("*.sh")))
# Stands for `python -m eval_tiers infer`: tells its arguments, obeys the signals as infer does.
LISTENER = """#!/bin/bash
trap 'echo got USR1; exit 75' USR1
trap 'echo got TERM; exit 75' TERM
echo "called with: $*"
[ -z "${WAITING:-}" ] || for _ in {1..300}; do sleep 0.1; done
exit "${STATUS:-0}"
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """What the script needs, its Python being a script that says what it is told."""
    python = tmp_path / "python"
    python.write_text(LISTENER)
    python.chmod(0o755)
    requests = tmp_path / "requests.jsonl"
    requests.touch()
    plain = {key: value for key, value in os.environ.items() if not key.startswith("SLURM_")}
    return plain | {
        "PYTHON": str(python),
        "MODEL": "/models/m",
        "INPUT": str(requests),
    }


def run_script(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", SCRIPT, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


@pytest.mark.parametrize("script", SHELL_SCRIPTS, ids=lambda path: path.name)
def test_shellcheck_finds_nothing(script: Path) -> None:
    if shutil.which("shellcheck") is None:
        pytest.skip("shellcheck isn't installed")
    severity = "style" if script == SCRIPT else "warning"
    done = subprocess.run(
        ["shellcheck", f"--severity={severity}", script],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", ["MODEL", "INPUT"])
def test_refuses_in_one_line_what_is_not_set(environment: dict[str, str], name: str) -> None:
    del environment[name]
    done = run_script(environment)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == f"Error: {name} is not set; export {name}=... before sbatch\n"


def test_refuses_a_request_file_that_is_not_there(environment: dict[str, str]) -> None:
    environment["INPUT"] += ".missing"
    done = run_script(environment)
    assert done.returncode == 2
    assert done.stderr.startswith(f"Error: INPUT={environment['INPUT']} can't be read on ")
    assert done.stderr.count("\n") == 1


def test_hands_on_its_settings_and_arguments(environment: dict[str, str], tmp_path: Path) -> None:
    environment |= {"OUTPUT": "out/replies.jsonl", "TP_SIZE": "4"}
    done = run_script(environment, "--max-model-len", "4096")
    assert (
        f"called with: -m eval_tiers infer --model /models/m --input {tmp_path}/requests.jsonl "
        "--output out/replies.jsonl --tp-size 4 --max-model-len 4096\n"
    ) in done.stdout
    assert done.returncode == 0


def test_replies_lie_beside_the_requests_by_default(
    environment: dict[str, str], tmp_path: Path
) -> None:
    done = run_script(environment)
    assert f"--output {tmp_path}/requests.replies.jsonl " in done.stdout


def test_names_the_shard_only_where_it_is_told_how_many_there_are(
    environment: dict[str, str],
) -> None:
    environment |= {"SLURM_ARRAY_JOB_ID": "7", "SLURM_ARRAY_TASK_ID": "2"}
    assert "--shard" not in run_script(environment).stdout  # infer reads the array's variables
    environment |= {"SHARDS": "4"}
    assert "--shard 2/4\n" in run_script(environment).stdout


@pytest.mark.parametrize("status", [0, 1, 3, 6, 75, 137])
def test_ends_with_the_status_of_infer_and_queues_nothing_unwarned(
    environment: dict[str, str], status: int
) -> None:
    environment |= {"STATUS": str(status), "SLURM_JOB_ID": "7"}
    done = run_script(environment)
    assert done.returncode == status
    assert done.stderr == ""


def submit_and_signal(
    cluster: Cluster, environment: dict[str, str], folder: Path, *scancel: str
) -> str:
    """Submit an array of two that waits, send its last task a signal; the array's job id."""
    job = cluster.submit(
        "--array=0-1", f"--output={folder}/%a.log", SCRIPT, extra=environment | {"WAITING": "1"}
    )
    logs = [folder / f"{task}.log" for task in range(2)]
    wait_for("infer", lambda: all(p.exists() and "called with" in p.read_text() for p in logs))
    cluster.run("scancel", *scancel, f"{job}_1")
    return job


def test_a_warning_queues_just_this_task_again(
    cluster: Cluster, environment: dict[str, str], tmp_path: Path
) -> None:
    job = submit_and_signal(cluster, environment, tmp_path, "--batch", "--signal=USR1")
    wait_for("a restart", lambda: cluster.jobs(f"{job}_1")[0]["Restarts"] == "1")
    assert "got USR1" in (tmp_path / "1.log").read_text()
    (other,) = cluster.jobs(f"{job}_0")
    assert (other["JobState"], other["Restarts"]) == ("RUNNING", "0")
    cluster.run("scancel", job)


def test_a_cancelled_task_stays_cancelled(
    cluster: Cluster, environment: dict[str, str], tmp_path: Path
) -> None:
    job = submit_and_signal(cluster, environment, tmp_path)
    (task,) = cluster.wait(f"{job}_1")
    assert (task["JobState"], task["Restarts"]) == ("CANCELLED", "0")
    cluster.run("scancel", job)


def test_a_task_that_never_gets_on_is_given_up(
    cluster: Cluster, environment: dict[str, str], tmp_path: Path
) -> None:
    environment["MAX_REQUEUES"] = "0"
    job = submit_and_signal(cluster, environment, tmp_path, "--batch", "--signal=USR1")
    (task,) = cluster.wait(f"{job}_1")
    assert (task["JobState"], task["ExitCode"]) == ("FAILED", "75:0")
    log = (tmp_path / "1.log").read_text()
    assert "Error: warned 0 times; give it more --time or more shards\n" in log
    cluster.run("scancel", job)
