"""``rubrics export``: rubrics of reports as requests to an examiner."""

from __future__ import annotations

import click

from eval_tiers.cli.console import print_findings, print_json, program_name

_PATH = click.Path(path_type=str, readable=False)


@click.command("export", short_help="Write rubrics as requests to an examiner.")
@click.argument("data", type=_PATH)
@click.argument("responses", type=_PATH)
@click.option("--output", "-o", required=True, type=_PATH, metavar="FILE",
              help="Request file; index, manifest, key of the controls go beside it.")  # fmt: skip
@click.option("--model", default="judge", show_default=True, metavar="NAME",
              help="The examiner's name in every request, as the engine calls it.")  # fmt: skip
@click.option("--max-tokens", type=click.IntRange(16), default=512, show_default=True, metavar="N",
              help="Longest reply.")  # fmt: skip
@click.option("--chunk-tokens", type=click.IntRange(16), default=100_000, show_default=True,
              metavar="N", help="A longer report is judged in parts, then as a whole.")  # fmt: skip
@click.option("--tokenizer", type=_PATH, metavar="PATH",
              help="The model's folder, or its tokenizer.json, to count tokens with "
              "[characters / 4].")  # fmt: skip
@click.option("--scale", type=click.Choice(["binary", "ternary"]), default="binary",
              show_default=True, help='ternary: "Partially Satisfied" may be said.')  # fmt: skip
@click.option("--repeats", type=click.IntRange(1, 100), default=1, show_default=True, metavar="K",
              help="Ask everything K times, the verdicts in another order each time: the majority "
              "counts.")  # fmt: skip
@click.option("--controls", type=click.IntRange(0), default=30, show_default=True, metavar="N",
              help="Controls of each right verdict, hidden among the rest; under 30, nothing is "
              "corrected.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True,
              metavar="N", help="Seed of all that is drawn.")  # fmt: skip
@click.option("--predictor", metavar="NAME",
              help="The model that wrote the reports: merge warns of an examiner of its "
              "family.")  # fmt: skip
@click.option("--split", is_flag=True,
              help="Several files, of 50,000 requests and 200 MB at most.")  # fmt: skip
@click.option("--force", is_flag=True, help="Replace an earlier export of that name.")
@click.option("--json", "as_json", is_flag=True, help="Print the manifest as JSON on stdout.")
def command(
    data: str,
    responses: str,
    output: str,
    model: str,
    max_tokens: int,
    chunk_tokens: int,
    tokenizer: str | None,
    scale: str,
    repeats: int,
    controls: int,
    seed: int,
    predictor: str | None,
    split: bool,
    force: bool,
    as_json: bool,
) -> None:
    """Write the rubrics of every report as requests to an examiner.

    DATA is a processed_data.jsonl, RESPONSES the folder of <sample_id>.md. One request a rubric in
    the OpenAI Batch form; a report over the budget becomes one a part and rubric, and merge writes
    the request that brings them together. Example:

    \b
      rubrics export processed_data.jsonl agent_responses -o judge/requests.jsonl
    """
    from eval_tiers.api import export_rubrics
    from eval_tiers.report.rubric_exchange_terminal import render_export

    written = export_rubrics(
        data,
        responses,
        output,
        model=model,
        max_tokens=max_tokens,
        chunk_tokens=chunk_tokens,
        tokenizer=tokenizer,
        ternary=scale == "ternary",
        repeats=repeats,
        controls=controls,
        seed=seed,
        predictor=predictor,
        split=split,
        force=force,
    )
    print_findings(written.findings)
    if as_json:
        print_json(written.manifest)
        return
    paths = [str(path) for path in written.request_paths]
    click.echo(render_export(written.manifest, paths, str(written.index_path), program_name()))
