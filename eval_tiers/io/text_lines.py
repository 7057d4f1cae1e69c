"""Text files by their beginning, by physical lines, or whole; always UTF-8."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.io.sources import CHUNK_BYTES, UTF8_BOM, iter_chunks, refuse_utf16


def read_head(path: Path, least: int = CHUNK_BYTES, most: int = 1 << 26) -> tuple[bytes, bool]:
    """Return a text file's first decompressed bytes without a BOM, and whether that is all.

    There are ``least`` of them, and more up to the first line end (no more than ``most``).

    Raises
    ------
    BadInputError
        As `iter_chunks` and `refuse_utf16`.
    """
    head, whole = b"", True
    chunks = iter_chunks(path, least)
    for chunk in chunks:
        if not head:
            refuse_utf16(chunk[:400], str(path))
        head += chunk
        if b"\n" in chunk or b"\r" in chunk or len(head) >= most:
            whole = next(chunks, b"") == b""
            break
    return head.removeprefix(UTF8_BOM), whole


def line_end_of(head: bytes) -> bytes:
    """Return what ends a file's lines, by its first bytes: LF (CRLF too), or CR alone."""
    return b"\r" if b"\n" not in head and b"\r" in head else b"\n"


def iter_lines(path: Path, line_end: bytes = b"\n") -> Iterator[bytes]:
    """Yield a file's physical lines with their ends, without a BOM; raises as `iter_chunks`."""
    carry, first = b"", True
    for chunk in iter_chunks(path):
        if first:
            chunk, first = chunk.removeprefix(UTF8_BOM), False
        lines = (carry + chunk).split(line_end)
        carry = lines.pop()
        for line in lines:
            yield line + line_end
    if carry:
        yield carry


def decode_text(data: bytes, path: str) -> str:
    """Return a file's bytes as text.

    Raises
    ------
    BadInputError
        It is no UTF-8.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadInputError(
            Problem(
                "not-utf8",
                f"byte 0x{data[error.start]:02x} is no UTF-8",
                SourceRef(path, line),
                "save the file as UTF-8; if it is Latin-1: iconv -f LATIN1 -t UTF-8 FILE > NEW",
            )
        ) from error
