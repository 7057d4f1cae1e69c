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
