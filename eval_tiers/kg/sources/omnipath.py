"""OmniPath's web service: one row an interaction, with flags for direction and effect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.kg.cells import read_columns
from eval_tiers.kg.coded import BoolArray, CodedColumn
from eval_tiers.kg.columns import find_by_name, normalise_header
from eval_tiers.kg.delimited import Layout, require_text, sniff_layout
from eval_tiers.kg.edges import EdgeTable, ReadCounts, build_edge_table
from eval_tiers.kg.flags import read_flag
from eval_tiers.kg.source import HEAD_BYTES, Head, KGSource, ReadOptions

_SOURCE = ("source_genesymbol", "source")
_TARGET = ("target_genesymbol", "target")
_PLAIN = {"directed": "is_directed", "up": "is_stimulation", "down": "is_inhibition"}
_CONSENSUS = {
    "directed": "consensus_direction",
    "up": "consensus_stimulation",
    "down": "consensus_inhibition",
}


@dataclass(frozen=True, slots=True)
class _Flags:
    """Flags of one kind, by row; a missing ``directed`` column means that all rows are."""

    directed: BoolArray
    up: BoolArray
    down: BoolArray


def _places(header: Sequence[str]) -> dict[str, int] | None:
    source, target = find_by_name(header, _SOURCE), find_by_name(header, _TARGET)
    if source is None or target is None:
        return None
    places = {"source": source, "target": target}
    for name in (*_PLAIN.values(), *_CONSENSUS.values()):
        if name in header:
            places[name] = header.index(name)
    return places


def _has(places: Mapping[str, int], kind: Mapping[str, str]) -> bool:
    return kind["up"] in places and kind["down"] in places


def matches(head: Head) -> int:
    """Return 90 for a header with stimulation and inhibition flags."""
    layout = None if head.binary else sniff_layout(head)
    places = None if layout is None else _places(normalise_header(layout.first))
    if places is None:
        return 0
    return 90 if _has(places, _PLAIN) or _has(places, _CONSENSUS) else 0


def parse(data: bytes, path: str, options: ReadOptions) -> EdgeTable:
    """Read the interactions.

    A row that stimulates and inhibits gives both signs; a directed row that does neither is
    unsigned. Complexes are kept by name.
    """
    require_text(data, path)
    layout = sniff_layout(Head(path, data[:HEAD_BYTES]))
    places = None if layout is None else _places(normalise_header(layout.first))
    kind = _CONSENSUS if options.consensus else _PLAIN
    findings: list[Finding] = []
    if places is not None and not options.consensus and not _has(places, _PLAIN):
        kind = _CONSENSUS
        findings.append(_only_consensus(path))
    if layout is None or places is None or not _has(places, kind):
        raise _missing_columns(path, kind, layout)
    names = list(places)
    table = read_columns(data, path, layout, [places[name] for name in names], True)
    column = dict(zip(names, table.columns, strict=True))
    findings += table.findings
    unknown_n = 0
    read: dict[str, BoolArray] = {}
    for name in names[2:]:
        flag, odd, odd_n = read_flag(column[name], path, name, table.line_of)
        read[name] = flag
        findings += odd
        unknown_n += odd_n
    flags = _flags(read, kind, table.row_n)
    differs_n = 0
    if _has(places, _PLAIN) and _has(places, _CONSENSUS):
        differs_n = _differing(_flags(read, _PLAIN, table.row_n), read, path, findings)
    undirected_n = int(np.count_nonzero(~flags.directed))
    skipped_n = 0 if options.undirected == "both" else undirected_n
    if skipped_n:
        findings.append(_skipped(skipped_n, table.row_n, path))
    forward = [
        (np.flatnonzero(flags.directed & flags.up), 1),
        (np.flatnonzero(flags.directed & flags.down), -1),
        (np.flatnonzero(flags.directed & ~flags.up & ~flags.down), 0),
    ]
    loose = np.flatnonzero(~flags.directed) if not skipped_n else np.empty(0, dtype=np.int64)
    rows = np.concatenate([*(part for part, _ in forward), loose, loose])
    backward = np.zeros(rows.size, dtype=np.bool_)
    backward[rows.size - loose.size :] = True
    sign = np.zeros(rows.size, dtype=np.int8)
    start = 0
    for part, value in forward:
        sign[start : start + part.size] = value
        start += part.size
    source, target = _oriented(column["source"], column["target"], rows, backward)
    return build_edge_table(
        source,
        target,
        sign,
        format_name=SOURCE.name,
        path=path,
        counts=ReadCounts(
            row_n=table.row_n + table.ragged_n,
            undirected_n=undirected_n,
            undirected_skipped_n=skipped_n,
            ragged_n=table.ragged_n,
            unknown_sign_n=unknown_n,
            consensus_differs_n=differs_n,
        ),
        findings=findings,
        line_of=lambda row: table.line_of(int(rows[row])),
        keep_case=options.keep_case,
    )


def _flags(read: Mapping[str, BoolArray], kind: Mapping[str, str], row_n: int) -> _Flags:
    directed = read.get(kind["directed"])
    if directed is None:
        directed = np.ones(row_n, dtype=np.bool_)
    return _Flags(directed, read[kind["up"]], read[kind["down"]])


def _differing(
    plain: _Flags, read: Mapping[str, BoolArray], path: str, findings: list[Finding]
) -> int:
    other = _flags(read, _CONSENSUS, plain.up.size)
    differs = (plain.up != other.up) | (plain.down != other.down)
    if _PLAIN["directed"] in read and _CONSENSUS["directed"] in read:
        differs |= plain.directed != other.directed
    count = int(np.count_nonzero(differs))
    if count:
        findings.append(
            Finding(
                "consensus-differs",
                f"{count} of {differs.size} rows differ between their is_* and consensus_* columns",
                SourceRef(path),
                "note",
                "is_* counts; take the others with --consensus",
            )
        )
    return count


def _skipped(count: int, total: int, path: str) -> Finding:
    return Finding(
        "undirected-skipped",
        f"{count} of {total} rows skipped: undirected",
        SourceRef(path),
        "note",
        "take them both ways, unsigned: --undirected both",
    )


def _only_consensus(path: str) -> Finding:
    return Finding(
        "only-consensus",
        "there are no is_* columns: signs are taken from the consensus_* ones",
        SourceRef(path, 1),
        "note",
    )


def _oriented(
    source: CodedColumn,
    target: CodedColumn,
    rows: np.ndarray[tuple[int], np.dtype[np.int64]],
    backward: BoolArray,
) -> tuple[CodedColumn, CodedColumn]:
    """Return both ends of the chosen rows, swapped where `backward`."""
    values = [*source.values, *target.values]
    a = source.codes[rows]
    b = target.codes[rows] + np.int32(len(source.values))
    return (
        CodedColumn(values, np.where(backward, b, a)),
        CodedColumn(values, np.where(backward, a, b)),
    )


def _missing_columns(path: str, kind: Mapping[str, str], layout: Layout | None) -> BadInputError:
    has = ", ".join(layout.first[:12]) if layout is not None else "one column"
    return BadInputError(
        Problem(
            "missing-column",
            f"an OmniPath table needs {kind['up']} and {kind['down']} beside the names; "
            f"this one has: {has[:200]}",
            SourceRef(path, 1),
            "ask the web service for genesymbols=yes and these fields"
            + (", or leave out --consensus" if kind is _CONSENSUS else ""),
        )
    )


SOURCE = KGSource(
    name="omnipath",
    title="OmniPath",
    description=(
        "The web service's TSV. is_stimulation and is_inhibition give the signs (--consensus: "
        "the consensus_* columns); undirected rows are skipped (--undirected both: taken both "
        "ways, unsigned); complexes are kept by name."
    ),
    reference="https://doi.org/10.15252/msb.20209923",
    example=(
        b"source\ttarget\tsource_genesymbol\ttarget_genesymbol\tis_directed\tis_stimulation\t"
        b"is_inhibition\tconsensus_direction\tconsensus_stimulation\tconsensus_inhibition\n"
        b"P04637\tP38936\tTP53\tCDKN1A\tTrue\tTrue\tFalse\tTrue\tTrue\tFalse\n"
        b"P38936\tP24941\tCDKN1A\tCDK2\t1\t0\t1\t1\t0\t1\n"
        b"COMPLEX:P01100_P05412\tP60568\tFOS_JUN\tIL2\t1\t1\t1\t1\t1\t0\n"
        b"Q00987\tQ00987\tMDM2\tMDM2\t1\t0\t0\t0\t0\t0\n"
        b"P62158\tP48995\tCALM1\tTRPC1\t0\t0\t0\t0\t0\t0\n"
    ),
    example_edges=(
        ("CDKN1A", -1, "CDK2"),
        ("FOS_JUN", -1, "IL2"),
        ("FOS_JUN", 1, "IL2"),
        ("MDM2", 0, "MDM2"),
        ("TP53", 1, "CDKN1A"),
    ),
    matches=matches,
    parse=parse,
    uses=frozenset({"consensus", "undirected"}),
)
