"""Failed checks of one file: a few are kept, all are counted."""

from __future__ import annotations

from typing import Final

from eval_tiers.submissions.inspection import Check

KEPT: Final = 20


class Failures:
    """The first 20 failed checks, and the first of each further code.

    Attributes
    ----------
    checks : list of Check
    total : int
        How many were added.
    """

    def __init__(self) -> None:
        self.checks: list[Check] = []
        self.total = 0
        self._codes: set[str] = set()

    def add(self, check: Check) -> None:
        """Add one."""
        self.total += 1
        if self.keeps(check.code):
            self.checks.append(check)
            self._codes.add(check.code)

    def keeps(self, code: str) -> bool:
        """Whether one more of this code would be kept."""
        return len(self.checks) < KEPT or code not in self._codes

    def has(self, code: str) -> bool:
        """Whether one of this code was added."""
        return code in self._codes
