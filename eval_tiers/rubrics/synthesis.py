"""What was found in the parts of a report, as the examiner of the whole is shown it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from eval_tiers.rescue.settling import Outcome
from eval_tiers.rubrics.results import NOT_SATISFIED
from eval_tiers.texts.fencing import clean_line

LEFT_OUT: Final = "(left out for length)"


def found_in_parts(parts: Sequence[Outcome], budget_chars: int) -> tuple[list[str], bool]:
    """Return a line a part: its verdict, and what was quoted of it.

    Where that is too long, parts that don't meet the criterion lose their text first, then stand
    in one line where they follow each other; then the texts of the others are cut, each to the
    same length.

    Parameters
    ----------
    parts : sequence of Outcome
        In the order of the report; each with a verdict.
    budget_chars : int
        Characters of all lines together. The verdicts are never left out, even if they need more.

    Returns
    -------
    lines : list of str
    shortened : bool

    Examples
    --------
    >>> met, not_met = Outcome("Satisfied", explanation="'OSD-47'"), Outcome("Not Satisfied")
    >>> found_in_parts([met, not_met, not_met], 200)[0]
    ["Part 1: Satisfied. 'OSD-47'", 'Part 2: Not Satisfied.', 'Part 3: Not Satisfied.']
    >>> found_in_parts([met, not_met, not_met], 60)
    (["Part 1: Satisfied. 'OSD-47'", 'Parts 2 to 3: Not Satisfied.'], False)
    """
    texts = [clean_line(part.explanation) for part in parts]
    whole = [
        _line(n, n, one.verdict, text)
        for n, (one, text) in enumerate(zip(parts, texts, strict=True), 1)
    ]
    if _length(whole) <= budget_chars:
        return whole, False
    groups = _groups(parts)
    bare = [_line(first, last, verdict) for first, last, verdict in groups]
    shown = ["" if verdict == NOT_SATISFIED else texts[first - 1] for first, _, verdict in groups]
    lost = any(text for one, text in zip(parts, texts, strict=True) if one.verdict == NOT_SATISFIED)
    lines = [_line(*group, text) for group, text in zip(groups, shown, strict=True)]
    if _length(lines) <= budget_chars:
        return lines, lost
    longest = max(budget_chars - _length(bare), 0) // max(sum(map(bool, shown)), 1)
    cut = [_cut(text, longest - 1) for text in shown]
    return [_line(*group, text) for group, text in zip(groups, cut, strict=True)], True


def _groups(parts: Sequence[Outcome]) -> list[tuple[int, int, str | None]]:
    """Return first and last part of each line: neighbours that don't meet it are one."""
    groups: list[tuple[int, int, str | None]] = []
    for number, part in enumerate(parts, 1):
        if groups and part.verdict == NOT_SATISFIED == groups[-1][2]:
            groups[-1] = (groups[-1][0], number, NOT_SATISFIED)
        else:
            groups.append((number, number, part.verdict))
    return groups


def _line(first: int, last: int, verdict: str | None, text: str = "") -> str:
    part = f"Part {first}" if first == last else f"Parts {first} to {last}"
    return f"{part}: {verdict}. {text}".rstrip()


def _cut(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    keep = longest - len(LEFT_OUT) - 1
    return f"{text[:keep]} {LEFT_OUT}" if keep > 0 else ""


def _length(lines: Sequence[str]) -> int:
    return sum(len(line) + 1 for line in lines)
