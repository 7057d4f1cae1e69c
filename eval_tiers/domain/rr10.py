"""The nouns of RR-10: items, provenance rows, labels, citation verdicts, evidence details.

Source: specification of RR-10, sections 1, 3 and 4 (docs/rr10.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

LABELS: Final = ("upregulated", "downregulated", "indeterminate")
"""Label words; a label's code is its place here, -1 stands for none."""

LABEL_CODES: Final = {word: code for code, word in enumerate(LABELS)}
UP: Final = 0
DOWN: Final = 1
INDETERMINATE: Final = 2
NO_LABEL: Final = -1

TRAP: Final = "fragility_trap"
CONTROL: Final = "concordant_control"
ITEM_TYPES: Final = (TRAP, CONTROL)

INVALID_REASONS: Final = (
    "missing",
    "blank",
    "negated",
    "several_labels",
    "no_change",
    "not_a_string",
    "not_a_label",
)
"""Why the default reading gives no label."""

CITATION_VERDICTS: Final = (
    "MALFORMED",
    "FABRICATED_DATASET",
    "NOT_IN_BENCHMARK",
    "WRONG_CONTEXT",
    "OFF_TOPIC",
    "UNKNOWN_GENE",
    "GENE_NOT_IN_DATASET",
    "UNVERIFIABLE",
    "OVERCLAIM",
    "SIGN_MISREAD",
    "VALUE_MISREAD",
    "SUPPORTED",
)
"""What becomes of a citation. The order settles ties of the most frequent failing verdict."""

VERDICT_CODES: Final = {name: code for code, name in enumerate(CITATION_VERDICTS)}

FABRICATED_VERDICTS: Final = frozenset(
    {"MALFORMED", "FABRICATED_DATASET", "UNKNOWN_GENE", "GENE_NOT_IN_DATASET"}
)
UNVERIFIED_VERDICTS: Final = frozenset({"NOT_IN_BENCHMARK", "UNVERIFIABLE"})

EVIDENCE_DETAILS: Final = (
    "PARSE_FAIL",
    "NOT_GIVEN",
    "UNCITED",
    "FABRICATED",
    *CITATION_VERDICTS,
    "ONE_SIDED",
    "LOW_COVERAGE",
    "PARTIAL",
    "CONTRADICTS_OWN_EVIDENCE",
    "CHERRY_PICKED",
)
"""What an error label rests on."""

DETAIL_CODES: Final = {name: code for code, name in enumerate(EVIDENCE_DETAILS)}

ALPHA: Final = 0.05
"""q from which a provenance row is not significant."""

CANONICAL_SHA256: Final = "aeb8511444ac72f44c6489954495db6cc67b75e977c7f9963ddbc37004533af5"
"""SHA-256 of the canonical file of RR-10 v1.0."""


@dataclass(frozen=True, slots=True)
class ProvenanceRow:
    """One row of evidence: what one dataset says about one gene.

    Attributes
    ----------
    gene, organism : str
        Gene as written in the benchmark or table; ``mus_musculus``.
    dataset : str
        ``OSD-48``.
    tissue : str or None
        None where a whole table does not say it.
    log2fc : float or None
        Treatment (space flight) minus control; None where unknown.
    q : float or None
        From 0 to 1.
    contrast : str
        As written.
    orientation : int
        -1 where the source states control minus treatment and log2fc was turned.
    source_file : str
    item_id : str or None
        Item that the row belongs to; None for a row of a whole table.
    line : int
        Line of the item in the benchmark, or of the row in the table.
    number : int
        Place among the item's rows, from 0.
    """

    gene: str
    organism: str
    dataset: str
    tissue: str | None
    log2fc: float | None
    q: float | None
    contrast: str
    orientation: int
    source_file: str
    item_id: str | None
    line: int
    number: int = 0

    @property
    def sign(self) -> int:
        """+1, -1, or 0 where it is not known."""
        if self.log2fc is None or self.log2fc != self.log2fc:
            return 0
        return (self.log2fc > 0) - (self.log2fc < 0)

    @property
    def context(self) -> str | None:
        """``organism::tissue``, None without a tissue."""
        return None if self.tissue is None else f"{self.organism}::{self.tissue}"


@dataclass(frozen=True, slots=True)
class Item:
    """One question of the benchmark.

    Attributes
    ----------
    sample_id, item_type, prompt, gene, organism, tissue : str
        As in the file, ids stripped.
    label : int
        Code of the gold label.
    datasets : tuple of str
        Datasets of the gold evidence, distinct, in the order of the provenance.
    provenance : tuple of ProvenanceRow
    line : int
        Line in the file.
    """

    sample_id: str
    item_type: str
    prompt: str
    gene: str
    organism: str
    tissue: str
    label: int
    datasets: tuple[str, ...]
    provenance: tuple[ProvenanceRow, ...]
    line: int

    @property
    def context(self) -> str:
        """``organism::tissue``."""
        return f"{self.organism}::{self.tissue}"
