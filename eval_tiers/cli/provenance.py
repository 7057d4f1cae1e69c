"""The provenance graph of RR-10 on the command line: building it, and telling what it holds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from eval_tiers.cli.console import print_findings, print_json, program_name
from eval_tiers.report.lines import visible

if TYPE_CHECKING:
    import networkx as nx

_EVIDENCE = (
    ("rows", "row_n", "of evidence"),
    ("", "benchmark_row_n", "of the benchmark"),
    ("", "table_row_n", "of whole tables"),
    ("positive", "positive_n", ""),
    ("negative", "negative_n", ""),
    ("unsigned", "unsigned_n", "no log2FC, or 0"),
    ("q >= .05", "not_significant_n", ""),
    ("no q", "no_q_n", ""),
    ("reversed", "reversed_n", "orientation -1: log2FC was turned"),
    ("both signs", "both_sign_pair_n", "pairs of gene and dataset"),
)


def build_provenance(
    benchmark: str,
    output: str,
    osd_tables: tuple[str, ...],
    osd_registry: str | None,
    gene_lists: tuple[str, ...],
    as_json: bool,
) -> None:
    """Build the graph of a benchmark and of what widens it, write it, and tell what it holds."""
    from eval_tiers.io.graphs import sha256_of
    from eval_tiers.io.provenance import parse_gene_options, parse_table_options, read_provenance
    from eval_tiers.io.provenance_files import (
        about_inputs,
        require_graph_suffix,
        write_provenance_graph,
    )
    from eval_tiers.io.rr10_benchmark import read_items
    from eval_tiers.kg.provenance_networkx import describe_provenance

    target = Path(output)
    format_name = require_graph_suffix(target)
    tables, genes = parse_table_options(osd_tables), parse_gene_options(gene_lists)
    graph = read_provenance(read_items(Path(benchmark)), tables, osd_registry, genes)
    made = graph.to_networkx()
    made.graph.update(about_inputs(benchmark, tables, osd_registry, genes))
    write_provenance_graph(made, target)
    print_findings(graph.findings)
    sha256 = sha256_of(target)
    described = describe_provenance(made)
    if as_json:
        print_json(
            {
                "written": {"path": output, "sha256": sha256},
                "format": format_name,
                **described,
                "findings": [finding.as_dict() for finding in graph.findings],
            }
        )
        return
    lines = [
        f"written        {output}",
        f"format         {format_name}",
        f"sha256         {sha256}",
    ]
    lines += [*_provenance_lines(described), f"Next: {program_name()} kg info {output}"]
    click.echo("\n".join(lines))


def tell_provenance(file: str, made: nx.MultiDiGraph, format_name: str, as_json: bool) -> None:
    """Tell what the graph in a file holds."""
    from eval_tiers.io.graphs import sha256_of
    from eval_tiers.kg.provenance_networkx import describe_provenance

    described = describe_provenance(made)
    sha256 = sha256_of(file)
    if as_json:
        print_json(
            {"files": [{"path": file, "format": format_name, "sha256": sha256}], **described}
        )
        return
    lines = [
        f"file           {visible(file)}",
        f"format         provenance graph, {format_name}",
        f"sha256         {sha256}",
    ]
    click.echo("\n".join([*lines, *_provenance_lines(described)]))


def _provenance_lines(described: Mapping[str, object]) -> list[str]:
    about = cast("dict[str, object]", described["about"])
    lines = [f"benchmark      {about['benchmark']}"] if "benchmark" in about else []
    genes = cast("dict[str, int]", described["genes"])
    contexts = cast("dict[str, int]", described["contexts"])
    lines.append(f"genes          {described['gene_n']:>10,}")
    lines += [f"               {count:>10,}  {organism}" for organism, count in genes.items()]
    lines.append(f"datasets       {described['dataset_n']:>10,}")
    lines.append(f"items          {described['item_n']:>10,}")
    lines.append(f"contexts       {described['context_n']:>10,}")
    lines += [f"               {count:>10,}  items, {name}" for name, count in contexts.items()]
    lines += [
        f"{title:<15}{described[key]:>10,}" + (f"  {note}" if note else "")
        for title, key, note in _EVIDENCE
    ]
    return [visible(line) for line in lines]
