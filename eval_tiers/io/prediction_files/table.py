"""Tables with a header: CSV, TSV, semicolons or bars; Excel's ``sep=`` line, quoted line breaks.

Cells stay text. Names in the header are stripped and case-folded. A cell that is NA, NaN or null
is a missing value, but not in the id column (an id may be ``NA``); an empty one is a blank answer,
or a missing value in any other column.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.io.json_rows import unreadable_row
from eval_tiers.io.prediction_files.shape import (
    Head,
    PredictionFile,
    PredictionNames,
    PredictionShape,
    Row,
    json_row,
)
from eval_tiers.io.prediction_files.table_lines import TableReader

DELIMITERS: Final = (",", ";", "\t", "|")
MISSING: Final = frozenset({"", "na", "nan", "null"})
_SEP_LINE = re.compile(rb'"?sep=([^"\r\n])"?\1*', re.IGNORECASE)
_CONTROL = re.compile(rb"[\0-\x08\x0e-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Layout:
    """How a table is laid out.

    Attributes
    ----------
    delimiter : str
        One character.
    has_sep_line : bool
        The first line is Excel's ``sep=``.
    header : tuple of str
        Cells of the first row, stripped.
    known_n : int
        How many of them are names that are read.
    """

    delimiter: str
    has_sep_line: bool
    header: tuple[str, ...]
    known_n: int


def matches(head: Head) -> int:
    """Tell a table by its header; what has none but looks like one is taken too, to be refused."""
    layout = layout_of(head)
    if layout is None:
        return 0
    if layout.has_sep_line or layout.known_n:
        return 70
    has_rows_of_json = any(line.startswith(b"{") for line in head.lines)
    return 60 if len(layout.header) > 1 and not has_rows_of_json else 0


def layout_of(head: Head) -> Layout | None:
    """Return the layout that reads the most names from the first row; None where it is no text."""
    lines = [line for line in head.data.split(head.line_end) if line.strip()]
    if not lines:
        return None
    sep_line = _SEP_LINE.fullmatch(lines[0].rstrip(b"\r\n"))
    lines = lines[1:] if sep_line else lines
    if not lines or lines[0].lstrip()[:1] in (b"{", b"[", b"<") or _CONTROL.search(lines[0]):
        return None
    try:
        text = [lines[0].decode("utf-8") + "\n"]
        text += [line.decode("utf-8", "replace") + "\n" for line in lines[1:20]]
        delimiters = (sep_line[1].decode("utf-8"),) if sep_line else DELIMITERS
    except UnicodeDecodeError:
        return None
    found = []
    for delimiter in delimiters:
        try:
            cells = next(csv.reader(text, delimiter=delimiter, skipinitialspace=True), [])
        except (csv.Error, ValueError, TypeError):
            continue
        header = tuple(cell.strip("\ufeff \t\r\n") for cell in cells)
        known_n = sum(name.casefold() in head.names.known for name in header)
        found.append(Layout(delimiter, sep_line is not None, header, known_n))
    return max(found, key=lambda one: (one.known_n, len(one.header)), default=None)


def rows(file: PredictionFile) -> Iterator[Row]:
    """Yield a row for each row of the table that isn't empty.

    Raises
    ------
    BadInputError
        No header, no id column, a name that is read given twice, or a quote that is never closed.
    """
    layout = layout_of(file.head)
    if layout is None:
        return
    reader = TableReader(file.path, file.head.line_end, layout.delimiter, layout.has_sep_line)
    columns: _Columns | None = None
    blank, held = list[int](), list[int]()  # lines of empty rows; those before the next full one
    for line, cells, fault in reader:
        if columns is None:
            if fault or any(map(str.strip, cells)):
                columns = _Columns(cells, fault, file, line)
            continue
        if fault is None and not any(map(str.strip, cells)):
            if cells:
                held.append(line)
            continue
        if file.by_position:  # an empty row between others has to keep its place
            yield from ((number, json_row(columns.record(()))) for number in held)
        else:
            blank += held
        held.clear()
        fault = fault or columns.fault_of(cells)
        yield line, unreadable_row(fault) if fault else json_row(columns.record(cells))
    blank += held
    if blank:
        file.notes.skipped["blank_rows"] = len(blank)
        file.notes.findings.append(
            Finding(
                "blank-rows",
                f"{len(blank)} row(s) of empty cells were skipped",
                SourceRef(str(file.path), blank[0]),
                "note",
            )
        )


class _Columns:
    """What the header says: where ids and fields are."""

    def __init__(
        self, cells: Sequence[str], fault: str | None, file: PredictionFile, line: int
    ) -> None:
        names = file.head.names
        written = [cell.strip("\ufeff \t\r\n") for cell in cells]
        folded = [name.casefold() for name in written]
        _check_header(written, folded, fault, names, file, line)
        self.width = len(cells)
        self.ids = [folded.index(name) for name in names.ids if name in folded]
        first: dict[str, int] = {}
        for place, name in enumerate(folded):
            if name and name not in names.ids:
                first.setdefault(name, place)  # of a column that isn't read, the first will do
        self.fields = list(first.items())
        self.answers = [name for name, _ in self.fields if name in names.answers]

    def fault_of(self, cells: Sequence[str]) -> str | None:
        """Return what is wrong with a row."""
        if not any(map(str.strip, cells[self.width :])):
            return None
        return f"the row has {len(cells)} cells, the header has {self.width}"

    def record(self, cells: Sequence[str]) -> dict[str, object]:
        """Return the fields of a row that have a value; blank answers stay blank, others null."""
        found: dict[str, object] = {}
        n = len(cells)
        for place in self.ids:
            if place < n and (sample_id := cells[place].strip()):
                found["id"] = sample_id
                break
        for name, place in self.fields:
            if place >= n:
                continue
            word = cells[place].strip().casefold()
            if word not in MISSING:
                found[name] = cells[place]
            elif not word and name in self.answers:
                found[name] = ""
        if not any(name in found for name in self.answers):
            found.update(dict.fromkeys(self.answers))
        return found


def _check_header(
    written: list[str],
    folded: list[str],
    fault: str | None,
    names: PredictionNames,
    file: PredictionFile,
    line: int,
) -> None:
    where = SourceRef(str(file.path), line)
    holds = ", ".join(repr(cell) for cell in written[:10])
    if fault is not None:
        raise BadInputError(
            Problem(
                "bad-header", f"the header can't be read: {fault}", where, "mend the first line"
            )
        )
    if not names.known.intersection(folded):
        raise BadInputError(
            Problem(
                "no-header",
                f"the table has no header that is known: its first line holds {holds}",
                where,
                f"write the names of the columns into the first line, such as id,{names.text}; "
                f"these are read: {', '.join(sorted(names.known))}",
            )
        )
    twice = [name for name, n in Counter(folded).items() if n > 1 and name in names.known]
    if twice:
        raise BadInputError(
            Problem(
                "repeated-column",
                f"the header has the column '{twice[0]}' more than once: {holds}",
                where,
                "keep one, or rename the other",
            )
        )
    if not file.by_position and not any(name in folded for name in names.ids):
        raise BadInputError(
            Problem(
                "no-id-column",
                f"no column holds the ids; the header has: {holds}",
                where,
                f"name it {' or '.join(names.ids)}, or say --pair position if the rows are in "
                "the order of the gold file",
            )
        )


SHAPE: Final = PredictionShape(
    name="table",
    title="Table with a header: CSV, TSV, semicolons or bars",
    matches=matches,
    rows=rows,
    advice="quote cells that hold the delimiter; in R: write.csv(..., row.names = FALSE)",
    example=b'sep=;\r\nID; Output ;note\r\n007;"up; ""surely""";x\r\nNA;down;\r\n;;\r\n',
    example_rows=(
        {"id": "007", "output": 'up; "surely"', "note": "x"},
        {"id": "NA", "output": "down"},
    ),
    reference="https://www.rfc-editor.org/rfc/rfc4180",
)
