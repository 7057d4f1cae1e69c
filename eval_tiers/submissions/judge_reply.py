"""A judge's reply on a submission: one JSON object of an exact shape, or a fault.

The object may stand in a fence, in prose or after a thought; it is never repaired. Its shape is
strict: a truth value is a JSON truth value, and every expected conclusion and caveat has exactly
one row, its text copied exactly.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

MATCHED: Final = "matched"
PARTIAL: Final = "partial"
MISSING: Final = "missing"
WRONG: Final = "wrong"
STATUSES: Final = (MATCHED, PARTIAL, MISSING, WRONG)
CREDIT: Final = frozenset({MATCHED, PARTIAL})

MALFORMED: Final = "malformed"
OUT_OF_VOCABULARY: Final = "out_of_vocabulary"
ROWS_DIFFER: Final = "rows_differ"

MAX_LENGTH: Final = 2_000_000
MAX_CITATIONS: Final = 50
"""Of one row; what follows is a reply gone astray."""

_FIELDS: Final = frozenset({"leakage_suspected", "conclusions", "caveats", "explanation"})
_ROW_FIELDS: Final = frozenset({"text", "status", "citations"})
_QUOTE_FIELDS: Final = frozenset({"path", "quote"})
_CELL_FIELDS: Final = frozenset({"path", "key", "column", "value"})
_OBJECT = re.compile(r'\{[ \t\r\n]*"')
_THOUGHT = re.compile(r"</(?:think|thinking|reasoning)\s*>", re.IGNORECASE)

Scalar = str | int | float


class ReplyFault(Exception):
    """A reply that gives no judgement.

    Attributes
    ----------
    code : str
        `MALFORMED`, `OUT_OF_VOCABULARY` or `ROWS_DIFFER`.
    message : str
        What is wrong, and in which member of the reply.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message


@dataclass(frozen=True, slots=True)
class QuoteCitation:
    """A passage said to stand in an artifact."""

    path: str
    quote: str


@dataclass(frozen=True, slots=True)
class CellCitation:
    """A cell said to stand in a table.

    Attributes
    ----------
    path, column : str
    key : tuple of (str or None, scalar)
        Key column and value; None for a column that isn't named: the values are then in the order
        of the key columns.
    value : str, int or float
    """

    path: str
    key: tuple[tuple[str | None, Scalar], ...]
    column: str
    value: Scalar


Citation = QuoteCitation | CellCitation


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """What the judge says of one expected conclusion or caveat."""

    text: str
    status: str
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class JudgeReply:
    """A reply of the right shape, its rows in the order of the task."""

    leakage_suspected: bool
    conclusions: tuple[JudgedRow, ...]
    caveats: tuple[JudgedRow, ...]
    explanation: str


def parse_judge_reply(
    content: str, conclusions: Sequence[str], caveats: Sequence[str]
) -> JudgeReply:
    """Parse what a judge wrote.

    Parameters
    ----------
    content : str
    conclusions, caveats : sequence of str
        The expected texts.

    Raises
    ------
    ReplyFault
        It is not one object of the right shape with one row for each expected text.

    Examples
    --------
    >>> parse_judge_reply('{"leakage_suspected": "false", "conclusions": []}', [], [])
    Traceback (most recent call last):
        ...
    eval_tiers.submissions.judge_reply.ReplyFault: leakage_suspected is a text, not true or false
    """
    reply = _members(_only_object(content), _FIELDS, "the reply")
    suspected = reply.get("leakage_suspected")
    if not isinstance(suspected, bool):
        kind = "not there" if "leakage_suspected" not in reply else _kind(suspected)
        raise ReplyFault(MALFORMED, f"leakage_suspected is {kind}, not true or false")
    explanation = reply.get("explanation", "")
    if not isinstance(explanation, str):
        raise ReplyFault(MALFORMED, f"explanation is {_kind(explanation)}, not a text")
    return JudgeReply(
        suspected,
        _rows(reply, "conclusions", conclusions),
        _rows(reply, "caveats", caveats),
        explanation,
    )


def _only_object(content: str) -> Mapping[str, Any]:
    """Return the one JSON object of a reply that is like an answer."""
    if len(content) > MAX_LENGTH:
        raise ReplyFault(MALFORMED, f"the reply is longer than {MAX_LENGTH:,} characters")
    text = content.strip()
    if not text.startswith("{"):
        text = _THOUGHT.split(text)[-1]
    found: list[Mapping[str, Any]] = []
    fault: str | None = None
    match = _OBJECT.search(text)
    attempts = 0
    while match is not None and attempts < 100:
        attempts += 1
        try:
            value, end = _DECODER.raw_decode(text, match.start())
        except RecursionError:
            raise ReplyFault(MALFORMED, "the JSON is nested too deep") from None
        except ValueError as error:
            fault = fault or _say_fault(error)
            end = match.start() + 1
        else:
            if _FIELDS & value.keys():
                found.append(value)
        match = _OBJECT.search(text, end)
    if len(found) > 1:
        raise ReplyFault(MALFORMED, f"the reply holds {len(found)} objects like an answer")
    if found and fault is None:
        return found[0]
    if fault is not None:
        raise ReplyFault(MALFORMED, f"the reply is no JSON that can be read: {fault}")
    raise ReplyFault(MALFORMED, "the reply holds no JSON object with the members asked for")


def _say_fault(error: ValueError) -> str:
    told = str(error)
    return "a whole number has too many digits" if "integer string" in told else told


def _rows(reply: Mapping[str, Any], name: str, expected: Sequence[str]) -> tuple[JudgedRow, ...]:
    given = reply.get(name, None if expected else [])
    if not isinstance(given, list):
        kind = "not there" if name not in reply else _kind(given)
        raise ReplyFault(MALFORMED, f"{name} is {kind}, not a list")
    rows: dict[str, JudgedRow] = {}
    for place, element in enumerate(given, start=1):
        row = _row(element, f"{name}, row {place}")
        if row.text not in expected:
            raise ReplyFault(ROWS_DIFFER, f"{name}, row {place}: no text of the task: "
                             f"{_shown(row.text)}")  # fmt: skip
        if row.text in rows:
            raise ReplyFault(ROWS_DIFFER, f"{name} has two rows of {_shown(row.text)}")
        rows[row.text] = row
    for text in expected:
        if text not in rows:
            raise ReplyFault(ROWS_DIFFER, f"{name} has no row of {_shown(text)}")
    return tuple(rows[text] for text in expected)


def _row(element: object, where: str) -> JudgedRow:
    row = _members(element, _ROW_FIELDS, where)
    text, status = row.get("text"), row.get("status")
    if not isinstance(text, str):
        raise ReplyFault(MALFORMED, f"{where}: text is {_kind(text)}, not a text")
    if not isinstance(status, str):
        raise ReplyFault(MALFORMED, f"{where}: status is {_kind(status)}, not a text")
    if status not in STATUSES:
        raise ReplyFault(
            OUT_OF_VOCABULARY,
            f"{where}: status {_shown(status)} is none of {', '.join(STATUSES)}",
        )
    citations = row.get("citations", [])
    if not isinstance(citations, list):
        raise ReplyFault(MALFORMED, f"{where}: citations is {_kind(citations)}, not a list")
    if len(citations) > MAX_CITATIONS:
        raise ReplyFault(MALFORMED, f"{where}: more than {MAX_CITATIONS} citations")
    return JudgedRow(
        text,
        status,
        tuple(_citation(one, f"{where}, citation {n}") for n, one in enumerate(citations, start=1)),
    )


def _citation(element: object, where: str) -> Citation:
    if isinstance(element, dict):  # strict schemas of some engines give all members, null ones too
        element = {name: value for name, value in element.items() if value is not None}
    given = _members(element, _QUOTE_FIELDS | _CELL_FIELDS, where)
    path, quote, column = given.get("path"), given.get("quote"), given.get("column")
    if not isinstance(path, str):
        raise ReplyFault(MALFORMED, f"{where}: path is {_kind(path)}, not a text")
    if given.keys() == _QUOTE_FIELDS and isinstance(quote, str):
        return QuoteCitation(path, quote)
    if given.keys() == _CELL_FIELDS and isinstance(column, str) and _is_scalar(given["value"]):
        return CellCitation(path, _key(given["key"], where), column, given["value"])
    raise ReplyFault(
        MALFORMED, f"{where}: neither {{path, quote}} nor {{path, key, column, value}}"
    )


def _key(key: Any, where: str) -> tuple[tuple[str | None, Scalar], ...]:
    pairs: list[tuple[str | None, Any]]
    if isinstance(key, dict):
        pairs = list(key.items())
    else:
        pairs = [(None, value) for value in (key if isinstance(key, list) else [key])]
    if not pairs or not all(_is_scalar(value) for _, value in pairs):
        raise ReplyFault(MALFORMED, f"{where}: key holds no texts or numbers")
    return tuple(pairs)


def _is_scalar(value: object) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def _members(value: object, allowed: Collection[str], where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ReplyFault(MALFORMED, f"{where} is {_kind(value)}, not an object")
    extra = [name for name in value if name not in allowed]
    if extra:
        raise ReplyFault(MALFORMED, f"{where} has a member that isn't asked for: "
                         f"{_shown(extra[0])}")  # fmt: skip
    return value


def _kind(value: object) -> str:
    if value is None:
        return "null"
    kinds = {bool: "a truth value", str: "a text", list: "a list", dict: "an object"}
    return kinds.get(type(value), "a number")


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:60] + "...")


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name is given twice in an object")
    return found


def _refuse(word: str) -> object:
    raise ValueError(f"{word} is no JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_refuse)
