"""The first records of a file, and what they look like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from eval_tiers.exceptions import EvalTiersError
from eval_tiers.formats.base import RecordFault
from eval_tiers.formats.perturbreason import GOLD_FIELDS, PREDICTION_FIELDS
from eval_tiers.formats.rr10_rules.item import id_parts
from eval_tiers.io.rows import parse_row
from eval_tiers.io.sources import UTF8_BOM, iter_chunks

PROBED_BYTES: Final = 1 << 20
_PROBED_RECORDS: Final = 50
_RR10_FIELDS: Final = frozenset(
    {"item_type", "expected", "accept", "reject", "evidence", "provenance", "context"}
)
ANSWER_FIELDS: Final = frozenset(
    {*PREDICTION_FIELDS["text"], *PREDICTION_FIELDS["reasoning"], "prediction", "answer", "label",
     "citations"}
)  # fmt: skip
_GOLD_FIELDS: Final = frozenset(
    name for field in ("path", "perturbation", "pert_type", "perturbation_mode", "question")
    for name in GOLD_FIELDS[field]
) - {"prompt"}  # fmt: skip
_ID_TEXTS: Final = (b"OSDR-FRAG-", b"OSDR-CTRL-")


def head_of(path: Path) -> bytes:
    """Return the first MB of a file, decompressed, without a byte order mark.

    Raises
    ------
    EvalTiersError
        It can't be read.
    """
    return next(iter_chunks(path, PROBED_BYTES), b"").removeprefix(UTF8_BOM)


def probed_records(path: Path) -> list[dict[str, Any]]:
    """Return the first records of a JSON Lines file; none where it is something else."""
    try:
        return records_of_head(head_of(path))
    except EvalTiersError:
        return []


def records_of_head(head: bytes) -> list[dict[str, Any]]:
    """Return the records among the first lines of a file."""
    records: list[dict[str, Any]] = []
    for raw in lines_of_head(head):
        try:
            records.append(parse_row(raw))
        except RecordFault:
            continue
    return records


def lines_of_head(head: bytes) -> list[bytes]:
    """Return the first lines that aren't blank, the last one perhaps cut off."""
    separator = b"\r" if b"\n" not in head and b"\r" in head else b"\n"
    lines = (raw for raw in head.split(separator) if raw.strip())
    return [raw for raw, _ in zip(lines, range(_PROBED_RECORDS), strict=False)]


def looks_like_rr10(records: Sequence[Mapping[str, Any]]) -> bool:
    """Whether any of the records is an item in RR-10's format, sound or not."""
    return any(_is_item(record) for record in records)


def _is_item(record: Mapping[str, Any]) -> bool:
    fields = len(_RR10_FIELDS & record.keys())
    if fields >= 3 or "provenance" in record:
        return True
    answered = bool(ANSWER_FIELDS & record.keys())
    return not answered and (fields == 2 or id_parts(record.get("id")) is not None)


def mentions_rr10(head: bytes) -> bool:
    """Whether a head that holds no record to go by has ids of RR-10."""
    return any(text in head for text in _ID_TEXTS) and b"item_type" in head


def looks_like_gold(records: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the first record is PerturbReason gold."""
    return bool(records) and "answer" in records[0] and bool(_GOLD_FIELDS & records[0].keys())


def looks_like_predictions(records: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the first record holds a model's answer."""
    return bool(records) and bool(ANSWER_FIELDS & records[0].keys())
