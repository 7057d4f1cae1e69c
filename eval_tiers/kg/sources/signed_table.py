"""A plain table of signed edges: source, target, sign, as TSV or CSV."""

from __future__ import annotations

import numpy as np

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.kg.columns import Roles, find_named_roles, find_unnamed_roles
from eval_tiers.kg.delimited import Layout, read_columns, require_text, sniff_layout
from eval_tiers.kg.edges import CodedColumn, EdgeTable, ReadCounts, build_edge_table
from eval_tiers.kg.signs import read_signs
from eval_tiers.kg.source import HEAD_BYTES, Head, KGSource, ReadOptions


def _roles(layout: Layout) -> Roles | None:
    named = find_named_roles(layout.first, layout.rows[1:])
    return named if named is not None else find_unnamed_roles(layout.rows)


def matches(head: Head) -> int:
    """Return 50 for a named or clear sign column, 30 for names of both ends alone, else 0."""
    layout = None if head.binary else sniff_layout(head)
    roles = None if layout is None else _roles(layout)
    if roles is None:
        return 0
    return 30 if roles.sign is None else 50


def parse(data: bytes, path: str, options: ReadOptions) -> EdgeTable:
    """Read the table; a row with a source and nothing else is a lone node."""
    require_text(data, path)
    layout = sniff_layout(Head(path, data[:HEAD_BYTES]))
    roles = None if layout is None else _roles(layout)
    if layout is None or roles is None:
        shown = " | ".join(layout.first[:8]) if layout is not None else "no two columns"
        raise BadInputError(
            Problem(
                "unknown-columns",
                f"can't tell source, target and sign apart: {shown}",
                SourceRef(path, 1),
                "name the columns source, target and sign",
            )
        )
    wanted = [roles.source, roles.target] + ([] if roles.sign is None else [roles.sign])
    table = read_columns(data, path, layout, wanted, roles.has_header)
    findings = list(table.findings)
    source, target = table.columns[:2]
    unknown_n = 0
    lone: list[str] = []
    if roles.sign is None:
        sign = np.zeros(table.row_n, dtype=np.int8)
        findings.append(
            Finding(
                "no-sign-column",
                "there is no column of signs: every edge is counted unsigned",
                SourceRef(path, 1),
                fix="name the column of signs 'sign'",
            )
        )
        keep = np.ones(table.row_n, dtype=np.bool_)
    else:
        keep = ~(_is_empty(target) & _is_empty(table.columns[2]) & ~_is_empty(source))
    if not keep.all():
        lone = [source.values[code] for code in np.unique(source.codes[~keep])]
        source, target = _take(source, keep), _take(target, keep)
    kept = np.flatnonzero(keep)

    def line_of(row: int) -> int | None:
        return table.line_of(int(kept[row]))

    if roles.sign is not None:
        sign, sign_findings, unknown_n = read_signs(
            _take(table.columns[2], keep), path=path, field=roles.sign_name, line_of=line_of
        )
        findings += sign_findings
    return build_edge_table(
        source,
        target,
        sign,
        format_name=SOURCE.name,
        path=path,
        counts=ReadCounts(
            row_n=table.row_n + table.ragged_n, ragged_n=table.ragged_n, unknown_sign_n=unknown_n
        ),
        findings=findings,
        lone_nodes=lone,
        line_of=line_of,
    )


def _is_empty(column: CodedColumn) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    empty = np.asarray([not value.strip() for value in column.values], dtype=np.bool_)
    return empty[column.codes]


def _take(
    column: CodedColumn, keep: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
) -> CodedColumn:
    return column if keep.all() else CodedColumn(column.values, column.codes[keep])


SOURCE = KGSource(
    name="signed_table",
    title="Table of signed edges",
    description=(
        "TSV or CSV (tab, comma, semicolon or bar) with a column for the source, the target and "
        "the sign, under any usual name and in any order. Without a header: three columns, the "
        "third or second clearly a sign. A row with a source alone is a node without edges."
    ),
    reference="",
    example=b"source\ttarget\tsign\nTP53\tCDKN1A\t1\nMDM2\tTP53\t-1\nMDM2\tMDM2\tunknown\n",
    example_edges=(("MDM2", -1, "TP53"), ("MDM2", 0, "MDM2"), ("TP53", 1, "CDKN1A")),
    matches=matches,
    parse=parse,
)
