"""What datasets say about genes: the rows of evidence that citations are held against."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from eval_tiers.domain.findings import Finding
from eval_tiers.domain.rr10 import Item, ProvenanceRow

if TYPE_CHECKING:
    import networkx as nx

HUMAN = "homo_sapiens"

_ACCESSION = re.compile(
    r"\s*(?:OSD|GLDS)[\s_\-\u2010-\u2015\u2212\ufe58\ufe63\uff0d]*0*([1-9][0-9]*)\s*",
    re.IGNORECASE | re.ASCII,
)


def dataset_of(text: object) -> str | None:
    """Return an OSDR accession in its one spelling; None for anything else.

    Examples
    --------
    >>> [dataset_of(text) for text in ("GLDS-48", "osd 48", "OSD_48", "OSD-048", "OSD–48")]
    ['OSD-48', 'OSD-48', 'OSD-48', 'OSD-48', 'OSD-48']
    >>> [dataset_of(text) for text in ("48", 48, "OSD-48.1", "OSD-X", "OSD-0", None)]
    [None, None, None, None, None, None]
    """
    if not isinstance(text, str):
        return None
    found = _ACCESSION.fullmatch(text.replace("\xa0", " "))
    return None if found is None else f"OSD-{found[1]}"


def gene_key(organism: str, gene: str) -> str:
    """Return what a gene is looked up by: stripped, upper-cased for human only.

    Other organisms have genes that differ by case alone.

    Examples
    --------
    >>> gene_key("homo_sapiens", " tp53 "), gene_key("drosophila_melanogaster", " dl ")
    ('TP53', 'dl')
    """
    gene = gene.strip()
    return gene.upper() if organism == HUMAN else gene


class GeneTable(Protocol):
    """A whole table of one dataset, whose rows are made when they are asked for."""

    @property
    def organism(self) -> str:
        """The organism of all its genes."""

    def __contains__(self, key: object) -> bool:
        """Tell whether any id column holds a gene, by its `gene_key`."""

    def rows_of(self, key: str) -> tuple[ProvenanceRow, ...]:
        """Return the rows of a gene, by its `gene_key`; none for one that isn't there."""

    def rows(self, preferred: Container[str] = ()) -> Iterator[ProvenanceRow]:
        """Yield all rows; a gene of several ids goes by a preferred one where it has one."""


@dataclass(frozen=True, slots=True, eq=False)
class ProvenanceGraph:
    """Genes, the datasets that measured them, and what was measured. Make one with `build`.

    What it does not hold is not false: a benchmark knows few genes of each dataset. Tables,
    a registry of accessions and gene lists widen it.

    Attributes
    ----------
    benchmark_rows : tuple of ProvenanceRow
        The provenance of all items, in file order.
    tables : mapping of str to GeneTable or tuple of ProvenanceRow
        Whole tables by dataset.
    registry : frozenset of str or None
        All accessions there are; None where none was given.
    gene_lists : mapping of str to frozenset of str
        By organism, as `gene_key` spells genes.
    findings : tuple of Finding
        What the readers of tables and lists found.
    """

    benchmark_rows: tuple[ProvenanceRow, ...]
    tables: Mapping[str, GeneTable | tuple[ProvenanceRow, ...]]
    registry: frozenset[str] | None
    gene_lists: Mapping[str, frozenset[str]]
    findings: tuple[Finding, ...]
    _rows: Mapping[tuple[str, str, str], tuple[ProvenanceRow, ...]]
    _contexts: Mapping[str, frozenset[str]]
    _organisms: Mapping[str, frozenset[str]]
    _genes: Mapping[str, frozenset[str]]

    @classmethod
    def build(
        cls,
        items: Iterable[Item],
        tables: Mapping[str, GeneTable | Sequence[ProvenanceRow]] | None = None,
        registry: Iterable[str] | None = None,
        genes: Mapping[str, Iterable[str]] | None = None,
        findings: Iterable[Finding] = (),
    ) -> ProvenanceGraph:
        """Build the graph of a benchmark, and of what widens it.

        Parameters
        ----------
        items : iterable of Item
            May be empty.
        tables : mapping, optional
            Accession to a whole differential-expression table, or to its rows.
        registry : iterable of str, optional
            All accessions; what is none is left out.
        genes : mapping of str to iterable of str, optional
            Organism to all its genes.
        findings : iterable of Finding, optional
            What the readers found, to be handed on.

        Returns
        -------
        ProvenanceGraph
        """
        benchmark = tuple(row for item in items for row in item.provenance)
        lazy: dict[str, GeneTable | tuple[ProvenanceRow, ...]] = {}
        listed: list[ProvenanceRow] = []
        for dataset, table in (tables or {}).items():
            if isinstance(table, Sequence):
                table = tuple(table)
                listed += table
            lazy[dataset_of(dataset) or dataset] = table
        rows = defaultdict(list)
        organisms, held = defaultdict(set), defaultdict(set)
        contexts = defaultdict(set)
        for row in (*benchmark, *listed):
            key = gene_key(row.organism, row.gene)
            dataset = dataset_of(row.dataset) or row.dataset
            rows[row.organism, key, dataset].append(row)
            organisms[dataset].add(row.organism)
            held[row.organism].add(key)
        for row in benchmark:
            if row.context is not None:
                contexts[dataset_of(row.dataset) or row.dataset].add(row.context)
        for dataset, table in lazy.items():
            organisms[dataset].update(() if isinstance(table, tuple) else (table.organism,))
        accessions = None
        if registry is not None:
            accessions = frozenset(filter(None, map(dataset_of, registry)))
        return cls(
            benchmark_rows=benchmark,
            tables=lazy,
            registry=accessions,
            gene_lists={
                organism: frozenset(gene_key(organism, name) for name in names)
                for organism, names in (genes or {}).items()
            },
            findings=tuple(findings),
            _rows={key: tuple(found) for key, found in rows.items()},
            _contexts=_frozen(contexts),
            _organisms=_frozen(organisms),
            _genes=_frozen(held),
        )

    def rows_of(self, organism: str, gene: str, dataset: str) -> tuple[ProvenanceRow, ...]:
        """Return what a dataset says about a gene.

        Returns
        -------
        tuple of ProvenanceRow
            Rows of the benchmark in file order, then those of the dataset's table; empty where
            there is none.
        """
        key = gene_key(organism, gene)
        found = self._rows.get((organism, key, dataset), ())
        table = self.tables.get(dataset)
        if table is None or isinstance(table, tuple) or table.organism != organism:
            return found
        return (*found, *table.rows_of(key))

    def contexts_of(self, dataset: str) -> frozenset[str]:
        """Return a dataset's contexts, ``organism::tissue``, by the benchmark's rows alone."""
        return self._contexts.get(dataset, frozenset())

    def organisms_of(self, dataset: str) -> frozenset[str]:
        """Return a dataset's organisms, by the benchmark's rows and its table."""
        return self._organisms.get(dataset, frozenset())

    def knows_dataset(self, dataset: str) -> bool:
        """Tell whether the benchmark, the registry or a table has a dataset."""
        return dataset in self._organisms or dataset in (self.registry or ())

    @property
    def has_registry(self) -> bool:
        """Whether a registry of accessions was given."""
        return self.registry is not None

    def has_table(self, dataset: str) -> bool:
        """Tell whether a dataset's whole table is known."""
        return dataset in self.tables

    def has_gene_list(self, organism: str) -> bool:
        """Tell whether all genes of an organism are known."""
        return organism in self.gene_lists

    def knows_gene(self, organism: str, gene: str) -> bool:
        """Tell whether an organism's gene list, any row or any table of its holds a gene."""
        key = gene_key(organism, gene)
        return (
            key in self._genes.get(organism, ())
            or key in self.gene_lists.get(organism, ())
            or any(
                not isinstance(table, tuple) and table.organism == organism and key in table
                for table in self.tables.values()
            )
        )

    @property
    def datasets(self) -> tuple[str, ...]:
        """The benchmark's datasets in order of first use, then those of the tables alone."""
        return tuple(self._organisms)

    @property
    def gene_n(self) -> int:
        """Number of genes with a row in the benchmark or in rows that were listed."""
        return sum(map(len, self._genes.values()))

    @property
    def dataset_n(self) -> int:
        """Number of datasets in the benchmark and among the tables."""
        return len(self._organisms)

    @property
    def context_n(self) -> int:
        """Number of contexts, ``organism::tissue``."""
        return len(frozenset().union(*self._contexts.values()))

    @property
    def row_n(self) -> int:
        """Number of the benchmark's provenance rows."""
        return len(self.benchmark_rows)

    def rows(self) -> Iterator[ProvenanceRow]:
        """Yield every row: the benchmark's in file order, then those of each table.

        A table's gene goes by the name that the benchmark has for it, where it has one.
        """
        yield from self.benchmark_rows
        for table in self.tables.values():
            if isinstance(table, tuple):
                yield from table
            else:
                yield from table.rows(self._genes.get(table.organism, frozenset()))

    def to_networkx(self) -> nx.MultiDiGraph:
        """Return a NetworkX graph; see `eval_tiers.kg.provenance_networkx.build_networkx`."""
        from eval_tiers.kg.provenance_networkx import build_networkx

        return build_networkx(self)


def _frozen(sets: Mapping[str, set[str]]) -> dict[str, frozenset[str]]:
    return {key: frozenset(found) for key, found in sets.items()}
