"""A view's rows as a file, part by part: never the whole of it in memory."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from eval_tiers.io.tables import csv_header, render_csv
from eval_tiers.viewer.conditions import order_of, quoted_name, source_of, where_of
from eval_tiers.viewer.run import TableRun
from eval_tiers.viewer.side_tables import SideTable, side_table_of
from eval_tiers.viewer.view_state import View

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

_ROWS: Final = 16_384


@dataclass(frozen=True)
class Exported:
    """What is exported: the rows of a view, with the columns of the tables beside it."""

    database: duckdb.DuckDBPyConnection
    run: TableRun
    sides: Sequence[SideTable]
    view: View

    @property
    def beside(self) -> list[str]:
        """Columns that come after those of the samples table."""
        return [name for side in self.sides for name in side.exported]

    def tables(self) -> Iterator[pa.Table]:
        """Yield the rows, some at a time; sorting goes over the database's scratch folder."""
        where, values = where_of(self.view, self.run.columns)
        columns = ", ".join(map(quoted_name, ("row_number", *self.run.columns)))
        is_joined = any(side_table_of(name) for name, _ in self.view.chosen)  # keeps no order
        order = f"ORDER BY {order_of(self.view)}" if self.view.sort or is_joined else ""
        result = self.database.cursor().sql(
            f"SELECT {columns} FROM {source_of(self.view)} WHERE {where} {order}", params=values
        )
        cursor = self.database.cursor()
        for table in _at_least(_ROWS, result.to_arrow_reader(_ROWS)):
            rows = table["row_number"]
            table = table.drop_columns("row_number")
            for side in self.sides:
                if side.exported:
                    found = _looked_up(cursor, side, rows)
                    for name in side.exported:
                        table = table.append_column(name, found[name])
            yield table


def csv_parts(exported: Exported) -> Iterator[bytes]:
    """Yield rows as one CSV, as the run's own table is written."""
    safe = bool(exported.run.manifest.get("spreadsheet_safe"))
    waiting = exported.tables()
    first = next(waiting, None)  # before the header: a table that can't be read gives nothing
    yield csv_header([*exported.run.columns, *exported.beside])
    if first is not None:
        yield render_csv(first, safe, header=False)
    for table in waiting:
        yield render_csv(table, safe, header=False)


def parquet_parts(exported: Exported) -> Iterator[bytes]:
    """Yield rows as one Parquet file, in groups of some rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    own = pq.read_schema(exported.run.samples)
    fields = [own.field(name) for name in exported.run.columns]
    fields += [
        pa.field(name, pa.float64() if name == "confidence" else pa.string())
        for name in exported.beside
    ]
    schema = pa.schema(fields)
    waiting = exported.tables()
    first = next(waiting, None)
    drain = _Drain()
    with pq.ParquetWriter(drain, schema) as writer:
        if first is not None:
            writer.write_table(first.cast(schema))
            yield drain.taken()
        for table in waiting:
            writer.write_table(table.cast(schema))
            yield drain.taken()
    yield drain.taken()


def _looked_up(
    cursor: duckdb.DuckDBPyConnection, side: SideTable, rows: pa.ChunkedArray
) -> pa.Table:
    """Return the exported columns of a side table for these rows, null where it lacks them."""
    import pyarrow as pa

    place = pa.array(range(len(rows)), pa.int32())
    cursor.register("wanted", pa.table({"row_number": rows, "place": place}))
    columns = ", ".join(f"t.{name}" for name in side.exported)
    found: pa.Table = cursor.sql(
        f"SELECT {columns} FROM wanted w LEFT JOIN {side.name} t ON t.row_number = w.row_number "
        "ORDER BY w.place"
    ).to_arrow_table()
    cursor.unregister("wanted")
    return found


def _at_least(row_n: int, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Yield batches put together, none empty and each of that many rows, but for the last."""
    import pyarrow as pa

    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        if len(batch):
            waiting.append(batch)
        if sum(map(len, waiting)) >= row_n:
            yield pa.Table.from_batches(waiting)
            waiting = []
    if waiting:
        yield pa.Table.from_batches(waiting)


class _Drain(io.RawIOBase):
    """A file that is only written to; what was written is taken away as it comes."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._length = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        part = bytes(data)
        self._parts.append(part)
        self._length += len(part)
        return len(part)

    def tell(self) -> int:
        return self._length

    def taken(self) -> bytes:
        """Return what was written since the last time."""
        found = b"".join(self._parts)
        self._parts = []
        return found
