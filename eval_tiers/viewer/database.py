"""A DuckDB database over a run's Parquet tables that can read these files and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.io.tables import SAMPLE_KEY
from eval_tiers.viewer.run import ViewedRun

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

RESCUE_COLUMNS: Final = (
    "llm_rescue_label", "llm_rescue_verdict", "llm_rescue_soft_correct", "llm_rescue_explanation",
    "llm_rescue_confidence", "verdict_prob", "rescued_answer", "rescued_label",
    "error_label_after_rescue",
)  # fmt: skip
_FORMULA_QUOTE: Final = r"^'([=+\-@\t\r])"


def open_database(run: ViewedRun, scratch: Path) -> duckdb.DuckDBPyConnection:
    """Open a database with the views samples, chains, citations and texts of a run.

    ``samples`` has the number of each row, from 0, as ``row_number``. Where the run's hard cases
    were merged, ``rescue`` has the columns of `RESCUE_COLUMNS` of the samples that got a reply.
    """
    import duckdb

    tables = {
        name: path
        for name, path in (
            ("samples", run.samples),
            ("chains", run.chains),
            ("citations", run.citations),
            ("texts", run.texts),
        )
        if path is not None
    }
    database = duckdb.connect(":memory:")
    database.execute("SET autoinstall_known_extensions = false")
    database.execute("SET autoload_known_extensions = false")
    database.execute(f"SET temp_directory = {_quoted(str(scratch))}")
    allowed = ", ".join(_quoted(str(path)) for path in tables.values())
    database.execute(f"SET allowed_paths = [{allowed}]")
    database.execute(f"SET allowed_directories = [{_quoted(str(scratch))}]")
    database.execute("SET enable_external_access = false")
    database.execute("SET python_enable_replacements = false")
    database.execute("SET lock_configuration = true")
    for name, path in tables.items():
        source = _quoted(_literal(str(path)))
        numbered = "*, file_row_number AS row_number" if name == "samples" else "*"
        option = ", file_row_number = true" if name == "samples" else ""
        excluded = " EXCLUDE (file_row_number)" if name == "samples" else ""
        numbered = numbered.replace("*", f"*{excluded}", 1)
        database.execute(
            f"CREATE VIEW {name} AS SELECT {numbered} FROM read_parquet({source}{option})"
        )
    if run.rescued is not None:
        _add_rescue(database, run)
    return database


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _literal(path: str) -> str:
    """Return a path with what DuckDB takes for a pattern escaped."""
    return "".join(f"[{char}]" if char in "*?[" else char for char in path)


def _add_rescue(database: duckdb.DuckDBPyConnection, run: ViewedRun) -> None:
    """Make the table of examiners' verdicts, joined to the samples by their key."""
    table = _read_rescue(run)
    keys = [name for name in SAMPLE_KEY if name in run.columns]
    joined = " AND ".join(f"s.{key} IS NOT DISTINCT FROM r.{key}" for key in keys)
    chosen = ", ".join(f"r.{name}" for name in RESCUE_COLUMNS)
    database.register("rescue_rows", table)
    database.execute(
        f"CREATE TABLE rescue AS SELECT s.row_number, {chosen} FROM samples s "
        f"JOIN rescue_rows r ON s.sample_id = r.sample_id AND {joined}"
    )
    database.unregister("rescue_rows")


def _read_rescue(run: ViewedRun) -> pa.Table:
    """Return the rows of samples_with_rescue_*.csv that have a reply, all cells text."""
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import csv

    keys = [name for name in SAMPLE_KEY if name in run.columns]
    names = [*keys, *RESCUE_COLUMNS]
    try:
        table = csv.read_csv(
            run.rescued,
            parse_options=csv.ParseOptions(newlines_in_values=True),
            convert_options=csv.ConvertOptions(
                column_types={name: pa.string() for name in names},
                include_columns=names,
                null_values=[""],
                strings_can_be_null=True,
            ),
        )
    except (pa.ArrowException, OSError, KeyError) as error:
        raise BadInputError(
            Problem(
                "bad-table",
                f"the table with the examiner's verdicts can't be read: {error}"[:500],
                SourceRef(str(run.rescued)),
                "merge the replies again (merge-rescue), or move the table away",
            )
        ) from error
    table = table.filter(pc.is_valid(table["llm_rescue_label"]))
    if not run.manifest.get("spreadsheet_safe"):
        return table
    columns = [pc.replace_substring_regex(one, _FORMULA_QUOTE, r"\1") for one in table.columns]
    return pa.table(columns, names=table.column_names)


def rows_as_dicts(result: Any, names: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """Return the rows of an executed query as dictionaries."""
    columns = list(names) if names else [str(one[0]) for one in result.description]
    return [dict(zip(columns, row, strict=True)) for row in result.fetchall()]
