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
    try:
        if target.is_dir():
            raise BadInputError(
                Problem("is-a-directory", f"the {role} is a directory", where, "name a file")
            )
        if not target.exists():
            raise MissingResourceError(
                Problem("no-such-file", f"the {role} does not exist", where, "check the path")
            )
        if not target.is_file():
            raise BadInputError(
                Problem("not-a-regular-file", f"the {role} is not a regular file", where)
            )
    except (OSError, ValueError) as error:
        raise MissingResourceError(
            Problem("unreadable-path", f"the {role} can't be looked up: {error}", where)
        ) from error
    if not os.access(target, os.R_OK):
        raise MissingResourceError(
            Problem("no-permission", f"the {role} can't be read", where, "check its permissions")
        )
    return target


def compression_of(path: Path) -> str | None:
    """Return ``"gzip"``, ``"zstd"`` or None, by the file's first bytes (not by its name)."""
    with open(path, "rb") as handle:
        head = handle.read(4)
    if head.startswith(_GZIP_MAGIC):
        return "gzip"
    if head == _ZSTD_MAGIC:
        return "zstd"
    return None


def open_decompressed(path: Path) -> IO[bytes]:
    """Open a plain, gzip or zstd file for reading decompressed bytes."""
    kind = compression_of(path)
    if kind == "gzip":
        return cast("IO[bytes]", gzip.open(path, "rb"))
    if kind == "zstd":
        import zstandard

        return cast("IO[bytes]", zstandard.open(path, "rb"))
    return open(path, "rb")


def iter_chunks(path: Path, size: int = CHUNK_BYTES) -> Iterator[bytes]:
    """Yield a file's decompressed bytes, ``size`` at a time.

    Raises
    ------
    BadInputError
        ``truncated-file`` when a compressed file is cut off, ``damaged-file`` when it is corrupt.
    """
    try:
        with open_decompressed(path) as handle:
            while chunk := handle.read(size):
                yield chunk
            if compression_of(path) == "zstd":
                _require_whole_zstd(path)
    except EOFError as error:
        raise BadInputError(_cut_off(path)) from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise BadInputError(
            Problem(
                "damaged-file",
                f"the compressed file is damaged ({error})",
                SourceRef(str(path)),
                "make or copy it again",
            )
        ) from error
    except OSError as error:
        raise MissingResourceError(
            Problem("read-failed", f"reading failed: {error}", SourceRef(str(path)))
        ) from error
    except Exception as error:  # zstandard has one error class, imported only when needed
        if type(error).__name__ != "ZstdError":
            raise
        raise BadInputError(_cut_off(path)) from error


def _require_whole_zstd(path: Path) -> None:
    """Raise unless every zstd frame is complete (the stream reader ends silently at a cut)."""
    import zstandard

    with open(path, "rb") as handle:
        decompressor = zstandard.ZstdDecompressor().decompressobj()
        pending = handle.read(CHUNK_BYTES)
        while pending:
            decompressor.decompress(pending)
            pending = decompressor.unused_data
            if decompressor.eof:
                pending = pending or handle.read(CHUNK_BYTES)
                if pending:
                    decompressor = zstandard.ZstdDecompressor().decompressobj()
            else:
                pending = handle.read(CHUNK_BYTES)
        if not decompressor.eof:
            raise BadInputError(_cut_off(path))


def _cut_off(path: Path) -> Problem:
    return Problem(
        "truncated-file",
        f"the compressed file is cut off: what is missing can't be told ({path.name})",
        SourceRef(str(path)),
        "copy it again, or let the job that writes it finish",
    )


def refuse_utf16(head: bytes, path: str) -> None:
    """Raise when the first bytes of a text file look like UTF-16 or UTF-32."""
    kind = None
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        kind = "UTF-16"
    elif len(head) >= 4:
        sample = head[:400]
        odd, even = sample[1::2].count(0), sample[0::2].count(0)
        if max(odd, even) > len(sample) // 4:
            kind = "UTF-16 (without a byte order mark)"
    if kind is not None:
        raise BadInputError(
            Problem(
                "not-utf8",
                f"the file is {kind}, not UTF-8",
                SourceRef(path, 1),
                "convert it: iconv -f UTF-16 -t UTF-8 FILE > NEW "
                "(PowerShell: Out-File -Encoding utf8)",
            )
        )


def read_bytes(path: str | os.PathLike[str], role: str = "input file") -> bytes:
    """Read a whole file, decompressed. For files that fit in memory (graphs, gene sets).

    Raises
    ------
    MissingResourceError, BadInputError
        As `require_file` and `iter_chunks`.
    """
    return b"".join(iter_chunks(require_file(path, role), 1 << 24))


def read_text_bytes(path: str | os.PathLike[str], role: str = "input file") -> bytes:
    """Read a whole text file as UTF-8 bytes: no BOM, no UTF-16, CR and CRLF made LF.

    Raises
    ------
    BadInputError
        The file is UTF-16, or as `read_bytes`.
    """
    data = read_bytes(path, role)
    refuse_utf16(data[:400], str(path))
    data = data.removeprefix(UTF8_BOM)
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return data
