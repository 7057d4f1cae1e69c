"""The names and columns of the files between export, examiner and merge.

Source: specification of tier 4, sections 2 and 4.
"""

from __future__ import annotations

from typing import Final

INDEX_COLUMNS: Final = (
    "custom_id", "sample_id", "split", "pert_type", "rollout", "kind", "repeat",
)  # fmt: skip
"""``rescue_index_<ts>.csv``: one row a real request."""

MERGED_COLUMNS: Final = (
    "llm_rescue_label", "llm_rescue_verdict", "llm_rescue_soft_correct",
    "llm_rescue_explanation", "llm_rescue_confidence", "verdict_prob", "rescued_answer",
    "rescued_label", "error_label_after_rescue",
)  # fmt: skip
"""Columns that merging adds to the samples table; raw columns are never overwritten."""

REQUESTS: Final = "rescue_requests"
INDEX: Final = "rescue_index"
MANIFEST: Final = "rescue_manifest"
CONTROLS: Final = "rescue_controls"
MERGED: Final = "samples_with_rescue"
OWED: Final = "owed"
"""Stems of the files: ``<stem>_<timestamp>.<suffix>``."""
