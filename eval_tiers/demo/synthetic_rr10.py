"""The made-up items of the synthetic RR-10 benchmark, and the whole table of one of its datasets.

Used by ``build_demo_rr10.py``. Standard library only. Every choice is a SHA-256 of a seed and a
name, never a random generator.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

SEED = "eval_tiers rr10 demo 1"
DATASETS = {
    "homo_sapiens::cells_cultured": (867, 871),
    "drosophila_melanogaster::whole_organism": (1, 635),
    "homo_sapiens::cells": (323, 546, 588, 863),
    "mus_musculus::thymus": (4, 244, 421, 515),
    "mus_musculus::liver": (25, 47, 48, 168, 173, 242, 245),
    "arabidopsis_thaliana::seedlings": (37, 278, 321),
}
# How many items of a context have 2, 3, ... provenance rows.
ROW_COUNTS = {
    "homo_sapiens::cells_cultured": {2: 4},
    "drosophila_melanogaster::whole_organism": {2: 10},
    "homo_sapiens::cells": {2: 26, 3: 12, 4: 6},
    "mus_musculus::thymus": {2: 28, 3: 12, 4: 6},
    "mus_musculus::liver": {2: 28, 3: 10, 4: 6, 5: 2},
    "arabidopsis_thaliana::seedlings": {2: 25, 3: 25},
}
UP_CONTROLS = 44
TURNED = {"OSD-25", "OSD-244", "OSD-321", "OSD-863"}  # source states control minus treatment
TABLE = "OSD-48"  # the dataset with a whole table
CONTRAST = {1: "(Space Flight)v(Ground Control)", -1: "(Ground Control)v(Space Flight)"}
PLACES = {
    "homo_sapiens::cells_cultured": "cultured human cells",
    "drosophila_melanogaster::whole_organism": "whole fruit flies",
    "homo_sapiens::cells": "human cells",
    "mus_musculus::thymus": "mouse thymus",
    "mus_musculus::liver": "mouse liver",
    "arabidopsis_thaliana::seedlings": "Arabidopsis seedlings",
}
LABELS = {1: "upregulated", -1: "downregulated", 0: "indeterminate"}
ACCEPT = {
    1: ["upregulated", "increased"],
    -1: ["downregulated", "decreased"],
    0: ["indeterminate", "evidence is contradictory"],
}

Thing = TypeVar("Thing")


def draw(*name: object) -> int:
    """A large integer that depends on the seed and the name alone."""
    text = "|".join([SEED, *map(str, name)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def choose(options: Sequence[Thing], *name: object) -> Thing:
    """One of the options."""
    return options[draw(*name) % len(options)]


def shuffled(things: Iterable[Thing], *name: object) -> list[Thing]:
    """The things in an order of their own, by their text."""
    return sorted(things, key=lambda thing: (draw(*name, thing), str(thing)))


@dataclass(frozen=True)
class Row:
    """What one dataset says about an item's gene."""

    dataset: str
    log2fc: float
    q: float

    @property
    def sign(self) -> int:
        """+1 or -1."""
        return 1 if self.log2fc > 0 else -1


@dataclass(frozen=True)
class Item:
    """One question; ``gold`` is +1, -1, or 0 for a trap."""

    sample_id: str
    context: str
    gene: str
    gold: int
    rows: tuple[Row, ...]

    @property
    def organism(self) -> str:
        """Organism, as in the context."""
        return self.context.split("::")[0]

    def record(self) -> dict[str, Any]:
        """The item as a line of the benchmark holds it."""
        organism, tissue = self.context.split("::")
        sizes = [abs(row.log2fc) for row in self.rows]
        return {
            "id": self.sample_id,
            "item_type": "concordant_control" if self.gold else "fragility_trap",
            "prompt": f"Is {self.gene} upregulated, downregulated or indeterminate "
            "in spaceflight relative to ground control, over all datasets of "
            f"{PLACES[self.context]}? Cite the datasets. (Synthetic data.)",
            "gene": self.gene,
            "organism": organism,
            "tissue": tissue,
            "context": self.context,
            "expected": LABELS[self.gold],
            "accept": ACCEPT[self.gold],
            "reject": [LABELS[sign] for sign in LABELS if sign != self.gold],
            "evidence": {
                "n_datasets": len(self.rows),
                "datasets": sorted(row.dataset for row in self.rows),
                "min_abs_log2FC": min(sizes),
                "max_abs_log2FC": max(sizes),
                "max_q": max(row.q for row in self.rows),
                "discordant": not self.gold,
            },
            "provenance": [self._provenance(row) for row in self.rows],
        }

    def _provenance(self, row: Row) -> dict[str, Any]:
        turned = -1 if row.dataset in TURNED else 1
        return {
            "osd": row.dataset,
            "log2FC_SF_vs_GC": row.log2fc,
            "q": row.q,
            "contrast": CONTRAST[turned],
            "orientation_sign_applied": turned,
            "source_file": f"synthetic_{row.dataset}.csv",
            "gene_id_column": "TAIR" if self.organism.startswith("arabidopsis") else "SYMBOL",
        }


def make_row(dataset: str, sign: int, *name: object, weak: bool = False) -> Row:
    """A row with made-up values: |log2FC| from 0.3 to 3.3; q from .05 to .2 if weak, else below."""
    size = (3_000 + draw("size", dataset, *name) % 30_001) / 10_000
    if weak:
        return Row(dataset, sign * size, (50 + draw("q", dataset, *name) % 150) / 1_000)
    power = choose((2, 3, 3, 4, 4, 5, 6, 7, 9), "power", dataset, *name)
    digits = 100 + draw("digits", dataset, *name) % (390 if power == 2 else 900)
    return Row(dataset, sign * size, float(f"{digits}e-{power + 2}"))


def build_items(genes: dict[str, list[str]]) -> list[Item]:
    """The 200 items, pair by pair: a trap and a control of the same context."""
    slots = []
    for context, counts in ROW_COUNTS.items():
        sizes = [size for size, count in counts.items() for _ in range(count)]
        order = shuffled(range(len(sizes)), "row counts", context)
        names = shuffled(genes[context], "genes", context)
        for place, gene in enumerate(names):
            slots.append((context, gene, sizes[order[place]]))
    controls = shuffled(range(len(slots) // 2), "label of controls")
    items = []
    for place, (context, gene, size) in enumerate(slots):
        number, is_control = divmod(place, 2)
        kind = "CTRL" if is_control else "FRAG"
        gold = (1 if controls[number] < UP_CONTROLS else -1) if is_control else 0
        picked = shuffled(DATASETS[context], "datasets", context, gene)[:size]
        datasets = [f"OSD-{accession}" for accession in sorted(picked)]
        signs = [gold] * size if gold else discordant_signs(size, context, gene)
        rows = tuple(
            make_row(name, sign, context, gene, weak=draw("weak", context, gene, name) % 24 == 0)
            for name, sign in zip(datasets, signs, strict=True)
        )
        items.append(Item(f"OSDR-{kind}-{number + 1:05d}", context, gene, gold, rows))
    return items


def discordant_signs(size: int, *name: object) -> list[int]:
    """Signs of which not all are the same."""
    signs = [choose((1, -1), "sign", *name, place) for place in range(size)]
    if len(set(signs)) == 1:
        signs[draw("odd one", *name) % size] *= -1
    return signs


class World:
    """What the plants draw on: the items, the table of one dataset, genes and accessions."""

    def __init__(
        self, items: Sequence[Item], mouse: Sequence[str], registry: Sequence[str]
    ) -> None:
        self.items, self.mouse = items, mouse
        self.rows = {
            (item.organism, item.gene, row.dataset): row for item in items for row in item.rows
        }
        self.genes: dict[str, list[str]] = {}
        for item in items:
            for row in item.rows:
                self.genes.setdefault(row.dataset, []).append(item.gene)
        self.unused = [name for name in registry if name not in self.genes]
        self.table = self._build_table()
        self.absent = [gene for gene in mouse if gene not in self.table]

    def _build_table(self) -> dict[str, Row | None]:
        """Genes of the whole table; None stands for a gene without values.

        Genes of the benchmark have its rows there. Liver genes without one are in turn left out,
        without values, not significant, significant as in the item, significant the other way.
        Every third gene that the benchmark does not ask about in liver is left out too.
        """
        table: dict[str, Row | None] = {}
        liver = {item.gene: item for item in self.items if TABLE in accessions(item.context)}
        free = [g for g in liver if ("mus_musculus", g, TABLE) not in self.rows]
        places = {gene: place for place, gene in enumerate(shuffled(free, "table"))}
        for gene in sorted(self.mouse):
            row = self.rows.get(("mus_musculus", gene, TABLE)) if gene in liver else None
            turn = places[gene] % 5 if gene in places else 3 if draw("table", gene) % 3 else 0
            if row is None and turn == 0:
                continue
            if row is None and turn > 1:
                gold = liver[gene].gold if gene in liver else 0
                sign = (gold or choose((1, -1), "table sign", gene)) * (-1 if turn == 4 else 1)
                row = make_row(TABLE, sign, "table", gene, weak=turn == 2)
            table[gene] = row
        return table


def accessions(context: str) -> list[str]:
    """Datasets of a context."""
    return [f"OSD-{number}" for number in DATASETS[context]]
