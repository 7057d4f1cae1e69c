"""The JSON schema of an item agrees with the rules."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from eval_tiers.formats.rr10_rules.schema import item_schema
from tests.unit.formats.rr10_items import like_canonical, spoilt, trap
from tests.unit.formats.test_rr10_rules import SPOILT


def fits(value: Any, schema: dict[str, Any]) -> bool:
    """A small reading of JSON Schema: the keywords that ours uses, and no others."""
    types = {"object": dict, "array": list, "string": str, "boolean": bool}
    known = {
        "type", "required", "additionalProperties", "properties", "oneOf", "pattern", "enum",
        "const", "minItems", "uniqueItems", "items", "minimum", "maximum", "description", "title",
        "$schema",
    }  # fmt: skip
    assert set(schema) <= known, set(schema) - known
    kind = schema.get("type")
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind in types and not isinstance(value, types[kind]):
        return False
    if kind in ("number", "integer") and not is_number:
        return False
    if kind == "integer" and value != int(value):
        return False
    if "enum" in schema and (value not in schema["enum"] or isinstance(value, bool)):
        return False
    if "const" in schema and (value != schema["const"] or type(value) is not type(schema["const"])):
        return False
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        return False
    if is_number and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        return False
    if isinstance(value, list):
        if len(value) < schema.get("minItems", 0):
            return False
        if schema.get("uniqueItems") and len(value) != len(set(map(repr, value))):
            return False
        if not all(fits(each, schema.get("items", {})) for each in value):
            return False
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        if not set(schema.get("required", ())) <= set(value):
            return False
        if schema.get("additionalProperties") is False and not set(value) <= set(properties):
            return False
        if not all(fits(value[n], properties[n]) for n in value if n in properties):
            return False
    choices = schema.get("oneOf")
    return choices is None or sum(fits(value, each) for each in choices) == 1


_BEYOND_A_SCHEMA = {
    "context_mismatch", "expected_not_accepted", "expected_rejected", "n_datasets_mismatch",
    "datasets_mismatch", "min_abs_log2fc_mismatch", "max_abs_log2fc_mismatch", "max_q_mismatch",
    "control_sign", "compound_contrast", "orientation_contradicts_contrast", "not_finite",
}  # fmt: skip


def test_sound_items_fit_the_schema() -> None:
    schema = item_schema()
    assert all(fits(record, schema) for record in like_canonical())


# JSON has no NaN; and in Python's patterns, not in JSON Schema's, $ fits before a line break.
_IN_JSON = [
    case for case in SPOILT if case[1] != "OSDR-FRAG-00001\n" and "not_finite" not in case[2]
]


@pytest.mark.parametrize(("path", "value", "expected"), _IN_JSON, ids=lambda value: str(value)[:40])
def test_schema_agrees_with_the_rules(path: str, value: object, expected: list[str]) -> None:
    if expected == ["discordant_mismatch", "trap_not_discordant"]:
        expected = []  # by the signs, which a schema can't add up
    told = bool(set(expected) - _BEYOND_A_SCHEMA)
    assert fits(spoilt(trap(), path, value), item_schema()) is not told


def test_shipped_schema_is_found_in_the_package() -> None:
    import eval_tiers.formats

    folder = Path(eval_tiers.formats.__file__).parent
    shipped = json.loads((folder / "schemas" / "rr10_item.schema.json").read_text("utf-8"))
    assert shipped == item_schema()
