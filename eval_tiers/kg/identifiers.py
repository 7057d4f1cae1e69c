"""What kind of identifiers a graph's nodes are: symbols, Entrez, Ensembl, UniProt, ..."""

from __future__ import annotations

import re
from collections.abc import Sequence

from eval_tiers.kg.coded import BoolArray

SYMBOL = "symbol"
MOUSE_SYMBOL = "mouse-symbol"

_PATTERNS = (
    ("entrez", re.compile(r"\d+\Z")),
    ("ensembl", re.compile(r"ENS[A-Z]{0,4}[GTP]\d{11}(\.\d+)?\Z")),
    ("refseq", re.compile(r"[NX][MPR]_\d{6,}(\.\d+)?\Z")),
    ("agi-locus", re.compile(r"AT[1-5CM]G\d{5}(\.\d+)?\Z")),
    ("hgnc-id", re.compile(r"HGNC:\d+\Z")),
    ("mgi-id", re.compile(r"MGI:\d+\Z")),
    ("compound-id", re.compile(r"(CHEBI:\d+|CHEMBL\d+|HMDB\d+|DB\d{5}|CID\d+|PUBCHEM:.*)\Z")),
    (
        "uniprot",
        re.compile(r"([OPQ]\d[A-Z0-9]{3}\d|[A-NR-Z]\d([A-Z][A-Z0-9]{2}\d){1,2})(-\d+)?\Z"),
    ),
    ("mirna", re.compile(r"(HSA-|MMU-)?(MIR|LET)-?\d+[A-Z0-9-]*\Z")),
    (SYMBOL, re.compile(r"[A-Z][A-Z0-9]{0,14}([-.@][A-Z0-9]{1,10}){0,3}\Z")),
)


def identifier_of(name: str) -> str:
    """Return the kind of one upper-cased name; ``other`` where no pattern fits.

    A few histone genes (H2AC20) have the shape of a UniProt accession.

    Examples
    --------
    >>> [identifier_of(name) for name in ("TP53", "7157", "P04637", "ASPIRIN, LOW DOSE")]
    ['symbol', 'entrez', 'uniprot', 'other']
    """
    for kind, pattern in _PATTERNS:
        if pattern.match(name):
            return kind
    return "other"


def likely_identifiers(names: Sequence[str], title_case: BoolArray) -> tuple[str | None, float]:
    """Return the commonest kind of identifier and its share; (None, 0) for no names.

    Symbols that the file spelled in title case (``Trp53``) count as mouse symbols.
    """
    if not names:
        return None, 0.0
    counts: dict[str, int] = {}
    for name, mouse in zip(names, title_case.tolist(), strict=True):
        kind = identifier_of(name)
        if mouse and kind == SYMBOL:
            kind = MOUSE_SYMBOL
        counts[kind] = counts.get(kind, 0) + 1
    best = max(sorted(counts), key=counts.__getitem__)
    return best, counts[best] / len(names)
