"""Findings: faults that are counted and listed, and don't stop a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from eval_tiers.exceptions import SourceRef


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing found in a file that a reader could go on from.

    Attributes
    ----------
    code : str
        Stable, kebab-case name of the kind.
    message : str
        What was found.
    where : SourceRef
        File and line.
    level : {"error", "warning", "note"}
        ``error``: the file needs mending; ``warning``: numbers may be off; ``note``: for the
        record.
    fix : str or None
        What to do about it.
    """

    code: str
    message: str
    where: SourceRef = SourceRef()
    level: Literal["error", "warning", "note"] = "warning"
    fix: str | None = None

    def as_dict(self) -> dict[str, object]:
        """Return the finding as a strict-JSON object with the keys of ``--json`` output."""
        return {
            "code": self.code,
            "level": self.level,
            "path": self.where.path,
            "line": self.where.line,
            "message": self.message,
            "fix": self.fix,
        }
