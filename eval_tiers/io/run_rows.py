"""Which rows of two runs' tables are of one key: joined on whole numbers, not on texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from eval_tiers.exceptions import BadInputError, Problem
from eval_tiers.io.run_tables import word_codes

Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Matched:
    """Rows of two tables that belong together.

    Attributes
    ----------
    first, second : int[n]
        Row numbers, in the order of the first table.
    only_first, only_second : int
        Rows without a counterpart.
    """

    first: Rows
    second: Rows
    only_first: Rows
    only_second: Rows


def match_rows(first: pa.Table, second: pa.Table, names: Sequence[str]) -> Matched:
    """Join two tables on columns that tell the rows of either apart; null equals null.

    Raises
    ------
    BadInputError
        Two rows of one table have one key.
    """
    one, other = key_codes((first, second), names)
    size = 1 + max(int(one.max(initial=-1)), int(other.max(initial=-1)))
    for codes in (one, other):
        if np.bincount(codes, minlength=1).max() > 1:
            shown = ", ".join(names)
            message = f"rows can't be told apart: several have the same {shown}"
            raise BadInputError(Problem("ambiguous-rows", message, fix="give the rows ids"))
    place = _places(one, other, size)
    free = np.ones(len(other), np.bool_)
    free[place[place >= 0]] = False
    return Matched(
        np.flatnonzero(place >= 0),
        place[place >= 0],
        np.flatnonzero(place < 0),
        np.flatnonzero(free),
    )


def places_in(first: pa.Table, second: pa.Table, names: Sequence[str]) -> Rows:
    """Return, for each row of a table, the first row of another with its key; -1 for none."""
    one, other = key_codes((first, second), names)
    size = 1 + max(int(one.max(initial=-1)), int(other.max(initial=-1)))
    return _places(one, other, size)


def row_codes(table: pa.Table, names: Sequence[str]) -> Rows:
    """Return a number for each row, the same where these columns are."""
    return key_codes((table,), names)[0]


def _places(codes: Rows, known: Rows, size: int) -> Rows:
    row: Rows = np.full(size, -1, np.int64)
    row[known[::-1]] = np.arange(len(known) - 1, -1, -1)  # the first row is written last
    return row[codes]


def key_codes(tables: Sequence[pa.Table], names: Sequence[str]) -> list[Rows]:
    """Return a number for each row of several tables, the same where these columns are.

    The numbers begin at 0 and are at most some three times the number of rows; null equals null.
    """
    codes: Rows = np.zeros(sum(table.num_rows for table in tables), np.int64)
    size = 1
    for name in names:
        of_column, count = _column_codes([table[name] for table in tables])
        if count > 1:
            codes = codes * count + of_column
            size *= count
            if size > 2 * len(codes) + 1:
                codes = np.asarray(np.unique(codes, return_inverse=True)[1], np.int64)
                size = int(codes.max(initial=-1)) + 1
    ends = np.cumsum([table.num_rows for table in tables])
    return list(np.split(codes, ends[:-1]))


def _column_codes(columns: Sequence[pa.ChunkedArray]) -> tuple[Rows, int]:
    """Return the codes of columns together, and how many there are; null is one of them."""
    kinds = [pa.types.is_dictionary(column.type) for column in columns]
    if all(kinds):
        chunks = [chunk for column in columns for chunk in column.chunks]
        words, codes = word_codes(pa.chunked_array(chunks, columns[0].type))
        return codes + 1, len(words) + 1
    texts = [column.cast(pa.large_string()) for column in columns]
    together = pa.chunked_array(
        [chunk for column in texts for chunk in column.chunks], pa.large_string()
    )
    coded = pc.dictionary_encode(together, null_encoding="encode")
    parts = [chunk.indices.to_numpy(zero_copy_only=False) for chunk in coded.chunks]
    if not parts:
        return np.zeros(0, np.int64), 1
    codes = np.concatenate(parts).astype(np.int64)
    del coded, parts, together, texts
    pa.default_memory_pool().release_unused()  # the table of words is large, and needed no more
    return codes, int(codes.max(initial=-1)) + 1
