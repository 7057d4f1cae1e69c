"""Parts of a report that is too long to be judged in one piece.

It is cut at blank lines; a paragraph that is too long at line ends; a line that is too long at
blanks, and where there is none between characters. Joined, the parts are the report.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from eval_tiers.rubrics.tokens import Ruler

_NEWLINE = re.compile("\r\n?")
_BACK: Final = 200
"""Characters that a hard cut goes back at most to find a blank."""
_BACK_MARKS: Final = 32
"""The same to leave a letter with its marks: no script stacks more."""
_JOINER: Final = "\u200d"


def normal_newlines(text: str) -> str:
    """Return a text whose lines all end in LF.

    Examples
    --------
    >>> normal_newlines("a\\r\\nb\\rc")
    'a\\nb\\nc'
    """
    return _NEWLINE.sub("\n", text)


def split_report(text: str, ruler: Ruler) -> list[str]:
    """Split a report into parts that are none longer than the limit.

    Parameters
    ----------
    text : str
    ruler : Ruler
        The limit, and how it is counted.

    Returns
    -------
    list of str
        ``"".join`` of them is ``normal_newlines(text)``; none is empty; [] of an empty text. A
        single character is never split, whatever the limit.

    Examples
    --------
    >>> split_report("One.\\n\\nTwo, longer.\\n\\nThree.", Ruler(4))
    ['One.\\n\\n', 'Two, longer.\\n\\n', 'Three.']
    """
    text = normal_newlines(text)
    if not text:
        return []
    measure, limit = ruler.measure, ruler.limit
    if measure(text) <= limit:
        return [text]
    pieces = list(_pieces(text, measure, limit))
    return list(_packed(pieces, measure, limit))


def split_paragraphs(text: str) -> list[str]:
    """Split a text at blank lines, which stay at the end of the paragraph before them.

    Examples
    --------
    >>> split_paragraphs("a\\nb\\n \\n\\nc\\n")
    ['a\\nb\\n \\n\\n', 'c\\n']
    """
    found: list[str] = []
    begin = 0
    blank = False
    position = 0
    while position < len(text):
        end = text.find("\n", position) + 1 or len(text)
        is_blank = not text[position:end].strip()
        if blank and not is_blank:
            found.append(text[begin:position])
            begin = position
        blank = is_blank
        position = end
    if begin < len(text):
        found.append(text[begin:])
    return found


def _pieces(text: str, measure: Callable[[str], int], limit: int) -> Iterator[str]:
    """Yield paragraphs, of one too long its lines, of a line too long what fits."""
    for paragraph in split_paragraphs(text):
        if measure(paragraph) <= limit:
            yield paragraph
            continue
        for line in re.findall(r"[^\n]*\n|[^\n]+", paragraph):
            if measure(line) <= limit:
                yield line
            else:
                yield from _hard(line, measure, limit)


def _hard(text: str, measure: Callable[[str], int], limit: int) -> Iterator[str]:
    """Yield parts of a line: about as many as its length asks for, cut again where too long."""
    pending = [text]
    while pending:
        part = pending.pop()
        size = measure(part)
        if size <= limit or len(part) == 1:
            yield part
            continue
        width = max(len(part) // -(-size // limit), 1)
        cuts = [0]
        while cuts[-1] < len(part):
            cuts.append(_cut(part, cuts[-1], min(cuts[-1] + width, len(part))))
        pending += [part[a:b] for a, b in pairwise(cuts)][::-1]


def _cut(text: str, begin: int, end: int) -> int:
    """Return where to cut, at ``end`` or before: after a blank, or at least before no mark."""
    if end >= len(text):
        return len(text)
    blank = text.rfind(" ", max(begin, end - _BACK), end) + 1
    if blank > begin:
        return blank
    place = end
    while place > max(begin, end - _BACK_MARKS) and _belongs_before(text, place):
        place -= 1
    return place if place > begin and not _belongs_before(text, place) else end


def _belongs_before(text: str, place: int) -> bool:
    """Whether the character at a place makes one sign with the one before."""
    char, before = text[place], text[place - 1]
    return (
        unicodedata.category(char).startswith("M")
        or _JOINER in (char, before)
        or "\ud800" <= before <= "\udbff"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
    )


def _packed(pieces: Sequence[str], measure: Callable[[str], int], limit: int) -> Iterator[str]:
    """Yield neighbours joined, as many as fit.

    A joint may cost a tokenizer more than its parts: what turns out too long is taken apart.
    """
    held: list[str] = []
    size = 0
    for piece in pieces:
        piece_size = measure(piece)
        if held and size + piece_size > limit:
            yield from _checked(held, measure, limit)
            held, size = [], 0
        held.append(piece)
        size += piece_size
    if held:
        yield from _checked(held, measure, limit)


def _checked(held: Sequence[str], measure: Callable[[str], int], limit: int) -> Iterator[str]:
    whole = "".join(held)
    if len(held) == 1 or measure(whole) <= limit:
        yield whole
        return
    middle = len(held) // 2
    yield from _checked(held[:middle], measure, limit)
    yield from _checked(held[middle:], measure, limit)
