"""Reads the rows of judged rubrics, and the verdicts of people."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import (
    MAX_PROBLEMS_SHOWN,
    BadInputError,
    MissingResourceError,
    Problem,
    SourceRef,
)
from eval_tiers.formats.base import RecordFault
from eval_tiers.io.rows import iter_rows, parse_row
from eval_tiers.io.sources import UTF8_BOM, read_bytes, reason_of, refuse_utf16, require_file
from eval_tiers.io.text_lines import decode_text
from eval_tiers.rubrics.labels import parse_label
from eval_tiers.rubrics.results import FILE_NAME, GivenRow, parse_result

_DELIMITERS: Final = (",", ";", "\t")
_LABEL_COLUMNS: Final = ("sample_id", "rubric_index", "rubric_title", "verdict")
_FIX_RESULTS: Final = "name a batch_evaluation_*.jsonl, or the folder with them"


@dataclass(slots=True)
class GivenRows:
    """The rows of one or more files.

    Attributes
    ----------
    paths : list of Path
    rows : list of GivenRow
        In the order of the files; rejected ones as well, where they say whose they are.
    unreadable : list of Finding
        Rows that don't.
    findings : list of Finding
        Numbers that can't be used and are taken as unknown.
    """

    paths: list[Path]
    rows: list[GivenRow] = field(default_factory=list)
    unreadable: list[Finding] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def find_result_files(results: Path) -> list[Path]:
    """Return a file, or the ``batch_evaluation_*.jsonl`` files of a folder by name: shards of one.

    Raises
    ------
    MissingResourceError, BadInputError
        There is none, or it can't be read.
    """
    where = SourceRef(str(results))
    try:
        if not results.is_dir():
            return [require_file(results, "results file")]
        names = sorted(path.name for path in results.iterdir() if FILE_NAME.fullmatch(path.name))
    except OSError as error:
        message = f"the folder can't be read: {reason_of(error)}"
        raise MissingResourceError(Problem("unreadable-path", message, where)) from error
    if not names:
        inner = results / "results"
        fix = f"name {inner}" if inner.is_dir() else _FIX_RESULTS
        message = "there is no batch_evaluation_YYYYMMDD_HHMMSS.jsonl in the folder"
        raise BadInputError(Problem("no-results", message, where, fix))
    return [require_file(results / name, "results file") for name in names]


def read_results(results: Path) -> GivenRows:
    """Read the rows of a results file, or of all those of a folder.

    Raises
    ------
    MissingResourceError
        No such file or folder, or it can't be read.
    BadInputError
        A file holds nothing, or no row in them says whose verdict it is.
    """
    found = GivenRows(find_result_files(results))
    for path in found.paths:
        before = len(found.rows) + len(found.unreadable)
        for where, raw in _json_lines(path):
            _add_row(found, where, partial(parse_row, raw, strict=True), _parse_given)
        if len(found.rows) + len(found.unreadable) == before:
            raise _no_row(path, "a results file has one row a rubric")
    _require_any(found)
    return found


def read_labels(path: Path) -> GivenRows:
    """Read people's verdicts: rows as of results, or a table.

    Parameters
    ----------
    path : Path
        JSON Lines, or CSV with the columns sample_id, verdict, and rubric_index or rubric_title;
        plain, gzip or zstd. Or a folder of results files, as `read_results`.

    Raises
    ------
    MissingResourceError, BadInputError
        As `read_results`; a table without these columns.
    """
    found = GivenRows(_label_files(path))
    for one in found.paths:
        _read_label_file(found, one)
    _require_any(found)
    return found


def _label_files(path: Path) -> list[Path]:
    try:
        if path.is_dir():
            return find_result_files(path)
    except OSError:  # told below
        pass
    return [require_file(path, "file of people's verdicts")]


def _read_label_file(found: GivenRows, path: Path) -> None:
    before = len(found.rows) + len(found.unreadable)
    data = read_bytes(path).removeprefix(UTF8_BOM)
    if data.lstrip()[:1] in (b"{", b"["):
        for where, raw in _json_lines(path):
            _add_row(found, where, partial(parse_row, raw, strict=True), _parse_labelled)
    else:
        refuse_utf16(data[:400], str(path))
        for where, record in _table_rows(decode_text(data, str(path)), str(path)):
            _add_row(found, where, partial(dict, record), _parse_labelled)
    if len(found.rows) + len(found.unreadable) == before:
        raise _no_row(path, "write one verdict a row")


def _json_lines(path: Path) -> Iterator[tuple[SourceRef, bytes]]:
    for line, raw in iter_rows(path, None):
        yield SourceRef(str(path), line), raw


def _add_row(
    found: GivenRows,
    where: SourceRef,
    read: Callable[[], Mapping[str, Any]],
    parse: Callable[[Mapping[str, Any], SourceRef, list[Finding]], GivenRow],
) -> None:
    try:
        found.rows.append(parse(read(), where, found.findings))
    except RecordFault as fault:
        found.unreadable.append(
            Finding(fault.code, fault.message, replace(where, field=fault.field), fix=fault.fix)
        )


def _parse_given(record: Mapping[str, Any], where: SourceRef, findings: list[Finding]) -> GivenRow:
    try:
        row, notes = parse_result(record, where)
        fault = None
    except RecordFault as found:  # whose it is may be told all the same, if only by the title
        fault = found
        known = {"rubric_index": None} if found.code == "bad-rubric-index" else {}
        row, notes = parse_result({**record, "success": False, **known}, where)
    findings += notes
    return GivenRow(row, where, _digest(record), fault)


def _parse_labelled(
    record: Mapping[str, Any], where: SourceRef, findings: list[Finding]
) -> GivenRow:
    try:
        return GivenRow(parse_label(record), where, _digest(record))
    except RecordFault as fault:
        blank = {**record, "verdict": None, "score": None}
        return GivenRow(parse_label(blank), where, _digest(record), fault)


def _digest(record: Mapping[str, Any]) -> bytes:
    text = json.dumps(record, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _table_rows(text: str, path: str) -> Iterator[tuple[SourceRef, dict[str, Any]]]:
    """Yield the rows of a table as records; its header is the first line that isn't blank."""
    skipped = 0
    head, _, rest = text.partition("\n")
    delimiter = ""
    if head.strip().strip('"').casefold().startswith("sep=") and len(head.strip()) >= 5:
        delimiter, text, skipped = head.strip().strip('"')[4], rest, 1
    header_line = next((line for line in text.split("\n") if line.strip()), "")
    delimiter = delimiter or max(_DELIMITERS, key=header_line.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    names: list[str] = []
    try:
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            where = SourceRef(path, reader.line_num + skipped)
            if not names:
                names = _header(cells, where)
                continue
            if len(cells) > len(names):
                message = f"the row has {len(cells)} cells, the header {len(names)}"
                fix = "put a cell that holds the delimiter in quotes"
                raise BadInputError(Problem("bad-row", message, where, fix))
            yield where, _record(dict(zip(names, cells, strict=False)))
    except csv.Error as error:
        where = SourceRef(path, reader.line_num + skipped)
        raise BadInputError(Problem("bad-table", f"no table: {error}", where)) from error


def _header(cells: Sequence[str], where: SourceRef) -> list[str]:
    names = [cell.strip().casefold() for cell in cells]
    twice = sorted({name for name in names if name in _LABEL_COLUMNS and names.count(name) > 1})
    if twice:
        message = f"the column '{twice[0]}' is there twice"
        raise BadInputError(Problem("repeated-column", message, where))
    missing = [name for name in ("sample_id", "verdict") if name not in names]
    if "rubric_index" not in names and "rubric_title" not in names:
        missing.append("rubric_index (or rubric_title)")
    if missing:
        message = f"the table lacks the columns: {', '.join(missing)}"
        fix = "write sample_id, rubric_index, verdict in the first row"
        raise BadInputError(Problem("missing-columns", message, where, fix))
    return names


def _record(cells: dict[str, str]) -> dict[str, Any]:
    record: dict[str, Any] = {
        name: cells[name] for name in _LABEL_COLUMNS if cells.get(name, "").strip()
    }
    index = cells.get("rubric_index", "").strip().removesuffix(".0")  # as a data frame writes it
    if index:
        is_whole = index.isascii() and index.isdigit() and len(index) < 10
        record["rubric_index"] = int(index) if is_whole else index
    return record


def _no_row(path: Path, fix: str) -> BadInputError:
    return BadInputError(Problem("empty-file", "the file holds no row", SourceRef(str(path)), fix))


def _require_any(found: GivenRows) -> None:
    if not found.rows:
        shown: Iterable[Finding] = found.unreadable[:MAX_PROBLEMS_SHOWN]
        raise BadInputError(
            [Problem(one.code, one.message, one.where, one.fix) for one in shown],
            len(found.unreadable),
        )
