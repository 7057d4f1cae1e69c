"""Where files are, as callers name them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

Pathname = str | os.PathLike[str]


def path_list(paths: Pathname | Sequence[Pathname]) -> list[Path]:
    """Return paths as a list, of one or of several."""
    if isinstance(paths, (str, os.PathLike)):
        return [Path(paths)]
    return [Path(path) for path in paths]
