"""Leak markers: words that only someone who saw the expected answer would write.

Marker and text are folded alike (NFKD, lower case, combining marks dropped, everything but letters
and digits a blank), and a marker is found with or without blanks between its characters. A digit
at a marker's edge ends there: ``GSE1234`` isn't in ``GSE12345``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import SourceRef
from eval_tiers.submissions.leak_folding import MarkerFolding, fold_character

SAFE_LENGTH: Final = 4
"""Letters and digits of a marker that is safe to look for inside of words."""

_PIECE: Final = 1 << 18


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
    return "".join(map(fold_character, text)).encode()


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
    wanted = {marker: folded(marker).decode().replace(" ", "") for marker in markers}
    patterns = {marker: _pattern(chars) for marker, chars in wanted.items() if chars}
    if not patterns:
        return []
    found: set[str] = set()
    for window, begin, is_last in _windows(text, wanted.values()):
        squeezed = window.replace(" ", "")
        for marker, pattern in patterns.items():
            if marker not in found and wanted[marker] in squeezed:
                match = pattern.search(window, begin)
                if match is not None and (is_last or match.end() < len(window)):
                    found.add(marker)
    return [Leak(marker, path) for marker in dict.fromkeys(markers) if marker in found]


def _windows(text: str | Iterable[str], wanted: Collection[str]) -> Iterator[tuple[str, int, bool]]:
    """Yield a text folded, piece by piece, for bounded memory, each with the end of the last.

    What is found before the second number, or at the very end of a window that isn't the last,
    isn't to be relied on: its neighbour is out of sight, and it is whole in another window.
    """
    folding = MarkerFolding({char for chars in wanted for char in chars})
    kept_n = 2 * max(map(len, wanted)) + 2
    before, begin = "", 0
    for piece, is_last in _pieces(text):
        folded_piece = folding.fold(piece)
        window = before + (folded_piece.lstrip() if before.endswith(" ") else folded_piece)
        yield window, begin, is_last
        if len(window) > kept_n:
            before, begin = window[-kept_n:], 1
        else:
            before = window


def _pieces(text: str | Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Yield a text in pieces of one length, each with whether it is the last."""
    carry = ""
    for given in (text,) if isinstance(text, str) else text:
        carry += given
        place = 0
        while len(carry) - place > _PIECE:
            yield carry[place : place + _PIECE], False
            place += _PIECE
        carry = carry[place:]
    yield carry, True


def _pattern(wanted: str) -> re.Pattern[str]:
    """Return what finds a squeezed marker in a folded text."""
    body = " *".join(map(re.escape, wanted))
    word = "[^ ]"
    before = word if len(wanted) < SAFE_LENGTH else "[0-9]" if wanted[0].isdigit() else ""
    after = word if len(wanted) < SAFE_LENGTH else "[0-9]" if wanted[-1].isdigit() else ""
    pattern = (f"(?<!{before})" if before else "") + body
    return re.compile(pattern + (f"(?!{after})" if after else ""))
