"""Replies that a schema bound to JSON, as the tagged text that PerturbReason reads."""

from __future__ import annotations

import json
import re

_FENCE = re.compile(r"```(?:json)?[ \t]*\r?\n(.*?)\n[ \t]*```", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"</?(?:answer|thinking|think|triplet)\s*>", re.IGNORECASE)


def perturbreason_text_of(content: str) -> str:
    """Return a reply's text with answer and triplets in their tags.

    Parameters
    ----------
    content : str
        What a model wrote: whole, but for white space and a fence around it, one JSON object with
        a text ``answer`` and perhaps ``triplets``, a list of {source, sign, target}.

    Returns
    -------
    str
        ``<answer>...</answer><triplet>[...]</triplet>``; any other content (a broken or cut-off
        object, a key given twice, tags within the values, no JSON at all) as it is.

    Examples
    --------
    >>> perturbreason_text_of(
    ...     '{"answer": "up", "triplets": [{"source": "A", "sign": "-", "target": "B"}]}'
    ... )
    '<answer>up</answer><triplet>[["A", "-", "B"]]</triplet>'
    >>> perturbreason_text_of("It goes up.")
    'It goes up.'
    """
    stripped = content.strip()
    match = _FENCE.fullmatch(stripped)
    whole = stripped if match is None else match[1].strip()
    if not (whole.startswith("{") and whole.endswith("}")):
        return content
    try:
        reply = json.loads(whole, object_pairs_hook=_once, parse_constant=_refuse)
        answer, triplets = reply.get("answer"), reply.get("triplets")
        block = "" if triplets is None else _block(triplets)
    except (ValueError, RecursionError):
        return content
    if not isinstance(answer, str):
        return content
    if _TAG.search(answer) or _TAG.search(block):
        return content
    text = f"<answer>{answer}</answer>"
    return text if triplets is None else f"{text}<triplet>{block}</triplet>"


def _block(triplets: object) -> str:
    """Return the content of a triplet block; what is no triplet stays, for the reader to count."""
    if isinstance(triplets, str):
        return triplets
    elements = triplets if isinstance(triplets, list) else [triplets]
    return json.dumps(
        [_triple(element) for element in elements], ensure_ascii=False, allow_nan=False
    )


def _triple(element: object) -> object:
    if isinstance(element, dict) and {"source", "sign", "target"} <= element.keys():
        return [element["source"], element["sign"], element["target"]]
    return element


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is given twice")
    return found


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is no JSON")
