"""What is kept by a sample's row beside the samples table, made when a run is opened.

``rescue`` has an examiner's verdicts, ``stated`` the stated confidence, ``cited`` the verdicts on
an answer's citations. Each has the number of the sample's row, from 0, as ``row_number``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from eval_tiers.domain.labels import LABELS
from eval_tiers.domain.rr10 import LABELS as RR10_LABELS
from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.io.tables import SAMPLE_KEY
from eval_tiers.metrics.calibration import BINS
from eval_tiers.rescue.files import MERGED_COLUMNS
from eval_tiers.viewer.run import TableRun

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

_FORMULA_QUOTE: Final = r"^'([=+\-@\t\r])"
_BLOCK: Final = 1 << 24


@dataclass(frozen=True, slots=True)
class SideTable:
    """A table by row number.

    Attributes
    ----------
    name : str
    filtered : tuple of str
        Columns to choose values of.
    exported : tuple of str
        Columns that an export gets after those of the samples table.
    null_is_absent : bool
        Whether "none" also means samples that the table lacks.
    """

    name: str
    filtered: tuple[str, ...]
    exported: tuple[str, ...] = ()
    null_is_absent: bool = True


RESCUE: Final = SideTable(
    "rescue", ("llm_rescue_verdict", "error_label_after_rescue"), MERGED_COLUMNS, False
)
STATED: Final = SideTable("stated", ("confidence_band",), ("confidence",))
CITED: Final = SideTable("cited", ("citation_verdict",))
SIDE_TABLES: Final = (RESCUE, STATED, CITED)


def side_table_of(column: str) -> SideTable | None:
    """Return the table that a filter's column is in, None for the samples table itself."""
    return next((one for one in SIDE_TABLES if column in one.filtered), None)


def add_side_tables(database: duckdb.DuckDBPyConnection, run: TableRun) -> tuple[SideTable, ...]:
    """Make the tables that a run has; return them."""
    found = []
    if run.rescued is not None:
        _add_rescue(database, run)
        found.append(RESCUE)
    if run.confidence is not None:
        _add_stated(database, run)
        found.append(STATED)
    if run.citations is not None:
        same = _same_sample(run, columns_of(database, "citations"))
        database.execute(
            f"CREATE TABLE cited AS SELECT DISTINCT s.row_number, o.verdict AS citation_verdict "
            f"FROM samples s JOIN citations o ON {same}"
        )
        found.append(CITED)
    return tuple(found)


def columns_of(database: duckdb.DuckDBPyConnection, table: str) -> tuple[str, ...]:
    """Return the columns of a table of the database."""
    found = database.cursor().execute(f"SELECT * FROM {table} LIMIT 0").description
    return tuple(str(one[0]) for one in found)


def _same_sample(run: TableRun, columns: Sequence[str]) -> str:
    """Return the condition that a row of ``o`` belongs to the sample ``s``."""
    keys = [name for name in SAMPLE_KEY if name in run.columns and name in columns]
    others = [f"s.{key} IS NOT DISTINCT FROM o.{key}" for key in keys if key != "sample_id"]
    return " AND ".join(["s.sample_id = o.sample_id", *others])


def _add_stated(database: duckdb.DuckDBPyConnection, run: TableRun) -> None:
    """Make the table of stated confidence.

    As in the summary: where only probabilities of labels are stated, that of the own label; bands
    hold their lower end.
    """
    columns = columns_of(database, "confidence")
    labels = [label for label in (*LABELS, *RR10_LABELS) if f"prob_{label}" in columns]
    own = " ".join(f"WHEN '{label}' THEN o.prob_{label}" for label in labels)
    used = f"coalesce(o.confidence, CASE o.predicted_label {own} END)" if own else "o.confidence"
    bands = " ".join(
        f"WHEN used >= {n / BINS}::DOUBLE THEN '{n / BINS:g}-{(n + 1) / BINS:g}'"
        for n in reversed(range(BINS))
    )
    probabilities = "".join(f", prob_{label}" for label in labels)
    database.execute(
        f"CREATE TABLE stated AS SELECT row_number, used AS confidence, CASE {bands} END AS "
        f"confidence_band, confidence IS NULL AND used IS NOT NULL AS is_of_label, "
        f"problem{probabilities} FROM (SELECT s.row_number, {used} AS used, o.* FROM samples s "
        f"JOIN confidence o ON {_same_sample(run, columns)})"
    )


def _add_rescue(database: duckdb.DuckDBPyConnection, run: TableRun) -> None:
    """Make the table of examiners' verdicts, joined to the samples by their key."""
    table = _read_rescue(run)
    chosen = ", ".join(f"o.{name}" for name in MERGED_COLUMNS)
    database.register("rescue_rows", table)
    database.execute(
        f"CREATE TABLE rescue AS SELECT s.row_number, {chosen} FROM samples s "
        f"JOIN rescue_rows o ON {_same_sample(run, table.column_names)}"
    )
    database.unregister("rescue_rows")


def _read_rescue(run: TableRun) -> pa.Table:
    """Return the rows of samples_with_rescue_*.csv that have a reply, all cells text."""
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import csv

    keys = [name for name in SAMPLE_KEY if name in run.columns]
    names = [*keys, *MERGED_COLUMNS]
    try:
        reader = csv.open_csv(
            run.rescued,
            read_options=csv.ReadOptions(block_size=_BLOCK),
            parse_options=csv.ParseOptions(newlines_in_values=True),
            convert_options=csv.ConvertOptions(
                column_types={name: pa.string() for name in names},
                include_columns=names,
                null_values=[""],
                strings_can_be_null=True,
            ),
        )
        kept, row_n = [], 0
        for batch in reader:
            kept.append(batch.filter(pc.is_valid(batch["llm_rescue_label"])))
            row_n += len(batch)
        table = pa.Table.from_batches(kept, reader.schema)
    except (pa.ArrowException, OSError, KeyError) as error:
        raise _bad_rescue(run, f"can't be read: {error}"[:500]) from error
    if row_n != run.sample_n:
        raise _bad_rescue(run, f"has {row_n} rows, the samples table {run.sample_n}")
    if not run.manifest.get("spreadsheet_safe"):
        return table
    columns: list[Any] = [
        pc.replace_substring_regex(one, _FORMULA_QUOTE, r"\1") for one in table.columns
    ]
    return pa.table(columns, names=table.column_names)


def _bad_rescue(run: TableRun, fault: str) -> BadInputError:
    return BadInputError(
        Problem(
            "bad-table",
            f"the table with the examiner's verdicts {fault}",
            SourceRef(str(run.rescued)),
            "merge the replies again (merge-rescue), or move the table away",
        )
    )
