"""Turns scored columns into Arrow tables, and tables into files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from eval_tiers.domain.columns import Column
from eval_tiers.io.atomic import clean_text

SAMPLE_KEY: Final = ("sample_id", "split", "pert_type", "rollout")
_FORMULA: Final = r"^([=+\-@\t\r])"


def text_array(values: Sequence[str | None]) -> pa.Array:
    """Return strings as an Arrow array; a lone surrogate is written as its escape."""
    try:
        return pa.array(values, pa.string())
    except UnicodeEncodeError:
        return pa.array(
            [None if value is None else clean_text(value) for value in values], pa.string()
        )


def repeated(value: str | None, n: int) -> pa.Array:
    """Return one text ``n`` times."""
    return pa.repeat(pa.scalar(None if value is None else clean_text(value), pa.string()), n)


def column_array(column: Column, values: Any, n: int) -> pa.Array:
    """Return a column as an Arrow array, its null code made null."""
    if column.kind == "text":
        if values is None or isinstance(values, str):
            return repeated(values, n)
        return text_array(values)
    if column.kind == "number":
        return pa.array(values, pa.float64(), mask=np.isnan(values))
    if isinstance(values, (list, tuple)):  # counts with None
        return pa.array(values, pa.int64())
    array: NDArray[Any] = np.asarray(values)
    if column.kind == "count":
        return pa.array(array.astype(np.int64), mask=array < 0)
    if column.kind == "sign":
        return pa.array(array.astype(np.int8), mask=array == 0)
    if column.kind == "flag":
        return pa.array(array == 1, pa.bool_(), mask=array.astype(np.int8) < 0)
    return _words(column.words, array)


def _words(words: tuple[str, ...], codes: NDArray[Any]) -> pa.Array:
    indices = pa.array(codes.astype(np.int32), mask=codes < 0)
    return pc.take(pa.array(words, pa.string()), indices)


def samples_table(columns: Sequence[Column], values: Mapping[str, Any], n: int) -> pa.Table:
    """Return the samples table of a batch."""
    return pa.table(
        {column.name: column_array(column, values[column.name], n) for column in columns}
    )


def render_csv(table: pa.Table, spreadsheet_safe: bool, header: bool) -> bytes:
    """Return a table as CSV: True/False, empty cells for null, texts in quotes.

    ``spreadsheet_safe`` puts ``'`` before texts that a spreadsheet would run.
    """
    from pyarrow import csv

    columns = []
    for column in table.columns:
        if pa.types.is_boolean(column.type):
            indices = pc.cast(column, pa.int8())
            column = pc.take(pa.array(["False", "True"]), indices)
        elif spreadsheet_safe and pa.types.is_string(column.type):
            column = pc.replace_substring_regex(column, _FORMULA, r"'\1")
        columns.append(column)
    sink = pa.BufferOutputStream()
    csv.write_csv(
        pa.table(columns, names=table.column_names), sink,
        csv.WriteOptions(include_header=header, batch_size=1 << 16),
    )  # fmt: skip
    return bytes(sink.getvalue().to_pybytes())


def csv_header(names: Sequence[str]) -> bytes:
    """Return the header line, quoted as `render_csv` quotes texts."""
    return (",".join(f'"{name}"' for name in names) + "\n").encode()
