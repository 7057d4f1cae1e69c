"""The text of an OSDR contrast: its two sides, which of them flew, and what else differs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

LONGEST = 1_000  # characters; a longer text is no contrast

_OSDR = re.compile(r"\s*\((.*)\)\s*v(?:s\.?)?\s*\((.*)\)\s*", re.IGNORECASE | re.DOTALL)
_VERSUS = re.compile(r"[\s_]+(?:v|vs\.?|versus)[\s_]+", re.IGNORECASE)
_SEAM = re.compile(r"\)\s*v(?:s\.?)?\s*\(", re.IGNORECASE)
_BETWEEN_WORDS = re.compile(r"[\s_.\-\u2010-\u2015\u2212]+")
_FLIGHT = re.compile(r"(?<!\w)(?:space ?flight|flight|flt|sf)(?!\w)")
_GROUND = re.compile(r"(?<!\w)(?:ground(?: control)?|gc)(?!\w)")


@dataclass(frozen=True)
class Contrast:
    """Two groups, the first measured against the second.

    Attributes
    ----------
    treatment, control : str
        As written. A group is one level or several, joined by ``&``.
    """

    treatment: str
    control: str

    @cached_property
    def orientation(self) -> int:
        """+1 for flight against ground, -1 for ground against flight, 0 for anything else."""
        sides = (_side(self.treatment), _side(self.control))
        if sides == ("flight", "ground"):
            return 1
        return -1 if sides == ("ground", "flight") else 0

    @cached_property
    def is_compound(self) -> bool:
        """Whether more than flight differs between the sides of a flight contrast.

        False where `orientation` is 0: there is nothing to set apart then.
        """
        if self.orientation == 0:
            return False
        sides = (self.treatment, self.control)
        flown, stayed = sides if self.orientation > 0 else sides[::-1]
        return _rest(flown, _FLIGHT) != _rest(stayed, _GROUND)

    @property
    def reversed(self) -> Contrast:
        """The same contrast the other way round."""
        return Contrast(self.control, self.treatment)

    def __str__(self) -> str:
        return f"({self.treatment})v({self.control})"


def parse_contrast(text: str) -> Contrast | None:
    """Read ``(A)v(B)``, or ``A vs B``; None where the sides can't be told.

    Examples
    --------
    >>> contrast = parse_contrast("(Space Flight & Col-0)v(Ground Control & Col-0)")
    >>> contrast.orientation, contrast.is_compound
    (1, False)
    >>> parse_contrast("(Ground Control)v(Space Flight)").orientation
    -1
    >>> parse_contrast("(Space Flight & 4 day)v(Ground Control & 8 day)").is_compound
    True
    >>> parse_contrast("Space Flight") is None
    True
    """
    if len(text) > LONGEST:
        return None
    found = _OSDR.fullmatch(text)
    if found is not None:
        if len(_SEAM.findall(text)) != 1:
            return None
        sides = found.groups()
    else:
        sides = tuple(_VERSUS.split(text))
    if len(sides) != 2 or not all(side.strip(" ()") for side in sides):
        return None
    return Contrast(sides[0].strip(), sides[1].strip())


def _side(group: str) -> str | None:
    """Return what a group is; one with a flight term anywhere has flown."""
    words = _words(group)
    if _FLIGHT.search(words):
        return "flight"
    return "ground" if _GROUND.search(words) else None


def _rest(group: str, term: re.Pattern[str]) -> list[str]:
    """Return a group's levels without the term, sorted."""
    levels = (" ".join(term.sub(" ", _words(level)).split()) for level in group.split("&"))
    return sorted(filter(None, levels))


def _words(text: str) -> str:
    return _BETWEEN_WORDS.sub(" ", text).casefold().strip()
