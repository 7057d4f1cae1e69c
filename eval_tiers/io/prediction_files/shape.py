"""What the shape of a prediction file has to say about itself, and what it is given to read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import orjson

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import BadInputError
from eval_tiers.formats.base import FieldTable, RecordFault
from eval_tiers.io.json_members import iter_members
from eval_tiers.io.json_rows import parse_row, unreadable_row
from eval_tiers.io.text_lines import line_end_of

_PROBED_RECORDS = 20

Row = tuple[int, bytes]


class PredictionNames:
    """The names of fields that a benchmark reads from predictions.

    Parameters
    ----------
    fields : mapping of str to tuple of str
        ``prediction_fields`` of the benchmark format.

    Attributes
    ----------
    ids : tuple of str
        Names of the id, in the order in which they are tried; ``custom_id`` is always one.
    known : frozenset of str
        All names.
    answers : frozenset of str
        Names of what is scored: all but ids and rollouts.
    text : str
        The first name of a model's text.
    """

    def __init__(self, fields: FieldTable) -> None:
        self.ids = tuple(dict.fromkeys((*fields["id"], "custom_id")))
        names = [name for group in fields.values() for name in group]
        self.known = frozenset((*names, *self.ids))
        self.answers = self.known.difference(self.ids, fields.get("rollout", ()))
        self.text = fields["text"][0]


@dataclass(frozen=True)
class Head:
    """The beginning of a prediction file.

    Attributes
    ----------
    path : Path
        The file.
    data : bytes
        Its first decompressed bytes, without a BOM.
    whole : bool
        Whether that is the whole file.
    names : PredictionNames
        The names of fields that are read.
    """

    path: Path
    data: bytes
    whole: bool
    names: PredictionNames

    @cached_property
    def line_end(self) -> bytes:
        """LF (CRLF too), or CR alone."""
        return line_end_of(self.data)

    @cached_property
    def lines(self) -> list[bytes]:
        """Physical lines that aren't blank, stripped; the last may be cut off."""
        return [line.strip() for line in self.data.split(self.line_end) if line.strip()]

    @cached_property
    def records(self) -> list[dict[str, object]]:
        """The first rows that can be read, of JSON Lines or of one array."""
        found: list[dict[str, object]] = []
        for record in self._rows():
            if isinstance(record, dict):
                found.append(record)
                if len(found) == _PROBED_RECORDS:
                    break
        return found

    def _rows(self) -> Iterator[object]:
        if self.data.lstrip()[:1] == b"[":
            text = self.data.decode("utf-8", "replace")
            try:
                yield from (member.value for member in iter_members(text, str(self.path)))
            except (
                BadInputError
            ):  # the head is cut off, or the file is broken: told when it is read
                return
        for line in self.lines[: 10 * _PROBED_RECORDS]:
            try:
                yield parse_row(line)
            except RecordFault:
                continue


@dataclass(slots=True)
class Notes:
    """What was met while a file was rewritten.

    Attributes
    ----------
    evidence_shown : bool or None
        Whether the requests showed the evidence; None where the file can't tell.
    skipped : dict of str to int
        Rows by the reason for which they are no prediction.
    findings : list of Finding
        What the user should know.
    """

    evidence_shown: bool | None = None
    skipped: dict[str, int] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class PredictionFile:
    """A file to rewrite.

    Attributes
    ----------
    path : Path
        The file as the user named it.
    head : Head
        Its beginning.
    by_position : bool
        Rows are paired by position: they need no ids, and each has to keep its place.
    gold_ids : callable
        Returns the ids of the gold file; costly.
    notes : Notes
        Where to note what is met.
    reply_text : callable
        Turns the content of a reply into text as the benchmark format reads it.
    """

    path: Path
    head: Head
    by_position: bool
    gold_ids: Callable[[], Iterable[str]]
    notes: Notes
    reply_text: Callable[[str], str] = str


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionShape:
    """A shape of prediction files, and one worked example.

    Attributes
    ----------
    name : str
        What summaries call it.
    title : str
        One line for people; no full stop.
    matches : callable
        How sure it is that a file of this head is of this shape: 0 (not) to 100.
    rows : callable or None
        Yields (first line, JSON object) of each row, ``unreadable_row`` for one that is none;
        None where rows are read where they lie.
    advice : str
        How to mend a file of which no row can be read.
    example : bytes
        A small file.
    example_rows : tuple of dict
        The records in it, as `rows` gives them.
    reference : str
        An https address of where the shape is defined.
    """

    name: str
    title: str
    matches: Callable[[Head], int]
    rows: Callable[[PredictionFile], Iterator[Row]] | None
    advice: str
    example: bytes
    example_rows: tuple[Mapping[str, object], ...]
    reference: str


def json_row(record: Mapping[str, object]) -> bytes:
    """Return a record as one line of JSON, lone surrogates as escapes."""
    try:
        return orjson.dumps(record)
    except TypeError:  # a lone surrogate, a number of more than 64 bits, nested deep
        pass
    try:
        return json.dumps(record).encode("ascii")
    except RecursionError:
        return unreadable_row("nested too deep")
