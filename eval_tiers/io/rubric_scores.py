"""Reads what the scoring of rubrics wrote: summaries and the table of pairs."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.io.samples_csv import unquoted
from eval_tiers.io.sources import read_bytes, require_file
from eval_tiers.io.text_lines import decode_text
from eval_tiers.rubrics.scored_rows import NEEDED, ScoredRow, parse_pair

PAIRS: Final = "pairs"
_LONGEST_CELL: Final = 1 << 30
_NUMBERS: Final = frozenset({"rubric_index", "weight", "score", "confidence"})


def summary_files(folder: Path, stem: str) -> list[Path]:
    """Return the summaries of a stem in a folder, oldest first."""
    return sorted(folder.glob(f"{stem}_*.json"), key=_age)


def _age(path: Path) -> tuple[str, int]:
    stamp, _, number = path.stem.partition("-")
    return stamp, int(number) if number.isdigit() else 1


def read_pairs(folder: Path, stamp: str, summary: Mapping[str, Any]) -> list[ScoredRow]:
    """Read the table of pairs that belongs to a summary.

    Raises
    ------
    MissingResourceError, BadInputError
        It isn't there, or isn't what this version writes.
    """
    path = folder / f"{PAIRS}_{stamp}.csv"
    require_file(path, "table of pairs")
    text = decode_text(read_bytes(path), str(path))
    safe = bool(summary.get("spreadsheet_safe"))
    limit = csv.field_size_limit(_LONGEST_CELL)
    try:
        reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        if not set(reader.fieldnames or ()) >= NEEDED:
            raise _bad(path, "columns are missing")
        rows = [_row(record, path, reader.line_num, safe) for record in reader]
    except csv.Error as error:
        raise _bad(path, str(error)) from error
    finally:
        csv.field_size_limit(limit)
    expected = summary["coverage"]["pair_n"]
    if len(rows) != expected:
        raise _bad(path, f"it has {len(rows)} rows, the summary tells of {expected}")
    return rows


def _row(record: Mapping[str, Any], path: Path, line: int, safe: bool) -> ScoredRow:
    if None in record or None in record.values():
        raise _bad(path, "a row has not as many cells as the header", line)
    cells = record
    if safe:
        cells = {
            name: cell if name in _NUMBERS else unquoted(cell) for name, cell in record.items()
        }
    try:
        return parse_pair(cells)
    except (TypeError, ValueError) as error:
        raise _bad(path, str(error), line) from error


def _bad(path: Path, why: str, line: int | None = None) -> BadInputError:
    message = f"the table of pairs can't be read ({why[:120]})"
    return BadInputError(Problem("bad-table", message, SourceRef(str(path), line), "score again"))


def find_recorded(results: Sequence[Path], name: str) -> Any:
    """Return what the merges that wrote result files recorded by a name, None without.

    A merge writes ``merge_<time>.json`` beside ``batch_evaluation_<time>.jsonl``. Where files say
    different things there is none that holds for all.
    """
    from eval_tiers.exceptions import EvalTiersError
    from eval_tiers.io.run_reading import read_object

    found = []
    for path in results:
        stamp = path.name.partition(".")[0].removeprefix("batch_evaluation_")
        beside = path.with_name(f"merge_{stamp}.json")
        try:
            value = read_object(beside, "summary").get(name) if beside.is_file() else None
        except (EvalTiersError, OSError):
            value = None
        if value not in found:
            found.append(value)
    return found[0] if len(found) == 1 else None
