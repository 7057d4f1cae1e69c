"""What the text of a contrast says: which side flew, and whether more than flight differs."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from eval_tiers.kg.contrasts import parse_contrast

_LONGEST: Final = 1_000
_GAPS: Final = re.compile(r"[\s_\-]+")
_FLIGHT: Final = re.compile(r"(?<!\w)(?:space ?flight|flight|flt|sf)(?!\w)")
_GROUND: Final = re.compile(
    r"(?<!\w)(?:(?:ground|basal|vivarium|habitat|cohort|baseline)(?: controls?)?|gc|bc|vc)(?!\w)"
)


@lru_cache(maxsize=4096)
def contrast_orientation(text: str) -> int:
    """Return the orientation sign that a contrast's text asks for.

    Returns
    -------
    int
        1: flight against ground; -1: ground against flight; 0: it doesn't say.

    Examples
    --------
    >>> contrast_orientation("(Space Flight & Col-0)v(Ground Control & Col-0)")
    1
    >>> contrast_orientation("(GC)v(FLT)"), contrast_orientation("(Col-0)v(Ler)")
    (-1, 0)
    """
    found = _sides(text)
    if found is None:
        return 0
    flew = [bool(_FLIGHT.search(_plain(side))) for side in found]
    stayed = [bool(_GROUND.search(_plain(side))) for side in found]
    if flew == [True, False] and stayed[1]:
        return 1
    return -1 if flew == [False, True] and stayed[0] else 0


@lru_cache(maxsize=4096)
def is_compound_contrast(text: str) -> bool:
    """Whether more than flight differs between the sides of ``(A & B)v(C & D)``.

    The words for flight and for ground are taken out of each factor; what is left has to be the
    same on both sides. Text of another form is never compound.

    Examples
    --------
    >>> is_compound_contrast("(Space Flight & 4 day)v(Ground Control & 8 day)")
    True
    >>> is_compound_contrast("(FLT & Col-0 & light)v(light & GC & Col-0)")
    False
    >>> is_compound_contrast("flight, males vs ground, females")
    False
    """
    found = _sides(text) if text.lstrip().startswith("(") else None
    return found is not None and _factors(found[0]) != _factors(found[1])


def _sides(text: str) -> tuple[str, str] | None:
    contrast = parse_contrast(text) if len(text) <= _LONGEST else None
    return None if contrast is None else (contrast.treatment, contrast.control)


def _factors(side: str) -> set[str]:
    factors = set()
    for factor in side.split("&"):
        rest = _GROUND.sub(" ", _FLIGHT.sub(" ", _plain(factor)))
        factors.add(" ".join(rest.split()))
    return factors - {""}


def _plain(text: str) -> str:
    return _GAPS.sub(" ", text).casefold()
