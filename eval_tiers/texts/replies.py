"""What a model's text holds: a JSON object with the answer, tagged blocks, or bare words.

Source: specification of RR-10, section 3; tags as in that of PerturbReason, section 2.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from eval_tiers.texts.answers import find_blocks

_SCAN_BUDGET: Final = 20_000_000
_OBJECT = re.compile(r'\{[ \t\r\n]*"')  # an object without a member has none of the keys
_THOUGHT = re.compile(r"</(?i:thinking|think)\s*>")
_TRIPLETS = re.compile(r"<(?i:triplet)\s*>.*?(?:</(?i:triplet)\s*>|$)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's text, taken apart.

    Attributes
    ----------
    fields : dict or None
        The JSON object in it; None without one.
    answer : str or None
        Without an object: the answer block, else the words outside thought and triplets.
    triplet_block : str or None
        Without an object: the content of the triplet block.
    """

    fields: dict[str, object] | None
    answer: str | None
    triplet_block: str | None


def read_reply(text: str, keys: Collection[str]) -> Reply:
    """Read a text: the first whole JSON object with one of ``keys``, else blocks, else words.

    An object that is broken or cut off is never repaired.

    Examples
    --------
    >>> read_reply('Sure: ```json\\n{"answer": "up"}\\n```', {"answer"}).fields
    {'answer': 'up'}
    >>> read_reply("<think>down?</think> It is upregulated.", {"answer"}).answer
    ' It is upregulated.'
    """
    fields = first_object(text, keys)
    if fields is not None:
        return Reply(fields, None, None)
    answer, triplets = find_blocks(text)
    if answer is None:
        answer = _TRIPLETS.sub(" ", text)
        after = _THOUGHT.split(answer)[-1]
        answer = after if after.strip() else answer
    return Reply(None, answer, triplets)


def first_object(text: str, keys: Collection[str]) -> dict[str, object] | None:
    """Return the first JSON object, from the left, that is whole and has one of ``keys``.

    Objects without any of the keys are passed over, those inside them too. NaN and Infinity are
    no JSON. Gives up (None) on a text that is made to be slow to read.
    """
    found, spent = _OBJECT.search(text), 0
    while found is not None and spent < _SCAN_BUDGET:
        place = found.start()
        try:
            value, end = _DECODER.raw_decode(text, place)
        except json.JSONDecodeError as error:
            spent += 200 + error.pos - place + len(text) // 4  # what decoding and its error cost
            end = place + 1
        except (ValueError, RecursionError):
            spent += 100_000 + len(text) // 4
            end = place + 1
        else:
            if isinstance(value, dict) and any(str(key).casefold() in keys for key in value):
                return value
        found = _OBJECT.search(text, end)
    return None


def _refuse(word: str) -> object:
    raise ValueError(word)


_DECODER = json.JSONDecoder(parse_constant=_refuse)
