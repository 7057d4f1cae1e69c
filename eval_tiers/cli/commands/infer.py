"""``infer``: runs a request file on an engine."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eval_tiers.cli.console import print_findings, print_json, program_name
from eval_tiers.cli.options import FiniteRange
from eval_tiers.report.lines import visible

if TYPE_CHECKING:
    from eval_tiers.inference.backends.base import Backend
    from eval_tiers.inference.backends.vllm_settings import VllmOptions
    from eval_tiers.inference.check import Check
    from eval_tiers.inference.runner import Report
    from eval_tiers.inference.shards import Shard

_PATH = click.Path(path_type=str, readable=False)
_INTERRUPTED = 130


class _Memory(click.ParamType[float]):
    """A share up to 1, or gigabytes."""

    name = "SHARE|GB"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        text = str(value).strip().lower().removesuffix("gb").removesuffix("g").strip()
        try:
            found = float(text)
        except ValueError:
            found = float("nan")
        if not 0 < found < 1e6:
            self.fail(f"{value!r} is neither a share such as 0.9 nor gigabytes such as 72", param)
        return found


@click.command("infer", short_help="Run a request file: vLLM, a server, or no model at all.")
@click.option("--input", "--input_file", "-i", "requests", required=True, type=_PATH,
              metavar="FILE", help="Requests in the OpenAI Batch form (.gz, .zst).")  # fmt: skip
@click.option("--output", "--output_file", "-o", "output", type=_PATH, metavar="FILE",
              help="Replies: appended to, never cut; what it answers isn't asked.")  # fmt: skip
@click.option("--model", "--model_path", "model", metavar="PATH|NAME",
              help="Model folder for vLLM; with --base-url the server's name for it.")  # fmt: skip
@click.option("--backend", type=click.Choice(["vllm", "http", "symbolic"]),
              help="vllm with --model, http with --base-url unless named; symbolic needs "
              "neither.")  # fmt: skip
@click.option("--base-url", metavar="URL",
              help="A server of the OpenAI form, such as http://127.0.0.1:8000/v1. Its key is "
              "read from OPENAI_API_KEY.")  # fmt: skip
@click.option("--tp-size", "--tp_size", type=click.IntRange(1), default=1, show_default=True,
              metavar="N", help="vllm: GPUs that share the model.")  # fmt: skip
@click.option("--max-model-len", type=click.IntRange(1), metavar="N",
              help="vllm: tokens of prompt and reply together; the model's own by "
              "default.")  # fmt: skip
@click.option("--gpu-memory", type=_Memory(),
              help="vllm: what it may use of each GPU, a share up to 1 or gigabytes.")  # fmt: skip
@click.option("--batch-size", type=click.IntRange(1), metavar="N",
              help="vllm: requests a batch, the least that is finished after a signal. 256; "
              "without a GPU 64.")  # fmt: skip
@click.option("--concurrency", type=click.IntRange(1, 1024), default=16, show_default=True,
              metavar="N", help="http: requests in flight.")  # fmt: skip
@click.option("--timeout", type=FiniteRange(1), default=600.0, show_default=True,
              metavar="S", help="http: longest wait for one reply, in seconds.")  # fmt: skip
@click.option("--shard", "shard_text", metavar="I/N",
              help="Run part I (from 0) of N into a file of its own; in a SLURM job array the "
              "task's by default.")  # fmt: skip
@click.option("--retry-errors", is_flag=True,
              help="Ask anew what was refused by the engine, cut off or empty, too.")  # fmt: skip
@click.option("--check", "only_check", is_flag=True,
              help="Say what would fail, without a GPU; exit 1 if something would.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON on stdout.")
def command(
    requests: str,
    output: str | None,
    model: str | None,
    backend: str | None,
    base_url: str | None,
    tp_size: int,
    max_model_len: int | None,
    gpu_memory: float | None,
    batch_size: int | None,
    concurrency: int,
    timeout: float,
    shard_text: str | None,
    retry_errors: bool,
    only_check: bool,
    as_json: bool,
) -> int:
    """Run a request file: vLLM, a server, or no model at all.

    Replies are appended as they come. Start the same command again after any stop: it does what is
    owed, and starts no engine where nothing is. After SIGTERM, SIGUSR1 or Ctrl-C it finishes what
    is in hand and exits with 75 if something is left.

    \b
      infer --input requests.jsonl --output replies.jsonl --model MODEL
      infer --input requests.jsonl --output replies.jsonl \\
        --base-url http://127.0.0.1:8000/v1
      infer --check --input requests.jsonl --model MODEL --tp-size 4 --gpu-memory 72
    """
    from eval_tiers.inference.backends.vllm_settings import VllmOptions
    from eval_tiers.inference.shards import parse_shard, shard_of_environment

    kind = _backend_kind(backend, model, base_url)
    shard = parse_shard(shard_text) if shard_text else shard_of_environment(os.environ)
    options = VllmOptions(model or "", tp_size, max_model_len, gpu_memory, batch_size)
    if only_check:
        return _check(kind, requests, options, shard, as_json)
    if output is None:
        raise click.UsageError("Missing option '--output'.")
    chosen: Backend
    if kind == "vllm":
        from eval_tiers.inference.backends.vllm_offline import VllmBackend

        chosen = VllmBackend(options)
    elif kind == "http":
        from eval_tiers.inference.backends.http import HttpBackend, HttpOptions

        served = HttpOptions(base_url or "", model, concurrency, timeout)
        chosen = HttpBackend(served, os.environ.get("OPENAI_API_KEY", "").strip() or None)
    else:
        from eval_tiers.inference.backends.symbolic import SymbolicBackend

        chosen = SymbolicBackend()
    return _run(requests, output, shard, chosen, retry_errors, as_json)


def _backend_kind(backend: str | None, model: str | None, base_url: str | None) -> str:
    from eval_tiers.exceptions import Problem, UsageError

    kind = backend or ("http" if base_url else "vllm" if model else None)
    if kind is None:
        fix = "--model FOLDER (vLLM), --base-url URL (a server), or --backend symbolic (no model)"
        raise UsageError(Problem("no-engine", "no engine is named", fix=fix))
    needed = {"vllm": ("--model", model), "http": ("--base-url", base_url)}.get(kind)
    if needed and not needed[1]:
        message = f"--backend {kind} needs {needed[0]}"
        raise UsageError(Problem("no-engine", message, fix=f"give {needed[0]}"))
    if kind != "http" and base_url:
        message = f"--base-url goes with --backend http, not with {kind}"
        raise UsageError(Problem("two-engines", message, fix="leave one out"))
    return kind


def _run(
    requests: str, output: str, shard: Shard, backend: Backend, retry_errors: bool, as_json: bool
) -> int:
    from eval_tiers.cli.progress import Progress
    from eval_tiers.inference.runner import Job, require_replies, run_requests
    from eval_tiers.inference.signals import STOPPED_EXIT_CODE, stopping_softly

    def told(name: str) -> None:
        os.write(2, f"\n{name}: finishing what is in hand; Ctrl-C again stops at once\n".encode())

    shown: list[Progress] = []

    def progress(done: int, total: int) -> None:
        if not shown:  # from here on, so that the engine's start is no part of the rate
            shown.append(Progress("requests"))
        shown[0](done, total)

    job = Job(requests, output, shard, retry_errors)
    try:
        with stopping_softly(told) as stop:
            report = run_requests(job, backend, stop, progress)
    except KeyboardInterrupt:
        click.echo(f"Stopped. What was answered is in {visible(str(job.path))}.", err=True)
        return _INTERRUPTED
    if as_json:
        print_json(report.as_dict())
    else:
        click.echo("\n".join(_report_lines(report)))
    if report.stopped_by is not None and report.left_n:
        click.echo(
            f"Stopped by {report.stopped_by} with {report.left_n:,} requests left: start the same "
            "command again.", err=True,
        )  # fmt: skip
        return STOPPED_EXIT_CODE
    require_replies(report)
    return 0


def _report_lines(report: Report) -> list[str]:
    part = "" if report.shard == "0/1" else f" (shard {report.shard})"
    lines = [
        f"requests   {report.request_n:,}{part}",
        f"before     {report.earlier_n:,} answered by earlier runs",
    ]
    if report.engine is None:
        lines.append("engine     none was started: nothing is owed")
    else:
        engine = report.engine
        named = " ".join(filter(None, (engine.backend, engine.version, engine.model)))
        share = 100 * (1 - report.engine_seconds / max(report.seconds, 1e-9))
        lines += [
            f"now        {report.answered_n:,} in {report.seconds:,.1f} s "
            f"({share:.1f} % of it infer's own)",
            f"engine     {visible(named)}",
        ]
    rest = {kind: n for kind, n in sorted(report.kinds.items()) if kind != "reply"}
    if rest:
        lines.append(
            "no reply   " + ", ".join(f"{visible(kind)} {n:,}" for kind, n in rest.items())
        )
    if report.left_n:
        lines.append(f"left       {report.left_n:,}")
    if report.changed_n:
        lines.append(
            f"asked anew {report.changed_n:,}: the output answers another prompt of that id"
        )
    if report.unread_n or report.mended:
        torn = ", the last one torn" if report.mended else ""
        lines.append(f"unread     {report.unread_n:,} lines of the output are no replies{torn}")
    return [*lines, f"replies    {visible(report.path)}"]


def _check(kind: str, requests: str, options: VllmOptions, shard: Shard, as_json: bool) -> int:
    from eval_tiers.exceptions import Problem, UsageError
    from eval_tiers.inference.check import check_run

    if kind != "vllm":
        fix = "give --model FOLDER; the other backends need no check"
        raise UsageError(Problem("nothing-to-check", "--check looks at a model for vLLM", fix=fix))
    found = check_run(requests, options, shard, os.environ)
    if as_json:
        print_json(found.as_dict())
    else:
        click.echo("\n".join(_check_lines(found, options, shard)))
        print_findings(found.findings)
        if found.passed:
            quoted = " ".join(
                shlex.quote(word)
                for word in ("infer", "--input", requests, "--output", _replies_name(requests),
                             "--model", options.model, "--tp-size", str(options.tp_size))
            )  # fmt: skip
            click.echo(f"Nothing would fail. Next:\n  {program_name()} {visible(quoted)}")
    return 0 if found.passed else 1


def _replies_name(requests: str) -> str:
    path = Path(requests)
    stem = path.name.partition(".")[0]
    replies = stem.replace("requests", "replies") if "requests" in stem else f"{stem}_replies"
    return str(path.with_name(f"{replies}.jsonl"))


def _check_lines(found: Check, options: VllmOptions, shard: Shard) -> list[str]:
    how = "" if found.counted else ", four characters taken for one"
    lines = [
        f"requests   {found.request_n:,}",
        f"longest    {found.longest_n:,} tokens{how}",
        f"context    {_or_unknown(found.context_n)} tokens",
        f"weights    {_gigabytes(found.weight_bytes)} on each of {options.tp_size} GPU",
        f"cache      {_gigabytes(found.cache_token_bytes, found.context_n)} for one sequence of "
        "full length",
    ]
    if found.shard_seconds is not None:
        minutes = max(round(found.shard_seconds / 60), 1)
        part = "" if shard.count == 1 else f" for each of {shard.count} shards"
        lines.append(f"wall time  about {minutes:,} min{part}: rough, a GPU of the A100 class")
    return lines


def _or_unknown(number: int | None) -> str:
    return "unknown" if number is None else f"{number:,}"


def _gigabytes(number: int | None, times: int | None = 1) -> str:
    return "unknown" if number is None or times is None else f"{number * times / 1e9:.1f} GB"
