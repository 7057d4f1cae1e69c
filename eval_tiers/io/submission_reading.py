"""Reading a file of a submission once: its hash, and the beginning of its text."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Final

from eval_tiers.exceptions import BadInputError
from eval_tiers.io.sources import refuse_utf16
from eval_tiers.io.submission_files import FileFault, OpenFile
from eval_tiers.submissions import codes
from eval_tiers.submissions.inspection import HEAD_CHARACTERS, iter_texts

_CRLF: Final = b"\r\n"


class HashedChunks:
    """Pieces of a file, hashed as they pass."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._digest = hashlib.sha256()

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._chunks:
            self._digest.update(chunk)
            yield chunk

    def sha256(self) -> str:
        """Return the hash of what has passed."""
        return self._digest.hexdigest()


class FileHead:
    """A file's hash and the beginning of its text, read to the end.

    Attributes
    ----------
    sha256 : str
    text : str or None
        None where it is no text.
    code : str
        Why it is none.
    cut : bool
        Whether there is more.
    packed : str
        Why a table can't be read at all; empty where it may.
    """

    def __init__(self, chunks: Iterator[bytes]) -> None:
        hashed = HashedChunks(chunks)
        self.text: str | None = None
        self.code = ""
        self.cut = False
        self.packed = ""
        kept: list[str] = []
        kept_n = 0
        pieces = self._peek(iter(hashed))
        try:
            for text in iter_texts(pieces):
                if "\0" in text:
                    raise FileFault(codes.NUL_BYTE, "")
                if kept_n <= HEAD_CHARACTERS:
                    kept.append(text[: HEAD_CHARACTERS + 1 - kept_n])
                    kept_n += len(kept[-1])
        except UnicodeDecodeError:
            self.code = codes.NOT_UTF8
        except FileFault as fault:
            if fault.code != codes.NUL_BYTE:
                raise
            self.code = codes.NUL_BYTE
        for _ in pieces:
            pass
        if not self.code:
            whole = "".join(kept)
            self.text, self.cut = whole[:HEAD_CHARACTERS], len(whole) > HEAD_CHARACTERS
        self.sha256 = hashed.sha256()

    def _peek(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        first = True
        for chunk in chunks:
            if first:
                first = False
                try:
                    refuse_utf16(chunk[:400], "")
                except BadInputError as error:
                    self.packed = error.problems[0].message
            yield chunk


def hash_with_lf(file: OpenFile) -> str:
    """Return the hash that the file would have with CRLF written as LF."""
    digest = hashlib.sha256()
    carry = b""
    for chunk in file.chunks():
        data = carry + chunk
        carry = b"\r" if data.endswith(b"\r") else b""
        digest.update(data[: len(data) - len(carry)].replace(_CRLF, b"\n"))
    digest.update(carry)
    return digest.hexdigest()
