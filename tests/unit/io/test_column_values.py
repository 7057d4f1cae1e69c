"""Columns come back from a written table as they went into it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from eval_tiers.domain.columns import Column
from eval_tiers.io.column_values import column_values
from eval_tiers.io.tables import column_array

WORDS = ("up", "down")


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("text", ["a", None, ""]),
        ("count", np.array([0, -1, 7])),
        ("sign", np.array([1, -1, 0], np.int8)),
        ("flag", np.array([1, 0, -1], np.int8)),
        ("code", np.array([1, -1, 0], np.int8)),
        ("number", np.array([0.1, np.nan, 1.0])),
    ],
)
@pytest.mark.parametrize("chunked", [False, True])
def test_there_and_back(kind: Any, values: Any, chunked: bool) -> None:
    column = Column("x", kind, 0, "", WORDS if kind == "code" else ())
    array = column_array(column, values, 3)
    if chunked:
        array = pa.chunked_array([array[:1], array[1:], array[:0]])
    found = column_values(column, array)
    if kind == "text":
        assert found == values
        return
    np.testing.assert_array_equal(found, values)
    assert found.dtype == values.dtype
    found[:1] = found[:1]  # may be written to


def test_an_unknown_word_is_refused() -> None:
    with pytest.raises(ValueError, match="'x'"):
        column_values(Column("x", "code", 0, "", WORDS), pa.array(["up", "sideways"]))
    with pytest.raises((pa.ArrowInvalid, pa.ArrowNotImplementedError)):
        column_values(Column("x", "count", 0, ""), pa.array(["many"]))
