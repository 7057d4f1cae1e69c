"""The fields of a GMT file as flat arrays: what reading and checking both work from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from eval_tiers.go.gmt_text import GmtText, parse_gmt_text

GeneCase = Literal["upper", "keep"]

_TAB, _NEWLINE = 9, 10
_WEIGHTED = re.compile(r"(.*\S)\s*,\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


@dataclass(frozen=True, eq=False, slots=True)
class GmtTable:
    """Rows (lines that hold a set) and gene fields of a GMT file, nothing dropped.

    Attributes
    ----------
    path : str
        For messages.
    text : GmtText
        The clean text.
    comment_line, blank_line : tuple of int
        Physical lines (from 1) that are no sets.
    row_line : int64[rows]
        Physical line of each row.
    row_name, row_description : list of str
        First and second field, stripped; empty when not there.
    row_field_n : int64[rows]
        Fields of the line; 1 when it holds no tab.
    field_row, field_raw : int64[fields], int64[fields]
        Each gene field (the third and later ones, empty ones too, in file order): its row, and
        its index into the arrays below.
    raw : list of str
        Distinct gene fields as they stand in the file.
    spelling : list of str
        The same, stripped and without an Enrichr weight; may be empty.
    weighted : bool[raw]
        A weight was cut off.
    symbol : int32[raw]
        Index into `symbols`; -1 for an empty field.
    symbols : list of str
        Distinct gene symbols, sorted; upper-cased if `case` is "upper".
    case : {"upper", "keep"}
        Whether symbols were upper-cased.
    member : int64[fields that aren't empty]
        ``row * len(symbols) + symbol``, ascending; a gene that comes twice in a row is there
        twice.
    """

    path: str
    text: GmtText
    comment_line: tuple[int, ...]
    blank_line: tuple[int, ...]
    row_line: npt.NDArray[np.int64]
    row_name: list[str]
    row_description: list[str]
    row_field_n: npt.NDArray[np.int64]
    field_row: npt.NDArray[np.int64]
    field_raw: npt.NDArray[np.int64]
    raw: list[str]
    spelling: list[str]
    weighted: npt.NDArray[np.bool_]
    symbol: npt.NDArray[np.int32]
    symbols: list[str]
    case: GeneCase
    member: npt.NDArray[np.int64]


def parse_gmt_table(data: bytes, path: str, case: GeneCase = "upper") -> GmtTable:
    """Split a GMT file into rows and gene fields.

    Strings are handled once for each distinct one; everything else is array work.

    Raises
    ------
    BadInputError
        As `parse_gmt_text`.
    """
    import pyarrow as pa

    text = parse_gmt_text(data, path)
    octets = np.frombuffer(text.data, np.uint8)
    stop = np.flatnonzero((octets == _TAB) | (octets == _NEWLINE))
    offsets = np.concatenate(([0], stop + 1)).astype(np.int64)
    # Each value ends in its own separator, so that the file itself is the values buffer.
    values = pa.LargeStringArray.from_buffers(
        len(stop), pa.py_buffer(offsets), pa.py_buffer(text.data)
    )
    encoded = values.dictionary_encode()
    distinct: list[str] = [value[:-1] for value in encoded.dictionary.to_pylist()]
    code = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)

    last = np.flatnonzero(octets[stop] == _NEWLINE)
    first = np.concatenate(([0], last[:-1] + 1))
    field_n = last - first + 1
    is_row, comments, blanks = _sort_lines(text.data, offsets[first], offsets[last + 1])
    rows = np.flatnonzero(is_row)
    first, field_n = first[rows], field_n[rows]

    names = [distinct[index].strip() for index in code[first].tolist()]
    second = np.where(field_n > 1, code[np.minimum(first + 1, len(code) - 1)], -1)
    descriptions = [distinct[index].strip() if index >= 0 else "" for index in second.tolist()]

    gene_n = np.maximum(field_n - 2, 0)
    field_row = np.repeat(np.arange(len(rows)), gene_n)
    before = np.cumsum(gene_n) - gene_n
    field = np.arange(len(field_row)) - np.repeat(before, gene_n) + np.repeat(first + 2, gene_n)
    used = np.zeros(len(distinct), np.bool_)
    used[code[field]] = True
    renumbered = np.cumsum(used) - 1
    raw = [distinct[index] for index in np.flatnonzero(used).tolist()]
    spelling, weighted = _spellings(raw)
    cased = [text.upper() for text in spelling] if case == "upper" else spelling
    symbols = sorted(set(cased) - {""})
    index_of = {symbol: index for index, symbol in enumerate(symbols)}
    symbol = np.array([index_of.get(name, -1) for name in cased], np.int32)
    field_raw = renumbered[code[field]].astype(np.int64)
    field_symbol = symbol[field_raw]
    filled = field_symbol >= 0
    member = np.sort(field_row[filled] * max(1, len(symbols)) + field_symbol[filled])
    return GmtTable(
        path=path,
        text=text,
        comment_line=comments,
        blank_line=blanks,
        row_line=(rows + 1).astype(np.int64),
        row_name=names,
        row_description=descriptions,
        row_field_n=field_n.astype(np.int64),
        field_row=field_row.astype(np.int64),
        field_raw=field_raw,
        raw=raw,
        spelling=spelling,
        weighted=weighted,
        symbol=symbol,
        symbols=symbols,
        case=case,
        member=member,
    )


def _sort_lines(
    data: bytes, start: npt.NDArray[np.int64], stop: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.bool_], tuple[int, ...], tuple[int, ...]]:
    """Tell lines that hold a set from comments and blank ones (start and stop in bytes)."""
    is_row = np.ones(len(start), np.bool_)
    comments, blanks = [], []
    head = np.frombuffer(data, np.uint8)[start]
    # Only a line that begins with white space (or its own end), '#' or a byte above ASCII.
    for index in np.flatnonzero((head <= ord("#")) | (head > 127)).tolist():
        line = data[int(start[index]) : int(stop[index])]
        if line.startswith(b"#"):
            comments.append(index + 1)
            is_row[index] = False
        elif not line.decode("utf-8").strip():
            blanks.append(index + 1)
            is_row[index] = False
    return is_row, tuple(comments), tuple(blanks)


def _spellings(raw: list[str]) -> tuple[list[str], npt.NDArray[np.bool_]]:
    """Return fields without white space at the ends and without a weight, and which had one."""
    spelling = [field.strip() for field in raw]
    weighted = np.zeros(len(raw), np.bool_)
    for index, text in enumerate(spelling):
        if "," in text:
            match = _WEIGHTED.fullmatch(text)
            if match:
                spelling[index] = match[1]
                weighted[index] = True
    return spelling, weighted


def first_fields(table: GmtTable, flagged: npt.NDArray[np.bool_]) -> Iterator[tuple[int, str]]:
    """Yield each row that holds a gene field flagged in ``flagged[raw]``, with the first one."""
    if not flagged.any():
        return
    hit = np.flatnonzero(flagged[table.field_raw])
    rows, first = np.unique(table.field_row[hit], return_index=True)
    for row, position in zip(rows.tolist(), hit[first].tolist(), strict=True):
        yield row, table.raw[int(table.field_raw[position])]
