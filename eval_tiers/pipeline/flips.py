"""The answers that are right in one run and wrong in the other: what they were, where they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from eval_tiers.io.run_rows import Matched, places_in
from eval_tiers.io.run_tables import ComparedRun, read_columns, read_rows
from eval_tiers.io.written_texts import read_written
from eval_tiers.summaries.comparison import ComparedRows, Rows

UNMATCHED_LISTED: Final = 100
_PLACE: Final = {
    "prediction_path": pa.string(),
    "prediction_line": pa.int64(),
    "byte_offset": pa.int64(),
    "byte_length": pa.int64(),
    "crc32": pa.int64(),
}
_SIDES: Final = ("first", "second")


@dataclass(frozen=True, slots=True)
class FlipTables:
    """Makes tables of flips.

    Attributes
    ----------
    runs : pair of ComparedRun
    tables : pair of pyarrow.Table
        Their samples.
    matched : Matched
        Which of their rows belong together.
    keys : sequence of str
        Columns that tell rows apart.
    rows : ComparedRows
        The rows that both have, in the order of ``matched``.
    slices : sequence of str
        Columns that are shown beside the keys.
    evidence : str
        The measure by which flips are ranked.
    """

    runs: tuple[ComparedRun, ComparedRun]
    tables: tuple[pa.Table, pa.Table]
    matched: Matched
    keys: Sequence[str]
    rows: ComparedRows
    slices: Sequence[str]
    evidence: str

    def table(self, at: Rows) -> pa.Table:
        """Return flips as a table, in the order of ``at``: rows that both have."""
        n = len(at)
        places = self.matched.first[at], self.matched.second[at]
        parts = [table.take(place) for table, place in zip(self.tables, places, strict=True)]
        fell = self.rows.first.measures["accuracy"][at] == 1
        words = pa.array(["wrong_to_right", "right_to_wrong"])
        columns: dict[str, Any] = {
            "first_run": pa.repeat(pa.scalar(str(self.runs[0].folder)), n),
            "second_run": pa.repeat(pa.scalar(str(self.runs[1].folder)), n),
            "what": pc.take(words, pa.array(fell.astype("int8"))),
        }
        for name in dict.fromkeys((*self.keys, *self.slices, "gold_label")):
            columns[name] = _text(parts[0], name)
        for name in ("predicted_label", "error_label"):
            for side, part in zip(_SIDES, parts, strict=True):
                columns[f"{side}_{name}"] = _text(part, name)
        for side, part in zip(_SIDES, parts, strict=True):
            columns[f"{side}_{self.evidence}"] = _number(part, self.evidence)
        for side, part, place, run in zip(_SIDES, parts, places, self.runs, strict=True):
            columns |= self._places(side, part, place, run)
        return pa.table(columns)

    def whole(self, ranked: Rows) -> pa.Table:
        """Return flips, then the rows that only one side has, as one table."""
        found = self.table(ranked)
        alone = [
            unmatched_rows(found.schema, self.runs, table.take(at), what)
            for what, at, table in (
                ("only_first", self.matched.only_first, self.tables[0]),
                ("only_second", self.matched.only_second, self.tables[1]),
            )
        ]
        return pa.concat_tables([found, *alone])

    def listed(self, at: Rows) -> list[dict[str, Any]]:
        """Return flips as JSON objects, with their texts."""
        rows = self.table(at).drop_columns(["first_run", "second_run"]).to_pylist()
        for side, run in zip(_SIDES, self.runs, strict=True):
            shown = read_written(run, rows, f"{side}_")
            for row, (text, reason) in zip(rows, shown, strict=True):
                row[f"{side}_text"], row[f"{side}_text_null_reason"] = text, reason
        return list(rows)

    def _places(self, side: str, part: pa.Table, place: Rows, run: ComparedRun) -> dict[str, Any]:
        """Return where the texts of a run lie; null where its table of texts is gone."""
        if not run.path_of("texts").is_file():
            return {
                f"{side}_{name}": pa.nulls(part.num_rows, kind) for name, kind in _PLACE.items()
            }
        names = [*self.keys, *_PLACE]
        texts = read_rows(run, "texts", names, place)
        if texts is None or places_in(part, texts, self.keys).tolist() != list(range(len(place))):
            texts = read_columns(run, "texts", names)  # in another order than the samples
            found = places_in(part, texts, self.keys)
            texts = texts.take(pa.array(found, mask=found < 0))
        return {f"{side}_{name}": texts[name].cast(kind) for name, kind in _PLACE.items()}


def _text(table: pa.Table, name: str) -> Any:
    if name not in table.column_names:
        return pa.nulls(table.num_rows, pa.string())
    return table[name].cast(pa.string())


def _number(table: pa.Table, name: str) -> Any:
    if name not in table.column_names:
        return pa.nulls(table.num_rows, pa.float64())
    return table[name].cast(pa.float64())


def unmatched_rows(
    schema: pa.Schema, runs: tuple[ComparedRun, ComparedRun], table: pa.Table, what: str
) -> pa.Table:
    """Return rows that only one side has, in the columns of the flips."""
    n = table.num_rows
    side = what.removeprefix("only_")
    fixed = {"first_run": str(runs[0].folder), "second_run": str(runs[1].folder), "what": what}
    columns = {}
    for column in schema:
        name = column.name.removeprefix(f"{side}_")
        if column.name in fixed:
            columns[column.name] = pa.repeat(pa.scalar(fixed[column.name]), n)
        elif name in table.column_names:
            columns[column.name] = table[name].cast(column.type)
        else:
            columns[column.name] = pa.nulls(n, column.type)
    return pa.table(columns, schema=schema)
