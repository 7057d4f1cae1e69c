"""Reading what widens a provenance graph: accessions, differential-expression tables, genes."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from eval_tiers.domain.findings import Finding
from eval_tiers.domain.rr10 import Item
from eval_tiers.exceptions import BadInputError, Problem, SourceRef, UsageError
from eval_tiers.io.sources import UTF8_BOM, read_bytes, refuse_utf16
from eval_tiers.kg.delimited import require_text, split_line
from eval_tiers.kg.osd_tables import OsdTable, parse_osd_table
from eval_tiers.kg.provenance import ProvenanceGraph, dataset_of, gene_key
from eval_tiers.kg.provenance_checks import check_gene_list, check_table
from eval_tiers.kg.wording import LINES_SHOWN, plural, say_lines

Pathname = str | os.PathLike[str]

_ACCESSION_IN_NAME = re.compile(r"(?:OSD|GLDS)[-_ ]?\d+", re.IGNORECASE)
_GENE_HEADERS = frozenset({"gene", "genes", "symbol", "gene_symbol", "gene symbol", "gene_id"})


def parse_table_options(values: Sequence[str]) -> dict[str, str]:
    """Return accession and file of each ``OSD-48=FILE``.

    Raises
    ------
    UsageError
        One is of another shape, or two are of the same dataset.
    """
    return _parse_pairs("--osd-table", values, dataset_of, "OSD-48=FILE")


def parse_gene_options(values: Sequence[str]) -> dict[str, str]:
    """Return organism and file of each ``mus_musculus=FILE``; raises as `parse_table_options`."""
    return _parse_pairs("--genes", values, _organism_name, "mus_musculus=FILE")


def read_provenance(
    items: Sequence[Item],
    tables: Mapping[str, Pathname] | None = None,
    registry: Pathname | None = None,
    genes: Mapping[str, Pathname] | None = None,
) -> ProvenanceGraph:
    """Build a benchmark's provenance graph, and read what widens it.

    Parameters
    ----------
    items : sequence of Item
    tables : mapping, optional
        Accession to the file with its whole differential-expression table.
    registry : path-like, optional
        File of all accessions.
    genes : mapping, optional
        Organism to the file of all its genes.

    Returns
    -------
    ProvenanceGraph
        With findings: lines left out, names that no gene has, tables that don't fit.

    Raises
    ------
    MissingResourceError, BadInputError
        As `read_osd_table`, `read_osd_registry` and `read_gene_list`.
    UsageError
        A gene list is of an organism that neither the benchmark nor a table has.
    """
    benchmark = ProvenanceGraph.build(items)
    findings: list[Finding] = []
    read_tables = {}
    for dataset, path in (tables or {}).items():
        table = read_osd_table(dataset, path, benchmark.organisms_of(dataset))
        findings += check_file_name(dataset, path)
        findings += [*table.findings, *check_table(benchmark, table, str(path))]
        read_tables[dataset] = table
    accessions, found = (None, []) if registry is None else read_osd_registry(registry)
    findings += found
    organisms = {row.organism for row in benchmark.benchmark_rows}
    organisms |= {table.organism for table in read_tables.values()}
    lists = {}
    for organism, path in (genes or {}).items():
        if organism not in organisms:
            raise UsageError(_no_such_organism(organism, organisms, str(path)))
        lists[organism] = read_gene_list(organism, path)
        findings += check_gene_list(benchmark, organism, lists[organism], str(path))
    return ProvenanceGraph.build(items, read_tables, accessions, lists, findings)


def read_osd_table(dataset: str, path: Pathname, organisms: Collection[str] = ()) -> OsdTable:
    """Read a differential-expression table with OSDR's columns; plain, gzip or zstd.

    Raises
    ------
    MissingResourceError, BadInputError
        As `eval_tiers.io.sources.read_bytes` and `eval_tiers.kg.osd_tables.parse_osd_table`.
    """
    return parse_osd_table(_read_text(path, "table"), str(path), dataset, organisms)


def read_osd_registry(path: Pathname) -> tuple[frozenset[str], list[Finding]]:
    """Read a list of accessions: the first column of each line, in any spelling.

    Returns
    -------
    accessions : frozenset of str
    findings : list of Finding
        Lines below the first that hold none: they are left out.

    Raises
    ------
    MissingResourceError, BadInputError
        The file can't be read, or no line is an accession.
    """
    accessions = set()
    odd = []
    first = None
    for number, cell in _first_cells(_read_text(path, "registry of accessions")):
        first = number if first is None else first
        dataset = dataset_of(cell)
        if dataset is not None:
            accessions.add(dataset)
        elif number != first:
            odd.append((number, cell))
    if not accessions:
        raise BadInputError(
            Problem(
                "no-accession",
                "no line begins with an accession such as OSD-48 or GLDS-48",
                SourceRef(str(path)),
                "write one accession a line, or make it the first column",
            )
        )
    if not odd:
        return frozenset(accessions), []
    message = (
        f"{len(odd)} {plural(len(odd), 'line')} without an accession, left out"
        f"{say_lines([number for number, _ in odd[:LINES_SHOWN]])}; the first is {odd[0][1][:40]!r}"
    )
    return frozenset(accessions), [
        Finding("not-an-accession", message, SourceRef(str(path), odd[0][0]))
    ]


def read_gene_list(organism: str, path: Pathname) -> frozenset[str]:
    """Read a list of genes: the first column of each line, as `gene_key` spells them.

    A first line that is a heading such as ``symbol`` is left out.

    Raises
    ------
    MissingResourceError, BadInputError
        The file can't be read, is a web page, or holds no gene.
    """
    data = _read_text(path, "gene list")
    if data.lstrip().startswith((b"<", b"{", b"[")):
        raise BadInputError(
            Problem(
                "not-a-gene-list",
                "this is a web page, XML or JSON, not a list of genes",
                SourceRef(str(path), 1),
                "write one gene a line",
            )
        )
    cells = [cell for _, cell in _first_cells(data)]
    if cells and cells[0].casefold() in _GENE_HEADERS:
        del cells[0]
    if not cells:
        raise BadInputError(
            Problem("no-gene", "there is no gene", SourceRef(str(path)), "write one gene a line")
        )
    return frozenset(gene_key(organism, cell) for cell in cells)


def check_file_name(dataset: str, path: Pathname) -> list[Finding]:
    """Warn where a table's file name holds accessions, and none is the dataset's."""
    named = _ACCESSION_IN_NAME.findall(os.path.basename(path))
    if not named or dataset in map(dataset_of, named):
        return []
    return [
        Finding(
            "other-accession",
            f"the table is given for {dataset}, its file is named after {named[0]}",
            SourceRef(str(path)),
            fix=f"give the table of {dataset}; where it is, nothing needs to change",
        )
    ]


def _first_cells(data: bytes) -> Iterator[tuple[int, str]]:
    """Yield number and first cell of each line that has one; ``#`` comments are left out."""
    for number, line in enumerate(data.decode("utf-8").split("\n"), 1):
        if line.startswith("#"):
            continue
        delimiter = next((mark for mark in "\t;," if mark in line), "\t")
        cell = split_line(line, delimiter)[0].strip()
        if cell:
            yield number, cell


def _read_text(path: Pathname, role: str) -> bytes:
    """Return a text file's bytes: UTF-8 without a BOM, lines ending in LF."""
    data = read_bytes(path, role)
    refuse_utf16(data[:400], str(path))
    data = data.removeprefix(UTF8_BOM).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    require_text(data, str(path))
    return data


def _parse_pairs(
    option: str, values: Sequence[str], key_of: Callable[[str], str | None], shape: str
) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for value in values:
        name, _, path = value.partition("=")
        key = key_of(name)
        if key is None or not path.strip():
            raise UsageError(
                Problem("bad-option", f"{option} {value!r} can't be read", fix=f"write {shape}")
            )
        if key in pairs:
            raise UsageError(
                Problem("given-twice", f"{option} is given twice for {key}", fix="give it once")
            )
        pairs[key] = path
    return pairs


def _organism_name(text: str) -> str | None:
    """Return ``Mus musculus`` as ``mus_musculus``; None for a blank."""
    return "_".join(text.split()).lower() or None


def _no_such_organism(organism: str, organisms: Collection[str], path: str) -> Problem:
    return Problem(
        "unknown-organism",
        f"genes are given for {organism}, which the benchmark does not have",
        SourceRef(path),
        f"name one of: {', '.join(sorted(organisms))}",
    )
