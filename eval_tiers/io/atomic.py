"""Writing files so that a name never holds half of one."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

import orjson

from eval_tiers.exceptions import MissingResourceError, Problem, SourceRef
from eval_tiers.io.sources import reason_of

_NAME_BYTES = 200
"""A longer name isn't part of its temporary file's: file systems take 255 in all."""


@contextmanager
def atomic_writer(path: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file beside ``path``; on success flush it and rename it to ``path``.

    On an error the temporary file is removed and ``path`` is left as it was.

    Raises
    ------
    MissingResourceError
        The folder can't be made or written.
    """
    temporary = temporary_beside(path)
    if os.path.exists(path) and not path.is_file():  # a file must not take a device's place
        raise MissingResourceError(
            Problem("cannot-write", "what is there is no regular file", SourceRef(str(path)),
                    "name another place")
        )  # fmt: skip
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):
            os.lstat(path)  # a name that is too long is told before anything is written
        handle = open(temporary, "wb")  # noqa: SIM115 - closed below, on every way out
    except OSError as error:
        raise MissingResourceError(
            Problem(
                "cannot-write",
                f"can't write here: {reason_of(error)}",
                SourceRef(str(path)),
                "name another place, or check the permissions",
            )
        ) from error
    try:
        with handle:
            yield handle
            handle.flush()
            os.fsync(handle.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def temporary_beside(path: Path) -> Path:
    """Return a hidden name in the same folder; a hash stands for a name that is too long for it."""
    name = os.fsencode(path.name)
    kept = path.name if len(name) <= _NAME_BYTES else hashlib.sha256(name).hexdigest()
    return path.with_name(f".{kept}.{os.getpid()}.part")


def render_json(value: object) -> bytes:
    """Return strict, indented JSON with a final newline; see `clean_text` for lone surrogates."""
    try:
        return _dumps(value)
    except TypeError:  # most often a text that is no valid Unicode, from an id or a file name
        return _dumps(_cleaned(value))


def _dumps(value: object) -> bytes:
    return orjson.dumps(
        value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE | orjson.OPT_SERIALIZE_NUMPY
    )


def _cleaned(value: object) -> object:
    """Return a JSON value with every text, keys too, made valid Unicode."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        return {_cleaned(key): _cleaned(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_cleaned(item) for item in value]
    return value


def clean_text(value: str) -> str:
    """Return a text that is valid Unicode: lone surrogates become ``\\udXXX`` escapes.

    Examples
    --------
    >>> clean_text("a" + chr(0xD83D))
    'a\\\\ud83d'
    """
    return value.encode("utf-8", "backslashreplace").decode("utf-8")
