"""Opening input files: missing, compressed, cut off, or in another encoding.

Everything that reads a user's file begins here, so that the same fault gets the same error in
every command.
"""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

from eval_tiers.exceptions import BadInputError, MissingResourceError, Problem, SourceRef

CHUNK_BYTES = 1 << 20

_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_ZSTD_SKIPPABLE = b"\x2a\x4d\x18"  # after a byte 0x50 to 0x5f; pzstd begins with such a frame
_MAGIC_BY_SUFFIX = {".gz": _GZIP_MAGIC, ".zst": _ZSTD_MAGIC}
_PACKED_KINDS = (
    (_GZIP_MAGIC, "gzip data"),
    (_ZSTD_MAGIC, "Zstandard data"),
    (b"BZh", "bzip2 data"),
    (b"\xfd7zXZ\x00", "xz data"),
    (b"PK\x03\x04", "a zip archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"PAR1\x15", "a Parquet table"),
    (b"ARROW1\x00", "an Arrow file"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel workbook"),
)
_WORKBOOK_PART = b"[Content_Types].xml"  # comes first in the zip archive that a workbook is
UTF8_BOM = b"\xef\xbb\xbf"


def require_file(path: str | os.PathLike[str], role: str = "input file") -> Path:
    """Return ``path`` if it is a readable file.

    Raises
    ------
    MissingResourceError
        Nothing is there, or it can't be read.
    BadInputError
        It is a directory or no regular file (a FIFO would block).
    """
    where = SourceRef(str(path))
    target = Path(path)
    if not str(path):
        raise MissingResourceError(
            Problem("no-file-name", f"the name of the {role} is empty", fix="name a file")
        )
    try:
        if target.is_dir():
            raise BadInputError(
                Problem("is-a-directory", f"the {role} is a directory", where, "name a file")
            )
        if not target.exists():
            if target.is_symlink():
                raise MissingResourceError(
                    Problem("broken-link", f"the {role} is a link that leads nowhere", where,
                            "mend the link, or name the file itself")
                )  # fmt: skip
            raise MissingResourceError(
                Problem("no-such-file", f"the {role} does not exist", where, "check the path")
            )
        if not target.is_file():
            raise BadInputError(
                Problem(
                    "not-a-regular-file",
                    f"the {role} is not a regular file (a pipe or a device?)",
                    where,
                    "write the data to a file and name that",
                )
            )
    except (OSError, ValueError) as error:
        raise MissingResourceError(
            Problem("unreadable-path", f"the {role} can't be looked up: {reason_of(error)}", where)
        ) from error
    if not os.access(target, os.R_OK):
        raise MissingResourceError(
            Problem("no-permission", f"the {role} can't be read", where, "check its permissions")
        )
    return target


def reason_of(error: OSError | ValueError) -> str:
    """Return what the system says about a failure, without the path."""
    return getattr(error, "strerror", None) or str(error)


def compression_of(path: Path) -> str | None:
    """Return ``"gzip"``, ``"zstd"`` or None, by the file's first bytes (not by its name)."""
    with open(path, "rb") as handle:
        head = handle.read(4)
    if head.startswith(_GZIP_MAGIC):
        return "gzip"
    if head == _ZSTD_MAGIC or (head[1:] == _ZSTD_SKIPPABLE and head[0] >> 4 == 5):
        return "zstd"
    return None


def _require_begun(path: Path) -> None:
    """Raise for a file with the name of a compressed one that ends within its first bytes."""
    magic = _MAGIC_BY_SUFFIX.get(path.suffix.lower())
    if magic is not None and path.stat().st_size < len(magic):
        raise BadInputError(_cut_off(path))


def open_decompressed(path: Path) -> IO[bytes]:
    """Open a plain, gzip or zstd file for reading decompressed bytes."""
    kind = compression_of(path)
    if kind == "gzip":
        return cast("IO[bytes]", gzip.open(path, "rb"))
    if kind == "zstd":
        import zstandard

        reader = zstandard.ZstdDecompressor(max_window_size=1 << 31)  # as zstd --long=31 writes
        handle = open(path, "rb")  # noqa: SIM115 - the stream closes it
        return cast("IO[bytes]", reader.stream_reader(handle, read_across_frames=True))
    return open(path, "rb")


def iter_chunks(path: Path, size: int = CHUNK_BYTES) -> Iterator[bytes]:
    """Yield a file's decompressed bytes, ``size`` at a time.

    Raises
    ------
    BadInputError
        ``truncated-file`` when a compressed file is cut off, ``damaged-file`` when it is corrupt.
    """
    try:
        _require_begun(path)
        with open_decompressed(path) as handle:
            while chunk := handle.read(size):
                yield chunk
            if compression_of(path) == "zstd":
                _require_whole_zstd(path)
    except EOFError as error:
        raise BadInputError(_cut_off(path)) from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise BadInputError(_damaged(path, error)) from error
    except OSError as error:
        raise MissingResourceError(
            Problem("read-failed", f"reading failed: {reason_of(error)}", SourceRef(str(path)))
        ) from error
    except Exception as error:  # zstandard has one error class, imported only when needed
        if type(error).__name__ != "ZstdError":
            raise
        raise BadInputError(_damaged(path, error)) from error


def _require_whole_zstd(path: Path) -> None:
    """Raise unless every zstd frame is complete (the stream reader ends silently at a cut)."""
    import zstandard

    with open(path, "rb") as handle:
        frames = zstandard.ZstdDecompressor(max_window_size=1 << 31)
        decompressor = frames.decompressobj()
        pending = handle.read(CHUNK_BYTES)
        while pending:
            decompressor.decompress(pending)
            pending = decompressor.unused_data
            if decompressor.eof:
                pending = pending or handle.read(CHUNK_BYTES)
                if pending:
                    decompressor = frames.decompressobj()
            else:
                pending = handle.read(CHUNK_BYTES)
        if not decompressor.eof:
            raise BadInputError(_cut_off(path))


def _cut_off(path: Path) -> Problem:
    return Problem(
        "truncated-file",
        "the compressed file is cut off: what is missing can't be told",
        SourceRef(str(path)),
        "copy it again, or let the job that writes it finish",
    )


def _damaged(path: Path, error: Exception) -> Problem:
    return Problem(
        "damaged-file",
        f"the compressed file is damaged ({error})",
        SourceRef(str(path)),
        "make or copy it again",
    )


def refuse_utf16(head: bytes, path: str) -> None:
    """Raise when the first bytes of a text file are UTF-16 or UTF-32, NUL bytes or packed data."""
    for magic, packed in _PACKED_KINDS:
        if head.startswith(magic):
            if _WORKBOOK_PART in head:
                packed = "an Excel workbook"
            fix = "save the sheet as CSV UTF-8" if "workbook" in packed else "unpack it"
            raise BadInputError(
                Problem("not-text", f"this is {packed}, not text", SourceRef(path), fix)
            )
    kind = _wide_encoding(head)
    if kind == "NUL":
        raise BadInputError(
            Problem(
                "nul-byte",
                "the file begins with NUL bytes: it is damaged, or no text",
                SourceRef(path, 1),
                "make or copy it again",
            )
        )
    if kind is not None:
        name = kind.partition(" ")[0]
        raise BadInputError(
            Problem(
                "not-utf8",
                f"the file is {kind}, not UTF-8",
                SourceRef(path, 1),
                f"convert it: iconv -f {name} -t UTF-8 FILE > NEW "
                "(PowerShell: Out-File -Encoding utf8)",
            )
        )


def _wide_encoding(head: bytes) -> str | None:
    """Return UTF-16 or UTF-32, ``NUL`` for a run of NUL bytes, None for anything else."""
    if head.startswith((b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff")):
        return "UTF-32"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "UTF-16"
    if len(head) < 4:
        return None
    sample = head[:400]
    zeros = [sample[start::4].count(0) for start in range(4)]
    many = len(sample) // 8  # half of the bytes of one place in four
    wide = sum(count > many for count in zeros)
    if wide == 4:
        return "NUL"
    if wide == 3:
        return "UTF-32 (without a byte order mark)"
    if wide and max(zeros[0] + zeros[2], zeros[1] + zeros[3]) > len(sample) // 4:
        return "UTF-16 (without a byte order mark)"
    return None


def read_bytes(path: str | os.PathLike[str], role: str = "input file") -> bytes:
    """Read a whole file, decompressed. For files that fit in memory (graphs, gene sets).

    Raises
    ------
    MissingResourceError, BadInputError
        As `require_file` and `iter_chunks`.
    """
    return b"".join(iter_chunks(require_file(path, role), 1 << 24))
