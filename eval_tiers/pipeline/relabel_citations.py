"""Error labels of cited evidence from the tables of a run, under other thresholds."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pyarrow as pa

from eval_tiers.domain.rr10 import (
    EVIDENCE_DETAILS,
    ITEM_TYPES,
    LABELS,
    NO_LABEL,
    Item,
)
from eval_tiers.domain.rr10_columns import CITATION_COLUMNS, rr10_columns_for
from eval_tiers.domain.taxonomy import ERROR_LABEL_CODES, ERROR_LABELS
from eval_tiers.io.column_values import column_values
from eval_tiers.io.table_reader import TableReader
from eval_tiers.pipeline.relabel_chains import items_of, with_columns
from eval_tiers.settings import Settings
from eval_tiers.summaries.interval_figures import Figures
from eval_tiers.summaries.relabelled import LABEL_FIGURES, figures_named, transitions
from eval_tiers.summaries.rr10_counts import ITEM_SUMS, PLACE, Rr10Counts
from eval_tiers.summaries.rr10_figures import ItemTable, evidence_figures
from eval_tiers.tiers.citations import SIGN_MISREAD, SUPPORTED, CitationFacts, label_of_signs
from eval_tiers.tiers.evidence_labels import evidence_label, is_hard

CITATION_INPUTS: Final = ("sample_id", "number", "sign", "verdict", "row_log2fc")
_CITATION_COLUMNS: Final = {column.name: column for column in CITATION_COLUMNS}
_CORRECT: Final = ERROR_LABEL_CODES["CORRECT"]


class CitationRelabeller:
    """Gives the rows of an RR-10 run their labels anew, and counts what rests on them.

    Parameters
    ----------
    tiers : frozenset of int
        Of the run.
    settings : Settings
        Those to label by.
    citations : TableReader or None
        The run's citations, read along with the samples; None where the run has none.
    evidence_expected : bool
        Whether the run judged answers by their evidence.
    clustering : str
        Which items the run takes together for its intervals.

    Attributes
    ----------
    matrix : int64[11, 11]
        Rows by label before and after.
    hard_changed_n : int
    """

    def __init__(
        self,
        tiers: frozenset[int],
        settings: Settings,
        citations: TableReader | None,
        evidence_expected: bool,
        clustering: str,
    ) -> None:
        self.settings, self.citations = settings, citations
        self.evidence_expected, self.clustering = evidence_expected, clustering
        self.columns = {column.name: column for column in rr10_columns_for(tiers)}
        self.matrix = transitions(np.empty(0, np.int8), np.empty(0, np.int8))
        self.hard_changed_n = 0
        self.items: list[Item] = []
        self.counts = Rr10Counts.empty(0)

    def relabel(self, samples: pa.Table) -> pa.Table:
        """Return a part of the samples table with its new labels; parts come in order.

        Raises
        ------
        ValueError, pyarrow.ArrowInvalid
            A column holds what it can't.
        """
        values = {
            name: column_values(column, samples[name]) for name, column in self.columns.items()
        }
        facts = self._facts(samples, values)
        labels, details, hard = [], [], []
        for gold, predicted, found in zip(
            values["gold_label"].tolist(), values["predicted_label"].tolist(), facts, strict=True
        ):
            label, detail = evidence_label(
                gold,
                predicted,
                found,
                self.evidence_expected,
                self.settings.hallucination_threshold,
                self.settings.coverage_threshold,
            )
            labels.append(label)
            details.append(detail)
            hard.append(is_hard(label, detail))
        new: dict[str, Any] = {
            "error_label": np.array(labels, np.int8),
            "evidence_detail": np.array(details, np.int8),
            "hard_case": np.array(hard, np.bool_),
        }
        self.matrix += transitions(values["error_label"], new["error_label"])
        self.hard_changed_n += int(np.count_nonzero((values["hard_case"] == 1) != new["hard_case"]))
        self._count(samples, values | new)
        return with_columns(samples, self.columns, new)

    def pooled(self) -> Figures:
        """Return the new figures of the whole run."""
        table = ItemTable.build(self.items, self.counts, self.clustering)
        figures = evidence_figures(self.counts, table, self.evidence_expected)
        return figures_named(figures, LABEL_FIGURES)

    def by_slice(self) -> dict[str, dict[str, Figures]]:
        """Return nothing: no slice of RR-10 has a figure that rests on error labels."""
        return {}

    def by_file(self) -> dict[str, Figures]:
        """Return the new figures of the benchmark file."""
        return {"": self.pooled()}

    def _facts(self, samples: pa.Table, values: dict[str, Any]) -> list[CitationFacts]:
        """Put together what the citations of each row add up to."""
        citation_n = np.maximum(values["citation_n"], 0)
        facts = [
            CitationFacts(
                n,
                recall=_none(recall),
                fabrication_rate=_none(fabricated),
                implied=implied,
                repaired=implied,
            )
            for n, recall, fabricated, implied in zip(
                citation_n.tolist(),
                values["evidence_recall"].tolist(),
                values["fabrication_rate"].tolist(),
                values["implied_answer"].tolist(),
                strict=True,
            )
        ]
        total = int(citation_n.sum())
        if not total:
            return facts
        if self.citations is None:
            raise RuntimeError("the citations were not opened")
        cited = self.citations.take(total, CITATION_INPUTS)
        owner = np.repeat(np.arange(samples.num_rows), citation_n)
        ids = samples["sample_id"].to_pylist()
        if cited["sample_id"].to_pylist() != [ids[row] for row in owner.tolist()]:
            raise self.citations.fault("its rows are not those of the samples table")
        sign, verdict, log2fc = (
            column_values(_CITATION_COLUMNS[name], cited[name])
            for name in ("sign", "verdict", "row_log2fc")
        )
        row_sign = np.sign(np.nan_to_num(log2fc)).astype(np.int8)
        signs: dict[int, set[int]] = {}
        for row, code, cited_sign, true_sign in zip(
            owner.tolist(), verdict.tolist(), sign.tolist(), row_sign.tolist(), strict=True
        ):
            facts[row].verdict_n[code] += 1
            if code == SUPPORTED:
                signs.setdefault(row, set()).add(cited_sign)
            elif code == SIGN_MISREAD:
                signs.setdefault(row, set()).add(true_sign)
        for row, found in signs.items():
            facts[row].repaired = label_of_signs(found)
        return facts

    def _count(self, samples: pa.Table, values: dict[str, Any]) -> None:
        item = items_of(samples)
        first = np.flatnonzero(np.diff(item, prepend=-1))
        self.items += [
            Item(
                values["sample_id"][row],
                ITEM_TYPES[values["item_type"][row]],
                "",
                values["gene"][row],
                values["organism"][row],
                values["tissue"][row],
                int(values["gold_label"][row]),
                (),
                (),
                int(values["source_line"][row]),
            )
            for row in first.tolist()
        ]
        sums = np.zeros((len(first), len(ITEM_SUMS)))
        label, predicted = values["error_label"], values["predicted_label"]
        added = {
            "row_n": np.ones(len(item)),
            "valid_n": predicted != NO_LABEL,
            "right_n": values["answer_correct"] == 1,
            "labelled_n": label >= 0,
            "hard_n": values["hard_case"],
            "correct_label_n": label == _CORRECT,
        } | {f"{word}_n": predicted == code for code, word in enumerate(LABELS)}
        added |= {f"label_{name}_n": label == code for code, name in enumerate(ERROR_LABELS)}
        for name, column in added.items():
            sums[:, PLACE[name]] = np.bincount(item, weights=column, minlength=len(first))
        self.counts.items = np.concatenate([self.counts.items, sums])
        details = values["evidence_detail"].tolist()
        for context, code, detail in zip(values["context"], label.tolist(), details, strict=True):
            name = "none" if code < 0 else ERROR_LABELS[code]
            self.counts.counts["error_label", context, name] += 1
            self.counts.counts["evidence_detail", context, EVIDENCE_DETAILS[detail]] += 1


def _none(value: float) -> float | None:
    return None if value != value else value
