"""Signs of edges as people and models write them."""

from __future__ import annotations

import unicodedata
from typing import Final

_POSITIVE: Final = (
    "+", "1", "+1", "up", "activates", "activation", "stimulates", "positive", "->", "→",
    "increases",
)  # fmt: skip
_NEGATIVE: Final = (
    "-", "-1", "down", "inhibits", "inhibition", "represses", "negative", "-|", "⊣", "decreases",
)  # fmt: skip

SIGN_WORDS: Final[dict[str, int]] = dict.fromkeys(_POSITIVE, 1) | dict.fromkeys(_NEGATIVE, -1)
"""Every spelling that carries a sign, after `fold_sign`."""

_DASHES: Final = {ord(char): "-" for char in "‐‑‒–—―⁃⁻₋−⸺⸻﹘﹣-"}


def fold_sign(text: str) -> str:
    """Return a sign's text in the one form that `SIGN_WORDS` holds.

    NFKC, dashes and minus signs made ``-``, stripped, case-folded.
    """
    return unicodedata.normalize("NFKC", text).translate(_DASHES).strip().casefold()


def parse_sign(value: object) -> int:
    """Return +1, -1, or 0 (unsigned) for a sign as written.

    Numbers count by value; a boolean, None or an unknown word is 0.

    Examples
    --------
    >>> [parse_sign(x) for x in ("+", "−", "Inhibits", -1, "binds", None)]
    [1, -1, -1, -1, 0, 0]
    """
    if isinstance(value, str):
        known = SIGN_WORDS.get(value)
        return SIGN_WORDS.get(fold_sign(value), 0) if known is None else known
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return 1 if value == 1 else -1 if value == -1 else 0
    return 0
