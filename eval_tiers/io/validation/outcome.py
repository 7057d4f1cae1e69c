"""What came of checking a file: figures, counted findings, the first of them in full."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from eval_tiers.domain.findings import Finding

MAX_KEPT: Final = 10_000
_LEVELS: Final = ("error", "warning", "note")

KINDS: Final = {
    "rr10": "a benchmark in RR-10's format",
    "perturbreason": "PerturbReason gold",
    "gmt": "gene sets (GMT)",
    "kg": "a graph of signed edges",
    "rubrics": "tasks with rubrics",
    "predictions": "predictions",
}
"""What a file can be taken for."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the report: a title, a count (None: words alone), words."""

    title: str
    count: int | None
    words: str = ""


@dataclass(slots=True)
class Outcome:
    """What a file holds and what is wrong with it.

    Attributes
    ----------
    path : str
        As the user named it.
    kind : str
        Of `KINDS`.
    taken_for : str
        In words.
    sha256 : str or None
        None for a folder without one main file.
    record_n : int
    context_n : dict of str to int
        RR-10 alone.
    row_n : int or None
        Provenance rows; None for other kinds.
    figures : list of Figure
        For the text report.
    finding_n : Counter
        All findings by (level, code).
    findings : list of Finding
        The first `MAX_KEPT` errors and warnings, and notes.
    next_step : str or None
        Arguments of the command to type next; None for none.
    """

    path: str
    kind: str
    taken_for: str
    sha256: str | None = None
    record_n: int = 0
    context_n: dict[str, int] = field(default_factory=dict)
    row_n: int | None = None
    figures: list[Figure] = field(default_factory=list)
    finding_n: Counter[tuple[str, str]] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)
    next_step: str | None = None

    def add(self, finding: Finding) -> None:
        """Count a finding; keep it while there is room."""
        self.finding_n[finding.level, finding.code] += 1
        if len(self.findings) < MAX_KEPT:
            self.findings.append(finding)

    def level_n(self, level: str) -> int:
        """Return how many findings there are of a level."""
        return sum(n for (found, _), n in self.finding_n.items() if found == level)

    @property
    def ok(self) -> bool:
        """Whether there is no error."""
        return self.level_n("error") == 0

    def of_level(self, level: str) -> list[Finding]:
        """Return the findings kept of a level."""
        return [finding for finding in self.findings if finding.level == level]

    def as_dict(self) -> dict[str, object]:
        """Return the object of ``--json``."""
        found: dict[str, object] = {
            "ok": self.ok,
            "sha256": self.sha256,
            "records": self.record_n,
            "errors": self._listed("error"),
            "warnings": self._listed("warning"),
            "contexts": dict(sorted(self.context_n.items())),
            "provenance_rows": self.row_n,
        }
        return found if self.kind == "rr10" else {**found, "taken_for": self.taken_for}

    def _listed(self, level: str) -> list[dict[str, object]]:
        kept = self.of_level(level)
        listed: list[dict[str, object]] = [
            {
                "id": finding.where.sample,
                "line": finding.where.line,
                "code": finding.code,
                "error": finding.message,
            }
            for finding in kept
        ]
        hidden = self.level_n(level) - len(kept)
        if hidden:
            more = f"{hidden:,} more are counted, not listed"
            listed.append({"id": None, "line": None, "code": "not_listed", "error": more})
        return listed
