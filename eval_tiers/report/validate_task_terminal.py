"""A validated task as a terminal shows it: 80 columns but for paths and commands."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from eval_tiers.report.lines import Summary, fitted, visible, wrap

_SHOWN: Final = 20
_LEVELS: Final = ("error", "warning", "note")


def render_validation(
    record: Summary, program: str, bundled: bool = False, list_all: bool = False
) -> str:
    """Return what came of validating a task: files, oracle, mutations by code, findings, verdict.

    Parameters
    ----------
    record : mapping
        As ``validate-task --json`` prints it.
    program : str
        For the command to type next.
    bundled : bool
        Whether it is the bundled example.
    list_all : bool
        List every mutation, and every finding.
    """
    parts = [_head(record, bundled), _mutations(record)]
    if list_all:
        parts.append(_every_mutation(record))
    parts += [_not_made(record), _findings(record, None if list_all else _SHOWN)]
    parts.append(_verdict(record, program))
    return "\n\n".join(part for part in parts if part)


def _head(record: Summary, bundled: bool) -> str:
    name = record["task_id"] or "(its task file is at fault)"
    lines = [f"{'task':<12}{fitted(name, 68).rstrip()}", f"{'folder':<12}{visible(record['task'])}"]
    if bundled:
        lines.append(f"{'':<12}the bundled example: copy it to begin your own")
    provenance, oracle = record["provenance"], record["oracle"]
    listed = f"{provenance['verified_file_n']:,} of {provenance['row_n']:,} files as listed"
    lines.append(f"{'provenance':<12}{listed}, {provenance['verified_byte_n']:,} bytes")
    if oracle is None:
        lines.append(f"{'oracle':<12}not graded")
        return "\n".join(lines)
    failed = oracle["failed_check_n"]
    said = ["passes all checks" if not failed else f"fails {failed:,} checks"]
    said.append(f"execution {'' if oracle['execution_verified'] else 'not '}verified")
    said.append(f"{oracle['leak_n']:,} leak markers in it")
    score = oracle["score"]
    said.append(f"{oracle['judge']}, score {'null' if score is None else f'{score:g}'}")
    lines += wrap(f"{'oracle':<12}{'; '.join(said)}", " " * 12)
    return "\n".join(lines)


def _mutations(record: Summary) -> str:
    """Return the table of codes: how many mutations were made, how many found by it."""
    if not record["mutations"]:
        told = "no oracle was graded" if record["oracle"] is None else "the oracle does not pass"
        return f"Mutations of the oracle: none tried, as {told}"
    lines = [f"{'Mutations of the oracle':<32}{'made':>8}{'found':>8}{'not made':>11}"]
    made, found, skipped = _counts(record["mutations"])
    codes = [*record["codes"], *dict.fromkeys(made)]
    for code in dict.fromkeys(codes):
        lines.append(f"  {code:<30}{made[code]:>8,}{found[code]:>8,}{skipped[code]:>11,}")
    total = f"{sum(made.values()):>8,}{sum(found.values()):>8,}{sum(skipped.values()):>11,}"
    lines.append(f"  {'all':<30}{total}")
    return "\n".join(lines)


def _counts(
    mutations: Sequence[Mapping[str, Any]],
) -> tuple[Counter[str], Counter[str], Counter[str]]:
    made: Counter[str] = Counter()
    found: Counter[str] = Counter()
    skipped: Counter[str] = Counter()
    for row in mutations:
        if row["status"] == "not applicable":
            skipped[row["expected"]] += 1
        else:
            made[row["expected"]] += 1
            found[row["expected"]] += row["status"] == "found"
    return made, found, skipped


def _every_mutation(record: Summary) -> str:
    if not record["mutations"]:
        return ""
    lines = [f"{'Mutation':<28}{'file, column':<26}found"]
    for row in record["mutations"]:
        place = row["path"] or "-"
        if row["column"] is not None:
            place += f", {row['column']}"
        codes = ", ".join(row["found"]) or ("-" if row["reason"] else "nothing")
        mark = "!" if row["status"] == "not found" else " "
        start = f"{mark} {fitted(row['mutation'], 25)} {fitted(place, 25)} "
        lines += wrap(f"{start}{codes}", " " * 54)
    return "\n".join(lines)


def _not_made(record: Summary) -> str:
    """Return why mutations could not be made, those of a kind together."""
    kinds = Counter(
        (row["mutation"], row["reason"])
        for row in record["mutations"]
        if row["status"] == "not applicable"
    )
    lines = ["Not made"] if kinds else []
    for (name, reason), n in kinds.items():
        times = f" ({n:,} times)" if n > 1 else ""
        lines += wrap(f"  {visible(name)}: {visible(reason)}{times}", "    ")
    return "\n".join(lines)


def _findings(record: Summary, limit: int | None) -> str:
    lines: list[str] = []
    for level in _LEVELS:
        rows = record[f"{level}s"]
        for row in rows[:limit]:
            lines += wrap(f"{level.capitalize()}: [{row['code']}] {visible(row['message'])}", "  ")
            if row["path"] is not None:
                line = "" if row["line"] is None else f":{row['line']}"
                field = "" if row["field"] is None else f", field '{row['field']}'"
                lines.append(f"  where: {visible(row['path'])}{line}{visible(field)}")
            if row["fix"]:
                lines += wrap(f"  fix:   {visible(row['fix'])}", " " * 9)
        if limit is not None and len(rows) > limit:
            lines.append(f"... and {len(rows) - limit:,} {level}s more; --all lists them")
    return "\n".join(lines)


def _verdict(record: Summary, program: str) -> str:
    counts = [len(record[f"{level}s"]) for level in _LEVELS[:2]]
    said = ", ".join(
        f"{n:,} {level}{'' if n == 1 else 's'}" for n, level in zip(counts, _LEVELS, strict=False)
    )
    task = shlex.quote(record["task"])
    if record["ok"]:
        return (
            f"Valid: {said}. Next, a submission:\n"
            f"  {program} grade-submission --task {task} --submission DIR"
        )
    return f"Not valid: {said}. Mend what is listed, then:\n  {program} validate-task {task}"
