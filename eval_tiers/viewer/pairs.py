"""How the pairs of an RR-10 run were answered; read when first asked for."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Final

from eval_tiers.viewer.run import ViewedRun

_FIGURES: Final = ("trap_valid", "control_valid", "trap_right", "control_right", "both_right")


@dataclass(frozen=True, slots=True)
class Pair:
    """A row of the table of pairs.

    Attributes
    ----------
    number : str
    figures : dict of str to float
        Shares of rollouts, from 0 to 1; empty where there are none.
    reason : str
        Why there are none; empty otherwise.
    """

    number: str
    figures: Mapping[str, float] = field(default_factory=dict)
    reason: str = ""


@dataclass
class Pairs:
    """The table of pairs of a run. May be used by several threads."""

    run: ViewedRun
    _lock: Lock = field(default_factory=Lock)
    _read: dict[str, Pair] | str | None = None

    def of(self, sample: Mapping[str, Any]) -> Pair | None:
        """Return how a sample's pair was answered, None for a sample of no pair."""
        number = sample.get("pair")
        if number is None:
            return None
        with self._lock:
            if self._read is None:
                self._read = self._read_table()
            found = self._read
        if isinstance(found, str):
            return Pair(number, reason=found)
        return found.get(number, Pair(number, reason="the table of pairs lacks this pair"))

    def _read_table(self) -> dict[str, Pair] | str:
        path = self.run.pairs
        if path is None:
            return "the run has no table of pairs"
        try:
            with path.open(encoding="utf-8", newline="") as handle:
                rows = [
                    Pair(row["pair"], {name: float(row[name]) for name in _FIGURES})
                    for row in csv.DictReader(handle)
                ]
        except (OSError, ValueError, KeyError, TypeError, csv.Error):
            return f"the table of pairs can't be read: {path.name}"
        return {row.number: row for row in rows}
