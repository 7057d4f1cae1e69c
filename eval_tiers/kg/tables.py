"""From the columns of a table with one sign a row to an edge table."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import SourceRef
from eval_tiers.kg.cells import Columns, read_columns
from eval_tiers.kg.coded import CodedColumn, is_empty
from eval_tiers.kg.columns import Roles
from eval_tiers.kg.delimited import Layout
from eval_tiers.kg.edges import EdgeTable, ReadCounts, build_edge_table
from eval_tiers.kg.signs import read_signs, sign_of_word


def parse_signed_rows(
    data: bytes,
    path: str,
    layout: Layout,
    roles: Roles,
    format_name: str,
    sign_of: Callable[[str], int | None] = sign_of_word,
    keep_case: bool = False,
) -> EdgeTable:
    """Read a table whose rows have a source, a target and (maybe) a sign.

    Parameters
    ----------
    data : bytes
        Text that `require_text` has passed.
    path : str
        For messages.
    layout, roles
        Delimiter, and which column is what.
    format_name : str
        The source that asks.
    sign_of : callable, optional
        Cell -> 1, -1, 0, or None for an unknown one.
    keep_case : bool
        As `build_edge_table`.

    Returns
    -------
    EdgeTable
        Without a column of signs all edges are unsigned, and a finding says so. With one, a row
        that has a source and neither target nor sign is a node without edges.

    Raises
    ------
    BadInputError
        As `read_columns`.
    """
    wanted = [roles.source, roles.target] + ([] if roles.sign is None else [roles.sign])
    table = read_columns(data, path, layout, wanted, roles.has_header)
    source, target = table.columns[:2]
    counts = ReadCounts(row_n=table.row_n + table.ragged_n, ragged_n=table.ragged_n)
    if roles.sign is None:
        return build_edge_table(
            source,
            target,
            np.zeros(table.row_n, dtype=np.int8),
            format_name=format_name,
            path=path,
            counts=counts,
            findings=[*table.findings, _no_sign_column(path)],
            line_of=table.line_of,
            keep_case=keep_case,
        )
    lone = is_empty(target) & is_empty(table.columns[2]) & ~is_empty(source)
    line_of: Callable[[int], int | None] = table.line_of
    signs, lone_names = table.columns[2], []
    if lone.any():
        lone_names = [source.values[code] for code in np.unique(source.codes[lone]).tolist()]
        kept = np.flatnonzero(~lone)
        source, target, signs = (
            CodedColumn(column.values, column.codes[kept]) for column in (source, target, signs)
        )
        line_of = _shifted(table, kept)
    sign, found, unknown_n = read_signs(
        signs, path=path, field=roles.sign_name, line_of=line_of, sign_of=sign_of
    )
    return build_edge_table(
        source,
        target,
        sign,
        format_name=format_name,
        path=path,
        counts=counts + ReadCounts(unknown_sign_n=unknown_n),
        findings=[*table.findings, *found],
        lone_nodes=lone_names,
        line_of=line_of,
        keep_case=keep_case,
    )


def _shifted(table: Columns, kept: npt.NDArray[np.int64]) -> Callable[[int], int | None]:
    return lambda row: table.line_of(int(kept[row]))


def _no_sign_column(path: str) -> Finding:
    return Finding(
        "no-sign-column",
        "there is no column of signs: every edge is counted unsigned",
        SourceRef(path, 1),
        fix="name the column of signs 'sign'",
    )
