"""TRRUST v2: transcription factor, target, mode, PubMed ids; without a header."""

from __future__ import annotations

from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.kg.columns import Roles
from eval_tiers.kg.delimited import require_text, sniff_layout
from eval_tiers.kg.edges import EdgeTable
from eval_tiers.kg.source import HEAD_BYTES, Head, KGSource, ReadOptions
from eval_tiers.kg.tables import parse_signed_rows

_SIGN = {"activation": 1, "repression": -1, "unknown": 0}
_WIDTH = 4


def _sign_of(cell: str) -> int | None:
    return _SIGN.get(cell.strip().lower())


def matches(head: Head) -> int:
    """Return 85 for four columns whose third is a TRRUST mode in every row."""
    layout = None if head.binary else sniff_layout(head)
    if layout is None:
        return 0
    fits = [len(row) == _WIDTH and _sign_of(row[2]) is not None for row in layout.rows]
    return 85 if fits[0] and sum(fits) > len(fits) // 2 else 0


def parse(data: bytes, path: str, options: ReadOptions) -> EdgeTable:
    """Read the rows; several modes of one pair are all kept."""
    require_text(data, path)
    layout = sniff_layout(Head(path, data[:HEAD_BYTES]))
    if layout is None or len(layout.rows[0]) < _WIDTH - 1:
        raise BadInputError(
            Problem(
                "missing-column",
                "TRRUST has four tab-separated columns: TF, target, mode and PubMed ids",
                SourceRef(path, 1),
                "leave --format out to have the format told from the file",
            )
        )
    return parse_signed_rows(
        data,
        path,
        layout,
        Roles(0, 1, 2, "mode", False),
        SOURCE.name,
        _sign_of,
        options.keep_case,
    )


SOURCE = KGSource(
    name="trrust",
    title="TRRUST v2",
    description="No header: TF, target, Activation, Repression or Unknown, PubMed ids.",
    reference="https://doi.org/10.1093/nar/gkx1013",
    example=(
        b"AATF\tBAX\tRepression\t22909821\nAATF\tKLK3\tUnknown\t23146908\n"
        b"AATF\tMYC\tActivation\t20549547;20924650\nAATF\tMYC\tRepression\t1\n"
    ),
    example_edges=(
        ("AATF", -1, "BAX"),
        ("AATF", -1, "MYC"),
        ("AATF", 0, "KLK3"),
        ("AATF", 1, "MYC"),
    ),
    matches=matches,
    parse=parse,
)
