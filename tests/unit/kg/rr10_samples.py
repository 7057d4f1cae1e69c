"""Items of RR-10 for tests of the provenance graph, as objects and as lines of a benchmark."""

from __future__ import annotations

import json
from collections.abc import Sequence

from eval_tiers.domain.rr10 import CONTROL, INDETERMINATE, LABELS, TRAP, Item, ProvenanceRow

MOUSE = "mus_musculus"
HUMAN = "homo_sapiens"
FLY = "drosophila_melanogaster"

Measured = tuple[str, float | None, float | None]


def row(
    gene: str, dataset: str, log2fc: float | None, q: float | None = 0.01, **more: object
) -> ProvenanceRow:
    """Return a provenance row; of a mouse's liver unless told otherwise."""
    fields: dict[str, object] = {
        "organism": MOUSE,
        "tissue": "liver",
        "contrast": "(Space Flight)v(Ground Control)",
        "orientation": 1,
        "source_file": "toy.csv",
        "item_id": "OSDR-FRAG-00001",
        "line": 1,
    }
    return ProvenanceRow(gene=gene, dataset=dataset, log2fc=log2fc, q=q, **{**fields, **more})


def item(
    gene: str,
    measured: Sequence[Measured],
    organism: str = MOUSE,
    tissue: str = "liver",
    number: int = 1,
    label: int = INDETERMINATE,
) -> Item:
    """Return an item with a provenance row for each (dataset, log2fc, q)."""
    sample_id = f"OSDR-{'FRAG' if label == INDETERMINATE else 'CTRL'}-{number:05d}"
    rows = tuple(
        row(gene, dataset, log2fc, q, organism=organism, tissue=tissue, item_id=sample_id,
            line=number, number=place)
        for place, (dataset, log2fc, q) in enumerate(measured)
    )  # fmt: skip
    datasets = tuple(dict.fromkeys(found.dataset for found in rows))
    kind = TRAP if label == INDETERMINATE else CONTROL
    return Item(sample_id, kind, "?", gene, organism, tissue, label, datasets, rows, number)


def benchmark_line(made: Item) -> str:
    """Return an item as a line of a benchmark file."""
    folds = [abs(found.log2fc or 0.0) for found in made.provenance]
    record = {
        "id": made.sample_id,
        "item_type": made.item_type,
        "prompt": made.prompt,
        "gene": made.gene,
        "organism": made.organism,
        "tissue": made.tissue,
        "context": made.context,
        "expected": LABELS[made.label],
        "accept": [LABELS[made.label]],
        "reject": [word for word in LABELS if word != LABELS[made.label]],
        "evidence": {
            "n_datasets": len(made.datasets),
            "datasets": list(made.datasets),
            "min_abs_log2FC": min(folds),
            "max_abs_log2FC": max(folds),
            "max_q": max(found.q or 0.0 for found in made.provenance),
            "discordant": made.label == INDETERMINATE,
        },
        "provenance": [
            {
                "osd": found.dataset,
                "log2FC_SF_vs_GC": found.log2fc,
                "q": found.q,
                "contrast": found.contrast,
                "orientation_sign_applied": found.orientation,
                "source_file": found.source_file,
                "gene_id_column": "SYMBOL",
            }
            for found in made.provenance
        ],
    }
    return json.dumps(record) + "\n"


def items() -> list[Item]:
    """Return three items: two genes of one mouse liver, one of a human's cells."""
    return [
        item("Cyp4a14", [("OSD-47", 1.5, 0.01), ("OSD-168", -1.25, 0.02)]),
        item("Angptl4", [("OSD-47", 1.75, 0.001), ("OSD-168", 0.5, 0.06)], number=2, label=0),
        item("TP53", [("OSD-25", -0.75, 0.04)], HUMAN, "cells", number=3, label=1),
    ]
