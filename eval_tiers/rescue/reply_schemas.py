"""The JSON schema that a reply is bound to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

MAX_EXPLANATION: Final = 240

# In pieces: xgrammar 0.2 fails to compile a repetition of more than 128.
_PIECE: Final = 120
_PLAIN: Final = r'[^"\\\x00-\x1f]'


def verdict_schema(
    verdicts: Sequence[str], text_key: str = "explanation", longest: int = MAX_EXPLANATION
) -> dict[str, object]:
    """Return the schema of a reply with a verdict, which comes first.

    It keeps to what strict structured output takes: all fields required, no others. An explanation
    is bounded so that a weak model can't fill a reply with it.

    Parameters
    ----------
    verdicts : sequence of str
    text_key : str
        Name of the explanation.
    longest : int
        Its characters at most; a multiple of 120.
    """
    first: dict[str, object] = {"verdict": {"type": "string", "enum": list(verdicts)}}
    return _object(first, text_key, longest)


def blind_schema(directions: Sequence[str]) -> dict[str, object]:
    """Return the schema of a reply to a blind question: direction first, then soundness."""
    return _object(
        {
            "direction": {"type": "string", "enum": list(directions)},
            "sound": {"type": "boolean"},
        }
    )


def _object(
    first: dict[str, object], text_key: str = "explanation", longest: int = MAX_EXPLANATION
) -> dict[str, object]:
    pattern = f"^{_PLAIN}{{1,{_PIECE}}}" + f"{_PLAIN}{{0,{_PIECE}}}" * (longest // _PIECE - 1)
    properties = {
        **first,
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
        text_key: {"type": "string", "pattern": f"{pattern}$"},
    }
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
