"""Faults of one file of a submission, or of its declaration, each with the code it is found by."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from eval_tiers.io.sources import reason_of
from eval_tiers.submissions import codes
from eval_tiers.submissions.inspection import MANIFEST_PATH
from eval_tiers.submissions.task import ArtifactSpec, Limits

_BEGINNING: Final = 1_000_000  # bytes
_LONG: Final = 32_000_000  # bytes: a tenth of a second, for a change to fall into
_OTHER: Final = "another name of the file"


@dataclass(frozen=True, slots=True)
class OracleFile:
    """A declared file of the oracle.

    Attributes
    ----------
    path : str
    spec : ArtifactSpec or None
        What the task asks of it.
    source : Path
    size : int
    """

    path: str
    spec: ArtifactSpec | None
    source: Path
    size: int

    def beginning(self) -> bytes:
        """Return the file, or whole lines of its beginning where it is long."""
        with open(self.source, "rb") as handle:
            data = handle.read(_BEGINNING)
        return data if len(data) == self.size else data[: data.rfind(b"\n") + 1] or data


class CannotMake(Exception):
    """What a mutation needs can't be made on this system; the message says why."""


def entry_of(path: str, data: bytes) -> dict[str, str]:
    """Return the declaration of a file."""
    return {"path": path, "sha256": hashlib.sha256(data).hexdigest()}


@dataclass(frozen=True, slots=True)
class Spoiling:
    """A submission of one file that is about to be spoilt."""

    folder: Path
    file: OracleFile
    data: bytes
    limits: Limits

    @property
    def target(self) -> Path:
        """Where the file lies."""
        return self.folder / self.file.path

    def entry(self, path: str | None = None) -> dict[str, str]:
        """Return its declaration, or one under another path."""
        return entry_of(path or self.file.path, self.data)


_Entries = list[dict[str, str]]
Spoil = Callable[[Spoiling], _Entries]


def _deleted(one: Spoiling) -> _Entries:
    one.target.unlink()
    return [one.entry()]


def _declared_as(rename: Callable[[str], str]) -> Spoil:
    return lambda one: [one.entry(rename(one.file.path))]


def _as_symlink(one: Spoiling) -> _Entries:
    one.target.rename(one.folder / _OTHER)
    _try(lambda: os.symlink(one.folder / _OTHER, one.target))
    return [one.entry()]


def _in_linked_folder(one: Spoiling) -> _Entries:
    _try(lambda: os.symlink(one.folder, one.folder / "linked", target_is_directory=True))
    return [one.entry(f"linked/{one.file.path}")]


def _with_hard_link(one: Spoiling) -> _Entries:
    _try(lambda: os.link(one.target, one.folder / _OTHER))
    return [one.entry()]


def _as_folder(one: Spoiling) -> _Entries:
    one.target.unlink()
    one.target.mkdir()
    return [one.entry()]


def _as_pipe(one: Spoiling) -> _Entries:
    one.target.unlink()
    if not hasattr(os, "mkfifo"):
        raise CannotMake("this system has no pipes with a name")
    _try(lambda: os.mkfifo(one.target))
    return [one.entry()]


def _too_large(one: Spoiling) -> _Entries:
    spec = one.file.spec
    most = one.limits.file_bytes if spec is None else spec.max_bytes
    _try(lambda: os.truncate(one.target, most + 1))  # a hole: it takes no room
    return [one.entry()]


def _wrong_digit(one: Spoiling) -> _Entries:
    entry = one.entry()
    digest = entry["sha256"]
    entry["sha256"] = ("0" if digest[0] != "0" else "1") + digest[1:]
    return [entry]


def _changed_later(one: Spoiling) -> _Entries:
    if one.file.size >= (one.file.spec.max_bytes if one.file.spec else one.limits.file_bytes):
        raise CannotMake("the file is as large as it may be")
    one.target.write_bytes(one.data + b"\n")
    return [one.entry()]


def _twice(one: Spoiling) -> _Entries:
    return [one.entry(), one.entry()]


def _other_case(one: Spoiling) -> _Entries:
    other = one.file.path.swapcase()
    if other == one.file.path:
        raise CannotMake("the path has no letters")
    return [one.entry(), one.entry(other)]


def _long_to_read(one: Spoiling) -> _Entries:
    _try(lambda: os.truncate(one.target, _LONG))  # a hole: it takes no room
    return [one.entry()]


def _without_hash(one: Spoiling) -> _Entries:
    return [{"path": one.file.path}]


def _not_to_be_read(one: Spoiling) -> _Entries:
    one.target.chmod(0)
    if os.access(one.target, os.R_OK):
        raise CannotMake("this user may read every file")
    return [one.entry()]


def _try(make: Callable[[], None]) -> None:
    try:
        make()
    except (OSError, NotImplementedError) as error:
        told = reason_of(error) if isinstance(error, OSError) else "not on this system"
        raise CannotMake(f"the system refuses to make it: {told}") from error


def _same(path: str) -> str:
    return path


FILE_FAULTS: Final[tuple[tuple[str, str, Callable[[str], str], Spoil], ...]] = (
    ("file deleted", codes.MISSING, _same, _deleted),
    ("absolute path", codes.ABSOLUTE_PATH, lambda path: f"/{path}",
     _declared_as(lambda path: f"/{path}")),
    ("path with ..", codes.ESCAPES_ROOT, lambda path: f"../{path}",
     _declared_as(lambda path: f"../{path}")),
    ("symlink", codes.SYMLINK, _same, _as_symlink),
    ("symlink as folder", codes.SYMLINK, lambda path: f"linked/{path}", _in_linked_folder),
    ("hard link", codes.HARD_LINK_DUPLICATE, _same, _with_hard_link),
    ("folder for a file", codes.NOT_REGULAR, _same, _as_folder),
    ("pipe for a file", codes.NOT_REGULAR, _same, _as_pipe),
    ("oversize", codes.OVERSIZE, _same, _too_large),
    ("wrong hash", codes.HASH_MISMATCH, _same, _wrong_digit),
    ("file changed later", codes.HASH_MISMATCH, _same, _changed_later),
    ("declared twice", codes.DUPLICATE_DECLARATION, _same, _twice),
    ("declared in other case", codes.DUPLICATE_DECLARATION, str.swapcase, _other_case),
    ("entry without a hash", codes.MANIFEST_MALFORMED, lambda _: MANIFEST_PATH, _without_hash),
    ("file that may not be read", codes.UNREADABLE, _same, _not_to_be_read),
    ("changed while it is read", codes.CHANGED_WHILE_READ, _same, _long_to_read),
)  # fmt: skip
