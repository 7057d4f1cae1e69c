"""The outermost JSON objects of what a model wrote, however untidily.

A brace opens an object that is *outermost* unless it stands where a value may stand in another one:
that one is nested, and not read. An object is *whole* where its own closing brace is there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

_MAX_LENGTH: Final = 50_000
_MAX_OBJECTS: Final = 40
_MAX_REPAIRED: Final = 10_000
_MAX_DEPTH: Final = 16
_CLOSERS: Final = {'"': '"', "'": "'", "“": "”", "‘": "’"}
_REMARK = re.compile(r"//[^\n]*|#[^\n]*|/\*.*?\*/", re.DOTALL)
_WORD = re.compile(r"[^\s{}\[\]:,]+")
_NAME_ENDS = re.compile(r"\s*:")
_VALUE_ENDS = re.compile(r"\s*(?:[,}\]]|//|#|/\*|$|[\"'“]\w+[\"'”]\s*:)")
_OPENS_ANOTHER = re.compile(r"\{\s*([\"'“])\w+[\"'”]\s*:")
_DOUBLED_OPEN = re.compile(r"\{\s*(?=\{)")
_BARE_QUOTE = re.compile(r'(?<!\\)"')
_FENCE = re.compile(r"```\w*[ \t]*\n(.*?)\n?[ \t]*```", re.DOTALL)


@dataclass(frozen=True, slots=True)
class LooseObject:
    """One outermost object.

    Attributes
    ----------
    fields : dict or None
        Its members, names case-folded; None where more than its own brace is missing, or not even
        repair makes an object of it.
    whole : bool
        Its closing brace is there.
    in_text : bool
        It breaks off within a text.
    repeated : bool
        One of its names is given twice, or it can't be told from an object within its text.
    """

    fields: dict[str, object] | None
    whole: bool
    in_text: bool
    repeated: bool


def outermost_objects(text: str) -> list[LooseObject] | None:
    """Return the outermost objects of a text, in order; None for a text too long to be a reply.

    Examples
    --------
    >>> [found.fields for found in outermost_objects("So: {'a': \\"P's\\",} and {b: {c: 1}}")]
    [{'a': "P's"}, {'b': {'c': 1}}]
    """
    strict = _strict_object(text.strip())
    if strict is not None:
        return [strict]
    if len(text) > _MAX_LENGTH:
        return None
    text = _DOUBLED_OPEN.sub("", text)
    found: list[LooseObject] = []
    place = text.find("{")
    while place >= 0 and len(found) < _MAX_OBJECTS:
        scan = _Scan(text, place)
        scan.run()
        ambiguous = scan.in_text and scan.next_open >= 0 and _closes_later(text, scan.next_open)
        repeated = ambiguous or len(set(scan.names)) != len(scan.names)
        fields = _repaired(text[place : scan.end]) if scan.repairable else None
        found.append(LooseObject(fields, scan.whole, scan.in_text, repeated))
        place = text.find("{", scan.end) if scan.next_open < 0 else scan.next_open
    return found


def _strict_object(text: str) -> LooseObject | None:
    """Read what is JSON but for raw line breaks; names given twice count in the outermost alone."""
    if not (text.startswith("{") and text.endswith("}")):
        return None
    repeated = False

    def fold(pairs: list[tuple[str, object]]) -> dict[str, object]:
        nonlocal repeated
        fields = {name.casefold(): value for name, value in pairs}
        repeated = len(fields) != len(pairs)  # the outermost object comes last
        return fields

    try:
        fields = json.loads(text, strict=False, object_pairs_hook=fold)
    except (ValueError, RecursionError):
        return None
    return LooseObject(fields, True, False, repeated)


@dataclass(slots=True)
class _Scan:
    """Follows an object from its opening brace, over texts in quotes and remarks.

    Attributes
    ----------
    text : str
    end : int
        Where it opens; after `run`, the place behind it.
    whole, in_text : bool
        As in `LooseObject`.
    open_n, depth : int
        Brackets left open, itself included; most of them at once.
    next_open : int
        A brace that opens another outermost object before this one is closed; -1 without one.
    names : list of str
        Its own names, in order.
    """

    text: str
    end: int
    whole: bool = False
    in_text: bool = False
    open_n: int = 0
    depth: int = 0
    next_open: int = -1
    names: list[str] = field(default_factory=list)

    @property
    def repairable(self) -> bool:
        """Whether no more than its own brace is missing, and its nesting is no attack."""
        return self.open_n <= 1 and not self.in_text and self.depth <= _MAX_DEPTH

    def run(self) -> None:
        """Go on to the closing brace, to another object, or to the end of the text."""
        stack: list[str] = []
        before, token = "", ""  # the last sign that means something, the last text or word
        while self.end < len(self.text):
            char = self.text[self.end]
            remark = _REMARK.match(self.text, self.end)
            if char.isspace():
                self.end += 1
            elif remark is not None:
                self.end = remark.end()
            elif char == "{" and stack and stack[-1] == "{" and before != ":":
                self.next_open = self.end
                return
            elif char in "{[":
                stack.append(char)
                self.open_n, self.depth = len(stack), max(self.depth, len(stack))
                before = char
                self.end += 1
            elif char in "}]":
                stack.pop()
                self.open_n = len(stack)
                before = char
                self.end += 1
                if not stack:
                    self.whole = True
                    return
            elif char in ":,":
                if char == ":" and len(stack) == 1 and before == "token":
                    self.names.append(token.casefold())
                before = char
                self.end += 1
            elif char in _CLOSERS:
                close = self._close_of(_VALUE_ENDS if before in (":", "[") else _NAME_ENDS)
                if close < 0:
                    return
                before, token = "token", self.text[self.end + 1 : close]
                self.end = close + 1
            else:
                word = _WORD.match(self.text, self.end)
                before, token = "token", char if word is None else word[0]
                self.end += len(token)

    def _close_of(self, ends: re.Pattern[str]) -> int:
        """Return the place of the quote that closes a text; -1 where it breaks off."""
        opener = self.text[self.end]
        closers = (opener, _CLOSERS[opener])
        place = self.end + 1
        while place < len(self.text):
            char = self.text[place]
            if char == "\\":
                place += 1
            elif char in closers and ends.match(self.text, place + 1):
                return place
            elif char == "{":
                another = _OPENS_ANOTHER.match(self.text, place)
                if another is not None and another[1] == opener:
                    self.next_open = place
                    break
            place += 1
        self.end = min(place, len(self.text))
        self.in_text = True
        return -1


def _closes_later(text: str, start: int) -> bool:
    """Whether more braces close after an object within a text than it opens itself."""
    inner = _Scan(text, start)
    inner.run()
    return inner.whole and "}" in text[inner.end :] and "{" not in text[inner.end :]


def _repaired(span: str) -> dict[str, object] | None:
    strict = _strict_object(span)
    if strict is not None:
        return strict.fields
    if len(span) > _MAX_REPAIRED:
        return None
    from json_repair import loads

    try:
        value = loads(span)
    except Exception:  # whatever the library meets in what a model wrote: it is not repaired
        return None
    if not isinstance(value, dict):
        return None
    return {str(name).casefold(): member for name, member in value.items()}


def unwrapped(text: str) -> Iterator[str]:
    """Yield a text, and what it holds where it is a JSON string or escaped as if in one.

    Examples
    --------
    >>> list(unwrapped('"{\\\\"a\\\\": 1}"'))[-1]
    '{"a": 1}'
    """
    for _ in range(4):
        yield text
        inner = text.strip()
        fence = _FENCE.fullmatch(inner)
        inner = inner if fence is None else fence[1].strip()
        if len(inner) > _MAX_LENGTH or '\\"' not in inner:
            return
        if _BARE_QUOTE.search(inner) is None:
            inner = f'"{inner}"'
        try:
            value = json.loads(inner, strict=False)
        except ValueError:
            return
        if not isinstance(value, str):
            return
        text = value
