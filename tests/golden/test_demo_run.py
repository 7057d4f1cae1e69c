"""The demo's samples and summary, compared whole; ``--update-golden`` writes them anew."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from eval_tiers.api import make_plan, write_evaluation
from eval_tiers.io.demo import demo_inputs

HERE = Path(__file__).parent
Check = Callable[[Path, bytes], None]
# What differs from machine to machine and release to release
NOT_COMPARED = {"run_id", "eval_tiers_version"}


@pytest.fixture(scope="module", params=["planted", "smollm2"])
def run(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Path]:
    """The name of a set of predictions, and the folder of a run on it."""
    inputs = demo_inputs(request.param)
    plan = make_plan(
        gt_dir=inputs.gold, pred_dir=inputs.predictions, external_kg=inputs.graph,
        go_gmt=inputs.gene_sets, tiers=(1, 2, 3),
    )  # fmt: skip
    return request.param, write_evaluation(plan, tmp_path_factory.mktemp("golden")).run_dir


def only(folder: Path, pattern: str) -> Path:
    """The one file of that name."""
    (path,) = folder.glob(pattern)
    return path


def without_paths(text: str) -> bytes:
    """A CSV without its path columns."""
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    names = [name for name in rows[0] if not name.endswith("_path")]
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, names, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: cell_rounded(cell) for name, cell in row.items()} for row in rows)
    return out.getvalue().encode()


def cell_rounded(cell: str) -> str:
    """A cell with a fraction to twelve digits, any other as it is."""
    try:
        return cell if cell.lstrip("-").isdigit() else f"{float(cell):.12g}"
    except ValueError:
        return cell


def rounded(value: object) -> object:
    """Figures to twelve digits: the last ones differ between processors."""
    if isinstance(value, float):
        return float(f"{value:.12g}")
    if isinstance(value, dict):
        return {
            key: rounded(inner)
            for key, inner in value.items()
            if key not in NOT_COMPARED and not str(key).endswith("path")
        }
    return [rounded(inner) for inner in value] if isinstance(value, list) else value


def test_samples(run: tuple[str, Path], golden: Check) -> None:
    name, folder = run
    text = only(folder, "samples_*.csv").read_text(encoding="utf-8")
    golden(HERE / f"{name}_samples.csv", without_paths(text))


def test_file_summary(run: tuple[str, Path], golden: Check) -> None:
    name, folder = run
    text = only(folder, "file_summary_*.csv").read_text(encoding="utf-8")
    golden(HERE / f"{name}_file_summary.csv", without_paths(text))


def test_summary(run: tuple[str, Path], golden: Check) -> None:
    name, folder = run
    found = json.loads(only(folder, "summary_*.json").read_text(encoding="utf-8"))
    text = json.dumps(rounded(found), indent=1, ensure_ascii=False) + "\n"
    golden(HERE / f"{name}_summary.json", text.encode())
