"""Edge tables: what a reader makes of one file, before files are united into a graph."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import SourceRef

Int8Array = npt.NDArray[np.int8]
Int32Array = npt.NDArray[np.int32]
BoolArray = npt.NDArray[np.bool_]

LINES_SHOWN = 5

_BREAKS = re.compile(r"[\t\n\r]+")
_TITLE_CASE = re.compile(r"[A-Z][a-z]{0,5}\d*[a-z0-9-]{0,5}\Z")
_ORF = re.compile(r"C(\d+|X|Y)orf\d+\Z")
_MONTH = r"(JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|SEPT|OCT|NOV|DEC)"
_EXCEL_DATE = re.compile(rf"(\d{{1,2}}-{_MONTH}|{_MONTH}-\d{{1,2}})\Z")


def normalise_symbol(name: str) -> str:
    """Return a node name as it is matched: stripped and upper-cased (human symbols).

    Tabs and line breaks inside become one space; nothing else is changed.

    Examples
    --------
    >>> normalise_symbol(" Nkx2-1 ")
    'NKX2-1'
    """
    name = name.strip().upper()
    return _BREAKS.sub(" ", name) if _BREAKS.search(name) else name


@dataclass(frozen=True, slots=True)
class ReadCounts:
    """What became of the rows of a file.

    Attributes
    ----------
    row_n : int
        Data rows (or edges of a stored graph) seen; headers, comments and blank lines aside.
    undirected_n : int
        Rows without a direction, whether skipped or taken both ways.
    undirected_skipped_n : int
        Those of them that were skipped.
    empty_name_n : int
        Rows skipped since a name is empty or no text.
    ragged_n : int
        Rows skipped since they have another number of columns than the others.
    unknown_sign_n : int
        Rows counted unsigned since their sign is no known word or number.
    consensus_differs_n : int
        OmniPath rows whose ``is_*`` and ``consensus_*`` columns disagree.
    """

    row_n: int = 0
    undirected_n: int = 0
    undirected_skipped_n: int = 0
    empty_name_n: int = 0
    ragged_n: int = 0
    unknown_sign_n: int = 0
    consensus_differs_n: int = 0

    def __add__(self, other: ReadCounts) -> ReadCounts:
        return ReadCounts(
            *(getattr(self, item.name) + getattr(other, item.name) for item in fields(self))
        )


@dataclass(frozen=True, slots=True, eq=False)
class EdgeTable:
    """The edges of one file: a row per input row and sign, conflicts and repeats kept.

    Attributes
    ----------
    nodes : list of str
        Unique names, stripped and upper-cased, in order of first use; lone nodes included.
    source, target : ndarray of int32
        Codes into `nodes`.
    sign : ndarray of int8
        1, -1, or 0 for unsigned.
    format_name : str
        The `KGSource` that read it.
    path : str
        The file, for messages.
    findings : tuple of Finding
        Faults that the reader went on from.
    counts : ReadCounts
        What became of the rows.
    title_case : ndarray of bool
        For each node: spelled like a mouse symbol (``Trp53``) in the file.
    """

    nodes: list[str]
    source: Int32Array
    target: Int32Array
    sign: Int8Array
    format_name: str
    path: str
    findings: tuple[Finding, ...]
    counts: ReadCounts
    title_case: BoolArray

    @property
    def edge_n(self) -> int:
        """Rows of the table."""
        return int(self.source.size)


@dataclass(frozen=True, slots=True)
class CodedColumn:
    """A text column as distinct values and int32 codes into them."""

    values: Sequence[str]
    codes: Int32Array


def encode_column(values: Iterable[str]) -> CodedColumn:
    """Return a column of strings as distinct values (in order of first use) and codes."""
    index: dict[str, int] = {}
    codes = [index.setdefault(value, len(index)) for value in values]
    return CodedColumn(list(index), np.asarray(codes, dtype=np.int32))


def build_edge_table(
    source: CodedColumn,
    target: CodedColumn,
    sign: Int8Array,
    *,
    format_name: str,
    path: str,
    counts: ReadCounts,
    findings: Iterable[Finding] = (),
    lone_nodes: Iterable[str] = (),
    line_of: Callable[[int], int | None] | None = None,
) -> EdgeTable:
    """Assemble an edge table: names normalised and interned, rows with an empty name dropped.

    Parameters
    ----------
    source, target : CodedColumn
        Names as the file spells them; one code a row.
    sign : ndarray of int8
        One a row.
    format_name, path : str
        As in `EdgeTable`.
    counts : ReadCounts
        What the reader counted; `empty_name_n` is added to here.
    findings : iterable of Finding
        What the reader found; those on names are added.
    lone_nodes : iterable of str
        Names that take part in no edge.
    line_of : callable, optional
        Physical line of a row, for messages.
    """
    found = list(findings)
    keep = _is_named(source) & _is_named(target)
    empty_n = int(keep.size - np.count_nonzero(keep))
    if empty_n:
        line = line_of if line_of is not None else _no_line
        first = [line(int(row)) for row in np.flatnonzero(~keep)[:LINES_SHOWN]]
        found.append(
            Finding(
                "empty-name",
                f"{empty_n} {plural(empty_n, 'row')} with an empty name skipped{say_lines(first)}",
                SourceRef(path, first[0]),
            )
        )
        source = CodedColumn(source.values, source.codes[keep])
        target = CodedColumn(target.values, target.codes[keep])
        sign = sign[keep]
    interner = _Interner()
    source_codes = interner.codes(source)
    target_codes = interner.codes(target)
    for name in lone_nodes:
        interner.code(name)
    found += interner.findings(path)
    return EdgeTable(
        nodes=interner.nodes,
        source=source_codes,
        target=target_codes,
        sign=sign.astype(np.int8, copy=False),
        format_name=format_name,
        path=path,
        findings=tuple(found),
        counts=counts + ReadCounts(empty_name_n=empty_n),
        title_case=np.asarray(interner.title_case, dtype=np.bool_),
    )


def plural(count: int, noun: str) -> str:
    """Return the noun, with an s unless the count is 1."""
    return noun if count == 1 else f"{noun}s"


def say_lines(lines: Sequence[int | None]) -> str:
    """Return `` (lines 3, 9)`` for the lines that are known, else an empty string."""
    known = [str(line) for line in lines if line is not None]
    return f" ({plural(len(known), 'line')} {', '.join(known)})" if known else ""


def _is_named(column: CodedColumn) -> BoolArray:
    named = np.asarray([bool(value.strip()) for value in column.values], dtype=np.bool_)
    return named[column.codes]


def _no_line(row: int) -> int | None:
    return None


class _Interner:
    """Gives each normalised name one code, and remembers how names were spelled."""

    def __init__(self) -> None:
        self.nodes: list[str] = []
        self.title_case: list[bool] = []
        self._index: dict[str, int] = {}
        self._spelling: list[str] = []
        self._merged: dict[str, str] = {}

    def code(self, raw: str) -> int:
        """Return the code of a name as spelled in the file; -1 for an empty one."""
        spelled = raw.strip()
        name = spelled.upper()
        code = self._index.get(name)
        if code is None:
            if not name:
                return -1
            name = normalise_symbol(name)
            if not name.isascii():
                name = name.encode("utf-8", "replace").decode("utf-8")
            code = self._index.setdefault(name, len(self.nodes))
            if code == len(self.nodes):
                self.nodes.append(name)
                self._spelling.append(spelled)
                self.title_case.append(spelled != name and _looks_like_mouse(spelled))
        elif spelled != self._spelling[code]:
            self._merged.setdefault(name, f"{self._spelling[code]}/{spelled}")
        return code

    def codes(self, column: CodedColumn) -> Int32Array:
        """Intern the values that the column uses (not those of rows left out)."""
        used = np.zeros(len(column.values), dtype=np.bool_)
        used[column.codes] = True
        table = np.full(len(column.values), -1, dtype=np.int32)
        for place in np.flatnonzero(used).tolist():
            table[place] = self.code(column.values[place])
        return table[column.codes]

    def findings(self, path: str) -> list[Finding]:
        found = []
        dates = [name for name in self.nodes if "-" in name and _EXCEL_DATE.match(name)]
        if dates:
            found.append(
                Finding(
                    "excel-date",
                    f"{len(dates)} {plural(len(dates), 'name')} that a spreadsheet turned into a "
                    f"date, left as {'it is' if len(dates) == 1 else 'they are'}: "
                    + ", ".join(dates[:LINES_SHOWN]),
                    SourceRef(path),
                    fix="get the original file: which gene 2-Sep or 1-Mar was can't be told",
                )
            )
        if self._merged:
            count = len(self._merged)
            found.append(
                Finding(
                    "case-merged",
                    f"{count} {plural(count, 'name')} in several spellings (upper and lower case) "
                    "taken for one node: " + ", ".join(list(self._merged.values())[:LINES_SHOWN]),
                    SourceRef(path),
                    "note",
                )
            )
        return found


def _looks_like_mouse(spelled: str) -> bool:
    return (
        _TITLE_CASE.match(spelled) is not None
        and any(letter.islower() for letter in spelled)
        and _ORF.match(spelled) is None
    )
