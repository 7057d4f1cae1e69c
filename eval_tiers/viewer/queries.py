"""What the pages ask of a run's tables; values go in as parameters, never as SQL."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, Final

from eval_tiers.io.tables import SAMPLE_KEY, csv_header, render_csv
from eval_tiers.viewer import table_columns
from eval_tiers.viewer.conditions import beyond, order_of, quoted_name, where_of
from eval_tiers.viewer.database import RESCUE_COLUMNS, open_database, rows_as_dicts
from eval_tiers.viewer.run import ViewedRun
from eval_tiers.viewer.view_state import NULL, View

Sample = dict[str, Any]
_MOST_VALUES: Final = 200
_EXPORT_ROWS: Final = 16_384
_MOST_EDGES: Final = 2_000


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Where a sample stands in a view.

    Attributes
    ----------
    before_n : int
        Samples of the view that come before it.
    previous, following : int or None
        Row numbers; None at the ends.
    """

    before_n: int
    previous: int | None
    following: int | None


class Samples:
    """The tables of a run, asked by view, row and key. May be used by several threads.

    Attributes
    ----------
    run : ViewedRun
    vocabulary : dict of str to tuple of str
        Values of each column that can be filtered, most frequent first.
    listed, sortable : tuple of str
        Columns of the list; columns it can be sorted by.
    """

    def __init__(self, run: ViewedRun, scratch: Path) -> None:
        self.run = run
        self._database = open_database(run, scratch)
        self._lock = Lock()
        self._counts = lru_cache(maxsize=256)(self._count)
        self.has_rescue = run.rescued is not None
        self.vocabulary = self._find_vocabulary()
        has_rollouts = self._ask("SELECT count(rollout) FROM samples", ())[0][0] > 0
        self.listed = table_columns.listed(run.columns, has_rollouts)
        self.sortable = table_columns.sortable(run.columns)
        self._keys = {
            table: frozenset(str(one[0]) for one in self._run(sql, []).description)
            for table, path, sql in (
                ("chains", run.chains, "SELECT * FROM chains LIMIT 0"),
                ("citations", run.citations, "SELECT * FROM citations LIMIT 0"),
                ("texts", run.texts, "SELECT * FROM texts LIMIT 0"),
            )
            if path is not None
        }
        self.counted = "error_label" if "error_label" in run.columns else "predicted_label"

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def counts(self, view: View) -> tuple[tuple[str, int], ...]:
        """Return how many samples have each error label, most frequent first.

        Of all that the view's other filters let through, whatever labels are chosen. Without
        tier 2: each predicted label. ``-`` is null. Kept for the last 256 filters.
        """
        others = tuple(one for one in view.chosen if one[0] != self.counted)
        plain = View(others, view.gene, view.sample)
        with self._lock:
            return self._counts(plain)

    def total(self, view: View) -> int:
        """Return how many samples a view has."""
        chosen = view.values_of(self.counted)
        return sum(n for label, n in self.counts(view) if not chosen or label in chosen)

    def page(self, view: View) -> list[Sample]:
        """Return the samples of a view's page, with `row_number` and the listed columns."""
        rows = self._page_rows(view)
        if not rows:
            return []
        names = ("row_number", *self.listed)
        found = rows_as_dicts(
            self._run(
                f"SELECT {', '.join(map(quoted_name, names))} FROM samples "
                f"WHERE row_number IN ({', '.join('?' * len(rows))})",
                rows,
            ),
            names,
        )
        by_row = {int(one["row_number"]): one for one in found}
        return [by_row[row] for row in rows]

    def sample(self, row: int) -> Sample | None:
        """Return all columns of one sample, None where there is no such row."""
        import pyarrow.parquet as pq

        if not 0 <= row < self.run.sample_n:
            return None
        with pq.ParquetFile(self.run.samples) as table:  # only the group that holds the row
            for group in range(table.metadata.num_row_groups):
                size = table.metadata.row_group(group).num_rows
                if row < size:
                    found = table.read_row_group(group).slice(row, 1).to_pylist()
                    return dict(found[0])
                row -= size
        return None

    def neighbours(self, view: View, row: int, sample: Sample) -> Neighbours:
        """Return where a sample stands in a view: how many come before, who is next."""
        where, values = where_of(view, self.run.columns)
        before, before_values = beyond(view, row, sample, forwards=False)
        after, after_values = beyond(view, row, sample, forwards=True)
        names = f", {quoted_name(view.sort)}" if view.sort else ""
        rows = f"(SELECT row_number{names} FROM samples WHERE {where})"
        counted = self._ask(f"SELECT count(*) FROM {rows} WHERE {before}", values + before_values)
        previous, following = (
            self._ask(
                f"SELECT row_number FROM {rows} WHERE {side} ORDER BY {order} LIMIT 1",
                values + side_values,
            )
            for side, side_values, order in (
                (before, before_values, order_of(view, backwards=True)),
                (after, after_values, order_of(view)),
            )
        )
        return Neighbours(
            int(counted[0][0]),
            int(previous[0][0]) if previous else None,
            int(following[0][0]) if following else None,
        )

    def edges(self, sample: Sample) -> list[dict[str, Any]]:
        """Return the edges of a sample's chains; of RR-10 its mechanism edges."""
        return self._keyed("chains", self.run.chains, sample, "")

    def citations(self, sample: Sample) -> list[dict[str, Any]]:
        """Return the citations of a sample's answer, with verdicts and provenance."""
        return self._keyed("citations", self.run.citations, sample, "ORDER BY number")

    def text_place(self, sample: Sample) -> dict[str, Any] | None:
        """Return where a sample's text lies, None where the run doesn't say."""
        found = self._keyed("texts", self.run.texts, sample, "")
        return found[0] if found else None

    def rescue(self, row: int) -> dict[str, Any] | None:
        """Return an examiner's verdict on a sample, None without one."""
        if not self.has_rescue:
            return None
        names = ", ".join(RESCUE_COLUMNS)
        found = rows_as_dicts(self._run(f"SELECT {names} FROM rescue WHERE row_number = ?", [row]))
        return found[0] if found else None

    def ids(self) -> Iterator[str]:
        """Yield the ids of all samples."""
        result = self._run("SELECT sample_id FROM samples", [])
        while rows := result.fetchmany(_EXPORT_ROWS):
            yield from (str(row[0]) for row in rows)

    def export(self, view: View) -> Iterator[bytes]:
        """Yield the rows of a view as CSV, as the run's own table has them, in its order."""
        import pyarrow as pa

        where, values = where_of(view, self.run.columns)
        columns = ", ".join(f"s.{quoted_name(name)}" for name in self.run.columns)
        names = [*self.run.columns]
        source = f"(SELECT * FROM samples WHERE {where}) s"
        order = f"ORDER BY {order_of(view)}" if view.sort else ""
        if self.has_rescue:
            columns += "".join(f", r.{name}" for name in RESCUE_COLUMNS)
            names += RESCUE_COLUMNS
            source += " LEFT JOIN rescue r ON r.row_number = s.row_number"
            order = f"ORDER BY {order_of(view, table='s.')}"
        safe = bool(self.run.manifest.get("spreadsheet_safe"))
        yield csv_header(names)
        query = f"SELECT {columns} FROM {source} {order}"
        result = self._database.cursor().sql(query, params=values)
        for batch in result.to_arrow_reader(_EXPORT_ROWS):
            yield render_csv(pa.Table.from_batches([batch]), safe, header=False)

    def _page_rows(self, view: View) -> list[int]:
        first = (view.page - 1) * view.size
        if not view.is_filtered and not view.sort:
            return list(range(first, min(first + view.size, self.run.sample_n)))
        where, values = where_of(view, self.run.columns)
        found = self._ask(
            f"SELECT row_number FROM samples WHERE {where} ORDER BY {order_of(view)} "
            f"LIMIT {view.size} OFFSET {first}",
            values,
        )
        return [int(row[0]) for row in found]

    def _count(self, view: View) -> tuple[tuple[str, int], ...]:
        where, values = where_of(view, self.run.columns)
        name = quoted_name(self.counted)
        found = self._ask(
            f"SELECT {name}, count(*) AS n FROM samples WHERE {where} "
            f"GROUP BY {name} ORDER BY n DESC, {name}",
            values,
        )
        return tuple((NULL if label is None else str(label), int(n)) for label, n in found)

    def _find_vocabulary(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        filtered = [name for name in table_columns.FILTERED if name in self.run.columns]
        chosen = [(name, "samples") for name in filtered]
        if self.has_rescue:
            chosen += [(name, "rescue") for name in table_columns.RESCUE_FILTERED]
        for name, table in chosen:
            values = self._ask(
                f"SELECT {name}, count(*) AS n FROM {table} GROUP BY {name} "
                f"ORDER BY n DESC, {name} LIMIT {_MOST_VALUES}",
                [],
            )
            words = tuple(NULL if value is None else str(value) for value, _ in values)
            if len(words) > 1 or name in table_columns.FLAGS or table == "rescue":
                found[name] = words
        return found

    def _keyed(
        self, table: str, path: Path | None, sample: Sample, order: str
    ) -> list[dict[str, Any]]:
        """Return the rows of a table that belong to a sample."""
        if path is None:
            return []
        keys = [name for name in SAMPLE_KEY if name in sample and name in self._keys[table]]
        given = [name for name in keys if sample[name] is not None]
        null = [name for name in keys if sample[name] is None]
        where = [f"{name} = ?" for name in given] + [f"{name} IS NULL" for name in null]
        return rows_as_dicts(
            self._run(
                f"SELECT * FROM {table} WHERE {' AND '.join(where)} {order} LIMIT {_MOST_EDGES}",
                [sample[name] for name in given],
            )
        )

    def _run(self, sql: str, values: Sequence[Any]) -> Any:
        return self._database.cursor().execute(sql, list(values))

    def _ask(self, sql: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        return list(self._run(sql, values).fetchall())
