"""How a delimited file is laid out, and whether it is text at all."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass

from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.kg.source import Head

DELIMITERS = ("\t", ";", ",", "|")


@dataclass(frozen=True, slots=True)
class Layout:
    """How a delimited file is laid out.

    Attributes
    ----------
    delimiter : str
        One character.
    rows : list of list of str
        The first rows, the header among them if there is one.
    commented : list of str or None
        Cells of the last comment above the first row, where it has as many cells as that row:
        a header behind a ``#``.
    """

    delimiter: str
    rows: list[list[str]]
    commented: list[str] | None

    @property
    def first(self) -> list[str]:
        """First row; an R table's header, one cell short, gets an empty cell in front."""
        row = self.rows[0]
        width = {len(other) for other in self.rows[1:]}
        return ["", *row] if width == {len(row) + 1} else row

    @property
    def common_width(self) -> int:
        """The commonest number of cells; of equally common ones the largest."""
        return _commonest([len(row) for row in self.rows])


def _commonest(widths: Sequence[int]) -> int:
    return max(set(widths), key=lambda width: (widths.count(width), width))


def sniff_layout(head: Head) -> Layout | None:
    """Tell the delimiter from a file's first lines; None where no line has two cells."""
    lines = [line for number, line in enumerate(head.lines) if not _is_sep(line.encode(), number)]
    if not lines:
        return None
    best, best_score = "", 0.0
    for delimiter in DELIMITERS:
        widths = [len(split_line(line, delimiter)) for line in lines]
        common = _commonest(widths)
        score = widths.count(common) / len(widths) if common > 1 else 0.0
        if score > best_score + 1e-9:
            best, best_score = delimiter, score
    if not best:
        return None
    rows = [split_line(line, best) for line in lines]
    above = split_line(head.comment.lstrip("#"), best)
    return Layout(best, rows, above if len(above) == len(rows[0]) else None)


def split_line(line: str, delimiter: str) -> list[str]:
    """Split one line into cells; quotes around a cell are taken off."""
    if '"' not in line:
        return line.split(delimiter)
    try:
        return next(csv.reader([line], delimiter=delimiter), [""])
    except csv.Error:
        return line.split(delimiter)


def require_text(data: bytes, path: str) -> None:
    """Raise unless the bytes are UTF-8 text with something in it."""
    zero = data.find(b"\0")
    if zero >= 0:
        raise BadInputError(
            Problem(
                "nul-byte",
                "the file holds a NUL byte: it is damaged, or no text",
                SourceRef(path, data.count(b"\n", 0, zero) + 1),
                "get the file again",
            )
        )
    if not data.isascii():
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise BadInputError(
                Problem(
                    "not-utf8",
                    f"byte 0x{data[error.start]:02x} is no UTF-8: the file is in another encoding",
                    SourceRef(path, data.count(b"\n", 0, error.start) + 1),
                    "if it is Latin-1, convert it: iconv -f LATIN1 -t UTF-8 FILE > NEW",
                )
            ) from error
    if not data.strip():
        raise BadInputError(
            Problem("empty-file", "the file is empty", SourceRef(path), "get the file again")
        )


def is_preamble(line: bytes, number: int) -> bool:
    """Tell whether a physical line (from 1) is a comment or a spreadsheet's ``sep=`` line."""
    return line.startswith(b"#") or _is_sep(line, number - 1)


def _is_sep(line: bytes, number: int) -> bool:
    return number == 0 and line.lower().startswith(b"sep=") and len(line.strip()) <= 5
