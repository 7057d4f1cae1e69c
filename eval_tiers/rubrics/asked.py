"""What each request of a rubric export asks, and which of them make up one verdict."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

WHOLE: Final = "whole"
PART: Final = "part"
SYNTHESIS: Final = "synthesis"


@dataclass(frozen=True, slots=True)
class Entry:
    """One request.

    Attributes
    ----------
    custom_id : str
    sample_id : str
    rubric_index : int
    role : str
        `WHOLE` report, one `PART` of it, or the `SYNTHESIS` of what was found in the parts.
    part, part_n : int
        Which part of how many, from 1; a synthesis is of part 0.
    repeat : int
        From 0.
    """

    custom_id: str
    sample_id: str
    rubric_index: int
    role: str
    part: int
    part_n: int
    repeat: int


@dataclass(slots=True)
class Judging:
    """The requests of one verdict: one, or parts and their synthesis.

    Attributes
    ----------
    repeat : int
    single : Entry or None
        Of the whole report, or of the synthesis.
    parts : list of Entry
        In the order of the report; empty where it is judged whole.
    """

    repeat: int
    single: Entry | None = None
    parts: list[Entry] = field(default_factory=list)


def judgings_of(entries: Iterable[Entry]) -> list[Judging]:
    """Bring the requests of one question together, a judging a repeat, in their order."""
    found: dict[int, Judging] = {}
    for entry in entries:
        judging = found.setdefault(entry.repeat, Judging(entry.repeat))
        if entry.role == PART:
            judging.parts.append(entry)
        else:
            judging.single = entry
    for judging in found.values():
        judging.parts.sort(key=lambda entry: entry.part)
    return [found[repeat] for repeat in sorted(found)]
