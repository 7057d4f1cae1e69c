"""Text columns as distinct values and integer codes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Int8Array = npt.NDArray[np.int8]
Int32Array = npt.NDArray[np.int32]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class CodedColumn:
    """A text column as distinct values and int32 codes into them."""

    values: Sequence[str]
    codes: Int32Array


def encode_column(values: Iterable[str]) -> CodedColumn:
    """Return a column of strings as distinct values (in order of first use) and codes."""
    index: dict[str, int] = {}
    codes = [index.setdefault(value, len(index)) for value in values]
    return CodedColumn(list(index), np.asarray(codes, dtype=np.int32))


def is_empty(column: CodedColumn) -> BoolArray:
    """Tell for each row whether its cell is blank."""
    empty = np.asarray([not value.strip() for value in column.values], dtype=np.bool_)
    return empty[column.codes]
