"""Files of requests in the OpenAI Batch form: one or several numbered ones, and a manifest.

They are written into a folder beside the output and get their names when all is done, the manifest
last.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Final, Self

from eval_tiers.exceptions import MissingResourceError, Problem, SourceRef, UsageError
from eval_tiers.io.atomic import render_json
from eval_tiers.io.sources import reason_of

MAX_FILE_BYTES: Final = 200_000_000
"""What hosted batch APIs take in one file."""

_PACKED_SUFFIXES: Final = (".gz", ".zst", ".bz2", ".xz", ".zip")


@dataclass(frozen=True, slots=True)
class RequestFile:
    """One file of requests: where, how many, how large, its hash."""

    path: str
    sha256: str
    request_n: int
    byte_n: int


class RequestFiles:
    """Writes requests; use it as a context manager.

    Nothing has its final name before `finish`.

    Parameters
    ----------
    target : Path
        The file; split, its name gets a number: ``requests-00001.jsonl``.
    split : int, optional
        Requests a file at most, 200 MB as well; one file without it.

    Attributes
    ----------
    files : list of RequestFile
        Those that are complete, under their final names.
    manifest_path : Path
        ``requests.manifest.json``.

    Raises
    ------
    MissingResourceError
        Something can't be written.
    """

    def __init__(self, target: Path, split: int | None = None) -> None:
        self.target, self.split = target, split
        self.files: list[RequestFile] = []
        self.manifest_path = manifest_path_of(target)
        self._cleanup = ExitStack()
        self._folder = Path()
        self._handle: IO[bytes] | None = None
        self._hash = hashlib.sha256()
        self._request_n = self._byte_n = 0

    def __enter__(self) -> Self:
        parent = self.target.parent
        try:
            parent.mkdir(parents=True, exist_ok=True)
            folder = tempfile.TemporaryDirectory(prefix=".eval_tiers-", dir=parent)
        except OSError as error:
            raise cannot_write(self.target, error) from error
        self._folder = Path(self._cleanup.enter_context(folder))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._cleanup.close()

    def add(self, line: bytes) -> None:
        """Write a request, given as a line; begin another file where this one is full."""
        try:
            if self.split is not None and (
                self._request_n >= self.split or self._byte_n + len(line) > MAX_FILE_BYTES
            ):
                self._complete()
            if self._handle is None:
                handle = open(self._folder / self._name(), "wb")  # noqa: SIM115 - closed on exit
                self._handle = self._cleanup.enter_context(handle)
            self._handle.write(line)
        except OSError as error:
            raise cannot_write(self.target, error) from error
        self._hash.update(line)
        self._request_n += 1
        self._byte_n += len(line)

    def complete(self) -> list[RequestFile]:
        """Complete the last file; return all."""
        try:
            self._complete()
        except OSError as error:
            raise cannot_write(self.target, error) from error
        return self.files

    def finish(self, manifest: Mapping[str, object]) -> None:
        """Give the files their names and write the manifest; files of an earlier export go."""
        parent = self.target.parent
        names = [Path(file.path).name for file in self.files]
        try:
            rendered = self._folder / self.manifest_path.name
            rendered.write_bytes(render_json(manifest))
            self.manifest_path.unlink(missing_ok=True)
            for name in names:
                os.replace(self._folder / name, parent / name)
            for path in earlier_files(self.target):
                if path.name not in names:
                    path.unlink()
            os.replace(rendered, self.manifest_path)
        except OSError as error:
            raise cannot_write(self.target, error) from error

    def _complete(self) -> None:
        if self._handle is None:
            return
        with self._handle:
            self._handle.flush()
            os.fsync(self._handle.fileno())
        path = str(self.target.parent / self._name())
        self.files.append(RequestFile(path, self._hash.hexdigest(), self._request_n, self._byte_n))
        self._handle, self._hash = None, hashlib.sha256()
        self._request_n = self._byte_n = 0

    def _name(self) -> str:
        if self.split is None:
            return self.target.name
        return f"{self.target.stem}-{len(self.files) + 1:05}{self.target.suffix}"


def cannot_write(target: Path, error: OSError | ValueError) -> MissingResourceError:
    """Return the error of an output that can't be written, with the system's reason."""
    return MissingResourceError(
        Problem(
            "cannot-write",
            f"can't write here: {reason_of(error)}",
            SourceRef(str(target)),
            "name another place, or check room and permissions",
        )
    )


def manifest_path_of(target: Path) -> Path:
    """Return where the manifest of a request file lies."""
    return target.with_name(f"{target.stem}.manifest.json")


def earlier_files(target: Path) -> list[Path]:
    """Return the files that an earlier export of that name left, with its numbered ones."""
    begin, end = f"{target.stem}-", target.suffix
    numbered = [
        path
        for path in sorted(target.parent.glob("*"))
        if path.suffix == end
        and path.stem.startswith(begin)
        and _is_number(path.stem[len(begin) :])
    ]
    paths = [target, *numbered, manifest_path_of(target)]
    return [path for path in paths if path.exists() or path.is_symlink()]


def _is_number(text: str) -> bool:
    return len(text) == 5 and text.isascii() and text.isdecimal()


def validate_target(target: Path, source: Path, force: bool) -> None:
    """Raise unless requests may be written under that name.

    Parameters
    ----------
    target : Path
    source : Path
        The file that is read; never replaced.
    force : bool
        Whether an earlier export may be replaced.

    Raises
    ------
    UsageError
        There is something of that name, it is the source, or the name of a packed file.
    """
    fix = "name another file with -o"
    if not target.name:
        raise UsageError(Problem("no-file-name", "the output names no file", fix=fix))
    if target.name.lower().endswith(_PACKED_SUFFIXES):
        message = "requests are written plain, as engines read them"
        raise UsageError(
            Problem("output-suffix", message, SourceRef(str(target)), "name it .jsonl")
        )
    try:
        earlier = earlier_files(target)
    except (OSError, ValueError) as error:
        raise cannot_write(target, error) from error
    for path in earlier:
        where = SourceRef(str(path))
        if not path.is_file():
            message = "there is something of that name that is no file"
            raise UsageError(Problem("output-exists", message, where, fix))
        if path.samefile(source):
            message = "the requests would replace a file that they are made of"
            raise UsageError(Problem("output-is-input", message, where, fix))
        if not force:
            message = "there is a file of that name"
            raise UsageError(
                Problem("output-exists", message, where, f"{fix}, or replace it with --force")
            )
