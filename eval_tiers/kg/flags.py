"""Reading yes-or-no cells."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import SourceRef
from eval_tiers.kg.coded import BoolArray, CodedColumn
from eval_tiers.kg.wording import LINES_SHOWN, plural

_YES = frozenset({"1", "1.0", "true", "t", "yes", "y"})
_NO = frozenset({"", "0", "0.0", "false", "f", "no", "n"})


def flag_of_word(text: str) -> bool | None:
    """Return what a cell says; None for neither yes nor no. An empty one is no."""
    word = text.strip().casefold()
    if word in _YES:
        return True
    return False if word in _NO else None


def read_flag(
    column: CodedColumn, path: str, field: str, line_of: Callable[[int], int | None]
) -> tuple[BoolArray, list[Finding], int]:
    """Turn a column into booleans; what is neither yes nor no is False, counted and listed."""
    read = [flag_of_word(value) for value in column.values]
    flags = np.asarray([bool(flag) for flag in read], dtype=np.bool_)[column.codes]
    odd = [code for code, flag in enumerate(read) if flag is None]
    rows = np.flatnonzero(np.isin(column.codes, odd)) if odd else np.empty(0, dtype=np.int64)
    if not rows.size:
        return flags, [], 0
    shown = ", ".join(repr(column.values[code][:30]) for code in odd[:LINES_SHOWN])
    finding = Finding(
        "unknown-flag",
        f"{rows.size} {plural(rows.size, 'row')} where {field} is neither true nor false "
        f"(taken for false): {shown}",
        SourceRef(path, line_of(int(rows[0])), field),
        fix="write 1 or 0",
    )
    return flags, [finding], int(rows.size)
