"""Opening the files of a submission, which may be hostile: no links, no waiting, nothing outside.

A path is followed a component at a time, each looked at without following links and opened
relative to the folder before it, so that nothing that is swapped in between leads elsewhere.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from eval_tiers.exceptions import (
    BadInputError,
    EvalTiersError,
    MissingResourceError,
    Problem,
    SourceRef,
)
from eval_tiers.io.sources import reason_of
from eval_tiers.submissions import codes

_CHUNK_BYTES: Final = 1 << 20
_FLAGS: Final = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOCTTY", 0)
)
_FOLDER_FLAGS: Final = _FLAGS | getattr(os, "O_DIRECTORY", 0)

FileId = tuple[int, int]


@dataclass
class FileFault(Exception):
    """Why a file of a submission can't be used."""

    code: str
    message: str


class OpenFile:
    """One regular file of a submission, open for reading.

    Attributes
    ----------
    size : int
        Bytes when it was opened.
    identity : tuple of int
        Device and inode.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._before = os.fstat(descriptor)
        self.size = self._before.st_size
        self.identity: FileId = (self._before.st_dev, self._before.st_ino)

    def chunks(self) -> Iterator[bytes]:
        """Yield the bytes from the beginning.

        Raises
        ------
        FileFault
            ``changed_while_read``, as soon as it is seen; ``unreadable``.
        """
        position = 0
        try:
            while chunk := os.pread(self._descriptor, _CHUNK_BYTES, position):
                position += len(chunk)
                if position > self.size:
                    raise FileFault(codes.CHANGED_WHILE_READ, "it grew while it was read")
                yield chunk
            after = os.fstat(self._descriptor)
        except OSError as error:
            raise FileFault(codes.UNREADABLE, f"reading failed: {reason_of(error)}") from error
        if position != self.size or _state(after) != _state(self._before):
            raise FileFault(codes.CHANGED_WHILE_READ, "it changed while it was read")


class SubmissionFolder:
    """A folder whose files are opened by relative path only. Use it in a ``with`` statement.

    Parameters
    ----------
    path : Path
        The grader names it: here, and only here, a symbolic link is followed.

    Raises
    ------
    MissingResourceError, BadInputError
        There is no such folder, or it is no folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        where = SourceRef(str(path))
        try:
            self._root = os.open(path, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
        except FileNotFoundError as error:
            problem = Problem("no-such-folder", "the submission folder does not exist", where,
                              "check the path")  # fmt: skip
            raise MissingResourceError(problem) from error
        except NotADirectoryError as error:
            problem = Problem("not-a-folder", "the submission is no folder", where,
                              "unpack it, and name the folder")  # fmt: skip
            raise BadInputError(problem) from error
        except (OSError, ValueError) as error:
            told = f"the submission folder can't be opened: {reason_of(error)}"
            raise MissingResourceError(Problem("unreadable-path", told, where)) from error

    def __enter__(self) -> SubmissionFolder:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._root)

    @contextmanager
    def open(self, path: str, most: int) -> Iterator[OpenFile]:
        """Open a regular file of at most ``most`` bytes and one name.

        Parameters
        ----------
        path : str
            Relative and plain, as `eval_tiers.submissions.paths.plain_path` returns it.
        most : int
            Bytes.

        Raises
        ------
        FileFault
            ``missing``, ``symlink``, ``not_regular``, ``hard_link_duplicate``, ``oversize``,
            ``unreadable`` or ``changed_while_read``.
        """
        descriptor = self._descend(path)
        try:
            file = OpenFile(descriptor)
            if file.size > most:
                told = f"it has {file.size:,} bytes; {most:,} are the limit"
                raise FileFault(codes.OVERSIZE, told)
            yield file
        finally:
            os.close(descriptor)

    def read(self, path: str, most: int) -> bytes:
        """Return the bytes of a file; raises as `open` and `OpenFile.chunks`."""
        with self.open(path, most) as file:
            return b"".join(file.chunks())

    def _descend(self, path: str) -> int:
        """Return a descriptor of the file; the caller closes it."""
        *folders, name = path.split("/")
        opened: list[int] = []
        here = self._root
        try:
            for number, folder in enumerate(folders, 1):
                _look(here, folder, "/".join(folders[:number]), is_folder=True)
                here = _open(here, folder, _FOLDER_FLAGS)
                opened.append(here)
            before = _look(here, name, path, is_folder=False)
            descriptor = _open(here, name, _FLAGS)
        finally:
            for folder_descriptor in opened:
                os.close(folder_descriptor)
        after = os.fstat(descriptor)
        if not stat.S_ISREG(after.st_mode) or _state(before) != _state(after):
            os.close(descriptor)
            raise FileFault(codes.CHANGED_WHILE_READ, "another file took its place")
        return descriptor


class FileContent:
    """The bytes of a verified file, opened anew each time; see `Content`.

    Parameters
    ----------
    folder : Path
    path : str
    size : int
    sha256 : str
        What was verified.
    """

    def __init__(self, folder: Path, path: str, size: int, sha256: str) -> None:
        self._folder = folder
        self._path = path
        self._size = size
        self._sha256 = sha256

    def chunks(self) -> Iterator[bytes]:
        """Yield the bytes; raise BadInputError at the end if they are not the verified ones."""
        digest = hashlib.sha256()
        try:
            with (
                SubmissionFolder(self._folder) as folder,
                folder.open(self._path, self._size) as file,
            ):
                for chunk in file.chunks():
                    digest.update(chunk)
                    yield chunk
        except FileFault as fault:
            raise self._changed(fault.message) from fault
        if digest.hexdigest() != self._sha256:
            raise self._changed("its bytes are no longer those that were verified")

    def _changed(self, message: str) -> EvalTiersError:
        where = SourceRef(str(self._folder / self._path))
        fix = "grade a copy that nobody writes to"
        return BadInputError(Problem("changed-while-read", message, where, fix))


def _look(folder: int, name: str, path: str, *, is_folder: bool) -> os.stat_result:
    """Return what a name stands for, which has to be a folder or a regular file of one name."""
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except (OSError, ValueError) as error:
        raise _fault_of(error) from error
    mode = found.st_mode
    if stat.S_ISLNK(mode):
        raise FileFault(codes.SYMLINK, f"{path[:200]!r} is a symbolic link")
    if is_folder:
        if not stat.S_ISDIR(mode):
            raise FileFault(codes.MISSING, f"it is not there: {path[:200]!r} is no folder")
    elif not stat.S_ISREG(mode):
        raise FileFault(codes.NOT_REGULAR, f"it is {_say_kind(mode)}, not a regular file")
    elif found.st_nlink > 1:
        told = f"the file has {found.st_nlink:,} names (hard links); hand in a copy"
        raise FileFault(codes.HARD_LINK_DUPLICATE, told)
    return found


def _open(folder: int, name: str, flags: int) -> int:
    try:
        return os.open(name, flags, dir_fd=folder)
    except (OSError, ValueError) as error:
        raise _fault_of(error) from error


def _fault_of(error: OSError | ValueError) -> FileFault:
    number = getattr(error, "errno", None)
    if number in {errno.ENOENT, errno.ENAMETOOLONG}:
        return FileFault(codes.MISSING, "it is declared but not there")
    if number in {errno.ELOOP, errno.ENOTDIR}:  # what was looked at was no link
        return FileFault(codes.CHANGED_WHILE_READ, "another file took its place")
    return FileFault(codes.UNREADABLE, f"it can't be opened: {reason_of(error)}")


def _say_kind(mode: int) -> str:
    kinds = (
        (stat.S_ISDIR, "a folder"),
        (stat.S_ISFIFO, "a pipe"),
        (stat.S_ISSOCK, "a socket"),
        (stat.S_ISCHR, "a device"),
        (stat.S_ISBLK, "a device"),
    )
    return next((name for test, name in kinds if test(mode)), "something else")


def _state(found: os.stat_result) -> tuple[int, ...]:
    """Return what changes with a file's content, or when another takes its place."""
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
