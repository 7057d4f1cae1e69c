"""What code found of a submission: checks that failed, and the content that passed them all."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from eval_tiers.submissions.csv_rows import delimiter_of, iter_rows

ANSWER_PATH: Final = "answer.md"
MANIFEST_PATH: Final = "analysis_manifest.json"
HEAD_CHARACTERS: Final = 20_000

StepName = Literal["structure", "table", "recomputation"]
StepStatus = Literal["passed", "failed", "not run"]


@dataclass(frozen=True, slots=True)
class Check:
    """One failed check.

    Attributes
    ----------
    code : str
        A key of `eval_tiers.submissions.codes.CODES`.
    path : str
        The file as it is declared.
    message : str
        What is wrong, in a sentence.
    line : int or None
        Physical line, from 1.
    column : str or None
        Column of a table.
    """

    code: str
    path: str
    message: str
    line: int | None = None
    column: str | None = None

    def as_dict(self) -> dict[str, object]:
        """Return the check as a JSON object."""
        return {
            "code": self.code,
            "path": self.path,
            "line": self.line,
            "column": self.column,
            "message": self.message,
        }


@dataclass(frozen=True, slots=True)
class Step:
    """One step of checking one file, and how it ended."""

    name: StepName
    path: str
    status: StepStatus

    def as_dict(self) -> dict[str, object]:
        """Return the step as a JSON object."""
        return {"step": self.name, "path": self.path, "status": self.status}


class Content(Protocol):
    """Where a verified file's bytes come from, again and again."""

    def chunks(self) -> Iterator[bytes]:
        """Yield the bytes; raise BadInputError at the end if they are not the verified ones."""
        ...


@dataclass(frozen=True, slots=True)
class MemoryContent:
    """Bytes that are held in memory."""

    data: bytes

    def chunks(self) -> Iterator[bytes]:
        """Yield the bytes."""
        yield self.data


@dataclass(frozen=True, slots=True)
class VerifiedArtifact:
    """A declared file that passed every check made of it.

    Attributes
    ----------
    path, sha256 : str
        As declared, the hash in lower case.
    size : int
        Bytes.
    kind : {"table", "text", "binary"}
        A table is one that the task asks for; ``binary`` is what is no UTF-8 text.
    content : Content
        The bytes, read again when they are asked for: a submission may be larger than memory.
    head : str
        The first `HEAD_CHARACTERS` characters, without a BOM; empty for ``binary``.
    cut : bool
        Whether there is more than the head.
    description : str
        What the manifest says of it.
    header, key : tuple of str
        Columns and key columns of a table.
    rows_n : int or None
        Rows of a table.
    """

    path: str
    sha256: str
    size: int
    kind: Literal["table", "text", "binary"]
    content: Content
    head: str = ""
    cut: bool = False
    description: str = ""
    header: tuple[str, ...] = ()
    key: tuple[str, ...] = ()
    rows_n: int | None = None

    def texts(self) -> Iterator[str]:
        """Yield the whole text in pieces, without a BOM; nothing for ``binary``.

        Take what was found for true only after the last piece.

        Raises
        ------
        BadInputError
            At the end: the file is no longer the one that was verified.
        """
        return iter(()) if self.kind == "binary" else iter_texts(self.content.chunks())

    def rows(self) -> Iterator[tuple[int, dict[str, str]]]:
        """Yield line and cells by column of each row of a table; nothing for other kinds.

        Raises as `texts`.
        """
        if self.kind != "table":
            return
        rows = iter_rows(self.content.chunks(), delimiter_of(self.path))
        next(rows, None)
        for line, cells in rows:
            yield line, dict(zip(self.header, cells, strict=True))

    def find_row(self, key: tuple[str, ...]) -> dict[str, str] | None:
        """Return the cells of the row with this key, in the order of `key`; None if there is none.

        Raises as `texts`.
        """
        found = None
        for _, cells in self.rows():  # to the end: only then the bytes are known to be the same
            if found is None and tuple(cells[column] for column in self.key) == key:
                found = cells
        return found


def iter_texts(chunks: Iterator[bytes]) -> Iterator[str]:
    """Decode UTF-8 bytes piece by piece, without a BOM; raises UnicodeDecodeError."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    first = True
    for chunk in chunks:
        text = decoder.decode(chunk)
        if first and text:
            text, first = text.removeprefix("\ufeff"), False
        if text:
            yield text
    decoder.decode(b"", final=True)


@dataclass(frozen=True, slots=True)
class Inspection:
    """All that code could check of a submission's files.

    Attributes
    ----------
    answer : str or None
        The answer's text; None where there is none that could be read.
    manifest : dict
        What was declared: ``path``, ``sha256``, ``size`` of the manifest, and ``artifacts``, a list
        of {path, sha256, description, size, verified}; nulls where it could not be read.
    artifacts : tuple of VerifiedArtifact
        In the order of the manifest, without the answer.
    failures : tuple of Check
        Up to 20 a file, and the first of each code.
    failures_n : int
        How many there are in all.
    steps : tuple of Step
        What was checked of which file.
    notes : tuple of str
        What a reader should know and nothing failed for.
    readable : tuple of VerifiedArtifact
        The declared files that are safe and whole, whatever their tables hold, as texts: what a
        scan for leaks has to go over.
    """

    answer: str | None
    manifest: Mapping[str, object]
    artifacts: tuple[VerifiedArtifact, ...] = ()
    failures: tuple[Check, ...] = ()
    failures_n: int = 0
    steps: tuple[Step, ...] = ()
    notes: tuple[str, ...] = ()
    readable: tuple[VerifiedArtifact, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether no check failed."""
        return not self.failures
