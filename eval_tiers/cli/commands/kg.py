"""``kg``: build one signed graph from files in any known format, and look at a graph."""

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
@click.argument(
    "files", nargs=-1, required=True, metavar="FILE...", type=click.Path(readable=False)
)
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="FILE",
    type=click.Path(readable=False),
    help="Table to write: .tsv or .tsv.gz, such as kg/mine.tsv.gz.",
)
@_format
@_consensus
@_undirected
@_json
def build(
    files: tuple[str, ...],
    output: str,
    format_name: str | None,
    consensus: bool,
    undirected: str,
    as_json: bool,
) -> None:
    """Unite graph files into one table: source, target, sign.

    A pair keeps every sign that any file gives it. The same files give the same bytes.
    """
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
    graph, described = describe_graph_file(files, _options(format_name, consensus, undirected))
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

    FILE may be plain, gzip or zstd, in any of the known formats.
    """
    from eval_tiers.io.graphs import describe_graph_file

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
