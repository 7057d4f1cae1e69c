"""What an export wrote, as a terminal shows it, and the exact commands that come next."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

from eval_tiers.report.lines import Summary, count_text, visible, wrap

_LEFT_OUT = {
    "no_text": "without a text",
    "no_question": "of a label without a question",
    "not_drawn": "not drawn (--max-samples)",
    "other_kind": "of another kind",
}
LEAST_CONTROLS = 30


def render_export(
    manifest: Summary, requests: Sequence[str], manifest_path: str, samples: str, program: str
) -> str:
    """Return what was written: n by kind, controls, longest prompt, files, next commands.

    Parameters
    ----------
    manifest : mapping
        As `eval_tiers.pipeline.rescue.export` writes it.
    requests : sequence of str
        The request files.
    manifest_path, samples, program : str
        For the commands.
    """
    settings = manifest["settings"]
    title = f"Export: {count_text(manifest['hard_n'])} hard cases, format {manifest['format']}"
    lines = [title + (", blind" if settings["blind"] else "")]
    lines.append(f"{'kind':<24}{'cases':>8}  controls")
    for kind, n in manifest["case_n"].items():
        of_kind = manifest["control_n"].get(kind, {})
        controls = ", ".join(f"{truth} {m:,}" for truth, m in of_kind.items()) or "none"
        lines.append(f"  {kind:<22}{n:>8,}  {controls}")
    if not manifest["case_n"]:
        lines.append("  none to ask about")
    for reason, n in manifest["left_out"].items():
        lines.append(f"  left out: {n:,} {_LEFT_OUT.get(reason, reason)}")
    for short in manifest["control_shortfalls"]:
        few = "" if short["made"] >= LEAST_CONTROLS else " (too few to correct this kind)"
        lines += wrap(
            f"  controls {short['truth']} of {short['kind']}: {short['made']} of "
            f"{short['wanted']}{few}: {short['reason']}",
            indent="    ",
        )
    lines += _figures(manifest, requests, manifest_path)
    return "\n".join([*lines, *_next(manifest, requests, samples, program)])


def _figures(manifest: Summary, requests: Sequence[str], manifest_path: str) -> list[str]:
    repeats = manifest["settings"]["repeats"]
    times = f" ({repeats} of each)" if repeats > 1 else ""
    where = requests[0] if len(requests) == 1 else f"{requests[0]} to {requests[-1]}"
    lines = [
        f"requests        {manifest['request_n']:,}{times}, in the order of their ids",
        f"longest prompt  {manifest['longest_prompt_n']:,} characters, about "
        f"{manifest['longest_prompt_n'] // 4:,} tokens",
    ]
    if manifest["shortened_n"]:
        lines.append(f"shortened       {manifest['shortened_n']:,} prompts, marked where")
    joined = manifest.get("both_sign_routes_rate")
    if joined is not None:
        lines.append(
            f"graph           joins the ends of {100 * joined:.1f}% of samples by both signs"
        )
    return [
        *lines,
        f"prompt          {manifest['prompt_version']}",
        f"written         {visible(where)}",
        f"                index, manifest and key of the controls: beside {_name(manifest_path)}",
    ]


def _name(path: str) -> str:
    return visible(path.replace("\\", "/").rsplit("/", 1)[-1])


def _next(manifest: Summary, requests: Sequence[str], samples: str, program: str) -> list[str]:
    if not manifest["request_n"]:
        return ["Nothing to ask: no hard case."]
    if len(requests) == 1:
        replies = replies_beside(requests[0])
        run = [
            f"  {program} infer --model MODEL --input {quoted(requests[0])} \\",
            f"    --output {quoted(replies)}",
        ]
        cluster = [
            f"  MODEL=MODEL INPUT={quoted(requests[0])} \\",
            f"    OUTPUT={quoted(replies)} \\",
            "    sbatch --array=0-3 slurm/infer.sbatch",
        ]
        merged = _shards(replies)
    else:
        run = [
            f"  for part in {quoted(requests[0].rsplit('-', 1)[0])}-*.jsonl; do",
            f'    {program} infer --model MODEL --input "$part" \\',
            '      --output "${part%.jsonl}.replies.jsonl"; done',
        ]
        cluster = []
        merged = f"{quoted(requests[0].rsplit('-', 1)[0])}-*.replies.jsonl"
    lines = [
        "Next, with a model (--backend symbolic: by rules, without one):",
        *run,
    ]
    if cluster:
        lines += ["or on a cluster, in four shards:", *cluster]
    return [
        *lines,
        "then:",
        f"  {program} merge-rescue --samples-csv {quoted(samples)} \\",
        f"    --rescue-responses {merged}",
    ]


def _shards(replies: str) -> str:
    """Return a pattern for the replies of one run, or of the shards of an array."""
    return quoted(replies.removesuffix(".jsonl")) + "*.jsonl"


def replies_beside(requests: str) -> str:
    """Return where replies go by default.

    Examples
    --------
    >>> replies_beside("rescue/rescue_requests_1.jsonl"), replies_beside("asked.jsonl")
    ('rescue/rescue_replies_1.jsonl', 'asked.replies.jsonl')
    """
    folder, slash, name = requests.rpartition("/")
    if "requests" in name:
        return folder + slash + name.replace("requests", "replies")
    return f"{folder}{slash}{name.removesuffix('.jsonl')}.replies.jsonl"


def quoted(text: Any) -> str:
    """Return a word of a command line, quoted where the shell asks for it."""
    return visible(shlex.quote(str(text)))
