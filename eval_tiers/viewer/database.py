"""A DuckDB database over a run's Parquet tables that can read these files and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from eval_tiers.viewer.run import TableRun

if TYPE_CHECKING:
    import duckdb

MEMORY: Final = "1GB"
"""What the database may hold; beyond it sorting goes over the scratch folder."""


def open_database(run: TableRun, scratch: Path) -> duckdb.DuckDBPyConnection:
    """Open a database with the views samples, chains, citations, confidence and texts of a run.

    ``samples`` has the number of each row, from 0, as ``row_number``.
    """
    import duckdb

    tables = {
        name: path
        for name, path in (
            ("samples", run.samples),
            ("chains", run.chains),
            ("citations", run.citations),
            ("confidence", run.confidence),
            ("texts", run.texts),
        )
        if path is not None
    }
    database = duckdb.connect(":memory:")
    database.execute("SET autoinstall_known_extensions = false")
    database.execute("SET autoload_known_extensions = false")
    database.execute(f"SET memory_limit = '{MEMORY}'")
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
    return database


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _literal(path: str) -> str:
    """Return a path with what DuckDB takes for a pattern escaped."""
    return "".join(f"[{char}]" if char in "*?[" else char for char in path)


def rows_as_dicts(result: Any, names: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """Return the rows of an executed query as dictionaries."""
    columns = list(names) if names else [str(one[0]) for one in result.description]
    return [dict(zip(columns, row, strict=True)) for row in result.fetchall()]
