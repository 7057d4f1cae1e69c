"""A forgiving reader of nested lists, for what models write instead of JSON.

Knows single, double and curly quotes, bare tokens, square and round lists, comments, trailing
commas and prose around the list. It never fails: what isn't one balanced list is given as its
innermost lists.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

_CLOSERS = {
    '"': '"', "'": "'", "`": "`",
    "“": "”\"“", "”": "”\"", "„": "“”\"", "‘": "’'‘", "’": "’'",
}  # fmt: skip
_SKIP = re.compile(r"(?:\s+|//[^\n]*|#[^\n]*|/\*.{0,2000}?\*/)*", re.DOTALL)
_QUOTE_END = re.compile(r"\s*(?:[,\])]|$|//|/\*|#)")
_LIST_SEAM = re.compile(r"[\])]\s*,\s*[\[(]")
_INNERMOST_SQUARE = re.compile(r"\[([^\[\]]*)\]")
_NUMBER = re.compile(r"(?:(?<=[\[(,;\n])|^)[ \t]*+\d+[.):]\s*+(?=\()")  # of a list: 1. (A, +, B)
_ROUND_ELEMENT = re.compile(
    r"(?:^|,)\s*+\([^(),]*,[^()]*\)(?:[\s,;(]|->|$)"  # (A, +, B) as an element
)
_QUOTED = re.compile(r"\"[^\"\n]*\"|“[^“”\n]*”|'[^'\n]*'(?=\s*[,\])])")
_REMARK = re.compile(r"(?<=[\s,\[\]()])(?://[^\n]*|#[^\n]*|/\*.{0,2000}?\*/)", re.DOTALL)
_NULLS = frozenset({"null", "None"})
_COMMENT = r"(?<!\S)(?://[^\n]*|/\*.{0,2000}?\*/)"
_SQUARE_BRACKETS = re.compile(rf"[\[\]]|{_COMMENT}", re.DOTALL)
_ALL_BRACKETS = re.compile(rf"[\[\]()]|{_COMMENT}", re.DOTALL)
_SQUARE_ENDS = re.compile(r"[,\[\]]|(?<=\s)(?://|/\*|#)")
_ALL_ENDS = re.compile(r"[,\[\]()]|(?<=\s)(?://|/\*|#)")
_ROUND_LIST = re.compile(r"\(([^()]*)\)")


@dataclass(slots=True)
class LooseLists:
    """What a text holds.

    Attributes
    ----------
    whole : list or None
        The one outer list, as nested lists of strings; None where there isn't exactly one
        balanced one.
    innermost : list of list of str
        Lists that hold no list, in the order in which they close.
    """

    whole: list[object] | None = None
    innermost: list[object] = field(default_factory=list)


def has_round_lists(text: str) -> bool:
    """Whether round brackets delimit lists here (else they are part of symbols or prose)."""
    unquoted = _NUMBER.sub("", _REMARK.sub(" ", _QUOTED.sub("Q", text)))
    for match in _INNERMOST_SQUARE.finditer(unquoted):
        content = match.group(1)
        if "," in content and _ROUND_ELEMENT.search(content) is None:
            return False
    return any("," in match.group(1) for match in _ROUND_LIST.finditer(unquoted))


def parse_loose(text: str) -> LooseLists:
    """Read the nested lists of a text; see the module's docstring. Linear in the text's length.

    Examples
    --------
    >>> parse_loose("chain: [['A', +, B], (note)]").whole
    [['A', '+', 'B'], '(note)']
    """
    return _Scanner(text).run()


class _Scanner:
    """One pass over a text with a stack of open lists."""

    def __init__(self, text: str) -> None:
        self.round_lists = has_round_lists(text)
        numbers = 0
        if self.round_lists:
            text, numbers = _NUMBER.subn("", text)
        self.text = text
        self.openers = "[(" if self.round_lists else "["
        self.closers = "])" if self.round_lists else "]"
        self.bracket = _ALL_BRACKETS if self.round_lists else _SQUARE_BRACKETS
        self.bare_end = _ALL_ENDS if self.round_lists else _SQUARE_ENDS
        self.outer: list[list[object]] = []
        self.innermost: list[object] = []
        self.regular = numbers == 0
        self.seams: list[int] | None = None
        self.last_brace = text.rfind("}")
        self.quoteless_until: dict[str, int] = {}

    def run(self) -> LooseLists:
        text, size = self.text, len(self.text)
        stack: list[list[object]] = []
        nested: list[bool] = []
        position = 0
        while position < size:
            if not stack:
                position = self._next_opener(position)
                if position < 0:
                    break
                stack, nested = [[]], [False]
                position += 1
                continue
            position = self._skip(position)
            if position >= size:
                break
            char = text[position]
            if char in self.openers:
                inner: list[object] = []
                stack[-1].append(inner)
                nested[-1] = True
                stack.append(inner)
                nested.append(False)
                position += 1
            elif char in self.closers:
                position = self._close(stack, nested, position)
            elif char == ",":  # an empty element
                stack[-1].append("")
                position += 1
            elif char == "{" and position < self.last_brace:  # an object: no triple
                end = text.index("}", position)
                inside = _Scanner(text[position + 1 : end]).run().innermost
                self.innermost += inside
                nested[-1] = nested[-1] or bool(inside)
                stack[-1].append({})
                position = self._next_element(end + 1)
            else:
                token, position = self._token(position)
                position = self._after_token(stack, token, position)
        whole = self.outer[0] if len(self.outer) == 1 and self.regular and not stack else None
        return LooseLists(whole, self.innermost)

    def _next_opener(self, position: int) -> int:
        """Place of the next list outside any list; in round mode a remark in brackets is none."""
        while match := self.bracket.search(self.text, position):
            position, char = match.start(), match.group()
            if len(char) > 1:  # a comment
                position = match.end()
                continue
            if char == "[":
                return position
            if char == "(":
                remark = _ROUND_LIST.match(self.text, position)
                if remark is None or "," in remark.group(1):
                    return position
                position = remark.end()
                continue
            if self.outer:  # closes a list that isn't open
                self.regular = False
            position += 1
        return -1

    def _close(self, stack: list[list[object]], nested: list[bool], position: int) -> int:
        """Close the innermost open list; go to the next element of the list around it."""
        closed, held = stack.pop(), nested.pop()
        if not held:
            self.innermost.append(closed)
        position += 1
        if not stack:
            self.outer.append(closed)
            return position
        return self._next_element(position)

    def _next_element(self, position: int) -> int:
        """Place after the comma that follows a list or an object; words before it are no part."""
        position = self._skip(position)
        if position < len(self.text):
            char = self.text[position]
            if char == ",":
                return position + 1
            if char not in self.closers:
                self.regular = False
                if char not in self.openers:
                    match = self.bare_end.search(self.text, position)
                    position = match.start() if match else len(self.text)
                    if self.text[position : position + 1] == ",":
                        position += 1
        return position

    def _after_token(self, stack: list[list[object]], token: str | None, position: int) -> int:
        """Add a token unless it only leads in a list (``1. [A, +, B]``); step over its comma."""
        position = self._skip(position)
        char = self.text[position] if position < len(self.text) else ""
        if char in self.openers and char:
            self.regular = False
            return position
        stack[-1].append(token)
        return position + 1 if char == "," else position

    def _skip(self, position: int) -> int:
        match = _SKIP.match(self.text, position)
        return match.end() if match else position

    def _token(self, position: int) -> tuple[str | None, int]:
        """Read a quoted string or a bare token that starts here; bare null and None are null."""
        text = self.text
        closers = _CLOSERS.get(text[position])
        if closers is not None:
            end = self._closing_quote(position, closers)
            if end >= 0:
                return _unescape(text[position + 1 : end], text[position]), end + 1
        match = self.bare_end.search(text, position + 1)  # a token has a character at least
        end = match.start() if match else len(text)
        token = text[position:end].strip()
        return (None if token in _NULLS else token.strip('"“”').strip()), end

    def _closing_quote(self, start: int, closers: str) -> int:
        """Place of the quote that ends the string opened at ``start``, -1 if there is none.

        It ends the string when a comma, a closing bracket or the end follows; it may not lie
        beyond a seam between two lists.
        """
        text, position = self.text, start + 1
        if position < self.quoteless_until.get(closers, 0):
            return -1  # an earlier search found none up to here
        limit = self._next_seam(start)
        while position < limit:
            char = text[position]
            if char == "\\":
                position += 2
                continue
            if char in closers and _QUOTE_END.match(text, position + 1):
                return position
            position += 1
        self.quoteless_until[closers] = limit
        return -1

    def _next_seam(self, start: int) -> int:
        if self.seams is None:
            self.seams = [match.start() for match in _LIST_SEAM.finditer(self.text)]
            self.seams.reverse()
        while self.seams and self.seams[-1] < start:
            self.seams.pop()
        return self.seams[-1] if self.seams else len(self.text)


def _unescape(content: str, quote: str) -> str:
    if "\\" not in content:
        return content
    if quote == '"':
        try:
            return str(json.loads(f'"{content}"'))
        except ValueError:
            pass
    return re.sub(r"\\(.)", r"\1", content, flags=re.DOTALL)
