"""A differential-expression table of OSDR: all genes of one dataset, flight against ground.

Columns are OSDR's: gene ids (SYMBOL, ENSEMBL, TAIR, ...), and for each contrast
``Log2fc_(A)v(B)`` with ``Adj.p.value_(A)v(B)``.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from eval_tiers.domain.findings import Finding
from eval_tiers.domain.rr10 import ProvenanceRow
from eval_tiers.exceptions import MAX_PROBLEMS_SHOWN, BadInputError, Problem, SourceRef
from eval_tiers.kg.cells import Columns, read_columns
from eval_tiers.kg.delimited import is_preamble, require_text, sniff_layout
from eval_tiers.kg.osd_columns import FlightColumns, find_flight_columns, find_id_columns
from eval_tiers.kg.osd_genes import check_names, names_by_row, organism_of
from eval_tiers.kg.source import Head

_HEAD_BYTES = 1 << 20  # a row of a table with all its samples is long
_MISSING = frozenset({"", "na", "n/a", "#n/a", "nan", "null", "none", "-"})


@dataclass(frozen=True, slots=True, eq=False)
class OsdTable:
    """A whole table, indexed by every gene id; its rows are made when they are asked for.

    Attributes
    ----------
    dataset, organism, source_file : str
        ``source_file`` is the file's name without its folder.
    contrasts : tuple of str
        The contrasts that count, as written: flight against ground, nothing else differing.
    gene_row_n : int
        Rows of the file.
    findings : tuple of Finding
    """

    dataset: str
    organism: str
    source_file: str
    contrasts: tuple[str, ...]
    gene_row_n: int
    findings: tuple[Finding, ...]
    _index: Mapping[str, list[int]] = field(repr=False)
    _names: Sequence[Sequence[str]] = field(repr=False)
    _lines: Sequence[int | None] = field(repr=False)
    _values: Sequence[tuple[int, Sequence[float | None], Sequence[float | None]]] = field(
        repr=False
    )

    def __contains__(self, key: object) -> bool:
        """Tell whether any id column holds a gene, by its `gene_key`."""
        return key in self._index

    def rows_of(self, key: str) -> tuple[ProvenanceRow, ...]:
        """Return a gene's rows, a row for each contrast, in the order of the file."""
        lines = self._index.get(key, ())
        return tuple(made for row in lines for made in self._rows_at(row, key))

    def rows(self, preferred: Container[str] = ()) -> Iterator[ProvenanceRow]:
        """Yield all rows; a gene of several ids goes by a preferred one where it has one.

        Rows without any gene id are left out.
        """
        for row, names in enumerate(self._names):
            if names:
                name = next((name for name in names if name in preferred), names[0])
                yield from self._rows_at(row, name)

    def _rows_at(self, row: int, gene: str) -> Iterator[ProvenanceRow]:
        for number, (contrast, (orientation, log2fc, q)) in enumerate(
            zip(self.contrasts, self._values, strict=True)
        ):
            yield ProvenanceRow(
                gene=gene,
                organism=self.organism,
                dataset=self.dataset,
                tissue=None,
                log2fc=log2fc[row],
                q=q[row],
                contrast=contrast,
                orientation=orientation,
                source_file=self.source_file,
                item_id=None,
                line=self._lines[row] or 0,
                number=number,
            )


def parse_osd_table(
    data: bytes, path: str, dataset: str, organisms: Collection[str] = ()
) -> OsdTable:
    """Parse a table.

    Parameters
    ----------
    data : bytes
        Decompressed UTF-8 text without a BOM, LF line ends; comma- or tab-separated.
    path : str
        For messages.
    dataset : str
        Accession, such as ``OSD-48``.
    organisms : collection of str, optional
        Those that the dataset can be of. Where this is not one alone, the organism is told from
        the gene ids.

    Returns
    -------
    OsdTable
        A gene that is there twice has both rows. NA and blank cells are None. Where a table has a
        contrast both ways, the one that is flight against ground counts; one that is there only
        as ground against flight is turned (orientation -1, log2fc negated).

    Raises
    ------
    BadInputError
        No table, no gene ids, no flight contrast, a cell that is no number, or ids of another
        organism.
    """
    require_text(data, path)
    layout = sniff_layout(Head(path, data[:_HEAD_BYTES]))
    header = [] if layout is None else [cell.strip() for cell in layout.first]
    flights = find_flight_columns(header, path)
    ids = find_id_columns(header)
    if layout is None:  # no line has two cells: the lack of columns was told above
        raise TypeError("a table without a layout has columns")
    wanted = [*ids, *(place for flight in flights for place in (flight.log2fc, flight.q))]
    table = read_columns(data, path, layout, wanted, has_header=True)
    id_columns = table.columns[: len(ids)]
    organism = organism_of(id_columns, organisms, dataset, path)
    names = names_by_row(id_columns, organism, table.row_n)
    values = _read_values(table, len(ids), header, flights, path)
    index: dict[str, list[int]] = {}
    for row, keys in enumerate(names):
        for key in keys:
            index.setdefault(key, []).append(row)
    return OsdTable(
        dataset=dataset,
        organism=organism,
        source_file=path.replace("\\", "/").rsplit("/", 1)[-1],
        contrasts=tuple(flight.text for flight in flights),
        gene_row_n=table.row_n,
        findings=(*table.findings, *check_names(names, path)),
        _index=index,
        _names=names,
        _lines=_lines_of(table, data),
        _values=values,
    )


def _read_values(
    table: Columns, first: int, header: Sequence[str], flights: Sequence[FlightColumns], path: str
) -> list[tuple[int, list[float | None], list[float | None]]]:
    """Return orientation, log2fc (treatment minus control) and q of each contrast, by row."""
    problems: list[Problem] = []
    values = []
    for place, flight in enumerate(flights):
        log2fc = _read_numbers(table, first + 2 * place, header[flight.log2fc], path, problems)
        q = _read_numbers(table, first + 2 * place + 1, header[flight.q], path, problems, 0.0, 1.0)
        if flight.orientation < 0:
            log2fc = [None if value is None else 0.0 - value for value in log2fc]
        values.append((flight.orientation, log2fc, q))
    if problems:
        raise BadInputError(problems[:MAX_PROBLEMS_SHOWN], len(problems))
    return values


def _read_numbers(
    table: Columns,
    place: int,
    name: str,
    path: str,
    problems: list[Problem],
    low: float = -math.inf,
    high: float = math.inf,
) -> list[float | None]:
    """Return a column's numbers, None for missing ones; what is neither is a problem."""
    column = table.columns[place]
    numbers: list[float | None] = []
    for code, cell in enumerate(column.values):
        text = cell.strip()
        number = None if text.casefold() in _MISSING else _number(text)
        numbers.append(number)
        if number is not None and not (math.isfinite(number) and low <= number <= high):
            row = (column.codes == code).nonzero()[0]
            if row.size:
                line = table.line_of(int(row[0])) if len(problems) < MAX_PROBLEMS_SHOWN else None
                allowed = "a number" if high > 1 else "a number from 0 to 1"
                problems.append(
                    Problem(
                        "bad-number",
                        f"{text[:40]!r} is not {allowed}",
                        SourceRef(path, line, name),
                        "write NA for a missing number, a point for the decimal sign",
                    )
                )
    return [numbers[code] for code in column.codes.tolist()]


def _number(text: str) -> float:
    """Return a cell's number; nan for what is none."""
    try:
        return math.nan if "_" in text else float(text)
    except ValueError:
        return math.nan


def _lines_of(table: Columns, data: bytes) -> Sequence[int | None]:
    """Return each row's line, found in one pass where no row spans lines."""
    lines = [
        number
        for number, text in enumerate(data.split(b"\n"), 1)
        if text and not is_preamble(text, number)
    ][1:]
    if len(lines) == table.row_n:
        return lines
    return [table.line_of(row) for row in range(table.row_n)]
