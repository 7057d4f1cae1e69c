"""Times the pages of the web app over a run of any size.

    python -m benchmarks.viewer --n 1000000 [--keep FOLDER]

The run is the bundled one, its rows drawn at random with ids and genes of their own; the same
arguments give the same tables. Each address is asked twice: counts by label are kept.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import eval_tiers
from eval_tiers.viewer.app import build_app
from eval_tiers.viewer.run import open_run

_GROUP_ROWS = 16_384
_PAGES = (
    "/", "/?page={last}", "/?sort=-edge_f1", "/?sort=-edge_f1&page=100",
    "/?error_label=CORRECT&gene=gene42", "/?gene=gene42&sort=perturbation", "/?id=S0077",
    "/sample/{row}", "/sample/{row}?sort=-edge_f1&error_label=CORRECT", "/export.csv?gene=gene42",
)  # fmt: skip


def write_run(folder: Path, n: int, small: Path) -> None:
    """Write a run of ``n`` samples, drawn from those of a small run, with four edges each."""
    rng = np.random.default_rng(0)
    (manifest,) = small.glob("manifest_*.json")
    stamp = manifest.stem.removeprefix("manifest_")
    samples, chains = (
        pq.read_table(small / f"{stem}_{stamp}.parquet") for stem in ("samples", "chains")
    )
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(manifest, folder)
    keyed = {"sample_id", "perturbation", "readout"}
    texts = [one.name for one in samples.schema
             if pa.types.is_string(one.type) and one.name not in keyed]  # fmt: skip
    places = (folder / f"{stem}_{stamp}.parquet" for stem in ("samples", "chains"))
    with (
        pq.ParquetWriter(next(places), samples.schema, use_dictionary=texts) as rows,
        pq.ParquetWriter(next(places), chains.schema) as edges,
    ):
        for start in range(0, n, _GROUP_ROWS):
            ids = [f"S{number:08d}" for number in range(start, min(n, start + _GROUP_ROWS))]
            drawn = samples.take(pa.array(rng.integers(0, samples.num_rows, len(ids))))
            genes = [f"GENE{number}" for number in rng.integers(0, 5_000, len(ids))]
            for name, values in (
                ("sample_id", ids), ("perturbation", genes), ("edge_f1", rng.random(len(ids)))
            ):  # fmt: skip
                drawn = drawn.set_column(drawn.column_names.index(name), name, pa.array(values))
            rows.write_table(drawn)
            drawn = chains.take(pa.array(rng.integers(0, chains.num_rows, 4 * len(ids))))
            edges.write_table(drawn.set_column(0, "sample_id", pa.array(np.repeat(ids, 4))))


def time_pages(folder: Path, n: int, scratch: Path) -> None:
    """Print how long each page takes, the first time and again."""
    from starlette.testclient import TestClient

    begun = time.perf_counter()
    client = TestClient(build_app(open_run(folder), scratch), base_url="http://127.0.0.1")
    print(f"open the run: {time.perf_counter() - begun:.3f} s")
    for page in _PAGES:
        address = page.format(last=max(1, n // 50), row=n * 7 // 9)
        seconds = []
        for _ in range(2):
            begun = time.perf_counter()
            found = client.get(address)
            seconds.append(time.perf_counter() - begun)
        size = len(found.content) / 1000
        first, again = seconds
        print(f"{first:7.3f} s {again:7.3f} s {size:10.1f} kB {found.status_code} {address}")


def main() -> None:
    """Run the timings."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--n", type=int, default=1_000_000)
    parser.add_argument("--keep", type=Path, help="write the run here and leave it")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        small = eval_tiers.evaluate(tiers=(1, 2, 3), output_dir=Path(scratch) / "small")
        del small
        (run,) = (Path(scratch) / "small").iterdir()
        folder = options.keep or Path(scratch) / "large"
        write_run(folder, options.n, run)
        time_pages(folder, options.n, Path(scratch))


if __name__ == "__main__":
    main()
