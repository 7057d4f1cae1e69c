"""Benchmarks in RR-10's format, made up by number, and answers to them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

Record = dict[str, Any]

UP, DOWN, BOTH = "upregulated", "downregulated", "indeterminate"
TRAP, CONTROL = "fragility_trap", "concordant_control"
ROOT = Path(__file__).resolve().parents[1]
BUNDLED = ROOT / "eval_tiers" / "demo" / "rr10"
BUNDLED_BENCHMARK = BUNDLED / "synthetic_rr10_benchmark.jsonl"

# organism, tissue, datasets, how genes of a trap and of its control are named
CONTEXTS: tuple[tuple[str, str, tuple[int, ...], str, str], ...] = (
    ("mus_musculus", "liver", (47, 48, 168, 242), "Trp{}", "Cyp{}"),
    ("mus_musculus", "thymus", (4, 244, 245, 421), "Trp{}", "Cdk{}"),
    ("homo_sapiens", "cells", (1, 37, 546, 635), "TP{}", "CDK{}"),
    ("homo_sapiens", "cells_cultured", (867, 871), "TP{}", "CDK{}"),
    ("drosophila_melanogaster", "whole_organism", (25, 278, 588), "dl{}", "Dl{}"),
    ("arabidopsis_thaliana", "seedlings", (173, 321, 323, 515, 863), "AT1G{:05d}", "AT2G{:05d}"),
)


def build_items(pair_n: int = 100, up_n: int = 44) -> list[Record]:
    """Return a trap and a control a pair; the first ``up_n`` controls are upregulated.

    Every third row was turned (orientation -1); every seventh item has a row with q .2.
    """
    items = []
    for number in range(1, pair_n + 1):
        for kind in (TRAP, CONTROL):
            expected = BOTH if kind == TRAP else UP if number <= up_n else DOWN
            items.append(_item(number, kind, expected))
    return items


def _item(number: int, kind: str, expected: str) -> Record:
    organism, tissue, datasets, *names = CONTEXTS[number % len(CONTEXTS)]
    gene = names[kind == CONTROL].format(number)
    row_n = min(len(datasets), 2 + number % 4)
    provenance: list[Record] = []
    for place in range(row_n):
        sign = {UP: 1, DOWN: -1, BOTH: 1 if (place + number) % 2 else -1}[expected]
        turned = (number + place) % 3 == 0
        late = place == row_n - 1 and number % 7 == 0
        provenance.append(
            {
                "osd": f"OSD-{datasets[(number + place) % len(datasets)]}",
                "log2FC_SF_vs_GC": sign * (0.75 + 0.5 * place + number / 100),
                "q": 0.2 if late else 0.001 * (place + 1),
                "contrast": "(Ground Control)v(Space Flight)" if turned
                else "(Space Flight)v(Ground Control)",
                "orientation_sign_applied": -1 if turned else 1,
                "source_file": f"made_up_{number}_{place}.csv",
                "gene_id_column": "SYMBOL",
            }
        )  # fmt: skip
    folds = [abs(row["log2FC_SF_vs_GC"]) for row in provenance]
    others = [word for word in (UP, DOWN, BOTH) if word != expected]
    return {
        "id": f"OSDR-{'FRAG' if kind == TRAP else 'CTRL'}-{number:05d}",
        "item_type": kind,
        "prompt": f"Is {gene} changed by spaceflight in {tissue}?",
        "gene": gene,
        "organism": organism,
        "tissue": tissue,
        "context": f"{organism}::{tissue}",
        "expected": expected,
        "accept": [expected],
        "reject": others,
        "evidence": {
            "n_datasets": row_n,
            "datasets": [row["osd"] for row in provenance],
            "min_abs_log2FC": min(folds),
            "max_abs_log2FC": max(folds),
            "max_q": max(row["q"] for row in provenance),
            "discordant": kind == TRAP,
        },
        "provenance": provenance,
    }


def sign_of(row: Mapping[str, Any]) -> int:
    """The sign of a provenance row of a benchmark."""
    value = float(row["log2FC_SF_vs_GC"])
    return (value > 0) - (value < 0)


def objects_of(item: Record) -> list[Record]:
    """All of an item's provenance, cited as objects with values."""
    return [
        {
            "gene": item["gene"],
            "dataset": row["osd"],
            "direction": "upregulated" if sign_of(row) > 0 else "downregulated",
            "log2FC": row["log2FC_SF_vs_GC"],
            "q": row["q"],
        }
        for row in item["provenance"]
    ]


def triples_of(item: Record) -> list[list[str]]:
    """All of an item's provenance, cited as triples."""
    return [
        [item["gene"], "+" if sign_of(row) > 0 else "-", row["osd"]] for row in item["provenance"]
    ]


def answers(
    items: Sequence[Record],
    label: Callable[[Record], object],
    evidence: Callable[[Record], object] | None = None,
) -> list[Record]:
    """Return a prediction row an item; with evidence where there is a rule for it."""
    rows: list[Record] = []
    for item in items:
        row: Record = {"id": item["id"], "prediction": label(item)}
        if evidence is not None:
            row["evidence"] = evidence(item)
        rows.append(row)
    return rows


def read_jsonl(path: Path) -> list[Record]:
    """The records of a file, split on LF only."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def write_jsonl(path: Path, records: Sequence[Record]) -> Path:
    """Write records, one a line; text as it is."""
    text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    path.write_text(text, encoding="utf-8")
    return path
