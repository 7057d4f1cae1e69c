"""Writing a submission: the answer, the declared files under their own names, the manifest."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from eval_tiers.exceptions import (
    BadInputError,
    MissingResourceError,
    Problem,
    SourceRef,
)
from eval_tiers.io.atomic import atomic_writer, temporary_beside
from eval_tiers.io.prediction_writing import require_new_folder
from eval_tiers.io.sources import UTF8_BOM, reason_of, refuse_utf16, require_file
from eval_tiers.io.submission_files import FileFault, SubmissionFolder
from eval_tiers.io.text_lines import decode_text
from eval_tiers.submissions.inspection import MANIFEST_PATH
from eval_tiers.submissions.manifest import Declaration
from eval_tiers.submissions.task import Limits

_LIMITS: Final = Limits()
FIX: Final = "put a plain copy of the file there"


def read_draft(path: Path) -> bytes:
    """Return the bytes of a manifest that is still without hashes.

    Raises
    ------
    MissingResourceError, BadInputError
        It can't be read, or is larger than a manifest may be.
    """
    return _read_limited(path, "manifest", _LIMITS.manifest_bytes)


def read_answer(path: Path) -> bytes:
    """Return the bytes of an answer that is UTF-8 and not blank.

    Raises
    ------
    MissingResourceError, BadInputError
        It can't be read, or would be refused.
    """
    data = _read_limited(path, "answer", _LIMITS.answer_bytes)
    where = SourceRef(str(path))
    refuse_utf16(data[:400], str(path))
    text = decode_text(data.removeprefix(UTF8_BOM), str(path))
    if not text.strip():
        raise BadInputError(Problem("empty-answer", "the answer is empty", where, "write one"))
    if "\0" in text:
        raise BadInputError(Problem("nul-byte", "the answer holds NUL bytes", where, "remove them"))
    return data


def _read_limited(path: Path, role: str, most: int) -> bytes:
    with open(require_file(path, role), "rb") as handle:
        data = handle.read(most + 1)
    if len(data) > most:
        told = f"the {role} has more than {most:,} bytes"
        raise BadInputError(Problem("oversize", told, SourceRef(str(path)), "shorten it"))
    return data


@contextmanager
def new_submission(output: Path) -> Iterator[Path]:
    """Make a folder beside ``output``, and give it that name once all is written.

    Raises
    ------
    UsageError
        Something is there that is no empty folder.
    MissingResourceError
        The folder can't be made.
    """
    require_new_folder(output, None)
    absolute = Path(os.path.realpath(output))
    part = temporary_beside(absolute)
    try:
        absolute.parent.mkdir(parents=True, exist_ok=True)
        part.mkdir()
    except OSError as error:
        told, where = f"can't write here: {reason_of(error)}", SourceRef(str(output))
        fix = "name another place, or check the permissions"
        raise MissingResourceError(Problem("cannot-write", told, where, fix)) from error
    try:
        yield part
        os.replace(part, absolute)
    finally:
        with suppress(OSError):
            shutil.rmtree(part)


def copy_declared(
    source: Path, declared: Sequence[Declaration], target: Path
) -> list[dict[str, object]]:
    """Copy declared files under their own names; return the manifest's entries with hashes.

    All files are looked at before it is given up.

    Raises
    ------
    BadInputError
        A file that `eval_tiers.io.submission_folder.inspect_submission` would refuse.
    """
    entries: list[dict[str, object]] = []
    problems: list[Problem] = []
    room = _LIMITS.total_bytes
    with SubmissionFolder(source) as folder:
        for item in declared:
            try:
                digest, size = _copy(folder, item.path, target, room)
            except FileFault as fault:
                where = SourceRef(str(source / item.path))
                problems.append(Problem(fault.code.replace("_", "-"), fault.message, where, FIX))
                continue
            room -= size
            entry: dict[str, object] = {"path": item.path, "sha256": digest}
            entry["description"] = item.description
            entries.append(entry)
    if problems:
        raise BadInputError(problems)
    return entries


def _copy(folder: SubmissionFolder, path: str, target: Path, room: int) -> tuple[str, int]:
    digest = hashlib.sha256()
    with folder.open(path, min(_LIMITS.file_bytes, room)) as file:
        with atomic_writer(target / path) as handle:
            for chunk in file.chunks():
                digest.update(chunk)
                handle.write(chunk)
        return digest.hexdigest(), file.size


def copy_of_folder(source: Path, target: Path) -> Path:
    """Copy a submission so that every file has one name, and fails as before in all else.

    Links stay links, a pipe becomes a pipe; a file larger than any may be keeps its size alone.
    """
    return Path(shutil.copytree(source, target, symlinks=True, copy_function=_copy_plain))


def _copy_plain(source: str, target: str) -> None:
    found = os.stat(source, follow_symlinks=False)
    if not stat.S_ISREG(found.st_mode):
        os.mkfifo(target)
    elif found.st_size > _LIMITS.file_bytes:
        with open(target, "wb") as handle:
            handle.truncate(found.st_size)
    else:
        with suppress(PermissionError):
            shutil.copyfile(source, target)


def write_manifest(target: Path, manifest: dict[str, object]) -> int:
    """Write the manifest; return its size.

    Raises
    ------
    BadInputError
        It is larger than a manifest may be, or holds a number that JSON has no word for.
    """
    try:
        data = (json.dumps(manifest, indent=2, allow_nan=False) + "\n").encode("ascii")
    except ValueError as error:
        told = "the manifest holds a number that is too large"
        raise BadInputError(Problem("bad-json", told, fix="write it as a text")) from error
    if len(data) > _LIMITS.manifest_bytes:
        told = (
            f"the manifest would have {len(data):,} bytes; {_LIMITS.manifest_bytes:,} is the limit"
        )
        raise BadInputError(Problem("oversize", told, fix="shorten descriptions and other keys"))
    with atomic_writer(target / MANIFEST_PATH) as handle:
        handle.write(data)
    return len(data)
