"""Compares a run's rows with those of the slow reading."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd


def differences(
    frame: pd.DataFrame, rows: Sequence[Mapping[str, Any]], skip: frozenset[str] = frozenset()
) -> list[str]:
    """Return every cell in which the package and the slow reading differ, as text."""
    found = []
    if len(frame) != len(rows):
        return [f"{len(frame)} rows, the slow reading has {len(rows)}"]
    for name in frame.columns:
        if name in skip or (name.startswith("go_null_") and name != "go_null_reason"):
            continue
        for place, (ours, row) in enumerate(zip(frame[name].tolist(), rows, strict=True)):
            if not same(ours, row[name]):
                found.append(f"row {place} ({row['sample_id']}) {name}: {ours!r} != {row[name]!r}")
    return found


def same(ours: Any, theirs: Any) -> bool:
    """Return whether two cells hold the same value; null is only null."""
    absent = ours is None or ours is pd.NA or (isinstance(ours, float) and math.isnan(ours))
    if absent or theirs is None:
        return absent and theirs is None
    if isinstance(ours, bool) or isinstance(theirs, bool):
        return bool(ours) == bool(theirs)
    if isinstance(ours, (int, float)) and isinstance(theirs, (int, float)):
        return math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-12)
    return str(ours) == str(theirs)
