"""A small checker of JSON schemas: as much of them as strict structured output takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_TYPES: dict[str, type | tuple[type, ...]] = {"object": dict, "array": list, "string": str}
_KEYWORDS = {
    "object": {"type", "properties", "required", "additionalProperties"},
    "array": {"type", "items"},
    "string": {"type", "enum"},
}


def fits(value: Any, schema: Mapping[str, Any]) -> bool:
    """Whether a value is what a schema demands."""
    if not isinstance(value, _TYPES[schema["type"]]):
        return False
    if schema["type"] == "object":
        known = schema["properties"]
        return (
            set(schema["required"]) <= value.keys() <= known.keys()
            and schema["additionalProperties"] is False
            and all(fits(item, known[key]) for key, item in value.items())
        )
    if schema["type"] == "array":
        return all(fits(item, schema["items"]) for item in value)
    return value in schema.get("enum", [value])


def not_strict(schema: Mapping[str, Any], place: str = "") -> Iterator[str]:
    """Yield what strict structured output doesn't take: other keywords, open or optional fields."""
    kind = schema.get("type")
    if kind not in _KEYWORDS:
        yield f"{place}: type {kind!r}"
        return
    yield from (f"{place}: {word}" for word in schema.keys() - _KEYWORDS[kind])
    if kind == "object":
        if schema.get("additionalProperties") is not False:
            yield f"{place}: open"
        if list(schema["properties"]) != list(schema["required"]):
            yield f"{place}: optional fields"
        for name, part in schema["properties"].items():
            yield from not_strict(part, f"{place}/{name}")
    if kind == "array":
        yield from not_strict(schema["items"], f"{place}/items")
