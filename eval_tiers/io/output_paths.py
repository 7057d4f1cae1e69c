"""Refusing to write a file where it would take the place of something else."""

from __future__ import annotations

import os
from collections.abc import Iterable

from eval_tiers.exceptions import Problem, SourceRef, UsageError

Pathname = str | os.PathLike[str]


def require_free_path(path: Pathname, inputs: Iterable[Pathname]) -> None:
    """Raise where a file to write would replace an input, a folder, a pipe or a device.

    Raises
    ------
    UsageError
    """
    where = SourceRef(str(path))
    if not os.path.basename(path):
        fix = "name a file"
        raise UsageError(Problem("no-file-name", "the file to write has no name", where, fix))
    if os.path.exists(path) and not os.path.isfile(path):
        message = "the file to write is there, and is a folder, a pipe or a device"
        fix = "name a file, or a place where nothing is"
        raise UsageError(Problem("not-a-regular-file", message, where, fix))
    if any(_same(path, found) for found in inputs):
        message = "the file to write is one that is read: it would be replaced"
        raise UsageError(Problem("output-is-input", message, where, "name another file to write"))


def _same(path: Pathname, found: Pathname) -> bool:
    return os.path.exists(path) and os.path.exists(found) and os.path.samefile(path, found)
