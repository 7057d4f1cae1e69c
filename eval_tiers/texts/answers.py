"""The answer that a model's text gives: strictly, and leniently beside it.

Source: specification of PerturbReason, section 2.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from eval_tiers.domain.labels import (
    DOWN,
    LABEL_CODES,
    LABELS,
    NO_LABEL,
    REASON_CODES,
    UNCHANGED,
    UP,
)

NO_REASON: Final = -1
_CACHED_LENGTH: Final = 64

_TAG = re.compile(r"(</?(?i:answer|thinking|think|triplet)\s*>)")
_ENDS: Final = frozenset("$`~")

_WORD = "|".join(LABELS)
_SEPARATOR = r"\s*(?:[/|,]|\bor\b)(?:\s*(?:[/|,]|\bor\b))*\s*"
_ECHO = re.compile(rf"({_WORD}){_SEPARATOR}({_WORD}){_SEPARATOR}({_WORD})")
_LABEL_WORD = re.compile(rf"\b(?:{_WORD})\b")

_UNCHANGED = r"no\s+change|not\s+changed|did\s+not\s+change|unchanged|unaffected"
_UP = r"up|increase[ds]?|upregulated|higher"
_DOWN = r"down|decrease[ds]?|downregulated|lower|reduced"
_CUE = (
    r"\bnot\b|\bcannot\b|n't\b|\bno\b|\bnon-|\bnever\b|\bneither\b|\bnor\b|\bwithout\b"
    r"|\bfail(?:s|ed)?\s+to\b|\black\s+of\b|\bhardly\b|\bbarely\b"
)
_LENIENT = re.compile(
    rf"(?P<unchanged>\b(?:{_UNCHANGED})\b)|(?P<cue>{_CUE})|(?P<up>\b(?:{_UP})\b)"
    rf"|(?P<down>\b(?:{_DOWN})\b)|(?P<stop>[,;.])"
)
_KINDS: Final = {"unchanged": UNCHANGED, "up": UP, "down": DOWN}


@dataclass(frozen=True, slots=True)
class TextReading:
    """What was read off one text.

    Attributes
    ----------
    label, reason : int
        Code of the strict label (-1 none) and, where there is none, of the reason
        (`PARSE_FAILURE_REASONS`); reason is -1 where there is a label.
    lenient : int
        Code of the lenient label, -1 none.
    triplet_block : str or None
        Content of the triplet block, None without one.
    """

    label: int
    reason: int
    lenient: int
    triplet_block: str | None


def read_text(text: str | None) -> TextReading:
    """Read a model's text: answer and triplet block.

    The answer is the last complete ``<answer>`` block after the last closing thinking tag; the
    triplets are the last complete ``<triplet>`` block anywhere, else one that is never closed
    (up to the next tag). A null or blank text is ``empty``.
    """
    found = read_texts(("" if text is None else text,))
    return TextReading(found.label[0], found.reason[0], found.lenient[0], found.triplet_block[0])


@dataclass(slots=True)
class TextColumns:
    """What was read off many texts, by text; as in `TextReading`."""

    label: list[int]
    reason: list[int]
    lenient: list[int]
    triplet_block: list[str | None]


def read_texts(texts: Sequence[str]) -> TextColumns:
    """Read many texts as `read_text` does, with what is the same for many worked out once."""
    split = _TAG.split
    layouts: dict[tuple[str, ...], _Layout] = {}
    readings: dict[tuple[str | None, bool], tuple[int, int, int]] = {}
    answers: list[tuple[str | None, bool]] = []
    blocks: list[str | None] = []
    for text in texts:
        parts = split(text)
        tags = tuple(parts[1::2])
        layout = layouts.get(tags)
        if layout is None:
            layout = layouts[tags] = _find_layout(tags)
        where = layout.triplets
        if where is None:
            blocks.append(None)
        else:
            first, last = where
            blocks.append(parts[first] if last == first + 1 else "".join(parts[first:last]))
        where = layout.answer
        if where is None:
            answers.append((None, bool(text) and not text.isspace()))
        else:
            first, last = where
            answer = parts[first] if last == first + 1 else "".join(parts[first:last])
            answers.append((answer, layout.answer_closed))
    for key in set(answers):
        readings[key] = _answer_codes(*key)
    label, reason, lenient = (
        map(list, zip(*map(readings.__getitem__, answers), strict=True))
        if answers
        else ([], [], [])
    )
    return TextColumns(label, reason, lenient, blocks)


def find_blocks(text: str) -> tuple[str | None, str | None]:
    """Return the content of a text's answer block and of its triplet block, None without one.

    Which block counts is as in `read_text`; an answer block that is never closed counts too.
    """
    parts = _TAG.split(text)
    layout = _find_layout(tuple(parts[1::2]))
    answer, triplets = (
        None if where is None else "".join(parts[where[0] : where[1]])
        for where in (layout.answer, layout.triplets)
    )
    return answer, triplets


def _answer_codes(answer: str | None, closed: bool) -> tuple[int, int, int]:
    """Return (label, reason, lenient) of an answer block; without one, ``closed``: any text."""
    if answer is None:
        reason = "no_answer_block" if closed else "empty"
        return NO_LABEL, REASON_CODES[reason], NO_LABEL
    label, reason_code, lenient = read_answer_block(answer)
    if not closed:
        return NO_LABEL, REASON_CODES["unclosed_block"], lenient
    return label, reason_code, lenient


@dataclass(frozen=True, slots=True)
class _Layout:
    """Which parts of a text, split at its tags, hold the answer and the triplets."""

    answer: tuple[int, int] | None
    answer_closed: bool
    triplets: tuple[int, int] | None


def _find_layout(tags: tuple[str, ...]) -> _Layout:
    kinds = [(tag.strip("</")[:2].lower(), tag[1] == "/") for tag in tags]
    whole, unclosed = _last_blocks(kinds, 0, "tr")
    triplets = whole if whole is not None else unclosed
    thought = max(
        (n for n, (kind, closing) in enumerate(kinds, 1) if closing and kind == "th"), default=0
    )
    whole, unclosed = _last_blocks(kinds, thought, "an")
    return _Layout(whole if whole is not None else unclosed, whole is not None, triplets)


def _last_blocks(
    kinds: list[tuple[str, bool]], start: int, wanted: str
) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
    """Return the parts of the last complete block of a kind, and of the last unclosed one.

    A block begins at the open tag nearest to its close; an unclosed one ends at the next tag of
    any kind. Part ``2 n + 2`` follows tag ``n``.
    """
    whole: tuple[int, int] | None = None
    opened: int | None = None
    for number in range(start, len(kinds)):
        kind, closing = kinds[number]
        if kind != wanted:
            continue
        if not closing:
            opened = number
        elif opened is not None:
            whole, opened = (2 * opened + 2, 2 * number + 1), None
    return whole, None if opened is None else (2 * opened + 2, 2 * opened + 3)


def read_answer_block(block: str) -> tuple[int, int, int]:
    """Return (strict label, reason, lenient label) codes of an answer block's content.

    Examples
    --------
    >>> read_answer_block(" **Down**. ")
    (1, -1, 1)
    """
    return _read_short(block) if len(block) <= _CACHED_LENGTH else _read_answer(block)


def _read_answer(block: str) -> tuple[int, int, int]:
    statement = normalise_answer(block)
    if not statement:
        return NO_LABEL, REASON_CODES["empty"], NO_LABEL
    label = LABEL_CODES.get(statement, NO_LABEL)
    if label != NO_LABEL:
        return label, NO_REASON, label
    echo = _ECHO.fullmatch(statement)
    if echo is not None and len(set(echo.groups())) == len(LABELS):
        reason = "template_echo"
    elif len(set(_LABEL_WORD.findall(statement))) > 1:
        reason = "several_labels"
    else:
        reason = "not_a_label"
    return NO_LABEL, REASON_CODES[reason], _lenient_label(statement)


_read_short = lru_cache(maxsize=4096)(_read_answer)


def normalise_answer(block: str) -> str:
    """NFKC, case-fold, and strip white space, punctuation, ``$``, backtick and ``~`` at both ends.

    Only Unicode category P counts as punctuation: HTML (``<`` is a symbol) and emoji stay.
    """
    text = unicodedata.normalize("NFKC", block).casefold()
    start, end = 0, len(text)
    while start < end and _is_strippable(text[start]):
        start += 1
    while end > start and _is_strippable(text[end - 1]):
        end -= 1
    return text[start:end]


def _is_strippable(char: str) -> bool:
    return char in _ENDS or char.isspace() or unicodedata.category(char)[0] == "P"


def _lenient_label(statement: str) -> int:
    """One kind of label or synonym as whole words and none negated; else none."""
    found: set[int] = set()
    negated = False
    for match in _LENIENT.finditer(statement.replace("’", "'")):
        kind = str(match.lastgroup)
        if kind == "cue":
            negated = True
        elif kind == "stop":
            negated = False
        elif negated:
            return NO_LABEL
        else:
            found.add(_KINDS[kind])
    return found.pop() if len(found) == 1 else NO_LABEL
