"""SIF, Cytoscape's simple interaction format: node, relation, one or more targets."""

from __future__ import annotations

from collections.abc import Sequence

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.kg.cells import MAX_RAGGED_RATE
from eval_tiers.kg.coded import encode_column
from eval_tiers.kg.columns import find_named_roles
from eval_tiers.kg.delimited import require_text
from eval_tiers.kg.edges import EdgeTable, ReadCounts, build_edge_table
from eval_tiers.kg.signs import number_of_word, read_signs, sign_of_word
from eval_tiers.kg.source import Head, KGSource, ReadOptions
from eval_tiers.kg.wording import LINES_SHOWN, say_lines


def _split(line: str, tabs: bool) -> list[str]:
    """Split a line by tabs if the file has any, else by blanks; blanks at the end don't count."""
    cells = [cell.strip() for cell in line.split("\t")] if tabs else line.split()
    while cells and not cells[-1]:
        cells.pop()
    return cells


def matches(head: Head) -> int:
    """Return 80 by the suffix (20 under a table's header), 40 by relations in second place."""
    if head.binary or not head.lines or head.lines[0].lstrip()[:1] in "<{[":
        return 0
    rows = [_split(line, "\t" in "\n".join(head.lines)) for line in head.lines]
    if head.suffix == ".sif":
        return 20 if find_named_roles(rows[0], rows[1:]) is not None else 80
    edges = [row for row in rows if len(row) > 1]
    if not edges or any(len(row) == 2 for row in edges):
        return 0
    words = [row[1] for row in edges if number_of_word(row[1]) is None]
    known = sum(sign_of_word(word) is not None for word in words)
    return 40 if known == len(edges) else 0


def parse(data: bytes, path: str, options: ReadOptions) -> EdgeTable:
    """Read the lines: a node alone has no edge, a line with several targets has as many edges.

    The relation is read as a sign; ``pp``, ``pd`` and ``interacts with`` are unsigned.
    """
    require_text(data, path)
    lines = data.decode("utf-8").split("\n")
    tabs = b"\t" in data
    sources: list[str] = []
    relations: list[str] = []
    targets: list[str] = []
    edge_lines: list[int] = []
    lone: list[str] = []
    torn: list[int] = []
    row_n = 0
    for number, line in enumerate(lines, 1):
        if line.startswith("#"):
            continue
        cells = _split(line, tabs)
        if not cells:
            continue
        row_n += 1
        if len(cells) == 1:
            lone.append(cells[0])
        elif len(cells) == 2:
            torn.append(number)
        for target in cells[2:]:
            sources.append(cells[0])
            relations.append(cells[1])
            targets.append(target)
            edge_lines.append(number)
    findings = _check_torn(torn, row_n, path)
    if not sources and not lone:
        raise BadInputError(Problem("no-rows", "there is no edge and no node", SourceRef(path)))
    sign, found, unknown_n = read_signs(
        encode_column(relations), path=path, field="relation", line_of=edge_lines.__getitem__
    )
    return build_edge_table(
        encode_column(sources),
        encode_column(targets),
        sign,
        format_name=SOURCE.name,
        path=path,
        counts=ReadCounts(row_n=row_n, ragged_n=len(torn), unknown_sign_n=unknown_n),
        findings=[*findings, *found],
        lone_nodes=lone,
        line_of=edge_lines.__getitem__,
        keep_case=options.keep_case,
    )


def _check_torn(torn: Sequence[int], row_n: int, path: str) -> list[Finding]:
    """Return a finding for lines with a relation and no target; raise where they are many."""
    if not torn:
        return []
    message = (
        f"{len(torn)} of {row_n} lines {'has' if len(torn) == 1 else 'have'} a relation and no "
        f"target{say_lines(torn[:LINES_SHOWN])}"
    )
    where = SourceRef(path, torn[0])
    if len(torn) > MAX_RAGGED_RATE * row_n:
        raise BadInputError(
            Problem("ragged-rows", message, where, "write: node, relation, targets")
        )
    return [Finding("ragged-row", message + "; left out", where)]


SOURCE = KGSource(
    name="sif",
    title="SIF (Cytoscape)",
    description=(
        "node relation target [target ...], separated by tabs, or by blanks in a file without "
        "tabs. A name alone on a line is a node without edges."
    ),
    reference="https://manual.cytoscape.org/en/stable/Supported_Network_File_Formats.html",
    example=b"MDM2\nTP53\tactivates\tCDKN1A\tMDM2\nCDKN1A\tinhibits\tCDK2\nE2F1\n\n",
    example_edges=(("CDKN1A", -1, "CDK2"), ("TP53", 1, "CDKN1A"), ("TP53", 1, "MDM2")),
    matches=matches,
    parse=parse,
)
