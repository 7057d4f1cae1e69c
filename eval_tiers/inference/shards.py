"""Which requests a shard runs, and into which file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from eval_tiers.exceptions import Problem, UsageError

_SHARD = re.compile(r"(\d+)/(\d+)", re.ASCII)
_FIX = "give --shard I/N with I from 0 to N-1, such as 0/4"


@dataclass(frozen=True, slots=True)
class Shard:
    """Part ``index`` (from 0) of ``count``; the whole file is part 0 of 1.

    Examples
    --------
    >>> [number for number in range(8) if Shard(1, 3).takes(number)]
    [1, 4, 7]
    """

    index: int = 0
    count: int = 1

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    def takes(self, position: int) -> bool:
        """Whether the request at that position of the file (from 0) belongs to the shard."""
        return position % self.count == self.index


def parse_shard(text: str) -> Shard:
    """Read ``I/N``.

    Raises
    ------
    UsageError
        It is not of that form, or I is not one of 0 to N-1.

    Examples
    --------
    >>> parse_shard("2/4")
    Shard(index=2, count=4)
    """
    match = _SHARD.fullmatch(text.strip())
    if match is None or not 0 <= int(match[1]) < int(match[2]):
        raise UsageError(Problem("bad-shard", f"'{text}' names no shard", fix=_FIX))
    return Shard(int(match[1]), int(match[2]))


def shard_of_environment(environment: Mapping[str, str]) -> Shard:
    """Return the shard of a task of a SLURM job array; the whole file outside of one.

    The tasks have to be numbered without gaps (``--array=0-3``, ``1-4``), for else nothing tells
    how many parts there are.

    Raises
    ------
    UsageError
        The array has gaps or begins elsewhere than at 0 or 1, as when some tasks are run again.
    """
    if "SLURM_ARRAY_TASK_ID" not in environment:
        return Shard()
    names = ("SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN")
    try:
        task, count, first = (int(environment[name]) for name in names)
        last = int(environment.get("SLURM_ARRAY_TASK_MAX", first + count - 1))
    except (KeyError, ValueError) as error:
        message = f"the job array's variables can't be read: {', '.join(names)}"
        raise UsageError(Problem("bad-array", message, fix=_FIX)) from error
    if first not in (0, 1) or last - first + 1 != count or not first <= task <= last:
        message = f"the job array runs {count} of the tasks {first} to {last}: of how many parts?"
        raise UsageError(Problem("bad-array", message, fix=_FIX))
    return Shard(task - first, count)


def shard_path(output: Path, shard: Shard) -> Path:
    """Return the file that a shard writes; the output itself where there is but one.

    Examples
    --------
    >>> shard_path(Path("out/replies.jsonl"), Shard(0, 4)).as_posix()
    'out/replies.shard-0-of-4.jsonl'
    """
    if shard.count == 1:
        return output
    return output.with_name(f"{output.stem}.shard-{shard.index}-of-{shard.count}{output.suffix}")


def reply_paths(output: Path) -> list[Path]:
    """Return the files of all shards of an output that are there, of any division, sorted."""
    form = re.compile(
        re.escape(output.stem) + r"(\.shard-\d+-of-\d+)?" + re.escape(output.suffix), re.ASCII
    )
    if not output.parent.is_dir():
        return []
    return sorted(path for path in output.parent.iterdir() if form.fullmatch(path.name))
