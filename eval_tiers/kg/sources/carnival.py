"""CARNIVAL's prior knowledge network: source, interaction (1 or -1), target."""

from __future__ import annotations

from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.kg.columns import Roles, normalise_header
from eval_tiers.kg.delimited import Layout, require_text, sniff_layout
from eval_tiers.kg.edges import EdgeTable
from eval_tiers.kg.signs import is_clear_sign
from eval_tiers.kg.source import HEAD_BYTES, Head, KGSource, ReadOptions
from eval_tiers.kg.tables import parse_signed_rows

_COLUMNS = ("source", "interaction", "target")


def _roles(layout: Layout | None) -> Roles | None:
    header = [] if layout is None else normalise_header(layout.first)
    if not set(_COLUMNS) <= set(header):
        return None
    source, sign, target = (header.index(name) for name in _COLUMNS)
    return Roles(source, target, sign, "interaction", True)


def matches(head: Head) -> int:
    """Return 70 for these three columns alone, in any order, with clear signs."""
    layout = None if head.binary else sniff_layout(head)
    roles = _roles(layout)
    if layout is None or roles is None or roles.sign is None or len(layout.first) != len(_COLUMNS):
        return 0
    cells = [row[roles.sign] for row in layout.rows[1:] if len(row) > roles.sign]
    return 70 if cells and all(is_clear_sign(cell) for cell in cells) else 0


def parse(data: bytes, path: str, options: ReadOptions) -> EdgeTable:
    """Read the network; complexes (``A_B``) and viral proteins are kept by name."""
    require_text(data, path)
    layout = sniff_layout(Head(path, data[:HEAD_BYTES]))
    roles = _roles(layout)
    if layout is None or roles is None:
        raise BadInputError(
            Problem(
                "missing-column",
                "a CARNIVAL network has the columns source, interaction and target",
                SourceRef(path, 1),
                "leave --format out to have the format told from the file",
            )
        )
    return parse_signed_rows(data, path, layout, roles, SOURCE.name, keep_case=options.keep_case)


SOURCE = KGSource(
    name="carnival",
    title="CARNIVAL network",
    description="Columns source, interaction (1 activates, -1 inhibits) and target.",
    reference="https://doi.org/10.1038/s41540-019-0118-z",
    example=b"source\tinteraction\ttarget\nCALM1\t-1\tTRPC1\nJUN_FOS\t1\tIL2\n",
    example_edges=(("CALM1", -1, "TRPC1"), ("JUN_FOS", 1, "IL2")),
    matches=matches,
    parse=parse,
)
