"""Texts folded for the leak scan, quickly whatever they hold: by a table of all characters.

Only the characters of the markers are told apart; runs of other letters, and of blanks, are one.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from numpy.typing import NDArray

_OTHER: Final = "\x01"
_APART: Final = re.compile(f"{_OTHER}( *{_OTHER})+")
_DIGITS: Final = "0123456789"
_MARKS: Final = frozenset({"Mn", "Me"})
_CHARACTERS: Final = sys.maxunicode + 1
_DROPPED: Final = _CHARACTERS
_SEVERAL: Final = _CHARACTERS + 1
_UNKNOWN: Final = _CHARACTERS + 2


def fold_character(char: str) -> str:
    """Return what a character is folded to: NFKD, lower case, no marks, a blank for no letter.

    Examples
    --------
    >>> [fold_character(char) for char in "É-⑫"]
    ['e', ' ', '12']
    """
    text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", char).lower())
    kept = (one for one in text if unicodedata.category(one) not in _MARKS)
    return "".join(one if one.isalnum() else " " for one in kept).replace("ς", "σ")


class MarkerFolding:
    """Folds texts as far as some characters can be told apart in them.

    Parameters
    ----------
    alphabet : iterable of str
        Folded characters of the markers; digits and the blank are added. Any other letter stands
        for all of them.

    Examples
    --------
    >>> MarkerFolding("gse").fold("Data:  GSE-1 (é)")
    '\\x01 gse 1 e '
    """

    def __init__(self, alphabet: Iterable[str]) -> None:
        self._alphabet = {*alphabet, *_DIGITS, " "}
        self._ascii = "".join(self._reduced(chr(code)) for code in range(128)).encode() + bytes(128)
        self._tables: _Tables | None = None

    def fold(self, text: str) -> str:
        """Return a text folded."""
        import numpy as np

        if text.isascii():
            plain = np.frombuffer(text.encode().translate(self._ascii), np.uint8)
            return _without_runs(plain).tobytes().decode()
        if self._tables is None:
            self._tables = _Tables(self._reduced)
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        return _without_runs(self._tables.fold(codes)).tobytes().decode("utf-32-le")

    def _reduced(self, char: str) -> str:
        kept = (one if one in self._alphabet else _OTHER for one in fold_character(char))
        return _APART.sub(_OTHER, "".join(kept))  # no marker stands between other letters


class _Tables:
    """What each character becomes, entered when it is first met."""

    def __init__(self, fold: Callable[[str], str]) -> None:
        import numpy as np

        self._fold = fold
        self._single = np.full(_CHARACTERS, _UNKNOWN, np.uint32)
        self._start = np.zeros(_CHARACTERS, np.int32)
        self._length = np.zeros(_CHARACTERS, np.int32)
        self._spread: list[int] = []

    def fold(self, codes: NDArray[Any]) -> NDArray[Any]:
        """Return the code points that some become."""
        import numpy as np

        found: NDArray[Any] = self._single[codes]
        most = found.max(initial=0)
        if most == _UNKNOWN:
            self._learn(codes[found == _UNKNOWN])
            found = self._single[codes]
            most = found.max()
        if most < _DROPPED:
            return found
        if most == _DROPPED:
            kept: NDArray[Any] = found[found != _DROPPED]
            return kept
        lengths = self._length[codes]
        shift = self._start[codes] - (np.cumsum(lengths, dtype=np.int32) - lengths)
        places = np.repeat(shift, lengths)
        places += np.arange(len(places), dtype=np.int32)
        spread: NDArray[Any] = np.array(self._spread, np.uint32)[places]
        return spread

    def _learn(self, codes: NDArray[Any]) -> None:
        import numpy as np

        seen = np.zeros(_CHARACTERS, bool)
        seen[codes] = True
        for code in map(int, np.flatnonzero(seen)):
            found = self._fold(chr(code))
            self._start[code], self._length[code] = len(self._spread), len(found)
            self._spread += map(ord, found)
            if len(found) > 1:
                self._single[code] = _SEVERAL
            else:
                self._single[code] = ord(found) if found else _DROPPED


def _without_runs(found: NDArray[Any]) -> NDArray[Any]:
    """Return characters with runs of blanks, and of other letters, made one."""
    import numpy as np

    kept = np.ones(len(found), bool)
    later = found[1:]
    kept[1:] = (later != found[:-1]) | (later > ord(" "))  # no letter comes before the blank
    without: NDArray[Any] = found[kept]
    return without
