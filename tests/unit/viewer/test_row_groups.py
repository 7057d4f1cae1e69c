"""Rows by their group: found where the tables go side by side, else left to a search."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from eval_tiers.viewer.row_groups import row_of, rows_beside


@pytest.fixture
def samples(tmp_path: Path) -> Path:
    """Five samples in groups of 2, 2 and 1."""
    path = tmp_path / "samples.parquet"
    pq.write_table(pa.table({"id": ["a", "b", "c", "d", "e"]}), path, row_group_size=2)
    return path


def write_edges(path: Path, *groups: list[tuple[str, str | None, int]]) -> Path:
    schema = pa.schema([("id", pa.string()), ("rollout", pa.string()), ("n", pa.int64())])
    with pq.ParquetWriter(path, schema) as writer:
        for rows in groups:
            columns = list(zip(*rows, strict=True)) if rows else [(), (), ()]
            writer.write_table(
                pa.table({name: list(one) for name, one in zip(schema.names, columns, strict=True)},
                         schema=schema)
            )  # fmt: skip
    return path


@pytest.mark.parametrize(("row", "found"), [(0, "a"), (1, "b"), (2, "c"), (4, "e"), (5, None)])
def test_a_row(samples: Path, row: int, found: str | None) -> None:
    assert row_of(samples, row) == (None if found is None else {"id": found})


def test_rows_of_a_sample_in_its_group(samples: Path, tmp_path: Path) -> None:
    edges = write_edges(
        tmp_path / "edges.parquet",
        [("a", None, 1), ("b", None, 2), ("a", None, 3)], [("d", "r", 4), ("d", None, 5)],
        [("e", None, 6)],
    )  # fmt: skip

    def numbers(row: int, name: str, rollout: str | None) -> list[int]:
        key = {"id": name, "rollout": rollout}
        return [one["n"] for one in rows_beside(samples, row, edges, key)]

    assert numbers(0, "a", None) == [1, 3]
    assert numbers(3, "d", None) == [5] and numbers(3, "d", "r") == [4]
    assert numbers(2, "c", None) == [] == numbers(5, "x", None)


def test_tables_of_other_groups_are_not_looked_into(samples: Path, tmp_path: Path) -> None:
    edges = write_edges(tmp_path / "edges.parquet", [("a", None, 1)], [("c", None, 2)])
    assert rows_beside(samples, 0, edges, {"id": "a"}) == []
