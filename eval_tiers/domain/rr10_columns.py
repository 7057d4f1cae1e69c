"""The columns of an RR-10 run's tables: name, kind, tier, meaning.

Source: specification of RR-10, section 3.
"""

from __future__ import annotations

from typing import Final

from eval_tiers.domain.columns import Column
from eval_tiers.domain.rr10 import (
    CITATION_VERDICTS,
    EVIDENCE_DETAILS,
    INVALID_REASONS,
    ITEM_TYPES,
    LABELS,
)
from eval_tiers.domain.taxonomy import EDGE_STATUSES, ERROR_LABELS

GO_FOCUS_NULL_REASONS: Final = (
    "no_mechanism_gene",
    "no_gene_sets_for_organism",
    "gene_unannotated",
    "mechanism_unannotated",
    "zero_weight",
)
"""Why `go_focus` is null, in the order in which they are tried."""

MECHANISM_STATUSES: Final = (*EDGE_STATUSES, "no_kg_for_organism")
"""Statuses of a mechanism edge."""

RR10_SAMPLE_COLUMNS: Final[tuple[Column, ...]] = (
    Column("sample_id", "text", 0, "id of the item"),
    Column("item_type", "code", 0, "trap (datasets disagree) or control (they agree)", ITEM_TYPES),
    Column("pair", "text", 0, "number that a trap and its control share"),
    Column("context", "text", 0, "organism::tissue"),
    Column("gene", "text", 0, "gene that is asked about"),
    Column("organism", "text", 0, "its organism"),
    Column("tissue", "text", 0, "tissue that is asked about"),
    Column("rollout", "text", 0, "which of several answers to the question"),
    Column("gold_label", "code", 0, "right answer", LABELS),
    Column("predicted_label", "code", 0, "answer; by the compat reading under --rr10-compat",
           LABELS),
    Column("predicted_label_compat", "code", 0, "answer as the reference scorer reads it", LABELS),
    Column("invalid_reason", "code", 0, "why there is no answer", INVALID_REASONS),
    Column("answer_correct", "flag", 1, "the answer is the gold label"),
    Column("citation_n", "count", 2, "distinct citations"),
    Column("supported_n", "count", 2, "citations that hold"),
    Column("citation_precision", "number", 2, "citations that hold, of all"),
    Column("evidence_recall", "number", 2, "gold datasets that are cited and hold"),
    Column("fabrication_rate", "number", 2, "citations that are malformed or made up"),
    Column("unverified_rate", "number", 2, "citations that can't be checked"),
    Column("implied_answer", "code", 2, "answer that the supported citations imply", LABELS),
    Column("error_label", "code", 2, "what is wrong with the answer or its evidence",
           ERROR_LABELS),
    Column("evidence_detail", "code", 2, "what the error label rests on", EVIDENCE_DETAILS),
    Column("hard_case", "flag", 2, "rules can't settle it: for the examiner"),
    Column("go_focus", "number", 3, "GO similarity of the mechanism genes to the gene"),
    Column("go_null_reason", "code", 3, "why go_focus is null", GO_FOCUS_NULL_REASONS),
    Column("source_path", "text", 0, "benchmark file"),
    Column("source_line", "count", 0, "line of the item"),
)  # fmt: skip

CITATION_COLUMNS: Final[tuple[Column, ...]] = (
    Column("sample_id", "text", 0, "id of the item"),
    Column("rollout", "text", 0, "which of several answers to the question"),
    Column("number", "count", 0, "place of the citation in the answer, from 0"),
    Column("gene", "text", 0, "gene as looked up"),
    Column("sign", "sign", 0, "direction that is cited"),
    Column("dataset", "text", 0, "dataset as looked up"),
    Column("cited_log2fc", "number", 0, "log2 fold change that is cited"),
    Column("cited_q", "number", 0, "q that is cited"),
    Column("cited_significant", "flag", 0, "significance is claimed"),
    Column("verdict", "code", 0, "what becomes of the citation", CITATION_VERDICTS),
    Column("reversed_contrast", "flag", 0, "a misread sign that the unturned contrast has"),
    Column("written", "text", 0, "the citation as written, as JSON"),
    Column("row_item_id", "text", 0, "item of the provenance row; empty for a row of a table"),
    Column("row_number", "count", 0, "place of the provenance row within its item, from 0"),
    Column("row_line", "count", 0, "line of that item, or of the row in its table"),
    Column("row_log2fc", "number", 0, "log2 fold change of the row, flight minus ground"),
    Column("row_q", "number", 0, "q of the row"),
    Column("row_contrast", "text", 0, "contrast of the row"),
    Column("row_orientation", "sign", 0, "-1 where the row's sign was turned"),
    Column("row_source_file", "text", 0, "source file of the row"),
    Column("prediction_path", "text", 0, "prediction file"),
    Column("prediction_line", "count", 0, "first line of the prediction"),
)  # fmt: skip

MECHANISM_COLUMNS: Final[tuple[Column, ...]] = (
    Column("sample_id", "text", 0, "id of the item"),
    Column("rollout", "text", 0, "which of several answers to the question"),
    Column("organism", "text", 0, "organism of the item"),
    Column("source", "text", 0, "gene that acts"),
    Column("sign", "sign", 0, "+1 or -1, null where unsigned"),
    Column("target", "text", 0, "gene that is acted on"),
    Column("status", "code", 0, "what the organism's graph says", MECHANISM_STATUSES),
)


def rr10_columns_for(tiers: frozenset[int]) -> tuple[Column, ...]:
    """Return the columns of the samples table of a run of these tiers, in order."""
    return tuple(
        column for column in RR10_SAMPLE_COLUMNS if column.tier == 0 or column.tier in tiers
    )
