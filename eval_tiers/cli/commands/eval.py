"""``eval``: score predictions against a benchmark, tiers 1 to 3."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import click

from eval_tiers.cli.console import print_findings, print_json, program_name, wrap
from eval_tiers.cli.options import GroupedOption, ModeSign, TierList, TiersCommand
from eval_tiers.report.terminal import visible

_INPUT, _RESOURCES = "Inputs", "Knowledge graph and gene sets"
_SCORING, _OUTPUT = "Scoring", "Output and running"
_PATH = click.Path(path_type=str, readable=False)  # what can't be read is told by the readers
_Decorated = TypeVar("_Decorated", bound=Callable[..., Any])


def _option(group: str, *names: str, **settings: Any) -> Callable[[_Decorated], _Decorated]:
    return click.option(*names, cls=GroupedOption, group=group, **settings)


_input = partial(_option, _INPUT)
_resource = partial(_option, _RESOURCES)
_scoring = partial(_option, _SCORING)
_output = partial(_option, _OUTPUT)


def _show_formats(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if not value or ctx.resilient_parsing:
        return
    from eval_tiers.formats.registry import known_formats

    for described in known_formats().values():
        click.echo("\n".join(wrap(f"{described.name}: {described.title}", "  ")) + "\n")
        for side, table in (
            ("gold", described.gold_fields),
            ("prediction", described.prediction_fields),
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
@_input("--pred-file", type=_PATH, metavar="FILE", help="Predictions for --gt-file.")
@_input("--split", metavar="NAME", help="Split of a single pair [gold file's folder].")
@_input("--format", "format_name", default="auto", show_default=True, metavar="NAME",
        help="Benchmark format: auto, or one that --help-formats lists.")  # fmt: skip
@_input("--pair", type=click.Choice(["auto", "id", "position"]), default="auto",
        show_default=True,
        help="Pair rows by id, or by position where there are none.")  # fmt: skip
@_input("--duplicates", type=click.Choice(["error", "first", "last"]), default="error",
        show_default=True, help="What to do with an id that is given twice.")  # fmt: skip
@_input("--mode", "modes", type=ModeSign(), multiple=True, metavar="TYPE=SIGN",
        help="Perturbation sign where records give none: genetic=-1.")  # fmt: skip
@_input("--train-file", type=_PATH, metavar="FILE",
        help="Training questions: adds the baseline of each gene's majority label.")  # fmt: skip
@_resource("--external-kg", type=_PATH, multiple=True, metavar="FILE",
           help="Signed graph for tier 2, any format of 'kg info'; repeat to unite.")  # fmt: skip
@_resource("--go-gmt", type=_PATH, metavar="FILE", help="Gene sets (GMT) for tier 3.")
@_resource("--consensus", is_flag=True, help="OmniPath: read consensus_* instead of is_*.")
@_resource("--undirected", type=click.Choice(["skip", "both"]), default="skip",
           show_default=True,
           help="Undirected edges: leave out, or unsigned both ways.")  # fmt: skip
@_scoring("--tiers", type=TierList(), default="1,2", show_default="1 2",
          help="Tiers to run: 1 label, 2 chain, 3 GO sets.")  # fmt: skip
@_scoring("--by", "by", multiple=True, metavar="FIELD", help="Slice by a gold field; repeatable.")
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
@_output("--output-dir", "-o", type=_PATH, default="outputs", show_default=True, metavar="DIR",
         help="Where the run gets a folder of its own.")  # fmt: skip
@_output("--jobs", type=click.IntRange(0), default=0, show_default=True, metavar="N",
         help="Processes; 0: as many as there are processors.")  # fmt: skip
@_output("--batch-size", type=click.IntRange(1), default=None, metavar="N",
         help="Rows held at a time; changes no number.")  # fmt: skip
@_output("--spreadsheet-safe", is_flag=True,
         help="Put ' before cells that a spreadsheet would run (= + - @).")  # fmt: skip
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
      eval --gt-dir gt/ --pred-dir pred/ --external-kg kg.tsv.gz \\
           --go-gmt go.gmt --tiers 1 2 3
    """
    from eval_tiers.api import make_plan, write_evaluation
    from eval_tiers.cli.progress import Progress
    from eval_tiers.domain.findings import Finding
    from eval_tiers.exceptions import Problem, SourceRef, UsageError
    from eval_tiers.report.terminal import render_summary
    from eval_tiers.settings import Settings

    if options["split"] is not None and options["gt_file"] is None:
        raise UsageError(
            Problem(
                "option-without-effect",
                "--split names the split of a single pair; in folders the folders' names count",
                fix="leave it out, or give --gt-file and --pred-file",
            )
        )
    plan = make_plan(
        gt_dir=options["gt_dir"],
        pred_dir=options["pred_dir"],
        gt_file=options["gt_file"],
        pred_file=options["pred_file"],
        external_kg=options["external_kg"] or None,
        go_gmt=options["go_gmt"],
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
        train_file=options["train_file"],
        consensus=options["consensus"],
        undirected=options["undirected"],
        jobs=options["jobs"],
        batch_rows=options["batch_size"],
    )
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
    )
    summary = written.summary
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
    title = "Demo: textbook questions with planted faults" if demo else "Evaluation"
    click.echo(render_summary(summary, title))
    click.echo()
    click.echo("\n".join(_closing_lines(written.run_dir, written.paths, demo)))


def _closing_lines(run_dir: Any, paths: dict[str, Any], demo: bool) -> list[str]:
    meanings = {
        "summary.json": "all figures",
        "samples.csv": "one row a question (also .parquet)",
        "chains.parquet": "one row an edge, with its status",
        "file_summary.csv": "one row a file",
        "texts.parquet": "where each model text lies",
        "manifest.json": "what was run on what",
    }
    lines = [f"Files in {visible(str(run_dir))}/"]
    lines += [
        f"  {paths[name].name:<38}{meaning}" for name, meaning in meanings.items() if name in paths
    ]
    if demo:
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
