"""Tier 2 for cited evidence: what becomes of each citation, and what they add up to.

Source: specification of RR-10, section 4.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from eval_tiers.domain.rr10 import (
    ALPHA,
    CITATION_VERDICTS,
    DOWN,
    FABRICATED_VERDICTS,
    INDETERMINATE,
    NO_LABEL,
    UNVERIFIED_VERDICTS,
    UP,
    VERDICT_CODES,
    Item,
    ProvenanceRow,
)
from eval_tiers.kg.provenance import ProvenanceGraph, dataset_of, gene_key
from eval_tiers.texts.citations import Citation

MALFORMED: Final = VERDICT_CODES["MALFORMED"]
UNVERIFIABLE: Final = VERDICT_CODES["UNVERIFIABLE"]
OVERCLAIM: Final = VERDICT_CODES["OVERCLAIM"]
SIGN_MISREAD: Final = VERDICT_CODES["SIGN_MISREAD"]
VALUE_MISREAD: Final = VERDICT_CODES["VALUE_MISREAD"]
SUPPORTED: Final = VERDICT_CODES["SUPPORTED"]
_FABRICATED: Final = tuple(VERDICT_CODES[name] for name in FABRICATED_VERDICTS)
_UNVERIFIED: Final = tuple(VERDICT_CODES[name] for name in UNVERIFIED_VERDICTS)

_VALUE_SHARE: Final = 0.10
_VALUE_LEAST: Final = 0.05
_SMALLEST_Q: Final = 1e-10
_ROUNDING: Final = 1e-9  # 2.2 is off 2.0 by 10 %, not by more
_ORDER_OF_MAGNITUDE: Final = 1.0 - 1e-9
_BY_SIGNS: Final = {
    frozenset(): NO_LABEL,
    frozenset({1}): UP,
    frozenset({-1}): DOWN,
    frozenset({1, -1}): INDETERMINATE,
}


@dataclass(frozen=True, slots=True)
class JudgedCitation:
    """A citation with its verdict.

    Attributes
    ----------
    citation : Citation
        The first mention of those that were collapsed.
    gene, dataset : str
        As looked up; empty where the citation is malformed and they can't be read.
    verdict : int
        Code into `CITATION_VERDICTS`.
    row : ProvenanceRow or None
        The row that it was held against, None where there is none.
    reversed_contrast : bool
        A misread sign that the source's own, unturned contrast has, or whose value is the
        negative of the true one.
    """

    citation: Citation
    gene: str
    dataset: str
    verdict: int
    row: ProvenanceRow | None = None
    reversed_contrast: bool = False


@dataclass(slots=True)
class CitationFacts:
    """What the citations of one answer add up to.

    Attributes
    ----------
    n : int
        Distinct citations.
    verdict_n : list of int
        Citations by verdict.
    precision, recall, fabrication_rate, unverified_rate : float or None
        Shares from 0 to 1; None without citations (recall: without gold datasets).
    implied, repaired : int
        Label that the supported citations imply, as they are and with misread signs put right;
        -1 for none.
    """

    n: int
    verdict_n: list[int] = field(default_factory=lambda: [0] * len(CITATION_VERDICTS))
    precision: float | None = None
    recall: float | None = None
    fabrication_rate: float | None = None
    unverified_rate: float | None = None
    implied: int = NO_LABEL
    repaired: int = NO_LABEL

    @property
    def supported_n(self) -> int:
        """Citations that hold."""
        return self.verdict_n[SUPPORTED]


def judge_citations(
    item: Item, citations: Sequence[Citation], graph: ProvenanceGraph
) -> list[JudgedCitation]:
    """Collapse repeats and judge each citation, in the order of first mention.

    One gene and dataset cited with both signs is one malformed citation, unless the item's own
    provenance has both there.

    Parameters
    ----------
    item : Item
        The question.
    citations : sequence of Citation
        As written.
    graph : ProvenanceGraph
        What is known of genes and datasets.
    """
    written: dict[object, Citation] = {}
    signs: dict[tuple[str, str], list[int]] = {}
    for citation in citations:
        dataset = None if citation.malformed else dataset_of(citation.dataset)
        if dataset is None:
            written.setdefault(citation.written, citation)
            continue
        place = (gene_key(item.organism, citation.gene), dataset)
        written.setdefault((*place, citation.sign), citation)
        found = signs.setdefault(place, [])
        if citation.sign not in found:
            found.append(citation.sign)
    judged = []
    for key, citation in written.items():
        if not isinstance(key, tuple):
            judged.append(JudgedCitation(citation, "", "", MALFORMED))
            continue
        gene, dataset, sign = key
        both = signs[gene, dataset]
        if len(both) > 1 and not _has_both_signs(item, gene, dataset):
            if sign == both[0]:
                judged.append(JudgedCitation(citation, gene, dataset, MALFORMED))
            continue
        judged.append(_judge(item, citation, gene, dataset, graph))
    return judged


def _has_both_signs(item: Item, gene: str, dataset: str) -> bool:
    if gene != gene_key(item.organism, item.gene):
        return False
    return {1, -1} <= {row.sign for row in item.provenance if row.dataset == dataset}


def _judge(
    item: Item, citation: Citation, gene: str, dataset: str, graph: ProvenanceGraph
) -> JudgedCitation:
    """Give a well-formed citation its verdict: the first that holds."""
    if not graph.knows_dataset(dataset):
        name = "FABRICATED_DATASET" if graph.has_registry else "NOT_IN_BENCHMARK"
        return JudgedCitation(citation, gene, dataset, VERDICT_CODES[name])
    contexts = graph.contexts_of(dataset)
    organisms = graph.organisms_of(dataset)
    elsewhere = item.context not in contexts if contexts else item.organism not in organisms
    if elsewhere and organisms:
        return JudgedCitation(citation, gene, dataset, VERDICT_CODES["WRONG_CONTEXT"])
    rows = graph.rows_of(item.organism, gene, dataset)
    if rows and gene != gene_key(item.organism, item.gene):
        return JudgedCitation(citation, gene, dataset, VERDICT_CODES["OFF_TOPIC"], rows[0])
    if not rows:
        name = "NOT_IN_BENCHMARK"
        if graph.has_gene_list(item.organism) and not graph.knows_gene(item.organism, gene):
            name = "UNKNOWN_GENE"
        elif graph.has_table(dataset):
            name = "GENE_NOT_IN_DATASET"
        return JudgedCitation(citation, gene, dataset, VERDICT_CODES[name])
    best, best_row = -1, rows[0]
    for row in _candidates(item, rows):
        verdict = _hold_against(citation, row, own=row.item_id == item.sample_id)
        if verdict > best:
            best, best_row = verdict, row
    turned = best == SIGN_MISREAD and (
        best_row.orientation == -1
        or (
            citation.log2fc is not None
            and best_row.log2fc is not None
            and not _differs(-citation.log2fc, best_row.log2fc)
        )
    )
    return JudgedCitation(citation, gene, dataset, best, best_row, turned)


def _candidates(item: Item, rows: tuple[ProvenanceRow, ...]) -> tuple[ProvenanceRow, ...]:
    """Return the rows to hold a citation against: the item's own, else other items', else all."""
    own = tuple(row for row in rows if row.item_id == item.sample_id)
    return own or tuple(row for row in rows if row.item_id is not None) or rows


def _hold_against(citation: Citation, row: ProvenanceRow, own: bool) -> int:
    """Return the verdict on a citation by one row; later verdicts are better ones."""
    if row.sign == 0:
        return UNVERIFIABLE
    insignificant = row.q is not None and row.q >= ALPHA
    if insignificant and (citation.significant or not own):
        return OVERCLAIM
    if citation.sign != row.sign:
        return SIGN_MISREAD
    misread = (
        citation.log2fc is not None
        and row.log2fc is not None
        and _differs(citation.log2fc, row.log2fc)
    ) or (citation.q is not None and row.q is not None and _order_off(citation.q, row.q))
    return VALUE_MISREAD if misread else SUPPORTED


def _differs(cited: float, true: float) -> bool:
    off = abs(cited - true)
    return off > _VALUE_LEAST + _ROUNDING and off > _VALUE_SHARE * abs(true) + _ROUNDING


def _order_off(cited: float, true: float) -> bool:
    return (
        abs(math.log10(max(cited, _SMALLEST_Q)) - math.log10(max(true, _SMALLEST_Q)))
        >= _ORDER_OF_MAGNITUDE
    )


def sum_up(item: Item, judged: Sequence[JudgedCitation]) -> CitationFacts:
    """Return counts, rates and implied answers of an answer's citations."""
    facts = CitationFacts(len(judged))
    supported: set[str] = set()
    signs: set[int] = set()
    repaired: set[int] = set()
    for found in judged:
        facts.verdict_n[found.verdict] += 1
        if found.verdict == SUPPORTED:
            supported.add(found.dataset)
            signs.add(found.citation.sign)
        elif found.verdict == SIGN_MISREAD and found.row is not None:
            repaired.add(found.row.sign)
    if facts.n:
        facts.precision = facts.supported_n / facts.n
        facts.fabrication_rate = sum(facts.verdict_n[code] for code in _FABRICATED) / facts.n
        facts.unverified_rate = sum(facts.verdict_n[code] for code in _UNVERIFIED) / facts.n
    if item.datasets:
        facts.recall = sum(name in supported for name in item.datasets) / len(item.datasets)
    facts.implied = label_of_signs(signs)
    facts.repaired = label_of_signs(signs | repaired)
    return facts


def label_of_signs(signs: Iterable[int]) -> int:
    """Return the code of the label that cited directions imply; -1 for none of them.

    Examples
    --------
    >>> label_of_signs([1, 1]) == UP, label_of_signs([1, -1]) == INDETERMINATE
    (True, True)
    """
    return _BY_SIGNS[frozenset(signs)]
