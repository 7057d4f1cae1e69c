"""The top level of one JSON array or object, member by member, with where each lies."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from eval_tiers.exceptions import BadInputError, Problem, SourceRef

_CLOSING: Final = {"[": "]", "{": "}"}
_KIND: Final = {"[": "array", "{": "object"}


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an array or object.

    Attributes
    ----------
    key : str
        Its key; "" in an array.
    value : object
        Its value.
    begin : int
        Where it begins in the text: the key of an object's member, the value of an array's.
    start, end : int
        ``text[start:end]`` is the value as written.
    line : int
        Line on which it begins, from 1.
    """

    key: str
    value: object
    begin: int
    start: int
    end: int
    line: int


def iter_members(text: str, path: str) -> Iterator[Member]:
    """Yield the members of the JSON array or object that a text is, repeated keys and all.

    Parameters
    ----------
    text : str
        Begins with ``[`` or ``{``, white space aside.
    path : str
        File that it is from, for messages.

    Raises
    ------
    BadInputError
        ``bad-json-array`` or ``bad-json-object``: it is broken, cut off, or there is more after it.

    Examples
    --------
    >>> [(member.key, member.value) for member in iter_members('{"a": 1, "a": [2]}', "x.json")]
    [('a', 1), ('a', [2])]
    """
    opening = text[:1].strip() or text.lstrip()[:1]
    closing, kind = _CLOSING[opening], _KIND[opening]
    decode = json.JSONDecoder().raw_decode
    position, line, counted = text.index(opening) + 1, 1, 0

    def bad(message: str, at: int) -> BadInputError:
        where = SourceRef(path, text.count("\n", 0, at) + 1)
        fix = "write JSON Lines: one record a line"
        return BadInputError(Problem(f"bad-json-{kind}", message, where, fix))

    def value_at(position: int) -> tuple[object, int]:
        try:
            return decode(text, position)
        except json.JSONDecodeError as error:
            raise bad(f"not a JSON {kind} of records: {error.msg}", error.pos) from error
        except RecursionError as error:
            raise bad(f"not a JSON {kind} of records: nested too deep", position) from error
        except ValueError as error:  # a number of thousands of digits
            raise bad(f"not a JSON {kind} of records: {error}", position) from error

    while True:
        position = _skip_space(text, position)
        if position >= len(text):
            raise bad(f"the JSON {kind} is not closed (cut off?)", position)
        if text[position] == closing:
            if text[position + 1 :].strip():
                raise bad(f"there is more after the JSON {kind}", position)
            return
        begin, key = position, ""
        if kind == "object":
            found, position = value_at(position)
            if not isinstance(found, str):
                raise bad("not a JSON object of records: a key is no text", begin)
            key, position = found, _skip_space(text, position)
            if text[position : position + 1] != ":":
                raise bad(f"there is no colon after the key '{key}'", begin)
            position = _skip_space(text, position + 1)
        start = position
        value, end = value_at(start)
        line += text.count("\n", counted, begin)
        counted = begin
        yield Member(key, value, begin, start, end, line)
        position = _skip_space(text, end)
        if text[position : position + 1] == ",":
            position += 1
        elif text[position : position + 1] not in (closing, ""):
            raise bad(f"a comma or the end of the {kind} is missing", position)


def _skip_space(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\r\n":
        position += 1
    return position
