"""What the pages ask of a run's tables; values go in as parameters, never as SQL."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, Final

from eval_tiers.io.tables import SAMPLE_KEY
from eval_tiers.viewer import table_columns
from eval_tiers.viewer.conditions import beyond, order_of, quoted_name, source_of, where_of
from eval_tiers.viewer.database import open_database, rows_as_dicts
from eval_tiers.viewer.export import Exported, csv_parts, parquet_parts
from eval_tiers.viewer.row_groups import row_of, rows_beside
from eval_tiers.viewer.run import TableRun
from eval_tiers.viewer.side_tables import (
    RESCUE,
    STATED,
    add_side_tables,
    columns_of,
)
from eval_tiers.viewer.view_state import NULL, View
from eval_tiers.viewer.vocabulary import find_vocabulary

Sample = dict[str, Any]
_ID_ROWS: Final = 16_384
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
    is_within : bool
        Whether the view's filters let the sample itself through.
    """

    before_n: int
    previous: int | None
    following: int | None
    is_within: bool = True


class Samples:
    """The tables of a run, asked by view, row and key. May be used by several threads.

    Attributes
    ----------
    run : TableRun
    vocabulary : dict of str to tuple of str
        Values of each column that can be filtered, most frequent first.
    cut : frozenset of str
        Columns with more values than these.
    listed, sortable : tuple of str
        Columns of the list; columns it can be sorted by.
    """

    def __init__(self, run: TableRun, scratch: Path) -> None:
        self.run = run
        self._database = open_database(run, scratch)
        self._lock = Lock()
        self._counts = lru_cache(maxsize=256)(self._count)
        self._sides = add_side_tables(self._database, run)
        self.has_rescue = RESCUE in self._sides
        self.has_confidence = STATED in self._sides
        found = find_vocabulary(self._ask, run.columns, self._sides)
        self.vocabulary, self.cut = found.words, found.cut
        has_rollouts = (
            "rollout" in run.columns
            and self._ask("SELECT count(rollout) FROM samples", ())[0][0] > 0
        )
        columns = (*run.columns, "confidence") if self.has_confidence else run.columns
        self.listed = table_columns.listed(columns, has_rollouts)
        self.sortable = table_columns.sortable(columns)
        self._keys = {
            table: frozenset(columns_of(self._database, table))
            for table, path in (
                ("chains", run.chains), ("citations", run.citations), ("texts", run.texts)
            )
            if path is not None
        }  # fmt: skip
        counted = ("error_label", "predicted_label", "verdict")
        self.counted = next(name for name in counted if name in run.columns)

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def counts(self, view: View) -> tuple[tuple[str, int], ...]:
        """Return how many samples have each error label, most frequent first.

        Of all that the view's other filters let through, whatever labels are chosen. Without
        tier 2: each predicted label. ``-`` is null. Kept for the last 256 filters.
        """
        others = tuple(one for one in view.chosen if one[0] != self.counted)
        plain = View(others, view.gene, view.sample, text=view.text)
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
        names = ("row_number", *(name for name in self.listed if name in self.run.columns))
        among = f"row_number IN ({', '.join('?' * len(rows))})"
        chosen = ", ".join(map(quoted_name, names))
        found = rows_as_dicts(self._run(f"SELECT {chosen} FROM samples WHERE {among}", rows), names)
        by_row = {int(one["row_number"]): one for one in found}
        if self.has_confidence:
            stated = dict(
                self._ask(f"SELECT row_number, confidence FROM stated WHERE {among}", rows)
            )
            for row, one in by_row.items():
                one["confidence"] = stated.get(row)
        return [by_row[row] for row in rows]

    def sample(self, row: int) -> Sample | None:
        """Return all columns of one sample, None where there is no such row."""
        if not 0 <= row < self.run.sample_n:
            return None
        return row_of(self.run.samples, row)

    def neighbours(self, view: View, row: int, sample: Sample) -> Neighbours:
        """Return where a sample stands in a view: how many come before, who is next."""
        if not view.is_filtered and not view.sort:
            last = self.run.sample_n - 1
            return Neighbours(row, row - 1 if row else None, row + 1 if row < last else None)
        where, values = where_of(view, self.run.columns)
        if view.sort == "confidence":
            stated = self.stated(row)
            sample = sample | {"confidence": None if stated is None else stated["confidence"]}
        before, before_values = beyond(view, row, sample, forwards=False)
        after, after_values = beyond(view, row, sample, forwards=True)
        names = f", {quoted_name(view.sort)}" if view.sort else ""
        rows = f"(SELECT row_number{names} FROM {source_of(view)} WHERE {where})"
        within = not view.is_filtered or self._ask(
            f"SELECT 1 FROM samples WHERE row_number = ? AND ({where})", [row, *values]
        )
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
            bool(within),
        )

    def edges(self, sample: Sample, row: int) -> list[dict[str, Any]]:
        """Return the edges of a sample's chains; of RR-10 its mechanism edges."""
        return self._keyed("chains", self.run.chains, sample, row)

    def citations(self, sample: Sample, row: int) -> list[dict[str, Any]]:
        """Return the citations of a sample's answer, with verdicts and provenance."""
        found = self._keyed("citations", self.run.citations, sample, row)
        return sorted(found, key=lambda one: int(one["number"]))

    def text_place(self, sample: Sample, row: int) -> dict[str, Any] | None:
        """Return where a sample's text lies, None where the run doesn't say."""
        found = self._keyed("texts", self.run.texts, sample, row)
        return found[0] if found else None

    def rescue(self, row: int) -> dict[str, Any] | None:
        """Return an examiner's verdict on a sample, None without one."""
        return self._beside("rescue", row) if self.has_rescue else None

    def stated(self, row: int) -> dict[str, Any] | None:
        """Return what a sample's answer states of its confidence, None where it states none."""
        return self._beside("stated", row) if self.has_confidence else None

    def others_of_pair(self, sample: Sample, row: int) -> list[Sample]:
        """Return the other samples of an RR-10 pair, of the same rollout, with `row_number`."""
        if sample.get("pair") is None:
            return []
        names = ("row_number", "sample_id", "item_type", "gold_label", "predicted_label",
                 "answer_correct")  # fmt: skip
        return rows_as_dicts(
            self._run(
                f"SELECT {', '.join(names)} FROM samples WHERE pair = ? AND row_number <> ? "
                f"AND rollout IS NOT DISTINCT FROM ? ORDER BY row_number LIMIT {_MOST_EDGES}",
                [sample["pair"], row, sample["rollout"]],
            ),
            names,
        )

    def ids(self) -> Iterator[str]:
        """Yield the ids of all samples."""
        result = self._run("SELECT sample_id FROM samples", [])
        while rows := result.fetchmany(_ID_ROWS):
            yield from (str(row[0]) for row in rows)

    def export_csv(self, view: View) -> Iterator[bytes]:
        """Yield the rows of a view as CSV, as the run's own table has them, in its order."""
        return csv_parts(self._exported(view))

    def export_parquet(self, view: View) -> Iterator[bytes]:
        """Yield the rows of a view as a Parquet file."""
        return parquet_parts(self._exported(view))

    def _exported(self, view: View) -> Exported:
        return Exported(self._database, self.run, self._sides, view)

    def _page_rows(self, view: View) -> list[int]:
        first = (view.page - 1) * view.size
        if not view.is_filtered and not view.sort:
            return list(range(first, min(first + view.size, self.run.sample_n)))
        where, values = where_of(view, self.run.columns)
        found = self._ask(
            f"SELECT row_number FROM {source_of(view)} WHERE {where} ORDER BY {order_of(view)} "
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

    def _beside(self, table: str, row: int) -> dict[str, Any] | None:
        """Return a sample's row of a side table."""
        found = rows_as_dicts(self._run(f"SELECT * FROM {table} WHERE row_number = ?", [row]))
        return found[0] if found else None

    def _keyed(
        self, table: str, path: Path | None, sample: Sample, row: int
    ) -> list[dict[str, Any]]:
        """Return the rows of a table that belong to a sample.

        They are in the group of rows of its batch, if anywhere; of a table that isn't written by
        batches, anywhere.
        """
        if path is None:
            return []
        keys = [name for name in SAMPLE_KEY if name in sample and name in self._keys[table]]
        key: Sample = {name: sample[name] for name in keys}
        near = rows_beside(self.run.samples, row, path, key)
        if near:
            return near[:_MOST_EDGES]
        given = {name: value for name, value in key.items() if value is not None}
        where = [f"{name} = ?" for name in given] + [
            f"{name} IS NULL" for name, value in key.items() if value is None
        ]
        return rows_as_dicts(
            self._run(
                f"SELECT * FROM {table} WHERE {' AND '.join(where)} LIMIT {_MOST_EDGES}",
                list(given.values()),
            )
        )

    def _run(self, sql: str, values: Sequence[Any]) -> Any:
        return self._database.cursor().execute(sql, list(values))

    def _ask(self, sql: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        return list(self._run(sql, values).fetchall())
