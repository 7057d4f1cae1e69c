"""Which columns of a samples table are filtered by, sorted by, listed; what they mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from eval_tiers.domain.columns import SAMPLE_COLUMNS, Column
from eval_tiers.domain.rr10_columns import RR10_SAMPLE_COLUMNS

FILTERED: Final[tuple[str, ...]] = (
    "error_label", "predicted_label", "gold_label", "answer_correct", "hard_case", "split",
    "pert_type", "cell_line", "chain_validity", "parse_failure_reason", "item_type", "context",
    "evidence_detail", "invalid_reason", "predicted_label_lenient", "predicted_label_compat",
    "implied_answer", "connected", "go_null_reason", "tissue", "organism", "rollout",
    "verdict", "failed", "axis", "domain", "conceptual_breadth", "logical_nesting", "exploration",
    "state", "unscored_reason",
)  # fmt: skip
"""Columns to choose values of, where a run has them."""

EDGE_STATUS: Final = "edge_status"
"""Stands for: some predicted edge has this status."""

GENES: Final = ("perturbation", "readout", "gene")
"""Columns that a gene is looked for in."""

TEXTS: Final = ("criterion", "reasoning")
"""Columns that a text is looked for in."""

FLAGS: Final = frozenset({"answer_correct", "hard_case", "connected", "failed"})

_LISTED: Final = (
    "sample_id", "rollout", "split", "pert_type", "item_type", "context", "perturbation",
    "readout", "gene", "gold_label", "predicted_label", "error_label", "evidence_detail",
    "hard_case", "confidence", "edge_f1", "hallucination_rate", "citation_precision",
    "evidence_recall", "go_sim", "go_focus",
    "rubric_index", "criterion", "axis", "weight", "verdict", "failed", "examiner_confidence",
    "compliance_score",
)  # fmt: skip
_ALSO_SORTED: Final = (
    "chain_coverage", "predicted_edge_n", "sign_flip_n", "kg_sign_match", "fabrication_rate",
    "citation_n", "domain", "conceptual_breadth", "logical_nesting", "exploration", "state",
)  # fmt: skip


def listed(columns: Sequence[str], has_rollouts: bool) -> tuple[str, ...]:
    """Return the columns of the list, in order."""
    return tuple(
        name for name in _LISTED if name in columns and (name != "rollout" or has_rollouts)
    )


def sortable(columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that the list can be sorted by."""
    return tuple(name for name in (*_LISTED, *_ALSO_SORTED) if name in columns)


def status_count(status: str) -> str:
    """Return the column with the number of predicted edges of a status."""
    return f"{EDGE_STATUS}_{status}_n"


def described(is_cited: bool) -> dict[str, Column]:
    """Return the columns of a benchmark's samples table by name."""
    columns = RR10_SAMPLE_COLUMNS if is_cited else SAMPLE_COLUMNS
    return {column.name: column for column in columns}
