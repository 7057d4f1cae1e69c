"""What the join of a gold file with a prediction file is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from eval_tiers.domain.findings import Finding
from eval_tiers.io.indexing import Int64Array
from eval_tiers.io.pairs import FilePair
from eval_tiers.io.rows import RowTable

MAX_LISTED: Final = 100


@dataclass(slots=True)
class PairedRows:
    """The join of one file pair.

    Attributes
    ----------
    pair : FilePair
        The files.
    gold, predictions : RowTable
        Their rows.
    gold_row : int64[n]
        Gold rows that are scored, in file order.
    start : int64[n + 1]
        ``match[start[i]:start[i + 1]]`` are the prediction rows of gold row i (one a rollout).
    match : int64[m]
        Prediction rows.
    by_position : bool
        Paired by position: ids aren't compared.
    gold_has_ids : bool
        Without them the id is split/type/line.
    ledger : dict
        Counts of prediction rows by bucket, as far as the join knows, and of dropped gold rows.
    findings : list of Finding
        What was counted and can be gone on from.
    without_gold : list of dict
        The first of the predictions whose id no gold row has.
    prediction_shape : str
        Name of the prediction file's shape.
    evidence_shown : bool or None
        Whether the requests showed the evidence; None where the prediction file can't tell.
    skipped : dict of str to int
        What is no prediction, by reason: ``blank_rows`` aren't among the rows; rows of
        ``failed_requests`` are, without a text.
    """

    pair: FilePair
    gold: RowTable
    predictions: RowTable
    gold_row: Int64Array
    start: Int64Array
    match: Int64Array
    by_position: bool
    gold_has_ids: bool
    ledger: dict[str, int]
    findings: list[Finding] = field(default_factory=list)
    without_gold: list[dict[str, object]] = field(default_factory=list)
    prediction_shape: str = "json_lines"
    evidence_shown: bool | None = None
    skipped: dict[str, int] = field(default_factory=dict)
