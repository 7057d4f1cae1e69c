"""The score of a submission: a table of conditions, the first that holds, then caps.

Pure arithmetic in whole numbers: no share is rounded before it is compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

EVALUATOR_CAP: Final = "evaluator_failed"
LEAKAGE_CAP: Final = "leakage"
CAP: Final = 0.25

ROWS: Final = (
    (1.0, "execution verified, every conclusion matched, every caveat addressed"),
    (0.75, "execution verified, no conclusion wrong, c >= .75, k >= .5"),
    (0.5, "execution verified, c >= .5"),
    (0.25, "at least one conclusion matched or partial"),
    (0.0, "no conclusion matched or partial"),
)
"""Score and condition of each row, in the order in which they are tried."""


@dataclass(frozen=True, slots=True)
class Tally:
    """How the expected conclusions and caveats fared, by effective status.

    Attributes
    ----------
    conclusion_n, matched_n, partial_n, wrong_n : int
        N of at least 1, and m, p, w; the rest are missing.
    caveat_n, caveat_matched_n, caveat_partial_n : int
        K, those addressed in full, those addressed in part.
    """

    conclusion_n: int
    matched_n: int
    partial_n: int
    wrong_n: int
    caveat_n: int = 0
    caveat_matched_n: int = 0
    caveat_partial_n: int = 0

    def covered(self, strict_partials: bool = False) -> float:
        """Return c: (m + p/2) / N, or m / N with strict partials."""
        return self._covered_halves(strict_partials) / (2 * self.conclusion_n)

    @property
    def addressed(self) -> float:
        """k: share of the caveats addressed, a partial one counted half; 1 without caveats."""
        if self.caveat_n == 0:
            return 1.0
        return self._addressed_halves / (2 * self.caveat_n)

    def _covered_halves(self, strict_partials: bool) -> int:
        return 2 * self.matched_n + (0 if strict_partials else self.partial_n)

    @property
    def _addressed_halves(self) -> int:
        return 2 * self.caveat_matched_n + self.caveat_partial_n

    def row(self, execution_verified: bool, strict_partials: bool = False) -> int:
        """Return the place in `ROWS` of the first row that holds."""
        covered = self._covered_halves(strict_partials)
        addressed = self._addressed_halves
        if execution_verified:
            if self.matched_n == self.conclusion_n and self.caveat_matched_n == self.caveat_n:
                return 0
            if (
                self.wrong_n == 0
                and 2 * covered >= 3 * self.conclusion_n
                and addressed >= self.caveat_n
            ):
                return 1
            if covered >= self.conclusion_n:
                return 2
        return 3 if self.matched_n + self.partial_n >= 1 else 4


@dataclass(frozen=True, slots=True)
class Score:
    """A score and how it came about.

    Attributes
    ----------
    row : int
        Place in `ROWS` of the row that held.
    uncapped : float
        What that row gives.
    caps : tuple of str
        The caps that apply, whether or not they lower the score.
    value : float
        The score.
    """

    row: int
    uncapped: float
    caps: tuple[str, ...]
    value: float


def score_of(
    tally: Tally,
    execution_verified: bool,
    evaluator_failed: bool = False,
    leakage: bool = False,
    strict_partials: bool = False,
) -> Score:
    """Return the score of a judged submission.

    Parameters
    ----------
    tally : Tally
        Of effective statuses: credit without a valid citation is missing.
    execution_verified : bool
    evaluator_failed : bool
        Whether any deterministic check failed: then at most .25.
    leakage : bool
        Whether the expected answer leaked, found or suspected: then at most .25.
    strict_partials : bool
        A partial conclusion counts nothing in c. Caveats are counted alike.

    Examples
    --------
    >>> score_of(Tally(4, 2, 2, 0, 2, 2), True).value
    0.75
    >>> score_of(Tally(4, 2, 2, 0, 2, 2), True, strict_partials=True).value
    0.5
    >>> score_of(Tally(4, 4, 0, 0, 2, 2), True, leakage=True).value
    0.25
    """
    row = tally.row(execution_verified, strict_partials)
    uncapped = ROWS[row][0]
    applied = ((EVALUATOR_CAP, evaluator_failed), (LEAKAGE_CAP, leakage))
    caps = tuple(name for name, applies in applied if applies)
    return Score(row, uncapped, caps, min(uncapped, CAP) if caps else uncapped)
