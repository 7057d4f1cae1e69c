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
_ID: Final = "sample_id"
_FLAGS: Final = frozenset({"answer_correct", "hard_case"})
_NUMBERS: Final = frozenset(
    {"edge_f1", "hallucination_rate", "go_sim", "citation_precision", "evidence_recall",
     "fabrication_rate", "prediction_line", "byte_offset", "byte_length", "crc32"}
)  # fmt: skip


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
    rescued : bool
        An examiner's verdicts were merged into it.
    """

    folder: Path
    timestamp: str
    summary: Mapping[str, Any]
    manifest: Mapping[str, Any]
    columns: tuple[str, ...]
    rescued: bool = False

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
    if not lacking and not all(isinstance(tier, int) for tier in run.manifest["tiers"]):
        lacking = ["tiers"]
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
    rescued = run.rescue is not None
    return ComparedRun(folder, run.timestamp, run.summary, run.manifest, columns, rescued)


def _opened(path: Path, coded: Sequence[str] = ()) -> Any:
    import pyarrow.parquet as pq

    try:
        return pq.ParquetFile(path, read_dictionary=list(coded))
    except (pa.ArrowException, OSError) as error:
        raise _damaged(path) from error


def _damaged(path: Path) -> BadInputError:
    message = "the table can't be read: it is damaged, or no Parquet"
    return BadInputError(Problem("bad-table", message, SourceRef(str(path)), "evaluate again"))


def read_columns(run: ComparedRun, stem: str, names: Sequence[str]) -> pa.Table:
    """Return columns of a run's table, in its order; one that it lacks is null.

    Texts but for the ids are held as codes: a word that comes a million times is there once.

    Raises
    ------
    MissingResourceError, BadInputError
    """
    path = run.path_of(stem)
    require_file(path, f"run's {stem} table")
    schema = _opened(path).schema_arrow
    there = [name for name in names if name in schema.names]
    coded = [name for name in there if name != _ID and pa.types.is_string(schema.field(name).type)]
    file = _opened(path, coded)
    try:
        table = file.read(columns=there)
    except (pa.ArrowException, OSError) as error:
        raise _damaged(path) from error
    n = file.metadata.num_rows
    for name in there:
        _require_kind(table[name].type, name, path)
    return pa.table(
        {name: table[name] if name in there else pa.nulls(n, pa.string()) for name in names}
    )


def _require_kind(kind: pa.DataType, name: str, path: Path) -> None:
    """Raise where a column isn't of its kind; one without any value may be of kind null."""
    types = pa.types
    if name in _FLAGS:
        fits = types.is_boolean(kind)
    elif name in _NUMBERS:
        fits = types.is_integer(kind) or types.is_floating(kind)
    else:
        fits = types.is_dictionary(kind) or types.is_string(kind) or types.is_large_string(kind)
    if not (fits or types.is_null(kind)):
        message = f"its column {name} holds {kind}, which it can't be"
        raise BadInputError(Problem("bad-table", message, SourceRef(str(path)), "run eval again"))


def read_rows(run: ComparedRun, stem: str, names: Sequence[str], at: Rows) -> pa.Table | None:
    """Read some rows of a run's table, in the order of ``at``; only the parts they lie in.

    Returns
    -------
    pyarrow.Table or None
        None where the table has no such row, or not all of these columns.

    Raises
    ------
    MissingResourceError, BadInputError
    """
    path = run.path_of(stem)
    require_file(path, f"run's {stem} table")
    file = _opened(path)
    sizes = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
    ends = np.cumsum([0, *sizes])
    if not set(names) <= set(file.schema_arrow.names) or at.max(initial=-1) >= ends[-1]:
        return None
    for name in names:
        _require_kind(file.schema_arrow.field(name).type, name, path)
    group_of = np.searchsorted(ends, at, side="right") - 1
    parts, order = [], []
    try:
        for group in np.unique(group_of).tolist():
            rows = np.flatnonzero(group_of == group)
            table = file.read_row_group(group, columns=list(names))
            parts.append(table.take(at[rows] - ends[group]).select(names))
            order.append(rows)
    except (pa.ArrowException, OSError) as error:
        raise _damaged(path) from error
    if not parts:
        return file.schema_arrow.empty_table().select(names)
    place = np.argsort(np.concatenate(order), kind="stable")
    return pa.concat_tables(parts).take(place)


def key_names(run: ComparedRun) -> list[str]:
    """Return the columns of a run that tell its rows apart."""
    return [name for name in SAMPLE_KEY if name in run.columns]


def codes_of(column: pa.ChunkedArray, words: Sequence[str] | None = None) -> tuple[list[str], Rows]:
    """Return a text column as words and codes; null is -1.

    Parameters
    ----------
    column : texts
    words : sequence of str, optional
        Words in their order; those that follow are sorted. Without it all are sorted.
    """
    if not pa.types.is_dictionary(column.type):
        column = pc.dictionary_encode(column.cast(pa.string()))
    present, codes = word_codes(column)
    known = list(words or ())
    names = known + sorted(set(present) - set(known))
    place = {name: code for code, name in enumerate(names)}
    moved: Rows = np.array([*(place[word] for word in present), -1], np.int64)
    return names, moved[codes]


def word_codes(column: pa.ChunkedArray) -> tuple[list[str], Rows]:
    """Return the words of a dictionary column that come in it, and codes; null is -1."""
    words: list[str] = []
    place: dict[str, int] = {}
    parts: list[Rows] = []
    for chunk in column.chunks:
        indices = pc.fill_null(chunk.indices, -1).to_numpy(zero_copy_only=False).astype(np.int64)
        of_chunk = chunk.dictionary.to_pylist()
        used = np.bincount(indices + 1, minlength=len(of_chunk) + 1)[1:] > 0
        moved = np.full(len(of_chunk) + 1, -1, np.int64)
        for code in np.flatnonzero(used).tolist():
            word = of_chunk[code]
            if word is not None:
                if word not in place:
                    place[word] = len(words)
                    words.append(word)
                moved[code] = place[word]
        parts.append(moved[indices])
    return words, np.concatenate(parts) if parts else np.zeros(0, np.int64)


def numbers_of(column: pa.ChunkedArray) -> NDArray[np.float64]:
    """Return numbers or flags as floats; null is nan, and so is what is no finite number."""
    values = pc.fill_null(column.cast(pa.float64()), float("nan"))
    found = np.asarray(values.to_numpy(), np.float64)
    return np.where(np.isfinite(found), found, np.nan)
