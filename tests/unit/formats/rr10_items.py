"""Items in RR-10's format to build and to spoil."""

from __future__ import annotations

import copy
import dataclasses
import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any

from eval_tiers.formats.rr10_rules.corpus import CANON, Canon

Item = dict[str, Any]

UP, DOWN = "upregulated", "downregulated"


def row(osd: str, change: float, q: float = 0.01) -> Item:
    """One row of provenance."""
    return {
        "osd": osd, "log2FC_SF_vs_GC": change, "q": q, "contrast": "(Space Flight)v(Ground Control)",
        "orientation_sign_applied": 1, "source_file": "toy.csv", "gene_id_column": "SYMBOL",
    }  # fmt: skip


def item(sample_id: str, expected: str, rows: Sequence[Item], context: str) -> Item:
    """A sound item over rows of provenance."""
    organism, _, tissue = context.partition("::")
    sizes = [abs(each["log2FC_SF_vs_GC"]) for each in rows]
    others = [label for label in (UP, DOWN, "indeterminate") if label != expected]
    return {
        "id": sample_id,
        "item_type": "fragility_trap" if "FRAG" in sample_id else "concordant_control",
        "prompt": "Which way does Actb go?", "gene": "Actb", "organism": organism,
        "tissue": tissue, "context": context, "expected": expected, "accept": [expected],
        "reject": others,
        "evidence": {
            "n_datasets": len({each["osd"] for each in rows}),
            "datasets": sorted({each["osd"] for each in rows}),
            "min_abs_log2FC": min(sizes), "max_abs_log2FC": max(sizes),
            "max_q": max(each["q"] for each in rows),
            "discordant": expected == "indeterminate",
        },
        "provenance": list(rows),
    }  # fmt: skip


def trap(number: int = 1, context: str = "mus_musculus::liver") -> Item:
    """A sound fragility trap."""
    rows = [row("OSD-47", 1.5, 0.01), row("OSD-168", -1.25, 0.02)]
    return item(f"OSDR-FRAG-{number:05d}", "indeterminate", rows, context)


def control(number: int = 1, context: str = "mus_musculus::liver", label: str = UP) -> Item:
    """A sound concordant control."""
    sign = 1 if label == UP else -1
    rows = [row("OSD-47", 1.75 * sign, 0.001), row("OSD-168", 0.5 * sign, 0.03)]
    return item(f"OSDR-CTRL-{number:05d}", label, rows, context)


def json_lines(items: Iterable[Item]) -> bytes:
    """JSON Lines."""
    return "".join(json.dumps(each) + "\n" for each in items).encode()


def spoilt(record: Item, path: str, value: object) -> Item:
    """A copy with one value changed; the path is such as ``provenance.0.q``."""
    changed = copy.deepcopy(record)
    holder: Any = changed
    *parents, last = path.split(".")
    for name in parents:
        holder = holder[int(name) if isinstance(holder, list) else name]
    holder[int(last) if isinstance(holder, list) else last] = value
    return changed


def without(record: Item, path: str) -> Item:
    """A copy without one field."""
    changed = copy.deepcopy(record)
    holder: Any = changed
    *parents, last = path.split(".")
    for name in parents:
        holder = holder[int(name) if isinstance(holder, list) else name]
    del holder[last]
    return changed


def like_canonical() -> list[Item]:
    """200 items with every published figure of RR-10 v1.0: not its items, and not its hash."""
    contexts = [name for name, n in CANON.context_n.items() for _ in range(n // 2)]
    datasets = sorted(CANON.datasets)
    items = []
    for number, context in enumerate(contexts, 1):
        for prefix in ("FRAG", "CTRL"):
            label = "indeterminate" if prefix == "FRAG" else (UP if number <= 44 else DOWN)
            row_n = 3 if len(items) < 101 else 2  # 2 * 200 + 101 = 501
            rows = []
            for place in range(row_n):
                sign = {UP: 1, DOWN: -1}.get(label, 1 if place == 0 else -1)
                osd = datasets[(len(items) + place) % len(datasets)]
                rows.append(row(osd, sign * (1 + place / 8), 0.01 * (place + 1)))
            items.append(item(f"OSDR-{prefix}-{number:05d}", label, rows, context))
    return items


def canon_of(data: bytes) -> Canon:
    """The canonical figures with the hash of these bytes."""
    return dataclasses.replace(CANON, sha256=hashlib.sha256(data).hexdigest())
