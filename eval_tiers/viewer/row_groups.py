"""Single rows of Parquet tables, by the group of rows that holds them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow.parquet as pq


def row_of(path: Path, row: int) -> dict[str, Any] | None:
    """Return a row of a table, from 0; None past its end."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as table:
        group, before = _group_of(table, row)
        if group is None:
            return None
        found = table.read_row_group(group).slice(row - before, 1).to_pylist()
    return dict(found[0])


def rows_beside(
    samples: Path, row: int, path: Path, key: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return the rows with a sample's key in the group that has its group's number.

    A run writes a group a batch into each of its tables. Empty where the tables have not as many
    groups, and where the group has no such row.

    Parameters
    ----------
    samples : Path
        The samples table.
    row : int
        The sample's, from 0.
    path : Path
        The table that is looked into.
    key : mapping of str to value
        Values of the columns that name the sample; None is null.
    """
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    with pq.ParquetFile(samples) as table, pq.ParquetFile(path) as other:
        group, _ = _group_of(table, row)
        if group is None or table.num_row_groups != other.num_row_groups:
            return []
        found = other.read_row_group(group)
    for name, value in key.items():
        column = found[name]
        found = found.filter(pc.is_null(column) if value is None else pc.equal(column, value))
    return [dict(one) for one in found.to_pylist()]


def _group_of(table: pq.ParquetFile, row: int) -> tuple[int | None, int]:
    """Return the group that holds a row, and how many rows come before it."""
    before = 0
    for group in range(table.num_row_groups):
        size = table.metadata.row_group(group).num_rows
        if row < before + size:
            return group, before
        before += size
    return None, before
