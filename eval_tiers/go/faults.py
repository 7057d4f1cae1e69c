"""Every fault of the lines of a GMT file, as findings: one a kind and line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
import numpy.typing as npt

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import SourceRef
from eval_tiers.go.gmt_table import GmtTable, first_fields
from eval_tiers.go.identifier_faults import find_identifier_faults

Level = Literal["error", "warning", "note"]

_NO_DESCRIPTION = frozenset({"", "na", "n/a", "-", ".", "none", "null", "nan"})


def find_faults(table: GmtTable) -> list[Finding]:
    """Return all faults of a GMT file, by line, then by code.

    Level ``note`` marks what every reader copes with (comments, blank lines, a BOM, CRLF) or what
    may well be meant (locus ids, mouse symbols); the rest are warnings and errors.

    References
    ----------
    docs/inputs.md, "Gene sets".
    """
    found = [
        *_text_faults(table),
        *_line_faults(table),
        *_empty_fields(table),
        *_flagged_fields(table),
        *_repeated_genes(table),
        *find_identifier_faults(table),
    ]
    return sorted(found, key=lambda finding: (finding.where.line or 0, finding.code))


def _text_faults(table: GmtTable) -> Iterator[Finding]:
    if table.text.had_bom:
        yield _finding(table, 1, "byte-order-mark", "the file begins with a BOM", "note")
    if table.text.had_carriage_return:
        yield _finding(table, 1, "crlf", "lines end in CR or CRLF, not LF", "note")
    for line in table.comment_line:
        yield _finding(table, line, "comment", "comment: skipped", "note")
    for line in table.blank_line:
        yield _finding(table, line, "blank-line", "blank line: skipped", "note")


def _line_faults(table: GmtTable) -> Iterator[Finding]:
    has_gene = np.zeros(len(table.row_line), np.bool_)
    has_gene[table.field_row[table.symbol[table.field_raw] >= 0]] = True
    spelled = set(table.spelling)
    first_line: dict[str, int] = {}
    size = _distinct_gene_n(table)
    for row, (line, name, description, field_n) in enumerate(
        zip(
            table.row_line.tolist(),
            table.row_name,
            table.row_description,
            table.row_field_n.tolist(),
            strict=True,
        )
    ):
        if field_n == 1 and len(name.split()) > 1:
            yield _finding(
                table, line, "spaces-instead-of-tabs", "the line holds no tab, only spaces",
                "error", "put a tab between name, description and each gene",
            )  # fmt: skip
            continue
        if not name:
            yield _finding(
                table, line, "no-set-name", "the set has no name: it was dropped",
                "error", "put a name before the first tab",
            )  # fmt: skip
        elif name in first_line:
            yield _finding(
                table, line, "duplicate-set-name",
                f"set '{name}' stands in lines {first_line[name]} and {line}: they were united",
                "error", "give one of them another name, or unite them in the file",
            )  # fmt: skip
        else:
            first_line[name] = line
        if description in spelled and description.lower() not in _NO_DESCRIPTION:
            yield _finding(
                table, line, "missing-description",
                f"'{description}' stands where the description belongs, but is a gene "
                "elsewhere in the file; here it isn't read as one",
                "error", "if the description is missing, put a second tab after the set's name",
            )  # fmt: skip
        if not has_gene[row]:
            yield _finding(
                table, line, "no-genes", f"set '{name}' has no genes: it was dropped",
                "warning", "remove the line",
            )  # fmt: skip
        elif size[row] == 1:
            yield _finding(
                table, line, "one-gene", f"set '{name}' has one gene",
                "warning", "leave such sets out, or check that the line wasn't cut off",
            )  # fmt: skip


def _distinct_gene_n(table: GmtTable) -> npt.NDArray[np.int64]:
    row = table.member[np.diff(table.member, prepend=-1) != 0] // max(1, len(table.symbols))
    return np.bincount(row, minlength=len(table.row_line)).astype(np.int64)


def _repeated_genes(table: GmtTable) -> Iterator[Finding]:
    gene_total = max(1, len(table.symbols))
    repeated = table.member[1:][np.diff(table.member) == 0]
    rows, first, counts = np.unique(repeated // gene_total, return_index=True, return_counts=True)
    for row, position, count in zip(rows.tolist(), first.tolist(), counts.tolist(), strict=True):
        gene = table.symbols[int(repeated[position] % gene_total)]
        yield _finding(
            table, int(table.row_line[row]), "duplicate-gene",
            f"'{gene}' stands more than once in the set"
            + (f" ({count} repeats in all)" if count > 1 else "") + ": counted once",
            "warning", "remove the repeats",
        )  # fmt: skip


def _empty_fields(table: GmtTable) -> Iterator[Finding]:
    """Empty genes within a line, and tabs at its end."""
    empty = table.symbol[table.field_raw] < 0
    last_gene = np.full(len(table.row_line), -1, np.int64)
    filled = np.flatnonzero(~empty)
    last_gene[table.field_row[filled]] = filled  # in file order: the last one stays
    position = np.flatnonzero(empty)
    row = table.field_row[position]
    trailing = position > last_gene[row]
    for rows, code, message in (
        (row[~trailing], "empty-gene", "an empty field between genes: skipped"),
        (row[trailing], "trailing-tab", "tabs at the end of the line: skipped"),
    ):
        for line in table.row_line[np.unique(rows)].tolist():
            yield _finding(table, line, code, message, "warning", "remove the extra tabs")


def _flagged_fields(table: GmtTable) -> Iterator[Finding]:
    """Weights, and white space inside a gene."""
    spaced = np.array([len(text.split()) > 1 for text in table.spelling], np.bool_)
    for flagged, code, message, fix in (
        (table.weighted, "weight", "genes carry weights ({}): cut off", "write genes only"),
        (
            spaced,
            "space-in-gene",
            "a gene holds a space ({}): are tabs missing?",
            "put a tab between genes",
        ),
    ):
        for row, raw in first_fields(table, flagged):
            yield _finding(
                table, int(table.row_line[row]), code, message.format(raw.strip()[:40]),
                "warning", fix,
            )  # fmt: skip


def _finding(
    table: GmtTable, line: int, code: str, message: str, level: Level, fix: str | None = None
) -> Finding:
    return Finding(code, message, SourceRef(table.path, line), level, fix)
