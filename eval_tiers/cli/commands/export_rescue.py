"""``export-rescue``: a run's hard cases as requests to an examiner."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click

from eval_tiers.cli.console import print_findings, print_json, program_name
from eval_tiers.cli.options import GroupedCommand, GroupedOption

_PATH = click.Path(path_type=str, readable=False)
_Decorated = TypeVar("_Decorated", bound=Callable[..., Any])


def _option(group: str, *names: str, **settings: Any) -> Callable[[_Decorated], _Decorated]:
    return click.option(*names, cls=GroupedOption, group=group, **settings)


_input = partial(_option, "Inputs")
_asking = partial(_option, "What is asked")
_output = partial(_option, "Output")


@click.command("export-rescue", cls=GroupedCommand,
               short_help="Write a run's hard cases as requests to an examiner.")  # fmt: skip
@_input("--samples-csv", required=True, type=_PATH, metavar="FILE",
        help="samples_<timestamp>.csv of a run, in its folder; rows may be left out.")  # fmt: skip
@_input("--pred-dir", type=_PATH, metavar="DIR", help="The run's predictions, if they moved.")
@_input("--pred-file", type=_PATH, metavar="FILE", help="The same, of a run of one pair.")
@_input("--gt-dir", type=_PATH, metavar="DIR", help="The run's gold, if it moved.")
@_input("--gt-file", type=_PATH, metavar="FILE", help="The same, of a run of one pair.")
@_input("--external-kg", type=_PATH, multiple=True, metavar="FILE",
        help="Signed graph for the evidence, instead of the run's.")  # fmt: skip
@_asking("--max-samples", type=click.IntRange(1), metavar="N",
         help="A random sample of the hard cases.")  # fmt: skip
@_asking("--controls", type=click.IntRange(0), default=100, show_default=True, metavar="N",
         help="Controls of each right verdict, hidden among the cases; under 30, nothing is "
         "corrected.")  # fmt: skip
@_asking("--repeats", type=click.IntRange(1, 100), default=1, show_default=True, metavar="K",
         help="Ask everything K times, in another order each time: the majority "
         "counts.")  # fmt: skip
@_asking("--blind", is_flag=True,
         help="Hide gold answer and gold chain; the verdict follows from what the chain is said "
         "to imply.")  # fmt: skip
@_asking("--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True, metavar="N",
         help="Seed of all that is drawn.")  # fmt: skip
@_asking("--model", default="examiner", show_default=True, metavar="NAME",
         help="The examiner's name in every request, as the engine calls it.")  # fmt: skip
@_asking("--max-tokens", type=click.IntRange(16), default=512, show_default=True, metavar="N",
         help="Longest reply.")  # fmt: skip
@_asking("--max-chars", "budget_chars", type=click.IntRange(4000), default=24_000,
         show_default=True, metavar="N",
         help="Longest prompt; the model's text is shortened to fit.")  # fmt: skip
@_asking("--predictor", metavar="NAME",
         help="The model that gave the answers: merge warns of an examiner of its "
         "family.")  # fmt: skip
@_output("--output", "-o", type=_PATH, metavar="FILE",
         help="Request file [rescue/rescue_requests_<timestamp>.jsonl in the run's "
         "folder].")  # fmt: skip
@_output("--split", is_flag=True, help="Several files, of 50,000 requests and 200 MB at most.")
@_output("--force", is_flag=True, help="Replace another export in that folder.")
@_output("--json", "as_json", is_flag=True, help="Print the manifest as JSON on stdout.")
def command(as_json: bool, samples_csv: str, **options: Any) -> None:
    """Write the hard cases of a run as requests to an examiner.

    One request a case in the OpenAI Batch form, its reply bound to a JSON schema, with controls
    among them: cases whose right verdict is known, which tell how far the examiner can be trusted.
    Questions, texts and graph come from the run's manifest.

    \b
      export-rescue --samples-csv outputs/20260101_120000/samples_20260101_120000.csv
    """
    from eval_tiers.api import export_rescue
    from eval_tiers.pipeline.rescue.export import ExportOptions
    from eval_tiers.pipeline.rescue.sources import Overrides
    from eval_tiers.report.rescue_export_terminal import render_export

    moved = {name: options.pop(name) for name in ("gt_dir", "gt_file", "pred_dir", "pred_file")}
    overrides = Overrides(
        **{name: None if path is None else Path(path) for name, path in moved.items()},
        graphs=tuple(map(Path, options.pop("external_kg"))),
    )
    output = options.pop("output")
    written = export_rescue(
        samples_csv,
        ExportOptions(None if output is None else Path(output), overrides, **options),
    )
    print_findings(written.findings)
    if as_json:
        print_json(written.manifest)
        return
    paths = [str(path) for path in written.request_paths]
    click.echo(
        render_export(
            written.manifest, paths, str(written.manifest_path), samples_csv, program_name()
        )
    )
