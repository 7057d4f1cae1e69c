"""Scores the answers to a run of items: one batch in, tables and counts out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from eval_tiers.domain.columns import Column
from eval_tiers.domain.rr10 import (
    CITATION_VERDICTS,
    EVIDENCE_DETAILS,
    INVALID_REASONS,
    ITEM_TYPES,
    LABELS,
    NO_LABEL,
    Item,
)
from eval_tiers.domain.rr10_columns import (
    CITATION_COLUMNS,
    GO_FOCUS_NULL_REASONS,
    MECHANISM_COLUMNS,
    MECHANISM_STATUSES,
    RR10_SAMPLE_COLUMNS,
)
from eval_tiers.domain.taxonomy import ERROR_LABEL_CODES, ERROR_LABELS
from eval_tiers.formats.base import AnswerRecord
from eval_tiers.formats.rr10 import pair_of
from eval_tiers.io.answer_rows import AnswerRow
from eval_tiers.kg.provenance import ProvenanceGraph, gene_key
from eval_tiers.settings import Settings
from eval_tiers.summaries.rr10_counts import PLACE
from eval_tiers.texts.citations import Evidence
from eval_tiers.texts.claims import read_claim, read_claim_compat
from eval_tiers.tiers.citations import (
    CitationFacts,
    JudgedCitation,
    judge_citations,
    sum_up,
)
from eval_tiers.tiers.evidence_labels import evidence_label, is_hard

if TYPE_CHECKING:
    from eval_tiers.kg.graph import SignedGraph
    from eval_tiers.tiers.go_focus import GoFocus

MAX_DIFFERING: Final = 100
_REASONS: Final = {name: code for code, name in enumerate(INVALID_REASONS)}
_CORRECT: Final = ERROR_LABEL_CODES["CORRECT"]
_VERDICTS: Final = [PLACE[f"verdict_{name}_n"] for name in CITATION_VERDICTS]
_NO_KG: Final = MECHANISM_STATUSES.index("no_kg_for_organism")
_NO_EVIDENCE: Final = Evidence()


@dataclass(slots=True)
class Rr10Resources:
    """What the tiers hold answers against.

    Attributes
    ----------
    provenance : ProvenanceGraph or None
        For tier 2.
    graphs : dict of str to SignedGraph
        Signed graph of each organism that has one, for mechanism edges.
    go : dict of str to GoFocus
        Gene sets of each organism that has them, for tier 3.
    """

    provenance: ProvenanceGraph | None = None
    graphs: Mapping[str, SignedGraph] = field(default_factory=dict)
    go: Mapping[str, GoFocus] = field(default_factory=dict)


@dataclass(slots=True)
class Rr10Scores:
    """A scored batch.

    Attributes
    ----------
    samples, citations, mechanism : dict of str to list
        Columns of the three tables.
    item_sums : float64[n_items, len(ITEM_SUMS)]
    counts : Counter of (kind, context, name) to int
    differing : list of dict
    ledger : dict of str to int
        Items by bucket.
    """

    samples: dict[str, list[Any]]
    citations: dict[str, list[Any]]
    mechanism: dict[str, list[Any]]
    item_sums: np.ndarray[Any, np.dtype[np.float64]]
    counts: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    differing: list[dict[str, object]] = field(default_factory=list)
    ledger: dict[str, int] = field(default_factory=dict)


def score_answers(
    items: Sequence[Item],
    answers: Sequence[AnswerRow],
    tiers: frozenset[int],
    resources: Rr10Resources,
    settings: Settings,
    paths: tuple[str, str],
    compat: bool = False,
    evidence_expected: bool = True,
) -> Rr10Scores:
    """Score answers, those of one item one after the other; every item has at least one.

    Parameters
    ----------
    items : sequence of Item
        The batch's items; `AnswerRow.item` counts among them.
    answers : sequence of AnswerRow
    tiers : frozenset of int
        Of 1, 2, 3.
    resources : Rr10Resources
        What tiers 2 and 3 hold answers against.
    settings : Settings
        Thresholds: share of fabricated citations, share of gold datasets.
    paths : (str, str)
        Benchmark file and prediction file, for the tables.
    compat : bool
        Whether the reference scorer's reading counts.
    evidence_expected : bool
        Whether answers were to cite evidence.
    """
    scorer = _Scorer(items, tiers, resources, settings, paths, compat, evidence_expected)
    for answer in answers:
        scorer.add(answer)
    if 3 in tiers:
        scorer.add_go_focus()
    return scorer.scores


def _empty(columns: Sequence[Column]) -> dict[str, list[Any]]:
    return {column.name: [] for column in columns}


class _Scorer:
    """Scores row by row and collects the columns."""

    def __init__(
        self,
        items: Sequence[Item],
        tiers: frozenset[int],
        resources: Rr10Resources,
        settings: Settings,
        paths: tuple[str, str],
        compat: bool,
        evidence_expected: bool,
    ) -> None:
        self.items, self.tiers, self.resources = items, tiers, resources
        self.settings = settings
        self.source_path, self.prediction_path = paths
        self.compat, self.evidence_expected = compat, evidence_expected
        self.scores = Rr10Scores(
            _empty(RR10_SAMPLE_COLUMNS),
            _empty(CITATION_COLUMNS),
            _empty(MECHANISM_COLUMNS),
            np.zeros((len(items), len(PLACE))),
            ledger={"scored": 0, "parse_failure": 0, "missing_prediction": 0},
        )
        self.bucket_of: dict[int, str] = {}
        self.focus: list[tuple[int, Item, list[str]]] = []
        self.row_items: list[int] = []

    def add(self, answer: AnswerRow) -> None:
        """Score one row."""
        item, record = self.items[answer.item], answer.record
        claim = None if record is None else record.claim
        label, reason = read_claim(claim)
        by_compat = NO_LABEL if record is None else read_claim_compat(record.compat_claim)
        self._note_difference(item, record, label, by_compat, reason)
        if self.compat:
            label = by_compat
            reason = (reason or "not_a_label") if label == NO_LABEL else None
        right = label == item.label
        values: dict[str, Any] = {
            "sample_id": item.sample_id,
            "item_type": ITEM_TYPES.index(item.item_type),
            "pair": pair_of(item.sample_id),
            "context": item.context,
            "gene": item.gene,
            "organism": item.organism,
            "tissue": item.tissue,
            "rollout": None if record is None else record.rollout,
            "gold_label": item.label,
            "predicted_label": label,
            "predicted_label_compat": by_compat,
            "invalid_reason": -1 if reason is None else _REASONS[reason],
            "answer_correct": right,
            "source_path": self.source_path,
            "source_line": item.line,
        }
        sums = self.scores.item_sums[answer.item]
        sums[PLACE["row_n"]] += 1
        sums[PLACE["right_n"]] += right
        if label != NO_LABEL:
            sums[PLACE["valid_n"]] += 1
            sums[PLACE[f"{LABELS[label]}_n"]] += 1
        if reason is not None:
            self.scores.counts["invalid_reason", item.context, reason] += 1
        self._place_in_ledger(answer, label)
        if 2 in self.tiers:
            values |= self._judge(answer, item, label, sums)
        if 3 in self.tiers:
            self._note_focus(item, record)
            values |= {"go_focus": np.nan, "go_null_reason": -1}
        self.row_items.append(answer.item)
        for name, column in self.scores.samples.items():
            column.append(values.get(name))

    def _place_in_ledger(self, answer: AnswerRow, label: int) -> None:
        """Put the item into the best bucket of its rows."""
        bucket = "scored" if label != NO_LABEL else "parse_failure"
        if answer.record is None:
            bucket = "missing_prediction"
        before = self.bucket_of.get(answer.item)
        order = ("scored", "parse_failure", "missing_prediction")
        if before is None or order.index(bucket) < order.index(before):
            if before is not None:
                self.scores.ledger[before] -= 1
            self.scores.ledger[bucket] += 1
            self.bucket_of[answer.item] = bucket

    def _note_difference(
        self, item: Item, record: AnswerRecord | None, label: int, compat: int, reason: str | None
    ) -> None:
        if label == compat:
            return
        self.scores.counts["differing", item.context, "rows"] += 1
        if (label == item.label) != (compat == item.label):
            self.scores.counts["differing", item.context, "right_or_wrong"] += 1
        if len(self.scores.differing) < MAX_DIFFERING:
            self.scores.differing.append(
                {
                    "sample_id": item.sample_id,
                    "rollout": None if record is None else record.rollout,
                    "default": None if label == NO_LABEL else LABELS[label],
                    "invalid_reason": reason,
                    "compat": None if compat == NO_LABEL else LABELS[compat],
                }
            )

    # Tier 2

    def _judge(
        self, answer: AnswerRow, item: Item, label: int, sums: np.ndarray[Any, Any]
    ) -> dict[str, Any]:
        evidence = _NO_EVIDENCE if answer.record is None else answer.record.evidence
        if not self.evidence_expected or self.resources.provenance is None:
            evidence = _NO_EVIDENCE
        judged: list[JudgedCitation] = []
        if evidence.citations and self.resources.provenance is not None:
            judged = judge_citations(item, evidence.citations, self.resources.provenance)
        facts = sum_up(item, judged)
        error, detail = evidence_label(
            item.label,
            label,
            facts,
            self.evidence_expected,
            self.settings.hallucination_threshold,
            self.settings.coverage_threshold,
        )
        hard = is_hard(error, detail)
        counts, context = self.scores.counts, item.context
        counts["error_label", context, "none" if error < 0 else ERROR_LABELS[error]] += 1
        counts["evidence_detail", context, EVIDENCE_DETAILS[detail]] += 1
        for found in judged:
            counts["verdict", context, CITATION_VERDICTS[found.verdict]] += 1
        rollout = None if answer.record is None else answer.record.rollout
        for number, found in enumerate(judged):
            self._add_citation(answer, item, rollout, number, found)
        if evidence.mechanism:
            self._add_mechanism(item, rollout, evidence)
        _add_sums(sums, facts, label, error, hard, self.evidence_expected)
        if not self.evidence_expected:
            return {
                "citation_n": -1, "supported_n": -1, "citation_precision": np.nan,
                "evidence_recall": np.nan, "fabrication_rate": np.nan, "unverified_rate": np.nan,
                "implied_answer": -1, "error_label": error, "evidence_detail": detail,
                "hard_case": hard,
            }  # fmt: skip
        return {
            "citation_n": facts.n,
            "supported_n": facts.supported_n,
            "citation_precision": _nan(facts.precision),
            "evidence_recall": _nan(facts.recall),
            "fabrication_rate": _nan(facts.fabrication_rate),
            "unverified_rate": _nan(facts.unverified_rate),
            "implied_answer": facts.implied,
            "error_label": error,
            "evidence_detail": detail,
            "hard_case": hard,
        }

    def _add_citation(
        self, answer: AnswerRow, item: Item, rollout: str | None, number: int, found: JudgedCitation
    ) -> None:
        citation, row = found.citation, found.row
        values = {
            "sample_id": item.sample_id,
            "rollout": rollout,
            "number": number,
            "gene": found.gene or citation.gene or None,
            "sign": citation.sign,
            "dataset": found.dataset or citation.dataset or None,
            "cited_log2fc": _nan(citation.log2fc),
            "cited_q": _nan(citation.q),
            "cited_significant": citation.significant,
            "verdict": found.verdict,
            "reversed_contrast": found.reversed_contrast,
            "written": citation.written,
            "row_item_id": None if row is None else row.item_id,
            "row_number": -1 if row is None or row.item_id is None else row.number,
            "row_line": -1 if row is None else row.line,
            "row_log2fc": np.nan if row is None else _nan(row.log2fc),
            "row_q": np.nan if row is None else _nan(row.q),
            "row_contrast": None if row is None else row.contrast,
            "row_orientation": 0 if row is None else row.orientation,
            "row_source_file": None if row is None else row.source_file,
            "prediction_path": self.prediction_path,
            "prediction_line": -1 if answer.line is None else answer.line,
        }
        for name, column in self.scores.citations.items():
            column.append(values[name])

    def _add_mechanism(self, item: Item, rollout: str | None, evidence: Evidence) -> None:
        edges = list(dict.fromkeys(evidence.mechanism))
        graph = self.resources.graphs.get(item.organism)
        if graph is None:
            statuses = [_NO_KG] * len(edges)
        else:
            from eval_tiers.tiers.mechanism import edge_statuses

            statuses = edge_statuses(edges, graph)
        table = self.scores.mechanism
        for (source, sign, target), status in zip(edges, statuses, strict=True):
            table["sample_id"].append(item.sample_id)
            table["rollout"].append(rollout)
            table["organism"].append(item.organism)
            table["source"].append(source)
            table["sign"].append(sign)
            table["target"].append(target)
            table["status"].append(status)
            self.scores.counts["mechanism", item.context, MECHANISM_STATUSES[status]] += 1

    # Tier 3

    def _note_focus(self, item: Item, record: AnswerRecord | None) -> None:
        """Keep the row's mechanism genes: nodes of its edges other than the item's gene."""
        genes: dict[str, None] = {}
        if record is not None and self.evidence_expected:
            own = gene_key(item.organism, item.gene)
            for source, _, target in record.evidence.mechanism:
                for gene in (source, target):
                    key = gene_key(item.organism, gene)
                    if key != own:
                        genes[key] = None
        self.focus.append((len(self.row_items), item, list(genes)))

    def add_go_focus(self) -> None:
        """Fill in the columns of tier 3, organism by organism."""
        values, reasons = self.scores.samples["go_focus"], self.scores.samples["go_null_reason"]
        by_organism: dict[str, list[tuple[int, Item, list[str]]]] = {}
        for row, item, genes in self.focus:
            if not genes:
                reasons[row] = GO_FOCUS_NULL_REASONS.index("no_mechanism_gene")
            elif item.organism not in self.resources.go:
                reasons[row] = GO_FOCUS_NULL_REASONS.index("no_gene_sets_for_organism")
            else:
                by_organism.setdefault(item.organism, []).append((row, item, genes))
        for organism, wanted in by_organism.items():
            found, why = self.resources.go[organism].similarity(
                [item.gene for _, item, _ in wanted], [genes for _, _, genes in wanted]
            )
            for (row, _, _), value, reason in zip(
                wanted, found.tolist(), why.tolist(), strict=True
            ):
                values[row], reasons[row] = value, reason
        for row, item, _ in self.focus:
            if reasons[row] >= 0:
                name = GO_FOCUS_NULL_REASONS[reasons[row]]
                self.scores.counts["go_null", item.context, name] += 1
            else:
                sums = self.scores.item_sums[self.row_items[row]]
                sums[PLACE["go_focus_n"]] += 1
                sums[PLACE["go_focus_sum"]] += values[row]


def _add_sums(
    sums: np.ndarray[Any, Any],
    facts: CitationFacts,
    label: int,
    error: int,
    hard: bool,
    evidence_expected: bool,
) -> None:
    sums[PLACE["labelled_n"]] += error >= 0
    if error >= 0:
        sums[PLACE[f"label_{ERROR_LABELS[error]}_n"]] += 1
    sums[_VERDICTS] += facts.verdict_n
    sums[PLACE["hard_n"]] += hard
    sums[PLACE["correct_label_n"]] += error == _CORRECT
    if not evidence_expected:
        return
    sums[PLACE["recall_sum"]] += facts.recall or 0.0
    if facts.n:
        sums[PLACE["cited_n"]] += 1
        sums[PLACE["precision_sum"]] += facts.precision or 0.0
        sums[PLACE["fabrication_sum"]] += facts.fabrication_rate or 0.0
        sums[PLACE["unverified_sum"]] += facts.unverified_rate or 0.0
    if facts.implied != NO_LABEL:
        sums[PLACE["implied_n"]] += 1
        sums[PLACE["implied_agrees_n"]] += facts.implied == label


def _nan(value: float | None) -> float:
    return np.nan if value is None else value
