"""What kind of identifier a gene name is, and how symbols are written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

SYMBOL = "gene symbol"
UNIPROT = "UniProt accession"
AGI = "Arabidopsis locus (AGI)"

YEAST_ORF = "yeast open reading frame"
LOCUS_KINDS = frozenset({AGI, YEAST_ORF})
"""Kinds that are the names of genes, where a gene has no other."""

_KINDS = (
    ("Entrez Gene id", r"\d+"),
    ("Ensembl id", r"ENS[A-Z]*[GTP]\d{11}(?:\.\d+)?"),
    (UNIPROT, r"(?:[OPQ]\d[A-Z\d]{3}\d|[A-NR-Z]\d(?:[A-Z][A-Z\d]{2}\d){1,2})(?:-\d+)?"),
    ("RefSeq accession", r"[NX][MRPG]_\d+(?:\.\d+)?"),
    (AGI, r"AT[1-5CM]G\d{5}(?:\.\d+)?"),
    ("FlyBase id", r"FBgn\d{7}"),
    ("WormBase id", r"WBGene\d{8}"),
    ("SGD id", r"S\d{9}"),
    (YEAST_ORF, r"Y[A-P][LR]\d{3}[WC](?:-[A-Z])?"),
    ("HGNC id", r"HGNC:\d+"),
    ("MGI id", r"MGI:\d+"),
    ("RGD id", r"RGD:\d+"),
    ("ZFIN id", r"ZDB-GENE-\d+-\d+"),
    ("array probe set", r"\d+(?:_[a-z])*_at"),
)
_KIND_OF_GROUP = {f"kind{index}": name for index, (name, _) in enumerate(_KINDS)}
_ANY_KIND = re.compile(
    "|".join(f"(?P<kind{index}>{pattern})" for index, (_, pattern) in enumerate(_KINDS)),
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")
_MONTH = "jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec"
_DATE = re.compile(rf"\d{{1,2}}-({_MONTH})(-\d{{2,4}})?|({_MONTH})-\d{{2,4}}", re.IGNORECASE)


def identifier_kind(name: str) -> str:
    """Return the kind of identifier that a gene name looks like; ``"gene symbol"`` otherwise.

    A few symbols (P2RY10) look like UniProt accessions: trust that kind for a list, not for one.

    Examples
    --------
    >>> identifier_kind("ENSG00000141510.18"), identifier_kind("7157"), identifier_kind("TP53")
    ('Ensembl id', 'Entrez Gene id', 'gene symbol')
    """
    match = _ANY_KIND.fullmatch(name) if _DIGIT.search(name) else None
    if match is None:
        return SYMBOL
    return next(kind for group, kind in _KIND_OF_GROUP.items() if match.group(group) is not None)


def is_spreadsheet_date(name: str) -> bool:
    """Tell whether a name is a date that a spreadsheet made of a symbol (2-Sep, 1-Mar, Sep-02)."""
    return "-" in name and _DATE.fullmatch(name) is not None


def likely_kind(names: Iterable[str]) -> str:
    """Return the commonest kind among names; ``"gene symbol"`` for none.

    Ties go to the kind met first.
    """
    counted = Counter(map(identifier_kind, names)).most_common(1)
    return counted[0][0] if counted else SYMBOL


def symbol_style(names: Iterable[str]) -> str:
    """Return how symbols are written: ``"upper"`` (human), ``"title"`` (mouse, rat) or ``"mixed"``.

    By four fifths of the names that have a letter after the first; "mixed" for none.
    """
    upper = title = total = 0
    for name in names:
        rest = name[1:]
        if rest.upper() == rest.lower():
            continue
        total += 1
        upper += rest == rest.upper() and name[0] == name[0].upper()
        title += rest == rest.lower() and name[0] != name[0].lower()
    if total and upper >= 0.8 * total:
        return "upper"
    return "title" if total and title >= 0.8 * total else "mixed"
