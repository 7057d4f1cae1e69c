"""Which column of a table is the source, the target and the sign."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from eval_tiers.kg.signs import is_clear_sign, sign_of_word


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


SOURCE_NAMES = _words(
    "source source_genesymbol source_symbol source_name from from_genesymbol regulator tf "
    "gene_a genea gene_1 gene1 node_1 node1 node_a nodea protein_a protein_1 protein1 entity_a "
    "entitya entity_1 subject head upstream src a chem_name drug drug_name compound chemical "
    "ligand kinase enzyme"
)
TARGET_NAMES = _words(
    "target target_genesymbol target_symbol target_name to to_genesymbol regulated target_gene "
    "gene_b geneb gene_2 gene2 node_2 node2 node_b nodeb protein_b protein_2 protein2 entity_b "
    "entityb entity_2 object tail downstream tgt dst dest b substrate receptor gene"
)
SIGN_NAMES = _words(
    "sign signs effect mode mor mode_of_regulation regulation interaction weight polarity "
    "direction relation action type interaction_type edge_type edge_sign value"
)


@dataclass(frozen=True, slots=True)
class Roles:
    """Places of the columns that make an edge; `sign` is None where there is no such column."""

    source: int
    target: int
    sign: int | None
    sign_name: str
    has_header: bool


def normalise_header(row: Sequence[str]) -> list[str]:
    """Return column names in lower case, with ``_`` for blanks, dots and hyphens."""
    return [re.sub(r"[\s.\-]+", "_", cell.strip().lstrip("#").strip().lower()) for cell in row]


def find_by_name(row: Sequence[str], names: Sequence[str]) -> int | None:
    """Return the place of the first of `names` (in their order) that a normalised row has."""
    for name in names:
        if name in row:
            return row.index(name)
    return None


def find_named_roles(first: Sequence[str], sample: Sequence[Sequence[str]]) -> Roles | None:
    """Find the columns by the header; None where it doesn't name both ends of an edge.

    Of several columns that could be the sign, the first of the usual names wins whose sampled
    cells hold a sign; else the first.
    """
    row = normalise_header(first)
    source, target = find_by_name(row, SOURCE_NAMES), find_by_name(row, TARGET_NAMES)
    if source is None or target is None or source == target:
        return None
    places = [row.index(name) for name in SIGN_NAMES if name in row]
    places = [place for place in places if place not in (source, target)]
    sign = _best_sign_column(places, sample)
    return Roles(source, target, sign, "" if sign is None else first[sign].strip(), True)


def _best_sign_column(places: Sequence[int], sample: Sequence[Sequence[str]]) -> int | None:
    """Return the first column with words or +-1; else the first with numbers; else the first."""
    for fits in (_holds_clear_sign, _holds_sign):
        for place in places:
            if fits([cells[place] for cells in sample if len(cells) > place]):
                return place
    return places[0] if places else None


def _holds_clear_sign(cells: Sequence[str]) -> bool:
    return any(is_clear_sign(cell) and sign_of_word(cell) for cell in cells) and not any(
        sign_of_word(cell) is not None and not is_clear_sign(cell) for cell in cells
    )


def _holds_sign(cells: Sequence[str]) -> bool:
    return any(sign_of_word(cell) for cell in cells)


def find_unnamed_roles(rows: Sequence[Sequence[str]]) -> Roles | None:
    """Find the columns of three or more without a header; None where no column is clearly a sign.

    The third column is tried first, then the second. A first row whose cell is no sign while
    the others' are is taken for a header that names the columns in words of its own.
    """
    if not rows or any(len(row) < 3 for row in rows[:2]):
        return None
    for sign, target in ((2, 1), (1, 2)):
        cells = [row[sign] for row in rows if len(row) > sign]
        clear = [is_clear_sign(cell) for cell in cells]
        signed = any(sign_of_word(cell) for cell, ok in zip(cells, clear, strict=True) if ok)
        if signed and sum(clear) >= 0.9 * len(clear) and clear[0]:
            return Roles(0, target, sign, f"column {sign + 1}", False)
        if signed and len(clear) > 1 and not clear[0] and all(clear[1:]):
            return Roles(0, target, sign, rows[0][sign].strip(), True)
    return None
