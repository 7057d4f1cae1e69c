"""Whether what widens a provenance graph fits the benchmark that it is to widen."""

from __future__ import annotations

from collections.abc import Collection

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import SourceRef
from eval_tiers.kg.osd_tables import OsdTable
from eval_tiers.kg.provenance import ProvenanceGraph, dataset_of, gene_key
from eval_tiers.kg.wording import LINES_SHOWN, plural

MIN_KNOWN_RATE = 0.5


def check_gene_list(
    benchmark: ProvenanceGraph, organism: str, genes: Collection[str], path: str
) -> list[Finding]:
    """Warn where a list lacks more than half of the benchmark's genes of its organism."""
    wanted = {
        gene_key(organism, row.gene) for row in benchmark.benchmark_rows if row.organism == organism
    }
    return _few_known(wanted, genes, f"the gene list of {organism}", path)


def check_table(benchmark: ProvenanceGraph, table: OsdTable, path: str) -> list[Finding]:
    """Warn where a table lacks the genes that the benchmark has of it, or contradicts it.

    A row of the benchmark is contradicted where its gene is in the table with the other sign
    alone.
    """
    rows = [
        row
        for row in benchmark.benchmark_rows
        if (dataset_of(row.dataset) or row.dataset, row.organism) == (table.dataset, table.organism)
    ]
    wanted = {gene_key(row.organism, row.gene) for row in rows}
    found = _few_known(wanted, table, f"the table of {table.dataset}", path)
    against = []
    for row in rows:
        signs = {other.sign for other in table.rows_of(gene_key(row.organism, row.gene))}
        if row.sign and signs == {-row.sign}:
            against.append(row.gene)
    if against:
        found.append(
            Finding(
                "table-contradicts",
                f"{len(against)} of {len(rows)} {plural(len(rows), 'row')} that the benchmark has "
                f"of {table.dataset} {'has' if len(against) == 1 else 'have'} the other sign in "
                "the table: " + ", ".join(against[:LINES_SHOWN]),
                SourceRef(path),
                fix="check that it is the table that the benchmark was made from",
            )
        )
    return found


def _few_known(
    wanted: Collection[str], known: Collection[str] | OsdTable, what: str, path: str
) -> list[Finding]:
    lacking = sorted(gene for gene in wanted if gene not in known)
    if len(lacking) <= (1 - MIN_KNOWN_RATE) * len(wanted):
        return []
    return [
        Finding(
            "few-genes-known",
            f"{what} lacks {len(lacking)} of the {len(wanted)} {plural(len(wanted), 'gene')} that "
            f"the benchmark has: {', '.join(lacking[:LINES_SHOWN])}",
            SourceRef(path),
            fix="give a file with the benchmark's kind of gene names",
        )
    ]
