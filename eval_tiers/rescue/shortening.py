"""Leaving out of a prompt what doesn't fit: the model's text first, and always marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from eval_tiers.rescue.steps import LEFT_OUT
from eval_tiers.texts.fencing import fenced

_MARK_ROOM: Final = 60
"""Characters that a mark may take."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a prompt: a name, and lines between two rows of backticks.

    Attributes
    ----------
    name : str
    lines : list of str
        Cleaned.
    spare : int
        1: the first to be left out of; 0: never.
    prose : bool
        Cut by characters, from the middle; else by whole lines, from the end.
    """

    name: str
    lines: list[str]
    spare: int = 0
    prose: bool = False

    def render(self) -> str:
        """Return the section as a prompt holds it, an empty line before it."""
        return f"\n## {self.name}\n{fenced(self.lines)}"

    def cut(self, excess: int) -> Section:
        """Return the section shorter by ``excess`` characters at least, or with only a mark."""
        if self.prose:
            return replace(self, lines=_cut_prose("\n".join(self.lines), excess).split("\n"))
        keep, freed = len(self.lines), -_MARK_ROOM
        while keep and freed < excess:
            keep -= 1
            freed += len(self.lines[keep]) + 1
        mark = f"{LEFT_OUT}{len(self.lines) - keep} lines)"
        return replace(self, lines=[*self.lines[:keep], mark])


def shorten(sections: Sequence[Section], room: int) -> tuple[list[str] | None, bool]:
    """Leave out what doesn't fit.

    Parameters
    ----------
    sections : sequence of Section
    room : int
        Characters that they may take, each with a line break before it.

    Returns
    -------
    rendered : list of str or None
        The sections in the order given; None where they don't fit with all left out that may be.
    shortened : bool
        Whether anything was left out.
    """
    rendered = [section.render() for section in sections]
    excess = _length(rendered) - room
    if excess <= 0:
        return rendered, False
    for number in sorted(range(len(sections)), key=lambda number: sections[number].spare):
        if sections[number].spare:
            rendered[number] = sections[number].cut(excess).render()
            excess = _length(rendered) - room
            if excess <= 0:
                return rendered, True
    return None, True


def _length(rendered: Sequence[str]) -> int:
    return sum(len(text) + 1 for text in rendered)


def _cut_prose(text: str, excess: int) -> str:
    """Cut from the middle: a text's end tells its answer, its beginning what it is about."""
    keep = max(len(text) - excess - _MARK_ROOM, 0)
    head = keep // 3
    tail = keep - head
    mark = f"{LEFT_OUT}{len(text) - keep} characters)"
    return "\n".join(part for part in (text[:head], mark, text[len(text) - tail :]) if part)
