"""Reads replies from files as jobs leave them: several, unordered, half-written, with log lines."""

from __future__ import annotations

import json
import zlib
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final

import orjson

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import SourceRef
from eval_tiers.io.sources import UTF8_BOM, compression_of, refuse_utf16, require_file
from eval_tiers.rescue.reply_rows import ReplyRow, parse_reply_row

MAX_LISTED: Final = 100
_CHUNK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class PlacedReply:
    """A reply and where it stands."""

    row: ReplyRow
    path: str
    line: int


@dataclass(slots=True)
class Replies:
    """What the reply files hold.

    Attributes
    ----------
    rows : list of PlacedReply
        In the order of the files as named, then of lines.
    not_reply_n : int
        Lines that are no reply: log lines, half-written ones.
    cut_off : list of str
        Compressed files that end too early; what is whole of them was read.
    findings : list of Finding
        Those lines and files, the first ones.
    """

    rows: list[PlacedReply] = field(default_factory=list)
    not_reply_n: int = 0
    cut_off: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def read_replies(paths: Sequence[Path]) -> Replies:
    """Read all replies of these files; plain, gzip or zstd, JSON Lines or one JSON array.

    A line that is no reply is counted and listed, never fatal. A file named twice is read once.

    Raises
    ------
    MissingResourceError, BadInputError
        A file isn't there, can't be read, or is no UTF-8 text.
    """
    found = Replies()
    seen: set[Path] = set()
    for path in paths:
        require_file(path, "reply file")
        if path.resolve() in seen:
            continue
        seen.add(path.resolve())
        _read_file(path, found)
    return found


def _read_file(path: Path, found: Replies) -> None:
    for line, raw in _lines(path, found):
        record = _parse(raw)
        row = parse_reply_row(record) if isinstance(record, dict) else None
        if row is not None:
            found.rows.append(PlacedReply(row, str(path), line))
        elif isinstance(record, list) and line == 1 and any(isinstance(x, dict) for x in record):
            for element in record:
                row = parse_reply_row(element) if isinstance(element, dict) else None
                if row is None:
                    _note(found, path, line, "an element of the array is no reply")
                else:
                    found.rows.append(PlacedReply(row, str(path), line))
        else:
            shown = raw[:60].decode("utf-8", "replace").strip()
            _note(found, path, line, f"this line is no reply: {shown!r}")


def _note(found: Replies, path: Path, line: int, message: str) -> None:
    found.not_reply_n += 1
    if len(found.findings) < MAX_LISTED:
        found.findings.append(Finding("not-a-reply", message, SourceRef(str(path), line)))


def _parse(raw: bytes) -> Any:
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        pass
    if not raw.startswith((b"{", b"[")):
        return None
    try:  # takes NaN and lone surrogates
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


def _lines(path: Path, found: Replies) -> Iterator[tuple[int, bytes]]:
    """Yield number and bytes of each line that isn't blank; an array over several lines is one."""
    number, carry, first, whole = 1, b"", True, False
    for chunk in _chunks(path, found):
        if first:
            first = False
            refuse_utf16(chunk[:400], str(path))
            chunk = chunk.removeprefix(UTF8_BOM)
            head = chunk.lstrip()
            whole = head[:1] == b"[" and head[1:].lstrip()[:1] == b"{"
        if whole:
            carry += chunk
            continue
        lines = (carry + chunk).split(b"\n")
        carry = lines.pop()
        for raw in lines:
            raw = raw.strip()
            if raw:
                yield number, raw
            number += 1
    if carry.strip():
        yield number, carry.strip()


def _chunks(path: Path, found: Replies) -> Iterator[bytes]:
    """Yield decompressed bytes; of a compressed file that is cut off or damaged, what is whole."""
    kind = compression_of(path)
    with open(path, "rb") as handle:
        if kind is None:
            while chunk := handle.read(_CHUNK):
                yield chunk
            return
        ended = yield from (_gzip_chunks(handle) if kind == "gzip" else _zstd_chunks(handle))
    if not ended:
        found.cut_off.append(str(path))
        found.findings.insert(
            0,
            Finding(
                "truncated-file",
                "the compressed file is cut off: the whole replies in it count",
                SourceRef(str(path)),
                fix="let the job that writes it finish, or copy it again",
            ),
        )


def _gzip_chunks(handle: IO[bytes]) -> Generator[bytes, None, bool]:
    """Yield decompressed bytes, member after member; return whether the last one is complete."""
    member = zlib.decompressobj(31)
    begun = False
    while data := handle.read(_CHUNK):
        while data:
            if not begun:
                data = data.lstrip(b"\0")  # zeros after the end are padding
                if not data:
                    break
            try:
                chunk = member.decompress(data)
            except zlib.error:
                return False
            begun = True
            if chunk:
                yield chunk
            data = member.unused_data
            if member.eof:
                member, begun = zlib.decompressobj(31), False
    return not begun


def _zstd_chunks(handle: IO[bytes]) -> Generator[bytes, None, bool]:
    """Yield decompressed bytes, frame after frame; return whether the last one is complete."""
    import zstandard

    frames = zstandard.ZstdDecompressor(max_window_size=1 << 31)
    frame = frames.decompressobj()
    begun = False
    while data := handle.read(_CHUNK):
        while data:
            try:
                chunk = frame.decompress(data)
            except zstandard.ZstdError:
                return False
            begun = True
            if chunk:
                yield chunk
            data = frame.unused_data
            if frame.eof:
                frame, begun = frames.decompressobj(), False
    return not begun
