"""Reading columns of delimited text: a fast path by Arrow, a careful one line by line."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO, Any, cast

import numpy as np

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.kg.coded import CodedColumn, encode_column
from eval_tiers.kg.delimited import Layout, is_preamble, split_line
from eval_tiers.kg.wording import LINES_SHOWN, say_lines

MAX_RAGGED_RATE = 0.05
MAX_QUOTED_LINES = 20


@dataclass(frozen=True, slots=True)
class Columns:
    """Columns of a delimited file, row by row.

    Attributes
    ----------
    columns : list of CodedColumn
        In the order asked for.
    row_n : int
        Rows in each.
    ragged_n : int
        Rows left out since their number of cells is another.
    findings : list of Finding
        About those.
    """

    columns: list[CodedColumn]
    row_n: int
    ragged_n: int
    findings: list[Finding]
    _data: bytes = field(repr=False)
    _has_header: bool
    _lines: list[int] | None

    def line_of(self, row: int) -> int | None:
        """Return the physical line of a row (found by counting, so ask for few)."""
        if self._lines is not None:
            return self._lines[row]
        ordinal = row + self._has_header
        for line, text in enumerate(self._data.split(b"\n"), 1):
            if not text or is_preamble(text, line):
                continue
            if ordinal == 0:
                return line
            ordinal -= 1
        return None


def read_columns(
    data: bytes, path: str, layout: Layout, wanted: Sequence[int], has_header: bool
) -> Columns:
    """Read some columns of a delimited file.

    Parameters
    ----------
    data : bytes
        Decompressed, LF line ends; see `require_text`.
    path : str
        For messages.
    layout : Layout
        From `sniff_layout`.
    wanted : sequence of int
        Places of the columns; all within the first row.
    has_header : bool
        Whether the first row names the columns and is no data.

    Raises
    ------
    BadInputError
        There is no row, no row is readable, or more than 5 % have another number of cells.
    """
    width = len(layout.first) if has_header else max(layout.common_width, max(wanted) + 1)
    columns = _read_fast(data, layout, wanted, has_header, width)
    if columns is None:
        columns = _read_careful(data, path, layout, wanted, has_header, width)
    if not columns.row_n:
        raise BadInputError(
            Problem(
                "no-rows",
                "there is a header and no row below it" if has_header else "there is no row",
                SourceRef(path),
                "get the file again",
            )
        )
    return columns


def _body_start(data: bytes, has_header: bool) -> int:
    """Return the offset of the first data row: past comments, ``sep=`` and the header."""
    start, number, header = 0, 0, has_header
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        line = data[start : min(end, start + 64)]
        number += 1
        if line.strip() and not is_preamble(line, number):
            if not header:
                return start
            header = False
        start = end + 1
    return len(data)


def _read_fast(
    data: bytes, layout: Layout, wanted: Sequence[int], has_header: bool, width: int
) -> Columns | None:
    """Read by Arrow; None for a file that needs care (ragged, comments inside, odd quotes)."""
    import pyarrow as pa
    import pyarrow.csv as pacsv

    start = _body_start(data, has_header)
    if start >= len(data) or data.find(b"\n#", start) >= 0:
        return None
    if data.startswith((b"#", b"\xef\xbb\xbf"), start):  # Arrow would take off a BOM here
        return None
    quoted = b'"' in data
    names = [str(place) for place in range(width)]
    coded = pa.dictionary(pa.int32(), pa.string())
    try:
        table = pacsv.read_csv(
            cast("IO[Any]", pa.BufferReader(pa.py_buffer(memoryview(data)[start:]))),
            read_options=pacsv.ReadOptions(column_names=names, block_size=1 << 22),
            parse_options=pacsv.ParseOptions(
                delimiter=layout.delimiter, quote_char='"' if quoted else False
            ),
            convert_options=pacsv.ConvertOptions(
                include_columns=sorted({names[place] for place in wanted}),
                column_types=dict.fromkeys(names, coded),
                null_values=[],
                strings_can_be_null=False,
                quoted_strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid:
        return None
    if quoted and table.num_rows != sum(map(bool, data[start:].split(b"\n"))):
        return None
    columns = [_coded(table.column(names[place]).unify_dictionaries()) for place in wanted]
    return Columns(columns, table.num_rows, 0, [], data, has_header, None)


def _coded(column: Any) -> CodedColumn:
    """Take codes and values out of an Arrow dictionary column without nulls.

    By way of its buffers: Arrow's own conversion to NumPy would import pandas.
    """
    values: list[str] = []
    codes = [np.empty(0, dtype=np.int32)]
    for chunk in column.chunks:
        values = values or chunk.dictionary.to_pylist()
        raw = np.frombuffer(chunk.indices.buffers()[1], dtype=np.int32)
        codes.append(raw[chunk.offset : chunk.offset + len(chunk)])
    return CodedColumn(values, np.concatenate(codes))


def _records(data: bytes, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield line number and cells of each row; a quoted cell may span up to 20 lines."""
    lines = data.decode("utf-8").split("\n")
    number = 0
    while number < len(lines):
        line = lines[number]
        number += 1
        if not line.strip() or is_preamble(line[:64].encode(), number):
            continue
        if '"' not in line:
            yield number, line.split(delimiter)
            continue
        row, more = _quoted_record(lines[number - 1 : number + MAX_QUOTED_LINES], delimiter)
        yield number, row
        number += more


def _quoted_record(lines: Sequence[str], delimiter: str) -> tuple[list[str], int]:
    """Read the first line, and the lines that its last quoted cell goes on in; count those.

    A quote that is never closed ends with its line.
    """
    for more in range(len(lines)):
        try:
            text = "\n".join(lines[: more + 1])
            return next(csv.reader([text], delimiter=delimiter, strict=True), [""]), more
        except csv.Error as error:
            if "unexpected end" in str(error):
                continue
            break
    return split_line(lines[0], delimiter), 0


def _trimmed(row: Sequence[str]) -> Sequence[str]:
    """Return a row without the blank cells at its end (a header with tabs too many)."""
    end = len(row)
    while end and not row[end - 1].strip():
        end -= 1
    return row[:end]


def _read_careful(
    data: bytes, path: str, layout: Layout, wanted: Sequence[int], has_header: bool, width: int
) -> Columns:
    """Read line by line; rows of another width are left out and counted."""
    cells: list[list[str]] = []
    lines: list[int] = []
    ragged: list[int] = []
    header = has_header
    least = len(_trimmed(layout.first)) if has_header else width
    for line, row in _records(data, layout.delimiter):
        if header:
            header = False
            continue
        while len(row) > width and not row[-1].strip():
            row.pop()
        if not least <= len(row) <= width:
            ragged.append(line)
            continue
        row += [""] * (width - len(row))
        cells.append([row[place] for place in wanted])
        lines.append(line)
    findings = []
    if ragged:
        total = len(ragged) + len(lines)
        message = (
            f"{len(ragged)} of {total} rows {'has' if len(ragged) == 1 else 'have'} another number "
            f"of columns than {width}{say_lines(ragged[:LINES_SHOWN])}"
        )
        where = SourceRef(path, ragged[0])
        if not lines or len(ragged) > MAX_RAGGED_RATE * total:
            raise BadInputError(
                Problem("ragged-rows", message, where, "give every row the same columns")
            )
        findings.append(Finding("ragged-row", message + "; left out", where))
    columns = [encode_column(row[place] for row in cells) for place in range(len(wanted))]
    return Columns(columns, len(lines), len(ragged), findings, data, has_header, lines)
