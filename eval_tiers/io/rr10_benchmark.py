"""Reads the items of an RR-10 benchmark file."""

from __future__ import annotations

import tempfile
from pathlib import Path

from eval_tiers.domain.rr10 import Item
from eval_tiers.exceptions import Problem, SourceRef
from eval_tiers.formats.base import CitationFormat, RecordFault
from eval_tiers.formats.registry import format_named
from eval_tiers.io.pairing import ProblemList
from eval_tiers.io.rows import iter_rows, parse_row


def read_items(
    path: Path, scratch: Path | None = None, format_name: str = "rr10", duplicates: str = "error"
) -> list[Item]:
    """Read all items of a benchmark, in file order.

    Parameters
    ----------
    path : Path
        JSON Lines (or one JSON array), plain, gzip or zstd.
    scratch : Path, optional
        Folder for a decompressed copy; a temporary one by default.
    format_name : str
        A format whose answers cite datasets.
    duplicates : {"error", "first", "last"}
        Which of two items with one id is kept; ``error``: bad input.

    Raises
    ------
    BadInputError
        A row is no item that can be scored; all of them are told.
    MissingResourceError
        The file isn't there or can't be read.
    """
    if scratch is None:
        with tempfile.TemporaryDirectory(prefix="eval_tiers-") as folder:
            return read_items(path, Path(folder), format_name, duplicates)
    benchmark = format_named(format_name)
    if not isinstance(benchmark, CitationFormat):
        raise TypeError(f"{format_name} is no format of cited evidence")
    problems = ProblemList()
    items: dict[str, Item] = {}
    row_n = 0
    for line, raw in iter_rows(path, scratch):
        row_n += 1
        try:
            item = benchmark.parse_item(parse_row(raw, strict=True), line)
        except RecordFault as fault:
            where = SourceRef(str(path), line, fault.field)
            problems.add(Problem(fault.code, fault.message, where, fault.fix))
            continue
        first = items.get(item.sample_id)
        if first is None or duplicates == "last":
            items[item.sample_id] = item
        elif duplicates == "error":
            problems.add(
                Problem(
                    "duplicate-id",
                    f"the id '{item.sample_id}' is given twice: lines {first.line} and {line}",
                    SourceRef(str(path), line, "id", item.sample_id),
                    "keep one, or go on with --duplicates first (or last)",
                )
            )
    if not row_n:
        problems.add(Problem("empty-file", "the gold file holds no rows", SourceRef(str(path))))
    problems.raise_if_any()
    return sorted(items.values(), key=lambda item: item.line)
