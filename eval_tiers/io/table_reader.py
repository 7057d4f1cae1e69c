"""Reads a Parquet table of a run from its beginning on: part by part, or so many rows at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.io.sources import reason_of, require_file


class TableReader:
    """Reads a table in its order; memory is bounded by the parts in which it was written.

    Parameters
    ----------
    path : Path
    stem : str
        What it is, for messages.
    needed : sequence of str
        Columns that have to be there.

    Attributes
    ----------
    names : list of str
        Its columns.
    row_n : int

    Raises
    ------
    MissingResourceError
        There is no such file.
    BadInputError
        It is damaged, or lacks one of the columns that are needed.
    """

    def __init__(self, path: Path, stem: str, needed: Sequence[str] = ()) -> None:
        import pyarrow.parquet as pq

        self.path, self.stem = require_file(path, f"table of {stem}"), stem
        try:
            self._file = pq.ParquetFile(path)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise self._damaged(error) from error
        self.names: list[str] = self._file.schema_arrow.names
        missing = [name for name in needed if name not in self.names]
        if missing:
            raise self.fault(f"it lacks the columns: {', '.join(missing)}")
        self.row_n: int = self._file.metadata.num_rows
        self._next_group = 0
        self._rest: pa.Table | None = None

    def groups(self, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """Yield the table part by part, as it was written; an empty one where it has no rows.

        Raises
        ------
        BadInputError
            The file is damaged.
        """
        if not self._file.num_row_groups:
            yield self._empty(columns)
        for number in range(self._file.num_row_groups):
            yield self._group(number, columns)

    def take(self, n: int, columns: Sequence[str] | None = None) -> pa.Table:
        """Return the next ``n`` rows.

        Raises
        ------
        BadInputError
            There are fewer, or the file is damaged.
        """
        parts: list[pa.Table] = []
        wanted = n
        if self._rest is None:
            self._rest = self._empty(columns)
        while True:
            part = self._rest.slice(0, wanted)
            self._rest = self._rest.slice(part.num_rows)
            parts.append(part)
            wanted -= part.num_rows
            if not wanted:
                return pa.concat_tables(parts)
            if self._next_group >= self._file.num_row_groups:
                raise self.fault("it has fewer rows than the samples table asks for")
            self._rest = self._group(self._next_group, columns)
            self._next_group += 1

    def fault(self, message: str) -> BadInputError:
        """Return the error of a table that can't be used."""
        return BadInputError(
            Problem(
                "bad-table",
                f"the table of {self.stem} can't be used: {message}",
                SourceRef(str(self.path)),
                "evaluate again: the run's folder was changed or damaged",
            )
        )

    def _empty(self, columns: Sequence[str] | None) -> pa.Table:
        nothing = self._file.schema_arrow.empty_table()
        return nothing if columns is None else nothing.select(list(columns))

    def _group(self, number: int, columns: Sequence[str] | None) -> pa.Table:
        try:
            return self._file.read_row_group(
                number, columns=None if columns is None else list(columns)
            )
        except (pa.ArrowException, OSError, ValueError) as error:
            raise self._damaged(error) from error

    def _damaged(self, error: Exception) -> BadInputError:
        if isinstance(error, OSError) and error.strerror:
            return self.fault(reason_of(error))
        first = (str(error).splitlines() or [""])[0]
        return self.fault(f"it is damaged ({first[:160]})")
