"""The tables of runs that are compared: a run's folder, some of its columns, rows by key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.io.run_reading import read_run
from eval_tiers.io.sources import require_file
from eval_tiers.io.tables import SAMPLE_KEY

Rows = NDArray[np.int64]

_NEEDED: Final = ("format", "labels", "inputs", "settings", "metrics_hash", "tiers")
_KINDS: Final = {"inputs": list, "settings": dict, "tiers": list}
_COLUMNS: Final = ("sample_id", "gold_label", "predicted_label", "answer_correct")
_BETWEEN: Final = "\x1f"  # the parts of a key
_NULL: Final = "\x00"


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """A finished run, in its folder.

    Attributes
    ----------
    folder : Path
    timestamp : str
        In the names of its files.
    summary, manifest : dict
    columns : tuple of str
        Of its samples table.
    """

    folder: Path
    timestamp: str
    summary: Mapping[str, Any]
    manifest: Mapping[str, Any]
    columns: tuple[str, ...]

    def path_of(self, stem: str) -> Path:
        """Return where a Parquet table of the run lies."""
        return self.folder / f"{stem}_{self.timestamp}.parquet"


def open_run(folder: Path) -> ComparedRun:
    """Read what a run's folder says of itself, and which columns its samples have.

    Raises
    ------
    MissingResourceError
        No such folder, no finished run in it, or a file of the run isn't there.
    UsageError
        Several runs lie in it.
    BadInputError
        A file of the run can't be read as what it should be.
    """
    run = read_run(folder)
    manifest_path = folder / f"manifest_{run.timestamp}.json"
    require_file(manifest_path, "run's manifest")
    lacking = [key for key in _NEEDED if key not in run.manifest]
    lacking = lacking or [
        name for name, kind in _KINDS.items() if not isinstance(run.manifest[name], kind)
    ]
    if lacking:
        message = f"this is no manifest of a run; it lacks: {', '.join(lacking)}"
        where = SourceRef(str(manifest_path))
        raise BadInputError(Problem("bad-manifest", message, where, "run eval again"))
    path = folder / f"samples_{run.timestamp}.parquet"
    require_file(path, "run's samples table")
    columns = tuple(_opened(path).schema_arrow.names)
    lacking = [name for name in _COLUMNS if name not in columns]
    if lacking:
        message = f"this is no samples table of a run; it lacks: {', '.join(lacking)}"
        raise BadInputError(Problem("bad-table", message, SourceRef(str(path)), "run eval again"))
    return ComparedRun(folder, run.timestamp, run.summary, run.manifest, columns)


def _opened(path: Path) -> Any:
    import pyarrow.parquet as pq

    try:
        return pq.ParquetFile(path)
    except (pa.ArrowException, OSError) as error:
        raise _damaged(path) from error


def _damaged(path: Path) -> BadInputError:
    message = "the table can't be read: it is damaged, or no Parquet"
    return BadInputError(Problem("bad-table", message, SourceRef(str(path)), "evaluate again"))


def read_columns(run: ComparedRun, stem: str, names: Sequence[str]) -> pa.Table:
    """Return columns of a run's table, in its order; one that it lacks is null.

    Raises
    ------
    MissingResourceError, BadInputError
    """
    path = run.path_of(stem)
    require_file(path, f"run's {stem} table")
    file = _opened(path)
    there = set(file.schema_arrow.names)
    try:
        table = file.read(columns=[name for name in names if name in there])
    except (pa.ArrowException, OSError) as error:
        raise _damaged(path) from error
    n = file.metadata.num_rows
    return pa.table(
        {name: table[name] if name in there else pa.nulls(n, pa.string()) for name in names}
    )


def key_names(run: ComparedRun) -> list[str]:
    """Return the columns of a run that tell its rows apart."""
    return [name for name in SAMPLE_KEY if name in run.columns]


@dataclass(frozen=True, slots=True)
class Matched:
    """Rows of two tables that belong together.

    Attributes
    ----------
    first, second : int[n]
        Row numbers, in the order of the first table.
    only_first, only_second : int
        Rows without a counterpart.
    """

    first: Rows
    second: Rows
    only_first: Rows
    only_second: Rows


def match_rows(first: pa.Table, second: pa.Table, names: Sequence[str]) -> Matched:
    """Join two tables on columns that tell the rows of either apart; null equals null.

    Raises
    ------
    BadInputError
        Two rows of one table have one key.
    """
    keys = [_keys(table, names) for table in (first, second)]
    for key in keys:
        if len(pc.unique(key)) < len(key):
            shown = ", ".join(names)
            message = f"rows can't be told apart: several have the same {shown}"
            raise BadInputError(Problem("ambiguous-rows", message, fix="give the rows ids"))
    place = _places(*keys)
    free = np.ones(second.num_rows, np.bool_)
    free[place[place >= 0]] = False
    return Matched(
        np.flatnonzero(place >= 0),
        place[place >= 0],
        np.flatnonzero(place < 0),
        np.flatnonzero(free),
    )


def places_in(first: pa.Table, second: pa.Table, names: Sequence[str]) -> Rows:
    """Return, for each row of a table, the first row of another with its key; -1 for none."""
    return _places(_keys(first, names), _keys(second, names))


def row_codes(table: pa.Table, names: Sequence[str]) -> Rows:
    """Return a number for each row, the same where these columns are."""
    keys = _keys(table, names)
    return _places(keys, pc.unique(keys))


def _places(keys: pa.ChunkedArray, known: pa.ChunkedArray) -> Rows:
    place = pc.fill_null(pc.index_in(keys, value_set=known), -1)
    return np.asarray(place.to_numpy(), np.int64)


def _keys(table: pa.Table, names: Sequence[str]) -> pa.ChunkedArray:
    parts = [
        pc.fill_null(table[name].combine_chunks().cast(pa.large_string()), _NULL) for name in names
    ]
    between = pa.scalar(_BETWEEN, pa.large_string())
    return pc.binary_join_element_wise(*parts, between)


def codes_of(column: pa.ChunkedArray, words: Sequence[str] | None = None) -> tuple[list[str], Rows]:
    """Return a text column as words and codes; null is -1.

    Parameters
    ----------
    column : texts
    words : sequence of str, optional
        Words in their order; those that follow are sorted. Without it all are sorted.
    """
    present = {str(word) for word in pc.unique(column).to_pylist() if word is not None}
    known = list(words or ())
    names = known + sorted(present - set(known))
    codes = pc.index_in(column, value_set=pa.array(names, pa.string()))
    return names, np.asarray(pc.fill_null(codes, -1).to_numpy(), np.int64)


def numbers_of(column: pa.ChunkedArray) -> NDArray[np.float64]:
    """Return numbers or flags as floats; null is nan."""
    values = pc.fill_null(column.cast(pa.float64()), float("nan"))
    return np.asarray(values.to_numpy(), np.float64)
