"""A SLURM of one node on this machine: real munged, slurmctld and slurmd, in a folder of its own.

    .venv/bin/python -m tests.slurm.cluster      # starts one, says how to use it, waits for Enter

No systemd, no cgroups, no accounting database; everything on loopback and on free ports, so that
several can run beside each other and beside a real one. What was started is ended by `stop`.
"""

from __future__ import annotations

import getpass
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

DAEMONS = ("munged", "slurmctld", "slurmd")
CLIENTS = ("sbatch", "scontrol", "squeue", "sinfo", "scancel")
SEARCH_PATH = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"))

CONFIG = """\
ClusterName=sandbox
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={controller_port}
SlurmdPort={node_port}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=10
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,sched_min_interval=0,batch_sched_delay=0,bf_interval=1
JobRequeue=1
KillWait=5
MinJobAge=3600
ReturnToService=2
SlurmdParameters=config_overrides
MailProg=/bin/true
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=debug Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def missing_programs() -> list[str]:
    """The programs of SLURM and munge that this machine lacks."""
    return [name for name in DAEMONS + CLIENTS if shutil.which(name, path=SEARCH_PATH) is None]


@dataclass
class Cluster:
    """A running SLURM.

    Attributes
    ----------
    folder : Path
        Configuration, sockets, state and logs.
    environment : dict of str to str
        What a client of this cluster needs: ``SLURM_CONF``.
    """

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)

    def run(
        self, *command: str | Path, extra: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a client (or anything) against this cluster; what it printed is text."""
        return subprocess.run(
            [str(part) for part in command],
            env=os.environ | {"PATH": SEARCH_PATH} | self.environment | dict(extra or {}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def submit(self, *arguments: str | Path, extra: Mapping[str, str] | None = None) -> str:
        """Submit a batch script; its job id."""
        done = self.run("sbatch", "--parsable", *arguments, extra=extra)
        if done.returncode:
            raise RuntimeError(f"sbatch failed: {done.stderr}")
        return done.stdout.strip().partition(";")[0]

    def jobs(self, job: str) -> list[dict[str, str]]:
        """What the controller knows of a job, one dictionary an array task."""
        shown = self.run("scontrol", "show", "job", job, "--oneliner").stdout
        return [dict(re.findall(r"(\w+)=(\S*)", line)) for line in shown.splitlines() if line]

    def states(self, job: str) -> list[str]:
        """The states of a job's tasks."""
        return [task["JobState"] for task in self.jobs(job)]

    def start_now(self, job: str) -> None:
        """Let a requeued job start at once; SLURM holds one back for a while."""
        self.run("scontrol", "update", f"JobId={job}", "StartTime=now")

    def wait(self, job: str, *states: str, seconds: float = 300) -> list[dict[str, str]]:
        """Wait until each task of a job is in one of `states` (default: it has ended)."""
        wanted = set(states) or ENDED
        until = time.monotonic() + seconds
        while True:
            tasks = self.jobs(job)
            if tasks and all(task["JobState"] in wanted for task in tasks):
                return tasks
            if time.monotonic() > until:
                raise TimeoutError(f"job {job} is in {[task['JobState'] for task in tasks]}")
            time.sleep(0.25)

    def stop(self) -> None:
        """End the daemons that were started here, and every job of theirs."""
        self.run("scancel", "--user", getpass.getuser())
        until = time.monotonic() + 15
        while time.monotonic() < until and self.run("squeue", "--noheader").stdout.strip():
            time.sleep(0.2)
        for name in ("slurmd", "slurmctld", "munged"):
            _end(self.folder / f"{name}.pid")
        shutil.rmtree(self.folder, ignore_errors=True)


ENDED = {
    "BOOT_FAIL",
    "CANCELLED",
    "COMPLETED",
    "DEADLINE",
    "FAILED",
    "NODE_FAIL",
    "OUT_OF_MEMORY",
    "PREEMPTED",
    "TIMEOUT",
}


def start_cluster(cpus: int | None = None) -> Cluster:
    """Start munged, slurmctld and slurmd; returns when the node takes jobs.

    `cpus` may be more than the machine has.
    """
    folder = Path(tempfile.mkdtemp(prefix="slurm-"))  # short: a socket's path has 107 characters
    folder.chmod(0o755)
    for name in ("state", "spool"):
        (folder / name).mkdir()
    cluster = Cluster(folder, {"SLURM_CONF": str(folder / "slurm.conf")})
    ports = free_ports(2)
    (folder / "slurm.conf").write_text(
        CONFIG.format(
            host=socket.gethostname().partition(".")[0],
            user=getpass.getuser(),
            folder=folder,
            controller_port=ports[0],
            node_port=ports[1],
            cpus=cpus or os.cpu_count() or 1,
        )
    )
    key = folder / "munge.key"
    key.touch(0o600)
    key.write_bytes(os.urandom(1024))
    munge = {
        "socket": "munge.socket",
        "key-file": "munge.key",
        "pid-file": "munged.pid",
        "log-file": "munged.log",
        "seed-file": "munge.seed",
    }
    options = [f"--{option}={folder / name}" for option, name in munge.items()]
    try:
        _start(cluster, "munged", "--force", *options)
        _start(cluster, "slurmctld")
        _start(cluster, "slurmd")
        until = time.monotonic() + 30
        while cluster.run("sinfo", "--noheader", "--format=%T").stdout.strip() != "idle":
            if time.monotonic() > until:
                raise TimeoutError("SLURM's node did not come up")
            time.sleep(0.1)
    except Exception as error:
        logs = "\n".join(log.read_text()[-2_000:] for log in sorted(folder.glob("*.log")))
        cluster.stop()
        raise RuntimeError(f"SLURM did not start: {error}\n{logs}") from error
    return cluster


def _start(cluster: Cluster, daemon: str, *options: str) -> None:
    """Start one daemon, which puts itself into the background."""
    done = cluster.run(daemon, *options)
    if done.returncode:
        raise RuntimeError(f"{daemon}: {done.stderr}")


def _end(pid_file: Path) -> None:
    """End the process that wrote `pid_file`."""
    try:
        pid = int(pid_file.read_text())
        os.kill(pid, signal.SIGTERM)
    except (OSError, ValueError):
        return
    until = time.monotonic() + 10
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
        except OSError:
            return
        time.sleep(0.1)


def free_ports(wanted: int) -> list[int]:
    """Ports of loopback that nothing listens on."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(wanted)]
    ports = [taken.getsockname()[1] for taken in sockets]
    for taken in sockets:
        taken.close()
    return ports


if __name__ == "__main__":
    sandbox = start_cluster()
    try:
        print(f"export SLURM_CONF={sandbox.environment['SLURM_CONF']}")
        input("A SLURM is up; Enter ends it. ")
    finally:
        sandbox.stop()
