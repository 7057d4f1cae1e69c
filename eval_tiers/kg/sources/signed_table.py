"""A plain table of signed edges: source, target, sign, as TSV or CSV."""

from __future__ import annotations

from dataclasses import replace

from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.kg.columns import Roles, find_named_roles, find_unnamed_roles
from eval_tiers.kg.delimited import Layout, require_text, sniff_layout
from eval_tiers.kg.edges import EdgeTable
from eval_tiers.kg.source import HEAD_BYTES, Head, KGSource, ReadOptions
from eval_tiers.kg.tables import parse_signed_rows


def _roles(layout: Layout) -> Roles | None:
    if layout.commented is not None:
        above = find_named_roles(layout.commented, layout.rows)
        if above is not None:
            return replace(above, has_header=False)
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
    """Read the table; a row with a source and nothing else is a node without edges."""
    require_text(data, path)
    layout = sniff_layout(Head(path, data[:HEAD_BYTES]))
    roles = None if layout is None else _roles(layout)
    if layout is None or roles is None:
        begins = " | ".join(layout.first[:8]) if layout is not None else "one column"
        raise BadInputError(
            Problem(
                "unknown-columns",
                f"can't tell source, target and sign apart: {begins[:200]}",
                SourceRef(path, 1),
                "name the columns source, target and sign",
            )
        )
    return parse_signed_rows(data, path, layout, roles, SOURCE.name, keep_case=options.keep_case)


SOURCE = KGSource(
    name="signed_table",
    title="Table of signed edges",
    description=(
        "TSV or CSV (tab, comma, semicolon or bar) with a column for the source, the target and "
        "the sign, under any usual name and in any order. Without a header: three columns, the "
        "third or second clearly a sign. A row with a source alone is a node without edges."
    ),
    reference="https://www.ietf.org/rfc/rfc4180",
    example=b"source\ttarget\tsign\nTP53\tCDKN1A\t1\nMDM2\tTP53\t-1\nMDM2\tMDM2\tunknown\n",
    example_edges=(("MDM2", -1, "TP53"), ("MDM2", 0, "MDM2"), ("TP53", 1, "CDKN1A")),
    matches=matches,
    parse=parse,
)
