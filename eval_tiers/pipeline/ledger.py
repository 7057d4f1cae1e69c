"""The ledger of a run: every gold row and every prediction row in one bucket."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from eval_tiers.io.pairing import PairedRows

Ledger = dict[str, dict[str, int]]

_BY_JOIN: Final = ("without_gold", "duplicate_dropped", "unreadable", "no_id")


def start_ledger(pairs: Sequence[PairedRows]) -> Ledger:
    """Return what the join knows; batches fill the gold side and move rows on from ``matched``."""
    gold = {"scored": 0, "parse_failure": 0, "missing_prediction": 0, "duplicate_dropped": 0}
    predictions = {
        "matched": 0, "without_gold": 0, "duplicate_dropped": 0, "unreadable": 0, "no_id": 0,
    }  # fmt: skip
    for paired in pairs:
        gold["duplicate_dropped"] += paired.ledger["gold_duplicate_dropped"]
        for bucket in _BY_JOIN:
            predictions[bucket] += paired.ledger[bucket]
        predictions["matched"] += paired.ledger["rows"] - sum(
            paired.ledger[bucket] for bucket in _BY_JOIN
        )
    gold_rows = sum(len(paired.gold) for paired in pairs)
    prediction_rows = sum(len(paired.predictions) for paired in pairs)
    return {
        "gold": {"rows": gold_rows} | gold,
        "predictions": {"rows": prediction_rows} | predictions,
    }
