"""``baselines``: answers that take no model, as prediction files."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Any

import click

from eval_tiers.cli.console import print_json, program_name, wrap
from eval_tiers.cli.options import ModeSign
from eval_tiers.report.lines import fitted, interval_text, percent, visible

if TYPE_CHECKING:
    from eval_tiers.pipeline.baselines import WrittenBaselines

_PATH = click.Path(path_type=str, readable=False)  # what can't be read is told by the readers


@click.command("baselines", short_help="Write answers that take no model as predictions.")
@click.option("--gt-dir", type=_PATH, metavar="DIR", help="Gold: a folder of split folders.")
@click.option("--gt-file", type=_PATH, metavar="FILE", help="Gold: one file.")
@click.option("--output-dir", "-o", required=True, type=_PATH, metavar="DIR",
              help="Where the predictions go: a new or empty folder.")  # fmt: skip
@click.option("--train-file", type=_PATH, metavar="FILE",
              help="Training questions: adds each readout gene's majority label.")  # fmt: skip
@click.option("--external-kg", type=_PATH, multiple=True, metavar="FILE",
              help="Signed graph: adds the sign of shortest routes; repeat to unite.")  # fmt: skip
@click.option("--consensus", is_flag=True, help="OmniPath: read consensus_* instead of is_*.")
@click.option("--undirected", type=click.Choice(["skip", "both"]), default="skip",
              show_default=True,
              help="Undirected edges: leave out, or unsigned both ways.")  # fmt: skip
@click.option("--mode", "modes", type=ModeSign(), multiple=True, metavar="TYPE=SIGN",
              help="Perturbation sign where records give none: genetic=-1.")  # fmt: skip
@click.option("--format", "format_name", default="auto", show_default=True, metavar="NAME",
              help="Benchmark format: auto, or one that eval --help-formats lists.")  # fmt: skip
@click.option("--duplicates", type=click.Choice(["error", "first", "last"]), default="error",
              show_default=True, help="What to do with a gold id that is given twice.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True,
              metavar="N", help="Seed of the random answers.")  # fmt: skip
@click.option("--score", is_flag=True, help="Evaluate each (tier 1) into DIR/runs/NAME.")
@click.option("--jobs", type=click.IntRange(0), default=0, show_default=True, metavar="N",
              help="Processes for --score; 0: as many as there are processors.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the manifest as JSON on stdout.")
def command(**options: Any) -> None:
    """Write answers that take no model as prediction files.

    The commonest label, a random one, and of RR-10 always 'indeterminate'; with --train-file and
    --external-kg two more. They are ordinary predictions: what eval says of a model, it says of
    them. Without --gt-dir or --gt-file it runs on bundled demo data.

    \b
      baselines --gt-dir gt/ --train-file train.jsonl \\
           --external-kg kg.tsv.gz -o baselines/ --score
    """
    from eval_tiers.api import write_baselines

    written = write_baselines(
        options["output_dir"],
        gt_dir=options["gt_dir"],
        gt_file=options["gt_file"],
        format=options["format_name"],
        train_file=options["train_file"],
        external_kg=list(options["external_kg"]) or None,
        consensus=options["consensus"],
        undirected=options["undirected"],
        mode=dict(options["modes"]),
        duplicates=options["duplicates"],
        seed=options["seed"],
        score=options["score"],
        jobs=options["jobs"],
        arguments=sys.argv[1:],
    )
    if options["as_json"]:
        print_json(written.manifest)
        return
    click.echo("\n".join(_report_lines(written)))
    click.echo("\n".join(_closing_lines(written, options)))


def _report_lines(written: WrittenBaselines) -> list[str]:
    """Return the table: rows by answer, and the accuracy where it was worked out."""
    words = list(written.baselines[0].answer_n)
    lines = [f"Baselines of {written.row_n:,} questions: rows by answer"]
    lines.append(" " * 24 + "".join(f"{fitted(word, 13).strip():>14}" for word in words))
    for made in written.baselines:
        counts = "".join(f"{made.answer_n[word]:>14,}" for word in words)
        lines.append(f"  {made.name:<22}{counts}".rstrip())
    scored = [made for made in written.baselines if made.figures]
    if scored:
        lines += ["", f"  {'accuracy':<24}{'value':>9}  {'95 % interval':<17}{'n':>9}"]
    for made in scored:
        found = made.figures
        key = "accuracy" if "accuracy" in found else "accuracy_total"
        interval = interval_text(found, key).strip()
        lines.append(
            f"  {made.name:<24}{percent(found[key]):>9}  {interval:<17}{found[f'{key}_n']:>9,}"
        )
    lines.append("")
    for made in written.baselines:
        lines += wrap(f"  {made.name}: {made.meaning}", "    ")
    return lines


def _closing_lines(written: WrittenBaselines, options: dict[str, Any]) -> list[str]:
    lines = [f"Files in {visible(options['output_dir'])}/"]
    end = "" if written.baselines[0].path.suffix == ".jsonl" else "/"
    lines += [f"  {visible(made.path.name)}{end}" for made in written.baselines]
    if written.baselines[0].run_dir is not None:
        return [*lines, "  runs/", "  baselines.json"]
    lines.append("  baselines.json")
    side, pred = ("dir", "--pred-dir") if options["gt_file"] is None else ("file", "--pred-file")
    gold = options[f"gt_{side}"]
    if gold is not None:
        lines += [
            "Next, as any predictions:",
            f"  {program_name()} eval --gt-{side} {visible(shlex.quote(gold))} \\",
            f"    {pred} {visible(shlex.quote(str(written.baselines[0].path)))} --tiers 1",
        ]
    return lines
