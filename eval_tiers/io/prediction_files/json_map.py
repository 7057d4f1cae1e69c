"""One JSON object from id to answer, or from id to the fields of an answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.formats.base import RecordFault
from eval_tiers.io.json_members import Member, iter_members
from eval_tiers.io.json_rows import parse_row
from eval_tiers.io.prediction_files.shape import (
    Head,
    PredictionFile,
    PredictionShape,
    Row,
    json_row,
)
from eval_tiers.io.sources import iter_chunks
from eval_tiers.io.text_lines import decode_text

_FIRST_KEY = re.compile(rb'\{\s*("(?:[^"\\]|\\.)*")\s*:', re.DOTALL)
_EMPTY = re.compile(rb"\{\s*\}")


def matches(head: Head) -> int:
    """Tell a map: one object, alone in the file, none of whose keys is the name of a field."""
    if not head.lines or not head.lines[0].startswith(b"{"):
        return 0
    record = _record(head.lines[0])
    if record is not None:  # whole on one line: JSON Lines, unless it is the only line
        alone = head.whole and len(head.lines) == 1
        return 80 if alone and not head.names.known & record.keys() else 0
    second = head.lines[1] if len(head.lines) > 1 else b""
    if head.lines[0].endswith(b"}") and second.startswith(b"{"):
        return 0  # JSON Lines whose first line is damaged
    text = head.data.lstrip()[: 1 << 16]
    first = _FIRST_KEY.match(text)
    if first is None:
        return 80 if _EMPTY.fullmatch(text.strip()) else 0
    if _text(first[1]) in head.names.known:
        return 0
    later = filter(None, map(_record, head.lines[1:200]))
    is_torn = any(head.names.known & record.keys() for record in later)  # its first line is
    return 0 if is_torn else 80


def rows(file: PredictionFile) -> Iterator[Row]:
    """Yield a row for each key, also for one that is given again.

    Raises
    ------
    BadInputError
        The object is broken or cut off, or is no map: a single record, or records under one key.
    """
    path, names = str(file.path), file.head.names
    text = decode_text(b"".join(iter_chunks(file.path)), path).removeprefix("\ufeff")
    for member in iter_members(text, path):
        where = SourceRef(path, member.line, member.key)
        if member.key in names.ids:
            raise BadInputError(
                Problem(
                    "record-over-lines",
                    f"the file is one record (it has the field '{member.key}'), not a map of ids",
                    where,
                    "write JSON Lines: one record a line",
                )
            )
        if isinstance(member.value, list) and any(isinstance(one, dict) for one in member.value):
            raise BadInputError(
                Problem(
                    "records-under-a-key",
                    f"the key '{member.key}' holds {len(member.value)} records, not an answer",
                    where,
                    "keep the array of records alone",
                )
            )
        yield member.line, _row(member, text, names.ids)


def _row(member: Member, text: str, ids: tuple[str, ...]) -> bytes:
    """Return the row of one key; values stay as they are written."""
    value = member.value
    key, written = json.dumps(member.key), text[member.start : member.end]
    if not isinstance(value, dict):
        return _bytes(f'{{"id": {key}, "prediction": {written}}}')
    if any(value.get(name) is not None for name in ids):  # keys may be mere row numbers
        return _bytes(written)
    if any(name in value for name in ids):
        kept = {name: found for name, found in value.items() if name not in ids}
        return json_row({"id": member.key, **kept})
    rest = written[1:].lstrip()
    return _bytes(f'{{"id": {key}{"" if rest == "}" else ", "}{rest}')


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _record(line: bytes) -> dict[str, object] | None:
    try:
        return parse_row(line)
    except RecordFault:
        return None


def _text(quoted: bytes) -> str | None:
    try:
        return str(json.loads(quoted))
    except ValueError:
        return None


SHAPE: Final = PredictionShape(
    name="json_map",
    title="JSON object from id to answer",
    matches=matches,
    rows=rows,
    advice="give each id its answer, or an object with the fields of one (eval --help-formats)",
    example=b'{\n  "a": "up",\n  "b": {"output": "down"}\n}\n',
    example_rows=({"id": "a", "prediction": "up"}, {"id": "b", "output": "down"}),
    reference="https://www.rfc-editor.org/rfc/rfc8259",
)
