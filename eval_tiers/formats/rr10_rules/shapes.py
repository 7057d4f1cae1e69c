"""Checks of single values: there, of the right type, in range. Any JSON value may come."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from eval_tiers.formats.rr10_rules.codes import Fault
from eval_tiers.formats.rr10_rules.fields import Field

_SHOWN = 40
_TYPE_WORDS = {
    "text": "text",
    "texts": "an array of texts",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "object": "an object",
    "rows": "an array of objects",
}


def check_object(
    record: Mapping[str, Any], fields: tuple[Field, ...], path: str = ""
) -> Iterator[Fault]:
    """Yield what is wrong with the fields of an object, nested ones too.

    Parameters
    ----------
    record : mapping
        A JSON object.
    fields : tuple of Field
        All that it must have; any other is an ``extra_field``.
    path : str
        Where the object is, such as ``evidence.``.
    """
    for field in fields:
        name = path + field.name
        if field.name not in record:
            yield Fault("missing_field", f"{name} is missing", name)
        else:
            yield from _check_value(record[field.name], field, name)
    known = {field.name for field in fields}
    for name in record:
        if name not in known:
            yield Fault("extra_field", f"{path}{shortened(name)} is no field of the format",
                        path + shortened(name))  # fmt: skip


def _check_value(value: Any, field: Field, name: str) -> Iterator[Fault]:
    kind = field.kind
    if kind == "text":
        yield from _check_text(value, field, name)
    elif kind in ("number", "integer"):
        yield from _check_number(value, field, name)
    elif kind == "boolean":
        if not isinstance(value, bool):
            yield _wrong_type(value, kind, name)
    elif kind == "object":
        if isinstance(value, dict):
            yield from check_object(value, field.fields, name + ".")
        else:
            yield _wrong_type(value, kind, name)
    elif not isinstance(value, list):
        yield _wrong_type(value, kind, name)
    elif not value:
        code = "empty_provenance" if kind == "rows" else "empty_list"
        yield Fault(code, f"{name} is empty", name)
    elif kind == "rows":
        for place, row in enumerate(value):
            at = f"{name}[{place}]"
            if isinstance(row, dict):
                yield from check_object(row, field.fields, at + ".")
            else:
                yield _wrong_type(row, "object", at)
    else:
        yield from _check_texts(value, field, name)


def _check_texts(values: list[Any], field: Field, name: str) -> Iterator[Fault]:
    seen = set()
    for place, value in enumerate(values):
        at = f"{name}[{place}]"
        yield from _check_text(value, field, at)
        if field.unique and isinstance(value, str):
            if value in seen:
                yield Fault("duplicate_dataset", f"{at}: {shown(value)} is given twice", at)
            seen.add(value)


def _check_text(value: Any, field: Field, name: str) -> Iterator[Fault]:
    if not isinstance(value, str):
        yield _wrong_type(value, "text", name)
    elif not re.search(r"\S", value):
        yield Fault("empty_text", f"{name} is empty", name)
    elif field.words and value not in field.words:
        words = ", ".join(map(str, field.words))
        yield Fault(field.misfit_code, f"{name} is {shown(value)}, not one of: {words}", name)
    elif field.pattern is not None and not re.fullmatch(field.pattern, value):
        yield Fault(field.misfit_code, f"{name} is {shown(value)}, not {_spelt(field)}", name)


def _check_number(value: Any, field: Field, name: str) -> Iterator[Fault]:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        yield _wrong_type(value, field.kind, name)
    elif isinstance(value, float) and not math.isfinite(value):
        yield Fault("not_finite", f"{name} is {value}, no finite number", name)
    elif field.words:
        if value not in field.words:
            words = " or ".join(map(str, field.words))
            yield Fault(field.misfit_code, f"{name} is {shown(value)}, not {words}", name)
    elif field.kind == "integer" and value != int(value):
        yield _wrong_type(value, field.kind, name)
    elif field.least is not None and value < field.least:
        yield Fault("out_of_range", f"{name} is {shown(value)}, below {field.least:g}", name)
    elif field.most is not None and value > field.most:
        yield Fault("out_of_range", f"{name} is {shown(value)}, above {field.most:g}", name)
    elif finite(value) is None:
        yield Fault("not_finite", f"{name} is {shown(value)}, too large for a number", name)


def _wrong_type(value: Any, kind: str, name: str) -> Fault:
    return Fault("wrong_type", f"{name} is {shown(value)}, not {_TYPE_WORDS[kind]}", name)


def _spelt(field: Field) -> str:
    if field.misfit_code == "id_pattern":
        return "OSDR-FRAG- or OSDR-CTRL- and five digits"
    return "OSD- and a number"


def finite(value: Any) -> float | None:
    """Return a JSON number as a finite float, None for anything else.

    Examples
    --------
    >>> finite(2), finite(True), finite("2"), finite(float("nan")), finite(10**400)
    (2.0, None, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def shown(value: Any, width: int = _SHOWN) -> str:
    """Return a JSON value as a message spells it, shortened; arrays and objects by their type.

    Examples
    --------
    >>> shown("up"), shown(None), shown([1]), shown(0.5), shown(True)
    ("'up'", 'null', 'an array', '0.5', 'true')
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "an array"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, str):
        return f"'{shortened(value, width)}'"
    return shortened(repr(value))


def shortened(text: str, width: int = _SHOWN) -> str:
    """Return a text, its end left out where it is long."""
    return text if len(text) <= width else text[: width - 3] + "..."
