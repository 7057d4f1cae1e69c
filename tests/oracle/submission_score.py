"""The score table read slowly, in fractions, from its definition."""

from __future__ import annotations

from fractions import Fraction


def slow_score(
    conclusions: list[str],
    caveats: list[str],
    execution: bool,
    strict: bool = False,
    evaluator_failed: bool = False,
    leakage: bool = False,
) -> tuple[Fraction, Fraction]:
    """Uncapped and capped score of effective statuses, one word a conclusion and a caveat."""
    worth = {"matched": Fraction(1), "partial": Fraction(0 if strict else 1, 2)}
    c = sum((worth.get(word, Fraction(0)) for word in conclusions), Fraction(0)) / len(conclusions)
    k = Fraction(1)
    if caveats:
        halves = {"matched": Fraction(1), "partial": Fraction(1, 2)}
        k = sum((halves.get(word, Fraction(0)) for word in caveats), Fraction(0)) / len(caveats)
    rows = [
        (execution and all(word == "matched" for word in conclusions)
         and all(word == "matched" for word in caveats), Fraction(1)),
        (execution and "wrong" not in conclusions and c >= Fraction(3, 4) and k >= Fraction(1, 2),
         Fraction(3, 4)),
        (execution and c >= Fraction(1, 2), Fraction(1, 2)),
        (any(word in ("matched", "partial") for word in conclusions), Fraction(1, 4)),
        (True, Fraction(0)),
    ]  # fmt: skip
    uncapped = next(score for holds, score in rows if holds)
    score = uncapped
    if evaluator_failed:
        score = min(score, Fraction(1, 4))
    if leakage:
        score = min(score, Fraction(1, 4))
    return uncapped, score
