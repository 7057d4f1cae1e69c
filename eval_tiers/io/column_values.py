"""Columns of a written table as the tiers take them: the way back of `tables.column_array`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from eval_tiers.domain.columns import Column


def column_values(column: Column, array: pa.ChunkedArray | pa.Array) -> Any:
    """Return a column's values with its null code: see `eval_tiers.domain.columns.Column`.

    Parameters
    ----------
    column : Column
        Its kind says what comes back: ``text`` a list of str or None, ``count`` int64 with -1,
        ``sign`` int8 with 0, ``flag`` and ``code`` int8 with -1, ``number`` float64 with nan.
    array : pyarrow array

    Raises
    ------
    ValueError
        A word that the column doesn't have.
    pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError
        The array is of another type.

    Examples
    --------
    >>> flag = Column("x", "flag", 0, "")
    >>> column_values(flag, pa.array([True, None, False])).tolist()
    [1, -1, 0]
    """
    if column.kind == "text":
        return array.to_pylist()
    if column.kind == "number":
        return _numpy(pc.fill_null(pc.cast(array, pa.float64()), np.nan))
    if column.kind == "count":
        return _numpy(pc.fill_null(pc.cast(array, pa.int64()), -1))
    if column.kind == "sign":
        return _numpy(pc.fill_null(pc.cast(array, pa.int8()), 0))
    if column.kind == "flag":
        return _numpy(pc.fill_null(pc.cast(array, pa.int8()), -1))
    found = pc.index_in(array, value_set=pa.array(column.words, pa.string()))
    if found.null_count != array.null_count:
        raise ValueError(f"a word of '{column.name}' is none of: {', '.join(column.words)}")
    return _numpy(pc.fill_null(pc.cast(found, pa.int8()), -1))


def _numpy(array: pa.ChunkedArray | pa.Array) -> Any:
    if isinstance(array, pa.ChunkedArray):
        return array.to_numpy().copy()  # a chunk of its own may be read-only
    return array.to_numpy(zero_copy_only=False).copy()
