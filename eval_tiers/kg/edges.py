"""Edge tables: what a reader makes of one file, before files are united into a graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields

import numpy as np

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import SourceRef
from eval_tiers.kg.coded import BoolArray, CodedColumn, Int8Array, Int32Array, is_empty
from eval_tiers.kg.naming import NodeNames
from eval_tiers.kg.wording import LINES_SHOWN, plural, say_lines


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
        Unique names, stripped and (unless `keep_case`) upper-cased, in order of first use; lone
        nodes included.
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
    keep_case : bool
        Names are in the case of the file.
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
    keep_case: bool = False

    @property
    def edge_n(self) -> int:
        """Rows of the table."""
        return int(self.source.size)


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
    keep_case: bool = False,
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
    keep_case : bool
        Whether names keep their case (else: upper-cased, as human symbols).
    """
    found = list(findings)
    keep = ~(is_empty(source) | is_empty(target))
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
    interner = NodeNames(keep_case)
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
        keep_case=keep_case,
    )


def _no_line(row: int) -> int | None:
    return None
