"""``export-prompts``: a benchmark's questions as requests for any engine."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import click

from eval_tiers.cli.console import print_json, program_name
from eval_tiers.report.lines import visible

_PATH = click.Path(path_type=str, readable=False)
_HOSTED_LIMIT = 50_000
_UNNAMED = "model"


@click.command("export-prompts", short_help="Write a benchmark's questions as requests.")
@click.option("--gt-file", required=True, type=_PATH, metavar="FILE",
              help="Gold: JSON Lines (.gz, .zst), RR-10 or PerturbReason.")  # fmt: skip
@click.option("--output", "-o", required=True, type=_PATH, metavar="FILE",
              help="Request file to write, such as requests.jsonl.")  # fmt: skip
@click.option("--with-evidence", is_flag=True,
              help="RR-10: show each item's published evidence.")  # fmt: skip
@click.option("--model", default=_UNNAMED, show_default=True, metavar="NAME",
              help="The model's name in every request, as the engine calls it.")  # fmt: skip
@click.option("--max-tokens", type=click.IntRange(1), default=1024, show_default=True, metavar="N",
              help="Longest reply.")  # fmt: skip
@click.option("--split", type=click.IntRange(1, _HOSTED_LIMIT), metavar="N",
              help="Several files, of N requests and 200 MB at most; hosted batch APIs take "
              "50000.")  # fmt: skip
@click.option("--force", is_flag=True, help="Replace an earlier export of that name.")
@click.option("--json", "as_json", is_flag=True, help="Print the manifest as JSON on stdout.")
def command(
    gt_file: str,
    output: str,
    with_evidence: bool,
    model: str,
    max_tokens: int,
    split: int | None,
    force: bool,
    as_json: bool,
) -> None:
    """Write a benchmark's questions as requests for any engine.

    One request a gold row, in the OpenAI Batch form, its reply bound to a JSON schema: the label,
    the evidence, one sentence. No gold answer is shown. The reply file goes into eval --pred-file
    as it is. Beside the requests, NAME.manifest.json says what was asked and whether evidence was
    shown.

    \b
      export-prompts --gt-file benchmark.jsonl -o requests.jsonl
    """
    from eval_tiers.exceptions import Problem, UsageError
    from eval_tiers.io.prompt_files import PromptOptions, write_prompt_files

    if not model.strip():
        raise UsageError(Problem("no-model-name", "the model's name is blank", fix="name one"))
    options = PromptOptions(with_evidence, model, max_tokens, split)
    export = write_prompt_files(gt_file, output, options, force)
    if as_json:
        print_json(export.manifest)
        return
    click.echo("\n".join(_report_lines(export.manifest, str(export.manifest_path))))
    click.echo("\n".join(_next_lines(export.manifest, output, split is not None)))


def _report_lines(manifest: dict[str, Any], manifest_path: str) -> list[str]:
    files = manifest["requests"]
    where = files[0]["path"] if len(files) == 1 else f"{files[0]['path']} to {files[-1]['path']}"
    shown = "shown" if manifest["evidence_shown"] else "not shown"
    lines = [
        f"requests        {manifest['request_n']:,}",
        f"written         {visible(where)}",
        f"manifest        {visible(manifest_path)}",
        f"prompt          {manifest['prompt_version']}",
        f"evidence        {shown}",
        f"longest prompt  {manifest['longest_prompt_n']:,} characters",
    ]
    if max(file["request_n"] for file in files) > _HOSTED_LIMIT:
        lines.append(f"Hosted batch APIs take {_HOSTED_LIMIT:,} requests a file: see --split.")
    return lines


def _next_lines(manifest: dict[str, Any], output: str, is_split: bool) -> list[str]:
    """Return the commands that come next: run the requests, score the replies."""
    requests, model = Path(output), manifest["model"]
    stem = requests.stem.replace("requests", "replies")
    replies = requests.with_name(f"{stem if stem != requests.stem else stem + '_replies'}.jsonl")
    named = f"--model {_quoted(model)}"
    if model == _UNNAMED:
        named = f"--model MODEL --served-model-name {_UNNAMED}"
    lines = ["Next, with vLLM or any other engine that takes the OpenAI Batch form:"]
    if is_split:
        begin, end = _quoted(requests.with_suffix("")), _quoted(requests.suffix)
        part = _quoted(replies.with_suffix(""))
        lines += [
            f"  for part in {begin}-*{end}; do",
            f'    vllm run-batch -i "$part" -o {part}-"${{part##*-}}" \\',
            f"      {named}; done",
            f"  cat {part}-*{end} > {_quoted(replies)}",
        ]
    else:
        lines += [
            f"  vllm run-batch -i {_quoted(requests)} -o {_quoted(replies)} \\",
            f"    {named}",
        ]
    gold = _quoted(manifest["gold"]["path"])
    tiers = " --tiers 1" if manifest["format"] == "perturbreason" else ""  # 2 needs a graph
    return [
        *lines,
        f"  {program_name()} eval --gt-file {gold} \\",
        f"    --pred-file {_quoted(replies)}{tiers}",
    ]


def _quoted(text: str | Path) -> str:
    return visible(shlex.quote(str(text)))
