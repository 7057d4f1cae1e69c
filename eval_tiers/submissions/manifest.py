"""``analysis_manifest.json``: what a submission declares."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Final

from eval_tiers.submissions.codes import DUPLICATE_DECLARATION, MANIFEST_MALFORMED
from eval_tiers.submissions.inspection import MANIFEST_PATH, Check
from eval_tiers.submissions.paths import PathFault, folded_path, plain_path

_HASH: Final = re.compile(r"[0-9a-fA-F]{64}")
_SHOWN: Final = 200


@dataclass(frozen=True, slots=True)
class Declaration:
    """One entry of the manifest whose form is right.

    Attributes
    ----------
    path : str
        Without ``.`` and doubled slashes.
    sha256 : str
        In lower case.
    description : str
    usable : bool
        Whether no other entry declares the same path.
    """

    path: str
    sha256: str
    description: str = ""
    usable: bool = True


@dataclass
class _Fault(Exception):
    message: str


def parse_manifest(
    data: bytes, most: int, hashed: bool = True
) -> tuple[list[Declaration] | None, list[Check]]:
    """Return the entries whose form is right, in order, and what is wrong with others.

    Parameters
    ----------
    data : bytes
        UTF-8 JSON, with or without a BOM: an object with a list ``artifacts`` of {path, sha256,
        description}; other keys are left alone.
    most : int
        Entries above which none is read.
    hashed : bool
        Whether entries need a ``sha256``; without, it is left empty.

    Returns
    -------
    list of Declaration or None
        None where the manifest as a whole can't be read.
    list of Check
        ``manifest_malformed``, ``absolute_path``, ``escapes_root``, ``not_regular`` (a path that
        ends in a slash) or ``duplicate_declaration``.
    """
    try:
        entries = _entries(data, most)
    except _Fault as fault:
        return None, [Check(MANIFEST_MALFORMED, MANIFEST_PATH, fault.message)]
    found: list[Declaration] = []
    checks: list[Check] = []
    for number, entry in enumerate(entries, 1):
        try:
            found.append(_declaration(entry, hashed))
        except _Fault as fault:
            checks.append(
                Check(MANIFEST_MALFORMED, MANIFEST_PATH, f"artifact {number}: {fault.message}")
            )
        except PathFault as fault:
            path = entry["path"][:_SHOWN] if isinstance(entry, dict) else MANIFEST_PATH
            checks.append(Check(fault.code, path, f"artifact {number}: {fault.message}"))
    return _without_duplicates(found, checks), checks


def _entries(data: bytes, most: int) -> list[object]:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise _Fault("the manifest is UTF-16; write UTF-8")
    try:
        text = data.decode("utf-8-sig")
        manifest = json.loads(text, object_pairs_hook=_once, parse_constant=_refuse)
    except UnicodeDecodeError as error:
        raise _Fault(f"the manifest is not UTF-8: byte 0x{data[error.start]:02x}") from error
    except RecursionError as error:
        raise _Fault("the manifest is nested too deep") from error
    except json.JSONDecodeError as error:
        raise _Fault(
            f"the manifest is not JSON: {error.msg} at line {error.lineno}, column {error.colno}"
        ) from error
    except ValueError as error:
        told = "a whole number has too many digits"  # all else that is no JSON is said above
        raise _Fault(f"the manifest is not JSON that can be read: {told}") from error
    if not isinstance(manifest, dict):
        raise _Fault("the manifest is no object")
    entries = manifest.get("artifacts")
    if not isinstance(entries, list):
        raise _Fault("the manifest has no list 'artifacts'")
    if len(entries) > most:
        raise _Fault(f"the manifest declares {len(entries):,} artifacts; {most:,} are the limit")
    return entries


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _Fault(f"the key {key[:_SHOWN]!r} is given twice")
            seen.add(key)
    return found


def _refuse(word: str) -> object:
    raise _Fault(f"the manifest is not strict JSON: it holds {word}")


def _declaration(entry: object, hashed: bool) -> Declaration:
    if not isinstance(entry, dict):
        raise _Fault("it is no object {path, sha256, description}")
    path = entry.get("path")
    digest = entry.get("sha256") if hashed else ""
    description = entry.get("description", "")
    if not isinstance(path, str):
        raise _Fault("'path' has to be a text")
    if not isinstance(digest, str) or (hashed and not _HASH.fullmatch(digest)):
        raise _Fault(f"'sha256' of {path[:_SHOWN]!r} has to be 64 hexadecimal digits")
    if not isinstance(description, str):
        raise _Fault(f"'description' of {path[:_SHOWN]!r} has to be a text")
    return Declaration(plain_path(path), digest.lower(), description)


def _without_duplicates(found: list[Declaration], checks: list[Check]) -> list[Declaration]:
    """Mark entries that can't be told apart as not usable, and say which."""
    first: dict[str, Declaration] = {}
    clashing: set[str] = set()
    for entry in found:
        fold = folded_path(entry.path)
        other = first.setdefault(fold, entry)
        if other is not entry:
            clashing.add(fold)
            told = (
                "it is declared twice"
                if other.path == entry.path
                else f"it differs from {other.path[:_SHOWN]!r} by case or Unicode form alone"
            )
            checks.append(Check(DUPLICATE_DECLARATION, entry.path, told))
    return [
        Declaration(entry.path, entry.sha256, entry.description, False)
        if folded_path(entry.path) in clashing
        else entry
        for entry in found
    ]
