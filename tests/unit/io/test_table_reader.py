"""A table read part by part, or so many rows at a time over the borders of its parts."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from eval_tiers.exceptions import BadInputError, MissingResourceError
from eval_tiers.io.table_reader import TableReader


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Ten rows in parts of four."""
    target = tmp_path / "x.parquet"
    pq.write_table(pa.table({"a": list(range(10)), "b": ["z"] * 10}), target, row_group_size=4)
    return target


def test_parts(path: Path) -> None:
    reader = TableReader(path, "x", ["a"])
    assert [part["a"].to_pylist() for part in reader.groups(["a"])] == [
        [0, 1, 2, 3], [4, 5, 6, 7], [8, 9],
    ]  # fmt: skip
    assert (reader.row_n, reader.names) == (10, ["a", "b"])


def test_rows_over_borders(path: Path) -> None:
    reader = TableReader(path, "x")
    taken = [reader.take(n, ["a"])["a"].to_pylist() for n in (0, 3, 6, 0, 1, 0)]
    assert taken == [[], [0, 1, 2], [3, 4, 5, 6, 7, 8], [], [9], []]
    with pytest.raises(BadInputError, match="fewer rows"):
        reader.take(1, ["a"])


def test_a_table_without_rows(tmp_path: Path) -> None:
    target = tmp_path / "x.parquet"
    pq.ParquetWriter(target, pa.schema([("a", pa.int64())])).close()
    reader = TableReader(target, "x", ["a"])
    assert [part.num_rows for part in reader.groups()] == [0]
    assert reader.take(0).num_rows == 0


def test_what_is_no_table(path: Path, tmp_path: Path) -> None:
    with pytest.raises(MissingResourceError):
        TableReader(tmp_path / "none.parquet", "x")
    with pytest.raises(BadInputError, match="lacks the columns: c"):
        TableReader(path, "x", ["a", "c"])
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(BadInputError, match="damaged"):
        TableReader(path, "x")
    spoilt = bytearray(data)
    spoilt[4:60] = b"\xff" * 56
    path.write_bytes(bytes(spoilt))
    with pytest.raises(BadInputError, match="damaged"):
        list(TableReader(path, "x").groups())
