"""``kg``: build a signed graph or RR-10's provenance graph, and look at a graph."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from eval_tiers.cli.console import print_findings, print_json, program_name

if TYPE_CHECKING:
    from eval_tiers.kg.source import ReadOptions


class _FormatChoice(click.Choice[str]):
    """The formats, found in their folder when they are asked for."""

    def __init__(self) -> None:
        from eval_tiers.kg.registry import source_names

        super().__init__(source_names())


_format = click.option(
    "--format",
    "format_name",
    type=_FormatChoice(),
    help="Format of the files; told from each file by default.",
)
_consensus = click.option(
    "--consensus",
    is_flag=True,
    help="OmniPath: signs from the consensus_* columns instead of is_*.",
)
_undirected = click.option(
    "--undirected",
    type=click.Choice(["skip", "both"]),
    default="skip",
    show_default=True,
    help="Rows without a direction: leave them out, or take them unsigned both ways.",
)
_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


@click.group("kg")
def command() -> None:
    """Build and look at knowledge graphs of signed edges for tier 2."""


@command.command("build")
@click.argument("files", nargs=-1, metavar="[FILE...]", type=click.Path(readable=False))
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="FILE",
    type=click.Path(readable=False),
    help="Table to write: .tsv or .tsv.gz, such as kg/mine.tsv.gz. With --rr10: .json or "
    ".graphml, or these with .gz.",
)
@_format
@_consensus
@_undirected
@click.option(
    "--rr10",
    "benchmark",
    metavar="FILE",
    type=click.Path(readable=False),
    help="Build the provenance graph of this RR-10 benchmark, instead of uniting FILEs.",
)
@click.option(
    "--osd-table",
    "osd_tables",
    multiple=True,
    metavar="OSD-48=FILE",
    help="With --rr10: a dataset's whole differential-expression table; may be repeated.",
)
@click.option(
    "--osd-registry",
    metavar="FILE",
    type=click.Path(readable=False),
    help="With --rr10: all OSDR accessions, one a line.",
)
@click.option(
    "--genes",
    "gene_lists",
    multiple=True,
    metavar="ORGANISM=FILE",
    help="With --rr10: all genes of an organism, one a line; may be repeated.",
)
@_json
def build(
    files: tuple[str, ...],
    output: str,
    format_name: str | None,
    consensus: bool,
    undirected: str,
    benchmark: str | None,
    osd_tables: tuple[str, ...],
    osd_registry: str | None,
    gene_lists: tuple[str, ...],
    as_json: bool,
) -> None:
    """Unite graph FILEs into one table: source, target, sign.

    A pair keeps every sign that any file gives it. The same files give the same bytes.

    With --rr10: write the graph of gene, dataset and context that a benchmark's provenance makes,
    for NetworkX and other tools; eval builds it by itself.
    """
    from eval_tiers.exceptions import Problem, UsageError

    if benchmark is not None:
        from eval_tiers.cli.provenance import build_provenance
        from eval_tiers.io.output_paths import require_free_path

        united = {
            "FILE": bool(files),
            "--format": format_name is not None,
            "--consensus": consensus,
            "--undirected": undirected != "skip",
        }
        _refuse(united, "has no place beside --rr10", "leave it out, or leave out --rr10")
        widened = [value.partition("=")[2] for value in (*osd_tables, *gene_lists)]
        require_free_path(output, [benchmark, *filter(None, [osd_registry]), *widened])
        build_provenance(benchmark, output, osd_tables, osd_registry, gene_lists, as_json)
        return
    widening = {
        "--osd-table": bool(osd_tables),
        "--osd-registry": osd_registry is not None,
        "--genes": bool(gene_lists),
    }
    _refuse(widening, "needs --rr10", "name the benchmark: --rr10 FILE")
    if not files:
        raise UsageError(
            Problem("nothing-to-build", "there is no FILE to build a graph from",
                    fix="name graph files, or a benchmark: --rr10 FILE")
        )  # fmt: skip
    _build_signed(files, output, _options(format_name, consensus, undirected), as_json)


def _refuse(given: Mapping[str, bool], what: str, fix: str) -> None:
    """Raise a usage error for the options that were given."""
    from eval_tiers.exceptions import Problem, UsageError

    problems = [
        Problem("options-conflict", f"{name} {what}", fix=fix) for name, hit in given.items() if hit
    ]
    if problems:
        raise UsageError(problems)


def _build_signed(files: tuple[str, ...], output: str, options: ReadOptions, as_json: bool) -> None:
    from eval_tiers.exceptions import Problem, SourceRef, UsageError
    from eval_tiers.io.graphs import describe_graph_file, sha256_of, write_graph_tsv

    target = Path(output)
    if not target.name.lower().endswith((".tsv", ".tsv.gz")):
        raise UsageError(
            Problem(
                "output-suffix",
                "what is written is a table of tab-separated values",
                SourceRef(output),
                "name it .tsv or .tsv.gz",
            )
        )
    graph, described = describe_graph_file(files, options)
    write_graph_tsv(graph, target)
    written = {"path": output, "sha256": sha256_of(target)}
    print_findings(graph.findings)
    if as_json:
        print_json({"written": written, **described})
        return
    lines = [
        *_file_lines(described),
        f"written        {output}",
        f"sha256         {written['sha256']}",
    ]
    lines += [*_graph_lines(described), f"Next: {program_name()} eval --external-kg {output} ..."]
    click.echo("\n".join(lines))


@command.command("info")
@click.argument("file", type=click.Path(readable=False))
@_format
@_consensus
@_undirected
@_json
def info(
    file: str, format_name: str | None, consensus: bool, undirected: str, as_json: bool
) -> None:
    """Tell what a graph file holds: nodes, edges, signs, kind of identifier.

    FILE may be plain, gzip or zstd, in any of the known formats. Of a provenance graph, written
    by kg build --rr10: genes, datasets, contexts and rows of evidence.
    """
    from eval_tiers.io.graphs import describe_graph_file
    from eval_tiers.io.provenance_files import read_provenance_graph

    read = read_provenance_graph(file) if format_name is None else None
    if read is not None:
        from eval_tiers.cli.provenance import tell_provenance

        tell_provenance(file, *read, as_json)
        return
    graph, described = describe_graph_file(file, _options(format_name, consensus, undirected))
    print_findings(graph.findings)
    if as_json:
        print_json(described)
        return
    lines = [*_file_lines(described), *_graph_lines(described)]
    if not graph.edge_n and described["undirected_skipped_n"]:
        lines.append(f"Next: {program_name()} kg info --undirected both {file}")
    else:
        lines.append(f"Next: {program_name()} eval --external-kg {file} ...")
    click.echo("\n".join(lines))


def _options(format_name: str | None, consensus: bool, undirected: str) -> ReadOptions:
    from eval_tiers.kg.source import ReadOptions

    return ReadOptions(format_name, consensus, undirected)


def _file_lines(described: Mapping[str, object]) -> list[str]:
    lines = []
    for file in cast("list[dict[str, str]]", described["files"]):
        lines += [
            f"file           {file['path']}",
            f"format         {file['format']}",
            f"sha256         {file['sha256']}",
        ]
    return lines


_SIZES = (
    ("nodes", "node_n", ""),
    ("edges", "edge_n", "distinct ordered pairs"),
    ("positive", "positive_n", ""),
    ("negative", "negative_n", ""),
    ("conflicting", "conflicting_n", "of these: positive and negative"),
    ("unsigned", "unsigned_n", ""),
    ("self-loops", "self_loop_n", ""),
    ("lone nodes", "lone_node_n", ""),
    ("complexes", "complex_n", ""),
)
_FATES = (
    ("undirected_skipped_n", "skipped: undirected"),
    ("empty_name_n", "skipped: an empty name"),
    ("ragged_n", "skipped: another number of columns"),
    ("unknown_sign_n", "counted unsigned: unknown sign"),
    ("consensus_differs_n", "whose is_* and consensus_* differ"),
)


def _graph_lines(described: Mapping[str, object]) -> list[str]:
    lines = [f"rows read      {described['row_n']:>10,}"]
    lines += [
        f"               {described[key]:>10,}  {text}" for key, text in _FATES if described[key]
    ]
    lines += [
        f"{title:<15}{described[key]:>10,}" + (f"  {note}" if note else "")
        for title, key, note in _SIZES
    ]
    kind = described["identifier"]
    if kind is not None:
        rate = cast("float", described["identifier_rate"])
        lines.append(f"names are      {kind} ({rate:.1%} of the nodes that are no complexes)")
    if described["fingerprint"]:
        lines.append(f"reference      nodes and edges are as many as in {described['fingerprint']}")
    return lines
