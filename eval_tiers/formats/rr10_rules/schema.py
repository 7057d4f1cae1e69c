"""The JSON schema of an item, made from the same table as the checks."""

from __future__ import annotations

from typing import Any, Final

from eval_tiers.domain.rr10 import CONTROL, TRAP
from eval_tiers.formats.rr10_rules.fields import ITEM_FIELDS, Field

SCHEMA_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def item_schema() -> dict[str, Any]:
    """Return the schema of one line of a benchmark in RR-10's format.

    It says all that a schema can: fields, types, ranges, and what the item type asks of id,
    label and ``discordant``. What has to be worked out from the provenance is left to
    ``validate``.
    """
    return {
        "$schema": SCHEMA_DIALECT,
        "title": "Item of a benchmark in the format of RR-10",
        "description": "One line of the JSON Lines file. Sums over the provenance, pairs and "
        "contexts are checked by the command 'validate'.",
        **_object_schema(ITEM_FIELDS),
        "oneOf": [
            _type_schema(TRAP, "FRAG", ["indeterminate"], True),
            _type_schema(CONTROL, "CTRL", ["upregulated", "downregulated"], False),
        ],
    }


def _type_schema(item_type: str, prefix: str, labels: list[str], discordant: bool) -> Any:
    return {
        "properties": {
            "item_type": {"const": item_type},
            "id": {"pattern": f"^OSDR-{prefix}-"},
            "expected": {"enum": labels},
            "evidence": {"properties": {"discordant": {"const": discordant}}},
        }
    }


def _object_schema(fields: tuple[Field, ...]) -> dict[str, Any]:
    return {
        "type": "object",
        "required": [field.name for field in fields],
        "additionalProperties": False,
        "properties": {field.name: _field_schema(field) for field in fields},
    }


def _field_schema(field: Field) -> dict[str, Any]:
    described: dict[str, Any] = {"description": field.meaning}
    if field.kind == "texts":
        return described | {
            "type": "array",
            "minItems": 1,
            **({"uniqueItems": True} if field.unique else {}),
            "items": _text_schema(field),
        }
    if field.kind == "rows":
        items = _object_schema(field.fields)
        return described | {"type": "array", "minItems": 1, "items": items}
    if field.kind == "object":
        return described | _object_schema(field.fields)
    if field.kind == "text":
        return described | _text_schema(field)
    described["type"] = field.kind
    if field.words:
        described["enum"] = list(field.words)
    if field.least is not None:
        described["minimum"] = field.least
    if field.most is not None:
        described["maximum"] = field.most
    return described


def _text_schema(field: Field) -> dict[str, Any]:
    if field.words:
        return {"type": "string", "enum": list(field.words)}
    return {"type": "string", "pattern": f"^{field.pattern}$" if field.pattern else r"\S"}
