"""Check sums of input files, for the manifest."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from eval_tiers.exceptions import MissingResourceError, Problem
from eval_tiers.io.sources import require_file


def hash_files(paths: Iterable[Path]) -> dict[str, str]:
    """Return the sha256 of each file as it lies on disk, by path.

    Raises
    ------
    MissingResourceError, BadInputError
        One of them can't be read.
    """
    hashes = {}
    for path in paths:
        try:
            require_file(path)  # opening a pipe would wait for ever
            with open(path, "rb") as handle:
                hashes[str(path)] = hashlib.file_digest(handle, "sha256").hexdigest()
        except OSError as error:
            raise MissingResourceError(
                Problem("unreadable-path", f"{path} can't be read: {error}")
            ) from error
    return hashes
