"""Which columns of a samples table are filtered by, sorted by, listed; what they mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from eval_tiers.domain.columns import SAMPLE_COLUMNS, Column
from eval_tiers.domain.rr10_columns import RR10_SAMPLE_COLUMNS

FILTERED: Final[tuple[str, ...]] = (
    "error_label", "predicted_label", "gold_label", "answer_correct", "hard_case", "split",
    "pert_type", "cell_line", "chain_validity", "parse_failure_reason", "item_type", "context",
    "evidence_detail", "invalid_reason",
)  # fmt: skip
"""Columns to choose values of, where a run has them."""

RESCUE_FILTERED: Final = ("llm_rescue_verdict", "error_label_after_rescue")
"""Those of a run whose hard cases went to an examiner."""

GENES: Final = ("perturbation", "readout", "gene")
"""Columns that a gene is looked for in."""

FLAGS: Final = frozenset({"answer_correct", "hard_case"})

_LISTED: Final = (
    "sample_id", "rollout", "split", "pert_type", "item_type", "context", "perturbation",
    "readout", "gene", "gold_label", "predicted_label", "error_label", "evidence_detail",
    "hard_case", "edge_f1", "hallucination_rate", "citation_precision", "evidence_recall",
    "go_sim", "go_focus",
)  # fmt: skip
_ALSO_SORTED: Final = (
    "chain_coverage", "predicted_edge_n", "sign_flip_n", "kg_sign_match", "fabrication_rate",
    "citation_n",
)  # fmt: skip


def listed(columns: Sequence[str], has_rollouts: bool) -> tuple[str, ...]:
    """Return the columns of the list, in order."""
    return tuple(
        name for name in _LISTED if name in columns and (name != "rollout" or has_rollouts)
    )


def sortable(columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that the list can be sorted by."""
    return tuple(name for name in (*_LISTED, *_ALSO_SORTED) if name in columns)


def described(is_cited: bool) -> dict[str, Column]:
    """Return the columns of a benchmark's samples table by name."""
    columns = RR10_SAMPLE_COLUMNS if is_cited else SAMPLE_COLUMNS
    return {column.name: column for column in columns}
