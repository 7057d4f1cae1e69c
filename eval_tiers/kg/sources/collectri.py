"""CollecTRI regulons: source, target, weight, whose sign is the mode of regulation."""

from __future__ import annotations

from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.kg.columns import Roles, normalise_header
from eval_tiers.kg.delimited import Layout, require_text, sniff_layout
from eval_tiers.kg.edges import EdgeTable
from eval_tiers.kg.source import HEAD_BYTES, Head, KGSource, ReadOptions
from eval_tiers.kg.tables import parse_signed_rows

_COLUMNS = ("source", "target", "weight")


def _roles(layout: Layout | None) -> Roles | None:
    header = [] if layout is None else normalise_header(layout.first)
    if not set(_COLUMNS) <= set(header):
        return None
    source, target, sign = (header.index(name) for name in _COLUMNS)
    return Roles(source, target, sign, "weight", True)


def matches(head: Head) -> int:
    """Return 70 for a comma-separated table of just these columns (an index column aside)."""
    layout = None if head.binary else sniff_layout(head)
    roles = _roles(layout)
    if layout is None or roles is None or layout.delimiter != ",":
        return 0
    others = set(normalise_header(layout.first)) - set(_COLUMNS)
    return 70 if others <= {"", "resources", "references", "pmid", "sign_decision"} else 0


def parse(data: bytes, path: str, options: ReadOptions) -> EdgeTable:
    """Read the regulons; the sign is the weight's."""
    require_text(data, path)
    layout = sniff_layout(Head(path, data[:HEAD_BYTES]))
    roles = _roles(layout)
    if layout is None or roles is None:
        raise BadInputError(
            Problem(
                "missing-column",
                "CollecTRI has the columns source, target and weight",
                SourceRef(path, 1),
                "leave --format out to have the format told from the file",
            )
        )
    return parse_signed_rows(data, path, layout, roles, SOURCE.name, keep_case=options.keep_case)


SOURCE = KGSource(
    name="collectri",
    title="CollecTRI",
    description="Quoted CSV with source, target and weight; the weight's sign is the edge's.",
    reference="https://doi.org/10.1093/nar/gkad841",
    example=b'"source","target","weight"\n"MYC","TERT",1\n"AR","MYC",-1\n"NA","TERT",1\n',
    example_edges=(("AR", -1, "MYC"), ("MYC", 1, "TERT"), ("NA", 1, "TERT")),
    matches=matches,
    parse=parse,
)
