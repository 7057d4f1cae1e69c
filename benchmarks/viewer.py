"""Times the pages of the web app over a run of any size.

    python -m benchmarks.viewer --n 1000000 [--ids shuffled] [--rescued 0.1] [--keep FOLDER]

The run is the bundled one, its rows drawn at random with ids and genes of their own; the same
arguments give the same tables. ``--ids shuffled`` gives ids in no order, the worst case for
finding a sample's edges. It is served by the real command, in a process of its own; each address
is asked twice (counts by label are kept), then its peak memory is read.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import eval_tiers
from eval_tiers.io.tables import render_csv
from eval_tiers.rescue.files import MERGED_COLUMNS

_GROUP_ROWS = 16_384
_CHUNK = 1 << 20
_PAGES = (
    "/", "/?page={middle}", "/?page={last}", "/?sort=-edge_f1", "/?sort=-edge_f1&page={middle}",
    "/?sort=confidence", "/?error_label=CORRECT", "/?error_label=CORRECT&gene=gene42",
    "/?gene=gene42&sort=perturbation", "/?id=S0077", "/?confidence_band=0.9-1",
    "/sample/{row}", "/sample/{row}?error_label=CORRECT", "/sample/{row}?sort=-edge_f1",
)  # fmt: skip
_EXPORTS = (
    "/export.csv?gene=gene42", "/export.csv", "/export.csv?sort=-edge_f1",
    "/export.parquet?sort=-edge_f1",
)  # fmt: skip


def write_run(folder: Path, n: int, small: Path, shuffled: bool, rescued: float) -> None:
    """Write a run of ``n`` samples, drawn from those of a small run, with four edges each."""
    rng = np.random.default_rng(0)
    (manifest,) = small.glob("manifest_*.json")
    stamp = manifest.stem.removeprefix("manifest_")
    samples, chains, texts = (
        pq.read_table(small / f"{stem}_{stamp}.parquet") for stem in ("samples", "chains", "texts")
    )
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(manifest, folder)
    keyed = {"sample_id", "perturbation", "readout"}
    words = [one.name for one in samples.schema
             if pa.types.is_string(one.type) and one.name not in keyed]  # fmt: skip
    places = (folder / f"{stem}_{stamp}.parquet"
              for stem in ("samples", "chains", "texts", "confidence"))  # fmt: skip
    numbers = rng.permutation(n) if shuffled else np.arange(n)
    with (
        pq.ParquetWriter(next(places), samples.schema, use_dictionary=words) as rows,
        pq.ParquetWriter(next(places), chains.schema) as edges,
        pq.ParquetWriter(next(places), texts.schema) as spans,
        pq.ParquetWriter(next(places), _stated(samples.slice(0, 0), rng).schema) as stated,
        (folder / f"samples_with_rescue_{stamp}.csv").open("wb") as merged,
    ):
        for start in range(0, n, _GROUP_ROWS):
            ids = [f"S{number:08d}" for number in numbers[start : start + _GROUP_ROWS]]
            taken = pa.array(rng.integers(0, samples.num_rows, len(ids)))
            drawn = samples.take(taken)
            genes = [f"GENE{number}" for number in rng.integers(0, 5_000, len(ids))]
            for name, values in (
                ("sample_id", ids), ("perturbation", genes), ("edge_f1", rng.random(len(ids)))
            ):  # fmt: skip
                drawn = drawn.set_column(drawn.column_names.index(name), name, pa.array(values))
            rows.write_table(drawn)
            spans.write_table(texts.take(taken).set_column(0, "sample_id", pa.array(ids)))
            stated.write_table(_stated(drawn, rng))
            if rescued:
                table = _with_verdicts(drawn, rng.random(len(ids)) < rescued)
                merged.write(render_csv(table, spreadsheet_safe=False, header=start == 0))
            drawn = drawn.take(pa.array(np.repeat(np.arange(len(ids)), 4)))
            made = chains.take(pa.array(rng.integers(0, chains.num_rows, 4 * len(ids))))
            for place, name in enumerate(("sample_id", "split", "pert_type", "rollout")):
                made = made.set_column(place, name, drawn[name])
            edges.write_table(made)
    if not rescued:
        (folder / f"samples_with_rescue_{stamp}.csv").unlink()


def _stated(samples: pa.Table, rng: np.random.Generator) -> pa.Table:
    """Return a table of stated confidence of these samples."""
    names = ("sample_id", "split", "pert_type", "rollout", "readout", "gold_label",
             "predicted_label", "answer_correct")  # fmt: skip
    empty = pa.nulls(len(samples), pa.float64())
    return (
        samples.select(names)
        .append_column("confidence", pa.array(rng.random(len(samples))))
        .append_column("prob_down", empty)
        .append_column("prob_unchanged", empty)
        .append_column("prob_up", empty)
        .append_column("problem", pa.nulls(len(samples), pa.string()))
    )


def _with_verdicts(samples: pa.Table, chosen: np.ndarray) -> pa.Table:
    """Return samples with the columns of merged verdicts; null where not chosen."""
    said = {
        "llm_rescue_label": "correct_wrong_reason", "llm_rescue_verdict": "NO",
        "llm_rescue_explanation": "The chain implies no answer. " * 4,
    }  # fmt: skip
    for name in MERGED_COLUMNS:
        text = said.get(name, "0.5")
        samples = samples.append_column(
            name, pa.array([text if one else None for one in chosen], pa.string())
        )
    return samples


def time_pages(folder: Path, n: int, pages: Sequence[str]) -> None:
    """Print how long each page takes, the first time and again, and the server's peak memory.

    Seconds on the clock, and in brackets those of a processor.
    """
    begun = time.perf_counter()
    server = subprocess.Popen(
        [sys.executable, "-m", "eval_tiers", "view", str(folder), "--no-browser", "--port", "0"],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        base = (server.stdout.readline() if server.stdout else "").strip().rstrip("/")
        spent = f"{time.perf_counter() - begun:.2f} ({_cpu(server.pid):.2f}) s"
        print(f"start: {spent}, {_memory(server.pid)}", flush=True)
        for page in pages:
            address = page.format(last=max(1, n // 50), middle=max(1, n // 125), row=n * 7 // 9)
            seconds = []
            for _ in range(1 if "export" in page else 2):
                before = _cpu(server.pid)
                wall, size = _ask(base + address)
                seconds.append(f"{wall:8.3f} ({_cpu(server.pid) - before:6.2f}) s")
            print(f"{' '.join(seconds):40} {size / 1000:12,.1f} kB {_memory(server.pid)} "
                  f"{address}", flush=True)  # fmt: skip
    finally:
        server.terminate()
        server.wait(60)


def _ask(address: str) -> tuple[float, int]:
    begun = time.perf_counter()
    size = 0
    with urllib.request.urlopen(address, timeout=600) as found:
        while part := found.read(_CHUNK):
            size += len(part)
    return time.perf_counter() - begun, size


def _cpu(process: int) -> float:
    """Return a process's seconds of processor so far, nan where the system doesn't say."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except OSError:
        return float("nan")
    user, system = stat.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def _memory(process: int) -> str:
    """Return a process's peak memory in words, nothing where the system doesn't say."""
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    except OSError:
        return ""
    peak = re.search(r"VmHWM:\s+(\d+)", status)
    return f"peak {int(peak[1]) / 1024:,.0f} MB" if peak else ""


def main() -> None:
    """Run the timings."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--n", type=int, default=1_000_000)
    parser.add_argument("--ids", choices=("sorted", "shuffled"), default="sorted")
    parser.add_argument("--rescued", type=float, default=0.0,
                        help="share of samples with an examiner's verdict")  # fmt: skip
    parser.add_argument("--no-exports", action="store_true")
    parser.add_argument("--keep", type=Path, help="write the run here and leave it; used again")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch) / "large"
        if not folder.exists():
            eval_tiers.evaluate(tiers=(1, 2, 3), output_dir=Path(scratch) / "small")
            (run,) = (Path(scratch) / "small").iterdir()
            shuffled = options.ids == "shuffled"
            write_run(folder, options.n, run, shuffled, options.rescued)
        time_pages(folder, options.n, _PAGES if options.no_exports else (*_PAGES, *_EXPORTS))


if __name__ == "__main__":
    main()
