"""Whether a judge's citations hold: each points to a declared, verified artifact, or to nothing.

A judge may be told by a submission what to say. What it can't do is make a passage or a cell stand
in a file, so credit is bound to these.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from eval_tiers.exceptions import BadInputError
from eval_tiers.submissions.csv_rows import TableFault
from eval_tiers.submissions.inspection import ANSWER_PATH, VerifiedArtifact
from eval_tiers.submissions.judge_reply import (
    CREDIT,
    MISSING,
    CellCitation,
    Citation,
    JudgedRow,
    QuoteCitation,
    Scalar,
)
from eval_tiers.submissions.paths import PathFault, plain_path
from eval_tiers.submissions.quote_folding import folded
from eval_tiers.submissions.quote_search import quotes_in

MIN_QUOTE: Final = 12

NOT_DECLARED: Final = "not_declared"
NOT_VERIFIED: Final = "not_verified"
THE_ANSWER: Final = "the_answer_itself"
QUOTE_TOO_SHORT: Final = "quote_too_short"
QUOTE_NOT_FOUND: Final = "quote_not_found"
NO_TEXT: Final = "no_text"
NO_TABLE: Final = "no_table"
NO_COLUMN: Final = "no_such_column"
KEY_DIFFERS: Final = "other_key_columns"
NO_ROW: Final = "no_such_row"
EMPTY_VALUE: Final = "empty_value"
VALUE_DIFFERS: Final = "value_differs"
CHANGED: Final = "changed_since"

REASONS: Final[Mapping[str, str]] = {
    NOT_DECLARED: "the manifest declares no file of that path",
    NOT_VERIFIED: "the file is declared, but failed a check",
    THE_ANSWER: "the answer is no evidence for itself, nor is a copy of it",
    QUOTE_TOO_SHORT: f"a quote has at least {MIN_QUOTE} characters",
    QUOTE_NOT_FOUND: "the quote doesn't stand in the file",
    NO_TEXT: "the file is no text",
    NO_TABLE: "the file is no table of the task, which cells are cited from",
    NO_COLUMN: "the table has no such column",
    KEY_DIFFERS: "the key doesn't name the table's key columns",
    NO_ROW: "the table has no row of that key",
    EMPTY_VALUE: "an empty value shows nothing",
    VALUE_DIFFERS: "the cell holds another value",
    CHANGED: "the file is no longer the one that was checked",
}
"""Why a citation doesn't hold, each with its meaning."""

CHANGED_FAULTS: Final = (BadInputError, TableFault, ValueError)
"""What reading a verified file may end in: it was changed, so that it can't be read as before."""

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")


@dataclass(frozen=True, slots=True)
class CheckedCitation:
    """A citation and why it doesn't hold; None where it holds."""

    citation: Citation
    reason: str | None

    @property
    def holds(self) -> bool:
        """Whether it holds."""
        return self.reason is None


@dataclass(frozen=True, slots=True)
class CreditedRow:
    """An expected text with what the judge said and what it is worth.

    Attributes
    ----------
    text : str
    stated : str
        The judge's status.
    status : str
        The effective one: credit without a citation that holds is ``missing``.
    citations : tuple of CheckedCitation
    """

    text: str
    stated: str
    status: str
    citations: tuple[CheckedCitation, ...]


def credit_rows(
    rows: Sequence[JudgedRow], checked: Mapping[Citation, CheckedCitation]
) -> tuple[CreditedRow, ...]:
    """Return rows with their effective statuses."""
    credited = []
    for row in rows:
        found = tuple(checked[one] for one in row.citations)
        uncited = row.status in CREDIT and not any(one.holds for one in found)
        credited.append(
            CreditedRow(row.text, row.status, MISSING if uncited else row.status, found)
        )
    return tuple(credited)


def check_citations(
    citations: Collection[Citation],
    artifacts: Sequence[VerifiedArtifact],
    declared: Collection[str],
    answer: str | None,
) -> dict[Citation, CheckedCitation]:
    """Check citations, each file read once however often it is cited.

    Parameters
    ----------
    citations : collection of Citation
    artifacts : sequence of VerifiedArtifact
    declared : collection of str
        Paths that the manifest declares, verified or not.
    answer : str or None
        The answer's text: a copy of it is no evidence.
    """
    by_path = {artifact.path: artifact for artifact in artifacts}
    found: dict[Citation, str | None] = {}
    quotes: dict[str, list[QuoteCitation]] = {}
    cells: dict[str, list[CellCitation]] = {}
    for citation in dict.fromkeys(citations):
        path = _plain(citation.path)
        if path == ANSWER_PATH:
            found[citation] = THE_ANSWER
        elif path not in by_path:
            found[citation] = NOT_VERIFIED if path in declared else NOT_DECLARED
        elif isinstance(citation, QuoteCitation):
            quotes.setdefault(path, []).append(citation)
        else:
            cells.setdefault(path, []).append(citation)
    for path, quoted in quotes.items():
        with _unchanged(quoted, found):
            found |= _check_quotes(quoted, by_path[path], answer)
    for path, cited in cells.items():
        with _unchanged(cited, found):
            found |= _check_cells(cited, by_path[path])
    return {citation: CheckedCitation(citation, found[citation]) for citation in citations}


def _plain(path: str) -> str:
    """Return a cited path as declared ones are written; one that can't be declared as it is."""
    try:
        return plain_path(path)
    except PathFault:
        return path


@contextmanager
def _unchanged(citations: Sequence[Citation], found: dict[Citation, str | None]) -> Iterator[None]:
    """Note the citations as void where their file is no longer what was verified."""
    try:
        yield
    except CHANGED_FAULTS:
        found |= dict.fromkeys(citations, CHANGED)


def _check_quotes(
    citations: Sequence[QuoteCitation], artifact: VerifiedArtifact, answer: str | None
) -> dict[Citation, str | None]:
    if artifact.kind == "binary":
        return dict.fromkeys(citations, NO_TEXT)
    if answer is not None and _is_copy(artifact, answer):
        return dict.fromkeys(citations, THE_ANSWER)
    wanted = {citation: folded(citation.quote) for citation in citations}
    found: dict[Citation, str | None] = dict.fromkeys(wanted, QUOTE_NOT_FOUND)
    sought = {quote for quote in wanted.values() if len(quote) >= MIN_QUOTE}
    seen = quotes_in(artifact.texts(), sought) if sought else set()
    for citation, quote in wanted.items():
        if len(quote) < MIN_QUOTE:
            found[citation] = QUOTE_TOO_SHORT
        elif quote in seen:
            found[citation] = None
    return found


def _is_copy(artifact: VerifiedArtifact, answer: str) -> bool:
    if artifact.kind != "text" or artifact.size > 4 * len(answer) + 8:
        return False
    return folded("".join(artifact.texts())) == folded(answer)


def _check_cells(
    citations: Sequence[CellCitation], artifact: VerifiedArtifact
) -> dict[Citation, str | None]:
    if artifact.kind != "table":
        return dict.fromkeys(citations, NO_TABLE)
    found: dict[Citation, str | None] = {}
    wanted: dict[tuple[str, ...], list[CellCitation]] = {}
    for citation in citations:
        key = _key_of(citation.key, artifact.key)
        if citation.column not in artifact.header:
            found[citation] = NO_COLUMN
        elif key is None:
            found[citation] = KEY_DIFFERS
        elif not folded(str(citation.value)):
            found[citation] = EMPTY_VALUE
        else:
            found[citation] = NO_ROW
            wanted.setdefault(key, []).append(citation)
    if wanted:
        for _, cells in artifact.rows():  # to the end: only then the bytes are known to be the same
            for citation in wanted.get(tuple(folded(cells[name]) for name in artifact.key), ()):
                same = is_same_value(citation.value, cells[citation.column])
                found[citation] = None if same else VALUE_DIFFERS
    return found


def _key_of(
    key: Sequence[tuple[str | None, Scalar]], columns: Sequence[str]
) -> tuple[str, ...] | None:
    """Return a cited key in the order of the key columns; None where it isn't one of theirs."""
    names = {name for name, _ in key}
    named = None not in names
    if len(key) != len(columns) or (named and names != set(columns)):
        return None
    values: Mapping[str | None, Scalar]
    if named:
        values = dict(key)
    else:
        values = {name: value for name, (_, value) in zip(columns, key, strict=True)}
    return tuple(folded(str(values[name])) for name in columns)


def is_same_value(value: Scalar, cell: str) -> bool:
    """Whether a cited value is a cell's: the same text once folded, or the same number.

    Examples
    --------
    >>> is_same_value(1.75, "1.750"), is_same_value("−1.25", "-1.25"), is_same_value(1.7, "1.75")
    (True, True, False)
    """
    cited, held = folded(str(value)), folded(cell)
    if cited == held:
        return True
    if not (_NUMBER.fullmatch(cited) and _NUMBER.fullmatch(held)):
        return False
    return _exact(cited) == _exact(held)


def _exact(number: str) -> float | int:
    return int(number) if number.lstrip("+-").isdigit() and len(number) < 400 else float(number)
