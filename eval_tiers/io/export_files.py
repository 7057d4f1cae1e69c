"""JSON files that an export leaves for merging: manifest, key of the controls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.io.sources import read_bytes


def bad_export_file(
    command: str, path: Path, message: str, line: int | None = None
) -> BadInputError:
    """Return the error of a file that isn't as the command wrote it."""
    fix = f"put back the file that {command} wrote, or export again"
    return BadInputError(Problem("bad-export-file", message, SourceRef(str(path), line), fix))


def read_export_object(command: str, path: Path) -> dict[str, Any]:
    """Read a file that holds one JSON object.

    Raises
    ------
    BadInputError
        It doesn't.
    """
    try:
        value = orjson.loads(read_bytes(path))
    except orjson.JSONDecodeError as error:
        raise bad_export_file(command, path, f"not JSON: {error}") from error
    if not isinstance(value, dict):
        raise bad_export_file(command, path, "this is no JSON object")
    return value
