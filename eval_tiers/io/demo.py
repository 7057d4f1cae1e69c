"""Where the bundled demo data lies."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import eval_tiers


@dataclass(frozen=True, slots=True)
class DemoInputs:
    """Paths of the bundled questions, predictions, network and gene sets."""

    gold: Path
    predictions: Path
    graph: Path
    gene_sets: Path


def demo_inputs(predictions: str = "planted") -> DemoInputs:
    """Return the bundled inputs.

    Parameters
    ----------
    predictions : {"planted", "smollm2"}
        Which prediction set: planted faults of every error label, or real text of a small model.
    """
    folder = Path(eval_tiers.__file__).parent / "demo"
    return DemoInputs(
        folder / "questions" / "gt",
        folder / "predictions" / predictions,
        folder / "kg_demo.tsv",
        folder / "go_demo.gmt",
    )


@dataclass(frozen=True, slots=True)
class Rr10DemoInputs:
    """Paths of the bundled synthetic benchmark, predictions, and what widens its graph."""

    gold: Path
    predictions: Path
    registry: Path
    tables: dict[str, Path]
    genes: dict[str, Path]


def rr10_demo_inputs(predictions: str = "planted") -> Rr10DemoInputs:
    """Return the bundled RR-10 inputs: synthetic, of the benchmark's shape; nothing is measured.

    Parameters
    ----------
    predictions : {"planted", "smollm2"}
        As `demo_inputs`.
    """
    folder = Path(eval_tiers.__file__).parent / "demo" / "rr10"
    return Rr10DemoInputs(
        folder / "synthetic_rr10_benchmark.jsonl",
        folder / "predictions" / f"{predictions}.jsonl",
        folder / "registry.txt",
        {"OSD-48": folder / "synthetic_OSD-48_table.tsv"},
        {"mus_musculus": folder / "genes_mus_musculus.txt"},
    )


def example_task() -> Path:
    """Return the folder of the bundled example task, its oracle and a judge's reply."""
    return Path(eval_tiers.__file__).parent / "demo" / "task_example"
