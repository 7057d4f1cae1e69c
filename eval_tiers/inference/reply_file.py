"""The reply file of one shard: only ever appended to, by one run at a time."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import orjson

from eval_tiers.exceptions import BadInputError, Problem, SourceRef, UsageError
from eval_tiers.io.request_files import cannot_write

_PACKED_SUFFIXES: Final = (".gz", ".zst", ".bz2", ".xz", ".zip")
_SYNC_S: Final = 1.0
_PATIENCE_S: Final = 5.0  # an engine's process may outlive a killed run for a moment


class ReplyFile:
    """Appends rows; use it as a context manager, which holds the file's lock.

    Each row is one write of the whole line: what was appended outlives the process, even where it
    is killed. At most a second of rows, and none at the end, isn't on the disk yet. A last line
    without its line end, which a killed writer leaves, gets one: nothing is cut off.

    Parameters
    ----------
    path : Path

    Attributes
    ----------
    mended : bool
        Whether the last line had no end.

    Raises
    ------
    UsageError
        Another run writes the file, or it would be a packed one.
    BadInputError
        There is a directory or a pipe of that name.
    MissingResourceError
        It can't be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.mended = False
        self._descriptor = -1
        self._synced = time.monotonic()

    def __enter__(self) -> Self:
        where = SourceRef(str(self.path))
        if self.path.name.lower().endswith(_PACKED_SUFFIXES):
            message = "replies are appended as they come, to a plain file"
            raise UsageError(Problem("output-suffix", message, where, "name it .jsonl"))
        if self.path.exists() and not self.path.is_file():
            message = "there is something of that name that is no file"
            raise BadInputError(Problem("not-a-regular-file", message, where, "name another"))
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        except OSError as error:
            raise cannot_write(self.path, error) from error
        try:
            self._lock()
            self._mend()
        except BaseException:
            os.close(self._descriptor)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            os.fsync(self._descriptor)
        finally:
            os.close(self._descriptor)  # gives the lock back

    def append(self, row: dict[str, object]) -> None:
        """Write a row as a line of its own."""
        self._write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
        now = time.monotonic()
        if now - self._synced >= _SYNC_S:
            os.fsync(self._descriptor)
            self._synced = now

    def _write(self, data: bytes) -> None:
        try:
            while data:
                data = data[os.write(self._descriptor, data) :]
        except OSError as error:
            raise cannot_write(self.path, error) from error

    def _lock(self) -> None:
        import fcntl

        deadline = time.monotonic() + _PATIENCE_S
        while True:
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except OSError as error:
                if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                    return  # a file system without locks
                if time.monotonic() < deadline:
                    time.sleep(0.2)
                    continue
                raise self._in_use() from error

    def _in_use(self) -> UsageError:
        message = "another run writes this file"
        fix = "let it finish, or name another --output"
        return UsageError(Problem("output-in-use", message, SourceRef(str(self.path)), fix))

    def _mend(self) -> None:
        size = os.fstat(self._descriptor).st_size
        if size and os.pread(self._descriptor, 1, size - 1) != b"\n":
            self.mended = True
            self._write(b"\n")
