"""Marks in a model's text what was read off it: answer, triplets, citations.

Texts become segments that a template escapes; nothing here is HTML.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from eval_tiers.texts.answers import find_blocks
from eval_tiers.texts.triplets import read_triplets

MOST_CHARS: Final = 2_000_000
_THOUGHT_END = re.compile(r"</(?i:thinking|think)\s*>")
_INNER = re.compile(r"[\[(][^\[\]()]*[\])]")
_DATASET = re.compile(r"\b(?i:OSD|GLDS)[-‐‑–—_ ]?0*(\d{1,7})\b")
_CONTROL = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u2069\ufeff\ud800-\udfff]"
)
_MOST_MARKS: Final = 5_000
_CLAIM_CHARS: Final = 200


@dataclass(frozen=True, slots=True)
class Mark:
    """A part of a text: where, what it is, and a word about it."""

    start: int
    end: int
    kind: str
    note: str


@dataclass(frozen=True, slots=True)
class Segment:
    """Text that is marked alike.

    Attributes
    ----------
    text : str
        Without characters that can't be seen or that turn the direction of text.
    kinds : tuple of str
        Names of classes; () for plain text.
    note : str
        Of the innermost mark.
    """

    text: str
    kinds: tuple[str, ...] = ()
    note: str = ""


def visible(text: str) -> str:
    """Return a text with control characters, and those that turn its direction, spelt out.

    Examples
    --------
    >>> visible("a\\u202eb\\x00")
    'a⟨U+202E⟩b⟨U+0000⟩'
    """
    return _CONTROL.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text)


def chain_marks(text: str, statuses: Mapping[tuple[str, str], str]) -> list[Mark]:
    """Return the marks of answer and triplets in a text, as tiers 1 and 2 read them.

    Parameters
    ----------
    text : str
    statuses : mapping of (str, str) to str
        Status of each predicted edge by its upper-case source and target.

    Examples
    --------
    >>> text = "<answer>up</answer><triplet>[[A, +, B]]</triplet>"
    >>> [(text[m.start:m.end], m.kind) for m in chain_marks(text, {("A", "B"): "absent"})]
    [('up', 'answer'), ('[[A, +, B]]', 'triplets'), ('[A, +, B]', 'status-absent')]
    """
    answer, triplets = find_blocks(text)
    marks = []
    if answer is not None:
        thought = max((found.end() for found in _THOUGHT_END.finditer(text)), default=0)
        marks += _block(text, "answer", answer, thought, Mark(0, 0, "answer", "read as the answer"))
    if triplets is not None:
        block = _block(text, "triplet", triplets, 0, Mark(0, 0, "triplets", "read as the chain"))
        marks += block
        for mark in block:
            marks += _edge_marks(text, mark, statuses)
    return marks


def citation_marks(text: str, verdicts: Mapping[str, str], claim: object) -> list[Mark]:
    """Return the marks of the answer and of each dataset that is named, with its verdicts.

    Parameters
    ----------
    text : str
    verdicts : mapping of str to str
        Verdict by the dataset's number; several joined.
    claim : object
        What was read as the answer.
    """
    marks = [
        Mark(found.start(), found.end(), f"verdict-{_verdict_class(verdicts[found[1]])}",
             verdicts[found[1]])
        for found in _DATASET.finditer(text)
        if found[1] in verdicts
    ]  # fmt: skip
    if isinstance(claim, str) and claim.strip():
        short = claim[:_CLAIM_CHARS]
        written = {json.dumps(short), json.dumps(short, ensure_ascii=False)}
        pattern = "|".join(map(re.escape, sorted(written, key=len, reverse=True)))
        keyed = re.search(
            rf'"(?i:prediction|answer|label|response)"\s*:\s*(?P<value>{pattern})', text
        )
        if keyed is not None:
            marks.append(Mark(*keyed.span("value"), "answer", "read as the answer"))
        elif text.strip() == claim.strip():
            marks.append(Mark(0, len(text), "answer", "read as the answer"))
        else:
            answer, _ = find_blocks(text)
            if answer is not None:
                thought = max((one.end() for one in _THOUGHT_END.finditer(text)), default=0)
                mark = Mark(0, 0, "answer", "read as the answer")
                marks += _block(text, "answer", answer, thought, mark)
    return marks


def segments(text: str, marks: list[Mark]) -> list[Segment]:
    """Cut a text at its marks; marks may lie within one another.

    Examples
    --------
    >>> [(one.text, one.kinds) for one in segments("abc", [Mark(1, 2, "answer", "why")])]
    [('a', ()), ('b', ('answer',)), ('c', ())]
    """
    kept = [one for one in marks[:_MOST_MARKS] if one.end > one.start]
    edges = sorted({0, len(text), *(one.start for one in kept), *(one.end for one in kept)})
    waiting = sorted(kept, key=lambda one: (one.start, -one.end), reverse=True)
    open_marks: list[Mark] = []
    found = []
    for start, end in pairwise(edges):
        open_marks = [one for one in open_marks if one.end > start]
        while waiting and waiting[-1].start <= start:
            open_marks.append(waiting.pop())
        note = open_marks[-1].note if open_marks else ""
        kinds = tuple(dict.fromkeys(one.kind for one in open_marks))
        found.append(Segment(visible(text[start:end]), kinds, note))
    return found


def _block(text: str, tag: str, content: str, start: int, mark: Mark) -> list[Mark]:
    """Return where the content of the block lies that counts: the last that reads like it.

    A block that is closed goes before one that isn't.
    """
    closing = re.compile(rf"</(?i:{tag})\s*>")
    whole, unclosed = -1, -1
    for opening in re.compile(rf"<(?i:{tag})\s*>").finditer(text, start):
        first = opening.end()
        if text.startswith(content, first):
            unclosed = first
            if closing.match(text, first + len(content)):
                whole = first
    first = whole if whole >= 0 else unclosed
    return [] if first < 0 else [Mark(first, first + len(content), mark.kind, mark.note)]


def _edge_marks(text: str, block: Mark, statuses: Mapping[tuple[str, str], str]) -> list[Mark]:
    marks = []
    for found in _INNER.finditer(text, block.start, block.end):
        read = read_triplets(f"[{found[0]}]").edges
        if len(read) == 1:
            source, _, target = read[0]
            status = statuses.get((source.upper(), target.upper()))
            if status is not None:
                marks.append(Mark(*found.span(), f"status-{status}", status.replace("_", " ")))
        if len(marks) >= _MOST_MARKS:
            break
    return marks


def _verdict_class(verdict: str) -> str:
    return verdict if re.fullmatch(r"[A-Z_]+", verdict) else "several"
