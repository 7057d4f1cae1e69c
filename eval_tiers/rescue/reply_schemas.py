"""The JSON schema that a reply is bound to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

MAX_EXPLANATION: Final = 240

# In two halves: xgrammar 0.2 fails to compile a repetition of more than 128.
_HALF: Final = MAX_EXPLANATION // 2
_PLAIN: Final = r'[^"\\\x00-\x1f]'
_REST: Final = {
    "confidence": {"type": "number", "minimum": 0, "maximum": 1},
    "explanation": {
        "type": "string",
        "pattern": f"^{_PLAIN}{{1,{_HALF}}}{_PLAIN}{{0,{_HALF}}}$",
    },
}


def verdict_schema(verdicts: Sequence[str]) -> dict[str, object]:
    """Return the schema of a reply with a verdict, which comes first.

    It keeps to what strict structured output takes: all fields required, no others. An explanation
    is bounded so that a weak model can't fill a reply with it.
    """
    return _object({"verdict": {"type": "string", "enum": list(verdicts)}})


def blind_schema(directions: Sequence[str]) -> dict[str, object]:
    """Return the schema of a reply to a blind question: direction first, then soundness."""
    return _object(
        {
            "direction": {"type": "string", "enum": list(directions)},
            "sound": {"type": "boolean"},
        }
    )


def _object(first: dict[str, object]) -> dict[str, object]:
    properties = {**first, **_REST}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
