"""Gene sets as compressed sparse rows, read from the bytes of a GMT file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.go.faults import find_faults
from eval_tiers.go.gmt_table import GeneCase, GmtTable, parse_gmt_table


@dataclass(frozen=True, eq=False)
class GeneSets:
    """Sets of genes; no set is empty and no gene is without a set.

    Attributes
    ----------
    set_names : list of str
        Distinct, in file order.
    descriptions : list of str
        One a set, may be empty; that of the first line when several were united.
    genes : list of str
        Distinct symbols, sorted, so that codes don't depend on the order of the file.
    gene_index : dict of str to int
        Symbol to its code, the position in `genes`.
    indptr : int64[sets + 1]
        Set ``s`` holds ``indices[indptr[s]:indptr[s + 1]]``.
    indices : int32[memberships]
        Gene codes, ascending within a set.
    case : {"upper", "keep"}
        Whether symbols were upper-cased (human) or left as they are.
    """

    set_names: list[str]
    descriptions: list[str]
    genes: list[str]
    gene_index: dict[str, int]
    indptr: npt.NDArray[np.int64]
    indices: npt.NDArray[np.int32]
    case: GeneCase = "upper"

    @cached_property
    def set_size(self) -> npt.NDArray[np.int64]:
        """Genes of each set, int64[sets], at least 1."""
        return np.diff(self.indptr)

    @cached_property
    def gene_annotation_n(self) -> npt.NDArray[np.int64]:
        """Sets that hold each gene, int64[genes], at least 1."""
        return np.bincount(self.indices, minlength=len(self.genes)).astype(np.int64)

    def codes(self, names: Sequence[str]) -> npt.NDArray[np.int32]:
        """Return the gene code of each name, -1 where no set holds it, as int32[names].

        Names are stripped, and upper-cased when the symbols were.

        Examples
        --------
        >>> sets, _ = parse_gmt(b"T1\\t\\tA\\tB\\n", "toy.gmt")
        >>> sets.codes([" b", "C"]).tolist()
        [1, -1]
        """
        found = (
            self.gene_index.get(name.strip().upper() if self.case == "upper" else name.strip(), -1)
            for name in names
        )
        return np.fromiter(found, np.int32, len(names))


def parse_gmt(
    data: bytes, path: str, case: GeneCase = "upper"
) -> tuple[GeneSets, tuple[Finding, ...]]:
    """Read the bytes of a GMT file (name, description, genes; tabs between).

    Comments, blank lines, empty genes and trailing tabs are skipped; a gene counts once a set;
    Enrichr weights (``TP53,1.0``) are cut off; a set name that comes again is united with its
    first; sets without a name or without genes are dropped. A second field is always read as
    the description, even where a gene stands there (``missing-description``).

    Parameters
    ----------
    data : bytes
        The decompressed file; a BOM, CR and CRLF are taken away.
    path : str
        Its name, for messages.
    case : {"upper", "keep"}
        "upper" for human symbols; "keep" for organisms whose symbols differ by case.

    Returns
    -------
    GeneSets
    tuple of Finding
        What reading had to mend or may have got wrong (errors and warnings): one a kind, at the
        first line that has it, with the number of further lines (`check_gmt` lists them all).

    Raises
    ------
    BadInputError
        The file is something else (HTML, JSON, UTF-16, not UTF-8, NUL bytes, no tabs), is empty,
        or no set holds a gene.

    References
    ----------
    docs/perturbreason.md, section 5; docs/inputs.md, "Gene sets".

    Examples
    --------
    >>> sets, found = parse_gmt(b"T1\\tna\\ta\\tB\\tB\\nT2\\t\\tC\\n", "toy.gmt")
    >>> sets.genes, sets.set_size.tolist(), [finding.code for finding in found]
    (['A', 'B', 'C'], [2, 1], ['duplicate-gene', 'one-gene'])
    """
    table = parse_gmt_table(data, path, case)
    sets = build_gene_sets(table)
    return sets, _first_of_each_kind(find_faults(table))


def _first_of_each_kind(findings: list[Finding]) -> tuple[Finding, ...]:
    line_n = Counter(finding.code for finding in findings)
    first: dict[str, Finding] = {}
    for finding in findings:
        if finding.level != "note" and finding.code not in first:
            more = line_n[finding.code] - 1
            message = finding.message + (f" (and {more:,} more of the kind)" if more else "")
            first[finding.code] = replace(finding, message=message)
    return tuple(first.values())


def build_gene_sets(table: GmtTable) -> GeneSets:
    """Unite rows of one name, drop what is empty, and compress.

    Raises
    ------
    BadInputError
        No set holds a gene.
    """
    first_row: dict[str, int] = {}
    for index, name in enumerate(table.row_name):
        first_row.setdefault(name, index)
    target = np.array([first_row[name] for name in table.row_name], np.int64)
    named = np.array([bool(name) for name in table.row_name], np.bool_)

    gene_total = max(1, len(table.symbols))
    member = table.member
    if len(first_row) < len(target) or not named.all():
        row = member // gene_total
        member = np.sort((target[row] * gene_total + member % gene_total)[named[row]])
    member = member[np.diff(member, prepend=-1) != 0]
    if not len(member):
        raise BadInputError(
            Problem(
                "no-genes",
                "no set of the file holds a gene",
                SourceRef(table.path, int(table.row_line[0])),
                "write one set a line: name, description, genes, with tabs between",
            )
        )
    size = np.bincount(member // gene_total, minlength=len(target))
    code = (member % gene_total).astype(np.int32)
    kept = np.flatnonzero(size).tolist()
    genes = table.symbols
    present = np.zeros(len(genes), np.bool_)
    present[code] = True
    if not present.all():  # only genes of sets without a name
        code = (np.cumsum(present) - 1)[code].astype(np.int32)
        genes = [genes[index] for index in np.flatnonzero(present).tolist()]
    return GeneSets(
        set_names=[table.row_name[index] for index in kept],
        descriptions=[table.row_description[index] for index in kept],
        genes=genes,
        gene_index={symbol: index for index, symbol in enumerate(genes)},
        indptr=np.concatenate(([0], np.cumsum(size[kept]))).astype(np.int64),
        indices=code,
        case=table.case,
    )
