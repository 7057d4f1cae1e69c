"""Paths that a manifest or a task names: inside a folder, and readable in one way only."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from eval_tiers.submissions.codes import (
    ABSOLUTE_PATH,
    ESCAPES_ROOT,
    MANIFEST_MALFORMED,
    NOT_REGULAR,
)

PATH_CHARACTERS: Final = 1_024
_DRIVE: Final = re.compile(r"[A-Za-z]:")


@dataclass
class PathFault(Exception):
    """Why a path can't be one of a file in the folder."""

    code: str
    message: str


def plain_path(path: str) -> str:
    """Return a declared path without ``.`` and doubled slashes.

    Raises
    ------
    PathFault
        ``absolute_path``: it begins with ``/``, ``\\`` or a drive; ``escapes_root``: a part of it
        is ``..``, wherever it leads; ``not_regular``: it names a folder; ``manifest_malformed``:
        empty, longer than 1,024 characters, with a backslash, a control character or half of a
        surrogate pair.

    Examples
    --------
    >>> plain_path("./tables//results.csv")
    'tables/results.csv'
    """
    if not path.strip():
        raise PathFault(MANIFEST_MALFORMED, "the path is empty")
    if len(path) > PATH_CHARACTERS:
        raise PathFault(
            MANIFEST_MALFORMED,
            f"the path has {len(path):,} characters; {PATH_CHARACTERS:,} are the limit",
        )
    if path.startswith(("/", "\\")) or _DRIVE.match(path):
        raise PathFault(ABSOLUTE_PATH, "the path is absolute; name it from the folder on")
    if ".." in re.split(r"[/\\]", path):
        raise PathFault(ESCAPES_ROOT, "the path holds '..'")
    if any(unicodedata.category(character) in {"Cc", "Cs"} for character in path):
        raise PathFault(MANIFEST_MALFORMED, "the path holds a control character or a surrogate")
    if "\\" in path:
        raise PathFault(MANIFEST_MALFORMED, "the path holds a backslash; folders end in '/'")
    parts = [part for part in path.split("/") if part not in {"", "."}]
    if not parts or path.endswith(("/", "/.")):
        raise PathFault(NOT_REGULAR, "the path names a folder, not a file")
    return "/".join(parts)


def folded_path(path: str) -> str:
    """Return what is the same for paths that some file systems take for one.

    Examples
    --------
    >>> folded_path("R\\u00e9sum\\u00e9.CSV") == folded_path("re\\u0301sume\\u0301.csv")
    True
    """
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", path).casefold())
