"""Leak markers: words that only someone who saw the expected answer would write.

Marker and text are folded alike (NFKD, lower case, combining marks dropped, everything but letters
and digits a blank), and a marker is found with or without blanks between its characters. A digit
at a marker's edge ends there: ``GSE1234`` isn't in ``GSE12345``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import SourceRef

SAFE_LENGTH: Final = 4
"""Letters and digits of a marker that is safe to look for inside of words."""

_PIECE: Final = 1 << 22
_OVERLAP: Final = 1 << 10
_NO_LETTER = re.compile(r"[^\w\x00-\x7f]+")
_MARKS: Final = frozenset({"Mn", "Me"})
_BLANKED: Final = bytes(
    byte if byte >= 0x80 or chr(byte).isalnum() else 0x20 for byte in range(256)
)


@dataclass(frozen=True, slots=True)
class Leak:
    """A marker and where it was found.

    Attributes
    ----------
    marker : str
        As the task has it.
    path : str
        ``answer.md`` or the artifact's path.
    """

    marker: str
    path: str


def folded(text: str) -> bytes:
    """Return a text folded for the scan, as UTF-8.

    Examples
    --------
    >>> folded("GSE-00000 (é)")
    b'gse 00000  e '
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text).lower()
        if not unicodedata.is_normalized("NFKD", text):
            text = unicodedata.normalize("NFKD", text)
        text = _NO_LETTER.sub(" ", _marks().sub("", text))
    return text.encode("utf-8", "replace").lower().translate(_BLANKED)


@lru_cache(maxsize=1)
def _marks() -> re.Pattern[str]:
    """Return what finds combining marks; those beyond the first plane are blanks, for speed."""
    marks = "".join(filter(_is_mark, map(chr, range(0x80, 0x10000))))
    return re.compile(f"[{marks}]+")


def _is_mark(char: str) -> bool:
    return unicodedata.category(char) in _MARKS


def is_safe_marker(marker: str) -> bool:
    """Whether a marker is long enough to be looked for inside of words."""
    return _length(marker) >= SAFE_LENGTH


def is_blank_marker(marker: str) -> bool:
    """Whether nothing is left of a marker once it is folded: it can't be looked for."""
    return _length(marker) == 0


def check_markers(markers: Sequence[str], where: SourceRef) -> list[Finding]:
    """Return what is odd about a task's markers: short ones, and those that can't be looked for.

    Examples
    --------
    >>> [finding.code for finding in check_markers(["p5", "--", "GSE00000"], SourceRef())]
    ['short-leak-marker', 'blank-leak-marker']
    """
    found = []
    for marker in dict.fromkeys(markers):
        if is_blank_marker(marker):
            told = f"the leak marker {marker!r} has no letter or digit: it is never found"
            found.append(Finding("blank-leak-marker", told, where, fix="write it out, or drop it"))
        elif not is_safe_marker(marker):
            told = (
                f"the leak marker {marker!r} has fewer than {SAFE_LENGTH} letters and digits: it "
                "is looked for as a whole word only, and may be met by chance"
            )
            found.append(Finding("short-leak-marker", told, where, fix="take a longer one"))
    return found


def _length(marker: str) -> int:
    return len(folded(marker).replace(b" ", b"").decode())


def find_leaks(markers: Sequence[str], path: str, text: str | Iterable[str]) -> list[Leak]:
    """Return the markers that stand in a text, in the order of the task.

    A marker too short to be safe is found as a whole word only; one of which nothing is left is
    not found.

    Parameters
    ----------
    markers : sequence of str
    path : str
        For the result.
    text : str or iterable of str
        The text, or its pieces in order; read to the end.

    Examples
    --------
    >>> find_leaks(["GSE00000"], "answer.md", "data of gse 00000, I recall")
    [Leak(marker='GSE00000', path='answer.md')]
    >>> find_leaks(["TP53", "p5"], "answer.md", "TP53BP1 and p53, TP 53.")
    [Leak(marker='TP53', path='answer.md')]
    """
    wanted = {marker: folded(marker).replace(b" ", b"") for marker in markers}
    patterns = {marker: _pattern(chars) for marker, chars in wanted.items() if chars}
    found: set[str] = set()
    for piece in _pieces(text):
        squeezed = piece.replace(b" ", b"")
        for marker, pattern in patterns.items():
            if marker not in found and wanted[marker] in squeezed and pattern.search(piece):
                found.add(marker)
    return [Leak(marker, path) for marker in dict.fromkeys(markers) if marker in found]


def _pieces(text: str | Iterable[str]) -> Iterator[bytes]:
    """Yield a text folded, piece by piece, for bounded memory.

    Pieces overlap, and are cut at blanks where there are any: a word is whole in one of them.
    """
    edge = _OVERLAP // 2
    carry, first = "", True
    for given in (text,) if isinstance(text, str) else text:
        carry += given
        while len(carry) > _PIECE:
            yield _trimmed(folded(carry[:_PIECE]), 0 if first else edge, edge)
            carry, first = carry[_PIECE - _OVERLAP :], False
    yield _trimmed(folded(carry), 0 if first else edge, 0)


def _trimmed(piece: bytes, before: int, after: int) -> bytes:
    """Cut a piece at the first and last blank within so many bytes of its ends."""
    begin = max(piece.find(b" ", 0, before), 0)
    end = piece.rfind(b" ", len(piece) - after) if after else -1
    return piece[begin : end if end > begin else None]


def _pattern(wanted: bytes) -> re.Pattern[bytes]:
    """Return what finds a squeezed marker in a folded text."""
    chars = wanted.decode()
    body = b" *".join(re.escape(char.encode()) for char in chars)
    word = rb"[^ ]"
    before = word if len(chars) < SAFE_LENGTH else rb"[0-9]" if chars[0].isdigit() else b""
    after = word if len(chars) < SAFE_LENGTH else rb"[0-9]" if chars[-1].isdigit() else b""
    pattern = (b"(?<!%b)" % before if before else b"") + body
    return re.compile(pattern + (b"(?!%b)" % after if after else b""))
