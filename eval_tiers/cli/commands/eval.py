"""``eval``: score predictions against a benchmark, tiers 1 to 3."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import click

from eval_tiers.cli.console import print_findings, print_json, program_name, wrap
from eval_tiers.cli.options import (
    GroupedOption,
    ModeSign,
    TierList,
    TiersCommand,
    by_organism,
)
from eval_tiers.exceptions import Problem, SourceRef, UsageError
from eval_tiers.report.lines import visible

_INPUT, _RESOURCES = "Inputs", "Knowledge graph and gene sets"
_SCORING, _RR10, _OUTPUT = "Scoring", "Cited evidence (RR-10)", "Output and running"
_PATH = click.Path(path_type=str, readable=False)  # what can't be read is told by the readers
_Decorated = TypeVar("_Decorated", bound=Callable[..., Any])


def _option(group: str, *names: str, **settings: Any) -> Callable[[_Decorated], _Decorated]:
    return click.option(*names, cls=GroupedOption, group=group, **settings)


_input = partial(_option, _INPUT)
_resource = partial(_option, _RESOURCES)
_scoring = partial(_option, _SCORING)
_rr10 = partial(_option, _RR10)
_output = partial(_option, _OUTPUT)


def _show_formats(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if not value or ctx.resilient_parsing:
        return
    from eval_tiers.formats.registry import known_formats

    for described in known_formats().values():
        click.echo("\n".join(wrap(f"{described.name}: {described.title}", "  ")) + "\n")
        for side, table in (
            ("gold", described.gold_fields),
            ("prediction", {**described.prediction_fields, **described.stated_fields}),
        ):
            click.echo(f"  {side} record, field: names that are read, in this order")
            for field, names in table.items():
                line = f"    {field + ':':<19} {', '.join(names)}"
                click.echo("\n".join(wrap(line, " " * 24)))
        click.echo("\n" + "\n".join(wrap(f"  source: {described.reference}", "    ")))
    ctx.exit()


@click.command("eval", cls=TiersCommand, short_help="Score predictions, tiers 1 to 3.")
@_input("--gt-dir", type=_PATH, metavar="DIR", help="Gold: a folder of split folders.")
@_input("--pred-dir", type=_PATH, metavar="DIR", help="Predictions: the same split folders.")
@_input("--gt-file", type=_PATH, metavar="FILE", help="Gold: one JSON Lines file (.gz, .zst).")
@_input("--pred-file", type=_PATH, metavar="FILE",
        help="Predictions for --gt-file: JSON Lines, JSON, CSV, TSV, Batch replies.")  # fmt: skip
@_input("--split", metavar="NAME", help="Split of a single pair [gold file's folder].")
@_input("--format", "format_name", default="auto", show_default=True, metavar="NAME",
        help="Benchmark format: auto, or one that --help-formats lists.")  # fmt: skip
@_input("--pair", type=click.Choice(["auto", "id", "position"]), default="auto",
        show_default=True,
        help="Pair rows by id, or by position where there are none.")  # fmt: skip
@_input("--duplicates", type=click.Choice(["error", "first", "last"]), default=None,
        show_default="error", help="What to do with an id that is given twice.")  # fmt: skip
@_input("--mode", "modes", type=ModeSign(), multiple=True, metavar="TYPE=SIGN",
        help="Perturbation sign where records give none: genetic=-1.")  # fmt: skip
@_input("--train-file", type=_PATH, metavar="FILE",
        help="Training questions: adds the baseline of each gene's majority label.")  # fmt: skip
@_resource("--external-kg", type=_PATH, multiple=True, metavar="FILE",
           help="Signed graph for tier 2, any format of 'kg info'; repeat to unite. "
                "RR-10: organism=FILE.")  # fmt: skip
@_resource("--go-gmt", type=_PATH, multiple=True, metavar="FILE",
           help="Gene sets (GMT) for tier 3. RR-10: also organism=FILE.")  # fmt: skip
@_resource("--consensus", is_flag=True, help="OmniPath: read consensus_* instead of is_*.")
@_resource("--undirected", type=click.Choice(["skip", "both"]), default="skip",
           show_default=True,
           help="Undirected edges: leave out, or unsigned both ways.")  # fmt: skip
@_scoring("--tiers", type=TierList(), default="1,2", show_default="1 2",
          help="Tiers to run: 1 label, 2 chain, 3 GO sets.")  # fmt: skip
@_scoring("--by", "by", multiple=True, metavar="FIELD", help="Slice by a gold field; repeatable.")
@_scoring("--cluster", metavar="FIELD",
          help="Rows that share it are not independent [readout; RR-10: pair]. Also "
               "perturbation, perturbation+readout, cell_line, gene, context, none.")  # fmt: skip
@_scoring("--hallucination-threshold", type=click.FloatRange(0, 1), default=0.5,
          show_default=True, metavar="X",
          help="Share of pairs outside the KG that counts as hallucinated.")  # fmt: skip
@_scoring("--coverage-threshold", type=click.FloatRange(0, 1), default=0.5, show_default=True,
          metavar="X", help="Share of gold pairs that a chain must hold.")  # fmt: skip
@_scoring("--unknown-nodes", type=click.Choice(["hallucinated", "unverifiable"]),
          default="hallucinated", show_default=True,
          help="Pairs with a node that the KG lacks: count, or leave out.")  # fmt: skip
@_scoring("--go-null-draws", type=click.IntRange(10), default=1000, show_default=True,
          metavar="N", help="Random gene sets a bin of the GO null.")  # fmt: skip
@_scoring("--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True, metavar="N",
          help="Seed of all that is drawn.")  # fmt: skip
@_rr10("--rr10-compat", is_flag=True,
       help="Score as the reference scorer does, bit for bit.")  # fmt: skip
@_rr10("--evidence", type=click.Choice(["auto", "expected", "none"]), default="auto",
       show_default=True,
       help="Whether answers were to cite evidence; auto: whether any does.")  # fmt: skip
@_rr10("--evidence-shown", type=click.Choice(["yes", "no"]),
       help="Whether the model saw the evidence; told from Batch replies.")  # fmt: skip
@_rr10("--osd-registry", type=_PATH, metavar="FILE", help="List of all OSDR accessions.")
@_rr10("--osd-table", "osd_tables", multiple=True, metavar="OSD-48=FILE",
       help="A whole differential-expression table; repeatable.")  # fmt: skip
@_rr10("--genes", "genes", multiple=True, metavar="ORGANISM=FILE",
       help="All genes of an organism; repeatable.")  # fmt: skip
@_rr10("--errors-csv", type=_PATH, metavar="FILE", help="Write the wrong rows here too.")
@_output("--output-dir", "-o", type=_PATH, default="outputs", show_default=True, metavar="DIR",
         help="Where the run gets a folder of its own.")  # fmt: skip
@_output("--jobs", type=click.IntRange(0), default=0, show_default=True, metavar="N",
         help="Processes; 0: as many as there are processors.")  # fmt: skip
@_output("--batch-size", type=click.IntRange(1), default=None, metavar="N",
         help="Rows held at a time; changes no number.")  # fmt: skip
@_output("--spreadsheet-safe", is_flag=True,
         help="Put ' before cells that a spreadsheet would run (= + - @).")  # fmt: skip
@_output("--report", is_flag=True,
         help="Also write the run as one HTML file, as 'report' does.")  # fmt: skip
@_output("--json", "as_json", is_flag=True, help="Print the summary as JSON on stdout.")
@_output("--quiet", "-q", is_flag=True, help="No progress and no findings on stderr.")
@_output("--help-formats", is_flag=True, is_eager=True, expose_value=False,
         callback=_show_formats, help="Show the fields that are read, and exit.")  # fmt: skip
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """Score predictions against a benchmark.

    Without --gt-dir or --gt-file it runs on bundled demo data. Examples:

    \b
      eval --tiers 1 2 3
      eval --gt-file benchmark.jsonl --pred-file predictions.csv
      eval --gt-dir gt/ --pred-dir pred/ --external-kg kg.tsv.gz \\
           --go-gmt go.gmt --tiers 1 2 3
    """
    from eval_tiers.api import make_plan, write_evaluation, write_report
    from eval_tiers.cli.progress import Progress
    from eval_tiers.domain.findings import Finding
    from eval_tiers.io.provenance import parse_gene_options, parse_table_options
    from eval_tiers.report.rr10_terminal import render_rr10_summary
    from eval_tiers.report.terminal import render_summary
    from eval_tiers.settings import Settings

    if options["split"] is not None and options["gt_file"] is None:
        message = "--split names the split of a single pair; in folders the folders' names count"
        fix = "leave it out, or give --gt-file and --pred-file"
        raise UsageError(Problem("option-without-effect", message, fix=fix))
    plan = make_plan(
        gt_dir=options["gt_dir"],
        pred_dir=options["pred_dir"],
        gt_file=options["gt_file"],
        pred_file=options["pred_file"],
        external_kg=_graphs(options["external_kg"]),
        go_gmt=_gene_sets(options["go_gmt"]),
        tiers=options["tiers"],
        format=options["format_name"],
        split=options["split"],
        settings=Settings(
            hallucination_threshold=options["hallucination_threshold"],
            coverage_threshold=options["coverage_threshold"],
            unknown_nodes=options["unknown_nodes"],
            go_null_draws=options["go_null_draws"],
            seed=options["seed"],
        ),
        duplicates=options["duplicates"],
        pair=options["pair"],
        mode=dict(options["modes"]),
        by=options["by"],
        cluster=options["cluster"],
        train_file=options["train_file"],
        consensus=options["consensus"],
        undirected=options["undirected"],
        rr10_compat=options["rr10_compat"],
        evidence=options["evidence"],
        evidence_shown={None: None, "yes": True, "no": False}[options["evidence_shown"]],
        osd_registry=options["osd_registry"],
        osd_table=parse_table_options(options["osd_tables"]) or None,
        genes=parse_gene_options(options["genes"]) or None,
        jobs=options["jobs"],
        batch_rows=options["batch_size"],
    )
    _check_rr10_options(plan, options)
    demo = options["gt_dir"] is None and options["gt_file"] is None
    quiet = options["quiet"]
    if demo and not quiet:
        click.echo("No paths given: running on the bundled demo data.", err=True)
    written = write_evaluation(
        plan,
        options["output_dir"],
        arguments=sys.argv[1:],
        spreadsheet_safe=options["spreadsheet_safe"],
        progress=None if quiet else Progress("questions"),
        errors_csv=options["errors_csv"],
    )
    summary = written.summary
    if options["report"]:
        written.paths["report.html"] = write_report(written.run_dir)
    if not quiet:
        print_findings(
            Finding(
                found["code"],
                found["message"],
                SourceRef(found["path"], found["line"]),
                found["level"],
                found["fix"],
            )
            for found in summary["findings"]
            if found["level"] != "note"
        )
    if options["as_json"]:
        print_json(summary)
        return
    if plan.format_name == "rr10":
        title = "Demo: synthetic benchmark, planted answers" if demo else "Evaluation"
        click.echo(render_rr10_summary(summary, title))
    else:
        title = "Demo: textbook questions with planted faults" if demo else "Evaluation"
        click.echo(render_summary(summary, title))
    click.echo()
    click.echo("\n".join(_closing_lines(written.run_dir, written.paths, demo)))


def _check_rr10_options(plan: Any, options: dict[str, Any]) -> None:
    """Raise for a table of wrong rows that can't be written, or options of another format."""
    from eval_tiers.io.output_paths import require_free_path
    from eval_tiers.pipeline.rr10.run import input_paths

    for name in ("errors_csv", "evidence_shown"):
        if options[name] is not None and plan.format_name != "rr10":
            told = f"--{name.replace('_', '-')} has no meaning for format {plan.format_name}"
            raise UsageError(Problem("option-without-effect", told, fix="leave it out"))
    if options["errors_csv"] is not None:
        require_free_path(options["errors_csv"], input_paths(plan))


def _graphs(values: tuple[str, ...]) -> Any:
    found = by_organism("--external-kg", values)
    named = {organism: paths[0] for organism, paths in found.items() if organism}
    if not named:
        return list(values) or None
    if "" in found:
        raise UsageError(
            Problem(
                "graph-of-which-organism",
                f"--external-kg {found[''][0]} names no organism, others do",
                fix="write organism=FILE for each",
            )
        )
    return named


def _gene_sets(values: tuple[str, ...]) -> Any:
    found = by_organism("--go-gmt", values)
    if len(found.get("", ())) > 1:
        raise UsageError(
            Problem(
                "given-twice",
                "--go-gmt is given twice for all genes",
                fix="give one file, or one an organism: --go-gmt mus_musculus=FILE",
            )
        )
    return {organism: paths[0] for organism, paths in found.items()} or None


def _closing_lines(run_dir: Any, paths: dict[str, Any], demo: bool) -> list[str]:
    meanings = {
        "summary.json": "all figures",
        "samples.csv": "one row a question (also .parquet)",
        "citations.parquet": "one row a citation, with its verdict",
        "chains.parquet": "one row an edge, with its status",
        "pairs.csv": "one row a pair of trap and control",
        "file_summary.csv": "one row a file",
        "texts.parquet": "where each model text lies",
        "manifest.json": "what was run on what",
        "report.html": "all of it to look at, in a browser",
    }
    lines = [f"Files in {visible(str(run_dir))}/"]
    lines += [
        f"  {paths[name].name:<38}{meaning}" for name, meaning in meanings.items() if name in paths
    ]
    if demo and "citations.parquet" in paths:
        lines += [
            "Next, on your own data:",
            f"  {program_name()} validate BENCHMARK.jsonl",
            f"  {program_name()} eval --gt-file BENCHMARK.jsonl --pred-file PREDICTIONS.csv \\",
            "    --go-gmt mus_musculus=GO.gmt --tiers 1 2 3",
        ]
    elif demo:
        lines += [
            "Next, on your own data:",
            f"  {program_name()} eval --gt-dir GOLD/ --pred-dir PREDICTIONS/ \\",
            "    --external-kg KG.tsv.gz --go-gmt GO.gmt --tiers 1 2 3",
        ]
    else:
        columns = "error_label or hard_case" if "chains.parquet" in paths else "answer_correct"
        lines += [
            f"Next: filter samples by {columns}, in pandas, R or Excel;",
            f"  {program_name()} eval --help   for slices (--by) and thresholds",
        ]
    return lines
