"""A samples table as the user hands it over: maybe filtered or sorted, its rows kept as they are.

Values are read as text, so that no cell changes on the way; what is added goes after each row.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.io.sources import UTF8_BOM, read_bytes, refuse_utf16
from eval_tiers.io.tables import SAMPLE_KEY
from eval_tiers.rescue.cases import SampleKey

if TYPE_CHECKING:
    import pyarrow as pa

NEEDED: Final = (
    "sample_id", "gold_label", "predicted_label", "answer_correct", "error_label", "hard_case",
    "source_path", "source_line",
)  # fmt: skip
Cell = str | float | bool | None
_FORMULA_STARTS: Final = "=+-@\t\r"


@dataclass(slots=True)
class SamplesTable:
    """Rows of a samples table.

    Attributes
    ----------
    path : Path
    sha256 : str
        Of the file as it lies on disk.
    header : bytes
        First line, without its end.
    records : list of bytes
        The other rows as written, without their ends; a quoted cell may hold line breaks.
    line_end : bytes
    cells : pyarrow.Table
        Of text; null for an empty cell.
    spreadsheet_safe : bool
        Whether ``'`` is taken off before what a spreadsheet would run.
    """

    path: Path
    sha256: str
    header: bytes
    records: list[bytes]
    line_end: bytes
    cells: pa.Table
    spreadsheet_safe: bool = False
    _columns: dict[str, list[str | None]] = field(default_factory=dict)
    _keys: list[SampleKey] | None = None

    def __len__(self) -> int:
        return len(self.records)

    def __contains__(self, name: object) -> bool:
        """Tell whether the table has a column."""
        return name in self.cells.column_names

    def column(self, name: str) -> list[str | None]:
        """Return a column, None for an empty cell; all None where the table lacks it."""
        found = self._columns.get(name)
        if found is None:
            found = [None] * len(self.records)
            if name in self:
                found = self.cells[name].to_pylist()
                if self.spreadsheet_safe:
                    found = list(map(unquoted, found))
            self._columns[name] = found
        return found

    def numbers(self, name: str) -> list[float | None]:
        """Return a column of numbers.

        Raises
        ------
        BadInputError
            A cell is no finite number.
        """
        found: list[float | None] = []
        for row, cell in enumerate(self.column(name)):
            try:
                value = None if cell is None else float(cell)
            except ValueError:
                value = math.nan
            if value is not None and not math.isfinite(value):
                where = SourceRef(str(self.path), None, name, self.keys()[row][0])
                fix = "save the table with points in numbers, as eval writes it"
                raise BadInputError(Problem("not-a-number", f"{cell!r} is no number", where, fix))
            found.append(value)
        return found

    def keys(self) -> list[SampleKey]:
        """Return each row's key: sample_id, split, pert_type, rollout."""
        if self._keys is None:
            names = [self.column(name) for name in SAMPLE_KEY]
            self._keys = [
                (sample_id or "", split, kind, rollout)
                for sample_id, split, kind, rollout in zip(*names, strict=True)
            ]
        return self._keys


def read_samples(path: Path, spreadsheet_safe: bool = False) -> SamplesTable:
    """Read a samples table.

    Parameters
    ----------
    path : Path
        CSV in UTF-8, as ``eval`` writes it or a spreadsheet saves it.
    spreadsheet_safe : bool
        The run put ``'`` before cells that a spreadsheet would run: taken off again from the
        values, not from the rows.

    Raises
    ------
    MissingResourceError
        No such file.
    BadInputError
        No CSV, a column that is needed is missing, or a row is there twice.
    """
    import pyarrow as pa
    from pyarrow import csv

    data = read_bytes(path, "samples table")
    refuse_utf16(data[:400], str(path))
    sha256 = hashlib.sha256(data).hexdigest()
    data = data.removeprefix(UTF8_BOM)
    header, records, line_end = _records(data)
    names = _header_names(header, path)
    try:
        table = csv.read_csv(
            pa.BufferReader(data),
            parse_options=csv.ParseOptions(newlines_in_values=True),
            convert_options=csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()),
                strings_can_be_null=True,
                null_values=[""],
                quoted_strings_can_be_null=False,
            ),
        )
    except (pa.ArrowInvalid, UnicodeDecodeError) as error:
        message = f"this is no samples table: {str(error).splitlines()[0][:160]}"
        raise BadInputError(Problem("bad-table", message, SourceRef(str(path)))) from error
    if table.num_rows != len(records):
        message = f"{len(records)} rows by their quotes, but {table.num_rows} by their cells"
        raise BadInputError(Problem("bad-table", message, SourceRef(str(path))))
    found = SamplesTable(path, sha256, header, records, line_end, table, spreadsheet_safe)
    _refuse_repeats(found)
    return found


def render_extended(table: SamplesTable, added: Mapping[str, Sequence[Cell]]) -> bytes:
    """Return the table as CSV with columns added after each row.

    Written as ``eval`` writes tables: None an empty cell, True and False, texts in quotes.
    """
    end = table.line_end
    lines = [table.header + b"," + ",".join(f'"{name}"' for name in added).encode()]
    cells = [list(map(_cell, column)) for column in added.values()]
    lines += [
        record + b"," + ",".join(row).encode("utf-8", "backslashreplace")
        for record, row in zip(table.records, zip(*cells, strict=True), strict=True)
    ]
    return end.join(lines) + end


def formula_safe(text: str | None) -> str | None:
    """Return a text with ``'`` before it where a spreadsheet would run it."""
    return f"'{text}" if text and text[0] in _FORMULA_STARTS else text


def _cell(value: Cell) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        return repr(value)
    return '"' + value.replace('"', '""') + '"'


def unquoted(text: str | None) -> str | None:
    """Return a text without the ``'`` that `formula_safe` puts before it."""
    if text is not None and len(text) > 1 and text[0] == "'" and text[1] in _FORMULA_STARTS:
        return text[1:]
    return text


def _records(data: bytes) -> tuple[bytes, list[bytes], bytes]:
    """Split at line ends outside of quotes; return header, rows that aren't blank, line end."""
    line_end = b"\r\n" if b"\r\n" in data[: data.find(b"\n") + 1] else b"\n"
    found: list[bytes] = []
    open_parts: list[bytes] = []
    for line in data.split(b"\n"):
        if open_parts or line.count(b'"') % 2:
            closes = bool(open_parts) and line.count(b'"') % 2 == 1
            open_parts.append(line)
            if not closes:
                continue
            line = b"\n".join(open_parts)
            open_parts = []
        line = line.removesuffix(b"\r")
        if line:
            found.append(line)
    if open_parts:
        found.append(b"\n".join(open_parts))
    return (found[0] if found else b""), found[1:], line_end


def _header_names(header: bytes, path: Path) -> list[str]:
    import csv

    text = header.decode("utf-8", "replace")
    names = next(csv.reader([text]), [])
    missing = [name for name in NEEDED if name not in names]
    if not missing and len(set(names)) == len(names):
        return names
    where = SourceRef(str(path), 1)
    if not missing:
        twice = next(name for name in names if names.count(name) > 1)
        raise BadInputError(
            Problem("repeated-column", f"the column '{twice}' is there twice", where)
        )
    if missing == ["error_label", "hard_case"]:
        raise BadInputError(
            Problem(
                "no-error-labels",
                "the run has no error labels: tier 2 did not run",
                where,
                "evaluate with --tiers 1 2",
            )
        )
    message = f"columns of a samples table are missing: {', '.join(missing)}"
    fix = "hand over samples_<timestamp>.csv of a run; rows may be left out, columns may not"
    if ";" in text and "," not in text:
        fix = "save it with commas between the cells, as eval writes it"
    raise BadInputError(Problem("missing-columns", message, where, fix))


def _refuse_repeats(table: SamplesTable) -> None:
    seen: set[SampleKey] = set()
    for number, key in enumerate(table.keys()):
        if key in seen:
            message = f"two rows are of the sample '{key[0]}'"
            where = SourceRef(str(table.path), None, "sample_id", key[0])
            raise BadInputError(
                Problem(
                    "duplicate-row", message, where, f"keep one (the second is row {number + 1})"
                )
            )
        seen.add(key)
