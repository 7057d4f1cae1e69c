"""The rates of a run after rescue. Hard correctness never changes.

Source: specification of tier 4, section 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from eval_tiers.rescue.effects import Merged
from eval_tiers.rescue.kinds.wrong_correct_chain import ALTERNATE, ANSWER_BUG

Figures = dict[str, float | int | None]


def rescue_counts(merged: Iterable[Merged]) -> dict[str, int]:
    """Return what `rescue_rates` needs of the samples that were sent, and of those below it.

    Returns
    -------
    dict
        ``soft``, ``soft_ref``, ``recovered``, ``alternate`` (ALTERNATE verdicts), ``answer_bug``
        (ANSWER_BUG verdicts), ``answer_bug_sign_supported`` (those whose chain implies the gold
        answer), ``soft_symbolic``.
    """
    counts = dict.fromkeys(
        ("soft", "soft_ref", "recovered", "alternate", "answer_bug", "answer_bug_sign_supported",
         "soft_symbolic"), 0,
    )  # fmt: skip
    for one in merged:
        verdict = one.outcome.verdict
        answer_bug = verdict == ANSWER_BUG
        counts["soft"] += one.soft
        counts["soft_ref"] += one.soft_ref
        counts["recovered"] += one.recovered
        counts["alternate"] += verdict == ALTERNATE
        counts["answer_bug"] += answer_bug
        counts["answer_bug_sign_supported"] += (
            answer_bug and one.facts.implied_answer == one.facts.gold_answer
        )
        counts["soft_symbolic"] += one.soft_symbolic
    return counts


def rescue_rates(
    total: int, right: int, soft: int, soft_ref: int, recovered: int, alternate: int
) -> Figures:
    """Return the rates after rescue.

    Parameters
    ----------
    total : int
        All gold rows of the run.
    right : int
        Hard correct.
    soft, soft_ref : int
        Soft correct: with the bar, and as the reference counts.
    recovered : int
        Parse failures whose text states the right answer after all.
    alternate : int
        ALTERNATE verdicts.

    Returns
    -------
    dict
        All rates null for 0 samples.

    Raises
    ------
    ValueError
        The counts can't belong together.

    Examples
    --------
    >>> rates = rescue_rates(39_830, 16_436, 21_469, 21_469, 0, 3_411)
    >>> round(rates["hard_correct_rate"], 3), round(rates["effective_correct_rate"], 3)
    (0.413, 0.952)
    """
    counts = (right, soft, soft_ref, recovered, alternate)
    if min(counts) < 0 or right + soft_ref + recovered > total or soft > soft_ref:
        raise ValueError(f"counts {counts} of {total} samples can't be")

    def share(count: int) -> float | None:
        return count / total if total else None

    return {
        "n": total,
        "hard_correct_rate": share(right),
        "soft_correct_count": soft,
        "soft_correct_count_ref": soft_ref,
        "soft_barred_n": soft_ref - soft,
        "effective_correct_rate": share(right + soft),
        "effective_correct_rate_ref": share(right + soft_ref),
        "recovered_correct_count": recovered,
        "effective_with_recovered_rate": share(right + soft + recovered),
        "annotation_dispute_rate": share(alternate),
    }


def trust_figures(merged: Iterable[Merged], total: int) -> Figures:
    """Return what sign algebra says of the verdicts.

    Returns
    -------
    dict
        ``answer_bug_sign_supported``: share of ANSWER_BUG verdicts whose chain implies the gold
        answer (null without any), ``answer_bug_n``; ``soft_correct_symbolic``: samples that sign
        algebra alone calls soft correct, ``soft_correct_symbolic_rate`` of all samples.
    """
    counts = rescue_counts(merged)
    asked = counts["answer_bug"]
    symbolic = counts["soft_symbolic"]
    return {
        "answer_bug_n": asked,
        "answer_bug_sign_supported": counts["answer_bug_sign_supported"] / asked if asked else None,
        "soft_correct_symbolic": symbolic,
        "soft_correct_symbolic_rate": symbolic / total if total else None,
    }


def verdict_counts(merged: Iterable[Merged]) -> dict[str, dict[str, int]]:
    """Return, by kind, how often each verdict was given; those never given are absent."""
    found: dict[str, Counter[str]] = {}
    for one in merged:
        if one.outcome.verdict is not None:
            found.setdefault(one.facts.kind, Counter())[one.outcome.verdict] += 1
    return {kind: dict(sorted(counts.items())) for kind, counts in sorted(found.items())}


def fault_counts(merged: Iterable[Merged]) -> dict[str, int]:
    """Return how often each fault left a sample without a verdict."""
    found = Counter(one.outcome.fault for one in merged if one.outcome.fault is not None)
    return {str(fault): count for fault, count in sorted(found.items(), key=lambda pair: str(pair))}
