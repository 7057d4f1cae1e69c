"""One row of JSON Lines: parsed, or what is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Final

import orjson

from eval_tiers.formats.base import RecordFault

_UNREADABLE: Final = b"\0unreadable row\0"


def unreadable_row(message: str) -> bytes:
    """Return what stands for a row that can't be rewritten: `parse_row` raises for it."""
    return _UNREADABLE + message.encode("utf-8", "backslashreplace")


def may_repeat_key(raw: bytes, keys: Collection[str]) -> bool:
    """Whether a row that parsed to these keys may give one of them twice; quick, seldom wrong.

    Parsers keep the last of two values. Where a row holds as many colons after quotes as keys,
    none was lost; else each key is looked for, and escapes, which may hide one.
    """
    if raw.count(b'":') == len(keys) and b'" :' not in raw[:200]:
        return False
    return b"\\u00" in raw or any(
        raw.count(f'"{key}"'.encode("utf-8", "surrogatepass")) > 1 for key in keys
    )


def parse_row(raw: bytes, strict: bool = False) -> dict[str, object]:
    """Parse one row as a JSON object.

    Parameters
    ----------
    raw : bytes
        The row.
    strict : bool
        Whether to look for a key that is given twice.

    Raises
    ------
    RecordFault
        Not UTF-8, not JSON, not an object, or a key given twice.
    """
    try:
        record = orjson.loads(raw)
    except orjson.JSONDecodeError:
        record = _parse_slowly(raw)
    else:
        if strict and type(record) is dict and may_repeat_key(raw, record):
            _parse_slowly(raw)
    if not isinstance(record, dict):
        raise RecordFault("not-an-object", f"the row is a JSON {_json_type(record)}, not an object")
    return record


def _parse_slowly(raw: bytes) -> object:
    """Parse with the standard library: takes NaN and lone surrogates, refuses repeated keys."""
    if raw.startswith(_UNREADABLE):
        raise RecordFault("bad-row", raw[len(_UNREADABLE) :].decode("utf-8"))

    def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) != len(pairs):
            seen: set[str] = set()
            twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            raise RecordFault("repeated-key", f"the key '{twice}' is given twice", twice)
        return found

    try:
        return json.loads(raw.decode("utf-8"), object_pairs_hook=once)
    except UnicodeDecodeError as error:
        raise RecordFault(
            "not-utf8",
            f"not UTF-8: byte 0x{raw[error.start]:02x} at column {error.start + 1}",
            fix="save the file as UTF-8",
        ) from error
    except json.JSONDecodeError as error:
        message = f"not JSON: {error.msg.removesuffix(' at')} at column {error.colno}"
        raise RecordFault("bad-json", message, fix=_json_hint(raw)) from error
    except (ValueError, RecursionError) as error:
        message = "nested too deep" if isinstance(error, RecursionError) else str(error)
        raise RecordFault("bad-json", f"not JSON that can be read: {message}") from error


def _json_hint(raw: bytes) -> str | None:
    if b"\x00" in raw:
        return "the row holds NUL bytes: the file is damaged or not text"
    stripped = raw.strip()
    if stripped in (b"{", b"[") or not stripped.endswith((b"}", b"]")):
        return "one JSON object a line, whole; is the line cut off, or spread over several?"
    return None


def _json_type(value: object) -> str:
    if isinstance(value, list):
        return "array"
    if isinstance(value, str):
        return "string"
    if value is None:
        return "null"
    return "truth value" if isinstance(value, bool) else "number"
