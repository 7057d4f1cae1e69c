"""From a run's hard cases to a merged table: real sbatch, real vLLM, interruptions of every kind."""

from __future__ import annotations

import os
import signal
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.slurm.cluster import Cluster
from tests.slurm.conftest import ONE_THREAD, REPOSITORY, Export, eval_tiers, wait_for
from tests.slurm.replies import faults_of, ids_of, rows_of

SCRIPT = REPOSITORY / "slurm" / "infer.sbatch"
SHARDS = 3
WARNED, KILLED, FROZEN = range(SHARDS)


def pid_of_infer(cluster: Cluster, job: str, task: int) -> int:
    """The process of `eval-tiers infer` in a task of a job of this cluster."""
    own = {"SLURM_ARRAY_JOB_ID": job, "SLURM_ARRAY_TASK_ID": str(task)} | cluster.environment
    wanted = {f"{name}={value}".encode() for name, value in own.items()}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            arguments = (process / "cmdline").read_bytes().split(b"\0")
            variables = set((process / "environ").read_bytes().split(b"\0"))
        except OSError:
            continue
        if b"infer" in arguments and wanted <= variables:
            return int(process.name)
    raise AssertionError(f"job {job}_{task} runs no infer")


@pytest.mark.slow
def test_an_array_that_is_warned_killed_and_timed_out_loses_and_repeats_nothing(
    cluster: Cluster, vllm_python: Path, tiny_model: Path, export: Export, tmp_path: Path
) -> None:
    requests = rows_of(export.requests)
    replies = [tmp_path / f"replies.shard-{task}-of-{SHARDS}.jsonl" for task in range(SHARDS)]
    logs = [tmp_path / f"{task}.log" for task in range(SHARDS)]
    settings = ONE_THREAD | {
        "MODEL": str(tiny_model),
        "INPUT": str(export.requests),
        "OUTPUT": str(tmp_path / "replies.jsonl"),
        "PYTHON": str(vllm_python),
        "SHARDS": str(SHARDS),
    }
    command = (f"--output={tmp_path}/%a.log", SCRIPT, "--batch-size", "8")
    job = cluster.submit(f"--array={WARNED},{KILLED}", *command, extra=settings)
    hung = cluster.submit(f"--array={FROZEN}", *command, extra=settings | {"MAX_REQUEUES": "0"})
    wait_for("replies of each shard", lambda: all(rows_of(path) for path in replies))

    os.kill(pid_of_infer(cluster, hung, FROZEN), signal.SIGSTOP)  # hangs, as a lost GPU makes it
    soon = datetime.now() + timedelta(seconds=1)
    cluster.run("scontrol", "update", f"JobId={hung}_{FROZEN}", f"EndTime={soon:%FT%T}")
    cluster.run("scancel", "--batch", "--signal=USR1", f"{job}_{WARNED}")
    os.kill(pid_of_infer(cluster, job, KILLED), signal.SIGKILL)

    # The killed one: a job that failed; what it had flushed stays, a line it was writing is torn.
    (task,) = cluster.wait(f"{job}_{KILLED}")
    assert (task["JobState"], task["ExitCode"]) == ("FAILED", "137:0")
    flushed = replies[KILLED].read_bytes()
    with replies[KILLED].open("ab") as torn:
        torn.write(flushed.splitlines()[0][:100])
    assert cluster.run("scontrol", "requeue", f"{job}_{KILLED}").returncode == 0

    # The warned one: ends the batch in hand and is queued again.
    wait_for("the warned shard", lambda: cluster.jobs(f"{job}_{WARNED}")[0]["Restarts"] == "1")
    assert "infer ended with 75" in logs[WARNED].read_text()
    before_restart = replies[WARNED].read_bytes()

    for task in (WARNED, KILLED):
        (ended,) = cluster.wait(f"{job}_{task}", "COMPLETED", seconds=240)
        assert ended["Restarts"] == "1"
        assert "restart 1" in logs[task].read_text()
    for task, before in ((WARNED, before_restart), (KILLED, flushed)):
        assert replies[task].read_bytes().startswith(before)
        share = requests[task::SHARDS]
        assert len(before.splitlines()) < len(share)  # it was in the middle of its work
        assert faults_of(share, rows_of(replies[task])) == []
    assert len(replies[KILLED].read_bytes().splitlines()) == len(requests[KILLED::SHARDS]) + 1

    # The one that hung: TIMEOUT, its rest is shown as owed, and only that is done afterwards.
    (task,) = cluster.wait(f"{hung}_{FROZEN}", "TIMEOUT")
    answered = rows_of(replies[FROZEN])
    share = requests[FROZEN::SHARDS]
    owed = set(ids_of(share)) - set(ids_of(answered))
    assert owed and answered
    merged = export.merge(replies, tmp_path / "first")
    assert merged.returncode == 0, merged.stderr
    assert set(ids_of(rows_of(export.owed(tmp_path / "first")))) == owed
    assert export.merge(replies, tmp_path / "strict", "--strict").returncode == 5

    rest = cluster.submit(f"--array={FROZEN}", *command, extra=settings)
    cluster.wait(rest, "COMPLETED", seconds=240)
    assert rows_of(replies[FROZEN])[: len(answered)] == answered
    assert faults_of(requests, [row for path in replies for row in rows_of(path)]) == []
    assert export.merge(replies, tmp_path / "last", "--strict").returncode == 0


@pytest.mark.slow
def test_hard_cases_go_through_a_real_model_and_back(
    cluster: Cluster, vllm_python: Path, smollm2: Path, few: Export, tmp_path: Path
) -> None:
    requests = rows_of(few.requests)
    settings = ONE_THREAD | {
        "MODEL": str(smollm2),
        "INPUT": str(few.requests),
        "OUTPUT": str(tmp_path / "replies.jsonl"),
        "PYTHON": str(vllm_python),
    }
    job = cluster.submit("--array=0-1", f"--output={tmp_path}/%a.log", SCRIPT, extra=settings)
    for task in cluster.wait(job, seconds=300):
        log = (tmp_path / f"{task['ArrayTaskId']}.log").read_text()
        assert task["JobState"] == "COMPLETED", log[-3_000:]
    replies = [tmp_path / f"replies.shard-{task}-of-2.jsonl" for task in range(2)]
    assert faults_of(requests, [row for path in replies for row in rows_of(path)]) == []
    merged = few.merge(replies, tmp_path / "merged", "--strict")
    assert merged.returncode == 0, merged.stderr

    # Finished: no engine is started again.
    again = eval_tiers(
        "infer", "--input", few.requests, "--output", tmp_path / "replies.jsonl",
        "--model", smollm2, "--shard", "0/2", python=vllm_python,
    )  # fmt: skip
    assert again.returncode == 0, again.stderr
    assert "none was started: nothing is owed" in again.stdout
