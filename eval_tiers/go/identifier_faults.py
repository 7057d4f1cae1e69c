"""Faults of the gene names in a GMT file: ids, spreadsheet dates, spellings that differ by case."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import SourceRef
from eval_tiers.go.gmt_table import GmtTable, first_fields
from eval_tiers.go.identifiers import (
    LOCUS_KINDS,
    SYMBOL,
    UNIPROT,
    identifier_kind,
    is_spreadsheet_date,
    symbol_style,
)


def find_identifier_faults(table: GmtTable) -> Iterator[Finding]:
    """Yield what is odd about gene names.

    Codes: ``ids-not-symbols`` (most names of the file; one finding, at its first set; a note for
    locus names, which are what plant and yeast genes are called), ``mixed-identifiers`` (a line
    with a few ids), ``spreadsheet-date``, ``case-variant``, and, where symbols are upper-cased,
    ``title-case-symbols`` (mouse or rat, it seems).
    """
    kinds = [identifier_kind(name) for name in table.spelling]
    counted = Counter(dict.fromkeys(zip(table.spelling, kinds, strict=True)))
    by_kind = Counter(kind for name, kind in counted if name)
    if not by_kind:
        return
    main, main_n = by_kind.most_common(1)[0]
    yield from _main_kind(table, main, main_n, by_kind.total())
    expected = {main, SYMBOL, UNIPROT, *LOCUS_KINDS}
    odd = np.array([kind not in expected for kind in kinds], np.bool_)
    for row, raw in first_fields(table, odd):
        name = raw.strip()
        yield Finding(
            "mixed-identifiers",
            f"'{name}' looks like an id ({identifier_kind(name)}) among names of another kind",
            SourceRef(table.path, int(table.row_line[row])),
            "warning",
            f"write every gene as: {main}",
        )
    dates = np.array([is_spreadsheet_date(name) for name in table.spelling], np.bool_)
    for row, raw in first_fields(table, dates):
        yield Finding(
            "spreadsheet-date",
            f"'{raw.strip()}' is a date that a spreadsheet made of a symbol; it could be two "
            "genes, so it is left as it is",
            SourceRef(table.path, int(table.row_line[row])),
            "error",
            "take the symbol from the source of the file",
        )
    yield from _case_variants(table)


def _main_kind(table: GmtTable, main: str, main_n: int, total: int) -> Iterator[Finding]:
    where = SourceRef(table.path, int(table.row_line[0]))
    if main != SYMBOL:
        yield Finding(
            "ids-not-symbols",
            f"{main_n:,} of {total:,} genes look like: {main}, not like gene symbols",
            where,
            "note" if main in LOCUS_KINDS else "warning",
            "fine if the chains name genes that way; else map them to symbols",
        )
    elif table.case == "upper" and symbol_style(table.spelling) == "title":
        yield Finding(
            "title-case-symbols",
            "symbols are in title case (mouse or rat, it seems) and were upper-cased: "
            "a mouse symbol in capitals may be another human gene",
            where,
            "warning",
            "give gene sets of the chains' organism",
        )


def _case_variants(table: GmtTable) -> Iterator[Finding]:
    """Yield lines with a spelling that differs only by case from a commoner one."""
    groups: dict[str, set[str]] = defaultdict(set)
    for name in table.spelling:
        groups[name.upper()].add(name)
    several = {upper: names for upper, names in groups.items() if len(names) > 1}
    if not several:
        return
    uses: Counter[str] = Counter()
    for name, count in zip(table.spelling, np.bincount(table.field_raw).tolist(), strict=True):
        uses[name] += count
    common = {
        upper: min(names, key=lambda name: (-uses[name], name)) for upper, names in several.items()
    }
    rare = np.array([common.get(name.upper(), name) != name for name in table.spelling], np.bool_)
    index_of = {raw: index for index, raw in enumerate(table.raw)}
    for row, raw in first_fields(table, rare):
        name = table.spelling[index_of[raw]]
        yield Finding(
            "case-variant",
            f"'{name}' differs from '{common[name.upper()]}' only by case"
            + (": read as one gene" if table.case == "upper" else ""),
            SourceRef(table.path, int(table.row_line[row])),
            "warning",
            "write a gene in one way, unless these are two genes (fly)",
        )
