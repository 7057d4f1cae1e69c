"""What the items of a file say together: unique ids, pairs, counts, the canonical figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from eval_tiers.domain.rr10 import CANONICAL_SHA256, CONTROL, ITEM_TYPES, LABELS, TRAP
from eval_tiers.formats.rr10_rules.codes import Fault
from eval_tiers.formats.rr10_rules.item import id_parts, provenance_rows
from eval_tiers.formats.rr10_rules.shapes import shown

_LISTED: Final = 10


@dataclass(frozen=True, slots=True)
class Canon:
    """The figures of one published benchmark file.

    Attributes
    ----------
    sha256 : str
    pair_n : int
        Pairs, numbered from 00001; twice as many records.
    label_n, context_n : mapping of str to int
        Items by label and by context.
    datasets : frozenset of str
    row_n : int
        Rows of provenance.
    """

    sha256: str
    pair_n: int
    label_n: Mapping[str, int]
    context_n: Mapping[str, int]
    datasets: frozenset[str]
    row_n: int


CANON: Final = Canon(
    sha256=CANONICAL_SHA256,
    pair_n=100,
    label_n={"upregulated": 44, "downregulated": 56, "indeterminate": 100},
    context_n={
        "homo_sapiens::cells_cultured": 4,
        "drosophila_melanogaster::whole_organism": 10,
        "homo_sapiens::cells": 44,
        "mus_musculus::thymus": 46,
        "mus_musculus::liver": 46,
        "arabidopsis_thaliana::seedlings": 50,
    },
    datasets=frozenset(
        f"OSD-{number}"
        for number in (
            1, 4, 25, 37, 47, 48, 168, 173, 242, 244, 245, 278, 321, 323, 421, 515, 546, 588, 635,
            863, 867, 871,
        )
    ),
    row_n=501,
)  # fmt: skip
"""RR-10 v1.0."""


@dataclass(slots=True)
class Corpus:
    """What is counted of the records of a file, one after the other.

    Attributes
    ----------
    record_n, row_n : int
        Records (JSON objects) and their provenance rows.
    type_n, label_n, context_n : Counter
        Records by known item type, known label, and any context that is text.
    type_in_context_n : Counter
        Records by (context, known item type).
    datasets : set of str
        Of the provenance.
    """

    record_n: int = 0
    row_n: int = 0
    type_n: Counter[str] = field(default_factory=Counter)
    label_n: Counter[str] = field(default_factory=Counter)
    context_n: Counter[str] = field(default_factory=Counter)
    type_in_context_n: Counter[tuple[str, str]] = field(default_factory=Counter)
    datasets: set[str] = field(default_factory=set)
    _line_of_id: dict[str, int] = field(default_factory=dict)
    _halves: dict[str, dict[str, tuple[int, str | None]]] = field(default_factory=dict)

    def add(self, record: Mapping[str, Any], line: int) -> Iterator[Fault]:
        """Count a record; yield a fault where its id was there before."""
        self.record_n += 1
        rows = record.get("provenance")
        self.row_n += len(rows) if isinstance(rows, list) else 0
        osds = (row.get("osd") for row in provenance_rows(record))
        self.datasets.update(osd for osd in osds if isinstance(osd, str))
        item_type, label, context = (
            record.get(name) for name in ("item_type", "expected", "context")
        )
        if isinstance(label, str) and label in LABELS:
            self.label_n[label] += 1
        if isinstance(context, str):
            self.context_n[context] += 1
        if isinstance(item_type, str) and item_type in ITEM_TYPES:
            self.type_n[item_type] += 1
            if isinstance(context, str):
                self.type_in_context_n[context, item_type] += 1
        sample_id = record.get("id")
        if not isinstance(sample_id, str):
            return
        before = self._line_of_id.setdefault(sample_id, line)
        if before != line:
            yield Fault("duplicate_id", f"the id was given before, on line {before}", "id")
            return
        parts = id_parts(sample_id)
        if parts is not None:
            known = context if isinstance(context, str) else None
            self._halves.setdefault(parts[1], {})[parts[0]] = (line, known)

    @property
    def pair_n(self) -> int:
        """Pairs with both halves."""
        return sum(len(halves) == 2 for halves in self._halves.values())

    @property
    def lone_n(self) -> int:
        """Items without the other half, among those whose id is well-formed."""
        return len(self._halves) - self.pair_n

    def check_pairs(self, canon: Canon | None) -> Iterator[Fault]:
        """Yield pairs whose contexts differ, and those that lack a half.

        Parameters
        ----------
        canon : Canon or None
            What the file has to be; None: any pairs will do, and a lone half is a warning.
        """
        for number, halves in sorted(self._halves.items()):
            if len(halves) < 2:
                if canon is None:
                    ((prefix, (line, _)),) = halves.items()
                    other = "CTRL" if prefix == "FRAG" else "FRAG"
                    yield Fault(
                        "pair_incomplete", f"its other half, OSDR-{other}-{number}, is not there",
                        "id", f"OSDR-{prefix}-{number}", line,
                    )  # fmt: skip
                continue
            (_, trap), (line, control) = halves["FRAG"], halves["CTRL"]
            if trap is not None and control is not None and trap != control:
                yield Fault(
                    "pair_context", f"the pair's contexts differ: {shown(trap)} in the trap, "
                    f"{shown(control)} in the control", "context", f"OSDR-CTRL-{number}", line,
                )  # fmt: skip
        if canon is not None:
            wanted = [f"{number:05d}" for number in range(1, canon.pair_n + 1)]
            missing = [number for number in wanted if len(self._halves.get(number, ())) < 2]
            if missing:
                yield Fault(
                    "pair_missing",
                    f"{len(missing)} of {canon.pair_n} pairs lack a half or both: "
                    + _listed(missing),
                )

    def check_counts(self, canon: Canon) -> Iterator[Fault]:
        """Yield the counts that every file that claims to be the canonical one must have."""
        if self.record_n != 2 * canon.pair_n:
            yield Fault("record_count", f"{self.record_n:,} records, not {2 * canon.pair_n}")
        found = (self.type_n[TRAP], self.type_n[CONTROL])
        if found != (canon.pair_n, canon.pair_n):
            yield Fault(
                "item_type_count",
                f"{found[0]:,} {TRAP} and {found[1]:,} {CONTROL}, not {canon.pair_n} of each",
            )

    def check_canonical(self, canon: Canon) -> Iterator[Fault]:
        """Yield the further figures that the canonical file must have."""
        for label, wanted in canon.label_n.items():
            if self.label_n[label] != wanted:
                yield Fault("label_count", f"{self.label_n[label]:,} {label}, not {wanted}")
        for context in sorted({*canon.context_n, *self.context_n}):
            found, wanted = self.context_n[context], canon.context_n.get(context, 0)
            if found != wanted:
                yield Fault("context_count", f"{found:,} of {shown(context)}, not {wanted}")
        if self.datasets != canon.datasets:
            odd = sorted(self.datasets ^ canon.datasets)
            yield Fault("dataset_set", f"more or fewer datasets than there are: {_listed(odd)}")
        if self.row_n != canon.row_n:
            yield Fault(
                "provenance_row_count", f"{self.row_n:,} provenance rows, not {canon.row_n}"
            )


def _listed(names: list[str]) -> str:
    listed = ", ".join(names[:_LISTED])
    return listed if len(names) <= _LISTED else f"{listed} and {len(names) - _LISTED} more"
