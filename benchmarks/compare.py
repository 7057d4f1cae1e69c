"""Times the package against the slow reading, side by side in one run.

    python -m benchmarks.compare --kg KG.tsv.gz --gmt GO.gmt.gz [--small 40000 --large 200000]

Prints wall seconds, peak memory and the marginal cost a sample (from the small to the large set,
so that start-up and loading drop out), each as the median of the runs, and the ratios. The slow
reading is the test oracle: plain Python, one sample at a time, writing its rows as CSV (the package
writes all its files).
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.generate import read_edges, write_benchmark

SLOW_SMALL, SLOW_LARGE = 2_000, 22_000


def timed(command: list[str]) -> tuple[float, float, float]:
    """Run a command; return wall seconds, CPU seconds and peak MB of its largest process."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    if status:
        raise SystemExit(f"failed: {' '.join(command)}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def package_command(folder: Path, kg: Path, gmt: Path, jobs: int, output: Path) -> list[str]:
    """Return the command line of one evaluation."""
    return [
        sys.executable, "-m", "eval_tiers", "eval", "--tiers", "1", "2", "3", "--quiet",
        "--gt-dir", str(folder / "gt"), "--pred-dir", str(folder / "pred"),
        "--external-kg", str(kg), "--go-gmt", str(gmt), "--jobs", str(jobs), "-o", str(output),
    ]  # fmt: skip


def slow_command(folder: Path, kg: Path, gmt: Path, output: Path) -> list[str]:
    """Return the command line of the slow reading."""
    return [
        sys.executable, "-m", "tests.oracle.run", "--gt-dir", str(folder / "gt"),
        "--pred-dir", str(folder / "pred"), "--kg", str(kg), "--gmt", str(gmt),
        "-o", str(output),
    ]  # fmt: skip


def stages(output: Path) -> dict[str, float]:
    """Return the seconds by stage of the newest run."""
    manifest = max(output.rglob("manifest_*.json"), key=lambda path: path.stat().st_mtime)
    found = json.loads(manifest.read_text(encoding="utf-8"))["seconds"]
    return {str(name): float(value) for name, value in found.items()}


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Package against slow reading.")
    parser.add_argument("--kg", type=Path, required=True)
    parser.add_argument("--gmt", type=Path, required=True)
    parser.add_argument("--small", type=int, default=40_000)
    parser.add_argument("--large", type=int, default=200_000)
    parser.add_argument("--text-length", type=int, default=100)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--work", type=Path, help="folder to keep the generated files in")
    options = parser.parse_args()
    work = options.work or Path(tempfile.mkdtemp(prefix="eval_tiers-bench-"))
    edges = read_edges(options.kg)
    sizes = (options.small, options.large, SLOW_SMALL, SLOW_LARGE)
    folders = {n: work / f"n{n}-t{options.text_length}" for n in sizes}
    for n, folder in folders.items():
        if not folder.exists():
            write_benchmark(folder, edges, n, options.text_length)
    output = work / "outputs"
    rows: dict[str, list[tuple[float, float, float]]] = {}
    for _ in range(options.runs):
        for n in (SLOW_SMALL, SLOW_LARGE):
            command = slow_command(folders[n], options.kg, options.gmt, work / "slow.csv")
            rows.setdefault(f"slow reading, n={n}", []).append(timed(command))
        for jobs in (1, 2):
            for n in (options.small, options.large):
                command = package_command(folders[n], options.kg, options.gmt, jobs, output)
                name = f"package, jobs={jobs}, n={n}"
                rows.setdefault(name, []).append(timed(command))
                print(name, stages(output), file=sys.stderr)
                shutil.rmtree(output)
    medians = {
        name: [statistics.median(column) for column in zip(*runs, strict=True)]
        for name, runs in rows.items()
    }
    print(f"{'':<34}{'wall s':>9}{'CPU s':>9}{'peak MB':>9}")
    for name, (wall, cpu, peak) in medians.items():
        print(f"{name:<34}{wall:>9.2f}{cpu:>9.2f}{peak:>9.0f}")
    slow = _marginal(medians, "slow reading, n={}", SLOW_SMALL, SLOW_LARGE)
    print(f"\nmarginal cost a sample: slow reading {slow:.1f} us")
    for jobs in (1, 2):
        name = f"package, jobs={jobs}, n={{}}"
        ours = _marginal(medians, name, options.small, options.large)
        print(f"  package, jobs={jobs}: {ours:.1f} us, 1/{slow / ours:.1f} of it")


def _marginal(medians: dict[str, list[float]], name: str, small: int, large: int) -> float:
    difference = medians[name.format(large)][0] - medians[name.format(small)][0]
    return difference / (large - small) * 1e6


if __name__ == "__main__":
    main()
