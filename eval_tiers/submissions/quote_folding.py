"""Texts with spaces, quotation marks and dashes made plain, so that a quote can be looked up."""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from numpy.typing import NDArray

_KINDS: Final = {
    "'": "‘’‚‛′‵ʹʼ＇`´‹›",
    '"': "“”„‟″‶＂«»",
    "-": "‐‑‒–—―−﹘﹣－",
}
_PLAIN: Final = {char: plain for plain, kinds in _KINDS.items() for char in kinds}
_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f\xad\u200b-\u200f\u2060-\u2064\ufeff\u202a-\u202e]"
)
_TABLE: Final = str.maketrans(_PLAIN)
_ASCII: Final = [chr(code) for code in range(128)]
_ASCII_BLANKS: Final = "".join(" " if char.isspace() else char for char in _ASCII).encode() + bytes(
    128
)
_ASCII_UNSEEN: Final = "".join(filter(_UNSEEN.match, _ASCII)).encode()
_SHORT: Final = 1_000
_MARKS_IN_A_ROW: Final = 30
_CHARACTERS: Final = sys.maxunicode + 1
_LAST_MARK: Final = 0x20000
_DROPPED: Final = _CHARACTERS


def folded(text: str) -> str:
    """Return a text with spaces, quotes and dashes of all kinds made plain, blanks one each.

    What is not seen (control, zero-width) goes, and so does the blank after ``<`` and ``[`` that
    a prompt has where a text looked like a marker of a chat template.

    Examples
    --------
    >>> folded(" “A” – b" + chr(0x2009) + chr(10) + "c ")
    '"A" - b c'
    """
    return fold_piece(text).strip()


def fold_piece(text: str) -> str:
    """Return a text folded, with a blank at either end where it has some there."""
    if text.isascii() and len(text) > _SHORT:
        text = _fold_ascii(text.encode())
    elif text.isascii():
        text = _with_single_blanks(text)
        if not text.isprintable():
            text = _with_single_blanks(_UNSEEN.sub("", text))
    elif len(text) <= _SHORT:
        text = unicodedata.normalize("NFC", text).translate(_TABLE)
        text = _with_single_blanks(_UNSEEN.sub("", text))
    else:
        text = _fold_long(text)
    return text.replace("< ", "<").replace("[ ", "[")


def _with_single_blanks(text: str) -> str:
    before = " " if text[:1].isspace() else ""
    after = " " if text[-1:].isspace() else ""
    return f"{before}{' '.join(text.split())}{after}" if text.strip() else before


def _fold_ascii(text: bytes) -> str:
    import numpy as np

    found = text.translate(_ASCII_BLANKS, _ASCII_UNSEEN)
    if b"  " in found:
        codes = np.frombuffer(found, np.uint8)
        found = codes[_without_doubled(codes == ord(" "))].tobytes()
    return found.decode()


def _without_doubled(blank: NDArray[Any]) -> NDArray[Any]:
    """Return which characters are left where runs of blanks are made one."""
    import numpy as np

    kept = np.ones(len(blank), bool)
    kept[1:] = ~(blank[1:] & blank[:-1])
    return kept


def _fold_long(text: str) -> str:
    """Return a long text folded, a table's look-up a character."""
    table, marks = _tables()
    codes = _codes(text)
    if not _has_long_run(marks[codes]):  # that is no text, and slow to put in order
        codes = _codes(unicodedata.normalize("NFC", text))
    found = table[codes]
    found = found[found != _DROPPED]
    data: bytes = found[_without_doubled(found == ord(" "))].tobytes()
    return data.decode("utf-32-le", "surrogatepass")


def _has_long_run(mark: NDArray[Any]) -> bool:
    """Whether more combining marks follow one another than any script has."""
    import numpy as np

    if not mark.any():
        return False
    edges = np.concatenate(([-1], np.flatnonzero(~mark), [len(mark)]))
    return bool(np.diff(edges).max() > _MARKS_IN_A_ROW + 1)


def _codes(text: str) -> NDArray[Any]:
    import numpy as np

    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


@lru_cache(maxsize=1)
def _tables() -> tuple[NDArray[Any], NDArray[Any]]:
    """Return what each character becomes, and which are combining marks."""
    import numpy as np

    table = np.arange(_CHARACTERS, dtype=np.uint32)
    marks = np.zeros(_CHARACTERS, bool)
    for code in range(_LAST_MARK):
        char = chr(code)
        marks[code] = unicodedata.combining(char) != 0
        if char.isspace():
            table[code] = ord(" ")
        elif _UNSEEN.match(char):
            table[code] = _DROPPED
    for char, plain in _PLAIN.items():
        table[ord(char)] = ord(plain)
    return table, marks
